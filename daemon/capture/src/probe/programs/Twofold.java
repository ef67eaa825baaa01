import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;

/** Two loaders, each with a class {@code Fold} of its own: they differ in a constant and in nothing else. */
public class Twofold {
    public static void main(String[] folders) throws Exception {
        Class<?>[] both = new Class<?>[2];
        for (int i = 0; i < 2; i++) {
            URL[] path = {new File(folders[i]).toURI().toURL()};
            both[i] = new URLClassLoader(path, null).loadClass("Fold");
        }
        boolean same = both[0] == both[1];
        System.out.println(same);
        // What was told by then was derived before either class is prepared.
        Thread.sleep(600);
        for (Class<?> one : both) {
            Object made = one.getDeclaredConstructor().newInstance();
            Object told = one.getDeclaredMethod("tell", int.class).invoke(made, 3);
            System.out.println(told);
            System.out.println(one.getDeclaredMethod("locked").invoke(null));
            System.out.println(made.getClass() == one);
        }
    }
}
