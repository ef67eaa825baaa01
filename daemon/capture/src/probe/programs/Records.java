import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

/** Records whose components the JDK asks, without having been shown them, for their texts, their hashes and whether they are equal. */
final class Records {
    static final class Amount {
        int number;

        Amount(int number) {
            this.number = number;
        }

        @Override
        public String toString() {
            return number < 0 ? "less" : String.valueOf(number);
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Amount amount && amount.number == number;
        }

        @Override
        public int hashCode() {
            return number * 31;
        }
    }

    interface Named {
        String name();
    }

    record Plain(Amount amount, Amount other, Integer sum) {
    }

    record Nested(Plain plain, String name, Integer count) implements Named {
        Nested {
            Objects.requireNonNull(name);
        }

        static final Plain NONE = new Plain(new Amount(0), null, 0);
    }

    /** An array has nothing but its identity: whether it is the same. */
    record Counted(Nested nested, int[] counts) {
    }

    record Held<T extends Named>(T held, List<Amount> amounts, Object any, long weight) {
        Held(T held) {
            this(held, List.of(new Amount(3), new Amount(4)), new Amount(5), 6L);
        }
    }

    /** With a method of its own, and one whose component refuses. */
    record Own(Amount amount, Refuses refuses) {
        @Override
        public String toString() {
            return "own " + amount;
        }
    }

    static final class Refuses {
        @Override
        public int hashCode() {
            throw new IllegalStateException("no hash");
        }
    }

    private static Plain plain(int number) {
        return new Plain(new Amount(number), new Amount(-number), number * 1000);
    }

    public static void main(String[] args) {
        Plain first = plain(1);
        Plain second = plain(1);
        System.out.println(first);
        System.out.println(first.equals(second) + " " + first.equals(plain(2)) + " " + first.equals(null));
        System.out.println(first.hashCode() == second.hashCode());
        Nested nested = new Nested(first, "n", 7);
        System.out.println(nested.equals(new Nested(second, "n", 7)) + " " + Nested.NONE);
        int[] counted = {1, 2};
        System.out.println(new Counted(nested, counted).equals(new Counted(nested, counted)));
        System.out.println(new Counted(nested, counted).equals(new Counted(nested, counted.clone())));
        Held<Nested> held = new Held<>(nested);
        System.out.println(held.hashCode() == new Held<>(nested).hashCode());
        System.out.println(new Held<>(nested).equals(held) + " " + held.held().name());
        Map<Plain, Integer> counts = new HashMap<>();
        for (int i = 0; i < 12; i++) {
            counts.merge(plain(i % 5), 1, Integer::sum);
        }
        first.amount().number = 3;
        System.out.println(counts.get(second) + " " + counts.containsKey(first) + " " + counts.size());
        Function<Plain, String> text = Plain::toString;
        System.out.println(text.apply(second) + new Own(first.amount(), null));
        try {
            System.out.println(new Own(null, new Refuses()).hashCode());
        } catch (IllegalStateException e) {
            System.out.println(e.getMessage());
        }
    }
}
