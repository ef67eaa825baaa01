import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.atomic.AtomicIntegerArray;

/** Prepares classes in four threads, one after the other, until its input ends, and says how many each thread has. */
public final class Loading {
    /** Loaded anew by each loader. */
    public static final class Part {
        final int number;

        public Part(int number) {
            this.number = number;
        }

        int twice() {
            return 2 * number;
        }
    }

    static final class Own extends ClassLoader {
        Class<?> define(byte[] bytes) {
            return defineClass("Loading$Part", bytes, 0, bytes.length);
        }
    }

    static final int THREADS = 4;
    static final AtomicIntegerArray LOADED = new AtomicIntegerArray(THREADS);

    static byte[] part() throws IOException {
        try (InputStream in = Loading.class.getResourceAsStream("Loading$Part.class")) {
            return in.readAllBytes();
        }
    }

    static void load(int thread, byte[] part) {
        try {
            while (true) {
                Class<?> loaded = new Own().define(part);
                loaded.getConstructor(int.class).newInstance(thread);
                LOADED.incrementAndGet(thread);
                // So that there are not too many when somebody attaches again.
                Thread.sleep(10);
            }
        } catch (ReflectiveOperationException | InterruptedException unexpected) {
            throw new AssertionError(unexpected);
        }
    }

    public static void main(String[] args) throws Exception {
        byte[] part = part();
        System.out.println("runs");
        for (int number = 0; number < THREADS; number++) {
            int own = number;
            Thread thread = new Thread(() -> load(own, part));
            thread.setDaemon(true);
            thread.start();
        }
        while (System.in.available() == 0) {
            System.out.println(LOADED);
            Thread.sleep(20);
        }
        System.out.println("ends");
    }
}
