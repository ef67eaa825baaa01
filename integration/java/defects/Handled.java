/** A thread ends by an exception, and the scope's own handler is told. */
public class Handled {
    static int handled;

    static void handle(Thread thread, Throwable failed) {
        int length = failed.getMessage().length();
        handled = handled + length;
    }

    static void fail(int round) {
        throw new IllegalStateException("round " + round);
    }

    public static void main(String[] args) throws InterruptedException {
        for (int round = 0; round < 3; round++) {
            int now = round;
            Thread thread = new Thread(() -> fail(now));
            thread.setUncaughtExceptionHandler(Handled::handle);
            thread.start();
            thread.join();
        }
        System.out.println(handled);
    }
}
