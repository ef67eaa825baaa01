import java.util.concurrent.CompletableFuture;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Threads hand a number on, in all the ways that Java has; whoever has it calls `step` with it. So calls of `step` have an order. */
public final class Tokens {
    static final int ROUNDS = 60;
    static long steps;
    static volatile long flag;
    static long guarded;

    static void step(long number) {
        steps = steps * 31 + number;
    }

    interface Way {
        /** Waits until the number is one of this thread. */
        long take(int thread, int threads) throws Exception;

        void give(long number) throws Exception;
    }

    static final class Monitor implements Way {
        private final Object lock = new Object();
        private long number;

        public long take(int thread, int threads) throws Exception {
            synchronized (lock) {
                while (number % threads != thread) {
                    lock.wait();
                }
                return number;
            }
        }

        public void give(long next) {
            synchronized (lock) {
                number = next;
                lock.notifyAll();
            }
        }
    }

    static final class Methods implements Way {
        private long number;

        private synchronized long number() {
            return number;
        }

        public long take(int thread, int threads) {
            while (number() % threads != thread) {
                Thread.onSpinWait();
            }
            return number();
        }

        public synchronized void give(long next) {
            number = next;
        }
    }

    static final class Volatile implements Way {
        private volatile long number;

        public long take(int thread, int threads) {
            while (number % threads != thread) {
            }
            return number;
        }

        public void give(long next) {
            number = next;
        }
    }

    static final class Atomic implements Way {
        private final AtomicLong number = new AtomicLong();

        public long take(int thread, int threads) {
            while (number.get() % threads != thread) {
                Thread.yield();
            }
            return number.get();
        }

        public void give(long next) {
            number.compareAndSet(next - 1, next);
        }
    }

    static final class Lock implements Way {
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition given = lock.newCondition();
        private long number;

        public long take(int thread, int threads) throws Exception {
            lock.lock();
            try {
                while (number % threads != thread) {
                    given.await();
                }
                return number;
            } finally {
                lock.unlock();
            }
        }

        public void give(long next) {
            lock.lock();
            try {
                number = next;
                given.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }

    static final class Queue implements Way {
        private final SynchronousQueue<Long>[] queues;
        private boolean begun;

        @SuppressWarnings("unchecked")
        Queue(int threads) {
            queues = new SynchronousQueue[threads];
            for (int i = 0; i < threads; i++) {
                queues[i] = new SynchronousQueue<>();
            }
        }

        public long take(int thread, int threads) throws Exception {
            if (thread == 0 && !begun) {
                begun = true;
                return 0;
            }
            return queues[thread].take();
        }

        public void give(long next) throws Exception {
            if (next < ROUNDS) {
                queues[(int) (next % queues.length)].put(next);
            }
        }
    }

    static void pass(String name, Way way, int threads) throws Exception {
        Thread[] all = new Thread[threads];
        for (int i = 0; i < threads; i++) {
            int mine = i;
            all[i] = new Thread(() -> run(way, mine, threads), name + mine);
            all[i].start();
        }
        for (Thread thread : all) {
            thread.join();
        }
        System.out.println(name + " " + steps);
    }

    private static void run(Way way, int mine, int threads) {
        try {
            for (int round = mine; round < ROUNDS; round += threads) {
                long number = way.take(mine, threads);
                step(number);
                way.give(number + 1);
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    static void started() throws Exception {
        for (int i = 0; i < ROUNDS; i++) {
            int number = i;
            Thread thread = new Thread(() -> step(number));
            thread.start();
            thread.join();
        }
        System.out.println("start " + steps);
    }

    static void completed() throws Exception {
        CompletableFuture<Long> chain = CompletableFuture.completedFuture(0L);
        for (int i = 0; i < ROUNDS; i++) {
            chain = chain.thenApplyAsync(number -> {
                step(number);
                return number + 1;
            });
        }
        System.out.println("future " + chain.get() + " " + steps);
    }

    public static void main(String[] args) throws Exception {
        pass("monitor", new Monitor(), 3);
        pass("methods", new Methods(), 2);
        pass("volatile", new Volatile(), 2);
        pass("atomic", new Atomic(), 3);
        pass("lock", new Lock(), 3);
        pass("queue", new Queue(3), 3);
        started();
        completed();
    }
}
