package snap;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Calls that are shown objects of many kinds, change them, and say what they held (to {@link Log}). */
public final class Shown {
    enum Colour { RED, GREEN { @Override int weight() { return 2; } }; int weight() { return 1; } }

    record Point(int x, int y) {}

    record Named(String name, Point at, List<Integer> sizes) {}

    /** Fields of all types, one of which a superclass hides. */
    static class Base {
        protected int count = 7;
        String label = "base";
    }

    static final class Box extends Base {
        boolean flag;
        byte small = -1;
        char letter = 'ä';
        short shorter = 300;
        long big = 1L << 40;
        float half = 0.5f;
        double third = 1.0 / 3;
        String label = "box";
        Colour colour = Colour.RED;
        Object nothing;
        Box next;
        final List<String> list = new ArrayList<>();
        final Map<String, Point> map = new HashMap<>();
    }

    static final Log.Missing DEEP = new Log.Missing("deeper");
    static final Log.Missing LONG = new Log.Missing("first 100");
    static final Log.Missing FULL = new Log.Missing("2048 bytes");

    /** Lists and queues, changed in place. */
    static int lists(List<String> list, Deque<Integer> deque, LinkedList<Object> linked, List<Integer> fixed) {
        Log.enter("lists", "list", list, "deque", deque, "linked", linked, "fixed", fixed);
        list.add("c");
        list.set(0, "z");
        deque.addFirst(0);
        deque.pollLast();
        linked.removeFirst();
        linked.addLast(null);
        Log.exit("list", list, "deque", deque, "linked", linked, "fixed", fixed, "list[0]", "z", "return", 5);
        return 5;
    }

    /** Maps and sets. */
    static Map<String, Integer> maps(
            Map<String, Integer> hash, Map<Object, Object> tree, Map<Colour, String> byColour, ConcurrentHashMap<String, Integer> shared) {
        Log.enter("maps", "hash", hash, "tree", tree, "byColour", byColour, "shared", shared);
        hash.put("new", 1);
        hash.remove("old");
        tree.put(2, "two");
        byColour.put(Colour.GREEN, "g");
        shared.put("k", 9);
        Map<String, Integer> made = new LinkedHashMap<>(hash);
        Log.exit("hash", hash, "tree", tree, "byColour", byColour, "shared", shared, "return", made);
        return made;
    }

    /** What holds one thing, and what shows another one. */
    static Optional<Point> others(
            StringBuilder text, AtomicInteger number, Optional<String> perhaps, List<Integer> view, int[] behind, TreeSet<String> sorted) {
        Log.enter("others", "text", text, "number", number, "perhaps", perhaps, "view", view, "sorted", sorted);
        text.append("€!").reverse();
        number.incrementAndGet();
        view.set(1, 50);
        sorted.add("a");
        Optional<Point> made = Optional.of(new Point(3, 4));
        Log.exit("text", text, "number", number, "perhaps", perhaps, "view", view, "sorted", sorted, "return", made);
        return made;
    }

    /** Fields of all types. */
    static Box fields(Box box, Base same, Named named) {
        Log.enter("fields",
            "box.flag", box.flag, "box.small", box.small, "box.letter", box.letter, "box.shorter", box.shorter, "box.big", box.big,
            "box.half", box.half, "box.third", box.third, "box.label", box.label, "box.Shown$Base.label", ((Base) box).label,
            "box.colour", box.colour, "box.nothing", box.nothing, "box.count", box.count, "box.list", box.list,
            "box.map", box.map, "same.count", same.count, "named", named);
        box.flag = true;
        box.small++;
        box.big = -5;
        box.third = Double.NaN;
        box.label = "other";
        box.colour = Colour.GREEN;
        box.nothing = "something";
        box.list.add("added");
        box.map.put("p", new Point(1, 2));
        Box made = new Box();
        made.next = box;
        Log.exit(
            "box.flag", box.flag, "box.small", box.small, "box.letter", box.letter, "box.big", box.big, "box.third", box.third,
            "box.label", box.label, "box.Shown$Base.label", ((Base) box).label, "box.colour", box.colour, "box.nothing", box.nothing,
            "box.list", box.list, "box.list[0]", "added", "box.map", box.map, "same.count", same.count, "named", named,
            "return.label", made.label, "return.count", made.count, "return.next.colour", box.colour);
        return made;
    }

    /** Arrays of all types and of arrays. */
    static int[][] arrays(int[] ints, boolean[] flags, double[] doubles, String[] texts, Object[][] deep) {
        Log.enter("arrays", "ints[1]", ints[1], "flags[0]", flags[0], "doubles[0]", doubles[0], "texts[2]", texts[2],
            "deep[1]", deep[1], "deep[1][0]", deep[1][0]);
        ints[1] = 99;
        flags[0] = true;
        doubles[0] /= 0;
        texts[2] = "last";
        deep[1][0] = 'q';
        int[][] made = {ints, {}, null};
        Log.exit("ints[0]", ints[0], "ints[1]", ints[1], "flags[0]", flags[0], "doubles[0]", doubles[0], "texts[2]", texts[2],
            "deep[1][0]", deep[1][0], "return[0][1]", 99, "return[1]", made[1], "return[2]", null);
        return made;
    }

    /** Deeper than three levels: box.next.next is the third object, and what it refers to the fourth. */
    static void deep(Box box, List<List<List<List<String>>>> nested) {
        Log.enter("deep", "box.next.next.label", box.next.next.label, "box.next.next.next.label", DEEP, "box.next.next.list", DEEP,
            "nested[0][0][0]", DEEP);
        box.next.next.next.label = "unseen";
        nested.get(0).get(0).get(0).add("unseen");
        Log.exit("box.next.next.label", box.next.next.label, "box.next.next.next.label", DEEP, "nested[0][0][0]", DEEP);
    }

    /** Longer than 100 elements. */
    static void longOnes(int[] array, List<Integer> list, Map<Integer, Integer> tree, StringBuilder text) {
        Log.enter("longOnes", "array[0]", array[0], "array[99]", array[99], "list[99]", list.get(99));
        array[99] = -1;
        array[100] = -2;
        list.set(99, -1);
        list.set(100, -2);
        tree.put(5, -1);
        text.append("more");
        Log.exit("array[98]", array[98], "array[99]", array[99], "list[98]", list.get(98), "list[99]", list.get(99));
    }

    /** More than 2 kB: 200 boxes of 14 fields each. */
    static void many(List<Box> boxes) {
        Log.enter("many", "boxes[0].big", boxes.get(0).big, "boxes[99].big", FULL);
        boxes.get(0).big = 3;
        boxes.get(99).big = 3;
        Log.exit("boxes[0].big", 3L, "boxes[99].big", FULL);
    }

    /** Ends by an exception, which is shown something and is caught two calls below. */
    static void thrown(Box box, List<String> list) {
        Log.enter("thrown", "box.label", box.label, "list", list);
        try {
            through(box, list);
        } catch (IllegalStateException e) {
            list.add(e.getMessage());
        }
        Log.exit("box.label", box.label, "list", list);
    }

    static void through(Box box, List<String> list) {
        Log.enter("through", "box.label", box.label);
        box.label = "thrown";
        list.add("before");
        Log.exit("box.label", "thrown", "list", list);
        throw new IllegalStateException("caught");
    }

    /** The same objects again and again: what they hold is told each time. */
    static int again(Box box, int times) {
        Log.enter("again", "box.count", box.count, "box.list", box.list);
        box.count += times;
        box.list.add(String.valueOf(times));
        int rest = times == 0 ? 0 : again(box, times - 1);
        Log.exit("box.count", box.count, "box.list", box.list, "return", rest);
        return rest;
    }

    /** An object that another thread changes between two calls that see it. */
    static void between(Box box) {
        Log.enter("between", "box.big", box.big, "box.list", box.list);
        Log.exit("box.big", box.big, "box.list", box.list);
    }

    /** A parameter that gets another value shows what it was given, and at the end nothing. */
    static int reassigned(List<String> list, int number) {
        Log.enter("reassigned", "list", list, "number", number);
        list = new ArrayList<>();
        number++;
        Log.exit("list", new Log.Missing("level"), "number", new Log.Missing("level"));
        return number + list.size();
    }

    private Shown() {}

    private static Box chain(int length) {
        Box first = new Box();
        if (length > 1) first.next = chain(length - 1);
        return first;
    }

    private static List<Box> boxes(int count) {
        List<Box> all = new ArrayList<>();
        for (int nth = 0; nth < count; nth++) all.add(new Box());
        return all;
    }

    public static void main(String[] args) throws InterruptedException {
        lists(new ArrayList<>(List.of("a", "b")), new ArrayDeque<>(List.of(1, 2, 3)), new LinkedList<>(Arrays.asList(1, null, "x")),
            List.of(1, 2));
        lists(new ArrayList<>(List.of("only")), new ArrayDeque<>(List.of(7)), new LinkedList<>(List.of('c')), List.of());
        Map<Object, Object> tree = new TreeMap<>(Collections.reverseOrder());
        tree.put(1, List.of("in"));
        maps(new HashMap<>(Map.of("old", 4)), tree, new EnumMap<>(Map.of(Colour.RED, "r")), new ConcurrentHashMap<>(Map.of("k", 1)));
        Integer[] behind = {10, 20, 30};
        others(new StringBuilder("abc"), new AtomicInteger(3), Optional.empty(), Arrays.asList(behind), new int[3],
            new TreeSet<>(List.of("q")));
        Box box = new Box();
        fields(box, box, new Named("n", new Point(-1, -2), List.of(4, 5)));
        arrays(new int[] {1, 2, 3}, new boolean[1], new double[] {-1}, new String[] {"a", "b", null}, new Object[][] {{}, {1}});
        List<List<List<List<String>>>> nested = List.of(List.of(List.of(new ArrayList<>())));
        deep(chain(4), nested);
        List<Integer> list = new ArrayList<>();
        Map<Integer, Integer> big = new TreeMap<>();
        for (int nth = 0; nth < 3000; nth++) {
            list.add(nth);
            big.put(nth, nth);
        }
        longOnes(new int[3000], list, big, new StringBuilder("x".repeat(5000)));
        many(boxes(200));
        thrown(new Box(), new ArrayList<>());
        again(new Box(), 5);
        Box seen = new Box();
        between(seen);
        Thread other = new Thread(() -> {
            seen.big = 77;
            seen.list.add("by another thread");
        });
        other.start();
        other.join();
        between(seen);
        reassigned(new ArrayList<>(List.of("given")), 1);
    }
}
