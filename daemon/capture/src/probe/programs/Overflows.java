import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.TreeMap;
import java.util.function.IntUnaryOperator;
import java.util.regex.Pattern;

/**
 * Runs out of stack in the way that its argument names, and goes on. It counts what the methods called `down` begin, and prints
 * that, and the class of what leads into the error's stack trace.
 */
public class Overflows {
    static int begun;
    static final Object LOCK = new Object();
    static int held;

    static int plain(int n) {
        return down(n + 1) + 1;
    }

    static int down(int n) {
        begun++;
        return plain(n) + n;
    }

    interface Shape {
        int down(int n);
    }

    static final class Round implements Shape {
        Shape other;

        public int down(int n) {
            begun++;
            return other.down(n + 1) - 1;
        }
    }

    static final class Edged implements Shape {
        Shape other;

        public int down(int n) {
            begun++;
            return 2 * other.down(n + 1);
        }
    }

    static final class Named {
        Named parent = this;

        String down() {
            begun++;
            return "child of " + this;
        }

        @Override
        public String toString() {
            return parent.down();
        }
    }

    static final class Hashed {
        final List<Object> parts = new ArrayList<>();

        int down() {
            begun++;
            return parts.hashCode();
        }

        @Override
        public int hashCode() {
            return down();
        }
    }

    static final class Sorted implements Comparable<Sorted> {
        int down(Sorted other) {
            begun++;
            return other.compareTo(this);
        }

        @Override
        public int compareTo(Sorted other) {
            return down(other);
        }
    }

    static final class Nested {
        final Nested inner;

        Nested(int n) {
            down();
            inner = new Nested(n + 1);
        }

        void down() {
            begun++;
        }
    }

    /** Constructors that are left before there is an object. */
    static final class Chained {
        final Object of;

        Chained(int n, Object of) {
            this.of = of;
        }

        Chained(int n) {
            this(n, down(n));
        }

        static Object down(int n) {
            begun++;
            return new Chained(n + 1);
        }
    }

    /** Code out of the scope that calls itself asks it for characters. */
    static final class Letters implements CharSequence {
        public int length() {
            return 1_000_000;
        }

        public char charAt(int index) {
            begun++;
            return (index & 1) == 0 ? 'a' : 'b';
        }

        public CharSequence subSequence(int start, int end) {
            throw new IllegalStateException();
        }
    }

    static IntUnaryOperator lambda;

    interface Falling {
        int next(int n);

        /** Of a lambda, whose class has none of its own. */
        default int down(int n) {
            begun++;
            return next(n + 1) - 1;
        }
    }

    static Falling falling;

    static int apply(int n) {
        return lambda.applyAsInt(n + 1);
    }

    synchronized int locked(int n) {
        begun++;
        int below = locked(n + 1);
        return below + 1;
    }

    static int block(int n) {
        begun++;
        synchronized (LOCK) {
            held++;
            int below = block(n + 1);
            held--;
            return below;
        }
    }

    static int cleans(int n) {
        begun++;
        try {
            return cleans(n + 1);
        } finally {
            held++;
        }
    }

    static long wide(long a, double b, long c, double d) {
        begun++;
        long e = a + 1, f = c + 2, g = e * f, h = g ^ a;
        double i = b + d, j = b * d, k = i - j, l = i + j;
        long below = wide(h, k, e, l);
        return below + e + f + g + h + (long) (i + j + k + l);
    }

    /** Tries again at each level when that below has failed. */
    static int stubborn(int n) {
        begun++;
        if (n > 100_000) {
            return n;
        }
        try {
            return stubborn(n + 1);
        } catch (StackOverflowError e) {
            held++;
            return n;
        }
    }

    static int once(String way) {
        switch (way) {
            case "plain":
                return plain(0);
            case "interface":
                Round round = new Round();
                Edged edged = new Edged();
                round.other = edged;
                edged.other = round;
                return round.down(1);
            case "toString":
                return new Named().toString().length();
            case "hashCode":
                Hashed hashed = new Hashed();
                hashed.parts.add("first");
                hashed.parts.add(hashed);
                return new HashSet<>(List.of(hashed)).size();
            case "compareTo":
                TreeMap<Sorted, Integer> sorted = new TreeMap<>();
                sorted.put(new Sorted(), 1);
                return sorted.size();
            case "constructor":
                return new Nested(0).hashCode();
            case "chained":
                return new Chained(0).hashCode();
            case "regex":
                return Pattern.compile("(a|b)*c").matcher(new Letters()).matches() ? 1 : 0;
            case "lambda":
                lambda = n -> {
                    begun++;
                    return apply(n) + 1;
                };
                return apply(0);
            case "default":
                falling = n -> falling.down(n) + 1;
                return falling.next(0);
            case "synchronized":
                return new Overflows().locked(0);
            case "block":
                return block(0);
            case "finally":
                return cleans(0);
            case "wide":
                return (int) wide(1, 2, 3, 4);
            case "stubborn":
                return stubborn(0);
            default:
                throw new IllegalArgumentException(way);
        }
    }

    static String attempt(String way) {
        try {
            return "returned " + once(way);
        } catch (StackOverflowError e) {
            StackTraceElement[] trace = e.getStackTrace();
            return "out of stack in " + (trace.length == 0 ? "nothing" : of(trace[0].getClassName()));
        }
    }

    static String of(String name) {
        return name.contains("Jhyde") ? name : "the program";
    }

    public static void main(String[] args) throws InterruptedException {
        // Twice: what was compiled by then takes other frames.
        for (int again = 0; again < 2; again++) {
            Thread small = new Thread(null, () -> System.out.println(attempt(args[0])), "small", 400_000);
            small.start();
            small.join();
            System.out.println(attempt(args[0]));
        }
        System.out.println(begun + " begun, " + held + " held");
    }
}
