/** What threads are called, at the times at which somebody asks. */
public class Named {
    static class Worker extends Thread {
        @Override
        public void run() {
            met(this);
        }
    }

    static String met(Thread thread) {
        return thread.getName();
    }

    public static void main(String[] args) throws InterruptedException {
        Worker worker = new Worker();
        met(worker);
        worker.start();
        worker.join();
        Thread anonymous = new Thread("own") {
            @Override
            public void run() {
                met(this);
            }
        };
        met(anonymous);
        anonymous.start();
        anonymous.join();
        Thread plain = new Thread(() -> met(Thread.currentThread()), "before");
        met(plain);
        plain.setName("behind");
        met(plain);
        plain.start();
        plain.join();
    }
}
