package jdk.jhyde;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.instrument.UnmodifiableClassException;
import java.lang.ref.WeakReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.ProtectionDomain;
import java.util.Arrays;
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
    /** Of which class that is: it may go, whoever has asked for it. */
    private static WeakReference<Class<?>> answered = new WeakReference<>(null);
    /**
     * Classes that got other code, by weak references, each with what it had and what it has for it behind it. Never written
     * again once it is here: who reads it needs no lock, which a thread might hold that stands still.
     */
    private static volatile Object[] kept = {};
    /** What of that the JVM gets at this moment, whatever others have made of what it was given: see {@link #kept(Class, int)}; or 0. Set over JDWP. */
    private static volatile int given;
    private static boolean watches;

    /** The class that is looked at; null: see {@link #kept}. */
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
        answered = new WeakReference<>(wanted);
        answer = kept(wanted, 1);
        if (answer != null) {
            // Who asks once more may be given what others make of that.
            return answer;
        }
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

    /** The class that was asked for last is about to get this code. */
    static void keep(Class<?> of, byte[] code) {
        if (of != answered.get() || answer == null) {
            throw new IllegalStateException(of.getName());
        }
        if (!watches) {
            tools.addTransformer(new Agent(null), true);
            watches = true;
        }
        Object[] before = kept, more = new Object[before.length + 3];
        int length = 0;
        for (int i = 0; i < before.length; i += 3) {
            Object known = ((WeakReference<?>) before[i]).get();
            if (known != null && known != of) {
                System.arraycopy(before, i, more, length, 3);
                length += 3;
            }
        }
        more[length] = new WeakReference<>(of);
        more[length + 1] = answer;
        more[length + 2] = code;
        kept = Arrays.copyOf(more, length + 3);
        answer = null;
    }

    /** What a class had (1) or has now (2); null if it is none of {@link #kept}. */
    private static byte[] kept(Class<?> of, int which) {
        Object[] all = kept;
        for (int i = 0; i < all.length; i += 3) {
            if (((WeakReference<?>) all[i]).get() == of) {
                return (byte[]) all[i + which];
            }
        }
        return null;
    }

    /** Behind all who change classes: looks at the one that is asked for, or has the last word. Of classes that are being loaded it says nothing. */
    @Override
    public byte[] transform(ClassLoader loader, String name, Class<?> type, ProtectionDomain domain, byte[] bytes) {
        int which = given;
        if (wanted == null && type != null && which != 0) {
            byte[] last = kept(type, which);
            // Of what somebody has changed the JVM keeps what it was before, for those who change it later.
            return Arrays.equals(bytes, last) ? null : last;
        }
        if (type == wanted && type != null) {
            found = bytes.clone();
        }
        return null;
    }
}
