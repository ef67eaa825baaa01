import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.TreeMap;

/** Constructors of the JDK that call methods of the scope on the objects that they make. */
public class Constructs {
    static int filled;

    /** Without a trace: `Throwable` calls this before it has its message. */
    static class Quick extends RuntimeException {
        final int code;

        Quick(String message, int code) {
            super(message);
            this.code = code;
        }

        @Override
        public synchronized Throwable fillInStackTrace() {
            filled++;
            return this;
        }
    }

    /** The same below another class of the scope, with a cause. */
    static class Slow extends Quick {
        Slow(Throwable cause) {
            super("slow: " + cause.getMessage(), 7);
            initCause(cause);
        }

        @Override
        public synchronized Throwable fillInStackTrace() {
            return super.fillInStackTrace();
        }
    }

    /** `HashSet` adds what it is given by the method that is written here. */
    static class Counting extends HashSet<String> {
        int added;

        Counting(Collection<String> from) {
            super(from);
        }

        @Override
        public boolean add(String text) {
            added++;
            return super.add(text);
        }
    }

    /** Two of them at once: one makes the other while it is made. */
    static class Nested extends ArrayList<Object> {
        Nested inner;

        Nested(Collection<Object> from) {
            super(from);
        }

        @Override
        public int size() {
            return super.size();
        }
    }

    /** Gives itself to what it copies. */
    static class Source extends ArrayList<Object> {
        @Override
        public Object[] toArray() {
            filled += 100;
            if (filled < 400) {
                add(new Nested(new Source()));
            }
            return super.toArray();
        }
    }

    static int thrown(int turns) {
        int sum = 0;
        for (int i = 0; i < turns; i++) {
            try {
                if (i % 3 == 0) {
                    throw new Quick("quick " + i, i);
                }
                throw new Slow(new Quick("cause " + i, -i));
            } catch (Quick e) {
                sum += e.code + e.getMessage().length();
            }
        }
        return sum;
    }

    public static void main(String[] args) {
        System.out.println(thrown(7) + " " + filled);
        Quick kept = new Quick(null, 1);
        Counting counting = new Counting(List.of("one", "two", "three"));
        System.out.println(counting.added + " " + counting.size() + " " + kept.code);
        Nested nested = new Nested(new Source());
        nested.inner = new Nested(nested);
        System.out.println(nested.size() + " " + nested.inner.size() + " " + filled);
        TreeMap<String, Integer> lengths = new TreeMap<>();
        for (String text : counting) {
            lengths.put(text, text.length());
        }
        System.out.println(lengths);
    }
}
