import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Prices of orders: equal calls many times over, statics, side effects, and a defect for those who ask for it. */
final class Knows {
    static int discounted;
    static final Map<String, Integer> PRICES = new HashMap<>();

    static int price(String name, int count) {
        int one = PRICES.get(name);
        return rounded(one * count);
    }

    static int rounded(int cents) {
        return cents - cents % 5;
    }

    /** Ten per cent off from ten pieces on. */
    static int off(int cents, int count) {
        return count > 10 ? cents - cents / 10 : cents;
    }

    static void add(List<Integer> sums, int sum) {
        sums.add(sum);
    }

    static void count() {
        discounted++;
    }

    static int order(String[] names, int[] counts) {
        List<Integer> sums = new ArrayList<>();
        for (int i = 0; i < names.length; i++) {
            add(sums, off(price(names[i], counts[i]), counts[i]));
        }
        return total(sums);
    }

    static int total(List<Integer> sums) {
        int total = 0;
        for (int sum : sums) {
            total += sum;
        }
        return total;
    }

    public static void main(String[] arguments) {
        PRICES.put("oak", 127);
        PRICES.put("elm", 84);
        String[] names = {"oak", "elm"};
        int first = order(names, new int[] {2, 3});
        int again = order(new String[] {"oak", "elm"}, new int[] {2, 3});
        int third = order(names, new int[] {10, 3});
        count();
        int fourth = order(names, new int[] {2, 3});
        count();
        System.out.println(first + " " + again + " " + third + " " + fourth);
    }
}
