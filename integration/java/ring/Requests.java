import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Answers as many requests as it is told, as a server does that runs for long: some objects live from the beginning, others for one request. */
public class Requests {
    enum Kind { TEA, COFFEE, CAKE }

    record Line(Kind kind, int count) {
        int cost() {
            return count * Requests.PRICES[kind.ordinal()];
        }
    }

    static class Order {
        final int number;
        final List<Line> lines = new ArrayList<>();
        int total;
        String note;

        Order(int number) {
            this.number = number;
        }

        void add(Line line) {
            lines.add(line);
            total += line.cost();
        }
    }

    static class NoSuchOrder extends RuntimeException {
        NoSuchOrder(int number) {
            super("order " + number);
        }
    }

    static final int[] PRICES = {3, 4, 7};
    static int answered;
    static Order last;

    final Map<String, Integer> sold = new LinkedHashMap<>();
    final int[] perHour = new int[24];
    final String name;
    /** Written at the beginning, and then never again. */
    int opened = 7;
    long takings;
    int refused;

    Requests(String name) {
        this.name = name;
    }

    Order read(int seed) {
        Order order = new Order(seed);
        int rest = seed * 31 + 7;
        for (int i = 0; i < 1 + seed % 4; i++) {
            rest = rest * 17 + i & 0xffff;
            order.add(new Line(Kind.values()[rest % 3], 1 + rest % 5));
        }
        return order;
    }

    int answer(int seed) {
        if (seed % 97 == 5) {
            refused++;
            throw new NoSuchOrder(seed);
        }
        Order order = read(seed);
        for (Line line : order.lines) {
            // No lambda: its class has another name in each run.
            Integer before = sold.get(line.kind().name());
            sold.put(line.kind().name(), before == null ? line.count() : before + line.count());
        }
        takings += order.total;
        perHour[seed % 24] += order.total;
        order.note = order.total > 20 ? "large" : null;
        last = order;
        answered++;
        return order.total;
    }

    static long serve(Requests shop, int requests) {
        long sum = 0;
        for (int i = 0; i < requests; i++) {
            try {
                sum += shop.answer(i);
            } catch (NoSuchOrder refused) {
                sum--;
            }
        }
        return sum;
    }

    public static void main(String[] arguments) {
        Requests shop = new Requests("corner");
        long sum = serve(shop, Integer.parseInt(arguments[0]));
        System.out.println(sum + " " + shop.takings + " " + shop.refused + " " + answered + " " + shop.sold);
    }
}
