package odd;

import java.io.IOException;
import java.io.InputStream;
import java.lang.instrument.ClassDefinition;
import java.lang.instrument.Instrumentation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Its own agent: swaps the code of {@link Part} in the middle of the run, as a profiler or hot reload does. */
public final class Redefined {

    private static Instrumentation instrumentation;

    private Redefined() {}

    public static void premain(String options, Instrumentation given) {
        instrumentation = given;
        if ("alter".equals(options)) given.addTransformer(new Altered());
    }

    /** Has {@link Twins} as it would be with another number in it, before the JVM has it. */
    static final class Altered implements java.lang.instrument.ClassFileTransformer {
        @Override
        public byte[] transform(
                ClassLoader loader, String name, Class<?> type, java.security.ProtectionDomain domain, byte[] code) {
            if (!"odd/Twins".equals(name)) return null;
            byte[] other = code.clone();
            // iload_3, iconst_2, if_icmpge: the last is that of the rounds.
            for (int at = other.length - 3; at >= 0; at--) {
                if (other[at] == 0x1d && other[at + 1] == 0x05 && other[at + 2] == (byte) 0xa2) {
                    other[at + 1] = 0x06;
                    return other;
                }
            }
            throw new IllegalStateException("it has no such loop");
        }
    }

    static final class Part {
        static int answer(int n) {
            SEEN.add(n);
            COUNTS[n % 2] += n;
            int twice = n * 2;
            return twice + 1;
        }
    }

    /** What the swapped code changes, unseen. */
    static final List<Integer> SEEN = new ArrayList<>();
    static final int[] COUNTS = new int[2];

    /** Says what they hold. */
    static void show(List<Integer> seen, int[] counts, String told) {
        if (!told.equals(seen + " " + Arrays.toString(counts))) throw new IllegalStateException(told);
    }

    static void show() {
        show(SEEN, COUNTS, SEEN + " " + Arrays.toString(COUNTS));
    }

    static void swap() throws Exception {
        instrumentation.redefineClasses(new ClassDefinition(Part.class, other()));
    }

    /** The class with 300 in the place of 1, as build.sh compiled it. */
    static byte[] other() throws IOException {
        try (InputStream in = Redefined.class.getResourceAsStream("/Part.replaced")) {
            return in.readAllBytes();
        }
    }

    public static void main(String[] args) throws Exception {
        int before = Part.answer(20);
        show();
        swap();
        int after = Part.answer(20);
        show();
        int again = Part.answer(21);
        show();
        System.out.println(before + " " + after + " " + again);
    }
}
