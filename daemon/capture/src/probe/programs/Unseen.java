import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/** Code out of the scope writes an array that it keeps, and nothing tells it. */
public class Unseen {
    private static final int[] NUMBERS = new int[300];

    public static void main(String[] args) {
        NUMBERS[5] = 77;
        Map<String, int[]> kept = new HashMap<>();
        kept.put("numbers", NUMBERS);
        kept.values().stream().forEach(Arrays::sort);
        System.out.println(NUMBERS[299]);
        int sum = 0;
        for (int i = 0; i < 2000; i++) {
            sum += NUMBERS[i % 300] + Math.max(i, 3);
            System.identityHashCode(kept);
        }
        System.out.println(sum);
    }
}
