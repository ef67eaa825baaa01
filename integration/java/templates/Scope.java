package templates;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;

/** What names mean: a frame for the template and one for each loop that is being gone through, the innermost first. */
final class Scope {
    private final Deque<Map<String, Object>> frames = new ArrayDeque<>();

    Scope(Map<String, Object> names) {
        frames.push(new HashMap<>(names));
    }

    void enter() {
        frames.push(new HashMap<>());
    }

    void leave() {
        frames.pop();
    }

    void define(String name, Object value) {
        frames.peek().put(name, value);
    }

    /** The meaning of a name in the innermost frame that has it. */
    Optional<Object> lookup(String name) {
        for (Iterator<Map<String, Object>> all = frames.descendingIterator(); all.hasNext(); ) {
            Map<String, Object> frame = all.next();
            if (frame.containsKey(name)) return Optional.of(frame.get(name));
        }
        return Optional.empty();
    }
}
