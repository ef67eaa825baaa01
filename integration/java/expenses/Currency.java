package expenses;

/** A currency, by its worth in thousandths of a euro. */
enum Currency {
    EUR(1000),
    CHF(1050),
    GBP(1180);

    private final int worth;

    Currency(int worth) {
        this.worth = worth;
    }

    /** Rounded to a whole cent. */
    int toEuros(int cents) {
        return (cents * worth + 500) / 1000;
    }
}
