package tool;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Compiles generated programs, and runs those that tell what they do: one JVM for many, as starting one for each
 * would take most of the time. Reads lines of words by tabs from standard input, answers each on standard output:
 *
 * {@code compile OUT CLASSPATH FOLDER… -- OPTION…}: each folder's sources by themselves; {@code ok} and the numbers
 * of folders that the compiler refused, {@code NUMBER MESSAGE} each, by tabs.
 *
 * {@code run CLASSPATH MAIN LOG}: runs it with {@code told.T} writing LOG; {@code ok} and its lines of output, by tabs.
 */
public final class Bench {

    private static final JavaCompiler COMPILER = ToolProvider.getSystemJavaCompiler();
    private static final PrintStream ANSWERS = System.out;

    private Bench() {}

    public static void main(String[] arguments) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            List<String> words = List.of(line.split("\t"));
            List<String> answer = words.get(0).equals("compile") ? compile(words) : run(words);
            ANSWERS.println("ok\t" + String.join("\t", answer));
            ANSWERS.flush();
        }
    }

    private static List<String> compile(List<String> words) throws Exception {
        int end = words.indexOf("--");
        List<String> options = new ArrayList<>(List.of("-nowarn", "-Xlint:none", "-proc:none", "-d", words.get(1), "-cp", words.get(2)));
        options.addAll(words.subList(end + 1, words.size()));
        List<String> folders = words.subList(3, end);
        List<String> refused = new ArrayList<>();
        // All in one go is several times as fast, and nearly always does.
        if (errors(folders, options).isEmpty()) {
            return refused;
        }
        for (int i = 0; i < folders.size(); i++) {
            String errors = errors(folders.subList(i, i + 1), options);
            if (!errors.isEmpty()) {
                refused.add(i + " " + errors);
            }
        }
        return refused;
    }

    private static String errors(List<String> folders, List<String> options) throws Exception {
        List<Path> sources = new ArrayList<>();
        for (String folder : folders) {
            try (Stream<Path> all = Files.walk(Path.of(folder))) {
                all.filter(path -> path.toString().endsWith(".java")).forEach(sources::add);
            }
        }
        DiagnosticCollector<JavaFileObject> said = new DiagnosticCollector<>();
        try (StandardJavaFileManager files = COMPILER.getStandardFileManager(said, null, StandardCharsets.UTF_8)) {
            if (COMPILER.getTask(null, files, said, options, null, files.getJavaFileObjectsFromPaths(sources)).call()) {
                return "";
            }
        }
        return said.getDiagnostics().stream().filter(one -> one.getKind() == Diagnostic.Kind.ERROR).limit(3)
                .map(one -> one.getSource() + ":" + one.getLineNumber() + ": " + one.getMessage(null))
                .reduce("", (a, b) -> a + b + "; ").replaceAll("\\s+", " ") + " ";
    }

    private static List<String> run(List<String> words) throws Exception {
        List<URL> urls = new ArrayList<>();
        for (String entry : words.get(1).split(":")) {
            urls.add(Path.of(entry).toUri().toURL());
        }
        // A loader of its own: each run begins with classes that nobody has used.
        try (URLClassLoader loader = new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
            Class<?> log = loader.loadClass("told.T");
            log.getMethod("open", String.class).invoke(null, words.get(3));
            java.io.ByteArrayOutputStream printed = new java.io.ByteArrayOutputStream();
            Throwable[] failed = new Throwable[1];
            System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
            Thread thread = new Thread(() -> {
                try {
                    loader.loadClass(words.get(2)).getMethod("main", String[].class).invoke(null, (Object) new String[0]);
                } catch (Throwable t) {
                    failed[0] = t;
                }
            }, "main");
            thread.setContextClassLoader(loader);
            thread.start();
            thread.join();
            System.setOut(ANSWERS);
            log.getMethod("close").invoke(null);
            if (failed[0] != null) {
                throw new IllegalStateException("the program that tells what it does failed", failed[0]);
            }
            return List.of(printed.toString(StandardCharsets.UTF_8).strip().split("\\R"));
        }
    }
}
