import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A bank: accounts, transfers, fees and interest, and the statement at the end of the year. */
public class Ledger {
    final Map<String, Account> accounts = new LinkedHashMap<>();
    final List<String> refused = new ArrayList<>();

    public static void main(String[] args) {
        Ledger ledger = new Ledger();
        ledger.open("alice", 120_000, 0);
        ledger.open("bob", 4_000, 20_000);
        ledger.open("carol", 0, 0);
        for (int month = 1; month <= 6; month++) {
            ledger.transfer("alice", "bob", 9_500);
            ledger.transfer("bob", "carol", 12_000 + 100 * month);
            ledger.transfer("carol", "alice", month % 3 == 0 ? 30_000 : 2_500);
            ledger.transfer("alice", "dave", 1);
            ledger.endMonth(month);
        }
        ledger.statement();
    }

    static class Account {
        final String owner;
        final long overdraft;
        long balance;
        long paidIn;
        int entries;

        Account(String owner, long balance, long overdraft) {
            this.owner = owner;
            this.balance = balance;
            this.overdraft = overdraft;
        }

        boolean covers(long amount) {
            return balance + overdraft >= amount;
            //@ covers-without-overdraft: return balance >= amount;
        }

        void pay(long amount) {
            balance -= amount;
            entries++;
        }

        void receive(long amount) {
            balance += amount;
            paidIn += amount;
            //@ paid-in-last: paidIn = amount;
            entries++;
        }

        long interest() {
            return balance >= 0 ? perMille(balance, 2) : -perMille(-balance, 9);
            //@ interest-on-debts: return balance >= 0 ? perMille(balance, 2) : perMille(-balance, 9);
        }
    }

    static long perMille(long amount, long rate) {
        return (amount * rate + 500) / 1000;
        //@ not-rounded: return amount * rate / 1000;
    }

    void open(String owner, long balance, long overdraft) {
        accounts.put(owner, new Account(owner, balance, overdraft));
        //@ open-swapped: accounts.put(owner, new Account(owner, overdraft, balance));
    }

    boolean transfer(String from, String to, long amount) {
        Account payer = accounts.get(from);
        Account payee = accounts.get(to);
        if (payer == null || payee == null) {
            return refuse(from, to, "unknown");
        }
        long fee = fee(amount);
        if (!payer.covers(amount + fee)) {
            return refuse(from, to, "not covered");
        }
        payer.pay(amount + fee);
        //@ fee-forgotten: payer.pay(amount);
        payee.receive(amount);
        //@ payee-is-payer: payer.receive(amount);
        return true;
    }

    static long fee(long amount) {
        if (amount < 5_000) {
            return 0;
        }
        return Math.min(250, perMille(amount, 10));
        //@ fee-at-least: return Math.max(250, perMille(amount, 10));
    }

    boolean refuse(String from, String to, String why) {
        refused.add(from + " to " + to + ": " + why);
        return false;
    }

    void endMonth(int month) {
        for (Account account : accounts.values()) {
            account.balance += account.interest();
            //@ interest-dropped: account.interest();
        }
        if (month % 3 == 0) {
            endQuarter();
        }
    }

    void endQuarter() {
        for (Account account : accounts.values()) {
            charge(account);
        }
    }

    void charge(Account account) {
        long charge = 300 + 10L * Math.max(0, account.entries - 8);
        account.pay(charge);
        account.entries = 0;
        //@ entries-kept:
    }

    long total() {
        long total = 0;
        for (Account account : accounts.values()) {
            total += account.balance;
        }
        return total;
    }

    void statement() {
        for (Account account : accounts.values()) {
            System.out.println(line(account));
        }
        System.out.println("total " + money(total()) + ", refused " + refused.size());
        for (String line : refused) {
            System.out.println(line);
        }
    }

    static String line(Account account) {
        return account.owner + " " + money(account.balance) + " (in: " + money(account.paidIn) + ")";
    }

    static String money(long cents) {
        String sign = cents < 0 ? "-" : "";
        long whole = Math.abs(cents) / 100;
        long rest = Math.abs(cents) % 100;
        return sign + whole + "." + (rest < 10 ? "0" : "") + rest;
        //@ money-one-digit: return sign + whole + "." + rest;
    }
}
