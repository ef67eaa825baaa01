package odd;

/** Four threads at one monitor, by methods and by blocks, returned from and thrown out of. */
public final class Owners {
    private static final Owners ALL = new Owners();
    private int entered;

    private Owners() {}

    synchronized int byMethod(int by) {
        entered += by;
        return entered;
    }

    synchronized void byVoid() {
        if (entered < 0) {
            return;
        }
        entered++;
    }

    int byBlock() {
        synchronized (this) {
            entered++;
            return entered;
        }
    }

    synchronized void byThrowing() {
        entered++;
        throw new IllegalStateException("on purpose");
    }

    synchronized int nested() {
        return byMethod(1) + byBlock();
    }

    public static void main(String[] args) throws InterruptedException {
        Thread[] all = new Thread[4];
        for (int i = 0; i < all.length; i++) {
            all[i] = new Thread(Owners::enter, "owner-" + i);
            all[i].start();
        }
        for (Thread one : all) {
            one.join();
        }
        System.out.println(ALL.entered);
    }

    private static void enter() {
        for (int turn = 0; turn < 10; turn++) {
            ALL.byMethod(1);
            ALL.byVoid();
            ALL.byBlock();
            ALL.nested();
            try {
                ALL.byThrowing();
            } catch (IllegalStateException thrown) {
                ALL.byVoid();
            }
        }
    }
}
