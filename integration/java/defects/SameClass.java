import java.util.ArrayList;
import java.util.List;

/** Class objects that are met by what gives them and by their names, one way first and then the other. */
public class SameClass {
    static Object met;
    static Object written;
    static Object listed;
    static Object list;
    static Object later;
    static Object early;

    record Pair(int a, int b) {}

    public static void main(String[] arguments) {
        Object pair = new Pair(1, 2);
        met = pair.getClass();
        written = Pair.class;
        Object all = new ArrayList<>(List.of(1));
        listed = all.getClass();
        list = ArrayList.class;
        early = int[].class;
        later = new int[] {1}.getClass();
        System.out.println((met == written) + " " + (listed == list) + " " + (early == later));
    }
}
