package odd;

import java.util.Arrays;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Threads that write side by side into shared arrays and an object, each its own element and field, and show them to
 * code out of the scope while the others write. Such code fills an array of each thread's own, one that only a shared
 * array holds, and a part of a shared one; and it hands arrays from thread to thread.
 */
public final class Together {

    static final int THREADS = 4;
    static final int TURNS = 150;

    static final class Box {
        int a;
        int b;
        int c;
        int d;
    }

    private final int[] shared = new int[THREADS];
    private final int[][] rows = new int[THREADS][];
    private final long[] parts = new long[2 * THREADS];
    private final BlockingQueue<int[]> handed = new LinkedBlockingQueue<>();
    private final Box box = new Box();

    public static void main(String[] args) throws InterruptedException {
        Together together = new Together();
        Thread[] all = new Thread[THREADS];
        for (int me = 0; me < THREADS; me++) {
            int mine = me;
            all[me] = new Thread(() -> together.run(mine), "w" + me);
        }
        for (Thread one : all) {
            one.start();
        }
        for (Thread one : all) {
            one.join();
        }
        System.out.println(Arrays.toString(together.shared));
    }

    private void run(int me) {
        try {
            work(me);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private int work(int me) throws InterruptedException {
        int[] own = new int[3];
        int seen = 0;
        for (int turn = 1; turn <= TURNS; turn++) {
            shared[me] += 1;
            seen ^= Arrays.hashCode(shared);
            count(me);
            seen ^= System.identityHashCode(box);
            rows[me] = new int[] {turn};
            seen ^= Arrays.asList(rows).size();
            Arrays.fill(own, turn);
            Arrays.fill(rows[me], -turn);
            Arrays.fill(parts, 2 * me, 2 * me + 2, turn);
            handed.add(rows[me]);
            int[] taken = handed.take();
            if (own[1] != turn || rows[me][0] != -turn || parts[2 * me] != turn || taken[0] >= 0) {
                throw new IllegalStateException();
            }
        }
        return seen;
    }

    private void count(int me) {
        switch (me) {
            case 0 -> box.a += 1;
            case 1 -> box.b += 1;
            case 2 -> box.c += 1;
            default -> box.d += 1;
        }
    }
}
