package judge;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.MethodModel;
import java.lang.classfile.attribute.LineNumberInfo;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Says of every call of a defective program whether it did right. A call did right iff the right version of its
 * method, run on a copy of all that the call could reach when it began (receiver, arguments, static fields), yields the
 * same result or exception, leaves the same behind, and prints the same. What a call can reach is copied into the world
 * of the right version, compared by content and aliasing when both have ended.
 *
 * <p>Only calls of the method that holds the defect, and calls with a wrong one among their children, can be wrong: no
 * others are run again. That makes it affordable, and nothing is assumed: a method without the defect whose children
 * all did right went through the same states as the right version.
 *
 * <p>For single-threaded programs that do the same each time, without lambdas in their state and without constructors
 * that call another class's in this program.
 *
 * <p>{@code Judge SOURCES OUT [PROGRAM/DEFECT…]}: compiles all versions to {@code OUT/PROGRAM/DEFECT/classes} and writes
 * {@code …/truth}: the defective method and line; then each call in preorder, its method, {@code 1} if it did right or
 * {@code 0} and where what it left differs.
 */
public final class Judge {
    private static final int MOST_CALLS = 100_000;

    private static Judge current;

    private final World told;
    private final World right;
    private final String defective;
    /** Of each call in preorder: does it hold a call of the defective method? From an earlier run. */
    private final BitSet holds;
    private final List<String> lines = new ArrayList<>();
    private final ArrayDeque<Running> running = new ArrayDeque<>();
    private final Set<String> initialised = new HashSet<>();
    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

    /** A call that has not ended. */
    private static final class Running {
        final int number;
        final String key;
        Object receiver;
        Object[] arguments;
        Graphs.Copier copies;
        Object receiverCopy;
        Object[] argumentCopies;
        List<Field> statics;
        List<Object> staticCopies;
        int printedBefore;
        boolean childWrong;

        Running(int number, String key) {
            this.number = number;
            this.key = key;
        }
    }

    private Judge(World told, World right, String defective, BitSet holds) {
        this.told = told;
        this.right = right;
        this.defective = defective;
        this.holds = holds;
    }

    public static void main(String[] args) throws Exception {
        Path out = Path.of(args[1]);
        List<String> wanted = Arrays.asList(args).subList(2, args.length);
        for (Corpus corpus : Corpus.all(Path.of(args[0]))) {
            Path right = corpus.compile(out.resolve(corpus.name()).resolve("right"), Optional.empty());
            for (Corpus.Defect defect : corpus.defects()) {
                String name = corpus.name() + "/" + defect.name();
                if (!wanted.isEmpty() && !wanted.contains(name) && !wanted.contains(corpus.name())) {
                    continue;
                }
                Path folder = out.resolve(name);
                Path wrong = corpus.compile(folder, Optional.of(defect));
                judge(name, corpus.name(), wrong, right, defect, folder.resolve("truth"));
            }
        }
    }

    private static void judge(String name, String main, Path wrong, Path right, Corpus.Defect defect, Path truth)
            throws Exception {
        String defective = methodAt(right, defect.line() + 1);
        Thread watch = new Thread(() -> {
            try {
                Thread.sleep(120_000);
                System.err.println(name + " does not end: it is no case for a search");
                Runtime.getRuntime().halt(3);
            } catch (InterruptedException ended) {
                // It has ended.
            }
        });
        watch.setDaemon(true);
        watch.start();
        Judge first = new Judge(new World(wrong, true), null, defective, new BitSet());
        first.run(main);
        Judge second = new Judge(new World(wrong, true), new World(right, false), defective, first.holds);
        second.run(main);
        watch.interrupt();
        long bad = second.lines.stream().filter(line -> line.contains("\t0")).count();
        boolean shows = second.lines.getFirst().contains("\t0");
        System.out.println(name + ": " + second.lines.size() + " calls, " + bad + " wrong"
                + (shows ? "" : ", DOES NOT SHOW"));
        Files.deleteIfExists(truth);
        if (shows) {
            second.lines.addFirst("defect\t" + defective + "\t" + (defect.line() + 1));
            Files.write(truth, second.lines);
        }
    }

    /** The method whose lines hold a line: the one of the fewest lines, since initialisers lie apart. */
    private static String methodAt(Path classes, int line) throws Exception {
        String best = null;
        int least = Integer.MAX_VALUE;
        try (Stream<Path> files = Files.list(classes)) {
            for (Path file : files.filter(file -> file.toString().endsWith(".class")).sorted().toList()) {
                var model = ClassFile.of().parse(file);
                for (MethodModel method : model.methods()) {
                    var code = method.findAttribute(Attributes.code());
                    var table = code.flatMap(found -> found.findAttribute(Attributes.lineNumberTable()));
                    int[] numbers = table.stream().flatMap(found -> found.lineNumbers().stream())
                            .mapToInt(LineNumberInfo::lineNumber).sorted().toArray();
                    if (numbers.length == 0 || numbers[0] > line || numbers[numbers.length - 1] < line) {
                        continue;
                    }
                    int size = numbers[numbers.length - 1] - numbers[0];
                    if (size < least) {
                        least = size;
                        best = model.thisClass().asInternalName() + "." + method.methodName() + method.methodType();
                    }
                }
            }
        }
        if (best == null) {
            throw new IllegalStateException("no method has line " + line);
        }
        return best;
    }

    private void run(String main) throws Exception {
        PrintStream before = System.out;
        Throwable[] failed = new Throwable[1];
        current = this;
        System.setOut(new PrintStream(printed, true));
        Thread thread = new Thread(null, () -> {
            try {
                told.loadClass(main).getMethod("main", String[].class).invoke(null, (Object) new String[0]);
            } catch (java.lang.reflect.InvocationTargetException thrown) {
                if (!running.isEmpty()) {
                    failed[0] = thrown.getCause();
                }
            } catch (Throwable error) {
                failed[0] = error;
            }
        }, "main", 1L << 30);
        thread.start();
        thread.join();
        System.setOut(before);
        current = null;
        if (failed[0] != null || !running.isEmpty()) {
            throw new IllegalStateException(main + " cannot be judged", failed[0]);
        }
    }

    /** A call begins. */
    public static void enter(String key, Object receiver, Object[] arguments) {
        current.begin(key, receiver, arguments);
    }

    /** The innermost call returns; {@code made} is the object if it is a constructor. */
    public static void exit(Object result, Object made) {
        current.end(result, made, null);
    }

    /** The innermost call ends by an exception. */
    public static void thrown(Throwable thrown) {
        current.end(null, null, thrown);
    }

    private void begin(String key, Object receiver, Object[] arguments) {
        if (lines.size() == MOST_CALLS) {
            throw new IllegalStateException("it makes too many calls to be recorded");
        }
        Running call = new Running(lines.size(), key);
        lines.add(key);
        if (key.contains(".<clinit>")) {
            initialised.add(key.substring(0, key.indexOf('.')));
        }
        running.push(call);
        if (right == null) {
            if (key.equals(defective)) {
                running.forEach(outer -> holds.set(outer.number));
            }
            return;
        }
        if (!holds.get(call.number)) {
            return;
        }
        try {
            call.receiver = receiver;
            call.arguments = arguments;
            call.printedBefore = printed.size();
            call.copies = new Graphs.Copier(right);
            call.receiverCopy = call.copies.copy(receiver);
            call.argumentCopies = new Object[arguments.length];
            for (int i = 0; i < arguments.length; i++) {
                call.argumentCopies[i] = call.copies.copy(arguments[i]);
            }
            call.staticCopies = new ArrayList<>();
            call.statics = Graphs.statics(startedClasses());
            for (Field field : call.statics) {
                call.staticCopies.add(call.copies.copy(field.get(null)));
            }
        } catch (ReflectiveOperationException error) {
            throw new IllegalStateException("what " + key + " can reach cannot be copied", error);
        }
    }

    /** The classes whose static fields have the program's values. */
    private List<Class<?>> startedClasses() {
        return List.copyOf(told.loaded.values()).stream()
                .filter(type -> initialised.contains(type.getName()) || !hasInitialiser(type))
                .toList();
    }

    private static boolean hasInitialiser(Class<?> type) {
        return Graphs.statics(List.of(type)).stream().anyMatch(field -> !field.getType().isPrimitive())
                || type.isEnum();
    }

    private void end(Object result, Object made, Throwable thrown) {
        Running call = running.pop();
        if (right == null) {
            return;
        }
        boolean wrong = false;
        if (call.copies != null && (call.childWrong || call.key.equals(defective))) {
            List<String> differences = differences(call, result, made, thrown);
            wrong = !differences.isEmpty();
            if (wrong) {
                lines.set(call.number, call.key + "\t0\t" + String.join(" ", differences));
            }
        }
        if (!wrong) {
            lines.set(call.number, call.key + "\t1");
        } else if (!running.isEmpty()) {
            running.peek().childWrong = true;
        }
    }

    private List<String> differences(Running call, Object result, Object made, Throwable thrown) {
        PrintStream before = System.out;
        ByteArrayOutputStream should = new ByteArrayOutputStream();
        System.setOut(new PrintStream(should, true));
        Again again = new Again(right, call.key);
        try {
            List<Field> theirs = new ArrayList<>();
            for (Field field : call.statics) {
                Field other = Class.forName(field.getDeclaringClass().getName(), true, right)
                        .getDeclaredField(field.getName());
                other.setAccessible(true);
                if (!Modifier.isFinal(other.getModifiers())) {
                    other.set(null, call.staticCopies.get(theirs.size()));
                }
                theirs.add(other);
            }
            again.run(call.receiverCopy, call.argumentCopies);
            var comparison = new Graphs.Comparison();
            if ((thrown == null) != (again.thrown == null)) {
                comparison.differences.add("exception");
                return comparison.differences;
            }
            if (thrown != null) {
                comparison.compare("exception", thrown, again.thrown);
            }
            comparison.compare("this", made == null ? call.receiver : made, made == null ? call.receiverCopy : again.made);
            for (int i = 0; i < call.arguments.length; i++) {
                comparison.compare("argument" + i, call.arguments[i], call.argumentCopies[i]);
            }
            for (int i = 0; i < theirs.size(); i++) {
                comparison.compare(theirs.get(i).getName(), call.statics.get(i).get(null), theirs.get(i).get(null));
            }
            comparison.compare("result", result, again.result);
            String printedNow = printed.toString().substring(call.printedBefore);
            if (!printedNow.equals(should.toString())) {
                comparison.differences.add("output");
            }
            return comparison.differences;
        } catch (ReflectiveOperationException error) {
            throw new IllegalStateException(call.key + " cannot be run again", error);
        } finally {
            System.setOut(before);
        }
    }
}
