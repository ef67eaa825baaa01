package held;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What threads share, under locks and without any. What a lock guards is told by whoever has it; the rest where all threads wait for each other,
 * and when they have ended.
 */
public final class Sharing {
    private static final int THREADS = 4;
    private static final int ROUNDS = 12;

    private final List<Integer> list = new ArrayList<>();
    private final TreeMap<Integer, String> sorted = new TreeMap<>();
    private final ArrayDeque<Integer> deque = new ArrayDeque<>();
    private final ReentrantLock lock = new ReentrantLock();
    private final ConcurrentHashMap<Integer, Integer> counts = new ConcurrentHashMap<>();
    private final Queue<Integer> queue = new ConcurrentLinkedQueue<>();
    private final List<Integer> wrapped = Collections.synchronizedList(new ArrayList<>());
    private final AtomicInteger total = new AtomicInteger();
    private final AtomicReference<String> last = new AtomicReference<>("none");

    private void guarded(Random dice, int number) {
        synchronized (list) {
            switch (dice.nextInt(6)) {
                case 0 -> list.add(number);
                case 1 -> list.add(0, -number);
                case 2 -> list.removeIf(one -> one % 3 == 0);
                case 3 -> {
                    if (!list.isEmpty()) {
                        list.subList(0, 1).clear();
                    }
                }
                case 4 -> {
                    Iterator<Integer> all = list.iterator();
                    if (all.hasNext() && all.next() % 2 == 0) {
                        all.remove();
                    }
                }
                default -> Collections.reverse(list);
            }
            Told.list(list);
        }
        lock.lock();
        try {
            switch (dice.nextInt(4)) {
                case 0 -> sorted.put(number % 7, "n" + number);
                case 1 -> sorted.pollFirstEntry();
                case 2 -> sorted.computeIfAbsent(number % 5, key -> "made " + key);
                default -> sorted.headMap(2).clear();
            }
            if (dice.nextBoolean()) {
                deque.push(number);
            } else {
                deque.pollLast();
            }
            Told.map(sorted);
            Told.list(deque);
        } finally {
            lock.unlock();
        }
    }

    private void free(Random dice, int number) {
        switch (dice.nextInt(5)) {
            case 0 -> counts.merge(number % 4, 1, Integer::sum);
            case 1 -> counts.remove(number % 4);
            case 2 -> queue.add(number);
            case 3 -> queue.poll();
            default -> wrapped.add(number);
        }
        if (wrapped.size() > 6) {
            wrapped.remove(0);
        }
        total.addAndGet(number);
        last.set("thread " + number % THREADS);
    }

    private void told() {
        Told.map(counts);
        Told.list(queue);
        Told.list(wrapped);
        Told.value(total, total.get());
        Told.value(last, last.get());
        Told.list(list);
        Told.map(sorted);
    }

    private void work(int thread, CyclicBarrier barrier) {
        Random dice = new Random(thread);
        try {
            for (int round = 0; round < ROUNDS; round++) {
                for (int step = 0; step < 5; step++) {
                    int number = (round * 5 + step) * THREADS + thread;
                    guarded(dice, number);
                    free(dice, number);
                }
                barrier.await();
                if (thread == 0) {
                    told();
                }
                barrier.await();
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Sharing sharing = new Sharing();
        CyclicBarrier barrier = new CyclicBarrier(THREADS);
        List<Thread> threads = new ArrayList<>();
        for (int thread = 0; thread < THREADS; thread++) {
            int number = thread;
            threads.add(new Thread(() -> sharing.work(number, barrier), "worker " + thread));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        sharing.told();
        Map<Integer, Integer> copy = new TreeMap<>(sharing.counts);
        Told.map(copy);
    }
}
