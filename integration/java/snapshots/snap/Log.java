package snap;

import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What the program itself says that its calls were shown and yielded. It is left out of the scope. A line is
 * {@code CALL|start or end|PATH|TEXT}, where a path begins with the name of a parameter and goes on with fields and
 * positions; {@code ?REASON} in the place of a text says that it must be missing, and why.
 */
final class Log {
    private static final Map<String, Integer> calls = new HashMap<>();
    private static final ThreadLocal<List<String>> running = ThreadLocal.withInitial(ArrayList::new);

    private Log() {}

    /** A call of a method begins: paths and what they lead to in turn. */
    static synchronized void enter(String method, Object... shown) {
        String call = method + "#" + (calls.merge(method, 1, Integer::sum) - 1);
        running.get().add(call);
        tell(call, "start", shown);
    }

    /** The call that began last ends. */
    static synchronized void exit(Object... shown) {
        List<String> all = running.get();
        tell(all.remove(all.size() - 1), "end", shown);
    }

    private static void tell(String call, String when, Object... shown) {
        for (int at = 0; at < shown.length; at += 2) {
            System.out.println(call + "|" + when + "|" + shown[at] + "|" + text(shown[at + 1]));
        }
    }

    /** As the test writes what is recorded. */
    static String text(Object value) {
        if (value instanceof Missing) return "?" + ((Missing) value).reason;
        if (value instanceof CharSequence || value instanceof Enum) return value.toString();
        if (value instanceof Optional) return ((Optional<?>) value).map(held -> "(" + text(held) + ")").orElse("()");
        if (value instanceof AtomicInteger) return "(" + value + ")";
        if (value instanceof Collection) {
            List<String> all = new ArrayList<>();
            for (Object item : (Collection<?>) value) all.add(text(item));
            return all.toString();
        }
        if (value instanceof Map) {
            List<String> all = new ArrayList<>();
            ((Map<?, ?>) value).forEach((key, held) -> all.add(text(key) + "=" + text(held)));
            return all.toString();
        }
        if (value instanceof Record) {
            List<String> all = new ArrayList<>();
            for (var part : value.getClass().getRecordComponents()) {
                try {
                    all.add(part.getName() + "=" + text(part.getAccessor().invoke(value)));
                } catch (ReflectiveOperationException e) {
                    throw new AssertionError(e);
                }
            }
            return all.toString();
        }
        if (value != null && value.getClass().isArray()) return "length " + Array.getLength(value);
        if (value == null || value.getClass().getPackageName().equals("java.lang")) return String.valueOf(value);
        return value.getClass().getName();
    }

    /** Something that must not be recorded. */
    record Missing(String reason) {}
}
