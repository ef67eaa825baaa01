import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/** Objects that `Object.clone` makes: they hold what the others do. */
public class Copies {
    static class Point implements Cloneable {
        int x;
        private long wide = 1L << 40;
        protected double fine = 0.5;
        boolean set;
        int[] numbers = {1, 2, 3};
        Point next;
        final String name;

        Point(int x, String name) {
            this.x = x;
            this.name = name;
        }

        @Override
        public Point clone() {
            try {
                Point made = (Point) super.clone();
                made.numbers = numbers.clone();
                return made;
            } catch (CloneNotSupportedException e) {
                throw new AssertionError(e);
            }
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Point point && point.x == x && point.name.equals(name);
        }

        @Override
        public int hashCode() {
            return 31 * x + name.hashCode();
        }
    }

    static class Marked extends Point {
        char mark = 'm';
        List<Point> others = new ArrayList<>();

        Marked(int x, String name) {
            super(x, name);
        }

        @Override
        public Marked clone() {
            Marked made = (Marked) super.clone();
            made.others = new ArrayList<>(others);
            made.mark++;
            return made;
        }
    }

    static class Counter implements Cloneable {
        int count;
        long seen;

        void add() {
            count++;
        }

        Counter copy() {
            try {
                return (Counter) super.clone();
            } catch (CloneNotSupportedException e) {
                throw new AssertionError(e);
            }
        }
    }

    /** The JDK's own `clone`, which calls the one of `Object`. */
    static class Counted<E> extends ArrayList<E> {
        private static final long serialVersionUID = 1;
        int adds;
        transient Point last = new Point(1, "last");

        @Override
        public boolean add(E element) {
            adds++;
            return super.add(element);
        }

        int all() {
            return adds + last.x;
        }
    }

    static int[] twice(int[] numbers) {
        int[] made = numbers.clone();
        for (int i = 0; i < made.length; i++) {
            made[i] *= 2;
        }
        return made;
    }

    public static void main(String[] args) throws InterruptedException {
        if (args.length > 0) {
            together();
            return;
        }
        Point first = new Point(4, "first");
        first.next = first;
        first.set = true;
        Point second = first.clone();
        second.x += 2;
        second.numbers[1] = 9;
        System.out.println(first.numbers[1] + second.numbers[1] + second.wide + " " + second.fine + second.set);
        System.out.println((second.next == first) + " " + (second.name == first.name));
        Marked marked = new Marked(7, "marked");
        marked.others.add(first);
        marked.others.add(marked);
        Point copy = marked;
        for (int i = 0; i < 3; i++) {
            copy = copy.clone();
            copy.x++;
        }
        Marked last = (Marked) copy;
        System.out.println(last.mark + " " + last.x + " " + last.others.size() + (last.others.get(1) == marked));
        Set<Point> all = new HashSet<>();
        for (Point point : List.of(first, second, marked, last, first.clone(), last.clone())) {
            System.out.println(all.add(point) + " " + point.hashCode());
        }
        Counted<Point> counted = new Counted<>();
        counted.add(first);
        counted.last.x = 40;
        Object other = counted.clone();
        if (other instanceof Counted<?> same) {
            same.last.x++;
            System.out.println(same.all() + " " + counted.all() + " " + same.size());
        }
        System.out.println(twice(second.numbers)[1]);
        Point[] points = {first, second};
        Point[] same = points.clone();
        same[0] = second;
        System.out.println(points[0].x + same[0].x);
    }

    /** Copies while another thread writes what is copied. */
    static void together() throws InterruptedException {
        Counter shared = new Counter();
        AtomicInteger begun = new AtomicInteger();
        Counter[] each = new Counter[2];
        Thread[] threads = new Thread[2];
        for (int t = 0; t < 2; t++) {
            int number = t;
            threads[t] = new Thread(() -> {
                begun.incrementAndGet();
                while (begun.get() < 2) {
                    Thread.onSpinWait();
                }
                Counter mine = new Counter();
                for (int i = 0; i < 8000; i++) {
                    shared.add();
                    mine.seen += shared.copy().count & 1;
                    mine.count++;
                }
                each[number] = mine;
            });
            threads[t].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println(each[0].count + " " + each[1].count);
    }
}
