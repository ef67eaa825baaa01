package bank;

/** What somebody has. */
class Account {
    final String owner;
    private int cents;

    Account(String owner, int cents) {
        this.owner = owner;
        this.cents = cents;
    }

    int pay(int amount) {
        cents -= amount;
        return cents;
    }

    Account richer(Account other) {
        return other.cents > cents ? other : this;
    }
}
