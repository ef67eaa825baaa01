package shop;

import shop.util.Money;

/** What is taken off for many pieces. */
final class Discount {
    private static final int ENOUGH = 5;

    private Discount() {}

    static int off(int cents, int pieces) {
        if (pieces < ENOUGH) {
            return cents;
        }
        int percent = rate(pieces);
        return cents + Money.percent(cents, percent);
    }

    static int rate(int pieces) {
        return pieces > 20 ? 20 : 10;
    }
}
