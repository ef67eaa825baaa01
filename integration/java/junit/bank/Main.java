package bank;

import java.util.ArrayList;
import java.util.List;

/** A day of the bank. */
public final class Main {
    private Main() {}

    public static void main(String[] args) {
        System.out.println(Clerk.fee(1250, false) + Clerk.fee(80, true));
        System.out.println(Clerk.halves(new long[] {8, 5}).length);
        String[] names = {"ann", "bob"};
        Clerk.swap(names);
        System.out.println(names[0]);
        List<String> words = new ArrayList<>();
        words.add("one");
        words.add("three");
        System.out.println(Clerk.lengths(words));
        Account ann = new Account("ann", 500);
        Account bob = new Account("bob", 20);
        System.out.println(ann.richer(bob).owner);
        System.out.println(Clerk.twice(bob).size());
        Clerk.move(ann, bob, 30);
        System.out.println(ann.pay(1));
        System.out.println(Clerk.turned(new Clerk.Offer("oak", Clerk.Side.BUY, 7)));
        System.out.println(Clerk.grade(0.75));
        try {
            Clerk.grade(1.5);
        } catch (IllegalArgumentException refused) {
            System.out.println(refused.getMessage());
        }
        System.out.println(Clerk.counted());
        System.out.println(Clerk.asked(4));
        System.out.println(Clerk.rounded(128));
    }
}
