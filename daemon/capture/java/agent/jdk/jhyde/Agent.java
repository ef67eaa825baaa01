package jdk.jhyde;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.instrument.UnmodifiableClassException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.ProtectionDomain;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;

/**
 * Gives jhyde the class file of a class as the JVM has it: one that was made at run time lies nowhere else. It is defined by
 * the system class loader, beside the program's own classes, since what it is made of is not for {@code java.base}. The
 * package is one that a scope leaves out which says nothing of it.
 */
public final class Agent implements ClassFileTransformer {
    /** The JVM's, once it has been given. */
    private static Instrumentation tools;
    /** What was asked for last: held until somebody has read it. */
    private static byte[] answer;

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
        return answer;
    }

    /** Sees the class go by, behind all who change it, and leaves it as it is. */
    @Override
    public byte[] transform(ClassLoader loader, String name, Class<?> type, ProtectionDomain domain, byte[] bytes) {
        if (type == wanted) {
            found = bytes.clone();
        }
        return null;
    }
}
