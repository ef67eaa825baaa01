import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;

/**
 * An agent that changes {@code fx.Ticker} as it is loaded, so that the JVM has what no file has. Whoever gives it that once
 * more, to replace the class, gets one that counts in twos: as agents do that put in twice what is to be there once.
 */
public class Weaver implements ClassFileTransformer {
    public static void premain(String options, Instrumentation tools) {
        tools.addTransformer(new Weaver(), "again".equals(options));
    }

    @Override
    public byte[] transform(ClassLoader loader, String name, Class<?> type, ProtectionDomain domain, byte[] code) {
        if (!"fx/Ticker".equals(name)) {
            return null;
        }
        byte[] woven = code.clone();
        // The text of an error, or iconst_1, iadd, putstatic.
        byte[] from = type == null ? "standard input".getBytes() : new byte[] {0x04, 0x60, (byte) 0xb3};
        for (int at = 0; at + from.length <= woven.length; at++) {
            int same = 0;
            while (same < from.length && woven[at + same] == from[same]) {
                same++;
            }
            if (same == from.length) {
                woven[at] += type == null ? 'S' - 's' : 1;
                return woven;
            }
        }
        throw new IllegalStateException("nothing to weave");
    }
}
