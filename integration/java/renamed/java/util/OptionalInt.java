package java.util;

/** A JDK that calls its internal fields by other names: what it holds is not known then, and never guessed. */
public final class OptionalInt {
    private static final OptionalInt EMPTY = new OptionalInt(false, 0);

    private final boolean there;
    private final int number;

    private OptionalInt(boolean there, int number) {
        this.there = there;
        this.number = number;
    }

    public static OptionalInt empty() {
        return EMPTY;
    }

    public static OptionalInt of(int number) {
        return new OptionalInt(true, number);
    }

    public boolean isPresent() {
        return there;
    }

    public int getAsInt() {
        return number;
    }
}
