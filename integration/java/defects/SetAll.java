import java.util.Arrays;

/** Code out of the scope writes into an array between its calls back: each sees what was written before it. */
public class SetAll {
    static int see(int[] a, int i) {
        int before = i == 0 ? 0 : a[i - 1];
        return before + i + 1;
    }

    public static void main(String[] args) {
        int[] a = new int[4];
        Arrays.setAll(a, i -> see(a, i));
        System.out.println(Arrays.toString(a));
    }
}
