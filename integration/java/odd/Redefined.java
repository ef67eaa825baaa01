package odd;

import java.io.IOException;
import java.io.InputStream;
import java.lang.instrument.ClassDefinition;
import java.lang.instrument.Instrumentation;

/** Its own agent: swaps the code of {@link Part} in the middle of the run, as a profiler or hot reload does. */
public final class Redefined {

    private static Instrumentation instrumentation;

    private Redefined() {}

    public static void premain(String options, Instrumentation given) {
        instrumentation = given;
    }

    static final class Part {
        static int answer(int n) {
            int twice = n * 2;
            return twice + 1;
        }
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
        swap();
        int after = Part.answer(20);
        int again = Part.answer(21);
        System.out.println(before + " " + after + " " + again);
    }
}
