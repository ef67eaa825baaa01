import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** Very many objects of one class, most of them alive, that come back from collections in another order. What is read of each tells which it is. */
public class Many {
    static final class Node {
        final int id;
        int mark;

        Node(int id) {
            this.id = id;
        }
    }

    static long sum;

    public static void main(String[] args) {
        int count = Integer.parseInt(args[0]);
        List<Node> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            all.add(new Node(i));
            // Of two, one is gone soon, and its hash with it.
            List<Node> gone = List.of(new Node(-i));
            sum = sum * 31 + gone.get(0).id;
        }
        Collections.shuffle(all, new Random(7));
        ArrayDeque<Node> queue = new ArrayDeque<>(all);
        while (!queue.isEmpty()) {
            Node node = queue.poll();
            node.mark = node.id + 1;
        }
        for (Node node : all) {
            sum = sum * 31 + node.mark - node.id + node.id % 7;
        }
        System.out.println(sum);
    }
}
