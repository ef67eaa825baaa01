/** What stands behind calls that throw. Whether a line ran stands at its end. */
public class Behind {
    static int count;

    static int half(int n) {
        if (n % 2 != 0) {
            throw new IllegalStateException("odd: " + n);
        }
        return n / 2;
    }

    static void never() {
        half(7); // yes
        count = 1; // no
    }

    static void sometimes(int n) {
        int half = half(n);
        count = half; // yes
    }

    static void outside(String text) {
        int number = Integer.parseInt(text);
        count = number; // no
    }

    static void made() {
        Object one = new Part(-1);
        count = one.hashCode(); // no
    }

    static void handled() {
        try {
            half(9);
            count = 9; // no
        } catch (IllegalStateException odd) {
            count = 10; // yes
        } finally {
            count++; // yes
        }
        count++; // yes
    }

    /** So many calls are not looked at one by one. */
    static void often() {
        for (int n = 1; n < 60; n += 2) {
            try {
                half(n);
                count = n; // cannot be told
            } catch (IllegalStateException odd) {
                count--; // yes
            }
        }
    }

    static void inner() {
        int number = half(half(2)); // yes
        count = number; // no
    }

    static void attempt(Runnable part) {
        try {
            part.run();
            count++; // yes
        } catch (RuntimeException expected) {
            count--; // yes
        }
    }

    public static void main(String[] arguments) {
        attempt(Behind::never);
        attempt(() -> sometimes(3));
        attempt(() -> sometimes(4));
        attempt(() -> outside("x"));
        attempt(Behind::made);
        attempt(Behind::handled);
        attempt(Behind::often);
        attempt(Behind::inner);
        attempt(new Runnable() {
            @Override public void run() {
                count++; // yes
            }
        });
        System.exit(0);
        count = 77; // cannot be told
    }

    static class Part {
        Part(int number) {
            half(number);
            count = number; // no
        }
    }
}
