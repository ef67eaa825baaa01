import java.util.ArrayList;
import java.util.List;

/** Threads that make things which others use. */
public final class Workers {
    static final int WORKERS = 2;

    static final class Thing {
        int value;

        Thing(int value) {
            this.value = value;
        }
    }

    static final List<Thing> THINGS = new ArrayList<>();

    static void make(int count) {
        for (int i = 0; i < count; i++) {
            THINGS.add(new Thing(i));
        }
    }

    static int use(Thing thing) {
        return thing.value;
    }

    static void work(int number) {
        make(number + 1);
    }

    public static void main(String[] args) throws InterruptedException {
        for (int number = 0; number < WORKERS; number++) {
            int own = number;
            Thread worker = new Thread(() -> work(own), "worker-" + number);
            worker.start();
            worker.join();
        }
        int sum = 0;
        for (Thing thing : THINGS) {
            sum += use(thing);
        }
        System.out.println(sum);
    }
}
