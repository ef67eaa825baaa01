import java.lang.reflect.InvocationTargetException;
import java.util.BitSet;
import java.util.concurrent.FutureTask;

/** One exception that is thrown twice, classes of one name, values that are written in odd ways, and an end in the middle of calls. */
public final class Again {
    enum Side { LEFT, RIGHT }

    enum Other { LEFT }

    static final RuntimeException MADE = new RuntimeException("made before");
    static Object held;
    static int line;

    static void inTask() {
        new FutureTask<Integer>(() -> {
            throw MADE;
        }).run();
    }

    static void again() {
        throw MADE;
    }

    public static void target() {
        throw new IllegalStateException("by reflection");
    }

    static void reflects() throws Throwable {
        try {
            Again.class.getMethod("target").invoke(null);
        } catch (InvocationTargetException thrown) {
            throw thrown.getCause();
        }
    }

    /** What Prolog has no atoms for, and more elements than are told there. */
    static void odd() {
        held = "x\ud800y";
        held = new int[1200];
        try {
            throw new IllegalArgumentException("\udc00");
        } catch (IllegalArgumentException caught) {
            held = caught;
        }
    }

    static int next(int number) {
        line = number;
        return number + 1;
    }

    static void counts() {
        util.Count one = new util.Count();
        one.up();
        com.util.Count other = new com.util.Count();
        other.up();
    }

    public static void main(String[] arguments) throws Throwable {
        inTask();
        try {
            again();
        } catch (RuntimeException caught) {
            held = "a\bc";
        }
        try {
            reflects();
        } catch (IllegalStateException caught) {
            held = Side.LEFT;
        }
        int r = next(5);
        held = String.class;
        held = 5L;
        BitSet bits = new BitSet();
        bits.set(3);
        held = bits;
        counts();
        odd();
        Runtime.getRuntime().exit(0);
    }
}
