package expenses;

import java.io.IOException;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVParser;
import org.apache.commons.csv.CSVRecord;

/** What a department spent, read with commons-csv and added up. One line of it is wrong. */
public final class Expenses {
    private static final String TEXT =
            """
            id,department,what,amount,currency
            1,travel,"train, two ways",84.90,EUR
            2,travel,taxi,23.5,EUR
            3,office,"chairs
            and a table",1240.00,EUR
            4,travel,"hotel ""Zur Post\""",212.00,CHF
            5,office,paper,18.25,GBP
            6,training,,490,EUR
            7,travel,taxi,31.75,GBP
            """;

    private static final CSVFormat FORMAT =
            CSVFormat.DEFAULT.builder().setHeader().setSkipHeaderRecord(true).setNullString("").build();

    private Expenses() {}

    /** Each record of a text with a header. */
    static List<Expense> read(String text) throws IOException {
        List<Expense> all = new ArrayList<>();
        try (CSVParser parser = FORMAT.parse(new StringReader(text))) {
            for (CSVRecord row : parser) {
                all.add(expense(row));
            }
        }
        return all;
    }

    static Expense expense(CSVRecord row) {
        int id = Integer.parseInt(row.get("id"));
        Currency currency = Currency.valueOf(row.get("currency"));
        return new Expense(id, row.get("department"), cents(row.get("amount")), currency);
    }

    /** An amount in hundredths: `12`, `12.5` and `12.50`. */
    static int cents(String amount) {
        String[] parts = amount.split("\\.");
        int whole = Integer.parseInt(parts[0]);
        int rest = parts.length > 1 ? Integer.parseInt(parts[1]) : 0;
        return 100 * whole + rest;
    }

    public static void main(String[] arguments) throws IOException {
        Report report = new Report();
        for (Expense expense : read(TEXT)) {
            report.add(expense);
        }
        for (String department : report.departments()) {
            System.out.println(report.line(department));
        }
    }
}
