/** Eight threads that read and write the same fields and arrays as they like; each says what it has seen. */
public final class Races {
    static final int THREADS = 8;
    static int number;
    static long wide;
    static Node node = new Node(0, null);
    static final int[] numbers = new int[16];
    static final Node[] nodes = new Node[16];

    static final class Node {
        int value;
        Node next;

        Node(int value, Node next) {
            this.value = value;
            this.next = next;
        }
    }

    static void report(int thread, long seen) {
        System.out.println(thread + " " + seen);
    }

    static long look(Node from) {
        long sum = 0;
        for (int i = 0; from != null && i < 4; i++) {
            sum = sum * 31 + from.value;
            from.value++;
            from = from.next;
        }
        return sum;
    }

    static long turn(int thread, int round) {
        long seen = number;
        number = (int) (seen + thread);
        wide = wide * 3 + round;
        seen = seen * 31 + wide;
        int at = (thread * 7 + round) & 15;
        seen = seen * 31 + numbers[at];
        numbers[at ^ 1] += round;
        seen = seen * 31 + look(node);
        node = new Node(round, node);
        if (node.next != null) {
            node.next.next = nodes[at];
        }
        nodes[at] = node;
        return seen * 31 + look(nodes[at ^ 3]);
    }

    static void run(int thread) {
        long seen = 0;
        for (int round = 0; round < 400; round++) {
            seen = seen * 31 + turn(thread, round);
            if (round % 50 == thread) {
                Thread.yield();
            }
        }
        synchronized (Races.class) {
            report(thread, seen);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Thread[] all = new Thread[THREADS];
        for (int i = 0; i < THREADS; i++) {
            int mine = i;
            all[i] = new Thread(() -> run(mine));
            all[i].start();
        }
        for (Thread thread : all) {
            thread.join();
        }
    }
}
