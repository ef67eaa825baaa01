package held;

import java.util.*;
import java.util.concurrent.*;

/** Collections that are not what they seem: overridden, failing, of another's making, large, shared. */
public final class Odd {
    /** Says something else than it holds. */
    static final class Liar extends ArrayList<String> {
        private static final long serialVersionUID = 1;

        @Override public int size() {
            throw new IllegalStateException("not told");
        }

        @Override public String get(int at) {
            return "a lie";
        }

        @Override public boolean add(String element) {
            return super.add(element + "!");
        }
    }

    /** Nobody but its author knows how it holds what it holds. */
    static final class Own extends AbstractList<String> {
        private final String[] parts = {"x", "y"};

        @Override public String get(int at) {
            return parts[at];
        }

        @Override public int size() {
            return parts.length;
        }
    }

    public static void main(String[] args) throws Exception {
        Liar liar = new Liar();
        liar.add("one");
        liar.add("two");
        Told.that(liar, "[one!, two!]");
        liar.clear();
        Told.that(liar, "[]");
        Map<Object, Object> map = new HashMap<>();
        map.put("self", map);
        Told.map(map);
        Told.that(new Own(), "unknown");
        large();
        together();
        oneAfterTheOther();
    }

    static void large() {
        List<Integer> list = new ArrayList<>(Collections.nCopies(10_000_000, 7));
        list.add(8);
        list.set(5, 9);
        Told.that(list, "large");
        list.subList(3, list.size()).clear();
        Told.list(list);
        Map<Integer, Integer> map = new HashMap<>();
        for (int i = 0; i < 30_000; i += 1_000) {
            map.put(i, i);
        }
        Told.map(map);
    }

    static void together() throws Exception {
        List<Integer> guarded = new ArrayList<>();
        ConcurrentMap<Integer, Integer> map = new ConcurrentHashMap<>();
        ExecutorService pool = Executors.newFixedThreadPool(3);
        for (int worker = 0; worker < 3; worker++) {
            int first = worker * 100;
            pool.submit(() -> {
                for (int i = first; i < first + 20; i++) {
                    synchronized (guarded) {
                        guarded.add(i);
                        Told.list(guarded);
                    }
                    map.merge(i % 5, 1, Integer::sum);
                }
            });
        }
        pool.shutdown();
        pool.awaitTermination(1, TimeUnit.MINUTES);
        Told.list(guarded);
        Told.map(map);
    }

    /** Each task begins while another one may be in the middle of a change: what both have is looked at there. */
    static void oneAfterTheOther() throws Exception {
        List<Integer> list = new ArrayList<>();
        Vector<Integer> vector = new Vector<>();
        ExecutorService pool = Executors.newFixedThreadPool(3);
        for (int task = 0; task < 60; task++) {
            int number = task;
            pool.submit(() -> {
                vector.add(number);
                synchronized (list) {
                    list.add(number);
                    Told.list(list);
                }
            });
        }
        pool.shutdown();
        pool.awaitTermination(1, TimeUnit.MINUTES);
        Told.list(list);
        Told.list(vector);
    }
}
