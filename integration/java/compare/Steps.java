import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Small things done one after the other. Tests change a line of it, and see where the two runs first differ. */
public final class Steps {
    static final int ROUNDS = 5;

    int sum;
    final List<Integer> seen = new ArrayList<>();

    void step(int round) {
        sum += round;
        seen.add(round);
    }

    int twice(int value) {
        return value * 2;
    }

    int work() {
        int done = 0;
        for (int round = 0; round < ROUNDS; round++) {
            step(round);
            done += twice(round);
        }
        return done;
    }

    static int spin() {
        int mixed = 1;
        for (int i = 0; i < 5; i++) {
            mixed = mixed * 31 + i;
        }
        return mixed;
    }

    void around() {
        twice(100);
        spin();
        twice(200);
        twice(300);
    }

    static Object made() {
        return new StringBuilder("made");
    }

    static boolean use(Object object) {
        return object != null;
    }

    static int used() {
        Object object = made();
        int uses = 0;
        for (int i = 0; i < 4; i++) {
            uses += use(object) ? 1 : 0;
        }
        return uses;
    }

    static String attempt(int value) {
        try {
            return tried(value);
        } catch (IllegalStateException e) {
            return "caught";
        }
    }

    static String tried(int value) {
        return "tried " + value;
    }

    static int held() {
        Map<String, Integer> lengths = new HashMap<>();
        List<Integer> order = new ArrayList<>();
        for (String word : new String[] {"a", "bee", "seven"}) {
            lengths.put(word, word.length());
            order.add(word.length());
        }
        Collections.reverse(order);
        return lengths.size() + order.get(0);
    }

    public static void main(String[] args) {
        Steps steps = new Steps();
        int done = steps.work();
        steps.around();
        done += used();
        String text = attempt(7);
        done += held();
        System.out.println(done + text + steps.seen);
    }
}
