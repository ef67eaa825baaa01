package fl;

import java.util.function.Supplier;
import truth.T;

/** Classes of all kinds, and the order in which they come to life. */
final class Classes {

    private int outer;

    final class Inner {
        int mine;

        void set(int v) {
            T.in("set", v);
            mine = v; T.f(this, "mine", v);
            outer = v + 1; T.f(Classes.this, "outer", outer);
            T.r();
        }
    }

    static void inner() {
        T.in("inner");
        Classes c = new Classes(); T.in("<init>"); T.r(); T.l("c", c);
        Inner i = c.new Inner(); T.in("<init>"); T.r(); T.l("i", i);
        i.set(4);
        T.r();
    }

    static void anonymous() {
        T.in("anonymous");
        int captured = 5; T.l("captured", captured);
        Supplier<Integer> s = new Supplier<>() {
            int calls;

            @Override
            public Integer get() {
                T.in("get"); // the bridge
                T.in("get");
                calls += captured; T.f(this, "calls", calls);
                T.r(calls);
                return T.r(calls);
            }
        };
        T.in("<init>"); T.r(); T.l("s", s);
        Object o = s.get(); T.l("o", o);
        T.r();
    }

    static void local() {
        T.in("local");
        int base = 7; T.l("base", base);
        class Adder {
            int add(int x) {
                T.in("add", x);
                int sum = base + x; T.l("sum", sum);
                return T.r(sum);
            }
        }
        Adder a = new Adder(); T.in("<init>"); T.r(); T.l("a", a);
        int v = a.add(3); T.l("v", v);
        T.r();
    }

    enum Level {
        LOW(T.ctorOf("<clinit>", 1)), HIGH(T.passStatic(2, "fl.Classes$Level.LOW", Level.LOW));

        final int weight;

        static {
            T.s("fl.Classes$Level.HIGH", HIGH);
            T.r();
        }

        Level(int weight) {
            T.in("<init>");
            this.weight = weight; T.f(this, "weight", weight);
            T.r();
        }
    }

    static void enums() {
        T.in("enums");
        Level l = Level.HIGH; T.l("l", l);
        int w = l.weight; T.l("w", w);
        T.r();
    }

    record Point(int x, int y) {
        Point {
            T.in("<init>", x, y);
            if (x < 0) {
                x = 0; T.l("x", x);
            }
        }

        int sum() {
            T.in("sum");
            return T.r(x + y);
        }
    }

    static void records() {
        T.in("records");
        Point p = new Point(-3, 4); T.f(p, "x", 0); T.f(p, "y", 4); T.r(); T.l("p", p);
        int s = p.sum(); T.l("s", s);
        T.r();
    }

    interface Shape {
        int side();

        default int area() {
            T.in("area");
            int s = side(); T.l("s", s);
            return T.r(square(s));
        }

        private int square(int v) {
            T.in("square", v);
            return T.r(v * v);
        }

        static Shape of(int n) {
            T.in("of", n);
            Shape made = new Square(n); T.l("made", made);
            return T.r(made);
        }
    }

    static final class Square implements Shape {
        private final int n;

        Square(int n) {
            T.in("<init>", n);
            this.n = n; T.f(this, "n", n);
            T.r();
        }

        @Override
        public int side() {
            T.in("side");
            return T.r(n);
        }
    }

    static void interfaces() {
        T.in("interfaces");
        Shape s = Shape.of(3); T.l("s", s);
        int a = s.area(); T.l("a", a);
        T.r();
    }

    static class Box<V extends Comparable<V>> implements Comparable<Box<V>> {
        V v;

        Box(V v) {
            T.in("<init>", v);
            this.v = v; T.f(this, "v", v);
            T.r();
        }

        @Override
        public int compareTo(Box<V> o) {
            T.in("compareTo", o); // the bridge
            T.in("compareTo", o);
            int c = v.compareTo(o.v); T.l("c", c);
            T.r(c);
            return T.r(c);
        }
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    static void bridges() {
        T.in("bridges");
        Box<String> a = new Box<>("a"); T.l("a", a);
        Comparable b = new Box<>("b"); T.l("b", b);
        int c = b.compareTo(a); T.l("c", c);
        T.r();
    }

    static class Base {
        int early = T.ctor(1);

        {
            T.f(this, "early", early);
        }

        Base(String s) {
            hook();
            T.r();
        }

        void hook() {
            T.in("hook");
            T.r();
        }
    }

    static class Derived extends Base {
        int late = 5;

        Derived(String s) {
            super(T.ctor(s));
            T.f(this, "late", late);
            T.r();
        }

        Derived() {
            this(T.ctor("this"));
            T.r();
        }

        @Override
        void hook() {
            T.in("hook");
            late = 9; T.f(this, "late", late);
            super.hook();
            T.r();
        }
    }

    static void orders() {
        T.in("orders");
        Derived d = new Derived(); T.l("d", d);
        T.r();
    }

    static final class Lazy {
        static int count = T.ctorOf("<clinit>", 3);

        static {
            T.s("fl.Classes$Lazy.count", count);
            count *= 2; T.s("fl.Classes$Lazy.count", count);
            T.r();
        }

        static int get() {
            T.in("get");
            return T.r(count);
        }
    }

    static void statics() {
        T.in("statics");
        int before = 1; T.l("before", before);
        int v = Lazy.get(); T.l("v", v);
        T.r();
    }

    static void monitors() {
        T.in("monitors");
        Object lock = new Object(); T.l("lock", lock);
        int n = 0; T.l("n", n);
        synchronized (lock) {
            T.m("enter", lock);
            n++; T.l("n", n);
            locked(n);
            T.m("exit", lock);
        }
        T.r();
    }

    private static synchronized void locked(int n) {
        T.in("locked", n);
        T.m("enter", Classes.class);
        n = 5; T.l("n", n);
        T.m("exit", Classes.class);
        T.r();
    }

    static void monitorsLeft() {
        T.in("monitorsLeft");
        Object outer = new Object(); T.l("outer", outer);
        Own inner = new Own(); T.l("inner", inner);
        try {
            synchronized (outer) {
                T.m("enter", outer);
                synchronized (outer) {
                    T.m("enter", outer);
                    inner.fail();
                }
            }
        } catch (IllegalStateException e) {
            T.m("exit", outer);
            T.m("exit", outer);
            T.l("e", e);
        }
        T.r();
    }

    static final class Own {
        Own() { T.in("<init>"); T.r(); }

        synchronized void fail() {
            T.in("fail");
            T.m("enter", this);
            IllegalStateException e = new IllegalStateException("out"); T.l("e", e);
            T.m("exit", this);
            T.th(e); T.x(e);
            throw e;
        }
    }

    static void waiting() {
        T.in("waiting");
        Object lock = new Object(); T.l("lock", lock);
        try {
            synchronized (lock) {
                T.m("enter", lock);
                T.m("wait", lock);
                lock.wait(1);
                T.m("notified", lock);
                lock.notifyAll();
                T.m("exit", lock);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        T.r();
    }
}
