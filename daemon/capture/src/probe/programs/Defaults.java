import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

/** Methods with code of interfaces, called of lambdas: the lambda's class has none of its own. */
public class Defaults {
    interface Shape {
        double area();

        private String unit() {
            return "m2";
        }

        default String show() {
            return area() + unit();
        }

        default Shape twice() {
            return () -> area() * 2;
        }

        default int compare(Shape other, String... more) {
            return Double.compare(area(), other.area()) + more.length;
        }
    }

    interface Named extends Shape {
        @Override
        default String show() {
            return "named " + Shape.super.show();
        }
    }

    static class Square implements Shape {
        final double side;

        Square(double side) {
            this.side = side;
        }

        @Override
        public double area() {
            return side * side;
        }
    }

    record Circle(double radius) implements Named {
        @Override
        public double area() {
            return 3 * radius * radius;
        }

        @Override
        public String show() {
            return "circle " + Named.super.show();
        }
    }

    interface Parser<T> {
        T parse(String text);

        default <R> Parser<R> map(Function<? super T, ? extends R> to) {
            return text -> to.apply(parse(text));
        }

        default Parser<List<T>> many() {
            return text -> {
                List<T> all = new ArrayList<>();
                for (String part : text.split(",")) {
                    all.add(parse(part));
                }
                return all;
            };
        }

        default T orElse(String text, Supplier<? extends T> other) {
            try {
                return parse(text);
            } catch (RuntimeException e) {
                return other.get();
            }
        }
    }

    static String failing(Shape shape) {
        try {
            return shape.show();
        } catch (IllegalStateException e) {
            return e.getMessage();
        }
    }

    public static void main(String[] args) {
        Shape plain = () -> 2.5;
        Named named = () -> 4;
        Shape asShape = named;
        Shape[] all = {plain, named, new Square(3), new Circle(1), plain.twice().twice(), named::area};
        StringBuilder text = new StringBuilder();
        for (Shape shape : all) {
            text.append(shape.show()).append(' ').append(shape.compare(plain, "a", "b")).append(' ');
        }
        System.out.println(text + asShape.show());
        System.out.println(failing(() -> {
            throw new IllegalStateException("none");
        }));
        Parser<Integer> number = Integer::parseInt;
        System.out.println(number.map(n -> n * 2).many().parse("1,2,3"));
        System.out.println(number.orElse("x", () -> -1) + number.orElse("5", () -> -1));
        List<Shape> sorted = new ArrayList<>(List.of(all));
        sorted.sort(Comparator.comparing(Shape::area).thenComparing(Shape::show));
        System.out.println(sorted.get(0).show());
    }
}
