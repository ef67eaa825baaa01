import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;

/** Errors that only the JVM throws by itself, thrown by the program: once, again and again, through locks, `finally` and code out of the scope. */
public class Errors {
    static final StackOverflowError KEPT = new StackOverflowError("kept");
    static final Object LOCK = new Object();
    static int passed;

    static final class Own extends VirtualMachineError {
        final int code;

        Own(int code) {
            super("own " + code);
            this.code = code;
        }

        @Override
        public StackTraceElement[] getStackTrace() {
            passed += 1000;
            return super.getStackTrace();
        }
    }

    static int thrown(int kind) {
        switch (kind) {
            case 0:
                throw new StackOverflowError();
            case 1:
                throw new OutOfMemoryError("none left");
            case 2:
                throw new InternalError(new IllegalStateException("why"));
            case 3:
                throw new Own(3);
            case 4:
                throw KEPT;
            case 5:
                return Integer.parseInt("5");
            default:
                return kind;
        }
    }

    static int through(int kind) {
        try {
            synchronized (LOCK) {
                return thrown(kind) + 1;
            }
        } finally {
            passed++;
        }
    }

    static synchronized int again(int kind) {
        try {
            return through(kind);
        } catch (StackOverflowError e) {
            passed += 10;
            throw e;
        } catch (VirtualMachineError e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    /** It leaves a constructor before there is an object. */
    static final class Made {
        final int of;

        Made(int of) {
            this.of = of;
        }

        Made(String kind) {
            this(through(Integer.parseInt(kind)));
        }
    }

    static <T> T within(Supplier<T> some) {
        List<Supplier<T>> all = Arrays.asList(some, some);
        all.forEach(Supplier::get);
        return some.get();
    }

    static String attempt(Supplier<Integer> some) {
        try {
            return "" + some.get();
        } catch (VirtualMachineError e) {
            passed += 100;
            return e.getClass().getSimpleName();
        } catch (IllegalArgumentException e) {
            return e.getCause().getClass().getSimpleName() + " caused it";
        }
    }

    public static void main(String[] args) {
        for (int again = 0; again < 2; again++) {
            for (int kind = 0; kind < 7; kind++) {
                int of = kind;
                String all = attempt(() -> thrown(of)) + ", " + attempt(() -> again(of));
                System.out.println(all + ", " + attempt(() -> within(() -> through(of))));
                System.out.println(attempt(() -> new Made("" + of).of));
            }
        }
        System.out.println(passed);
    }
}
