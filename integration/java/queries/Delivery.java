/** A null that is handed on until somebody needs it: where it comes from and where it hurts are far apart. */
public final class Delivery {
    Delivery() {
        begin();
    }

    void begin() {
        Warehouse from = new Warehouse();
        String parcel = from.fetch();
        carry(parcel);
    }

    void carry(String parcel) {
        hand(parcel);
    }

    void hand(String parcel) {
        if (parcel.equals("book")) {
            System.out.println("a book");
        } else {
            System.out.println("something else");
        }
    }

    public static void main(String[] args) {
        new Delivery();
    }
}

class Warehouse {
    String fetch() {
        return null;
    }
}
