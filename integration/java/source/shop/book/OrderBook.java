package shop.book;

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.Iterator;
import java.util.TreeMap;
import java.util.function.LongPredicate;
import shop.Order;
import shop.Side;

/** Orders that wait, the best price first. */
public class OrderBook {
    private final TreeMap<Long, Level> asks = new TreeMap<>();
    private final TreeMap<Long, Level> bids = new TreeMap<>(Comparator.reverseOrder());
    private final int most;
    private int traded;

    public OrderBook(int most) {
        this.most = most;
    }

    /** Orders of one price, the oldest first. */
    static class Level {
        private final Deque<Long> ids = new ArrayDeque<>();
        private int pieces;

        void add(long id, int count) {
            ids.addLast(id);
            pieces += count;
        }

        int take(int wanted) {
            int taken = Math.min(wanted, pieces);
            pieces -= taken;
            if (pieces == 0) {
                ids.clear();
            }
            return taken;
        }
    }

    /** What is traded at once. The rest waits. */
    public int place(Order order) {
        LongPredicate fits = price -> order.side().accepts(order.price(), price);
        int left = order.pieces();
        Iterator<Long> prices = side(order.side().other()).keySet().iterator();
        while (left > 0 && prices.hasNext()) {
            long price = prices.next();
            if (!fits.test(price)) {
                break;
            }
            Level level = side(order.side().other()).get(price);
            int taken = level.take(left);
            left -= taken;
            traded += taken;
            if (level.pieces == 0) {
                prices.remove();
            }
        }
        if (left > 0) {
            wait(order.side(), order.price(), order.id(), left);
        }
        check();
        return order.pieces() - left;
    }

    private void wait(Side side, long price, long id, int count) {
        side(side).computeIfAbsent(price, unused -> new Level()).add(id, count);
    }

    private TreeMap<Long, Level> side(Side side) {
        return side == Side.BUY ? bids : asks;
    }

    private void check() {
        int waiting = 0;
        for (Level level : asks.values()) {
            waiting += level.pieces;
        }
        if (waiting > most) {
            throw new IllegalStateException("too many wait: " + waiting);
        }
    }

    public int traded() {
        return traded;
    }
}
