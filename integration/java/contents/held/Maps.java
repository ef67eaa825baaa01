package held;

import java.util.*;
import java.util.concurrent.*;

/** Maps and sets, changed in all ways that they have. */
public final class Maps {
    enum Side { BUY, SELL, HOLD }

    /** A key whose hash code is its own, and may change. */
    static final class Key implements Comparable<Key> {
        int number;

        Key(int number) {
            this.number = number;
        }

        @Override public int hashCode() {
            return number / 3;
        }

        @Override public boolean equals(Object other) {
            return other instanceof Key && ((Key) other).number == number;
        }

        @Override public int compareTo(Key other) {
            return Integer.compare(number, other.number);
        }
    }

    public static void main(String[] args) {
        each(new HashMap<>());
        each(new LinkedHashMap<>());
        each(new TreeMap<>());
        each(new TreeMap<>(Comparator.comparing(String::valueOf, Comparator.reverseOrder())));
        each(new Hashtable<>());
        each(new ConcurrentHashMap<>());
        each(new ConcurrentSkipListMap<>());
        each(new IdentityHashMap<>());
        each(new Properties2());
        sets(new HashSet<>());
        sets(new LinkedHashSet<>());
        sets(new TreeSet<>());
        sets(new ConcurrentSkipListSet<>());
        sets(new CopyOnWriteArraySet<>());
        sets(ConcurrentHashMap.newKeySet());
        sets(Collections.newSetFromMap(new LinkedHashMap<>()));
        enums();
        large();
        ordered();
        views();
        fixed();
        keys();
    }

    /** A subclass that overrides nothing. */
    static final class Properties2 extends LinkedHashMap<Object, Object> {
        private static final long serialVersionUID = 1;
    }

    static void each(Map<Object, Object> map) {
        Told.map(map);
        map.put("k", 1);
        map.put("a", 2);
        map.put("z", "text");
        Told.map(map);
        map.put("a", 3);
        Told.map(map);
        map.putIfAbsent("a", 4);
        map.putIfAbsent("b", 5);
        Told.map(map);
        map.remove("k");
        map.remove("nothing");
        map.remove("z", "other");
        Told.map(map);
        map.computeIfAbsent("c", key -> key + "?");
        map.computeIfPresent("a", (key, value) -> value + "+");
        map.merge("b", 7, (old, now) -> old + "&" + now);
        map.compute("z", (key, value) -> null);
        Told.map(map);
        map.replace("b", "replaced");
        map.replaceAll((key, value) -> key + "=" + value);
        Told.map(map);
        map.putAll(Map.of("m", 1, "n", 2));
        Told.map(map);
        map.keySet().remove("m");
        map.values().remove(2);
        Told.map(map);
        if (!(map instanceof ConcurrentSkipListMap)) {
            for (Map.Entry<Object, Object> entry : map.entrySet()) {
                entry.setValue("set");
            }
            Told.map(map);
        }
        Iterator<Object> keys = map.keySet().iterator();
        keys.next();
        keys.remove();
        Told.map(map);
        map.entrySet().removeIf(entry -> entry.getKey().equals("c"));
        Told.map(map);
        map.clear();
        Told.map(map);
    }

    static void sets(Set<String> set) {
        Told.list(set);
        set.add("one");
        set.add("two");
        set.add("one");
        Told.list(set);
        set.addAll(List.of("x", "y", "z"));
        Told.list(set);
        set.remove("x");
        set.remove("nothing");
        set.removeIf(s -> s.equals("y"));
        Told.list(set);
        set.retainAll(Set.of("one", "z"));
        Told.list(set);
        Iterator<String> all = set.iterator();
        all.next();
        if (!(set instanceof CopyOnWriteArraySet)) {
            all.remove();
        }
        Told.list(set);
        set.clear();
        Told.list(set);
    }

    static void enums() {
        EnumMap<Side, Object> map = new EnumMap<>(Side.class);
        Told.map(map);
        map.put(Side.SELL, "s");
        map.put(Side.BUY, null);
        Told.map(map);
        map.remove(Side.SELL);
        Told.map(map);
        EnumSet<Side> set = EnumSet.noneOf(Side.class);
        set.add(Side.HOLD);
        set.add(Side.BUY);
        Told.list(set);
        set.remove(Side.HOLD);
        Told.list(set);
        Told.list(EnumSet.complementOf(set));
    }

    static void large() {
        Map<Integer, Integer> map = new HashMap<>();
        for (int i = 0; i < 100; i++) {
            map.put(i * 17, i);
        }
        Told.map(map);
        for (int i = 0; i < 100; i += 3) {
            map.remove(i * 17);
        }
        Told.map(map);
        Map<Key, Integer> chained = new HashMap<>();
        for (int i = 0; i < 60; i++) {
            chained.put(new Key(i % 2 == 0 ? 0 : i), i);
        }
        Told.map(chained);
        Map<String, Integer> tree = new TreeMap<>();
        for (int i = 0; i < 70; i++) {
            tree.put("n" + i * 31 % 70, i);
        }
        Told.map(tree);
    }

    static void ordered() {
        Map<String, Integer> cache = new LinkedHashMap<>(16, 0.75f, true) {
            private static final long serialVersionUID = 1;

            @Override protected boolean removeEldestEntry(Map.Entry<String, Integer> eldest) {
                return size() > 3;
            }
        };
        cache.put("a", 1);
        cache.put("b", 2);
        cache.put("c", 3);
        cache.get("a");
        Told.that(cache, "{b=2, c=3, a=1}");
        cache.put("d", 4);
        Told.that(cache, "{c=3, a=1, d=4}");
        Map<String, Integer> recent = new LinkedHashMap<>(16, 0.75f, true);
        recent.put("a", 1);
        recent.put("b", 2);
        Told.that(recent, "{a=1, b=2}");
        recent.get("a");
        Told.that(recent, "{b=2, a=1}");
        recent.getOrDefault("b", 0);
        Told.that(recent, "{a=1, b=2}");
    }

    static void views() {
        Map<String, Integer> map = new TreeMap<>();
        map.put("a", 1);
        Map<String, Integer> hash = new HashMap<>();
        hash.put("h", 1);
        Set<String> keys = hash.keySet();
        Collection<Integer> values = hash.values();
        Map<String, Integer> fixed = Collections.unmodifiableMap(hash);
        hash.put("i", 2);
        Told.list(keys);
        Told.list(values);
        Told.map(fixed);
        Set<String> sorted = map.keySet();
        map.put("0", 0);
        Told.list(sorted);
        Map<String, Integer> guarded = Collections.synchronizedMap(hash);
        guarded.remove("h");
        Told.list(keys);
        Told.map(guarded);
    }

    static void fixed() {
        Told.map(Map.of());
        Told.map(Map.of("k", "v"));
        Told.map(Map.of("a", 1, "b", 2, "c", 3, "d", 4));
        Told.list(Set.of());
        Told.list(Set.of("one"));
        Told.list(Set.of("one", "two"));
        Told.list(Set.of("a", "b", "c", "d", "e"));
        Told.map(Collections.emptyMap());
        Told.map(Collections.singletonMap("s", Side.BUY));
        Told.list(Collections.singleton("s"));
        Told.list(Set.copyOf(List.of("q", "r", "q")));
    }

    /** Keys that change are still where they were put. */
    static void keys() {
        Map<Key, String> map = new HashMap<>();
        Key key = new Key(1);
        map.put(key, "first");
        key.number = 40;
        map.put(key, "second");
        Told.map(map);
        map.remove(key);
        Told.map(map);
    }
}
