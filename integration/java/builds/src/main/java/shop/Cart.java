package shop;

import java.util.ArrayList;
import java.util.List;

/** What somebody buys; the third item is free, or should be. */
public final class Cart {
    private final List<Integer> prices = new ArrayList<>();

    public Cart add(int price) {
        prices.add(price);
        return this;
    }

    public int total() {
        int sum = 0;
        for (int i = 0; i < prices.size(); i++) {
            if (i % 3 == 3) {
                continue;
            }
            sum += prices.get(i);
        }
        return sum;
    }
}
