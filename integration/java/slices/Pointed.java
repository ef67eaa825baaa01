/**
 * A bank in which one account comes out wrong in several ways, each time by a call that did something too little, in
 * the wrong place, or decided wrongly. `run` is the call that is known to be wrong.
 */
final class Pointed {
    static final class Account {
        final String name;
        int balance;
        int moves;

        Account(String name, int balance) {
            this.name = name;
            this.balance = balance;
        }

        void deposit(int amount) {
            balance += amount;
            count();
        }

        /** Should count every move, and leaves out the large ones. */
        void count() {
            if (balance < 100) {
                moves++;
            }
        }
    }

    /** Should be true of all but the first letter. */
    static boolean isLate(String name) {
        return name.charAt(0) > 'y';
    }

    static int fee(int amount) {
        return amount / 10;
    }

    static int discount(int amount) {
        return amount / 20;
    }

    /** Should find the account of that name. */
    static int indexOf(Account[] all, String name) {
        for (int i = 0; i < all.length; i++) {
            if (all[i].name.length() == name.length()) {
                return i;
            }
        }
        return -1;
    }

    static int rate(Account account) {
        int rate = 1;
        if (isLate(account.name)) {
            rate = 2;
        }
        return rate;
    }

    static String title(Account account) {
        return "account " + account.name;
    }

    static int[] run(Account[] all) {
        int[] rates = new int[all.length];
        int unrelated = discount(40);
        all[0].deposit(fee(50));
        all[1].deposit(fee(1000));
        all[indexOf(all, "cc")].balance = 7;
        for (int i = 0; i < all.length; i++) {
            rates[i] = rate(all[i]);
        }
        title(all[1]);
        all[2].moves = unrelated;
        return rates;
    }

    public static void main(String[] args) {
        Account[] all = {new Account("aa", 10), new Account("bb", 20), new Account("cc", 30)};
        int[] rates = run(all);
        System.out.println(all[1].moves + " " + all[2].balance + " " + rates[2]);
    }
}
