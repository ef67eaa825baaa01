package truth;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.IdentityHashMap;

/**
 * What the oracle fixtures say of themselves: every call logs one thing that the fixture just did, or is
 * about to do. This class stands outside the recorded scope and shares nothing with jhyde.
 *
 * <p>A line of the log: thread, kind and further words, separated by tabs. Values: {@code n} null,
 * {@code i5 j5 z1 c120} (numbers of each kind, boxes too), {@code f d} with the bits in hexadecimal,
 * {@code s} with the text, {@code o NUMBER CLASS LENGTH} for objects, numbered by their first mention.
 */
public final class T {

    private static final IdentityHashMap<Object, Integer> IDS = new IdentityHashMap<>();
    private static BufferedWriter out;
    private static Throwable last;

    private T() {}

    public static void open(String file) throws IOException {
        out = Files.newBufferedWriter(Path.of(file));
    }

    public static void close() throws IOException {
        out.close();
    }

    /** From here on this thread is inside this fixture. {@code checks}: e edges, t throws, n new, m monitors; i ignores it. */
    public static void begin(String fixture, String checks) {
        line("fixture\t" + fixture + "\t" + checks);
    }

    /** A local variable was written. */
    public static void l(String name, Object v) {
        line("local\t" + name + "\t" + text(v));
    }

    /** A field of an object was written. */
    public static void f(Object o, String name, Object v) {
        line("field\t" + text(o) + "\t" + name + "\t" + text(v));
    }

    /** A static field was written: its class's binary name, a point, its name. */
    public static void s(String name, Object v) {
        line("static\t" + name + "\t" + text(v));
    }

    /** An element was written. */
    public static void a(Object array, int index, Object v) {
        line("element\t" + text(array) + "\t" + index + "\t" + text(v));
    }

    /** A call began: method's name and arguments. */
    public static void in(String method) {
        line("enter\t" + method);
    }

    public static void in(String method, Object a) {
        line("enter\t" + method + "\t" + text(a));
    }

    public static void in(String method, Object a, Object b) {
        line("enter\t" + method + "\t" + text(a) + "\t" + text(b));
    }

    public static void in(String method, Object a, Object b, Object c) {
        line("enter\t" + method + "\t" + text(a) + "\t" + text(b) + "\t" + text(c));
    }

    public static void in(String method, Object a, Object b, Object c, Object d) {
        line("enter\t" + method + "\t" + text(a) + "\t" + text(b) + "\t" + text(c) + "\t" + text(d));
    }

    /** For the argument of this(…) or super(…): the constructor has begun by then. */
    public static <V> V ctor(V argument) {
        line("enter\t<init>");
        return argument;
    }

    /** For the value that a static initialiser writes first: it has begun by then. */
    public static <V> V ctorOf(String method, V value) {
        line("enter\t" + method);
        return value;
    }

    /** A static field was written, on the way to something else. */
    public static <V> V passStatic(V something, String name, Object v) {
        s(name, v);
        return something;
    }

    /** The innermost call returns this, at once. */
    public static <V> V r(V v) {
        line("return\t" + text(v));
        return v;
    }

    /** The innermost call, a void one, returns at once. */
    public static void r() {
        line("return\tvoid");
    }

    /** The innermost call ends by this exception. */
    public static void x(Throwable e) {
        line("leave\t" + text(e));
    }

    /** The innermost call ends by the exception that was thrown last. */
    public static void leave() {
        x(last);
    }

    /** A local variable was written, on the way to something else. */
    public static <V> V pass(V something, String name, Object v) {
        l(name, v);
        return something;
    }

    /** Is thrown at once. */
    public static <E extends Throwable> E th(E e) {
        last = e;
        line("throw\t" + text(e));
        return e;
    }

    /** Was caught. */
    public static void ct(Throwable e) {
        line("catch\t" + text(e));
    }

    /** A condition came out like this; 2: the loop goes back to its beginning. */
    public static void b(String name, int outcome) {
        line("edge\t" + name + "\t" + outcome);
    }

    /** {@code v > 0} was evaluated. */
    public static void positive(String name, int v) {
        b(name, v > 0 ? 1 : 0);
    }

    /** {@code p && q} was evaluated. */
    public static void and(String name, boolean p, boolean q) {
        b(name + ".p", p ? 1 : 0);
        if (p) {
            b(name + ".q", q ? 1 : 0);
        }
    }

    /** {@code p || q} was evaluated. */
    public static void or(String name, boolean p, boolean q) {
        b(name + ".p", p ? 1 : 0);
        if (!p) {
            b(name + ".q", q ? 1 : 0);
        }
    }

    /** Was made by the fixture. */
    public static <V> V n(V o) {
        line("new\t" + text(o));
        return o;
    }

    /** Something happened at the monitor of an object: enter, exit, wait, notified. */
    public static void m(String action, Object o) {
        line("monitor\t" + action + "\t" + text(o));
    }

    private static synchronized void line(String text) {
        try {
            out.write(Thread.currentThread().getName() + "\t" + text + "\n");
        } catch (IOException e) {
            throw new IllegalStateException("the log cannot be written: " + e.getMessage(), e);
        }
    }

    private static synchronized String text(Object v) {
        if (v == null) {
            return "n";
        }
        if (v instanceof Integer || v instanceof Short || v instanceof Byte) {
            return "i" + v;
        }
        if (v instanceof Long) {
            return "j" + v;
        }
        if (v instanceof Float f) {
            return "f" + Integer.toHexString(Float.floatToIntBits(f));
        }
        if (v instanceof Double d) {
            return "d" + Long.toHexString(Double.doubleToLongBits(d));
        }
        if (v instanceof Boolean z) {
            return z ? "z1" : "z0";
        }
        if (v instanceof Character c) {
            return "c" + (int) c;
        }
        if (v instanceof String s) {
            return "s" + s;
        }
        Integer id = IDS.get(v);
        if (id == null) {
            id = IDS.size() + 1;
            IDS.put(v, id);
        }
        String type = v.getClass().getTypeName();
        int length = v.getClass().isArray() ? java.lang.reflect.Array.getLength(v) : -1;
        return "o " + id + " " + type + " " + length;
    }
}
