package shop;

import java.util.List;
import shop.book.OrderBook;

/** Places some orders; the last one is one too many. */
public final class Main {
    private static int count;

    private Main() {
    }

    public static void main(String[] args) {
        OrderBook book = new OrderBook(10);
        List<Order> orders = List.of(
            new Order(1, Side.SELL, 101, 5),
            new Order(2, Side.SELL, 100, 4),
            new Order(3, Side.BUY, 100, 6),
            new Order(4, Side.BUY, 102, 5),
            new Order(5, Side.SELL, 99, 30));
        orders.forEach(order -> {
            int traded = book.place(order);
            count++;
            System.out.println(count + ": " + traded);
        });
    }
}
