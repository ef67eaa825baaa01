package jdi;

import com.sun.jdi.ReferenceType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The command line that both peers share, and the scope that its --include patterns make. */
final class Options {

    /** Class patterns as JDWP knows them: a name, or one star at either end. Never empty. */
    final List<String> include = new ArrayList<>();
    /** The java command and its arguments; empty with --attach. */
    final List<String> command = new ArrayList<>();
    String attachHost;
    int attachPort;
    String level = "calls";
    boolean fields;
    private Path out;
    Path trace;

    static Options parse(String[] args, String synopsis) {
        Options o = new Options();
        try {
            for (int i = 0; i < args.length; i++) {
                switch (args[i]) {
                    case "--include" -> o.include.add(args[++i]);
                    case "--level" -> o.level = args[++i];
                    case "--fields" -> o.fields = true;
                    case "--out" -> o.out = Path.of(args[++i]);
                    case "--trace" -> o.trace = Path.of(args[++i]);
                    case "--attach" -> {
                        String[] hostAndPort = args[++i].split(":");
                        o.attachHost = hostAndPort[0];
                        o.attachPort = Integer.parseInt(hostAndPort[1]);
                    }
                    case "--" -> {
                        o.command.addAll(List.of(args).subList(i + 1, args.length));
                        i = args.length;
                    }
                    default -> throw new IllegalArgumentException("unknown option " + args[i]);
                }
            }
            if (o.include.isEmpty()) {
                throw new IllegalArgumentException("at least one --include is needed");
            }
            if (o.command.isEmpty() == (o.attachHost == null)) {
                throw new IllegalArgumentException("either --attach HOST:PORT or -- JAVA ARGUMENTS... is needed");
            }
            if (!List.of("calls", "state", "full").contains(o.level)) {
                throw new IllegalArgumentException("level " + o.level + ": calls, state or full");
            }
        } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
            System.err.println("error: " + e.getMessage() + "\nusage: " + synopsis + " (--attach HOST:PORT | -- JAVA ARGUMENTS...)");
            System.exit(2);
        }
        return o;
    }

    boolean inScope(String className) {
        for (String p : include) {
            boolean match = p.startsWith("*") ? className.endsWith(p.substring(1))
                : p.endsWith("*") ? className.startsWith(p.substring(0, p.length() - 1))
                : className.equals(p);
            if (match) {
                return true;
            }
        }
        return false;
    }

    /** A hidden class's signature holds a dot, which no other signature may. */
    static boolean isHidden(ReferenceType type) {
        return type.signature().indexOf('.') >= 0;
    }

    void write(String json) throws IOException {
        if (out == null) {
            System.err.println(json);
        } else {
            Files.writeString(out, json + "\n");
        }
    }
}
