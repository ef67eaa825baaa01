import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.LocalDate;
import java.time.temporal.ChronoUnit;
import java.util.*;
import java.util.function.*;
import java.util.regex.*;
import java.util.stream.*;

/** A store: records, enums, a builder, patterns, streams, dates, decimals. */
public class Inventory {
    enum Unit {
        PIECE("pc") { @Override double factor() { return 1; } },
        KILO("kg") { @Override double factor() { return 1000; } },
        GRAM("g") { @Override double factor() { return 1; } };
        private final String code;
        private static final Map<String, Unit> BY_CODE = new HashMap<>();
        static { for (Unit u : values()) BY_CODE.put(u.code, u); }
        Unit(String code) { this.code = code; }
        abstract double factor();
        static Unit parse(String code) {
            Unit unit = BY_CODE.get(code);
            if (unit == null) throw new NoSuchElementException("unit " + code);
            return unit;
        }
    }
    record Item(String name, Unit unit, BigDecimal price, LocalDate since) implements Comparable<Item> {
        Item {
            if (price.signum() < 0) throw new IllegalArgumentException("price of " + name);
        }
        Item(String name, Unit unit, String price) { this(name, unit, new BigDecimal(price), LocalDate.of(2024, 1, 31)); }
        public int compareTo(Item other) { return Comparator.comparing(Item::name).thenComparing(Item::price).compare(this, other); }
        Item cheaper(double by) { return new Item(name, unit, price.multiply(BigDecimal.valueOf(1 - by)).setScale(2, RoundingMode.HALF_UP), since.plusDays(3)); }
    }
    static class Line {
        private static final Pattern FORM = Pattern.compile("(\\w+)\\s*;\\s*(\\d+(?:\\.\\d+)?)\\s*(\\w+)\\s*;\\s*(-?[\\d.]+)");
        static Optional<Item> parse(String text) {
            Matcher m = FORM.matcher(text);
            if (!m.matches()) return Optional.empty();
            try {
                return Optional.of(new Item(m.group(1), Unit.parse(m.group(3)), m.group(4)));
            } catch (NoSuchElementException | IllegalArgumentException e) {
                System.out.println("skipped: " + e.getMessage());
                return Optional.empty();
            } finally {
                parsed++;
            }
        }
        static int parsed;
    }
    static final class Builder {
        private final List<Item> items = new ArrayList<>();
        private final EnumMap<Unit, Integer> counts = new EnumMap<>(Unit.class);
        private String title = "";
        Builder title(String title) { this.title = title; return this; }
        Builder add(Item... more) {
            for (Item item : more) { items.add(item); counts.merge(item.unit(), 1, Integer::sum); }
            return this;
        }
        Inventory build() { return new Inventory(title, List.copyOf(items), counts); }
    }
    final String title; final List<Item> items; final Map<Unit, Integer> counts;
    private Inventory(String title, List<Item> items, Map<Unit, Integer> counts) { this.title = title; this.items = items; this.counts = counts; }
    <K> SortedMap<K, List<String>> group(Function<? super Item, ? extends K> key) {
        return items.stream().collect(Collectors.groupingBy(key, TreeMap::new, Collectors.mapping(Item::name, Collectors.toList())));
    }
    class Cursor implements Iterator<Item> {
        int at = -1;
        public boolean hasNext() { return at + 1 < items.size(); }
        public Item next() { if (!hasNext()) throw new NoSuchElementException(); return items.get(++at); }
    }
    Iterable<Item> all() { return Cursor::new; }
    static class Journal implements AutoCloseable {
        final StringBuilder text = new StringBuilder();
        final String name;
        Journal(String name) { this.name = name; text.append('<').append(name).append('>'); }
        void log(Object what) { text.append(what).append(','); }
        @Override public void close() { text.setLength(text.length() - 1); text.insert(0, "closed "); System.out.println(text.reverse()); if (name.length() > 3) throw new IllegalStateException("close " + name); }
    }
    static int depth(Object o) {
        if (o instanceof List<?> list) { int d = 0; for (Object e : list) d = Math.max(d, depth(e)); return d + 1; }
        return o instanceof String s && !s.isBlank() ? s.length() : 0;
    }
    static String roman(int n) {
        int[] values = {1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1};
        String[] names = {"M", "CM", "D", "CD", "C", "XC", "L", "XL", "X", "IX", "V", "IV", "I"};
        StringBuilder out = new StringBuilder();
        outer:
        for (int i = 0; ; i++) {
            while (n >= values[i]) { out.append(names[i]); n -= values[i]; if (n == 0) break outer; }
        }
        return out.toString();
    }
    static String kind(String word) {
        switch (word) {
            case "nut": case "bolt": return "metal";
            case "flour": return "food";
            default: return word.charAt(0) > 'm' ? "late" : "early";
        }
    }
    public static void main(String[] args) {
        String source = """
            nut; 3 pc; 0.25
            bolt; 3.5 pc; 1.10
            flour; 2 kg; 3.999
            salt; 10 oz; 1
            sugar; 1 g; -2
            nonsense
            tea; 250 g; 7.5
            """;
        Builder builder = new Builder().title("store");
        source.lines().map(Line::parse).flatMap(Optional::stream).forEach(builder::add);
        Inventory store = builder.build();
        System.out.println(store.title + " " + store.items.size() + " " + store.counts + " " + Line.parsed);
        System.out.println(store.group(Item::unit));
        System.out.println(store.group(i -> kind(i.name())));
        for (Item item : store.all()) System.out.println(String.format("%-6s|%5.2f|%s", item.name(), item.price(), item.unit()));
        List<Item> sorted = new ArrayList<>(store.items);
        Collections.sort(sorted);
        System.out.println(sorted.get(0).cheaper(0.1) + " " + ChronoUnit.DAYS.between(LocalDate.of(2024, 1, 1), sorted.get(0).since()));
        sorted.removeIf(i -> i.unit() == Unit.PIECE);
        sorted.replaceAll(i -> i.cheaper(0.5));
        System.out.println(sorted.stream().map(Item::price).reduce(BigDecimal.ZERO, BigDecimal::add));
        try (Journal a = new Journal("abc"); Journal b = new Journal("long")) {
            a.log(1); b.log('x'); a.log(2.5f);
            throw new RuntimeException("body");
        } catch (RuntimeException e) {
            System.out.println(e.getMessage() + " " + e.getSuppressed().length + " " + e.getSuppressed()[0].getMessage());
        }
        System.out.println(depth(List.of("ab", List.of("c", List.of(), "dddd"), 5)) + " " + roman(1994) + " " + roman(3888));
        BitSet primes = new BitSet(100);
        primes.set(2, 100);
        for (int p = 2; p * p < 100; p++) if (primes.get(p)) for (int q = p * p; q < 100; q += p) primes.clear(q);
        System.out.println(primes.cardinality() + " " + primes.nextSetBit(50));
        long hash = 1125899906842597L;
        for (char c : source.toCharArray()) hash = 31 * hash + c ^ hash >>> 7;
        System.out.println(Long.toHexString(hash) + " " + (int) (hash % 1000) + " " + (byte) hash + " " + (char) ('a' + Math.floorMod(hash, 26L)));
        Map<Character, Integer> letters = new TreeMap<>(Comparator.reverseOrder());
        for (char c : "mississippi".toCharArray()) letters.compute(c, (k, v) -> v == null ? 1 : v + 1);
        System.out.println(letters);
        Deque<Integer> stack = new ArrayDeque<>();
        for (String token : "3 4 + 2 * 7 -".split(" ")) {
            IntBinaryOperator op = switch (token) { case "+" -> Integer::sum; case "-" -> (x, y) -> y - x; case "*" -> (x, y) -> x * y; default -> null; };
            stack.push(op == null ? Integer.parseInt(token) : op.applyAsInt(stack.pop(), stack.pop()));
        }
        System.out.println(stack.peek());
        int[][] grid = new int[4][];
        for (int i = 0; i < grid.length; i++) { grid[i] = new int[i + 1]; Arrays.setAll(grid[i], j -> j * 2 + 1); }
        System.out.println(Arrays.deepToString(grid) + " " + Arrays.stream(grid).flatMapToInt(Arrays::stream).sum());
        PriorityQueue<int[]> queue = new PriorityQueue<>((x, y) -> x[0] != y[0] ? Integer.compare(x[0], y[0]) : y[1] - x[1]);
        queue.add(new int[] {3, 1}); queue.add(new int[] {1, 5}); queue.add(new int[] {1, 9});
        StringJoiner joiner = new StringJoiner(", ", "[", "]");
        while (!queue.isEmpty()) { int[] e = queue.poll(); joiner.add(e[0] + ":" + e[1]); }
        System.out.println(joiner);
        Object[] mixed = {1, 2L, 3.0, 'c', "s", null, new int[] {1}, Unit.KILO};
        int known = 0;
        for (Object o : mixed) { if (o instanceof Number n) known += n.intValue(); else if (o instanceof Unit u) known += (int) u.factor(); else if (o == null) known -= 1; }
        System.out.println(known);
        System.out.println(IntStream.rangeClosed(1, 5).mapToObj(i -> "x".repeat(i)).collect(Collectors.joining("-")) + Stream.iterate(1, x -> x * 3).limit(5).toList());
    }
}
