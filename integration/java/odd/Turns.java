package odd;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;

/** Calls that look as if they only computed, and wait for other threads of the program, or have these run its code. */
public final class Turns {
    static final List<String> LINES = Collections.synchronizedList(new ArrayList<>());

    static int square(int of) {
        return of * of;
    }

    /** Another thread has the lock that `shown` needs, and gives it back once it has run code of its own. */
    static String whileLocked(String how) throws InterruptedException {
        CountDownLatch locked = new CountDownLatch(1);
        Thread writer = new Thread(() -> {
            synchronized (LINES) {
                locked.countDown();
                for (int i = 0; i < 300; i++) {
                    Thread.onSpinWait();
                    square(i);
                    if (i % 100 == 0) {
                        pause();
                    }
                }
                LINES.add(how);
            }
        });
        writer.start();
        locked.await();
        String text = shown(how);
        writer.join();
        return text;
    }

    static void pause() {
        try {
            Thread.sleep(5);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static String shown(String how) {
        return switch (how) {
            case "linked" -> "all: " + LINES;
            case "value" -> String.valueOf(LINES);
            case "built" -> new StringBuilder().append(LINES).toString();
            case "objects" -> Objects.toString(LINES);
            default -> Arrays.toString(new Object[] {LINES});
        };
    }

    public static void main(String[] arguments) throws InterruptedException {
        for (String how : List.of("linked", "value", "built", "objects", "array")) {
            System.out.println(whileLocked(how));
        }
        int[] squares = new int[64];
        Arrays.parallelSetAll(squares, Turns::square);
        Arrays.parallelPrefix(squares, Integer::sum);
        System.out.println(squares[63]);
    }
}
