package held;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** What a part of a program has that alone is in the scope. */
final class Kept {
    int count = 1;
    String name = "a";
    int own = 2;
    int[] numbers = {1, 2, 3};
    Kept next;
    List<Kept> more = new ArrayList<>();
    List<String> words = new ArrayList<>(List.of("w"));

    static int total = 4;

    /** What this part does, while {@code strangers} write what they have. */
    static void work(Strangers strangers) {
        Kept kept = new Kept();
        Witness.field(kept, "count", "1");
        strangers.takes(kept);
        Witness.field(kept, "count", "5");
        Witness.field(kept, "own", "2");
        Witness.elements(kept.numbers, "9", "2", "3");
        int read = kept.count + kept.numbers[0];
        Witness.field(kept, "count", "5");
        strangers.again();
        Witness.field(kept, "count", "6");
        Witness.field(kept, "own", "2");
        Witness.statics(Kept.class, "total", "8");
        kept.count = 7;
        Witness.field(kept, "count", "7");
        kept.next = new Kept();
        Kept next = kept.next;
        strangers.again();
        Witness.field(next, "count", "60");
        Kept inList = new Kept();
        kept.more.add(inList);
        Witness.field(inList, "count", "1");
        strangers.again();
        Witness.field(inList, "count", "600");
        Consumer<Kept> consumer = strangers.consumer();
        Kept given = new Kept();
        consumer.accept(given);
        Witness.field(given, "count", "70");
        List<Kept> all = List.of(new Kept(), new Kept());
        all.forEach(strangers.consumer());
        Witness.field(all.get(1), "count", "70");
        Supplier<Kept> mine = () -> new Kept();
        Kept made = strangers.asks(mine);
        Witness.field(made, "count", "80");
        Kept untouched = new Kept();
        System.out.println(read);
        Witness.field(untouched, "count", "1");
        Witness.elements(untouched.numbers, "1", "2", "3");
        strangers.callsBack(() -> {
            Witness.field(given, "count", "71");
            given.count = 72;
        });
        Witness.field(given, "count", "73");
        Consumer<Kept> referred = Strangers::touch;
        Kept touched = new Kept();
        referred.accept(touched);
        Witness.field(touched, "count", "90");
        List<Kept> those = List.of(new Kept());
        those.forEach(Strangers::touch);
        Witness.field(those.get(0), "count", "90");
        Kept passed = new Kept();
        Stream<Kept> stream = Stream.of(passed).map(strangers.function());
        passed.count = 3;
        Witness.field(passed, "count", "3");
        stream.forEach(one -> {});
        Witness.field(passed, "count", "91");
    }
}
