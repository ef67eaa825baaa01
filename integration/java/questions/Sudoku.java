/** Solves sudokus of six digits by trying the narrowest place first, and counts what it did. */
public class Sudoku {
    static final int SIZE = 6;
    final int[][] grid = new int[SIZE][SIZE];
    int tries;
    int dead;

    public static void main(String[] args) {
        String[] puzzles = {"1....4 ...... .4.6.. ..3.1. ...... 6....2", "..6.3. ..5... 3..... .....4 ...2.. .1.6.."};
        for (String puzzle : puzzles) {
            Sudoku sudoku = new Sudoku();
            sudoku.read(puzzle);
            boolean solved = sudoku.solve();
            System.out.println(solved + " after " + sudoku.tries + " tries, " + sudoku.dead + " dead ends");
            sudoku.show();
        }
    }

    void read(String puzzle) {
        String[] rows = puzzle.split(" ");
        for (int row = 0; row < SIZE; row++) {
            for (int column = 0; column < SIZE; column++) {
                grid[row][column] = digit(rows[row].charAt(column));
            }
        }
    }

    static int digit(char c) {
        return c == '.' ? 0 : c - '0';
        //@ digit-of-three: return c == '.' ? 0 : c == '3' ? 5 : c - '0';
    }

    boolean solve() {
        int place = narrowest();
        if (place < 0) {
            return true;
        }
        int row = place / SIZE;
        int column = place % SIZE;
        for (int digit = 1; digit <= SIZE; digit++) {
            //@ solve-without-six: for (int digit = 1; digit < SIZE; digit++) {
            if (allows(row, column, digit)) {
                tries++;
                grid[row][column] = digit;
                if (solve()) {
                    return true;
                }
                grid[row][column] = 0;
            }
        }
        dead++;
        return false;
    }

    int narrowest() {
        int best = -1;
        int least = SIZE + 1;
        for (int place = 0; place < SIZE * SIZE; place++) {
            if (grid[place / SIZE][place % SIZE] == 0) {
                int choices = choices(place / SIZE, place % SIZE);
                if (choices < least) {
                    //@ narrowest-last: if (choices <= least) {
                    least = choices;
                    best = place;
                }
            }
        }
        return best;
    }

    int choices(int row, int column) {
        int choices = 0;
        for (int digit = 1; digit <= SIZE; digit++) {
            choices += allows(row, column, digit) ? 1 : 0;
        }
        return choices;
    }

    boolean allows(int row, int column, int digit) {
        return !inRow(row, digit) && !inColumn(column, digit) && !inBox(row, column, digit);
    }

    boolean inRow(int row, int digit) {
        for (int column = 0; column < SIZE; column++) {
            //@ row-begins-late: for (int column = 1; column < SIZE; column++) {
            if (grid[row][column] == digit) {
                return true;
            }
        }
        return false;
    }

    boolean inColumn(int column, int digit) {
        for (int row = 0; row < SIZE; row++) {
            if (grid[row][column] == digit) {
                return true;
            }
        }
        return false;
    }

    boolean inBox(int row, int column, int digit) {
        int top = row / 2 * 2;
        int left = column / 3 * 3;
        //@ box-of-two: int left = Math.min(column / 2 * 2, 3);
        return isAt(top, left, digit) || isAt(top + 1, left, digit);
        //@ box-top-only: return isAt(top, left, digit);
    }

    boolean isAt(int row, int left, int digit) {
        return grid[row][left] == digit || grid[row][left + 1] == digit || grid[row][left + 2] == digit;
    }

    void show() {
        for (int[] row : grid) {
            StringBuilder line = new StringBuilder();
            for (int digit : row) {
                line.append(digit);
            }
            System.out.println(line);
        }
    }
}
