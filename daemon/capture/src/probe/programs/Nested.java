/** Constructors out of the scope that make another object of their class before they call one of the scope. */
public class Nested {
    static class Base {
        static Base last;
        final Base before;

        Base(Base before) {
            this.before = before;
            last = this;
        }
    }

    /** Out of the scope in the test. */
    static class OutsideNest extends Base {
        OutsideNest(int depth, boolean throwing) {
            super(depth > 0 ? new OutsideNest(depth - 1, false) : null);
            if (throwing) {
                throw new IllegalStateException("late");
            }
        }
    }

    public static void main(String[] arguments) {
        boolean throwing = arguments.length > 0;
        Base flat = new OutsideNest(0, false);
        System.out.println(flat == Base.last);
        try {
            Base made = new OutsideNest(1, throwing);
            System.out.println(made == Base.last);
        } catch (IllegalStateException e) {
            System.out.println(e.getMessage() + (Base.last.before == Base.last));
        }
    }
}
