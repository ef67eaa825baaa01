import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.SynchronousQueue;

/** Its main method runs when somebody attaches: between the calls that it makes, and beside those of other threads, it changes what they have read. */
public final class Late {
    static final class Box {
        int held;
        final String name = "box";
    }

    static final SynchronousQueue<Integer> READ = new SynchronousQueue<>();
    static final SynchronousQueue<Integer> CHANGED = new SynchronousQueue<>();
    static final List<Integer> SEEN = new ArrayList<>();
    static final int[] CELLS = new int[2];
    static final Box BOX = new Box();
    static int count;

    /** Reads everything. */
    static int look(int number) {
        return count + BOX.held + CELLS[0] + CELLS[1] + SEEN.size() + BOX.name.length() + number;
    }

    /** Reads nothing. */
    static int after(int number) {
        return number;
    }

    static void beside(int number) {
        try {
            look(number);
            READ.put(number);
            CHANGED.take();
            after(number);
        } catch (InterruptedException ends) {
            throw new IllegalStateException(ends);
        }
    }

    public static void main(String[] args) throws Exception {
        boolean alone = args[0].equals("alone");
        System.out.println("runs");
        for (int number = 1; System.in.available() == 0; number++) {
            count = number;
            BOX.held = number;
            CELLS[0] = number;
            SEEN.clear();
            SEEN.add(number);
            Thread thread = null;
            if (alone) {
                look(number);
            } else {
                int own = number;
                thread = new Thread(() -> beside(own));
                thread.start();
                READ.take();
            }
            count = -number;
            BOX.held = -number;
            CELLS[0] = -number;
            SEEN.add(-number);
            if (alone) {
                after(number);
            } else {
                CHANGED.put(number);
                thread.join();
            }
            System.out.println(number);
            Thread.sleep(2);
        }
        System.out.println("ends");
    }
}
