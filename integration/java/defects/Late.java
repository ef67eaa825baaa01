import java.util.*;

/** Out of the scope: it has an array and a list of the scope's, and changes them in calls that are not shown them. */
class LateKeeper {
  private static int[] kept;
  private static List<String> names;
  static void keep(int[] a, List<String> n) { kept = a; names = n; }
  static void poke() { kept[0] = 5; names.add("poked"); }
  static void idle() { }
}

class Late {
  static int[] a = new int[1];
  static List<String> l = new ArrayList<>();
  static void write() { l.add("own"); a[0] = 1; }
  static int between(int x) { return x + 1; }
  public static void main(String[] args) {
    LateKeeper.keep(a, l);
    write();
    int r = between(0);
    LateKeeper.poke();
    r = between(1);
    LateKeeper.idle();
    r = between(2);
    int v = a[0];
    int s = l.size();
    r = between(3);
    System.out.println(r + " " + v + " " + s);
  }
}
