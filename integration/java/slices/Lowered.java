/** A loop of so many milliseconds, at the end of which a condition goes the other way: by then the recording tells no conditions and no writes any more. */
public final class Lowered {
    static final long BEGUN = System.nanoTime();
    static long millis;
    static int total;

    /** Should always be false. */
    static boolean check(int round) {
        return System.nanoTime() - BEGUN > millis * 1_000_000;
    }

    static int add(int round) {
        total += round % 3;
        return total;
    }

    static void fail() {
        throw new IllegalStateException("checked");
    }

    static void run() throws InterruptedException {
        for (int round = 0; ; round++) {
            Thread.sleep(4);
            add(round);
            if (check(round)) {
                fail();
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        millis = Long.parseLong(args[0]);
        try {
            run();
        } catch (IllegalStateException checked) {
            System.out.println(checked.getMessage() + " " + total);
        }
    }
}
