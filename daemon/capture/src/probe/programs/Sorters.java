import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Functions that write arrays are handed to code out of the scope, which has some. */
public class Sorters {
    static int[] kept(int n) {
        int[] numbers = {3, 1, 2, n};
        Map<String, int[]> held = new HashMap<>();
        held.put("numbers", numbers);
        held.values().stream().forEach(Arrays::sort);
        return numbers;
    }

    static String[] names(String first) {
        String[] names = {"pear", first, "apple" + first.length(), null};
        names[3] = names[0] + names[1];
        Consumer<String[]> sorts = Arrays::sort;
        List.of(names, new String[] {"b", "a"}).forEach(sorts);
        return names;
    }

    public static void main(String[] args) {
        long sum = 0;
        for (int i = 0; i < 5; i++) {
            int[] numbers = kept(i);
            sum = 31 * sum + numbers[0] + 10 * numbers[3];
            String[] names = names("quince" + i);
            sum += names[0].length() + names[3].hashCode();
        }
        System.out.println(sum);
    }
}
