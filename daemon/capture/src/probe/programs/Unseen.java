import java.util.HashMap;
import java.util.Map;
import java.util.zip.Deflater;

/** Code out of the scope writes an array that it keeps, and nothing tells it. */
public class Unseen {
    private static final byte[] NUMBERS = new byte[300];

    public static void main(String[] args) {
        Deflater deflater = new Deflater();
        deflater.setInput(new byte[] {1, 2, 3});
        deflater.finish();
        Map<String, byte[]> kept = new HashMap<>();
        kept.put("numbers", NUMBERS);
        kept.values().stream().forEach(deflater::deflate);
        System.out.println(NUMBERS[0]);
        int sum = 0;
        for (int i = 0; i < 2000; i++) {
            sum += NUMBERS[i % 300] + Math.max(i, 3);
            System.identityHashCode(kept);
        }
        System.out.println(sum);
    }
}
