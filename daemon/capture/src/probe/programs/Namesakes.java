import java.util.ArrayList;
import java.util.List;

/** What a call runs has the name and the descriptor that the call names; what that calls in its turn may have them, too. */
public class Namesakes {
    interface Told {
        int show(int by);
    }

    static class Shape implements Told {
        final int size;

        Shape(int size) {
            this.size = size;
        }

        public int show(int by) {
            return size * by;
        }

        private int hide(int by) {
            return size - by;
        }

        Told hidden() {
            return this::hide;
        }

        static int grow(int by) {
            return by + 1;
        }
    }

    interface Grown {
        int grow(int by);
    }

    interface Hidden {
        int hide(int by);
    }

    /** Out of the scope in the test. */
    static class OutsideShape extends Shape {
        OutsideShape(int size) {
            super(size);
        }

        @Override
        public int show(int by) {
            return super.show(by + 1) + 1;
        }
    }

    /** Out of the scope in the test: makes an object of the scope by reflection. */
    static class OutsideMaker {
        static final List<Object> MADE = new ArrayList<>();

        OutsideMaker() {
            try {
                MADE.add(Class.forName("Namesakes$Plain").getDeclaredConstructor().newInstance());
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    static class Maker extends OutsideMaker {
        int made;

        Maker() {
            super();
            made = MADE.size();
        }
    }

    /** Out of the scope in the test: its initialiser calls back, before the call that has made it run. */
    static class OutsideBase {
        static int first = Begun.begin(1);
    }

    static class Begun extends OutsideBase {
        static int begin(int by) {
            return by + 10;
        }
    }

    static class Plain {
        int value = 7;

        Plain() {
        }
    }

    static int sum(Told told, int rounds) {
        int sum = 0;
        for (int i = 0; i < rounds; i++) {
            sum += told.show(i);
        }
        return sum;
    }

    public static void main(String[] arguments) {
        Shape shape = new Shape(3);
        Shape loud = new OutsideShape(4);
        Told bound = shape::show;
        Told twice = bound::show;
        int total = shape.show(1) + bound.show(3) + twice.show(4) + loud.size;
        Hidden hide = shape::hide;
        Grown grow = Shape::grow;
        total += hide.hide(1) + Shape.grow(3) + grow.grow(2) + shape.hide(4) + shape.hidden().show(5);
        for (Told told : new Told[] {shape, bound, twice, new Shape(5), loud::hide}) {
            total += sum(told, 3);
        }
        Maker maker = new Maker();
        total += maker.made + new Plain().value;
        if (arguments.length > 0) {
            total += loud.show(2) + sum(loud, 3);
            Told louder = loud::show;
            total += louder.show(7);
        }
        if (arguments.length > 1) {
            total += Begun.begin(5) + OutsideBase.first;
        }
        System.out.println(total);
    }
}
