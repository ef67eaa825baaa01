/** A long loop, at the end of which a condition goes the other way: by then the recording tells no conditions and no writes any more. */
public final class Lowered {
    static int total;

    /** Should always be false. */
    static boolean check(int round) {
        return round == 11_990;
    }

    static int add(int round) {
        total += round % 3;
        return total;
    }

    static void fail() {
        throw new IllegalStateException("checked");
    }

    static void run() {
        for (int round = 0; round < 12_000; round++) {
            add(round);
            if (check(round)) {
                fail();
            }
        }
    }

    public static void main(String[] args) {
        try {
            run();
        } catch (IllegalStateException checked) {
            System.out.println(checked.getMessage() + " " + total);
        }
    }
}
