package expenses;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** What each department spent, in cents. */
final class Report {
    private final Map<String, Integer> totals = new TreeMap<>();

    void add(Expense expense) {
        totals.merge(expense.department(), expense.inEuros(), Integer::sum);
    }

    Set<String> departments() {
        return totals.keySet();
    }

    String line(String department) {
        int total = totals.get(department);
        return String.format("%-10s%d.%02d", department, total / 100, total % 100);
    }
}
