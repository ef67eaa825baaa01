/** Uses of a class that is not there when it runs. */
public class Absent {
    static class Gone {
        static int count;
        int own;

        static int touch() {
            return ++count;
        }
    }

    /** Is there, and cannot be loaded. */
    static class Opt extends Gone {
        Opt(int value) {
            own = value;
        }
    }

    static int count;

    interface Use {
        Object use();
    }

    static int tried(String what, Use use) {
        try {
            use.use();
            return 0;
        } catch (NoClassDefFoundError e) {
            System.out.print(what + " ");
            return 1;
        }
    }

    static boolean is(Object object) {
        return object instanceof Gone;
    }

    /** A class that is there, which `instanceof` loads and nothing else uses; what is thrown comes later. */
    static int later(Object object, int[] numbers) {
        if (object instanceof java.util.zip.CRC32C) {
            return 1;
        }
        return numbers[7];
    }

    public static void main(String[] arguments) throws InterruptedException {
        int failed = tried("constant", () -> Gone.class);
        failed += tried("instance", () -> new Gone());
        failed += tried("method", () -> Gone.touch());
        failed += tried("field", () -> Gone.count);
        failed += tried("type", () -> is("text"));
        failed += tried("array", () -> new Gone[3]);
        failed += tried("arrays", () -> new Gone[2][count = 4]);
        failed += tried("below", () -> new Opt(count = 5));
        failed += count;
        try {
            failed += later("text", new int[2]);
        } catch (ArrayIndexOutOfBoundsException e) {
            System.out.print("later ");
        }
        System.out.println(failed);
        // Long enough that logs are read meanwhile, or that they are all read at the end.
        Thread.sleep(arguments.length > 0 ? 0 : 700);
    }
}
