/** A library keeps an object of the program with what that has, and changes it later. */
public class Kept {
    final char[] chars = {'a', 'b'};
    final boolean[] flags = {true, false};
    final byte[] bytes = {1, -1};
    final short[] shorts = {300, -300};

    enum Kind {
        ONE,
        TWO
    }

    static class Trouble extends RuntimeException {
        Trouble(String message) {
            super(message);
        }
    }

    /** Out of the scope. */
    static class Library {
        static long[] put;
        private static final long[] SHARED = {5, 6};
        private static Kept kept;

        static long[] shared() {
            return SHARED;
        }

        static void keep(Kept one) {
            kept = one;
        }

        static void touch() {
            kept.chars[0]++;
            kept.flags[0] = !kept.flags[0];
            kept.bytes[1]++;
            kept.shorts[1]--;
            put[0]++;
            SHARED[1]++;
        }
    }

    int look(Kind kind, Trouble trouble) {
        // Both are what the JDK declares, of classes of the program.
        int sum = kind.ordinal() + trouble.getMessage().length();
        return sum + chars[0] + (flags[0] ? 1 : 0) + bytes[1] + shorts[1];
    }

    public static void main(String[] arguments) {
        Kept one = new Kept();
        Library.keep(one);
        long[] shared = Library.shared();
        long[] put = {7};
        Library.put = put;
        for (Kind kind : Kind.values()) {
            System.out.println(one.look(kind, new Trouble(kind.name())));
            System.out.println(one.look(kind, new Trouble("again")));
            Library.touch();
            System.out.println(one.look(kind, new Trouble("touched")));
        }
        System.out.println(shared.length + put.length);
    }
}
