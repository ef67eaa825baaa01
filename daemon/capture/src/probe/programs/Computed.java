import java.lang.invoke.MethodHandles;

/** Constants that a method of the class computes when they are used first: the test makes them of the calls of {@code Constant}. */
public class Computed {
    /** What stands for constants: none of its methods is called where the test has been at work. */
    static class Constant {
        static boolean[] flags() {
            throw new AssertionError();
        }

        static Node node() {
            throw new AssertionError();
        }

        static String text() {
            throw new AssertionError();
        }

        static long big() {
            throw new AssertionError();
        }

        static double half() {
            throw new AssertionError();
        }

        static boolean yes() {
            throw new AssertionError();
        }

        static Object none() {
            throw new AssertionError();
        }

        static int bad() {
            throw new AssertionError();
        }
    }

    static class Node {
        final int value;
        Node next;

        Node(int value) {
            this.value = value;
        }
    }

    static int computed;

    /** As coverage tools have it: an array for the whole class. */
    static boolean[] flags(MethodHandles.Lookup caller, String name, Class<?> type) {
        computed++;
        boolean[] flags = new boolean[4];
        flags[3] = true;
        return flags;
    }

    static Node node(MethodHandles.Lookup caller, String name, Class<?> type) {
        computed++;
        Node node = new Node(5);
        node.next = new Node(6);
        return node;
    }

    static String text(MethodHandles.Lookup caller, String name, Class<?> type) {
        computed++;
        return name.concat("!");
    }

    static long big(MethodHandles.Lookup caller, String name, Class<?> type) {
        return 1L << 40;
    }

    static double half(MethodHandles.Lookup caller, String name, Class<?> type) {
        return 0.5;
    }

    static boolean yes(MethodHandles.Lookup caller, String name, Class<?> type) {
        return true;
    }

    static Object none(MethodHandles.Lookup caller, String name, Class<?> type) {
        return null;
    }

    static int bad(MethodHandles.Lookup caller, String name, Class<?> type) {
        throw new IllegalStateException(name);
    }

    static StringBuilder others(int by) {
        StringBuilder all = new StringBuilder();
        all.append(by * Constant.big()).append(' ').append(by * Constant.half()).append(' ');
        all.append(Constant.yes() ? by : 0).append(Constant.none());
        try {
            return all.append(Constant.bad());
        } catch (BootstrapMethodError e) {
            return all.append(e.getCause().getMessage());
        }
    }

    static int visit(int at) {
        boolean[] flags = Constant.flags();
        flags[at] = true;
        int set = 0;
        for (boolean flag : flags) {
            if (flag) {
                set++;
            }
        }
        return set;
    }

    public static void main(String[] arguments) {
        int sum = 0;
        for (int i = 0; i < 3; i++) {
            sum += visit(i);
            Node node = Constant.node();
            sum += node.value + node.next.value;
            node.next = new Node(i);
        }
        Node last = Constant.node().next;
        sum += last.value + Constant.text().length();
        System.out.println(sum);
        System.out.println(computed);
        System.out.println(Constant.text());
        System.out.println(others(1).append(", ").append(others(3)));
    }
}
