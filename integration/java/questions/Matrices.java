/** Matrices of fractions: products, powers, determinants, inverses. */
public class Matrices {
    public static void main(String[] args) {
        Fraction[][] a = of(new int[][] {{2, 1}, {4, 3}});
        Fraction[][] b = of(new int[][] {{0, 1}, {3, 5}});
        show("a*b", product(a, b));
        show("a^5", power(a, 5));
        show("inverse", inverse(b));
        System.out.println("det " + determinant(of(new int[][] {{2, 0, 1}, {1, 3, 2}, {1, 1, 1}})).show());
    }

    static class Fraction {
        final long top;
        final long bottom;

        Fraction(long top, long bottom) {
            long common = gcd(Math.abs(top), Math.abs(bottom));
            long sign = bottom < 0 ? -1 : 1;
            this.top = sign * top / common;
            this.bottom = sign * bottom / common;
        }

        Fraction plus(Fraction other) {
            return new Fraction(top * other.bottom + other.top * bottom, bottom * other.bottom);
        }

        Fraction times(Fraction other) {
            return new Fraction(top * other.top, bottom * other.bottom);
            //@ times-bottom: return new Fraction(top * other.top, bottom * other.top == 0 ? 1 : bottom);
        }

        Fraction negative() {
            return new Fraction(-top, bottom);
        }

        Fraction inverse() {
            return new Fraction(bottom, top);
        }

        boolean isZero() {
            return top == 0;
            //@ zero-is-one: return top == 1;
        }

        String show() {
            return bottom == 1 ? "" + top : top + "/" + bottom;
        }
    }

    static long gcd(long a, long b) {
        return b == 0 ? Math.max(a, 1) : gcd(b, a % b);
    }

    static Fraction[][] of(int[][] numbers) {
        Fraction[][] made = new Fraction[numbers.length][numbers[0].length];
        for (int i = 0; i < made.length; i++) {
            for (int j = 0; j < made[i].length; j++) {
                made[i][j] = new Fraction(numbers[i][j], 1);
            }
        }
        return made;
    }

    static Fraction[][] unit(int size) {
        int[][] unit = new int[size][size];
        for (int i = 0; i < size; i++) {
            unit[i][i] = 1;
            //@ unit-first-row: unit[0][i] = 1;
        }
        return of(unit);
    }

    static Fraction[][] product(Fraction[][] a, Fraction[][] b) {
        Fraction[][] made = new Fraction[a.length][b[0].length];
        for (int i = 0; i < a.length; i++) {
            for (int j = 0; j < b[0].length; j++) {
                made[i][j] = cell(a, b, i, j);
                //@ product-transposed: made[j][i] = cell(a, b, i, j);
            }
        }
        return made;
    }

    static Fraction cell(Fraction[][] a, Fraction[][] b, int row, int column) {
        Fraction sum = new Fraction(0, 1);
        for (int k = 0; k < b.length; k++) {
            sum = sum.plus(a[row][k].times(b[k][column]));
            //@ cell-of-rows: sum = sum.plus(a[row][k].times(b[column][k]));
        }
        return sum;
    }

    static Fraction[][] power(Fraction[][] a, int exponent) {
        if (exponent == 0) {
            return unit(a.length);
        }
        Fraction[][] half = power(a, exponent / 2);
        Fraction[][] square = product(half, half);
        return exponent % 2 == 0 ? square : product(square, a);
        //@ power-odd: return exponent % 2 == 0 ? square : product(half, a);
    }

    static Fraction determinant(Fraction[][] a) {
        if (a.length == 1) {
            return a[0][0];
        }
        Fraction sum = new Fraction(0, 1);
        for (int column = 0; column < a.length; column++) {
            Fraction part = a[0][column].times(determinant(minor(a, column)));
            sum = sum.plus(column % 2 == 0 ? part : part.negative());
            //@ determinant-all-plus: sum = sum.plus(part);
        }
        return sum;
    }

    static Fraction[][] minor(Fraction[][] a, int without) {
        Fraction[][] made = new Fraction[a.length - 1][a.length - 1];
        for (int i = 1; i < a.length; i++) {
            for (int j = 0; j < a.length - 1; j++) {
                made[i - 1][j] = a[i][j < without ? j : j + 1];
                //@ minor-column: made[i - 1][j] = a[i][j <= without ? j : j + 1];
            }
        }
        return made;
    }

    static Fraction[][] inverse(Fraction[][] a) {
        Fraction[][] left = copy(a);
        Fraction[][] right = unit(a.length);
        for (int column = 0; column < a.length; column++) {
            int pivot = pivot(left, column);
            swap(left, pivot, column);
            swap(right, pivot, column);
            //@ right-not-swapped:
            Fraction factor = left[column][column].inverse();
            scale(left[column], factor);
            scale(right[column], factor);
            for (int row = 0; row < a.length; row++) {
                if (row != column) {
                    Fraction times = left[row][column].negative();
                    add(left[row], left[column], times);
                    add(right[row], right[column], times);
                }
            }
        }
        return right;
    }

    static Fraction[][] copy(Fraction[][] a) {
        Fraction[][] made = new Fraction[a.length][];
        for (int i = 0; i < a.length; i++) {
            made[i] = a[i].clone();
        }
        return made;
    }

    static int pivot(Fraction[][] a, int column) {
        int row = column;
        while (a[row][column].isZero()) {
            row++;
        }
        return row;
    }

    static void swap(Fraction[][] a, int i, int j) {
        Fraction[] kept = a[i];
        a[i] = a[j];
        a[j] = kept;
    }

    static void scale(Fraction[] row, Fraction factor) {
        for (int j = 0; j < row.length; j++) {
            row[j] = row[j].times(factor);
        }
    }

    static void add(Fraction[] row, Fraction[] other, Fraction times) {
        for (int j = 0; j < row.length; j++) {
            row[j] = row[j].plus(other[j].times(times));
        }
    }

    static void show(String name, Fraction[][] a) {
        System.out.println(name);
        for (Fraction[] row : a) {
            StringBuilder line = new StringBuilder();
            for (Fraction fraction : row) {
                line.append(' ').append(fraction.show());
            }
            System.out.println(line);
        }
    }
}
