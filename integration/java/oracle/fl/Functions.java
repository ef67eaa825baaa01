package fl;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import java.util.function.IntBinaryOperator;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import truth.T;

/** Lambdas, method references, streams, recursion. */
final class Functions {

    private final int factor;
    private static Function<Integer, Integer> self;

    Functions(int factor) {
        T.in("<init>", factor);
        this.factor = factor; T.f(this, "factor", factor);
        T.r();
    }

    static void lambda() {
        T.in("lambda");
        int[] cell = {1}; T.a(cell, 0, 1); T.l("cell", cell);
        IntBinaryOperator op = (a, b) -> {
            T.in("lambda$", cell, a, b);
            cell[0] += a * b; T.a(cell, 0, cell[0]);
            return T.r(cell[0]);
        };
        T.l("op", op);
        int v = op.applyAsInt(3, 4); T.l("v", v);
        T.r();
    }

    private int times(int v) {
        T.in("times", v);
        return T.r(v * factor);
    }

    private static int twice(int v) {
        T.in("twice", v);
        return T.r(2 * v);
    }

    static void references() {
        T.in("references");
        UnaryOperator<Integer> a = Functions::twice; T.l("a", a);
        int one = a.apply(4); T.l("one", one);
        Functions f = new Functions(5); T.l("f", f);
        UnaryOperator<Integer> b = f::times; T.l("b", b);
        int two = b.apply(one); T.l("two", two);
        Function<Integer, Functions> make = Functions::new; T.l("make", make);
        Functions g = make.apply(6); T.l("g", g);
        Supplier<String> s = "text"::toString; T.l("s", s);
        String t = s.get(); T.l("t", t);
        T.r();
    }

    static void streams() {
        T.in("streams");
        int sum = IntStream.rangeClosed(1, 3).filter(i -> {
            T.in("lambda$", i);
            return T.r(i != 2);
        }).map(i -> {
            T.in("lambda$", i);
            return T.r(i * 10);
        }).sum();
        T.l("sum", sum);
        T.r();
    }

    static void comparators() {
        T.in("comparators");
        List<String> all = new ArrayList<>(List.of("bb", "a")); T.l("all", all);
        Comparator<String> c = (x, y) -> {
            T.in("lambda$", x, y);
            int d = x.length() - y.length(); T.l("d", d);
            return T.r(d);
        };
        T.l("c", c);
        all.sort(c);
        String first = all.get(0); T.l("first", first);
        T.r();
    }

    static void recursion() {
        T.in("recursion");
        int v = fib(5); T.l("v", v);
        boolean e = even(3); T.l("e", e);
        T.r();
    }

    private static int fib(int n) {
        T.in("fib", n);
        if (n < 2) {
            T.b("base", 1);
            return T.r(n);
        }
        T.b("base", 0);
        int a = fib(n - 1); T.l("a", a);
        int b = fib(n - 2); T.l("b", b);
        return T.r(a + b);
    }

    private static boolean even(int n) {
        T.in("even", n);
        if (n == 0) {
            T.b("even0", 1);
            return T.r(true);
        }
        T.b("even0", 0);
        boolean o = odd(n - 1); T.l("o", o);
        return T.r(o);
    }

    private static boolean odd(int n) {
        T.in("odd", n);
        if (n == 0) {
            T.b("odd0", 1);
            return T.r(false);
        }
        T.b("odd0", 0);
        boolean e = even(n - 1); T.l("e", e);
        return T.r(e);
    }

    static void recursiveLambda() {
        T.in("recursiveLambda");
        self = n -> {
            T.in("lambda$", n);
            if (n == 0) {
                return T.r(1);
            }
            int below = self.apply(n - 1); T.l("below", below);
            return T.r(n * below);
        };
        T.s("fl.Functions.self", self);
        int v = self.apply(3); T.l("v", v);
        T.r();
    }

    static final class Node {
        Node next;
        int v;
    }

    static void objects() {
        T.in("objects");
        Node a = new Node(); T.n(a); T.in("<init>"); T.r(); T.l("a", a);
        a.next = new Node(); T.n(a.next); T.in("<init>"); T.r(); T.f(a, "next", a.next);
        a.next.next = a; T.f(a.next, "next", a);
        a.next.v = 3; T.f(a.next, "v", 3);
        T.r();
    }

    static void threads() throws InterruptedException {
        T.in("threads");
        int[] shared = new int[2]; T.l("shared", shared);
        Thread[] all = new Thread[2]; T.l("all", all);
        for (int i = 0; i < 2; i++) {
            T.l("i", i);
            int me = i; T.l("me", me);
            Thread t = new Thread(() -> {
                T.begin("worker", "");
                for (int k = 0; k < 3; k++) {
                    T.l("k", k);
                    shared[me] += k; T.a(shared, me, shared[me]);
                }
                T.l("k", 3);
                T.r();
            }, "w" + i);
            T.l("t", t);
            all[i] = t; T.a(all, i, t);
            t.start();
        }
        T.l("i", 2);
        for (Thread t : all) {
            T.l("t", t);
            t.join();
        }
        T.r();
    }
}
