import java.util.*;
/** Accounts: what a coverage tool changes, compiled for Java 11. */
public class Bank {
    enum Kind { SAVINGS, CHECKING }
    static class Account {
        final String id; final Kind kind; long cents;
        Account(String id, Kind kind) { this.id = id; this.kind = kind; }
        void put(long amount) { if (amount < 0) throw new IllegalArgumentException("negative"); cents += amount; }
        boolean take(long amount) { if (amount > cents) return false; cents -= amount; return true; }
    }
    private final Map<String, Account> accounts = new LinkedHashMap<>();
    Account open(String id, Kind kind) { return accounts.computeIfAbsent(id, k -> new Account(k, kind)); }
    boolean move(String from, String to, long amount) {
        Account a = accounts.get(from), b = accounts.get(to);
        if (a == null || b == null || !a.take(amount)) return false;
        b.put(amount);
        return true;
    }
    public static void main(String[] args) {
        Bank bank = new Bank();
        bank.open("a", Kind.SAVINGS).put(100);
        bank.open("b", Kind.CHECKING).put(10);
        int moved = 0;
        for (int i = 0; i < 5; i++) if (bank.move("a", "b", 30)) moved++;
        try { bank.open("c", Kind.SAVINGS).put(-1); } catch (IllegalArgumentException e) { System.out.println(e.getMessage()); }
        for (Account a : bank.accounts.values()) System.out.println(a.id + " " + a.kind + " " + a.cents);
        System.out.println(moved);
    }
}
