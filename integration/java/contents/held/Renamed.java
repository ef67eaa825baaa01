package held;

import java.util.Optional;
import java.util.OptionalInt;

/** Holds what it holds in a JDK whose fields have other names, too (see renamed/). */
public final class Renamed {
    public static void main(String[] args) {
        Told.that(OptionalInt.of(3), "[3]");
        Told.that(OptionalInt.empty(), "[]");
        Told.that(Optional.of("x"), "[x]");
    }
}
