/** An exception of native code arrives in the call that called it, and not in that one's caller. */
public class Cloned {
    Object copy() throws CloneNotSupportedException {
        return clone();
    }

    static String tried() {
        try {
            return new Cloned().copy().toString();
        } catch (CloneNotSupportedException failed) {
            return "not " + failed.getMessage();
        }
    }

    public static void main(String[] args) {
        System.out.println(tried());
    }
}
