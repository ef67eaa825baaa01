import java.io.IOException;
import java.util.Arrays;

/** Exceptions: of the program, of the JVM, of code out of the scope; caught, passed on, replaced, and finally. */
public class Throws {
    static class Broken extends Exception {
        final int code;

        Broken(int code) {
            super("code " + code);
            this.code = code;
        }
    }

    static int risky(int of) throws Broken {
        if (of > 2) {
            throw new Broken(of);
        }
        return of;
    }

    static int passes(int of) throws Broken {
        try {
            return risky(of) * 2;
        } finally {
            finals++;
        }
    }

    static int finals;

    static int caught(int of) {
        try {
            return passes(of);
        } catch (Broken broken) {
            return -broken.code;
        }
    }

    static int ofTheJvm(int[] array, int index, int divisor) {
        try {
            return array[index] / divisor;
        } catch (ArithmeticException | ArrayIndexOutOfBoundsException e) {
            return -1;
        } catch (NullPointerException e) {
            return -2;
        }
    }

    static int parsed(String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            return e.getMessage().length();
        }
    }

    static Object cast(Object of) {
        try {
            return (Integer) of;
        } catch (ClassCastException e) {
            return "no";
        }
    }

    static String replaced() throws IOException {
        try {
            throw new IllegalStateException("first");
        } catch (IllegalStateException e) {
            throw new IOException("second", e);
        }
    }

    static class Fails {
        static int value = Integer.parseInt("x");
    }

    static char at(String text, int index) {
        try {
            return text.charAt(index);
        } catch (IndexOutOfBoundsException e) {
            return '?';
        }
    }

    /** What calls have written into arrays when they throw. */
    static String half(Object[] from, Integer[] numbers) {
        String[] to = new String[3];
        try {
            System.arraycopy(from, 0, to, 0, 3);
        } catch (ArrayStoreException e) {
            to[2] = "caught";
        }
        try {
            Arrays.setAll(numbers, i -> {
                if (i == 2) {
                    sorted(new Integer[] {3, 1});
                    throw new IllegalStateException(to[0]);
                }
                return 10 + i;
            });
        } catch (IllegalStateException e) {
            numbers[3] = sorted(new Integer[] {9, 7, 8});
        }
        int sum = 0;
        for (int number : numbers) {
            sum = sum * 100 + number;
        }
        return to[0] + to[1] + to[2] + sum;
    }

    /** Leaves what it sorts in the middle. */
    static int sorted(Integer[] all) {
        try {
            Arrays.sort(all, (one, other) -> Integer.parseInt("no"));
        } catch (NumberFormatException e) {
            return all[0];
        }
        return 0;
    }

    public static void main(String[] args) {
        System.out.println(half(new Object[] {"a", "b", 1}, new Integer[] {1, 2, 3, 4}));
        System.out.println(caught(1) + caught(5) + finals);
        System.out.println(ofTheJvm(new int[] {6}, 0, 3) + ofTheJvm(new int[1], 1, 1) + ofTheJvm(new int[1], 0, 0)
            + ofTheJvm(null, 0, 1));
        System.out.println(parsed("12") + parsed("no"));
        System.out.println(cast("text"));
        System.out.println(cast(7));
        try {
            replaced();
        } catch (IOException e) {
            System.out.println(e.getMessage() + e.getCause().getMessage());
        }
        try {
            System.out.println(Fails.value);
        } catch (ExceptionInInitializerError e) {
            System.out.println("failed");
        }
        System.out.println(at("abc", 1) + "" + at("abc", 3));
        Runnable runnable = () -> {
            throw new IllegalArgumentException("inside");
        };
        try {
            runnable.run();
        } catch (IllegalArgumentException e) {
            System.out.println(e.getMessage());
        }
    }
}
