import java.lang.reflect.Field;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.util.*;
import java.util.concurrent.*;
import java.util.stream.*;

/** Values that come from {@code a()} by way of the JDK, of whose inside nothing is recorded. Each method yields such a value. */
public final class Borrowed {
    record R(int v) {}

    static final class P {
        public int v;
    }

    static int a() {
        return 1;
    }

    static final List<Integer> KEPT = new ArrayList<>();

    static int c() {
        return 2;
    }

    static void both() {
        KEPT.add(a());
        KEPT.add(c());
    }

    static int eq() {
        return new R(a()).equals(new R(1)) ? 7 : 8;
    }

    static int key() {
        Map<R, Integer> m = new HashMap<>();
        m.put(new R(a()), 5);
        return m.getOrDefault(new R(1), 0);
    }

    static int chars() {
        char[] c = {(char) ('0' + a())};
        return new String(c).charAt(0);
    }

    static int appended() {
        char[] c = {(char) ('0' + a())};
        StringBuilder text = new StringBuilder();
        text.append(c);
        return text.charAt(0);
    }

    static int copy() {
        List<Integer> l = new ArrayList<>();
        l.add(a());
        List<Integer> k = new ArrayList<>(l);
        return k.get(0);
    }

    static int poured() {
        List<Integer> l = new ArrayList<>();
        l.add(a());
        List<Integer> k = new LinkedList<>();
        k.addAll(l);
        return k.get(0);
    }

    static int copied() {
        int[] q = {1, 2}, w = {a(), 5};
        System.arraycopy(w, 0, q, 0, 1);
        return q[0];
    }

    static int buffered() {
        ByteBuffer buffer = ByteBuffer.allocate(8);
        buffer.putInt(a());
        buffer.flip();
        return buffer.getInt();
    }

    static int built() {
        Stream.Builder<Integer> builder = Stream.builder();
        builder.add(a());
        return builder.build().mapToInt(i -> i).sum();
    }

    static int flat() {
        List<List<Integer>> o = new ArrayList<>();
        o.add(new ArrayList<>());
        o.get(0).add(a());
        return o.stream().flatMap(List::stream).mapToInt(i -> i).sum();
    }

    static int reflected() throws Exception {
        P p = new P();
        p.v = a();
        Field field = P.class.getField("v");
        return field.getInt(p);
    }

    static String message() {
        return new IllegalStateException("m" + a()).getMessage();
    }

    static int decimal() {
        return new BigDecimal("1" + a()).intValue();
    }

    static String joined() {
        StringJoiner joiner = new StringJoiner(",");
        joiner.add("x" + a());
        return joiner.toString();
    }

    static int local() {
        ThreadLocal<Integer> local = new ThreadLocal<>();
        local.set(a());
        return local.get();
    }

    static int ran() throws Exception {
        FutureTask<Integer> task = new FutureTask<>(() -> a());
        task.run();
        return task.get();
    }

    static int queued() throws Exception {
        BlockingQueue<Integer> queue = new ArrayBlockingQueue<>(3);
        queue.put(a());
        return queue.take();
    }

    static int completed() {
        CompletableFuture<Integer> future = new CompletableFuture<>();
        future.complete(a());
        return future.join();
    }

    static long summed() {
        IntSummaryStatistics all = new IntSummaryStatistics();
        all.accept(a());
        return all.getSum();
    }

    public static void main(String[] args) throws Exception {
        long sum = eq() + key() + chars() + appended() + copy() + poured() + copied() + buffered() + built() + flat();
        sum += reflected() + message().length() + decimal() + joined().length() + local() + ran() + queued() + completed() + summed();
        both();
        System.out.println(sum);
    }
}
