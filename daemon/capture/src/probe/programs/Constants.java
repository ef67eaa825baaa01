/** Static fields that the class file gives their values, of classes and enums. {@link Held} is compiled again, with other values, when this is. */
public class Constants {
    static final int FINE = 7;
    static final long LONG = 1L << 40;
    static final char LETTER = 'x';
    static final boolean YES = true;
    static final byte SMALL = -3;
    static final short SHORT = 1234;
    static final float FLOAT = 0.1f;
    static final double DOUBLE = -2.5e-300;
    static final String NAME = "the name";
    /** A string of the JDK's own, which may come from there first. */
    static final String WORD = "true";
    static final Integer BOXED = 9;
    static int plain = 4;

    enum Kind {
        ONE, TWO;

        static final int WEIGHT = 3;

        int weight() {
            return WEIGHT * ordinal();
        }
    }

    String folded() {
        return NAME + FINE + LONG + LETTER + YES + SMALL + SHORT + FLOAT + DOUBLE;
    }

    static int held() {
        return Held.SIZE + Held.TEXT.length() + Held.unset;
    }

    static String word(boolean which) {
        String word = String.valueOf(which);
        return word == WORD ? "the same" : "another";
    }

    public static void main(String[] args) {
        System.out.println(word(true) + word(false) + word(true) + Later.word(true) + Later.word(true));
        Constants constants = new Constants();
        System.out.println(constants.folded());
        System.out.println(held());
        for (Kind kind : Kind.values()) {
            System.out.println(kind.weight());
        }
        System.out.println(Held.TEXT);
        System.out.println(Held.TEXT == "held");
        System.out.println(Held.LETTER + 1);
        System.out.println(BOXED + plain);
    }
}

/** Entered when the JDK has told its string. */
class Later {
    static final String WORD = "false";

    static String word(boolean which) {
        String word = String.valueOf(!which);
        return word == WORD ? "the same" : "another";
    }
}

/** Nothing of it is called. What is no constant when its readers are compiled is read, and not copied into them. */
class Held {
    static final int SIZE = Integer.parseInt("1");
    static final char LETTER = "x".charAt(0);
    static final String TEXT = new String("before");
    static int unset;
}
