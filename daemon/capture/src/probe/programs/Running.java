import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Serves until its input ends, and says of each step what it yields. */
public final class Running {
    enum Kind {
        READ, WRITE
    }

    record Order(int id, Kind kind, String who) {}

    static final class Account {
        private long balance = 100;
        private final int[] last = new int[4];
        private final List<Order> orders = new ArrayList<>();

        long apply(Order order) {
            if (order.kind() == Kind.WRITE) {
                balance += order.id();
                last[order.id() % 4] = order.id();
            }
            orders.add(order);
            if (orders.size() > 6) {
                orders.remove(0);
            }
            return balance + last[0] + orders.get(0).id();
        }
    }

    /** Loaded when somebody attaches only. */
    static final class Late {
        static int seen = 41;

        static int look() {
            return ++seen;
        }
    }

    static int served;
    static final Map<String, Account> ACCOUNTS = new HashMap<>();

    static long step(int number) {
        Order order = new Order(number, Kind.values()[number % 2], "u" + number % 3);
        Account account = ACCOUNTS.computeIfAbsent(order.who(), who -> new Account());
        served++;
        return account.apply(order) * 1000 + served % 7 + (number > 150 ? Late.look() : 0);
    }

    public static void main(String[] args) throws Exception {
        System.out.println("runs");
        for (int number = 0; System.in.available() == 0; number++) {
            System.out.println(number + " " + step(number));
            Thread.sleep(2);
        }
        System.out.println("ends");
    }
}
