package snap;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Collections that other threads change while calls are shown them. Each change is one call of the JDK, behind which
 * the collection holds so many equal items: whatever else a snapshot shows was never there.
 */
public final class Meanwhile {
    static volatile boolean done;

    static final class Held {
        final List<Integer> list = new ArrayList<>(List.of(0, 0, 0, 0));
        final StringBuilder text = new StringBuilder("0000");
        final Deque<Integer> deque = new ArrayDeque<>(List.of(0, 0, 0, 0));
        final Map<Integer, Integer> hash = new HashMap<>();
        final Map<Integer, Integer> tree = new TreeMap<>();
        final LinkedBlockingQueue<Integer> queue = new LinkedBlockingQueue<>();
    }

    /** It is shown what others change; nothing of its own does. */
    static int look(Held held, List<Integer> own, int nth) {
        own.add(nth);
        return held == null ? 0 : nth;
    }

    private Meanwhile() {}

    public static void main(String[] args) throws InterruptedException {
        Held held = new Held();
        for (int key = 0; key < 8; key++) {
            held.hash.put(key, 0);
            held.tree.put(key, 0);
        }
        Thread writer = new Thread(() -> Writer.run(held));
        Thread waiter = new Thread(() -> Writer.await(held));
        waiter.setDaemon(true);
        writer.start();
        waiter.start();
        List<Integer> own = new ArrayList<>();
        int times = args.length > 0 ? Integer.parseInt(args[0]) : 60;
        for (int nth = 0; nth < times; nth++) look(held, own, nth);
        done = true;
        writer.join();
        System.out.println("looked " + own.size());
    }
}
