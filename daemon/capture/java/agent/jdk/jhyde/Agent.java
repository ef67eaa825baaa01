package jdk.jhyde;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.instrument.UnmodifiableClassException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.ProtectionDomain;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;

/**
 * Gives jhyde the class file of a class as the JVM has it: one that was made at run time lies nowhere else, and one that another
 * agent has changed lies elsewhere as it was. Such an agent sees it again when jhyde gives it other code, and may change it
 * once more: then the last word is here. It is defined by the system class loader, beside the program's own classes, since what it is made of is not for {@code java.base}. The
 * package is one that a scope leaves out which says nothing of it.
 */
public final class Agent implements ClassFileTransformer {
    /** The JVM's, once it has been given. */
    private static Instrumentation tools;
    /** What was asked for last: held until somebody has read it. */
    private static byte[] answer;
    /** Of which class that is. */
    private static Class<?> answered;
    /** Of classes that got other code: what they had, and what they have for it. */
    private static final Map<Class<?>, byte[][]> KEPT = new WeakHashMap<>();
    /** What of that the JVM gets at this moment, whatever others have made of what it was given: one more than the place, or 0. Set over JDWP. */
    private static volatile int given;

    /** The class that is looked at; null: see {@link #KEPT}. */
    private final Class<?> wanted;
    private byte[] found;

    private Agent(Class<?> wanted) {
        this.wanted = wanted;
    }

    /** The JVM gives what it was asked for by the jar of {@link #jar}. */
    public static void agentmain(String options, Instrumentation given) {
        tools = given;
    }

    /** Makes a jar that names this class and has nothing else. */
    static String jar() throws IOException {
        Manifest manifest = new Manifest();
        Attributes says = manifest.getMainAttributes();
        says.put(Attributes.Name.MANIFEST_VERSION, "1.0");
        says.put(new Attributes.Name("Launcher-Agent-Class"), Agent.class.getName());
        says.put(new Attributes.Name("Can-Retransform-Classes"), "true");
        Path path = Files.createTempFile("jhyde-", ".jar");
        try (OutputStream file = Files.newOutputStream(path)) {
            new JarOutputStream(file, manifest).close();
        } catch (IOException e) {
            Files.deleteIfExists(path);
            throw e;
        }
        return path.toString();
    }

    /** It was read. */
    static void discard(String jar) throws IOException {
        Files.deleteIfExists(Path.of(jar));
    }

    /** The class file of a class; null if the JVM does not give it. */
    static byte[] classFile(Class<?> wanted) throws UnmodifiableClassException {
        answer = null;
        Agent looks = new Agent(wanted);
        tools.addTransformer(looks, true);
        try {
            tools.retransformClasses(wanted);
        } finally {
            tools.removeTransformer(looks);
        }
        answer = looks.found;
        answered = wanted;
        return answer;
    }

    /** The class that was asked for last is about to get this code. */
    static void keep(Class<?> of, byte[] code) {
        if (of != answered || answer == null) {
            throw new IllegalStateException(of.getName());
        }
        synchronized (KEPT) {
            if (KEPT.isEmpty()) {
                tools.addTransformer(new Agent(null), true);
            }
            KEPT.put(of, new byte[][] {answer, code});
        }
    }

    /** Behind all who change classes: looks at the one that is asked for, or has the last word. Of classes that are being loaded it says nothing. */
    @Override
    public byte[] transform(ClassLoader loader, String name, Class<?> type, ProtectionDomain domain, byte[] bytes) {
        int place = given - 1;
        if (wanted == null && type != null && place >= 0) {
            synchronized (KEPT) {
                byte[][] kept = KEPT.get(type);
                return kept == null ? null : kept[place];
            }
        }
        if (type == wanted && type != null) {
            found = bytes.clone();
        }
        return null;
    }
}
