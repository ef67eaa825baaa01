package held;

import java.io.BufferedWriter;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.*;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What changes by other ways than a call on it: by what it was handed to, by what was returned, by references to methods. */
public final class Handed {
    /** Gives out what it has. */
    static final class Holder {
        final List<Integer> list = new ArrayList<>(List.of(1));
        final StringBuilder text = new StringBuilder("ab");
        final AtomicInteger number = new AtomicInteger(3);

        List<Integer> list() {
            return list;
        }

        StringBuilder text() {
            return text;
        }

        AtomicInteger number() {
            return number;
        }
    }

    public static void main(String[] args) throws Exception {
        writers();
        matchers();
        arrays();
        returned();
        later();
        references();
        steps();
        suppliers();
        idioms();
    }

    static void writers() throws Exception {
        StringWriter writer = new StringWriter();
        StringBuffer buffer = writer.getBuffer();
        Told.text(buffer);
        writer.write("hello");
        Told.text(buffer);
        buffer.append("!");
        Told.text(buffer);
        PrintWriter printer = new PrintWriter(new BufferedWriter(writer));
        printer.print(" and more");
        printer.flush();
        Told.text(buffer);
    }

    static void matchers() {
        StringBuilder to = new StringBuilder();
        Told.text(to);
        Matcher matcher = Pattern.compile("[0-9]+").matcher("a1b22c");
        matcher.find();
        matcher.appendReplacement(to, "_");
        Told.text(to);
        matcher.appendTail(to);
        Told.text(to);
        Formatter formatter = new Formatter(to);
        formatter.format("%d", 7);
        Told.text(to);
    }

    @SuppressWarnings("unchecked")
    static void arrays() {
        List<Integer> list = new ArrayList<>();
        list.add(1);
        Told.list(list);
        Arrays.asList(list).forEach(List::clear);
        Told.list(list);
        StringBuilder text = new StringBuilder("abc");
        StringBuilder[] texts = {text};
        Told.text(text);
        Stream.of(texts).forEach(StringBuilder::reverse);
        Told.text(text);
        Set<String> set = new HashSet<>(Set.of("x"));
        Set<String>[] sets = new Set[] {set};
        Told.list(set);
        Arrays.stream(sets).forEach(Set::clear);
        Told.list(set);
        Queue<List<Integer>> queue = new LinkedBlockingQueue<>();
        list.add(5);
        Told.list(list);
        queue.add(list);
        queue.forEach(List::clear);
        Told.list(list);
    }

    static void returned() {
        Holder holder = new Holder();
        Told.list(holder.list);
        Stream.of(holder).map(Holder::list).forEach(List::clear);
        Told.list(holder.list);
        Told.text(holder.text);
        Stream.of(holder).map(Holder::text).forEach(StringBuilder::reverse);
        Told.text(holder.text);
        Told.value(holder.number, holder.number.get());
        Stream.of(holder).map(Holder::number).forEach(AtomicInteger::incrementAndGet);
        Told.value(holder.number, holder.number.get());
        List<Integer> other = new ArrayList<>(List.of(4));
        Told.list(other);
        Stream.of(1).map(i -> other).forEach(List::clear);
        Told.list(other);
        List<Integer> third = new ArrayList<>(List.of(6));
        Told.list(third);
        Stream.generate(() -> third).limit(1).forEach(List::clear);
        Told.list(third);
        // More than anybody looks at one by one.
        List<Holder> many = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            many.add(new Holder());
        }
        Holder last = many.get(99);
        Told.list(last.list);
        many.stream().map(Holder::list).forEach(List::clear);
        Told.list(last.list);
    }

    static void later() throws Exception {
        List<Integer> list = new ArrayList<>(List.of(4));
        Told.list(list);
        CompletableFuture.completedFuture(0).thenApply(q -> list).thenAccept(List::clear).get();
        Told.list(list);
        List<Integer> other = new ArrayList<>(List.of(5));
        Told.list(other);
        CompletableFuture.supplyAsync(() -> other).thenAccept(List::clear).get();
        Told.list(other);
    }

    static void references() {
        List<Integer> list = new ArrayList<>(List.of(1));
        Told.list(list);
        Consumer<List<Integer>> clear = List::clear;
        clear.accept(list);
        Told.list(list);
        list.add(9);
        Told.list(list);
        Map<String, Integer> map = new HashMap<>(Map.of("a", 1));
        Told.map(map);
        BiConsumer<Map<String, Integer>, String> remove = Map::remove;
        remove.accept(map, "a");
        Told.map(map);
        StringBuilder text = new StringBuilder("xyz");
        Told.text(text);
        Consumer<StringBuilder> reverse = StringBuilder::reverse;
        reverse.accept(text);
        Told.text(text);
        Deque<Integer> deque = new ArrayDeque<>(List.of(1, 2));
        Told.list(deque);
        Consumer<Deque<Integer>> pop = Deque::pop;
        pop.accept(deque);
        Told.list(deque);
    }

    static void steps() {
        List<Integer> list = new ArrayList<>(List.of(4, 5, 6));
        Told.list(list);
        Iterator<Integer> all = list.iterator();
        all.next();
        Runnable remove = all::remove;
        remove.run();
        Told.list(list);
        List<Integer> second = new ArrayList<>(List.of(4, 5, 6));
        Told.list(second);
        ListIterator<Integer> steps = second.listIterator();
        steps.next();
        Consumer<Integer> set = steps::set;
        set.accept(9);
        Told.list(second);
        Map<String, Integer> map = new HashMap<>(Map.of("a", 1));
        Told.map(map);
        Map.Entry<String, Integer> entry = map.entrySet().iterator().next();
        Consumer<Integer> value = entry::setValue;
        value.accept(7);
        Told.map(map);
        Runnable clear = map.keySet()::clear;
        clear.run();
        Told.map(map);
        List<Integer> third = new ArrayList<>(List.of(1, 2, 3));
        Told.list(third);
        Runnable part = third.subList(0, 2)::clear;
        part.run();
        Told.list(third);
    }

    static void suppliers() {
        List<Integer> list = new ArrayList<>();
        list.add(1);
        Told.list(list);
        Stream.of(4, 5).collect(Collectors.toCollection(() -> list));
        Told.list(list);
        List<Integer> other = new ArrayList<>();
        other.add(1);
        Told.list(other);
        Stream.of(4, 5).collect(() -> other, List::add, List::addAll);
        Told.list(other);
        Map<Integer, Integer> map = new TreeMap<>();
        map.put(1, 1);
        Told.map(map);
        Stream.of(4, 5).collect(Collectors.toMap(k -> k, v -> v, (a, b) -> a, () -> map));
        Told.map(map);
        StringBuilder text = new StringBuilder("z");
        Told.text(text);
        "abc".chars().collect(() -> text, StringBuilder::appendCodePoint, StringBuilder::append);
        Told.text(text);
    }

    /** What is written every day, and is to be known. */
    static void idioms() {
        Map<String, List<Integer>> groups = new HashMap<>();
        groups.computeIfAbsent("a", key -> new ArrayList<>()).add(1);
        groups.computeIfAbsent("a", key -> new ArrayList<>()).add(2);
        List<Integer> group = groups.get("a");
        Told.list(group);
        List<String> names = new ArrayList<>();
        Stream.of("x", "y").map(String::toUpperCase).forEach(name -> names.add(name));
        Told.list(names);
        Stream.of(3, 1, 2).sorted(Comparator.comparing(n -> n)).forEach(n -> group.add(n));
        Told.list(group);
        group.sort(Comparator.reverseOrder());
        Told.list(group);
        String joined = names.stream().collect(Collectors.joining(", "));
        names.add(joined);
        Told.list(names);
    }
}
