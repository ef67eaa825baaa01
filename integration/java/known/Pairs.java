import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Methods that are called twice. Those whose names begin with "same" are given the same and yield the same; those whose names
 * begin with "other" look alike, and something that may matter is not the same.
 */
final class Pairs {
    static final class Node {
        int number;
        Node next;

        Node(int number) {
            this.number = number;
        }
    }

    enum Colour { RED, BLUE }

    static int calls;

    // Equal calls.

    static int sameInts(int a, long b, double c) {
        return (int) (a + b + c);
    }

    static String sameTexts(String a) {
        return a + "!";
    }

    static int sameCycle(Node first) {
        int sum = 0;
        Node at = first;
        do {
            sum += at.number;
            at = at.next;
        } while (at != first);
        return sum;
    }

    static int sameHashes(Map<String, Integer> map, Set<String> set) {
        return map.size() + set.size();
    }

    static void sameThrows(int[] a) {
        throw new IllegalArgumentException("length " + a.length);
    }

    static void sameChange(List<Integer> list) {
        list.add(7);
    }

    static Node sameMade(int number) {
        Node made = new Node(number);
        made.next = made;
        return made;
    }

    static int sameColour(Colour colour) {
        return 3;
    }

    // Calls that only look alike.

    static int otherAlias(Node a, Node b) {
        return a.number + b.number;
    }

    static int otherColour(Colour colour) {
        return 3;
    }

    static int otherInside(Node a) {
        return 3;
    }

    static int otherOrder(Set<String> linked) {
        return linked.size();
    }

    static int otherChange(List<Integer> list, int[] hidden) {
        list.set(0, hidden[0]);
        hidden[0] = 0;
        return 3;
    }

    static Node otherIdentity(Node a, boolean[] copy) {
        boolean make = copy[0];
        copy[0] = false;
        if (!make) {
            return a;
        }
        Node made = new Node(a.number);
        return made;
    }

    static int otherClock() {
        return System.nanoTime() > 0 ? 1 : 2;
    }

    static void otherPrints(String text) {
        System.out.println(text);
    }

    static int otherStatic() {
        return 3;
    }

    static int otherLong(String text) {
        return text.length();
    }

    static int otherLarge(int[] many) {
        return many.length;
    }

    static int otherTaken(Node a) {
        Node taken = a.next;
        a.next = null;
        taken.number = taken.number > 5 ? 1 : 2;
        return 3;
    }

    private static Node ring(int... numbers) {
        Node first = new Node(numbers[0]);
        Node last = first;
        for (int i = 1; i < numbers.length; i++) {
            last.next = new Node(numbers[i]);
            last = last.next;
        }
        last.next = first;
        return first;
    }

    private static Node list(int number, int next) {
        Node first = new Node(number);
        first.next = new Node(next);
        return first;
    }

    public static void main(String[] arguments) {
        sameInts(1, 2, 3.5);
        sameInts(1, 2, 3.5);
        sameTexts("ab");
        sameTexts(new String("ab"));
        sameCycle(ring(1, 2, 3));
        sameCycle(ring(1, 2, 3));
        Map<String, Integer> map = new HashMap<>();
        map.put("Aa", 1);
        map.put("BB", 2);
        Map<String, Integer> turned = new HashMap<>();
        turned.put("BB", 2);
        turned.put("Aa", 1);
        sameHashes(map, new HashSet<>(Arrays.asList("Aa", "BB")));
        sameHashes(turned, new HashSet<>(Arrays.asList("BB", "Aa")));
        for (int i = 0; i < 2; i++) {
            try {
                sameThrows(new int[4]);
            } catch (IllegalArgumentException expected) {
                // That is what it is for.
            }
        }
        sameChange(new ArrayList<>(Arrays.asList(1, 2)));
        sameChange(new ArrayList<>(Arrays.asList(1, 2)));
        sameMade(5);
        sameMade(5);
        sameColour(Colour.RED);
        sameColour(Colour.RED);

        Node one = new Node(2);
        otherAlias(one, one);
        otherAlias(one, new Node(2));
        otherColour(Colour.RED);
        otherColour(Colour.BLUE);
        otherInside(list(1, 2));
        otherInside(list(1, 3));
        otherOrder(new LinkedHashSet<>(Arrays.asList("a", "b")));
        otherOrder(new LinkedHashSet<>(Arrays.asList("b", "a")));
        otherChange(new ArrayList<>(Arrays.asList(1)), new int[] {4});
        otherChange(new ArrayList<>(Arrays.asList(1)), new int[] {5});
        otherIdentity(new Node(1), new boolean[] {false});
        otherIdentity(new Node(1), new boolean[] {true});
        otherClock();
        otherClock();
        otherPrints("twice");
        otherPrints("twice");
        String many = "x".repeat(3000);
        otherLong(many + "a");
        otherLong(many + "b");
        otherLarge(new int[40000]);
        otherLarge(new int[40000]);
        otherTaken(list(1, 6));
        otherTaken(list(1, 5));
        otherStatic();
        calls++;
        otherStatic();
    }
}
