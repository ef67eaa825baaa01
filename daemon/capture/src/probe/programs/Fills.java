import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Arrays that code out of the scope has while the scope puts objects into them: nobody shows it those objects. */
final class Fills {
    static final class Cell implements Comparable<Cell> {
        private final int number;

        Cell(int number) {
            this.number = number;
        }

        @Override
        public int compareTo(Cell other) {
            return Integer.compare(number, other.number);
        }

        @Override
        public String toString() {
            return "c" + number;
        }
    }

    private static String late() {
        Cell[] row = new Cell[3];
        List<Cell[]> rows = new ArrayList<>();
        rows.add(row);
        for (int i = 0; i < row.length; i++) {
            row[i] = new Cell(3 - i);
        }
        StringBuilder text = new StringBuilder();
        rows.forEach(all -> text.append(Arrays.toString(all)));
        return text.toString();
    }

    private static String many() {
        Cell[] all = new Cell[900];
        for (int i = 0; i < all.length; i++) {
            all[i] = new Cell(i * 37 % 101);
        }
        Arrays.sort(all, 0, 20);
        return all[0] + " " + all[19];
    }

    /** Arrays of more elements than are told without asking what that takes. */
    private static String lengthy() {
        Cell one = new Cell(1), other = new Cell(2);
        Cell[] all = new Cell[9_000];
        Arrays.fill(all, one);
        all[7] = other;
        Arrays.fill(all, 8_000, 9_000, other);
        Cell[] copy = Arrays.asList(all).toArray(new Cell[0]);
        return all[7_999].toString() + all[8_000] + copy[7] + copy[8] + (copy[8_999] == other);
    }

    public static void main(String[] args) {
        System.out.println(late());
        System.out.println(many());
        System.out.println(lengthy());
    }
}
