import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/** Class objects that come from code out of the scope before constants of others do: by names, of objects, in lists, of arrays. */
public final class ClassObjects {
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
        first = Class.forName("java.util.concurrent.atomic.AtomicLong");
        System.out.println(name(first));
        second = java.net.URI.class;
        System.out.println(name(second) + same(first, second));
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
        for (Class<?> one : List.of(Integer.class, int.class, Long.class)) {
            System.out.println(name(one) + same(one, second) + same(one, int.class));
        }
        synchronized (Long.class) {
            first = Long.class;
        }
        System.out.println(name(first));
    }
}
