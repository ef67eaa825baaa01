package held;

import java.net.URI;
import java.net.URL;
import java.util.*;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.LinkedTransferQueue;

/** Queues of few, parts of sorted maps and sets, weak maps, and what is shown as a text. */
public final class Views {
    public static void main(String[] args) throws Exception {
        queue(new ConcurrentLinkedDeque<>());
        queue(new LinkedTransferQueue<>());
        ends(new ConcurrentLinkedDeque<>());
        parts(new TreeMap<>());
        parts(new TreeMap<>(Comparator.reverseOrder()));
        numbers();
        sets(new TreeSet<>());
        own();
        many();
        weak();
        iterators();
        texts();
        dates();
    }

    static void queue(Queue<String> queue) {
        Told.list(queue);
        queue.add("one");
        queue.offer("two");
        queue.addAll(List.of("three", "four"));
        Told.list(queue);
        queue.poll();
        queue.remove("three");
        Told.list(queue);
        Iterator<String> all = queue.iterator();
        all.next();
        all.remove();
        Told.list(queue);
        queue.removeIf(s -> s.startsWith("f"));
        Told.list(queue);
        queue.add("again");
        Told.list(queue);
        queue.clear();
        Told.list(queue);
    }

    static void ends(Deque<Object> deque) {
        for (int i = 0; i < 6; i++) {
            deque.addFirst(i);
            deque.addLast(i + 10);
        }
        Told.list(deque);
        deque.pollLast();
        deque.pollFirst();
        deque.push("front");
        Told.list(deque);
        deque.removeLastOccurrence(3);
        while (deque.size() > 3) {
            deque.pollFirst();
            deque.pollLast();
        }
        Told.list(deque);
    }

    static void parts(NavigableMap<String, Integer> map) {
        for (String key : List.of("m", "c", "x", "f", "q", "a")) map.put(key, key.charAt(0) - 'a');
        boolean up = map.comparator() == null;
        NavigableMap<String, Integer> middle = up ? map.subMap("c", true, "n", false) : map.subMap("n", true, "c", true);
        Told.map(middle);
        SortedMap<String, Integer> head = map.headMap("f");
        SortedMap<String, Integer> tail = map.tailMap("g");
        NavigableMap<String, Integer> down = map.descendingMap();
        Told.map(head);
        Told.map(tail);
        Told.map(down);
        map.put("d", 100);
        Told.map(middle);
        Told.map(head);
        Told.map(down);
        middle.remove("m");
        Told.map(map);
        Told.map(tail);
        middle.put("e", 101);
        Told.map(map);
        Told.map(middle);
        NavigableMap<String, Integer> inner = down.headMap(up ? "d" : "f", true);
        Told.map(inner);
        Told.list(middle.keySet());
        middle.keySet().remove("e");
        Told.map(map);
        Told.map(inner);
        for (Map.Entry<String, Integer> entry : head.entrySet()) entry.setValue(7);
        Told.map(map);
        head.clear();
        Told.map(map);
        Told.map(head);
        Told.map(middle);
    }

    static void numbers() {
        TreeMap<Long, String> map = new TreeMap<>();
        for (long n = -3; n < 4; n++) map.put(n * 10, "n" + n);
        Told.map(map.headMap(5L));
        Told.map(map.tailMap(10L, false));
        Told.map(map.subMap(-11L, 10L));
        TreeMap<Character, Integer> characters = new TreeMap<>();
        for (char c : "hello".toCharArray()) characters.merge(c, 1, Integer::sum);
        Told.map(characters.tailMap('f'));
    }

    static void sets(NavigableSet<String> set) {
        set.addAll(List.of("b", "d", "f", "h"));
        NavigableSet<String> down = set.descendingSet();
        SortedSet<String> head = set.headSet("e");
        SortedSet<String> part = set.subSet("c", "g");
        Told.list(down);
        Told.list(head);
        Told.list(part);
        set.add("e");
        Told.list(down);
        Told.list(head);
        Told.list(part);
        part.remove("d");
        Told.list(set);
        Told.list(down);
        Told.list(head);
        SortedSet<String> inner = down.headSet("e");
        Told.list(inner);
        set.pollFirst();
        set.add("g");
        Told.list(inner);
        Told.list(down);
        inner.clear();
        Told.list(set);
        Told.list(part);
    }

    /** Orders of the program's own: where a part begins is known where its first key is there. */
    static void own() {
        TreeMap<String, Integer> map = new TreeMap<>(Comparator.comparing(String::length));
        map.put("a", 1);
        map.put("bb", 2);
        map.put("ccc", 3);
        String key = map.floorKey("xx");
        Told.map(map.tailMap(key));
        Told.map(map.headMap(key, true));
        Told.map(map.descendingMap());
    }

    /** More parts than are followed: those that were handed out first are looked at when they are shown. */
    static void many() {
        TreeMap<Integer, Integer> map = new TreeMap<>();
        List<SortedMap<Integer, Integer>> parts = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            map.put(i, i * i);
            parts.add(map.headMap(i));
        }
        map.put(-1, 0);
        for (SortedMap<Integer, Integer> part : parts) Told.map(part);
    }

    static final List<Object> KEPT = new ArrayList<>();

    static void weak() {
        Map<Object, Object> map = new WeakHashMap<>();
        for (String key : List.of("k", "a", "z")) {
            KEPT.add(key);
            map.put(key, key.length());
        }
        Told.map(map);
        map.put(null, "null");
        map.remove("a");
        Told.map(map);
        Told.list(map.keySet());
        Told.list(map.values());
        map.merge("z", 7, (old, now) -> old + "&" + now);
        Told.map(map);
        map.entrySet().removeIf(entry -> entry.getKey() == null);
        Told.map(map);
        Set<Object> set = Collections.newSetFromMap(new WeakHashMap<>());
        set.add("k");
        Told.list(set);
        map.clear();
        Told.map(map);
    }

    /** What comes next. */
    static void iterators() {
        List<String> list = List.of("a", "b", "c", "d");
        next(list.listIterator(1), "[b, c, d]");
        next(Collections.unmodifiableList(new ArrayList<>(list)).listIterator(), "[a, b, c, d]");
        next(Collections.unmodifiableCollection(new ArrayList<>(list)).iterator(), "[a, b, c, d]");
        next(Arrays.asList("x", "y", "z").iterator(), "[x, y, z]");
        through(new HashMap<>());
        through(new LinkedHashMap<>());
        through(new TreeMap<>());
        through(new ConcurrentHashMap<>());
        elements(new HashSet<>());
        elements(new LinkedHashSet<>());
        elements(new TreeSet<>());
        elements(new ConcurrentSkipListSet<>());
        elements(ConcurrentHashMap.newKeySet());
        next(new ArrayList<>(list).subList(1, 4).iterator(), "[b, c, d]");
        changing(new ConcurrentSkipListMap<>());
        changing(new ConcurrentHashMap<>());
        TreeMap<String, Integer> tree = new TreeMap<>();
        for (int i = 0; i < 5; i++) tree.put("k" + i, i);
        next(tree.navigableKeySet().descendingIterator(), "[k4, k3, k2, k1, k0]");
        deque();
        Map<String, Integer> behind = new HashMap<>(tree);
        Iterator<String> keys = behind.keySet().iterator();
        keys.next();
        behind.remove("k4");
        Told.that(keys, "(changed behind it)");
    }

    /** Iterators over maps, with entries that are taken out and replaced on the way. */
    static void through(Map<String, Integer> map) {
        for (String key : List.of("m", "c", "x", "f", "q", "a", "Aa", "BB")) map.put(key, map.size());
        for (int i = 0; i < 30; i++) map.put("n" + i * 7, i);
        List<Map.Entry<String, Integer>> all = new ArrayList<>(map.entrySet());
        Iterator<String> keys = map.keySet().iterator();
        Iterator<Integer> values = map.values().iterator();
        Iterator<Map.Entry<String, Integer>> entries = map.entrySet().iterator();
        for (int at = 0; at <= all.size(); at += 5) {
            Told.that(keys, rest(all, at, true, false));
            Told.that(values, rest(all, at, false, true));
            Told.that(entries, rest(all, at, true, true));
            for (int i = at; i < Math.min(at + 5, all.size()); i++) {
                keys.next();
                values.next();
                entries.next().setValue(100 + i);
                all.set(i, Map.entry(all.get(i).getKey(), 100 + i));
            }
        }
        Iterator<String> takes = map.keySet().iterator();
        for (int at = 0; at < 6; at++) {
            takes.next();
            if (at % 2 == 0) {
                takes.remove();
            }
            Told.that(takes, rest(all, at + 1, true, false));
        }
    }

    /** Iterators over sets, which go through a map that nobody else sees. */
    static void elements(Set<String> set) {
        for (String key : List.of("m", "c", "x", "f", "q", "a", "Aa", "BB")) set.add(key);
        List<String> all = new ArrayList<>(set);
        Iterator<String> some = set.iterator();
        for (int at = 0; at < all.size(); at++) {
            Told.that(some, all.subList(at, all.size()).toString());
            some.next();
            if (at == 3) {
                some.remove();
                Told.that(some, all.subList(at + 1, all.size()).toString());
            }
        }
        Told.that(some, "[]");
    }

    /** Iterators that go on when what they go through was changed. */
    static void changing(ConcurrentMap<String, Integer> map) {
        for (int i = 0; i < 12; i++) map.put("k" + (char) ('a' + i), i);
        List<String> all = new ArrayList<>(map.keySet());
        Iterator<String> keys = map.keySet().iterator();
        Iterator<Integer> values = map.values().iterator();
        for (int i = 0; i < 12; i++) {
            String key = keys.next();
            values.next();
            List<String> rest = new ArrayList<>(all.subList(i + 1, 12));
            rest.retainAll(map.keySet());
            Told.that(keys, rest.toString());
            if (i == 11) Told.that(values, "[]");
            if (i % 3 == 0) map.remove(key);
            if (i == 4) map.put("kb", 70);
        }
    }

    static String rest(List<Map.Entry<String, Integer>> all, int from, boolean keys, boolean values) {
        StringBuilder text = new StringBuilder(keys && values ? "{" : "[");
        for (Map.Entry<String, Integer> entry : all.subList(Math.min(from, all.size()), all.size())) {
            text.append(text.length() > 1 ? ", " : "");
            text.append(keys ? entry.getKey() : "").append(keys && values ? "=" : "");
            text.append(values ? Told.one(entry.getValue()) : "");
        }
        return text.append(keys && values ? "}" : "]").toString();
    }

    static void deque() {
        ArrayDeque<String> deque = new ArrayDeque<>(4);
        for (String text : List.of("a", "b", "c", "d", "e")) deque.addLast(text);
        deque.addFirst("0");
        deque.pollLast();
        next(deque.iterator(), "[0, a, b, c, d]");
        next(deque.descendingIterator(), "[d, c, b, a, 0]");
        Iterator<String> all = deque.iterator();
        all.next();
        all.next();
        all.remove();
        Told.that(all, "[b, c, d]");
        Iterator<String> end = deque.iterator();
        deque.addLast("more");
        Told.that(end, "(changed behind it)");
    }

    static void next(Iterator<String> all, String rest) {
        Told.that(all, rest);
        all.next();
        String second = "[" + rest.substring(rest.indexOf(' ') + 1);
        Told.that(all, second);
        all.next();
        Told.that(all, "[" + second.substring(second.indexOf(' ') + 1));
        if (all instanceof ListIterator<String> both) {
            both.previous();
            Told.that(all, second);
        }
    }

    static void shown(Object held) {
        Told.that(held, held.toString());
    }

    static void texts() throws Exception {
        shown(Locale.ROOT);
        shown(Locale.GERMANY);
        shown(Locale.forLanguageTag("zh-Hant-TW"));
        shown(Locale.forLanguageTag("de-DE-x-phonebk"));
        shown(new Locale("no", "NO", "NY"));
        shown(new Locale("", "", "fast"));
        shown(Locale.forLanguageTag("th-TH-u-nu-thai"));
        shown(URI.create("http://user@example.org:81/a/b?c=d#e").toURL());
        shown(new URL("file:/tmp/x"));
        shown(new URL("jar:file:/tmp/x.jar!/y"));
        shown(new URL("mailto:somebody@example.org"));
    }

    static void dates() {
        Date date = new Date(1_700_000_000_123L);
        Told.value(date, date.getTime());
        date.setTime(-5);
        Told.value(date, date.getTime());
        date.setHours(3);
        Told.value(date, date.getTime());
    }
}
