import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.concurrent.locks.*;
import java.util.function.*;
import java.util.stream.*;

/** Threads: pools, futures, locks, queues, barriers, timers. */
public class Flow {
    static class Account { private long balance; private final Lock lock = new ReentrantLock(); private final int id; Account(int id, long b) { this.id = id; balance = b; }
        static void move(Account a, Account b, long n) { Account first = a.id < b.id ? a : b, second = first == a ? b : a; first.lock.lock(); try { second.lock.lock(); try { if (a.balance >= n) { a.balance -= n; b.balance += n; } } finally { second.lock.unlock(); } } finally { first.lock.unlock(); } } }
    static class Buffer<T> { private final Object[] items; private int head, count; Buffer(int n) { items = new Object[n]; }
        synchronized void put(T t) throws InterruptedException { while (count == items.length) wait(); items[(head + count++) % items.length] = t; notifyAll(); }
        @SuppressWarnings("unchecked") synchronized T take() throws InterruptedException { while (count == 0) wait(); T t = (T) items[head]; items[head] = null; head = (head + 1) % items.length; count--; notifyAll(); return t; } }
    static class Stats { final LongAdder adder = new LongAdder(); final AtomicInteger most = new AtomicInteger(); final ConcurrentMap<String, Integer> words = new ConcurrentHashMap<>(); volatile boolean done;
        void see(String w) { adder.add(w.length()); most.accumulateAndGet(w.length(), Math::max); words.merge(w, 1, Integer::sum); } }
    static class Fib extends RecursiveTask<Integer> { final int n; Fib(int n) { this.n = n; } @Override protected Integer compute() { if (n < 2) return n; Fib a = new Fib(n - 1); a.fork(); return new Fib(n - 2).compute() + a.join(); } }
    static final ThreadLocal<StringBuilder> LOCAL = ThreadLocal.withInitial(StringBuilder::new);
    static int shared;
    static class Event implements Comparable<Event> { final int at; final Runnable what; Event(int at, Runnable what) { this.at = at; this.what = what; } public int compareTo(Event o) { return Integer.compare(at, o.at); } }
    public static void main(String[] args) throws Exception {
        Account a = new Account(1, 100), b = new Account(2, 100);
        ExecutorService pool = Executors.newFixedThreadPool(3);
        List<Future<?>> futures = new ArrayList<>();
        for (int t = 0; t < 3; t++) { final int seed = t; futures.add(pool.submit(() -> { Random r = new Random(seed); for (int i = 0; i < 20; i++) if (r.nextBoolean()) Account.move(a, b, r.nextInt(30)); else Account.move(b, a, r.nextInt(30)); })); }
        for (Future<?> f : futures) f.get();
        System.out.println(a.balance + b.balance);
        Buffer<String> buffer = new Buffer<>(2);
        Stats stats = new Stats();
        Thread producer = new Thread(() -> { try { for (String w : "the quick brown fox jumps over the lazy dog the end".split(" ")) buffer.put(w); buffer.put(""); } catch (InterruptedException e) { Thread.currentThread().interrupt(); } }, "producer");
        Thread consumer = new Thread(() -> { try { for (String w; !(w = buffer.take()).isEmpty(); ) stats.see(w); stats.done = true; } catch (InterruptedException e) { throw new AssertionError(e); } }, "consumer");
        consumer.start(); producer.start(); producer.join(); consumer.join();
        System.out.println(stats.adder.sum() + " " + stats.most + " " + new TreeMap<>(stats.words) + " " + stats.done);
        CompletableFuture<Integer> length = CompletableFuture.supplyAsync(() -> "hello", pool).thenApply(String::length).thenCombine(CompletableFuture.supplyAsync(() -> 7, pool), (x, y) -> x * y).whenComplete((r, e) -> { if (e != null) throw new IllegalStateException(e); });
        System.out.println(length.get());
        CompletableFuture<String> failed = CompletableFuture.<String>supplyAsync(() -> { throw new IllegalArgumentException("bad"); }, pool).exceptionally(e -> e.getCause().getMessage());
        System.out.println(failed.join());
        System.out.println(new Fib(10).invoke());
        CountDownLatch latch = new CountDownLatch(3); CyclicBarrier barrier = new CyclicBarrier(3); Semaphore one = new Semaphore(1);
        for (int i = 0; i < 3; i++) { int n = i; pool.execute(() -> { try { barrier.await(); one.acquire(); try { shared += n + 1; LOCAL.get().append(n); } finally { one.release(); } } catch (Exception e) { e.printStackTrace(); } latch.countDown(); }); }
        latch.await();
        System.out.println(shared);
        List<Callable<Integer>> tasks = IntStream.range(0, 6).<Callable<Integer>>mapToObj(i -> () -> i * i).collect(Collectors.toList());
        int sum = 0; for (Future<Integer> f : pool.invokeAll(tasks)) sum += f.get();
        System.out.println(sum);
        PriorityQueue<Event> queue = new PriorityQueue<>(); StringBuilder trace = new StringBuilder();
        for (int i = 0; i < 5; i++) { int n = i; queue.add(new Event(i * 7 % 5, () -> { trace.append(n); if (n == 2) queue.add(new Event(9, () -> trace.append("!"))); })); }
        while (!queue.isEmpty()) queue.poll().what.run();
        System.out.println(trace);
        ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(r -> { Thread t = new Thread(r, "timer"); t.setDaemon(true); return t; });
        ScheduledFuture<String> later = timer.schedule(() -> "later", 5, TimeUnit.MILLISECONDS);
        System.out.println(later.get());
        ReadWriteLock rw = new ReentrantReadWriteLock(); Condition ready; Lock plain = new ReentrantLock(); ready = plain.newCondition(); int[] box = new int[1];
        Thread waiter = new Thread(() -> { plain.lock(); try { while (box[0] == 0) ready.await(); box[0]++; } catch (InterruptedException e) { box[0] = -9; } finally { plain.unlock(); } });
        waiter.start(); plain.lock(); try { box[0] = 41; ready.signalAll(); } finally { plain.unlock(); } waiter.join();
        rw.readLock().lock(); System.out.println(box[0]); rw.readLock().unlock();
        Thread sleeper = new Thread(() -> { try { Thread.sleep(60_000); } catch (InterruptedException e) { box[0] = 7; } }); sleeper.start(); sleeper.interrupt(); sleeper.join(); System.out.println(box[0]);
        Exchanger<String> exchanger = new Exchanger<>(); Future<String> swapped = pool.submit(() -> exchanger.exchange("ping")); System.out.println(exchanger.exchange("pong") + swapped.get());
        pool.shutdown(); timer.shutdownNow(); System.out.println(pool.awaitTermination(5, TimeUnit.SECONDS));
        System.out.println(IntStream.range(0, 50).parallel().map(i -> i % 7).sum());
    }
}
