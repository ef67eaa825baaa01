import java.nio.IntBuffer;

/** Code out of the scope writes an array that it keeps, and nothing tells it. */
public class Unseen {
    private static final int[] NUMBERS = new int[300];

    public static void main(String[] args) {
        IntBuffer buffer = IntBuffer.wrap(NUMBERS);
        buffer.put(5, 77);
        System.out.println(NUMBERS[5]);
        int sum = 0;
        for (int i = 0; i < 2000; i++) {
            sum += NUMBERS[i % 300] + Math.max(i, 3);
            System.identityHashCode(buffer);
        }
        System.out.println(sum);
    }
}
