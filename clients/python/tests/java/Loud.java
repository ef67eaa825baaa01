import java.util.Arrays;

/** Writes so many blocks of 64 KiB, and then so many milliseconds nothing. */
public final class Loud {

    static byte[] block(int number) {
        byte[] block = new byte[64 << 10];
        Arrays.fill(block, (byte) ('a' + number % 26));
        return block;
    }

    public static void main(String[] words) throws InterruptedException {
        for (int number = 0; number < Integer.parseInt(words[0]); number++) {
            byte[] block = block(number);
            System.out.write(block, 0, block.length);
            System.out.flush();
        }
        Thread.sleep(Integer.parseInt(words[1]));
    }
}
