/** Ends the JVM, or not, in the middle of calls. */
public final class Leaving {
    static int number(int value) {
        return value + 1;
    }

    static void leave(boolean now) {
        if (now) {
            System.exit(0);
        }
    }

    static int inside() {
        int sum = number(1);
        leave(false);
        sum += number(2);
        return sum + number(3);
    }

    public static void main(String[] args) {
        inside();
        number(4);
        System.out.println("the end");
    }
}
