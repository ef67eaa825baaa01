import java.util.Arrays;

/** Arrays in an array: who is shown that is not shown what is in them. */
final class Grids {
    private static final class Cell {
        private final int number;

        Cell(int number) {
            this.number = number;
        }

        @Override
        public String toString() {
            return "c" + number;
        }
    }

    public static void main(String[] args) {
        Cell[][] grid = {{new Cell(4), new Cell(5)}, {new Cell(6)}};
        System.out.println(Arrays.deepToString(grid));
    }
}
