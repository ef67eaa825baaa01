import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.StringJoiner;
import java.util.stream.Stream;

/**
 * {@code Passes TESTS CORPUS}: which of the tests in the folder TESTS each defective version of the folder CORPUS passes: their
 * numbers, in {@code CORPUS/PROGRAM/DEFECT/passing}. A test passes that prints what it prints with the right version, within five
 * seconds.
 */
public final class Passes {
    public static void main(String[] args) throws Exception {
        Path tests = Path.of(args[0]);
        for (Path program : folders(Path.of(args[1]))) {
            String name = program.getFileName().toString();
            int count = count(tests, program, name);
            String[] right = new String[count];
            for (int i = 0; i < count; i++) {
                right[i] = printed(tests, program.resolve("right"), name, i);
            }
            for (Path defect : folders(program)) {
                if (defect.endsWith("right")) {
                    continue;
                }
                StringJoiner passing = new StringJoiner(" ");
                for (int i = 0; i < count; i++) {
                    if (right[i] != null && right[i].equals(printed(tests, defect, name, i))) {
                        passing.add(String.valueOf(i));
                    }
                }
                Files.writeString(defect.resolve("passing"), passing.toString());
                System.out.println(name + "/" + defect.getFileName() + ": " + passing + " of " + count);
            }
        }
        // Tests that do not end are left behind.
        Runtime.getRuntime().halt(0);
    }

    private static List<Path> folders(Path of) throws Exception {
        try (Stream<Path> all = Files.list(of)) {
            return all.filter(Files::isDirectory).filter(path -> !path.endsWith("classes")).sorted().toList();
        }
    }

    private static Class<?> load(Path tests, Path version) throws Exception {
        URL[] path = {tests.toUri().toURL(), version.resolve("classes").toUri().toURL()};
        return new URLClassLoader(path, ClassLoader.getPlatformClassLoader()).loadClass("Tests");
    }

    private static int count(Path tests, Path program, String name) throws Exception {
        Class<?> of = load(tests, program.resolve("right"));
        var method = of.getDeclaredMethod("of", String.class);
        method.setAccessible(true);
        return ((List<?>) method.invoke(null, name)).size();
    }

    /** What a test prints; null if it fails by itself or does not end. */
    private static String printed(Path tests, Path version, String name, int number) throws Exception {
        Class<?> of = load(tests, version);
        var main = of.getDeclaredMethod("main", String[].class);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        boolean[] ended = {false};
        PrintStream before = System.out;
        System.setOut(new PrintStream(out, true));
        try {
            Thread running = new Thread(() -> {
                try {
                    main.invoke(null, (Object) new String[] {name, String.valueOf(number)});
                    ended[0] = true;
                } catch (ReflectiveOperationException | RuntimeException failed) {
                    ended[0] = false;
                }
            });
            running.setDaemon(true);
            running.start();
            running.join(5_000);
        } finally {
            System.setOut(before);
        }
        return ended[0] ? out.toString() : null;
    }
}
