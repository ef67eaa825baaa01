import java.util.ArrayList;
import java.util.List;

/** Threads that compute for long without a call, and then end, or wait for a lock. */
public class Crunch {
    static final long[] results = new long[4];
    static final Object lock = new Object();
    static long sum;

    static void crunch(int which, int rounds) {
        long value = which;
        for (int i = 0; i < rounds; i++) {
            value = value * 31 + (i ^ (value >>> 7));
        }
        results[which] = value;
    }

    static void crunchAndAdd(int which, int rounds) {
        long value = which;
        for (int i = 0; i < rounds; i++) {
            value = value * 31 + (i ^ (value >>> 7));
        }
        synchronized (lock) {
            sum += value;
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            int which = i;
            threads.add(new Thread(() -> crunch(which, 100_000 * which)));
            threads.add(new Thread(() -> crunchAndAdd(which, 80_000 * which)));
        }
        for (Thread thread : threads) {
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        for (long result : results) {
            sum += result;
        }
        System.out.println(sum);
    }
}
