package held;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/** Code beside the scope, which writes what that has, by instructions. */
public final class Strangers {
    private final List<Kept> have = new ArrayList<>();

    public static void main(String[] args) {
        Kept.work(new Strangers());
    }

    void takes(Kept kept) {
        have.add(kept);
        kept.count = 5;
        kept.numbers[0] = 9;
    }

    void again() {
        Kept.total += 2;
        for (Kept kept : have) {
            kept.count = 6;
            if (kept.next != null) {
                kept.next.count = 60;
            }
            for (Kept more : kept.more) {
                more.count = 600;
            }
        }
        if (Kept.total == 6) {
            Kept.total = 8;
        }
    }

    Consumer<Kept> consumer() {
        return kept -> {
            kept.count = 70;
            have.add(kept);
        };
    }

    static void touch(Kept kept) {
        kept.count = 90;
    }

    static Kept passes(Kept kept) {
        kept.count = 91;
        return kept;
    }

    Function<Kept, Kept> function() {
        return Strangers::passes;
    }

    Kept asks(Supplier<Kept> supplier) {
        Kept kept = supplier.get();
        kept.count = 80;
        return kept;
    }

    void callsBack(Runnable runnable) {
        for (Kept kept : have) {
            if (kept.count == 70) {
                kept.count = 71;
            }
        }
        runnable.run();
        for (Kept kept : have) {
            if (kept.count == 72) {
                kept.count = 73;
            }
        }
    }
}
