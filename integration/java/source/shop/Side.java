package shop;

/** Which way an order goes. */
public enum Side {
    BUY {
        @Override
        public boolean accepts(long limit, long price) {
            return price <= limit;
        }
    },
    SELL {
        @Override
        public boolean accepts(long limit, long price) {
            return price >= limit;
        }
    };

    public abstract boolean accepts(long limit, long price);

    public Side other() {
        return this == BUY ? SELL : BUY;
    }
}
