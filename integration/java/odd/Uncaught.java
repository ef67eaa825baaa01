package odd;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Exceptions that leave the outermost call of a thread: nobody catches some, code out of the scope others. */
public final class Uncaught {
    private Uncaught() {
    }

    private static final class Task implements Runnable {
        private final String name;

        Task(String name) {
            this.name = name;
        }

        @Override
        public void run() {
            fail(name);
        }
    }

    private static final class Worker extends Thread {
        Worker() {
            super("extended");
        }

        @Override
        public void run() {
            fail("extended");
        }
    }

    /** It has a target, too. */
    private static final class Around extends Thread {
        Around(Runnable target) {
            super(target, "around");
        }

        @Override
        public void run() {
            super.run();
        }
    }

    private static void fail(String name) {
        throw new IllegalStateException(name);
    }

    private static void referred() {
        fail("referred");
    }

    private static void alone(Thread thread) throws InterruptedException {
        thread.setUncaughtExceptionHandler((of, thrown) -> System.out.println(of.getName() + " ended by " + thrown.getMessage()));
        thread.start();
        thread.join();
    }

    public static void main(String[] args) throws Exception {
        alone(new Thread(() -> fail("lambda"), "lambda"));
        alone(new Thread(Uncaught::referred, "referred"));
        alone(new Thread(new Task("task"), "task"));
        alone(new Worker());
        alone(new Around(new Task("around")));
        ExecutorService pool = Executors.newSingleThreadExecutor();
        try {
            pool.submit(new Task("submitted")).get();
        } catch (java.util.concurrent.ExecutionException e) {
            System.out.println("got " + e.getCause().getMessage());
        }
        pool.shutdown();
        CompletableFuture<Void> future = CompletableFuture.runAsync(() -> fail("async"));
        System.out.println("handled " + future.handle((nothing, thrown) -> thrown.getCause().getMessage()).get());
        // As code of the program it is called, and nobody begins a thread by it.
        try {
            new Worker().run();
        } catch (IllegalStateException e) {
            System.out.println("caught " + e.getMessage());
        }
        fail("main");
    }
}
