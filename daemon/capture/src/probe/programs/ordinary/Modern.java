import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.function.*;
import java.util.stream.*;

/** What Java has since 21. */
public class Modern {
    sealed interface Shape permits Circle, Square, Group {}
    record Circle(Point at, double r) implements Shape {}
    record Square(Point at, double side) implements Shape { Square { if (side < 0) throw new IllegalArgumentException("side " + side); } }
    record Group(String name, List<? extends Shape> all) implements Shape { Group(String name, Shape... all) { this(name, List.of(all)); } }
    record Point(int x, int y) {}
    record Pair<A, B>(A first, B second) { static <T> Pair<T, T> twice(T t) { return new Pair<>(t, t); } <C> Pair<A, C> with(C c) { return new Pair<>(first, c); } }
    enum Level { LOW, MID, HIGH }
    static double area(Shape s) {
        return switch (s) {
            case Circle(Point(var x, var y), double r) when x == y -> Math.PI * r * r + x;
            case Circle(_, double r) -> Math.PI * r * r;
            case Square(Point p, double side) -> side * side + p.x();
            case Group(String n, var all) when n.isEmpty() -> -all.size();
            case Group g -> g.all().stream().mapToDouble(Modern::area).sum();
        };
    }
    static String kind(Object o) {
        return switch (o) {
            case null -> "null!";
            case Integer i when i > 100 -> "big " + i;
            case Integer i -> "int " + i;
            case Long l -> "long " + l;
            case String s when s.length() > 3 -> "text " + s.toUpperCase();
            case String s -> "short " + s;
            case Level l when l == Level.MID -> "middle";
            case Level l -> "level " + l.ordinal();
            case int[] a -> "ints " + a.length;
            case Pair(Integer a, Integer b) -> "sum " + (a + b);
            case Pair(Pair<?, ?>(var a, _), String b) -> "nested " + a + b;
            case Pair<?, ?> p -> "pair " + p;
            case List<?> l when l.isEmpty() -> "nothing";
            case Collection<?> c -> "all of " + c.size();
            case Runnable r -> { r.run(); yield "ran"; }
            default -> o.getClass().getSimpleName();
        };
    }
    static int rank(Level l) { return switch (l) { case LOW -> 1; case MID -> { int x = 5; x *= 2; yield x; } case HIGH -> throw new IllegalStateException("too " + l); }; }
    static class Base { final String seen; Base() { seen = describe(); } String describe() { return "base"; } }
    static class Early extends Base {
        final int size; final String name;
        Early(int n) {
            if (n < 0) throw new IllegalArgumentException("n " + n);
            int doubled = n * 2;
            this.size = doubled;
            this.name = "e" + doubled;
            super();
        }
        @Override String describe() { return name + size; }
    }
    static int ran;
    static final ScopedValue<String> USER = ScopedValue.newInstance();
    static String user() { return USER.isBound() ? USER.get() : "nobody"; }
    public static void main(String[] args) throws Exception {
        Shape[] shapes = {new Circle(new Point(1, 1), 2), new Circle(new Point(1, 2), 1), new Square(new Point(3, 0), 2), new Group("g", new Square(new Point(0, 0), 1), new Circle(new Point(2, 2), 0)), new Group("", new Square(new Point(0, 0), 1))};
        for (Shape s : shapes) System.out.printf("%.3f ", area(s));
        System.out.println();
        Object[] objects = {null, 7, 700, 8L, "ab", "abcd", Level.LOW, Level.MID, new int[2], new Pair<>(3, 4), new Pair<>(Pair.twice(1), "x"), Pair.twice("q"), List.of(), Set.of(1), (Runnable) () -> ran++, 2.5, new StringBuilder("z")};
        for (Object o : objects) System.out.print(kind(o) + "; ");
        System.out.println(ran);
        for (Level l : Level.values()) try { System.out.print(rank(l) + " "); } catch (IllegalStateException e) { System.out.println(e.getMessage()); }
        System.out.println(new Early(4).seen + new Early(1).describe());
        try { new Early(-1); } catch (IllegalArgumentException e) { System.out.println(e.getMessage()); }
        SequencedMap<String, Integer> map = new LinkedHashMap<>(); map.put("a", 1); map.putFirst("z", 0); map.putLast("m", 5); System.out.println(map.reversed() + " " + map.firstEntry() + " " + map.pollLastEntry());
        SequencedCollection<Integer> list = new ArrayList<>(List.of(1, 2, 3)); list.addFirst(0); System.out.println(list.reversed() + " " + list.getLast());
        System.out.println(Stream.iterate(1, x -> x + 1).gather(Gatherers.windowFixed(3)).limit(2).toList() + " " + Stream.of("a", "bb", "cc").<String>mapMulti((s, sink) -> { if (s.length() > 1) { sink.accept(s); sink.accept(s + s); } }).toList());
        AtomicInteger sum = new AtomicInteger(); ConcurrentLinkedQueue<String> names = new ConcurrentLinkedQueue<>();
        try (ExecutorService pool = Executors.newVirtualThreadPerTaskExecutor()) { for (int i = 0; i < 20; i++) { int n = i; pool.submit(() -> { Thread.sleep(1); sum.addAndGet(n); if (n % 5 == 0) names.add(Thread.currentThread().isVirtual() + "" + n); return n; }); } }
        System.out.println(sum + " " + new TreeSet<>(names));
        Thread v = Thread.ofVirtual().name("v").unstarted(() -> sum.set(-1)); v.start(); v.join(); System.out.println(sum);
        ScopedValue.where(USER, "ann").run(() -> System.out.println(user())); System.out.println(user() + ScopedValue.where(USER, "bob").call(Modern::user));
        var text = """
            {"k": "v\\n", \
            "n": %d}
            """.formatted(3); System.out.print(text + text.strip().transform(s -> s.chars().filter(c -> c == '"').count() + "\n"));
        int _ = rank(Level.LOW); for (var _ : list) ran++; try { Integer.parseInt("x"); } catch (NumberFormatException _) { ran += 10; } System.out.println(ran + " " + "a,b,,c".splitWithDelimiters(",", 3).length + " " + "abc".repeat(2).indexOf('c', 3, 6) + " " + Math.clamp(15L, 0, 10) + " " + new StringBuilder().repeat("ab", 2) + Character.toString(0x1F600).codePointCount(0, 2));
        BiFunction<Integer, Integer, Integer> gcd = new BiFunction<>() { public Integer apply(Integer a, Integer b) { return b == 0 ? a : this.apply(b, a % b); } }; System.out.println(gcd.apply(84, 36));
    }
}
