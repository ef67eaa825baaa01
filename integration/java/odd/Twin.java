package odd;

/** Defined by two loaders, see {@link Twins}. */
public final class Twin implements Runnable {
    static int count;
    static Twin last;
    private int sum;

    @Override
    public void run() {
        count += 10;
        Object made = new Twin();
        boolean own = made instanceof Twin && made.getClass() == Twin.class;
        last = this;
        sum = last.add(count, own);
    }

    private int add(int number, boolean own) {
        return own ? sum + number : -1;
    }
}
