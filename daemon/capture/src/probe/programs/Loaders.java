import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.net.URLConnection;
import java.net.URLStreamHandler;
import java.nio.file.Path;
import java.security.CodeSource;
import java.security.ProtectionDomain;
import java.security.cert.Certificate;
import java.util.jar.JarFile;
import java.util.jar.JarInputStream;

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

    /** Takes the class from a jar inside of a jar, and says so as launchers of such programs do. */
    static class Packed extends ClassLoader {
        private final String outer;
        private final String inner;

        Packed(String outer, String inner) {
            super(Loaders.class.getClassLoader());
            this.outer = outer;
            this.inner = inner;
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            String wanted = name + ".class";
            try (JarFile jar = new JarFile(outer)) {
                byte[] packed = jar.getInputStream(jar.getEntry(inner)).readAllBytes();
                try (JarInputStream in = new JarInputStream(new ByteArrayInputStream(packed))) {
                    while (!in.getNextJarEntry().getName().equals(wanted)) {
                        // Another one.
                    }
                    byte[] code = in.readAllBytes();
                    URL url = new URL("jar", "", -1, "nested:" + outer + "/!" + inner + "!/", new Nowhere());
                    CodeSource source = new CodeSource(url, (Certificate[]) null);
                    return defineClass(name, code, 0, code.length, new ProtectionDomain(source, null));
                }
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }

    static class Nowhere extends URLStreamHandler {
        @Override
        protected URLConnection openConnection(URL url) throws IOException {
            throw new IOException("nothing is read from " + url);
        }
    }

    static void packed(String outer, String inner) throws Exception {
        Class<?> part = new Packed(outer, inner).loadClass("Loaders$Part");
        Task task = (Task) part.getDeclaredConstructor().newInstance();
        System.out.println(sum(task, 6));
    }

    public static void main(String[] args) throws Exception {
        if (args.length > 1) {
            packed(args[0], args[1]);
            return;
        }
        URL[] places = {Path.of(args[0]).toUri().toURL()};
        try (URLClassLoader loader = new URLClassLoader(places)) {
            Class<?> part = loader.loadClass("Loaders$Part");
            Task task = (Task) part.getDeclaredConstructor().newInstance();
            System.out.println(sum(task, 6));
        }
    }
}
