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
            return helper(n) + Scale.of(this, n) + made;
        }

        private static int helper(int n) {
            return n <= 1 ? 1 : n * helper(n - 1);
        }
    }

    /** Comes from another place than who calls it, which is shown to it before it is initialised. */
    public static class Scale {
        static final int[] STEPS = {1, 10, 100};
        static int asked;

        static {
            asked = STEPS.length;
        }

        static int of(Part part, int n) {
            asked++;
            return STEPS[n % STEPS.length] + part.seen[n % part.seen.length] + asked;
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

        Packed(String outer) {
            super(Loaders.class.getClassLoader());
            this.outer = outer;
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            String wanted = name + ".class";
            String inner = "lib/" + name + ".jar";
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

    static void run(ClassLoader loader) throws Exception {
        Class<?> part = loader.loadClass("Loaders$Part");
        Task task = (Task) part.getDeclaredConstructor().newInstance();
        System.out.println(sum(task, 6));
    }

    public static void main(String[] args) throws Exception {
        if (args[0].endsWith(".jar")) {
            run(new Packed(args[0]));
            return;
        }
        URL[] places = new URL[args.length];
        for (int i = 0; i < args.length; i++) {
            places[i] = Path.of(args[i]).toUri().toURL();
        }
        try (URLClassLoader loader = new URLClassLoader(places)) {
            run(loader);
        }
    }
}
