package told;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;

/**
 * What a generated program says of itself, one line for each thing that happens. The program that says it is
 * never recorded: the recording is made of the same program without these calls, so that nothing of it is shown to
 * anybody outside, and the log may hold and ask what it likes.
 *
 * A line: thread, kind, what the kind has, by tabs. A value: {@code n} null, {@code v} void, {@code i5} {@code j5}
 * integers, {@code f} {@code d} bits of floating point numbers, {@code z0} {@code z1}, {@code c97}, {@code s}
 * and four hexadecimal digits for each UTF-16 unit of a text, {@code o NUMBER CLASS LENGTH} an object.
 */
public final class T {

    private static final class Frame {
        final ArrayList<String> running = new ArrayList<>();
        Throwable told;
    }

    private static final ThreadLocal<Frame> FRAMES = ThreadLocal.withInitial(Frame::new);
    private static IdentityHashMap<Object, Integer> ids = new IdentityHashMap<>();
    private static final java.util.HashMap<String, String> LAST = new java.util.HashMap<>();
    private static BufferedWriter out;

    private T() {}

    public static synchronized void open(String file) throws IOException {
        ids = new IdentityHashMap<>();
        out = Files.newBufferedWriter(Path.of(file));
    }

    public static synchronized void close() throws IOException {
        out.close();
    }

    /** A call began. Its depth, which its end is told with. {@code self} is the class for static methods. */
    public static int in(String type, String method, Object self, Object... arguments) {
        StringBuilder line = new StringBuilder("enter\t").append(type).append('\t').append(method).append('\t')
                .append(self == T.class ? "v" : text(self));
        for (Object argument : arguments) {
            line.append('\t').append(text(argument));
        }
        line(line.toString());
        List<String> running = FRAMES.get().running;
        running.add(type + "." + method);
        return running.size();
    }

    /** The name of a class whose name javac makes. */
    public static String name(Class<?> type) {
        return type.getName();
    }

    /** For the first argument of super(…) or this(…): the constructor has begun by then. */
    public static <V> V before(V argument, String type, Object... arguments) {
        in(type, "<init>", T.class, arguments);
        return argument;
    }

    /** How deep the running call is. */
    public static int depth() {
        return FRAMES.get().running.size();
    }

    /** The call of that depth returns this. */
    public static void r(int depth, Object result) {
        line("return\t" + text(result));
        pop(depth - 1);
    }

    /** The call of that depth returns nothing. */
    public static void r(int depth) {
        line("return\tv");
        pop(depth - 1);
    }

    /** The call of that depth ends by this; those in it that could not say so have ended by it, too. */
    public static void x(int depth, Throwable thrown) {
        seen(depth, thrown);
        line("leave\t" + text(thrown));
        pop(depth - 1);
    }

    /** On its way out, here: nobody may have told that it was thrown. Calls deeper than this one have ended by it. */
    public static void seen(int depth, Throwable thrown) {
        Frame frame = FRAMES.get();
        if (frame.told != thrown) {
            th(thrown);
        }
        while (frame.running.size() > depth) {
            line("leave\t" + text(thrown));
            frame.running.remove(frame.running.size() - 1);
        }
    }

    private static void pop(int depth) {
        List<String> running = FRAMES.get().running;
        while (running.size() > depth) {
            running.remove(running.size() - 1);
        }
    }

    /** Is thrown at once, by a statement of the program. */
    public static <E extends Throwable> E th(E thrown) {
        FRAMES.get().told = thrown;
        line("throw\t" + text(thrown));
        return thrown;
    }

    /** Was caught, in the call of that depth. */
    public static void ct(int depth, Throwable caught) {
        seen(depth, caught);
        FRAMES.get().told = null;
        line("catch\t" + text(caught));
    }

    /** A local variable was written. */
    public static void w(String name, Object v) {
        line("local\t" + name + "\t" + text(v));
    }

    /** A field was written. */
    public static void f(Object o, String name, Object v) {
        kind(text(o) + name, v);
        line("field\t" + text(o) + "\t" + name + "\t" + text(v));
    }

    /** A static field was written: its class and name. */
    public static void s(String name, Object v) {
        kind(name, v);
        line("static\t" + name + "\t" + text(v));
    }

    /** An element was written. */
    public static void a(Object array, int index, Object v) {
        line("element\t" + text(array) + "\t" + index + "\t" + text(v));
    }

    /** Every element was written, from the first on, as an initialiser does. */
    public static <V> V all(V array) {
        line("new\t" + text(array));
        for (int i = 0; i < java.lang.reflect.Array.getLength(array); i++) {
            a(array, i, java.lang.reflect.Array.get(array, i));
        }
        return array;
    }

    /** A copy of what an array holds, for {@link #changed}. */
    public static Object[] held(Object array) {
        if (array == null) {
            return new Object[0];
        }
        Object[] held = new Object[java.lang.reflect.Array.getLength(array)];
        for (int i = 0; i < held.length; i++) {
            held[i] = java.lang.reflect.Array.get(array, i);
        }
        return held;
    }

    /** Code outside of the program wrote elements: those that are others now, in any order. */
    public static void changed(Object array, Object[] held) {
        changed("changed", array, held);
    }

    /** The same, behind several calls: which of them it was, a recording cannot know. */
    public static void changedByOne(Object array, Object[] held) {
        changed("may", array, held);
    }

    private static void changed(String how, Object array, Object[] held) {
        for (int i = 0; i < held.length; i++) {
            Object now = java.lang.reflect.Array.get(array, i);
            boolean same = now instanceof Number || now instanceof Character || now instanceof Boolean
                    ? now.equals(held[i]) : now == held[i];
            if (!same) {
                line(how + "\telement\t" + text(array) + "\t" + i + "\t" + text(now));
            }
        }
    }

    /** A write of what was there already leaves nothing behind that a recording could find. */
    private static synchronized String kind(String variable, Object v) {
        String now = text(v);
        String before = LAST.put(variable, now);
        return now.equals(before) || before == null && (now.equals("i0") || now.equals("j0")) ? "may" : "changed";
    }

    /** Code outside of the program wrote a field. */
    public static void changedField(Object o, String name, Object v) {
        line(kind(text(o) + name, v) + "\tfield\t" + text(o) + "\t" + name + "\t" + text(v));
    }

    /** Code outside of the program wrote a static field. */
    public static void changedStatic(String name, Object v) {
        line(kind(name, v) + "\tstatic\t" + name + "\t" + text(v));
    }

    /** Code outside of the program made an object with this in a field: a recording may tell it as a write. */
    public static void mayField(Object o, String name, Object v) {
        line("may\tfield\t" + text(o) + "\t" + name + "\t" + text(v));
    }

    /** Code outside of the program made an array with these elements: a recording may tell them as writes. */
    public static void may(Object array) {
        for (int i = 0; i < java.lang.reflect.Array.getLength(array); i++) {
            line("may\telement\t" + text(array) + "\t" + i + "\t" + text(java.lang.reflect.Array.get(array, i)));
        }
    }

    /** Was made by the program. */
    public static <V> V n(V o) {
        line("new\t" + text(o));
        return o;
    }

    /** A call out of the program returned this. */
    public static void out(String method, Object result) {
        line("out\t" + method + "\t" + text(result));
    }

    /** A condition came out so. */
    public static boolean b(int place, boolean outcome) {
        line("edge\t" + place + "\t" + (outcome ? 1 : 0));
        return outcome;
    }

    /** A switch went where the label is; {@code groups}: label, number of its statements, label, …; else 0. */
    public static int sw(int place, int selector, int... groups) {
        int group = 0;
        for (int i = 0; i < groups.length; i += 2) {
            group = groups[i] == selector ? groups[i + 1] : group;
        }
        line("edge\t" + place + "\t" + group);
        return selector;
    }

    /** A switch over constants of an enum went where this one's statements are. */
    public static <E extends Enum<E>> E sw(int place, E selector, int... groups) {
        sw(place, selector.ordinal(), groups);
        return selector;
    }

    public static int l(String name, int v) { w(name, v); return v; }
    public static long l(String name, long v) { w(name, v); return v; }
    public static float l(String name, float v) { w(name, v); return v; }
    public static double l(String name, double v) { w(name, v); return v; }
    public static char l(String name, char v) { w(name, v); return v; }
    public static byte l(String name, byte v) { w(name, v); return v; }
    public static short l(String name, short v) { w(name, v); return v; }
    public static boolean l(String name, boolean v) { w(name, v); return v; }
    public static <V> V l(String name, V v) { w(name, v); return v; }

    /** The value of {@code x++}, where x is {@code now}. */
    public static int post(String name, int before, int now) { w(name, now); return before; }
    public static long post(String name, long before, long now) { w(name, now); return before; }
    public static float post(String name, float before, float now) { w(name, now); return before; }
    public static double post(String name, double before, double now) { w(name, now); return before; }
    public static char post(String name, char before, char now) { w(name, now); return before; }
    public static byte post(String name, byte before, byte now) { w(name, now); return before; }
    public static short post(String name, short before, short now) { w(name, now); return before; }

    public static int o(String method, int v) { out(method, v); return v; }
    public static long o(String method, long v) { out(method, v); return v; }
    public static float o(String method, float v) { out(method, v); return v; }
    public static double o(String method, double v) { out(method, v); return v; }
    public static char o(String method, char v) { out(method, v); return v; }
    public static byte o(String method, byte v) { out(method, v); return v; }
    public static short o(String method, short v) { out(method, v); return v; }
    public static boolean o(String method, boolean v) { out(method, v); return v; }
    public static <V> V o(String method, V v) { out(method, v); return v; }

    private static synchronized void line(String text) {
        try {
            if (out != null) {
                out.write(Thread.currentThread().getName() + "\t" + text + "\n");
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the log cannot be written", e);
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
            StringBuilder units = new StringBuilder("s");
            for (int i = 0; i < s.length(); i++) {
                units.append(String.format("%04x", (int) s.charAt(i)));
            }
            return units.toString();
        }
        Integer id = ids.get(v);
        if (id == null) {
            id = ids.size() + 1;
            ids.put(v, id);
        }
        int length = v.getClass().isArray() ? java.lang.reflect.Array.getLength(v) : -1;
        return "o " + id + " " + v.getClass().getTypeName() + " " + length;
    }
}
