package held;

import java.util.Iterator;
import java.util.Map;

/** The program's own word of what something holds: its text, which a test compares with the recorded content. */
final class Told {
    private Told() {}

    /** Here the recorded content of {@code held} is to be what {@code text} says. */
    static void that(Object held, String text) {}

    static void list(Iterable<?> held) {
        StringBuilder text = new StringBuilder("[");
        Iterator<?> all = held.iterator();
        while (all.hasNext()) {
            Object element = all.next();
            text.append(text.length() > 1 ? ", " : "").append(one(element));
        }
        that(held, text.append("]").toString());
    }

    static void map(Map<?, ?> held) {
        StringBuilder text = new StringBuilder("{");
        for (Map.Entry<?, ?> entry : held.entrySet()) {
            text.append(text.length() > 1 ? ", " : "");
            text.append(one(entry.getKey())).append("=").append(one(entry.getValue()));
        }
        that(held, text.append("}").toString());
    }

    static void text(CharSequence held) {
        that(held, held.toString());
    }

    static void value(Object held, Object value) {
        that(held, one(value));
    }

    /** Objects of which nothing is known but their class are told by it. */
    static String one(Object element) {
        if (element == null) {
            return "null";
        }
        boolean told = element instanceof String || element instanceof Number || element instanceof Boolean
                || element instanceof Character || element instanceof Enum<?>;
        return told ? String.valueOf(element) : element.getClass().getName();
    }
}
