import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;

/** A program and a library that reads, writes, makes and calls what is the program's by reflection. */
public class Reflects {
    interface Priced {
        int price(int count);
    }

    static class Item implements Priced {
        final String name;
        int each;
        long sold;
        double weight = 0.5;
        Item next;
        int[] history = new int[3];
        static int made;

        Item(String name, int each) {
            this.name = name;
            this.each = each;
            made++;
        }

        Item() {
            this("nameless", 7);
        }

        @Override
        public int price(int count) {
            sold += count;
            history[(int) (sold % 3)] += count;
            return each * count;
        }
    }

    /** The library: out of the scope of the recording. */
    static class Outsider {
        private static Object kept;
        private static int[] numbers;

        static void set(Object object, String field, Object value) throws Exception {
            Field found = object.getClass().getDeclaredField(field);
            found.setAccessible(true);
            found.set(object, value);
        }

        static Object get(Object object, String field) throws Exception {
            Field found = object.getClass().getDeclaredField(field);
            found.setAccessible(true);
            return found.get(object);
        }

        static void swap(Object one, Object other, String field) throws Exception {
            Object held = get(one, field);
            set(one, field, get(other, field));
            set(other, field, held);
        }

        static Object make(Class<?> of) throws Exception {
            Constructor<?> found = of.getDeclaredConstructor();
            found.setAccessible(true);
            return found.newInstance();
        }

        static Object build(Class<?> of, int each) throws Exception {
            Object made = make(of);
            set(made, "each", each);
            set(made, "history", new int[] {9, each, 9});
            return made;
        }

        static void keep(Object object, int[] array) {
            kept = object;
            numbers = array;
        }

        static void change(int value) throws Exception {
            set(kept, "each", value);
            numbers[1] = value;
        }
    }

    /** Plain objects that are read after the library might have written others there. */
    static class Locked {
        private static final Object ALL = new Object();
        private final Object own = new Object();
        private int count;

        int add() {
            synchronized (ALL) {
                synchronized (own) {
                    return ++count;
                }
            }
        }
    }

    private static int total(Item first) {
        int total = 0;
        for (Item item = first; item != null; item = item.next) {
            total = total * 31 + item.price(2) + item.history[1];
        }
        return total;
    }

    public static void main(String[] args) throws Exception {
        List<Item> all = new ArrayList<>();
        Item first = null;
        for (int i = 0; i < 6; i++) {
            Item item = new Item("item " + i, i + 1);
            item.next = first;
            first = item;
            all.add(item);
        }
        System.out.println(total(first));
        Outsider.set(first, "each", 100);
        System.out.println(total(first) + " " + first.each);
        Outsider.swap(all.get(2), all.get(4), "next");
        Item loop = all.get(4).next;
        System.out.println(loop.name + " " + all.get(2).next.name);
        Outsider.swap(all.get(2), all.get(4), "next");
        System.out.println(total(first));
        Locked locked = new Locked();
        Object other = new Object();
        Outsider.set(locked, "count", 4);
        System.out.println(locked.add() + locked.add());
        Outsider.set(locked, "own", other);
        System.out.println(locked.add() + " " + (locked.own == other));
        Item made = (Item) Outsider.make(Item.class);
        made.next = first;
        System.out.println(total(made) + " " + made.name + " " + Item.made);
        Outsider.set(made, "history", new int[] {5, 6, 7, 8});
        System.out.println(made.history.length + " " + made.history[3] + " " + total(made));
        Item built = (Item) Outsider.build(Item.class, 55);
        System.out.println(built.price(1) + " " + built.history[0] + " " + built.history[1] + " " + built.name);
        Item held = (Item) Outsider.get(made, "next");
        System.out.println(held == first);
        Outsider.set(made, "weight", 2.25);
        System.out.println(made.weight + first.weight);
        int[] mine = new int[4];
        Outsider.keep(first, mine);
        mine[0] = 3;
        for (int i = 0; i < 5; i++) {
            Outsider.change(i * 11);
            mine[0] += mine[1] + first.each;
        }
        System.out.println(mine[0]);
        Method price = Priced.class.getDeclaredMethod("price", int.class);
        System.out.println(price.invoke(made, 3));
        Item copy = all.get(0);
        Outsider.set(copy, "next", new Item("last", 1));
        System.out.println(copy.next.name + " " + total(first) + " " + Item.made);
    }
}
