package expenses;

/** An expense, its amount in hundredths of its currency. */
record Expense(int id, String department, int cents, Currency currency) {
    int inEuros() {
        return currency.toEuros(cents);
    }
}
