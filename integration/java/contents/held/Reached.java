package held;

import java.util.*;
import java.util.stream.*;

/** What changes in ways that are not seen by what a call is shown: entries of maps, objects behind fields, small tables, iterators that others step. */
final class Reached {
    private Reached() {}

    static final class Box {
        final StringBuilder text = new StringBuilder();
        final List<Object> list = new ArrayList<>();
    }

    /** Keys that look at the list which they are compared in. */
    static final class Key {
        static List<Key> in;
        static int looked;
        final int number;

        Key(int number) {
            this.number = number;
        }

        @Override
        public boolean equals(Object other) {
            looked += in.size();
            return other instanceof Key key && key.number == number;
        }

        @Override
        public int hashCode() {
            return number;
        }
    }

    private static Map<String, Integer> map() {
        Map<String, Integer> map = new HashMap<>();
        map.put("a", 1);
        map.put("b", 2);
        map.put("c", 3);
        return map;
    }

    public static void main(String[] args) {
        entries();
        behindFields();
        small();
        steps();
    }

    static void entries() {
        Map<String, Integer> map = map();
        map.entrySet().stream().forEach(entry -> entry.setValue(7));
        Told.map(map);
        map = map();
        map.entrySet().stream().max(Map.Entry.comparingByValue()).ifPresent(entry -> entry.setValue(8));
        Told.map(map);
        map = map();
        map.entrySet().stream().filter(entry -> entry.getValue() > 1).findFirst().get().setValue(9);
        Told.map(map);
        map = map();
        List<Map.Entry<String, Integer>> sorted =
                map.entrySet().stream().sorted(Map.Entry.comparingByKey()).collect(Collectors.toList());
        sorted.get(0).setValue(10);
        Told.map(map);
        map = map();
        List<Map.Entry<String, Integer>> all = new ArrayList<>(map.entrySet());
        all.get(1).setValue(11);
        Told.map(map);
        for (Map.Entry<String, Integer> entry : all) {
            entry.setValue(12);
        }
        Told.map(map);
        map = map();
        Object[] array = map.entrySet().toArray();
        @SuppressWarnings("unchecked")
        Map.Entry<String, Integer> first = (Map.Entry<String, Integer>) array[0];
        first.setValue(13);
        Told.map(map);
        TreeMap<String, Integer> tree = new TreeMap<>(map());
        tree.headMap("c").entrySet().forEach(entry -> entry.setValue(14));
        Told.map(tree);
        PriorityQueue<Map.Entry<String, Integer>> queue = new PriorityQueue<>(Map.Entry.comparingByValue());
        map = map();
        queue.addAll(map.entrySet());
        queue.poll().setValue(15);
        Told.map(map);
        for (Map.Entry<String, Integer> entry : map.entrySet()) {
            entry.setValue(entry.getValue() + 1);
        }
        Told.map(map);
    }

    static void behindFields() {
        // From here on all reads are told by the probe.
        Integer[] numbers = {1, 2};
        List<Integer> shown = Arrays.asList(numbers);
        Box box = new Box();
        box.text.append(4);
        Told.text(box.text);
        box.text.append(5);
        Told.text(box.text);
        box.list.add("x");
        Told.list(box.list);
        box.list.add("y");
        Told.list(box.list);
        StringBuilder[] all = {new StringBuilder()};
        all[0].append("first");
        Told.text(all[0]);
        all[0].append("second");
        Told.text(all[0]);
        Told.list(shown);
    }

    static void small() {
        for (int size = 1; size <= 2; size++) {
            Map<Integer, String> map = new HashMap<>(size);
            Set<String> words = new HashSet<>(size);
            for (int i = 0; i < 20; i++) {
                map.put(i * 7 % 31, "v" + i);
                words.add("w" + i * 13 % 17);
                Told.map(map);
                Told.list(words);
            }
        }
    }

    static void steps() {
        List<String> words = new ArrayList<>(List.of("a", "b"));
        Iterator<String> iterator = words.iterator();
        String.join(",", (Iterable<String>) () -> iterator);
        Told.that(iterator, "[]");
        Deque<Integer> one = new ArrayDeque<>(List.of(1, 2));
        Deque<Integer> two = new ArrayDeque<>(List.of(3, 4));
        Comparator<Deque<Integer>> polls = Comparator.comparing(Deque::poll);
        polls.compare(one, two);
        Told.list(one);
        Told.list(two);
        LinkedList<Key> keys = new LinkedList<>(List.of(new Key(1), new Key(2), new Key(1)));
        Key.in = keys;
        keys.removeIf(java.util.function.Predicate.isEqual(new Key(1)));
        Told.list(keys);
    }
}
