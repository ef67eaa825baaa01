import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Classes that code names and that the JVM never prepares: nothing initialises them, and no object is one. */
public class Unprepared {
    interface Marked {
    }

    static class Above {
        int value = 3;

        static Above made(int value) {
            Above made = new Above();
            made.value = value;
            return made;
        }
    }

    /** Never prepared. */
    static class Below extends Above implements Marked {
        int more = 4;
    }

    /** Nor is this. */
    static final class Lowest extends Below {
    }

    enum Kind {
        FIRST, SECOND
    }

    static class Failure extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    static class Other extends Failure {
        private static final long serialVersionUID = 1;
    }

    record Pair(Below one, Kind other) {
    }

    static int rest = 300;

    /** Long enough that logs are read meanwhile, or that they are all read at the end. */
    static void rest() throws InterruptedException {
        Thread.sleep(rest);
    }

    static int arrays() throws InterruptedException {
        Object some = new Below[2];
        Object[] all = new Below[3][2];
        rest();
        int sum = some instanceof Above[] ? 1 : 0;
        sum += some instanceof Below[] ? 2 : 0;
        sum += some instanceof Marked[] ? 4 : 0;
        sum += some instanceof Lowest[] ? 8 : 0;
        sum += some instanceof Kind[] ? 16 : 0;
        sum += all instanceof Above[][] ? 32 : 0;
        rest();
        Above[] above = (Above[]) some;
        above[0] = null;
        rest();
        try {
            above[1] = new Above();
        } catch (ArrayStoreException e) {
            sum += 64;
        }
        rest();
        try {
            Lowest[] lowest = (Lowest[]) some;
            sum += lowest.length;
        } catch (ClassCastException e) {
            sum += 128;
        }
        rest();
        return sum + above.length;
    }

    static int casts() throws InterruptedException {
        List<Object> objects = new ArrayList<>();
        objects.add(Above.made(5));
        objects.add("text");
        objects.add(null);
        int sum = 0;
        for (Object object : objects) {
            rest();
            if (object instanceof Below below) {
                sum += below.more;
            } else if (object instanceof Marked) {
                sum += 100;
            } else if (object instanceof Above above) {
                sum += above.value;
            }
            try {
                Below below = (Below) object;
                sum += below == null ? 7 : below.more;
            } catch (ClassCastException e) {
                sum += 1000;
            }
        }
        return sum;
    }

    static int caught(int n) throws InterruptedException {
        rest();
        try {
            if (n > 1) {
                throw new IllegalStateException("n");
            }
            return n;
        } catch (Other e) {
            return 1;
        } catch (Failure e) {
            return 2;
        } catch (IllegalStateException e) {
            return 3;
        }
    }

    static String named() throws InterruptedException {
        Class<?> below = Below.class;
        rest();
        Class<?> many = Lowest[].class;
        rest();
        return below.getSimpleName() + many.getSimpleName();
    }

    static <T> T given(Supplier<T> supplier) throws InterruptedException {
        rest();
        return supplier.get();
    }

    public static void main(String[] args) throws InterruptedException {
        if (args.length > 0) {
            rest = 0;
        }
        System.out.println(arrays());
        System.out.println(casts());
        System.out.println(caught(0) + caught(3));
        System.out.println(named());
        Below none = given(() -> null);
        rest();
        System.out.println(none == null ? "none" : "" + none.more);
        System.out.println(new Pair(none, null));
        Object last = new Lowest[0];
        System.out.println(last instanceof Below[]);
    }
}
