package held;

/** What variables hold, as those know who wrote the program: a test compares it with what is recorded there and then. */
final class Witness {
    private Witness() {}

    /** The field of this name holds what {@code text} says. */
    static void field(Object object, String name, String text) {}

    /** The static field of this name. */
    static void statics(Class<?> owner, String name, String text) {}

    /** The element at this index. */
    static void element(Object array, int index, String text) {}

    /** All elements, one after the other. */
    static void elements(Object array, String... texts) {
        for (int index = 0; index < texts.length; index++) {
            element(array, index, texts[index]);
        }
    }
}
