import java.util.ArrayList;
import java.util.List;

/** A little of everything that the queries ask about. */
public class Ledger {
    static int limit = 3;
    static final int MOST = 99;
    final String name;
    int total;
    Entry last;

    Ledger(String name) {
        this.name = name;
    }

    void add(int amount) {
        if (amount > limit) {
            total += limit;
        } else {
            total += amount;
        }
        if (amount < 0) {
            reset();
        }
        last = new Entry(amount);
    }

    void reset() {
        total = 0;
        last = null;
    }

    static int read(String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException wrong) {
            return -1;
        }
    }

    static int depth(int n) {
        int below = n == 0 ? 0 : depth(n - 1);
        return below + 1;
    }

    static int firstBig(int[] numbers) {
        int found = -1;
        for (int i = 0; i < numbers.length; i++) {
            if (numbers[i] > 5) {
                found = i;
                break;
            }
        }
        return found;
    }

    static void refuse(String text) {
        throw new IllegalStateException(text);
    }

    public static void main(String[] args) throws Exception {
        Ledger first = new Ledger("first");
        Ledger second = new Special("second");
        first.add(2);
        first.add(7);
        second.add(1);
        int[] counts = new int[3];
        counts[0] = read("12");
        counts[2] = read("x");
        counts[0] = depth(2);
        counts[1] = firstBig(new int[] {1, 2, 8, 3});
        List<String> names = new ArrayList<>();
        names.add(first.name);
        names.add(second.name);
        names.remove(0);
        try {
            refuse("no more");
        } catch (IllegalStateException e) {
            names.add(e.getMessage());
        }
        Thread worker = new Thread(() -> second.add(3), "worker");
        worker.start();
        worker.join();
        System.out.println(first.total + " " + second.total + " " + counts[0] + counts[1] + counts[2] + " " + names);
    }
}

class Entry {
    final int amount;

    Entry(int amount) {
        this.amount = amount;
    }
}

class Special extends Ledger {
    private int bonus;

    Special(String name) {
        super(name);
    }
}

class Unused {}
