package book;

import java.math.BigDecimal;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/**
 * An exchange for a few symbols: orders wait in queues by price, what crosses is traded, and what was traded is
 * settled. It prints a wrong report: one mistake is planted in it.
 */
public final class OrderBook {
    /** Which way an order goes. */
    enum Side {
        BUY,
        SELL;

        Side opposite() {
            return this == BUY ? SELL : BUY;
        }
    }

    /** What became of an order. */
    enum Status { OPEN, PARTLY_FILLED, FILLED, CANCELLED }

    /** An order as it was given. */
    record Order(int id, String owner, String symbol, Side side, long price, int quantity) {
        Order {
            if (quantity <= 0) throw new IllegalArgumentException("quantity " + quantity + " of order " + id);
        }
    }

    /** A trade between two orders. */
    record Trade(int buyer, int seller, String symbol, long price, int quantity) {
        long amount() {
            return price * quantity;
        }
    }

    /** An order in the book, with what is left of it. */
    static final class Resting {
        final Order order;
        int left;
        Status status = Status.OPEN;

        Resting(Order order) {
            this.order = order;
            this.left = order.quantity();
        }

        void take(int quantity) {
            left -= quantity;
            status = left == 0 ? Status.FILLED : Status.PARTLY_FILLED;
        }
    }

    /** The orders of one side, best price first, earliest first. */
    static final class Queue {
        final NavigableMap<Long, Deque<Resting>> levels;

        Queue(Side side) {
            Comparator<Long> best = side == Side.BUY ? Comparator.reverseOrder() : Comparator.naturalOrder();
            levels = new TreeMap<>(best);
        }

        void add(Resting resting) {
            levels.computeIfAbsent(resting.order.price(), price -> new ArrayDeque<>()).addLast(resting);
        }

        Optional<Resting> best() {
            return levels.isEmpty() ? Optional.empty() : Optional.of(levels.firstEntry().getValue().peekFirst());
        }

        void removeBest() {
            Map.Entry<Long, Deque<Resting>> level = levels.firstEntry();
            level.getValue().pollFirst();
            if (level.getValue().isEmpty()) levels.remove(level.getKey());
        }

        boolean remove(int id) {
            for (Iterator<Map.Entry<Long, Deque<Resting>>> all = levels.entrySet().iterator(); all.hasNext(); ) {
                Deque<Resting> level = all.next().getValue();
                if (level.removeIf(resting -> resting.order.id() == id)) {
                    if (level.isEmpty()) all.remove();
                    return true;
                }
            }
            return false;
        }

        int depth() {
            int depth = 0;
            for (Deque<Resting> level : levels.values()) {
                for (Resting resting : level) depth += resting.left;
            }
            return depth;
        }
    }

    /** The book of one symbol. */
    static final class Book {
        final String symbol;
        final Map<Side, Queue> sides = new EnumMap<>(Side.class);
        final List<Trade> trades = new ArrayList<>();

        Book(String symbol) {
            this.symbol = symbol;
            for (Side side : Side.values()) sides.put(side, new Queue(side));
        }

        /** Matches an order against the other side; what is left of it rests. */
        List<Trade> place(Order order) {
            Resting incoming = new Resting(order);
            List<Trade> made = new ArrayList<>();
            Queue other = sides.get(order.side().opposite());
            while (incoming.left > 0) {
                Optional<Resting> best = other.best();
                if (best.isEmpty() || !crosses(order, best.get().order.price())) break;
                made.add(match(incoming, best.get()));
                if (best.get().left == 0) other.removeBest();
            }
            if (incoming.left > 0) sides.get(order.side()).add(incoming);
            trades.addAll(made);
            return made;
        }

        boolean crosses(Order order, long price) {
            return order.side() == Side.BUY ? order.price() >= price : order.price() <= price;
        }

        Trade match(Resting incoming, Resting resting) {
            int quantity = Math.min(incoming.left, resting.left);
            incoming.take(quantity);
            resting.take(quantity);
            Order order = incoming.order;
            boolean buys = order.side() == Side.BUY;
            int buyer = buys ? order.id() : resting.order.id();
            int seller = buys ? resting.order.id() : order.id();
            return new Trade(buyer, seller, symbol, resting.order.price(), quantity);
        }

        boolean cancel(int id) {
            return sides.get(Side.BUY).remove(id) || sides.get(Side.SELL).remove(id);
        }

        Optional<Long> spread() {
            Optional<Resting> bid = sides.get(Side.BUY).best();
            Optional<Resting> ask = sides.get(Side.SELL).best();
            if (bid.isEmpty() || ask.isEmpty()) return Optional.empty();
            return Optional.of(ask.get().order.price() - bid.get().order.price());
        }
    }

    /** What an owner has of money and of each symbol. */
    static final class Account {
        final String owner;
        BigDecimal cash = BigDecimal.ZERO;
        final Map<String, Integer> holdings = new TreeMap<>();

        Account(String owner) {
            this.owner = owner;
        }

        void bought(Trade trade) {
            cash = cash.subtract(BigDecimal.valueOf(trade.amount(), 2));
            holdings.merge(trade.symbol(), trade.quantity(), Integer::sum);
        }

        void sold(Trade trade) {
            cash = cash.add(BigDecimal.valueOf(trade.amount(), 2));
            holdings.put(trade.symbol(), -trade.quantity());
        }
    }

    /** Books trades to the accounts of those who traded. */
    static final class Settlement {
        final Map<String, Account> accounts = new LinkedHashMap<>();
        final Map<Integer, Order> orders = new HashMap<>();

        void register(Order order) {
            orders.put(order.id(), order);
            accounts.computeIfAbsent(order.owner(), Account::new);
        }

        void settle(List<Trade> trades) {
            for (Trade trade : trades) {
                account(trade.buyer()).bought(trade);
                account(trade.seller()).sold(trade);
            }
        }

        Account account(int order) {
            return accounts.get(orders.get(order).owner());
        }

        /** What is held of each symbol by all together: nothing comes from nowhere, so it is 0. */
        Map<String, Integer> totals() {
            Map<String, Integer> totals = new TreeMap<>();
            for (Account account : accounts.values()) {
                account.holdings.forEach((symbol, quantity) -> totals.merge(symbol, quantity, Integer::sum));
            }
            return totals;
        }
    }

    /** All books, and the statistics of the day. */
    static final class Exchange {
        final Map<String, Book> books = new TreeMap<>();
        final Settlement settlement = new Settlement();
        final Deque<String> log = new ArrayDeque<>();

        void submit(Order order) {
            settlement.register(order);
            Book book = books.computeIfAbsent(order.symbol(), Book::new);
            List<Trade> made = book.place(order);
            settlement.settle(made);
            note(order, made);
        }

        void cancel(String symbol, int id) {
            boolean cancelled = books.get(symbol).cancel(id);
            log.addLast("cancel " + id + (cancelled ? "" : " refused"));
        }

        void note(Order order, List<Trade> made) {
            StringBuilder line = new StringBuilder();
            line.append(order.side() == Side.BUY ? "buy " : "sell ").append(order.quantity());
            line.append(' ').append(order.symbol()).append(" at ").append(money(order.price()));
            for (Trade trade : made) {
                line.append("; ").append(trade.quantity()).append(" at ").append(money(trade.price()));
            }
            log.addLast(line.toString());
            if (log.size() > 12) log.removeFirst();
        }

        List<String> ranking() {
            Map<String, Long> volumes = new HashMap<>();
            for (Book book : books.values()) {
                for (Trade trade : book.trades) {
                    volumes.merge(settlement.orders.get(trade.buyer()).owner(), trade.amount(), Long::sum);
                    volumes.merge(settlement.orders.get(trade.seller()).owner(), trade.amount(), Long::sum);
                }
            }
            List<Map.Entry<String, Long>> entries = new ArrayList<>(volumes.entrySet());
            entries.sort(Map.Entry.<String, Long>comparingByValue().reversed().thenComparing(Map.Entry.comparingByKey()));
            List<String> names = new ArrayList<>();
            for (Map.Entry<String, Long> entry : entries) names.add(entry.getKey());
            return Collections.unmodifiableList(names);
        }
    }

    static String money(long cents) {
        return BigDecimal.valueOf(cents, 2).toPlainString();
    }

    /** The report that the exchange prints in the evening. */
    static String report(Exchange exchange) {
        StringBuilder report = new StringBuilder();
        for (Book book : exchange.books.values()) {
            report.append(book.symbol).append(": ").append(book.trades.size()).append(" trades, bid depth ");
            report.append(book.sides.get(Side.BUY).depth()).append(", ask depth ");
            report.append(book.sides.get(Side.SELL).depth()).append(", spread ");
            report.append(book.spread().map(OrderBook::money).orElse("none")).append('\n');
        }
        for (Account account : exchange.settlement.accounts.values()) {
            report.append(account.owner).append(": ").append(account.cash.toPlainString());
            report.append(' ').append(account.holdings).append('\n');
        }
        report.append("totals ").append(exchange.settlement.totals()).append('\n');
        report.append("ranking ").append(exchange.ranking()).append('\n');
        return report.toString();
    }

    private OrderBook() {}

    public static void main(String[] args) {
        Exchange exchange = new Exchange();
        exchange.submit(new Order(1, "ada", "OAK", Side.SELL, 1050, 30));
        exchange.submit(new Order(2, "bob", "OAK", Side.SELL, 1040, 20));
        exchange.submit(new Order(3, "cyd", "OAK", Side.BUY, 1045, 10));
        exchange.submit(new Order(4, "dan", "OAK", Side.BUY, 1050, 25));
        exchange.submit(new Order(5, "ada", "ELM", Side.BUY, 500, 40));
        exchange.submit(new Order(6, "cyd", "ELM", Side.SELL, 495, 15));
        exchange.submit(new Order(7, "bob", "ELM", Side.SELL, 500, 30));
        exchange.submit(new Order(8, "dan", "OAK", Side.SELL, 1060, 5));
        exchange.cancel("OAK", 8);
        exchange.cancel("OAK", 8);
        exchange.submit(new Order(9, "cyd", "OAK", Side.BUY, 1030, 12));
        exchange.submit(new Order(10, "ada", "OAK", Side.SELL, 1030, 6));
        System.out.print(report(exchange));
        for (String line : exchange.log) System.out.println(line);
    }
}
