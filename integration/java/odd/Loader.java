package odd;

import java.io.IOException;
import java.io.InputStream;

/**
 * A class loader of the program, asked by the JVM while it resolves a constant, where single steps are hidden.
 * It counts in objects of its own, so that there is something to see inside.
 */
public final class Loader extends ClassLoader {

    static final class Count {
        int asked;

        int next(int step) {
            asked += step;
            return asked;
        }
    }

    private final Count count = new Count();

    private Loader() {
        super(Loader.class.getClassLoader());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith("odd.Loaded")) {
            return super.loadClass(name, resolve);
        }
        int number = count.next(10);
        try (InputStream in = Loader.class.getResourceAsStream('/' + name.replace('.', '/') + ".class")) {
            byte[] bytes = in.readAllBytes();
            return number > 0 ? defineClass(name, bytes, 0, bytes.length) : null;
        } catch (IOException e) {
            throw new ClassNotFoundException(name, e);
        }
    }

    public static void main(String[] args) throws Exception {
        Loader loader = new Loader();
        Object loaded = loader.loadClass("odd.LoadedFirst").getDeclaredConstructor().newInstance();
        System.out.println(loaded + " " + loader.count.asked);
    }
}
