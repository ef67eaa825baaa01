import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Texts that the JDK makes and puts somewhere before anybody of the scope has them. */
final class Joins {
    private final Map<String, String> all = new LinkedHashMap<>();

    private String put(String key, String value) {
        return all.merge(key, value, String::concat);
    }

    public static void main(String[] args) {
        Joins joins = new Joins();
        for (int i = 0; i < 12; i++) {
            String joined = joins.put("k" + i % 3, "v" + i);
            System.out.println(joined + joined.length());
        }
        Map<String, String> upper = new TreeMap<>();
        System.out.println(upper.computeIfAbsent("a" + args.length, String::toUpperCase) + upper.get("a0"));
        System.out.println(upper.compute("a0", (key, value) -> key + value) + upper.replace("a0", "x" + upper.size()));
        upper.replaceAll((key, value) -> value.repeat(2));
        System.out.println(upper.remove("a0"));
        List<String> lines = new ArrayList<>(List.of(" a ", "b ", " c" + args.length));
        lines.replaceAll(String::trim);
        System.out.println(lines.get(0) + lines.get(2) + lines.set(1, "z" + lines.size()) + lines.get(1));
        Deque<String> words = new ArrayDeque<>(Arrays.asList("one two three".split(" ")));
        System.out.println(words.poll() + words.pollLast() + words.peek());
        System.out.println(Stream.of("p", "q").map(String::toUpperCase).collect(Collectors.toCollection(ArrayList::new)).get(1));
        Map<Integer, String> byLength = Stream.of("aa", "b", "cc").collect(Collectors.toMap(String::length, String::strip, String::concat, HashMap::new));
        System.out.println(byLength.get(2) + byLength.get(1));
        Optional<String> some = Optional.of(" s" + args.length).map(String::strip);
        System.out.println(some.get() + some.orElse("none"));
        AtomicReference<String> last = new AtomicReference<>("l");
        System.out.println(last.accumulateAndGet("m" + args.length, String::concat) + last.get() + last.getAndUpdate(String::toUpperCase) + last.get());
    }
}
