package odd;

import java.net.URL;
import java.net.URLClassLoader;

/** Two classes of one name: each has its own statics. */
public final class Twins {
    public static void main(String[] args) throws Exception {
        URL[] path = {Twins.class.getProtectionDomain().getCodeSource().getLocation()};
        Runnable[] both = new Runnable[2];
        for (int i = 0; i < 2; i++) {
            // No parent: it defines the class itself.
            var loader = new URLClassLoader(path, null);
            both[i] = (Runnable) loader.loadClass("odd.Twin").getDeclaredConstructor().newInstance();
        }
        for (int round = 0; round < 2; round++) {
            for (Runnable one : both) {
                one.run();
            }
        }
    }
}
