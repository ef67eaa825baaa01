import java.net.URL;
import java.net.URLClassLoader;

/** Class loaders ask one another, throw and catch among themselves, and find the class in the end. */
public class Probed {
    static class Sought {}

    static String found(ClassLoader loader, String name) throws ClassNotFoundException {
        return loader.loadClass(name).getName();
    }

    public static void main(String[] args) throws ClassNotFoundException {
        URL here = Probed.class.getProtectionDomain().getCodeSource().getLocation();
        ClassLoader platform = ClassLoader.getPlatformClassLoader();
        ClassLoader inner = new URLClassLoader(new URL[0], platform);
        ClassLoader outer = new URLClassLoader(new URL[] {here}, inner);
        System.out.println(found(outer, "Probed$Sought"));
    }
}
