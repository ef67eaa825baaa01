package odd;

import java.util.Arrays;

/**
 * Threads that write side by side into shared arrays and an object, each its own element and field, and show them to
 * code out of the scope while the others write. Next to that each has an array of its own, which such code fills.
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
    private final Box box = new Box();

    public static void main(String[] args) throws InterruptedException {
        Together together = new Together();
        Thread[] all = new Thread[THREADS];
        for (int me = 0; me < THREADS; me++) {
            int mine = me;
            all[me] = new Thread(() -> together.work(mine), "w" + me);
        }
        for (Thread one : all) {
            one.start();
        }
        for (Thread one : all) {
            one.join();
        }
        System.out.println(Arrays.toString(together.shared));
    }

    private int work(int me) {
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
            if (own[1] != turn || rows[me][0] != turn) {
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
