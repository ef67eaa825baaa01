package shop;

import shop.util.Money;

/** A test of the till that passes: nothing is taken off a small cart. */
public final class Small {
    private Small() {}

    public static void main(String[] args) {
        Cart small = new Cart("small");
        small.add("tea", 450, 2);
        System.out.println(small.label() + " " + Money.text(small.total()));
        System.out.println(Money.text(1234));
    }
}
