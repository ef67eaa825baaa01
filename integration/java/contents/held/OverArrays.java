package held;

import java.nio.CharBuffer;
import java.util.*;

/** Lists over arrays that both write, beside collections that have nothing to do with them. */
final class OverArrays {
    private OverArrays() {}

    private static final List<String> LOG = new ArrayList<>();
    private static final Map<String, Integer> COUNTS = new LinkedHashMap<>();

    public static void main(String[] args) {
        LOG.add("begins");
        COUNTS.put("a", 1);
        String[] names = {"x", "y", "z"};
        List<String> first = Arrays.asList(names);
        Told.list(LOG);
        Told.map(COUNTS);
        Told.list(first);
        List<String> second = Arrays.asList(names);
        Told.list(first);
        first.set(0, "changed");
        Told.list(first);
        Told.list(second);
        names[1] = "by the array";
        Told.list(first);
        Told.list(second);
        Collections.reverse(second);
        Told.list(first);
        Told.list(second);
        second.replaceAll(name -> name + "!");
        Told.list(first);
        List<String> part = first.subList(1, 3);
        Arrays.sort(names);
        Told.list(first);
        Told.list(second);
        Told.list(part);
        char[] letters = "letters".toCharArray();
        CharBuffer buffer = CharBuffer.wrap(letters);
        buffer.put('L');
        Told.list(LOG);
        Told.map(COUNTS);
        LOG.add("ends");
        COUNTS.merge("a", 5, Integer::sum);
        Told.list(LOG);
        Told.map(COUNTS);
        Told.list(first);
    }
}
