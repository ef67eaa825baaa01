/** An initialiser out of the scope, which the read of a static field runs, calls the scope. */
public class Begun {
    enum Color { RED, GREEN }

    /** Out of the scope. */
    static class Limits {
        static int first = Begun.twice(20);
        static int second = Begun.twice(first - 19);
    }

    /** Out of the scope, and fails. */
    static class Fails {
        static int value = Begun.checked(-1);
    }

    static int twice(int n) {
        return 2 * n;
    }

    static int checked(int n) {
        if (n < 0) {
            throw new IllegalArgumentException("less than nothing");
        }
        return n;
    }

    static String named(Color color) {
        switch (color) {
            case RED:
                return "red";
            default:
                return "another";
        }
    }

    public static void main(String[] arguments) {
        int first = Limits.first;
        int second = Limits.second;
        String failed = "no";
        try {
            failed = "value " + Fails.value;
        } catch (ExceptionInInitializerError error) {
            failed = error.getCause().getMessage();
        }
        String name = named(Color.GREEN);
        System.out.println(first + " " + second + " " + failed + " " + name);
    }
}
