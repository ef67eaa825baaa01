package shop.util;

/** Sums in cents. */
public final class Money {
    private Money() {}

    public static int times(int cents, int many) {
        return cents * many;
    }

    public static int percent(int cents, int percent) {
        return cents * percent / 100;
    }

    public static String text(int cents) {
        return cents / 100 + "." + two(cents % 100);
    }

    private static String two(int cents) {
        return cents < 10 ? "0" + cents : "" + cents;
    }
}
