/** Two threads that run one after the other, and both need a class: the first one initialises it. */
public final class Initialised {
    static final int FIRST = 0;

    static final class Held {
        static final int[] VALUES = made();

        static int[] made() {
            return new int[] {3, 4};
        }
    }

    static int sum(int number) {
        return Held.VALUES[number] + number;
    }

    public static void main(String[] args) throws InterruptedException {
        Thread[] both = new Thread[2];
        for (int number = 0; number < 2; number++) {
            int own = number;
            both[number] = new Thread(() -> sum(own), "worker-" + number);
        }
        for (int turn = 0; turn < 2; turn++) {
            Thread next = both[(FIRST + turn) % 2];
            next.start();
            next.join();
        }
    }
}
