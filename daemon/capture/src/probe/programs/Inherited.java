/** Static members by the name of a class below the one that declares them: only that one is initialised (JVMS 5.5), the other never. */
public class Inherited {
    interface Limits {
        int[] TABLE = {3, Inherited.seen("limits")};
    }

    static class Above implements Limits {
        static int count = seen("above");
        static final StringBuilder TEXT = new StringBuilder();

        static int next(int by) {
            count += by;
            return count;
        }

        static int failing(int at) {
            return Limits.TABLE[at];
        }
    }

    /** Never linked. */
    static class Below extends Above {
        static int own = seen("below");
    }

    static class Lowest extends Below {
        static int lowest = seen("lowest");
    }

    /** Written, and read, by such names alone. */
    static class Last {
        static long total = seen("last");
    }

    static class Under extends Last {
    }

    static int seen(String what) {
        System.out.println("initialised: " + what);
        return what.length();
    }

    /** Long enough that logs are read meanwhile. */
    static void rest() throws InterruptedException {
        Thread.sleep(400);
    }

    public static void main(String[] args) throws InterruptedException {
        Below.count = 7;
        rest();
        int sum = Lowest.next(2);
        rest();
        sum += Lowest.count + Above.count;
        Lowest.TEXT.append(sum);
        rest();
        sum += Below.TABLE[0];
        rest();
        try {
            sum += Below.failing(5);
        } catch (ArrayIndexOutOfBoundsException e) {
            sum++;
        }
        rest();
        System.out.println(sum + " " + Below.TEXT);
        rest();
        Under.total = sum;
        Under.total++;
    }
}
