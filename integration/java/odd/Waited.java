package odd;

/** The same work by the main thread, or by another while the main thread waits for it in `join`. */
public final class Waited {

    private Waited() {}

    public static void main(String[] args) throws InterruptedException {
        if (args.length == 0) {
            work();
            return;
        }
        Thread other = new Thread(Waited::work);
        other.start();
        other.join();
    }

    private static void work() {
        int sum = 0;
        for (int turn = 0; turn < 600; turn++) {
            sum += mixed(60);
        }
        System.out.println(sum);
    }

    private static int mixed(int n) {
        int[] cells = new int[16];
        int sum = 0;
        for (int i = 0; i < n; i++) {
            cells[i & 15] += i;
            sum += cells[(i * 7) & 15];
        }
        return sum;
    }
}
