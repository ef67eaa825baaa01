package shop;

/** An order for some pieces at a price. */
public record Order(long id, Side side, long price, int pieces) {
    public Order {
        if (pieces <= 0) {
            throw new IllegalArgumentException("no pieces: " + pieces);
        }
    }

    Order less(int taken) {
        return new Order(id, side, price, pieces - taken);
    }
}
