package odd;

import outside.Filler;

/** An array that is written where nobody looks: by reflection, through the object that holds it. */
public final class Contradicted {

    final int[] data = new int[1];

    public static void main(String[] args) {
        Contradicted holder = new Contradicted();
        int[] data = holder.data;
        for (int round = 0; round < 4; round++) {
            System.out.println(outer(data));
            Filler.poke(holder, "data", round);
        }
        System.out.println(after(3));
    }

    private static int outer(int[] data) {
        return inner(data) + 1;
    }

    private static int inner(int[] data) {
        if (data[0] == 0) {
            leaf();
        }
        return 5;
    }

    private static void leaf() {}

    private static int after(int n) {
        return 2 * n;
    }
}
