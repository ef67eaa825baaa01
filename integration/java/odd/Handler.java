package odd;

/** A thread goes on after an exception has left its calls: in its handler, whose ends the JVM does not tell. */
public final class Handler {

    private int sum;

    public static void main(String[] args) throws InterruptedException {
        Handler handler = new Handler();
        Thread thread = new Thread(Handler::fail, "failing");
        thread.setUncaughtExceptionHandler((failed, thrown) -> handler.handle(thrown));
        thread.start();
        thread.join();
        System.out.println(handler.sum);
    }

    private static void fail() {
        throw new IllegalStateException("left");
    }

    private void handle(Throwable thrown) {
        String text = name(thrown);
        sum = twice(twice(text.length()));
    }

    private static String name(Throwable thrown) {
        return thrown.getMessage();
    }

    private static int twice(int n) {
        return 2 * n;
    }
}
