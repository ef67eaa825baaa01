package fl;

import truth.T;

/** Switches in the old and the new form. */
final class Switches {

    enum Colour { RED, GREEN, BLUE }

    static void dense() {
        T.in("dense");
        for (int i = 0; i < 5; i++) {
            T.l("i", i);
            T.b("for", 1);
            T.b("case", Math.min(i, 3));
            switch (i) {
                case 0:
                    int a = 10; T.l("a", a);
                case 1:
                    int b = 11; T.l("b", b);
                    break;
                case 2:
                    int c = 12; T.l("c", c);
                    break;
                default:
                    int d = 13; T.l("d", d);
            }
            T.b("for", 2);
        }
        T.l("i", 5);
        T.b("for", 0);
        T.r();
    }

    static void sparse() {
        T.in("sparse");
        int[] keys = {-100, 5, 70000}; T.a(keys, 0, -100); T.a(keys, 1, 5); T.a(keys, 2, 70000); T.l("keys", keys);
        for (int k : keys) {
            T.l("k", k);
            String word;
            switch (k) {
                case -100 -> word = "low";
                case 70000 -> word = "high";
                default -> word = "other";
            }
            T.l("word", word);
        }
        T.r();
    }

    static void expression() {
        T.in("expression");
        int x = 2; T.l("x", x);
        int y = switch (x) {
            case 1 -> 10;
            case 2 -> {
                int t = x * 7; T.l("t", t);
                yield t + 1;
            }
            default -> 0;
        };
        T.l("y", y);
        T.r();
    }

    static void strings() {
        T.in("strings");
        String[] all = {"Aa", "BB", "none"}; // the first two have the same hash
        T.a(all, 0, "Aa"); T.a(all, 1, "BB"); T.a(all, 2, "none"); T.l("all", all);
        for (String s : all) {
            T.l("s", s);
            int n = switch (s) { case "Aa" -> 1; case "BB" -> 2; default -> 3; };
            T.l("n", n);
        }
        T.r();
    }

    static void enums() {
        T.in("enums");
        Colour[] all = Oracle.colours; T.l("all", all);
        for (Colour c : all) {
            T.l("c", c);
            int n;
            switch (c) {
                case RED: n = 1; break;
                case BLUE: n = 3; break;
                default: n = 0;
            }
            T.l("n", n);
        }
        T.r();
    }
}
