package held;

import java.lang.ref.SoftReference;
import java.lang.ref.WeakReference;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.function.*;
import java.util.stream.*;

/** Lists that objects of the JDK hold which are no containers, and what references to its methods change that run over them. Nothing looks at a
 * list behind such a call: what it holds is written here by hand. */
final class Holders {
    private Holders() {}

    static final class Task extends CompletableFuture<List<String>> {}

    private static List<String> list() {
        List<String> list = new ArrayList<>();
        list.add("a");
        list.add("b");
        return list;
    }

    private static void empty(List<String> list) {
        Told.that(list, "[]");
    }

    private static void full(List<String> list) {
        Told.that(list, "[a, b]");
    }

    public static void main(String[] args) throws Exception {
        futures();
        references();
        atomics();
        streams();
        collectors();
        many();
        harmless();
    }

    static void futures() throws Exception {
        List<String> list = list();
        CompletableFuture<List<String>> future = new CompletableFuture<>();
        future.complete(list);
        future.thenAccept(List::clear);
        empty(list);
        List<String> own = list();
        Task task = new Task();
        task.complete(own);
        task.thenAccept(List::clear);
        empty(own);
        List<String> both = list();
        CompletableFuture<List<String>> one = CompletableFuture.completedFuture(both);
        one.thenCombine(CompletableFuture.completedFuture("c"), List::add);
        Told.that(both, "[a, b, c]");
        List<String> thrown = list();
        CompletableFuture<List<String>> failed = new CompletableFuture<>();
        failed.whenComplete((value, error) -> {}).thenAccept(List::clear);
        failed.complete(thrown);
        Told.list(thrown);
    }

    static void references() {
        List<String> list = list();
        ThreadLocal<List<String>> local = ThreadLocal.withInitial(ArrayList::new);
        local.set(list);
        Optional.of(local).map(ThreadLocal::get).ifPresent(List::clear);
        empty(list);
        List<String> weakly = list();
        WeakReference<List<String>> weak = new WeakReference<>(weakly);
        Stream.of(weak).map(WeakReference::get).forEach(List::clear);
        empty(weakly);
        List<String> softly = list();
        Optional.of(new SoftReference<>(softly)).map(SoftReference::get).ifPresent(List::clear);
        empty(softly);
    }

    static void atomics() {
        List<String> list = list();
        AtomicReferenceArray<List<String>> array = new AtomicReferenceArray<>(2);
        array.set(0, list);
        array.set(1, list());
        IntStream.range(0, 2).mapToObj(array::get).forEach(List::clear);
        empty(list);
        List<String> stamped = list();
        AtomicStampedReference<List<String>> stamp = new AtomicStampedReference<>(null, 0);
        stamp.set(stamped, 1);
        Stream.of(stamp).map(AtomicStampedReference::getReference).forEach(List::clear);
        empty(stamped);
        List<String> referred = list();
        AtomicReference<List<String>> reference = new AtomicReference<>();
        reference.set(referred);
        Optional.of(reference).map(AtomicReference::get).ifPresent(List::clear);
        empty(referred);
    }

    static void streams() {
        List<String> list = list();
        Stream.Builder<List<String>> builder = Stream.builder();
        builder.add(list());
        builder.add(list);
        builder.build().forEach(List::clear);
        empty(list);
        List<List<String>> all = new ArrayList<>();
        all.add(list());
        Iterator<List<String>> step = all.iterator();
        List<String> last = all.get(0);
        step.forEachRemaining(List::clear);
        empty(last);
    }

    static void collectors() {
        List<String> list = list();
        List<List<String>> all = new ArrayList<>();
        all.add(list);
        all.add(new ArrayList<>());
        Map<Boolean, List<List<String>>> parts = all.stream().collect(Collectors.partitioningBy(List::isEmpty));
        parts.values().stream().flatMap(List::stream).forEach(List::clear);
        empty(list);
        List<String> mapped = list();
        Map<String, List<List<String>>> groups = new TreeMap<>();
        groups.computeIfAbsent("x", key -> new ArrayList<>()).add(mapped);
        groups.values().forEach(inner -> inner.forEach(List::clear));
        empty(mapped);
        List<String> deep = list();
        Map<String, Map<String, List<String>>> nested = new HashMap<>();
        nested.computeIfAbsent("x", key -> new HashMap<>()).put("y", deep);
        nested.values().stream().map(Map::values).flatMap(Collection::stream).forEach(List::clear);
        empty(deep);
        List<String> four = list();
        List<List<List<List<String>>>> lists = new ArrayList<>(List.of(new ArrayList<>(List.of(new ArrayList<>(List.of(four))))));
        lists.stream().flatMap(List::stream).flatMap(List::stream).forEach(List::clear);
        empty(four);
    }

    /** More than is remembered behind one object. */
    static void many() {
        List<List<String>> all = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            all.add(list());
        }
        List<String> last = all.get(11);
        Stream<List<String>> stream = Stream.of(
                all.get(0), all.get(1), all.get(2), all.get(3), all.get(4), all.get(5), all.get(6), all.get(7), all.get(8), all.get(9), all.get(10), last);
        stream.forEach(List::clear);
        empty(last);
        List<String> tail = list();
        Supplier<Stream<List<String>>> made = () -> Stream.concat(all.stream(), Stream.of(tail));
        made.get().forEach(List::clear);
        empty(tail);
    }

    /** What such a reference leaves as it is stays known. */
    static void harmless() {
        List<String> list = list();
        list.stream().map(String::length).forEach(Integer::toBinaryString);
        full(list);
        list.stream().map(String::toUpperCase).collect(Collectors.toList());
        full(list);
        list.forEach(System.out::println);
        full(list);
        Map<String, Integer> counts = new TreeMap<>();
        list.forEach(word -> counts.merge(word, 1, Integer::sum));
        Told.map(counts);
        counts.entrySet().stream().map(Map.Entry::getKey).sorted(String::compareTo).forEach(String::trim);
        Told.map(counts);
    }
}
