import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.zip.Adler32;

/**
 * Class objects that come from code out of the scope before constants of others do: by names, of objects, in lists, of arrays. The JVM has asked
 * for the identity hashes of two of them before, for the type of a method, so that nobody can see that they are new where they are told first.
 */
public final class ClassObjects {
    static final class Before {
    }

    static final class Behind {
    }

    static Class<?> first;
    static Class<?> second;
    static final Class<?>[] ALL = new Class<?>[6];

    static String name(Class<?> of) {
        return of.getName();
    }

    static boolean same(Object one, Object other) {
        return one == other;
    }

    public static void main(String[] args) throws Exception {
        System.out.println(MethodType.fromMethodDescriptorString("(Ljava/util/zip/Adler32;Ljava/util/concurrent/Phaser;)V", null));
        first = Class.forName("java.util.concurrent.Phaser");
        System.out.println(name(first));
        second = Adler32.class;
        System.out.println(name(second) + same(first, second));
        first = Class.forName("ClassObjects$Before");
        second = Behind.class;
        System.out.println(name(first) + name(second) + same(first, second) + same(first, Before.class));
        ALL[0] = BitSet.class;
        ALL[1] = Class.forName("java.util.BitSet");
        ALL[2] = int[].class;
        ALL[3] = Class.forName("[I");
        ALL[4] = Class.forName("[Ljava.lang.String;");
        ALL[5] = String[].class;
        for (int i = 0; i < ALL.length; i += 2) {
            System.out.println(name(ALL[i]) + same(ALL[i], ALL[i + 1]) + same(ALL[i], first));
        }
        Object list = new ArrayList<>();
        System.out.println(name(list.getClass()) + same(list.getClass(), ArrayList.class));
        Class<?> mine = ClassObjects.class;
        System.out.println(name(mine) + same(mine, Class.forName("ClassObjects")));
        for (Class<?> of : List.of(Integer.class, int.class, Long.class)) {
            System.out.println(name(of) + same(of, second) + same(of, int.class));
        }
        synchronized (Long.class) {
            first = Long.class;
        }
        System.out.println(name(first));
    }
}
