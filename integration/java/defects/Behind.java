/** An array behind a field of an object whose class is out of the scope, and its superclass is not. */
public class Behind {
    static class Base {
        int[] marks = {1, 2};
        int got;

        Base() {
            mark(7);
            got = marks[0];
        }

        void mark(int with) {
            marks[0] = with;
        }
    }

    static class Sub extends Base {
    }

    public static void main(String[] arguments) {
        System.out.println(new Base().got + new Sub().got);
    }
}
