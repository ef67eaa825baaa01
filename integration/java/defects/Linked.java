/** The interface of a lambda is initialised while its call site is linked: nobody in the scope calls that initialiser. */
public class Linked {
    interface Op {
        int LIMIT = make(7);

        static int make(int limit) {
            return limit;
        }

        int apply(int x);

        default int twice(int x) {
            return apply(apply(x));
        }
    }

    static int run() {
        Op op = x -> x + Op.LIMIT;
        return op.twice(1);
    }

    public static void main(String[] args) {
        System.out.println(run());
    }
}
