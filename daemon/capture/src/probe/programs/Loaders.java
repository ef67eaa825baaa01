import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;

/** A program that loads a part of itself by a loader of its own, from a folder that is not on the class path. */
public class Loaders {
    public interface Task {
        int run(int n);
    }

    /** What the folder has. */
    public static class Part implements Task {
        static int made;
        final int[] seen = new int[4];
        private int at;

        static {
            made = 100;
        }

        public Part() {
            made++;
        }

        @Override
        public int run(int n) {
            seen[at++ % seen.length] = n;
            return helper(n) + made;
        }

        private static int helper(int n) {
            return n <= 1 ? 1 : n * helper(n - 1);
        }
    }

    static int sum(Task task, int to) {
        int sum = 0;
        for (int n = 0; n < to; n++) {
            sum += task.run(n);
        }
        return sum;
    }

    public static void main(String[] args) throws Exception {
        URL[] places = {Path.of(args[0]).toUri().toURL()};
        try (URLClassLoader loader = new URLClassLoader(places)) {
            Class<?> part = loader.loadClass("Loaders$Part");
            Task task = (Task) part.getDeclaredConstructor().newInstance();
            System.out.println(sum(task, 6));
        }
    }
}
