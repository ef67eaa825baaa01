package fl;

import java.util.concurrent.Callable;
import truth.T;

/** Exceptions. */
final class Exceptions {

    static void thrower(String m) {
        T.in("thrower", m);
        IllegalStateException e = new IllegalStateException(m); T.l("e", e);
        T.th(e); T.x(e);
        throw e;
    }

    static void caught() {
        T.in("caught");
        int a = 1; T.l("a", a);
        try {
            thrower("one");
            a = 2; T.l("a", a);
        } catch (IllegalStateException e) {
            T.ct(e); T.l("e", e);
            a = 3; T.l("a", a);
        }
        T.r();
    }

    static void far() {
        T.in("far");
        try {
            middle();
        } catch (RuntimeException e) {
            T.ct(e); T.l("e", e);
        }
        T.r();
    }

    private static void middle() {
        T.in("middle");
        int before = 1; T.l("before", before);
        try {
            thrower("far");
        } finally {
            before = 2; T.l("before", before);
            T.leave();
        }
    }

    static void finallyReturns() {
        T.in("finallyReturns");
        int v = finallyReturn(); T.r(v); // its exit is told here, right behind it
        T.l("v", v);
        T.r();
    }

    @SuppressWarnings("finally")
    private static int finallyReturn() {
        T.in("finallyReturn");
        int a = 0; T.l("a", a);
        try {
            a = 1; T.l("a", a);
            throw new IllegalArgumentException("lost");
        } finally {
            a = 2; T.l("a", a);
            return a;
        }
    }

    static void nested() {
        T.in("nested");
        int n = 0; T.l("n", n);
        try {
            try {
                thrower("inner");
            } finally {
                n++; T.l("n", n);
            }
        } catch (IllegalStateException e) {
            T.l("e", e);
            n += 10; T.l("n", n);
        } finally {
            n += 100; T.l("n", n);
        }
        T.r();
    }

    static final class Res implements AutoCloseable {
        final String name;

        Res(String name) {
            T.in("<init>", name);
            this.name = name; T.f(this, "name", name);
            T.r();
        }

        @Override
        public void close() {
            T.in("close");
            int closed = name.length(); T.l("closed", closed);
            T.r();
        }
    }

    static void resources() {
        T.in("resources");
        try (Res a = new Res("a"); Res b = new Res(T.pass("b", "a", a))) {
            int n = 1; T.l("b", b); T.l("n", n);
        }
        T.r();
    }

    static void multi() {
        T.in("multi");
        for (int i = 0; i < 2; i++) {
            T.l("i", i);
            try {
                if (i == 0) {
                    Object[] none = {}; T.l("none", none);
                    Object o = none[i];
                } else {
                    Object o = "text"; T.l("o", o);
                    Integer bad = (Integer) o;
                }
            } catch (ArrayIndexOutOfBoundsException | ClassCastException e) {
                T.l("e", e);
            }
        }
        T.l("i", 2);
        T.r();
    }

    private static int length(String s) {
        T.in("length", s);
        return T.r(s == null ? 0 : s.length());
    }

    /** The JVM throws while something of ours lies on the stack, which lives on. */
    static void implicit() {
        T.in("implicit");
        String text = "x"; T.l("text", text);
        String none = null; T.l("none", none);
        String[] row = new String[1]; T.l("row", row);
        int[] numbers = null; T.l("numbers", numbers);
        try {
            none.equals(text);
        } catch (NullPointerException e) {
            T.l("e", e);
        }
        try {
            row[3] = "x";
        } catch (ArrayIndexOutOfBoundsException e) {
            T.l("e", e);
        }
        try {
            Object o = text; T.l("o", o);
            Integer wrong = (Integer) o;
        } catch (ClassCastException e) {
            T.l("e", e);
        }
        try {
            numbers[0] = (numbers = new int[] {1, 2}).length;
        } catch (NullPointerException e) {
            T.a(numbers, 0, 1); T.a(numbers, 1, 2); T.l("numbers", numbers);
            T.l("e", e);
        }
        String same = text; T.l("same", same);
        row[0] = "x"; T.a(row, 0, "x");
        int length = length(same); T.l("length", length);
        T.r();
    }

    static void callback() throws Exception {
        T.in("callback");
        Callable<Integer> c = () -> {
            T.in("lambda$");
            int inside = 4; T.l("inside", inside);
            return T.r(inside);
        };
        T.l("c", c);
        int got = java.util.concurrent.Executors.callable(() -> { T.in("lambda$"); T.r(); }, 5).call(); T.l("got", got);
        int v = c.call(); T.l("v", v);
        T.r();
    }
}
