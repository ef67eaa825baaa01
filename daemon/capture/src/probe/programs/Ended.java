/** An initialiser has run before `main`, which an exception leaves. */
public class Ended {
    static final int[] NUMBERS = {1, 2, 3};
    static int sum;

    static {
        for (int number : NUMBERS) {
            sum += number;
        }
    }

    public static void main(String[] arguments) {
        System.out.println(sum);
        throw new IllegalStateException("end");
    }
}
