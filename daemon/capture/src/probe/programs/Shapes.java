/** Fields, statics, dispatch, recursion, initialisers, arrays of objects and of arrays, numbers of all kinds. */
public class Shapes {
    interface Shape {
        double area();

        default String label() {
            return name() + "!";
        }

        String name();
    }

    static abstract class Named implements Shape {
        static int made;
        protected final String name;
        private long weight = 5L;

        Named(String name) {
            this.name = name;
            made++;
        }

        public String name() {
            return name;
        }

        long weigh(int times) {
            weight += times * 3L;
            return weight;
        }
    }

    static class Circle extends Named {
        private final double radius;

        Circle(double radius) {
            super("circle");
            this.radius = radius;
        }

        public double area() {
            return Math.PI * radius * radius;
        }
    }

    static class Box extends Named {
        final float width;
        final short height;
        final byte tag = 7;
        final char mark = 'b';
        final boolean full;

        Box(float width, int height) {
            super(width > 2 ? "wide" : "box");
            this.width = width;
            this.height = (short) height;
            this.full = height > 3;
        }

        public double area() {
            return width * height;
        }

        @Override
        public String label() {
            return mark + name;
        }
    }

    static class Late {
        static final int[] TABLE = new int[4];
        static int sum;

        static {
            for (int i = 0; i < TABLE.length; i++) {
                TABLE[i] = i * i;
                sum += TABLE[i];
            }
        }

        static int twice(int of) {
            return of * 2 + sum;
        }
    }

    static class Node {
        Node next;
        int value;

        Node(int value, Node next) {
            this.value = value;
            this.next = next;
        }
    }

    static class Query {
        Query rewritten(int times) {
            return this;
        }
    }

    /** One method that is called virtually and by super, through one constant. */
    static class Both extends Query {
        final Query inner;

        Both(Query inner) {
            this.inner = inner;
        }

        @Override
        Query rewritten(int times) {
            Query now = inner.rewritten(times);
            return times > 1 ? new Both(now) : super.rewritten(times);
        }
    }

    static int depth(Node node) {
        return node == null ? 0 : 1 + depth(node.next);
    }

    static long fibonacci(int n) {
        return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
    }

    static int choose(int of) {
        switch (of) {
            case 1:
                return 10;
            case 2:
            case 3:
                return 20;
            case 1000:
                return 30;
            default:
                return -1;
        }
    }

    static synchronized int locked(int value) {
        return value + 1;
    }

    public static void main(String[] args) {
        Shape[] shapes = {new Circle(1.5), new Box(2.5f, 4), new Box(1f, 2)};
        double total = 0;
        for (Shape shape : shapes) {
            total += shape.area();
        }
        System.out.println(total > 10);
        System.out.println(shapes[0].label() + shapes[1].label());
        Node list = null;
        for (int i = 0; i < 5; i++) {
            list = new Node(i, list);
        }
        System.out.println(depth(list) + " " + Named.made);
        System.out.println(Late.twice(21));
        System.out.println(fibonacci(8));
        int[][] grid = new int[3][4];
        grid[1][2] = 7;
        grid[2] = grid[1];
        System.out.println(grid[2][2] + choose(3) + choose(1000) + choose(9));
        System.out.println(((Box) shapes[1]).weigh(4) + locked(3));
        Query query = new Both(new Both(new Query()));
        System.out.println((query.rewritten(1) == query) + " " + (query.rewritten(2) == query));
        Object lock = new Object();
        synchronized (lock) {
            total = total % 3;
        }
        System.out.println(shapes[1] instanceof Circle);
        long bits = Double.doubleToRawLongBits(total) >>> 60;
        System.out.println((int) bits ^ 'x');
    }
}
