package fl;

import java.util.List;
import truth.T;

/** Loops and jumps. */
final class Loops {

    static void whileLoop() {
        T.in("whileLoop");
        int i = 0; T.l("i", i);
        while (i < 3) {
            T.b("w", 1);
            i = i + 1; T.l("i", i);
            T.b("w", 2);
        }
        T.b("w", 0);
        T.r();
    }

    static void doWhile() {
        T.in("doWhile");
        int i = 5; T.l("i", i);
        do {
            i -= 2; T.l("i", i);
            T.positive("d", i);
        } while (i > 0);
        T.r();
    }

    static void forLoop() {
        T.in("forLoop");
        int sum = 0; T.l("sum", sum);
        for (int i = 0; i < 4; i++) {
            T.l("i", i);
            sum += i; T.l("sum", sum);
        }
        T.l("i", 4);
        T.r();
    }

    static void forTwo() {
        T.in("forTwo");
        int i, j;
        for (i = 0, j = 3; i < j; i++, j--) {
            T.l("i", i); T.l("j", j);
            T.b("f", 1);
            T.b("f", 2);
        }
        T.l("i", i); T.l("j", j);
        T.b("f", 0);
        T.r();
    }

    static void forEachArray() {
        T.in("forEachArray");
        int[] all = {7, 8, 9};
        T.a(all, 0, 7); T.a(all, 1, 8); T.a(all, 2, 9); T.l("all", all);
        for (int v : all) {
            T.b("e", 1);
            T.l("v", v);
            T.b("e", 2);
        }
        T.b("e", 0);
        T.r();
    }

    static void forEachList() {
        T.in("forEachList");
        List<String> all = List.of("a", "b"); T.l("all", all);
        for (String v : all) {
            T.b("e", 1);
            T.l("v", v);
            T.b("e", 2);
        }
        T.b("e", 0);
        T.r();
    }

    static void labelled() {
        T.in("labelled");
        int i = 0; T.l("i", i);
        outer:
        while (i < 4) {
            T.b("o", 1);
            i++; T.l("i", i);
            int j = 0; T.l("j", j);
            while (true) {
                j++; T.l("j", j);
                if (j == i) {
                    T.b("c", 1); T.b("o", 2);
                    continue outer;
                }
                T.b("c", 0);
                if (i + j == 4) {
                    T.b("x", 1);
                    break outer;
                }
                T.b("x", 0);
                T.b("i", 2);
            }
        }
        T.r();
    }

    static void breakOut() {
        T.in("breakOut");
        int n = 0; T.l("n", n);
        for (;;) {
            if (n >= 2) {
                T.b("q", 1);
                break;
            }
            T.b("q", 0);
            n++; T.l("n", n);
            T.b("l", 2);
        }
        T.r();
    }

    static void continueWhile() {
        T.in("continueWhile");
        int n = 0; T.l("n", n);
        int odd = 0; T.l("odd", odd);
        while (n < 3) {
            T.b("w", 1);
            n++; T.l("n", n);
            if (n % 2 == 0) {
                T.b("even", 1); T.b("even-back", 2);
                continue;
            }
            T.b("even", 0);
            odd++; T.l("odd", odd);
            T.b("w", 2);
        }
        T.b("w", 0);
        T.r();
    }

    static void block() {
        T.in("block");
        int a = 1; T.l("a", a);
        out:
        {
            if (a == 1) {
                a = 2; T.l("a", a);
                break out;
            }
            a = 3; T.l("a", a);
        }
        { int x = 4; T.l("x", x); }
        { String y = "reuses the slot"; T.l("y", y); }
        T.r();
    }
}
