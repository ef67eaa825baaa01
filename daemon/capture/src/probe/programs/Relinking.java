import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.IntUnaryOperator;

/**
 * Has lambdas in three threads until its input ends, and says how often each thread had them. A JVM links all places where a class
 * has lambdas anew when the class gets other code: each prepares a class.
 */
public final class Relinking {
    static final int THREADS = 3;
    static final AtomicIntegerArray PASSES = new AtomicIntegerArray(THREADS);

    static int lambdas(int n) {
        IntUnaryOperator[] all = {
            x -> x + n,
            x -> x - n,
            x -> x * n,
            x -> n - x,
            x -> x ^ n,
            x -> x & n,
            x -> x | n,
            x -> x << n,
            x -> x >> n,
            x -> x % n,
            x -> x / n,
            x -> x + 2 * n,
            x -> x - 2 * n,
            x -> x * 2 + n,
            x -> x * 3 - n,
            x -> x + n * n,
            x -> n * n - x,
            x -> ~x + n,
            x -> x >>> n,
            x -> x * x + n,
            x -> x * x - n,
            x -> x + n + 1,
            x -> x - n - 1,
            x -> x + n - 1,
        };
        int value = n;
        for (IntUnaryOperator one : all) {
            value = one.applyAsInt(value);
        }
        return value;
    }

    static void pass(int thread) {
        try {
            while (true) {
                lambdas(thread + 1);
                PASSES.incrementAndGet(thread);
                Thread.sleep(2);
            }
        } catch (InterruptedException unexpected) {
            throw new AssertionError(unexpected);
        }
    }

    public static void main(String[] args) throws Exception {
        for (int number = 0; number < THREADS; number++) {
            int own = number;
            Thread thread = new Thread(() -> pass(own));
            thread.setDaemon(true);
            thread.start();
        }
        while (System.in.available() == 0) {
            System.out.println(PASSES);
            Thread.sleep(20);
        }
        System.out.println("ends");
    }
}
