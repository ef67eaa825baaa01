import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Collections that are changed step by step. Tests leave a step out, and see what is said of those behind it. */
public final class Holding {
    static void putIn(Map<String, Integer> map, String key, int value) {
        map.put(key, value);
    }

    static void addTo(List<String> list, String item) {
        list.add(0, item);
    }

    static void setIn(List<String> list, String item) {
        list.set(0, item);
    }

    static void appendTo(StringBuilder text, String part) {
        text.append(part);
    }

    static void map() {
        Map<String, Integer> map = new HashMap<>();
        putIn(map, "tea", 4);
        map.remove("tea");
        putIn(map, "milk", 2);
        map.put("sugar", 1);
        map.remove("milk");
    }

    static void list() {
        List<String> list = new ArrayList<>(List.of("p", "q"));
        list.remove("q");
        addTo(list, "c");
        setIn(list, "d");
        list.clear();
        addTo(list, "e");
    }

    static void text() {
        StringBuilder text = new StringBuilder("left");
        text.setLength(2);
        appendTo(text, "x");
        appendTo(text, "y");
    }

    public static void main(String[] args) {
        map();
        list();
        text();
        System.out.println("done");
    }
}
