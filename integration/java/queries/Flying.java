import java.util.ArrayDeque;
import java.util.concurrent.FutureTask;

/** Throws exceptions that are caught soon, after they had left to the JDK and were thrown anew, or by nobody who is recorded. */
public final class Flying extends Thread {
    static final class Trouble extends RuntimeException {
        Trouble(String message) {
            super(message, null, false, false);
        }
    }

    private final ArrayDeque<Trouble> kept = new ArrayDeque<>();
    private long state;
    private final int rounds;

    Flying(String name, long seed, int rounds) {
        super(name);
        this.state = seed;
        this.rounds = rounds;
    }

    int dice(int bound) {
        state = state * 6364136223846793005L + 1;
        return (int) ((state >>> 33) % bound);
    }

    static void fail(Trouble trouble, int depth) {
        if (depth == 0) {
            throw trouble;
        }
        fail(trouble, depth - 1);
    }

    static void caught(Trouble trouble, int depth) {
        try {
            fail(trouble, depth);
        } catch (Trouble again) {
            if (depth > 2) {
                caught(again, 0);
            }
        }
    }

    /** What is thrown in it the JDK catches. */
    static void left(Trouble trouble, int depth) {
        new FutureTask<>(() -> fail(trouble, depth), null).run();
    }

    @Override
    public void run() {
        for (int round = 0; round < rounds; round++) {
            Trouble trouble = new Trouble(getName() + " " + round);
            switch (dice(6)) {
                case 0, 1 -> caught(trouble, dice(4));
                case 2, 3 -> left(trouble, dice(4));
                case 4 -> {
                    left(trouble, 1);
                    kept.add(trouble);
                }
                default -> {
                    Trouble old = kept.poll();
                    if (old != null && dice(4) == 0) {
                        left(old, 1);
                        kept.add(old);
                    } else if (old != null) {
                        caught(old, dice(3));
                    }
                }
            }
        }
        fail(new Trouble("the end"), 2);
    }

    /** SEED and how many rounds each thread goes. */
    public static void main(String[] args) throws Exception {
        long seed = Long.parseLong(args[0]);
        int rounds = Integer.parseInt(args[1]);
        Flying[] all = {new Flying("a", seed, rounds), new Flying("b", seed + 1, rounds), new Flying("c", seed + 2, rounds)};
        for (Flying one : all) {
            one.setUncaughtExceptionHandler((thread, trouble) -> { });
            one.start();
        }
        for (Flying one : all) {
            one.join();
        }
    }
}
