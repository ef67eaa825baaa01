package bank;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What a clerk does, each once, and each of another kind. */
final class Clerk {
    enum Side {
        BUY,
        SELL
    }

    record Offer(String item, Side side, int price) {}

    static int served;

    private Clerk() {}

    static int fee(int cents, boolean isOld) {
        return isOld ? 0 : cents / 100;
    }

    static long[] halves(long[] amounts) {
        long[] halves = new long[amounts.length];
        for (int i = 0; i < amounts.length; i++) {
            halves[i] = amounts[i] / 2;
        }
        return halves;
    }

    static void swap(String[] names) {
        String first = names[0];
        names[0] = names[1];
        names[1] = first;
    }

    static Map<String, Integer> lengths(List<String> words) {
        Map<String, Integer> lengths = new LinkedHashMap<>();
        for (String word : words) {
            lengths.put(word, word.length());
        }
        return lengths;
    }

    static void move(Account from, Account to, int cents) {
        to.pay(-from.pay(cents) + cents);
    }

    static Offer turned(Offer offer) {
        return new Offer(offer.item(), offer.side() == Side.BUY ? Side.SELL : Side.BUY, offer.price() + 1);
    }

    static List<Account> twice(Account account) {
        List<Account> twice = new ArrayList<>();
        twice.add(account);
        twice.add(account);
        return twice;
    }

    static char grade(double share) {
        if (share > 1) {
            throw new IllegalArgumentException("more than \"all\"");
        }
        return share > 0.5 ? 'A' : 'B';
    }

    static int counted() {
        return ++served;
    }

    private static int hidden(int number) {
        return number + 1;
    }

    static int asked(int number) {
        return hidden(number);
    }

    static int rounded(int cents) {
        return cents - cents % 10;
    }
}
