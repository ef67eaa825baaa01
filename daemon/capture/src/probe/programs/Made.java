import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A program that makes classes while it runs, as frameworks do: their code lies in no file. */
public class Made {
    public interface Task {
        int run(int n);
    }

    /** What the classes are made from: the same under another name. */
    public static class Plan implements Task {
        static int made;
        private final int[] seen = new int[4];
        private final List<String> words = new ArrayList<>();
        private int at;

        static {
            made = 100;
        }

        public Plan() {
            made++;
        }

        @Override
        public int run(int n) {
            seen[at++ % seen.length] = n;
            words.add("n" + n);
            try {
                return helper(n) + made + words.size() + seen[n % seen.length];
            } catch (IllegalStateException e) {
                return e.getMessage().length();
            }
        }

        private static int helper(int n) {
            if (n == 5) {
                throw new IllegalStateException("five");
            }
            return n <= 1 ? 1 : n * helper(n - 1);
        }
    }

    /** A class that code calls which was compiled without it. */
    public static class Base implements Task {
        int base = 7;

        @Override
        public int run(int n) {
            return twice(n) + base;
        }

        int twice(int n) {
            return 2 * n;
        }
    }

    /** What is made from this overrides what calls of {@link Base} mean. */
    public static class Over extends Base {
        int calls;

        @Override
        int twice(int n) {
            calls++;
            return super.twice(n) + calls;
        }
    }

    /** Says nothing of where its classes come from. */
    static class Maker extends ClassLoader {
        Maker() {
            super(Made.class.getClassLoader());
        }

        Class<?> make(String name, byte[] code) {
            return defineClass(name, code, 0, code.length);
        }
    }

    /** The class file of a class, with another name of the same length in it. */
    static byte[] renamed(String from, String to) throws IOException {
        try (InputStream in = Made.class.getResourceAsStream("Made$" + from + ".class")) {
            String code = new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
            return code.replace("Made$" + from, "Made$" + to).getBytes(StandardCharsets.ISO_8859_1);
        }
    }

    static int sum(Task task, int to) {
        int sum = 0;
        for (int n = 0; n < to; n++) {
            sum += task.run(n);
        }
        return sum;
    }

    static void run(Class<?> made) throws Exception {
        Task task = (Task) made.getDeclaredConstructor().newInstance();
        System.out.println(made.getName() + " " + sum(task, 7));
    }

    public static void main(String[] args) throws Exception {
        System.out.println(sum(new Base(), 7));
        run(new Maker().make("Made$Plot", renamed("Plan", "Plot")));
        run(MethodHandles.lookup().defineClass(renamed("Plan", "Plow")));
        run(new Maker().make("Made$Oval", renamed("Over", "Oval")));
        run(MethodHandles.lookup().defineClass(renamed("Over", "Oven")));
        System.out.println(sum(new Base(), 3));
    }
}
