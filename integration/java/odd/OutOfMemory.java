package odd;

/** Asks for more memory than there is, thrice: an array, a nest of arrays, and by and by. */
public final class OutOfMemory {

    static Object[] last;

    static int large() {
        try {
            long[] all = new long[Integer.MAX_VALUE - 8];
            return all.length;
        } catch (OutOfMemoryError e) {
            return -1;
        }
    }

    static int nested() {
        try {
            return new long[1 << 12][1 << 20].length;
        } catch (OutOfMemoryError e) {
            return -2;
        }
    }

    static int chain() {
        int count = 0;
        try {
            while (true) {
                Object[] next = new Object[1 << 20];
                next[0] = last;
                last = next;
                count++;
            }
        } catch (OutOfMemoryError e) {
            last = null;
            return count > 0 ? -3 : 0;
        }
    }

    public static void main(String[] args) {
        int a = large();
        int b = nested();
        int c = chain();
        System.out.println(a + " " + b + " " + c);
    }
}
