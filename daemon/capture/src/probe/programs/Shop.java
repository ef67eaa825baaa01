import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Ordinary Java: collections, lambdas, streams, enums, records, builders, texts. */
public class Shop {
    enum Kind {
        BOOK(5), FOOD(7) {
            @Override
            int rate(int price) {
                return price / 2;
            }
        };

        private final int base;

        Kind(int base) {
            this.base = base;
        }

        int rate(int price) {
            return price * base / 100;
        }
    }

    record Item(String name, Kind kind, int price) {
        Item {
            if (price < 0) {
                throw new IllegalArgumentException(name);
            }
        }
    }

    static final class Order {
        private final List<Item> items = new ArrayList<>();
        private final StringBuilder log = new StringBuilder();

        Order add(Item item) {
            items.add(item);
            log.append(item.name()).append(';');
            return this;
        }

        int total() {
            int sum = 0;
            for (Item item : items) {
                sum += item.price() + item.kind().rate(item.price());
            }
            return sum;
        }

        @Override
        public String toString() {
            return "Order" + items.size() + log;
        }
    }

    static <T, R> List<R> each(List<T> all, Function<? super T, R> function) {
        List<R> results = new ArrayList<>();
        for (T one : all) {
            results.add(function.apply(one));
        }
        return results;
    }

    static String day(String name) {
        return switch (name) {
            case "mon" -> "Monday";
            case "tue" -> "Tuesday";
            default -> "?";
        };
    }

    public static void main(String[] args) {
        Order order = new Order();
        order.add(new Item("tea", Kind.FOOD, 30)).add(new Item("novel", Kind.BOOK, 200));
        System.out.println(order + " " + order.total());
        Map<Kind, Integer> counts = new EnumMap<>(Kind.class);
        for (Item item : order.items) {
            counts.merge(item.kind(), item.price(), Integer::sum);
        }
        System.out.println(counts);
        Map<String, List<Integer>> index = new TreeMap<>();
        String[] words = "b a c a b a".split(" ");
        for (int i = 0; i < words.length; i++) {
            index.computeIfAbsent(words[i], word -> new ArrayList<>()).add(i);
        }
        System.out.println(index);
        System.out.println(each(Arrays.asList(1, 2, 3), n -> "n" + n * n));
        int[] numbers = {5, 3, 9, 1};
        Arrays.sort(numbers);
        int[] copy = Arrays.copyOf(numbers, 6);
        System.arraycopy(numbers, 0, copy, 2, 4);
        System.out.println(copy[2] + copy[5]);
        ArrayDeque<Item> queue = new ArrayDeque<>(order.items);
        Item first = queue.poll();
        System.out.println(first.name() + " " + first.equals(order.items.get(0)) + " " + first);
        List<Item> sorted = new ArrayList<>(order.items);
        sorted.sort(Comparator.comparingInt(Item::price).reversed());
        System.out.println(sorted.get(0).name());
        System.out.println(order.items.stream().filter(item -> item.price() > 50).map(Item::name).collect(Collectors.joining(",")));
        System.out.println(day("tue") + day("x") + Kind.valueOf("FOOD").rate(9) + Kind.values().length);
        Map<String, Item> owners = new HashMap<>();
        owners.put("me", first);
        System.out.println(owners.get("me") == first && new Item("tea", Kind.FOOD, 30).equals(first));
        try {
            new Item("bad", Kind.BOOK, -1);
        } catch (IllegalArgumentException e) {
            System.out.println(e.getMessage());
        }
        Object[] mixed = {1, "two", 3.0, 'c', null, first};
        int texts = 0;
        for (Object one : mixed) {
            if (one instanceof String text && text.length() == 3) {
                texts++;
            }
        }
        System.out.println(texts);
    }
}
