import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntBinaryOperator;

/**
 * Results that are made of inputs in every way that values go: arithmetic on one and two words, arrays, fields, statics,
 * conditions, loops, switches, exceptions, lambdas, recursion, collections, builders. A test changes one input after
 * the other and looks which results change.
 */
final class Sliced {
    static final class Node {
        int value;
        long weight;
        Node next;

        Node(int value, Node next) {
            this.value = value;
            this.next = next;
        }

        int sum() {
            return next == null ? value : value + next.sum();
        }
    }

    static int counter;

    static int in(String[] args, int at) {
        return Integer.parseInt(args[at]);
    }

    static int chosen(int which, int one, int other) {
        int unused = one * other;
        return which > 0 ? one : other;
    }

    static long mixed(long one, double two, int three) {
        long[] words = {one, three};
        words[0] += (long) two << 2;
        return words[0] ^ 3L;
    }

    static int looped(int times, int step) {
        int sum = 0;
        for (int i = 0; i < times; i++) {
            if (i == 2) {
                continue;
            }
            sum += step;
            if (sum > 1000) {
                break;
            }
        }
        return sum;
    }

    static String named(int kind) {
        switch (kind) {
            case 1:
                return "one";
            case 2:
                return "two";
            default:
                return "many";
        }
    }

    static int caught(int[] table, int at) {
        try {
            return table[at];
        } catch (ArrayIndexOutOfBoundsException e) {
            return -1;
        }
    }

    static void swap(int[] table, int one, int other) {
        int kept = table[one];
        table[one] = table[other];
        table[other] = kept;
    }

    static int checked(int value) {
        if (value < 0) {
            throw new IllegalArgumentException("negative");
        }
        return 1;
    }

    static int guarded(int value) {
        int result;
        try {
            checked(value);
            result = 1;
        } catch (IllegalArgumentException e) {
            result = 2;
        }
        return result;
    }

    static int fib(int n) {
        return n < 2 ? n : fib(n - 1) + fib(n - 2);
    }

    public static void main(String[] args) {
        int a = in(args, 0);
        int b = in(args, 1);
        int c = in(args, 2);
        int d = in(args, 3);
        int e = in(args, 4);
        int f = in(args, 5);

        int r0 = a + b * 2;
        int r1 = chosen(a, b, c);
        long r2 = mixed(a, b, c);
        int r3 = looped(d, e);
        String r4 = named(e) + f;
        int[] table = {a, b, c, d};
        swap(table, 1, 2);
        int r5 = table[1];
        int r6 = caught(table, d);
        Node list = new Node(a, new Node(b, null));
        Node other = new Node(c, list.next);
        other.next.value += f;
        int r7 = list.sum();
        int r8 = other.value;
        IntBinaryOperator op = (x, y) -> x * e + y;
        int r9 = op.applyAsInt(a, f);
        counter = d;
        if (f > 3) {
            counter++;
        }
        int r10 = counter;
        List<Integer> items = new ArrayList<>();
        items.add(a);
        items.add(b);
        int r11 = items.get(0) + items.size();
        Map<String, Integer> map = new HashMap<>();
        map.put("k" + c, d);
        int r12 = map.getOrDefault("k3", 0);
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < d && i < 5; i++) {
            text.append(i == 1 ? b : a).append(',');
        }
        String r13 = text.toString();
        int r14 = guarded(f);
        int r15 = fib(d % 5 + 2) + (a & 0);
        long[][] grid = new long[2][3];
        grid[a & 1][2] += e;
        long r16 = grid[1][2];
        int r18 = 1;
        if (f > 3) {
            r18 = 2;
        }
        int r17 = a > 0 && (b > 0 || c > 0) ? 1 : 0;

        System.out.println("r0=" + r0);
        System.out.println("r1=" + r1);
        System.out.println("r2=" + r2);
        System.out.println("r3=" + r3);
        System.out.println("r4=" + r4);
        System.out.println("r5=" + r5);
        System.out.println("r6=" + r6);
        System.out.println("r7=" + r7);
        System.out.println("r8=" + r8);
        System.out.println("r9=" + r9);
        System.out.println("r10=" + r10);
        System.out.println("r11=" + r11);
        System.out.println("r12=" + r12);
        System.out.println("r13=" + r13);
        System.out.println("r14=" + r14);
        System.out.println("r15=" + r15);
        System.out.println("r16=" + r16);
        System.out.println("r17=" + r17);
        System.out.println("r18=" + r18);
    }
}
