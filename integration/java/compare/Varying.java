import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What is another in every run: clocks, hashes of identities, what they decide, and chance. */
public final class Varying {
    static long clock() {
        return System.nanoTime();
    }

    static int hash(Object object) {
        return System.identityHashCode(object);
    }

    static int set() {
        Set<Object> objects = new HashSet<>();
        for (int i = 0; i < 20; i++) {
            objects.add(new Object());
        }
        return objects.size();
    }

    static int chance() {
        List<Integer> numbers = new ArrayList<>();
        for (int i = 0; i < 2000; i++) {
            numbers.add(i);
        }
        // So many that neither end stays where it was, but for one run of a thousand: such a change is told in another way.
        Collections.shuffle(numbers);
        return numbers.size();
    }

    static int plain(int value) {
        return value + 1;
    }

    public static void main(String[] args) {
        long began = clock();
        int hash = hash(new Object());
        set();
        chance();
        plain(3);
        System.out.println(began != 0 || hash != 0);
    }
}
