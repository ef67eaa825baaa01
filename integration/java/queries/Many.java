/** Adds up numbers in one long call, and makes another one that writes nothing itself. What is added is told by a seed. */
public final class Many {
    static int left;

    static int add(int sum, int number) {
        return sum + number;
    }

    static boolean more() {
        return left-- > 0;
    }

    static void spin() {
        while (more()) { }
    }

    /** SEED, how many are added, and how often the other call goes round. */
    public static void main(String[] args) {
        int seed = Integer.parseInt(args[0]);
        int count = Integer.parseInt(args[1]);
        left = Integer.parseInt(args[2]);
        int sum = 0;
        for (int i = 0; i < count; i++) {
            sum = add(sum, i ^ seed);
        }
        spin();
        System.out.println(sum);
    }
}
