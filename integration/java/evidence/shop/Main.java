package shop;

import shop.util.Money;

/** A till: three carts are added up, with something off for those that are full. */
public final class Main {
    private Main() {}

    public static void main(String[] args) {
        Cart small = new Cart("small");
        small.add("tea", 450, 2);
        small.add("cup", 1200, 1);
        Cart full = new Cart("full");
        full.add("pot", 2550, 1);
        full.add("spoon", 300, 6);
        full.add("bowl", 990, 2);
        Cart empty = new Cart(null);
        System.out.println(small.label() + " " + Money.text(small.total()));
        System.out.println(full.label() + " " + Money.text(full.total()));
        System.out.println(empty.label() + " " + Money.text(empty.total()));
    }
}
