package fl;

import truth.T;

/** Operators and assignments. */
final class Expressions {

    int f;
    long g;
    static int s;
    static String text;

    static void conditional() {
        T.in("conditional");
        int a = 3; T.l("a", a);
        int b = a > 2 ? 10 : 20; T.b("c1", 1); T.l("b", b);
        int c = a > 5 ? 10 : 20; T.b("c2", 0); T.l("c", c);
        T.r();
    }

    static void shortCircuit() {
        T.in("shortCircuit");
        boolean[] v = {false, true}; T.a(v, 0, false); T.a(v, 1, true);
        boolean p = v[1]; T.l("v", v); T.l("p", p);
        boolean q = v[0]; T.l("q", q);
        if (p && q) { int no = 1; T.l("no", no); }
        T.and("and", p, q);
        if (p || q) { int yes = 1; T.or("or", p, q); T.l("yes", yes); }
        if (q || p) { int yes2 = 1; T.or("or2", q, p); T.l("yes2", yes2); }
        if (!q) { T.b("not", 1); }
        T.r();
    }

    static void compound() {
        T.in("compound");
        int a = 5; T.l("a", a);
        a += 2; T.l("a", a);
        a <<= 3; T.l("a", a);
        a ^= 0x55; T.l("a", a);
        a >>>= 1; T.l("a", a);
        a %= 7; T.l("a", a);
        byte b = 100; T.l("b", b);
        b += 100; T.l("b", b);
        char c = 'a'; T.l("c", c);
        c++; T.l("c", c);
        String t = "x"; T.l("t", t);
        t += a; T.l("t", t);
        a += 1000; T.l("a", a);
        T.r();
    }

    static void chained() {
        T.in("chained");
        Expressions e = new Expressions(); T.in("<init>"); T.r(); T.l("e", e);
        int a, b;
        a = b = e.f = s = 6; T.s("fl.Expressions.s", s); T.f(e, "f", e.f); T.l("b", b); T.l("a", a);
        T.r();
    }

    static void indexes() {
        T.in("indexes");
        int[] x = new int[4]; T.l("x", x);
        int i = 0; T.l("i", i);
        x[i++] = 1; T.l("i", i); T.a(x, 0, x[0]);
        x[i++] = x[--i] + 7; T.l("i", 2); T.l("i", 1); T.a(x, 1, x[1]);
        x[++i] += i; T.l("i", i); T.a(x, 2, x[2]);
        x[x[0]]++; T.a(x, 1, x[1]);
        int old = x[2]--; T.a(x, 2, x[2]); T.l("old", old);
        x[i = 3] = i = 9; T.l("i", 3); T.l("i", 9); T.a(x, 3, x[3]);
        T.r();
    }

    static void steps() {
        T.in("steps");
        Expressions e = new Expressions(); T.in("<init>"); T.r(); T.l("e", e);
        int a = e.f++; T.f(e, "f", e.f); T.l("a", a);
        int b = ++e.f; T.f(e, "f", e.f); T.l("b", b);
        long c = e.g-- + 1; T.f(e, "g", e.g); T.l("c", c);
        s = -1; T.s("fl.Expressions.s", s);
        int d = s++ + ++s; T.s("fl.Expressions.s", 0); T.s("fl.Expressions.s", 1); T.l("d", d);
        T.r();
    }

    static void wide() {
        T.in("wide");
        long a = 1L << 40; T.l("a", a);
        double b = a / 3.0; T.l("b", b);
        long c = (long) b; T.l("c", c);
        float d = (float) b; T.l("d", d);
        int e = (int) a; T.l("e", e);
        double n = 0.0 / 0.0; T.l("n", n);
        double inf = 1 / 0.0; T.l("inf", inf);
        boolean less = n < inf; T.l("less", less);
        short s = (short) 70000; T.l("s", s);
        long m = two(a, b, c); T.r(m); T.l("m", m);
        T.r();
    }

    private static long two(long a, double b, long c) {
        T.in("two", a, b, c);
        b = 2; T.l("b", b);
        a = c; T.l("a", a);
        return a;
    }

    static void boxes() {
        T.in("boxes");
        Integer a = 5; T.l("a", a);
        a++; T.l("a", a);
        long b = a + 1L; T.l("b", b);
        Character c = 'q'; T.l("c", c);
        Object o = 1.5; T.l("o", o);
        T.r();
    }

    /** Strings are compared by the thousand outside; what follows is known all the same. */
    static void afterMany() {
        T.in("afterMany");
        String word = "seven"; T.l("word", word);
        int before = word.length(); T.l("before", before);
        java.util.List<String> words = new java.util.ArrayList<>(); T.l("words", words);
        for (int i = 0; i < 3; i++) {
            T.l("i", i);
            words.addAll(java.util.Collections.nCopies(200, word));
        }
        T.l("i", 3);
        java.util.Collections.sort(words);
        int after = word.length(); T.l("after", after);
        char second = word.charAt(1); T.l("second", second);
        boolean same = word.equals("seven"); T.l("same", same);
        T.r();
    }

    static void concat() {
        T.in("concat");
        int i = 3; T.l("i", i);
        String t = "a" + i + 'c' + 2L + null + true; T.l("t", t);
        text += t; T.s("fl.Expressions.text", text);
        String block = """
            two"""; T.l("block", block);
        T.r();
    }

    static void types() {
        T.in("types");
        Object o = "hello"; T.l("o", o);
        if (o instanceof String t && t.length() == 5) {
            T.l("t", t);
            int n = t.length(); T.l("n", n);
        }
        var v = new int[] {1}; T.a(v, 0, 1); T.l("v", v);
        final int f = v[0]; T.l("f", f);
        T.r();
    }
}
