import java.util.HashMap;
import java.util.Map;

/**
 * Six kernels, each run so often: `Kernels NAME TIMES`. Prints a result, and then how long the kernel took and how much
 * processor time the whole JVM did, both in milliseconds.
 */
public final class Kernels {
    private static int[] data(int length) {
        int[] numbers = new int[length];
        long state = 42;
        for (int i = 0; i < length; i++) {
            state = state * 6364136223846793005L + 1442695040888963407L;
            numbers[i] = (int) (state >>> 33);
        }
        return numbers;
    }

    private static void sort(int[] numbers, int from, int to) {
        if (to - from < 2) {
            return;
        }
        int middle = from + to >>> 1;
        sort(numbers, from, middle);
        sort(numbers, middle, to);
        int[] merged = new int[to - from];
        int left = from;
        int right = middle;
        for (int i = 0; i < merged.length; i++) {
            boolean takesLeft = right >= to || left < middle && numbers[left] <= numbers[right];
            merged[i] = takesLeft ? numbers[left++] : numbers[right++];
        }
        for (int i = 0; i < merged.length; i++) {
            numbers[from + i] = merged[i];
        }
    }

    private static final class Table {
        private final int[] keys = new int[1 << 16];
        private final int[] values = new int[1 << 16];

        private int place(int key) {
            int place = key * 0x9E3779B9 >>> 16;
            while (keys[place] != 0 && keys[place] != key) {
                place = place + 1 & 0xffff;
            }
            return place;
        }

        void add(int key, int value) {
            int place = place(key);
            keys[place] = key;
            values[place] += value;
        }

        int get(int key) {
            return values[place(key)];
        }
    }

    private interface Expression {
        int at(int x);
    }

    private record Sum(Expression left, Expression right) implements Expression {
        public int at(int x) {
            return left.at(x) + right.at(x);
        }
    }

    private record Product(Expression left, int factor) implements Expression {
        public int at(int x) {
            return left.at(x) * factor;
        }
    }

    private record Variable() implements Expression {
        public int at(int x) {
            return x;
        }
    }

    private static Expression expression(int depth) {
        if (depth == 0) {
            return new Variable();
        }
        Expression inner = expression(depth - 1);
        return depth % 3 == 0 ? new Product(inner, depth) : new Sum(inner, expression(depth - 1));
    }

    private static final class Node {
        private final int key;
        private Node left;
        private Node right;

        Node(int key) {
            this.key = key;
        }

        static Node insert(Node node, int key) {
            if (node == null) {
                return new Node(key);
            }
            if (key < node.key) {
                node.left = insert(node.left, key);
            } else {
                node.right = insert(node.right, key);
            }
            return node;
        }
    }

    private static int words(int count) {
        Map<String, Integer> counts = new HashMap<>();
        for (int i = 0; i < count; i++) {
            counts.merge("w" + i * 7919 % 1000, 1, Integer::sum);
        }
        int sum = 0;
        for (Map.Entry<String, Integer> entry : counts.entrySet()) {
            sum += entry.getKey().length() * entry.getValue();
        }
        return sum;
    }

    private static int sieve(int limit) {
        boolean[] composite = new boolean[limit + 1];
        int primes = 0;
        for (int i = 2; i <= limit; i++) {
            if (!composite[i]) {
                primes++;
                for (long j = (long) i * i; j <= limit; j += i) {
                    composite[(int) j] = true;
                }
            }
        }
        return primes;
    }

    private static long run(String name) {
        switch (name) {
            case "sort" -> {
                int[] numbers = data(1 << 14);
                sort(numbers, 0, numbers.length);
                return numbers[77];
            }
            case "table" -> {
                Table table = new Table();
                long sum = 0;
                for (int i = 1; i < 20_000; i++) {
                    table.add(i * 31, i);
                    sum += table.get(i * 31);
                }
                return sum;
            }
            case "expression" -> {
                return expression(10).at(3);
            }
            case "tree" -> {
                Node root = null;
                for (int number : data(10_000)) {
                    root = Node.insert(root, number);
                }
                return root.key;
            }
            case "words" -> {
                return words(5_000);
            }
            default -> {
                return sieve(500_000);
            }
        }
    }

    public static void main(String[] args) {
        int times = Integer.parseInt(args[1]);
        long begun = System.nanoTime();
        long result = 0;
        for (int i = 0; i < times; i++) {
            result += run(args[0]);
        }
        long took = System.nanoTime() - begun;
        System.out.println(result);
        long processor = ProcessHandle.current().info().totalCpuDuration().map(time -> time.toMillis()).orElse(0L);
        System.out.println(took / 1_000_000 + " " + processor);
    }
}
