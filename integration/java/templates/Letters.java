package templates;

import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Writes letters to the customers of a bookshop. It prints wrong letters: one mistake is planted in the engine. */
public final class Letters {
    private static final String LETTER = """
            {{ greeting }} {{ name | title }},
            {% if orders %}your orders:
            {% for order in orders %}{% let rest = order.total - order.paid - order.credit %}\
            {% for name in order.books | sorted %}- {{ name | quoted('<', '>') }}
            {% end %}  total {{ order.total | money }}{% if rest > 0 %}, open {{ rest | money }}{% end %}
            {% end %}{% else %}you have ordered nothing yet.
            {% end %}Points: {{ base + 2 * bonus }}
            {{ shop }}
            """;

    private Letters() {}

    static Engine engine() {
        return new Engine.Builder()
                .filter("title", (text, none) -> title((String) text))
                .filter("money", (cents, none) -> money((Long) cents))
                .filter("quoted", (text, marks) -> marks.get(0) + String.valueOf(text) + marks.get(marks.size() - 1))
                .filter("sorted", (all, none) -> sorted((Collection<?>) all))
                .global("shop", "The Corner Bookshop")
                .global("greeting", "Dear")
                .global("base", 10L)
                .build();
    }

    static String title(String name) {
        return name.substring(0, 1).toUpperCase(Locale.ROOT) + name.substring(1);
    }

    static String money(long cents) {
        return cents / 100 + "." + (cents % 100 < 10 ? "0" : "") + cents % 100;
    }

    static List<String> sorted(Collection<?> all) {
        Comparator<String> order = Comparator.comparing((String s) -> s.toLowerCase(Locale.ROOT));
        return all.stream().map(String::valueOf).sorted(order.thenComparing(Comparator.reverseOrder())).toList();
    }

    static Map<String, Object> order(long total, long paid, long credit, String... books) {
        Map<String, Object> order = new LinkedHashMap<>();
        order.put("total", total);
        order.put("paid", paid);
        order.put("credit", credit);
        order.put("books", List.of(books));
        return order;
    }

    static Map<String, Object> customer(String name, long bonus, List<Map<String, Object>> orders) {
        Map<String, Object> customer = new LinkedHashMap<>();
        customer.put("name", name);
        customer.put("bonus", bonus);
        customer.put("orders", orders);
        return customer;
    }

    public static void main(String[] args) {
        Engine engine = engine();
        List<Map<String, Object>> customers = List.of(
                customer("ada", 4, List.of(order(4200, 2000, 700, "Walden", "emma"), order(1250, 1250, 0, "Dune"))),
                customer("bob", 0, List.of()));
        String letters = customers.stream().map(names -> engine.fill(LETTER, names)).collect(Collectors.joining("\n"));
        System.out.print(letters);
    }
}
