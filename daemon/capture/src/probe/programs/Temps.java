import java.util.*;
import java.util.function.*;
import java.util.stream.*;

/** Objects that are made and handed on at once: no variable holds them. */
public class Temps {
    static List<String> merge(List<String> a, List<String> b) {
        a.addAll(b);
        return a;
    }
    static class Box {
        final List<String> items;
        Box(List<String> items) { this.items = items; }
        int size() { return items.size(); }
    }
    public static void main(String[] args) {
        Map<String, List<String>> map = new TreeMap<>();
        for (String word : "one two three four five six".split(" ")) {
            map.merge(word.substring(0, 1), new ArrayList<>(List.of(word)), (a, b) -> {
                a.addAll(b);
                return a;
            });
        }
        int n = Optional.of(new ArrayList<String>()).map(x -> { x.add("k"); return x; }).get().size();
        List<StringBuilder> builders = new ArrayList<>();
        builders.add(new StringBuilder("a"));
        builders.add(new StringBuilder("b"));
        builders.forEach(b -> b.append("!"));
        for (StringBuilder b : builders) { n += b.length(); }
        Function<List<String>, Box> make = Box::new;
        Box box = make.apply(new LinkedList<>(List.of("x", "y")));
        n += box.size();
        Supplier<Deque<Integer>> deques = ArrayDeque::new;
        Deque<Integer> deque = deques.get();
        deque.push(3);
        Deque<Deque<Integer>> nested = new ArrayDeque<>();
        nested.push(new ArrayDeque<>(List.of(1, 2)));
        nested.push(deque);
        for (Deque<Integer> one : nested) { n += one.size(); }
        BinaryOperator<List<String>> merger = Temps::merge;
        List<String> merged = merger.apply(new ArrayList<>(List.of("p")), new ArrayList<>(List.of("q")));
        n += merged.size();
        List<List<Integer>> lists = Stream.of(1, 2, 3).map(i -> new ArrayList<>(List.of(i))).collect(Collectors.toList());
        lists.forEach(l -> l.add(9));
        n += lists.get(0).size();
        Iterator<Object> objects = new ArrayList<Object>(Arrays.asList(new Object(), new Date(5))).iterator();
        while (objects.hasNext()) { Object o = objects.next(); n += o instanceof Date ? 1 : 2; }
        System.out.println(map + " " + n);
    }
}
