import java.lang.ref.WeakReference;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;

/** Out of the scope: keeps what it is given, and changes it in calls that are not shown it. */
class Depot {
  private int[] numbers;
  private List<Integer> list;
  private Object card;
  private Field stamp;

  void keep(int[] numbers, List<Integer> list, Object card) throws Exception {
    this.numbers = numbers;
    this.list = list;
    this.card = card;
    stamp = card.getClass().getDeclaredField("stamp");
    stamp.setAccessible(true);
  }

  void change() throws Exception {
    numbers[0] = 9;
    list.add(9);
    stamp.setInt(card, 9);
  }

  void drop() {
    List<WeakReference<?>> all = List.of(new WeakReference<>(numbers), new WeakReference<>(list), new WeakReference<>(card));
    numbers = null;
    list = null;
    card = null;
    while (all.stream().anyMatch(one -> one.get() != null)) {
      System.gc();
    }
  }
}

class Gone {
  int stamp = 1;

  static void before() {}

  static void after() {}

  static void given(Depot depot) throws Exception {
    int[] numbers = {1, 2};
    List<Integer> list = new ArrayList<>(List.of(1));
    Gone card = new Gone();
    before();
    depot.keep(numbers, list, card);
    depot.change();
    after();
  }

  public static void main(String[] args) throws Exception {
    Depot depot = new Depot();
    given(depot);
    depot.drop();
    System.out.println("done");
  }
}
