package odd;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import outside.Filler;

/** Runs that cannot be worked out from what was seen before: each prints what it came to. */
public final class Foreseen {

    private static final PrintStream out = System.out;

    private Foreseen() {}

    public static void main(String[] args) {
        for (int round = 0; round < 3; round++) {
            show(lengths());
            show(deleted(new StringBuilder("abc")));
            show(replaced(round));
            show(filled(round));
            show((int) (1000 * sines()));
            show(kinds(round == 0 ? null : out));
            show(cast(round == 0 ? null : out));
        }
    }

    private static void show(int n) {
        out.println(n);
    }

    /** Throws in the last turn, at an instruction that has succeeded in others. */
    private static int lengths() {
        int sum = 0;
        for (int i = 0; i < 4; i++) {
            try {
                sum += new int[2 - i].length;
                sum += 10;
            } catch (NegativeArraySizeException e) {
                sum += 1000;
            }
        }
        return sum;
    }

    /** A call that yields its receiver, until it throws. */
    private static int deleted(StringBuilder text) {
        int n = 0;
        try {
            for (int i = 0; i < 10; i++) {
                text.deleteCharAt(0);
                n++;
            }
        } catch (StringIndexOutOfBoundsException e) {
            n += 100;
        }
        return n;
    }

    /** A final static that is written. */
    private static int replaced(int round) {
        PrintStream mine = new PrintStream(new ByteArrayOutputStream());
        int found = 0;
        for (int i = 0; i < 2; i++) {
            PrintStream current = System.out;
            if (current == mine) {
                found += 1;
            }
            System.setOut(i == 0 ? mine : out);
        }
        return found + 10 * round;
    }

    /** An array that code outside writes through a list. */
    private static int filled(int round) {
        int[] array = new int[2];
        List<int[]> all = new ArrayList<>();
        all.add(array);
        int sum = 0;
        for (int value = 0; value < 4; value++) {
            Filler.fill(all, value + round);
            for (int k = 0; k < array[0]; k++) {
                sum += 10;
            }
        }
        return sum;
    }

    /** Results that the JVM's interpreter tells nobody. */
    private static double sines() {
        double sum = 0;
        for (int i = 0; i < 3; i++) {
            double sine = Math.sin(i + 1);
            double root = Math.sqrt(i);
            sum += sine + root;
        }
        return sum;
    }

    /** A class that is not there, which nobody asks for as long as there is nothing to compare. */
    private static int kinds(Object object) {
        int sum = 0;
        for (int i = 0; i < 2; i++) {
            try {
                sum += object instanceof Gone ? 1 : 2;
            } catch (NoClassDefFoundError e) {
                sum += 30;
            }
        }
        return sum;
    }

    private static int cast(Object object) {
        try {
            Gone gone = (Gone) object;
            return gone == null ? 1 : 2;
        } catch (NoClassDefFoundError e) {
            return 3;
        }
    }

    /** Compiled, and taken away. */
    static final class Gone {}
}
