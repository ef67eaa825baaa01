package judge;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import javax.tools.ToolProvider;

/**
 * A program with single-line defects. A line {@code //@ NAME: TEXT} says what stands instead of the last line of code
 * above it in the version NAME; no text is a missing statement. For the compiler it is a comment.
 */
record Corpus(Path file, List<String> lines, List<Defect> defects) {
    private static final String MARK = "//@ ";

    /** What stands in a line instead. */
    record Defect(String name, int line, String text) {}

    static Corpus of(Path file) throws IOException {
        List<String> lines = Files.readAllLines(file);
        List<Defect> defects = new ArrayList<>();
        int code = -1;
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).strip();
            if (line.startsWith(MARK)) {
                int colon = line.indexOf(':');
                defects.add(new Defect(line.substring(MARK.length(), colon), code, line.substring(colon + 1).strip()));
            } else {
                code = i;
            }
        }
        return new Corpus(file, lines, defects);
    }

    /** All of a folder. */
    static List<Corpus> all(Path folder) throws IOException {
        List<Corpus> all = new ArrayList<>();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.filter(file -> file.toString().endsWith(".java")).sorted().toList()) {
                all.add(of(file));
            }
        }
        return all;
    }

    String name() {
        return file.getFileName().toString().replace(".java", "");
    }

    /** Compiles the right version, or one with a defect. */
    Path compile(Path folder, Optional<Defect> defect) throws IOException {
        List<String> text = new ArrayList<>(lines);
        defect.ifPresent(wrong -> text.set(wrong.line, wrong.text));
        Path source = folder.resolve(file.getFileName());
        Path classes = folder.resolve("classes");
        Files.createDirectories(classes);
        Files.write(source, text);
        int failed = ToolProvider.getSystemJavaCompiler().run(null, null, null,
                "-g", "--release", "17", "-d", classes.toString(), source.toString());
        if (failed != 0) {
            throw new IllegalStateException(name() + " is refused with " + defect);
        }
        return classes;
    }
}
