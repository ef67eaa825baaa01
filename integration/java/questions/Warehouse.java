import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.TreeMap;

/** Stock in batches: what comes first goes first; orders wait for what is missing, and the shelf is filled up. */
public class Warehouse {
    final TreeMap<String, Shelf> shelves = new TreeMap<>();
    final List<Order> waiting = new ArrayList<>();
    long earned;

    public static void main(String[] args) {
        Warehouse house = new Warehouse();
        house.deliver("nail", 100, 3);
        house.deliver("screw", 40, 8);
        house.deliver("nail", 60, 4);
        house.deliver("hook", 5, 55);
        house.order(new Order("nail", 120, 6));
        house.order(new Order("screw", 50, 11));
        house.order(new Order("hook", 4, 80));
        house.order(new Order("nail", 30, 6));
        house.deliver("screw", 30, 9);
        house.order(new Order("hook", 2, 80));
        house.refill();
        house.report();
    }

    static class Order {
        final String item;
        final int amount;
        final int price;
        boolean done;

        Order(String item, int amount, int price) {
            this.item = item;
            this.amount = amount;
            this.price = price;
        }

        long value() {
            return (long) amount * price * (100 - discount()) / 100;
        }

        int discount() {
            if (amount >= 100) {
                //@ discount-over: if (amount > 120) {
                return 10;
            }
            return amount >= 50 ? 5 : 0;
        }
    }

    static class Batch {
        int left;
        final int cost;

        Batch(int left, int cost) {
            this.left = left;
            this.cost = cost;
        }

        int take(int wanted) {
            int taken = Math.min(wanted, left);
            left -= taken;
            //@ take-all: left = 0;
            return taken;
        }
    }

    static class Shelf {
        final Deque<Batch> batches = new ArrayDeque<>();
        int least = 10;

        void put(int amount, int cost) {
            batches.addLast(new Batch(amount, cost));
            //@ put-in-front: batches.addFirst(new Batch(amount, cost));
            least = Math.max(least, amount / 4);
            //@ least-follows-down: least = Math.min(least, amount / 4);
        }

        int held() {
            int held = 0;
            for (Batch batch : batches) {
                held += batch.left;
                //@ held-last-batch: held = batch.left;
            }
            return held;
        }

        long take(int amount) {
            long cost = 0;
            int open = amount;
            while (open > 0) {
                Batch first = batches.peekFirst();
                int taken = first.take(open);
                open -= taken;
                cost += (long) taken * first.cost;
                //@ cost-of-wanted: cost += (long) amount * first.cost;
                if (first.left == 0) {
                    batches.removeFirst();
                }
            }
            return cost;
        }

        boolean isLow() {
            return held() < least;
        }
    }

    Shelf shelf(String item) {
        Shelf shelf = shelves.get(item);
        if (shelf == null) {
            shelf = new Shelf();
            shelves.put(item, shelf);
            //@ shelf-not-kept: shelves.putIfAbsent(item.substring(1), shelf);
        }
        return shelf;
    }

    void deliver(String item, int amount, int cost) {
        shelf(item).put(amount, cost);
        serveWaiting(item);
        //@ waiting-not-served:
    }

    void order(Order order) {
        if (!serve(order)) {
            waiting.add(order);
        }
    }

    boolean serve(Order order) {
        Shelf shelf = shelf(order.item);
        if (shelf.held() < order.amount) {
            //@ serve-not-last: if (shelf.held() <= order.amount + 15) {
            return false;
        }
        long cost = shelf.take(order.amount);
        earned += order.value() - cost;
        //@ earned-without-cost: earned += order.value();
        order.done = true;
        return true;
    }

    void serveWaiting(String item) {
        for (int i = 0; i < waiting.size(); i++) {
            Order order = waiting.get(i);
            if (order.item.equals(item) && serve(order)) {
                waiting.remove(i);
                i--;
            }
        }
    }

    void refill() {
        for (String item : new ArrayList<>(shelves.keySet())) {
            Shelf shelf = shelves.get(item);
            if (shelf.isLow()) {
                deliver(item, missing(shelf), 5);
            }
        }
    }

    static int missing(Shelf shelf) {
        return shelf.least * 2 - shelf.held();
        //@ missing-to-least: return shelf.least - shelf.held();
    }

    void report() {
        for (String item : shelves.keySet()) {
            System.out.println(item + " " + shelves.get(item).held() + " of " + shelves.get(item).least);
        }
        System.out.println("earned " + earned + ", waiting " + waiting.size());
    }
}
