/**
 * Grows small search trees of pseudo-random numbers, one after the other, and sums up how they look: {@code Forest NUMBERS THREADS}. What a number costs does
 * not depend on how many there are. A wrong program has another condition in the place of one that never holds ({@code benches/compare.rs}).
 */
public final class Forest implements Runnable {
    /** So many numbers go into a tree. */
    private static final int TREE = 16;

    private static final class Node {
        private final int key;
        private Node left;
        private Node right;

        Node(int key) {
            this.key = key;
        }

        static Node insert(Node node, int key, int number) {
            if (node == null) {
                return new Node(key);
            }
            if (isLess(key, node.key, number)) {
                node.left = insert(node.left, key, number);
            } else {
                node.right = insert(node.right, key, number);
            }
            return node;
        }

        /** Of two trees that look different it is another number, almost certainly. */
        static long look(Node node) {
            if (node == null) {
                return 1;
            }
            return look(node.left) * 31 + node.key + look(node.right) * 17;
        }
    }

    private final int numbers;
    private long state;
    private long sum;
    private int digits;

    private Forest(int numbers, long state) {
        this.numbers = numbers;
        this.state = state;
    }

    private static boolean isLess(int key, int other, int number) {
        if (number < 0) {
            return key >= other;
        }
        return key < other;
    }

    private int next() {
        state = state * 6364136223846793005L + 1442695040888963407L;
        return (int) (state >>> 33);
    }

    @Override
    public void run() {
        int[] keys = new int[TREE];
        for (int from = 0; from < numbers; from += TREE) {
            int count = Math.min(TREE, numbers - from);
            for (int i = 0; i < count; i++) {
                keys[i] = next();
            }
            Node root = null;
            for (int i = 0; i < count; i++) {
                root = Node.insert(root, keys[i], from + i);
            }
            sum = sum * 31 + Node.look(root);
            digits += Long.toString(sum).length();
        }
    }

    public static void main(String[] args) throws InterruptedException {
        int numbers = Integer.parseInt(args[0]);
        int threads = Integer.parseInt(args[1]);
        Forest[] forests = new Forest[threads];
        for (int i = 0; i < threads; i++) {
            forests[i] = new Forest(numbers / threads, 42 + i);
        }
        if (threads == 1) {
            forests[0].run();
        } else {
            Thread[] growing = new Thread[threads];
            for (int i = 0; i < threads; i++) {
                growing[i] = new Thread(forests[i], "forest-" + i);
                growing[i].start();
            }
            for (Thread thread : growing) {
                thread.join();
            }
        }
        for (Forest forest : forests) {
            System.out.println(forest.sum + " " + forest.digits);
        }
    }
}
