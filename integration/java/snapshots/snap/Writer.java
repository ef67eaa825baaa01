package snap;

import java.util.Collections;
import java.util.List;

/** Changes collections all the time. It is left out of the scope, so that nothing holds it up. */
final class Writer {
    private Writer() {}

    static void run(Meanwhile.Held held) {
        for (int nth = 1; !Meanwhile.done; nth = nth % 9 + 1) {
            int next = nth;
            held.list.replaceAll(old -> next);
            held.list.addAll(List.of(next, next, next, next));
            held.list.subList(0, 4).clear();
            held.text.append(("" + next).repeat(4)).delete(0, 4);
            held.deque.addAll(List.of(next, next, next, next));
            for (int times = 0; times < 4; times++) held.deque.pollFirst();
            held.hash.keySet().removeAll(List.of(8, 9));
            held.hash.put(8, 0);
            held.tree.remove(3);
            held.tree.put(3, 0);
            held.queue.add(next);
        }
    }

    static void await(Meanwhile.Held held) {
        try {
            while (!Meanwhile.done) held.queue.take();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
