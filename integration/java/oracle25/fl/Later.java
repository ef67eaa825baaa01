package fl;

import truth.T;

/** Language of releases after 17. */
final class Later implements Oracle.Fixture {

    sealed interface Tree permits Leaf, Fork {}

    record Leaf(int v) implements Tree {
        @Override
        public int v() {
            T.in("v");
            return T.r(v);
        }
    }

    record Fork(Tree left, Tree right) implements Tree {
        @Override
        public Tree left() {
            T.in("left");
            return T.r(left);
        }

        @Override
        public Tree right() {
            // The pattern below binds `a` before it asks for the next component (JLS 14.30.2).
            T.l("a", left);
            T.in("right");
            return T.r(right);
        }
    }

    /** Made before the fixture begins: generated constructors cannot log. */
    private final Tree tree = new Fork(new Leaf(2), new Leaf(3));

    @Override
    public void run() {
        T.in("run");
        int n = sum(tree); T.l("n", n);
        T.r();
    }

    private static int sum(Tree t) {
        T.in("sum", t);
        int s = switch (t) {
            case Leaf(int v) when T.pass(v, "v", v) > 2 -> {
                yield v * 10;
            }
            case Leaf l -> {
                T.l("l", l);
                yield 1;
            }
            case Fork(var a, var b) -> {
                T.l("b", b);
                int x = sum(a); T.l("x", x);
                int y = sum(b); T.l("y", y);
                yield x + y;
            }
        };
        T.l("s", s);
        return T.r(s);
    }
}
