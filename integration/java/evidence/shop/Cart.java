package shop;

import java.util.ArrayList;
import java.util.List;
import shop.util.Money;

/** What somebody buys. */
final class Cart {
    private final String name;
    private final List<Integer> amounts = new ArrayList<>();
    private int pieces;

    Cart(String name) {
        this.name = name;
    }

    void add(String what, int cents, int many) {
        amounts.add(Money.times(cents, many));
        pieces += many;
    }

    int total() {
        int sum = 0;
        for (int amount : amounts) {
            sum += amount;
        }
        return Discount.off(sum, pieces);
    }

    String label() {
        return name == null ? "nobody" : name;
    }
}
