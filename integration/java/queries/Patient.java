/** Does something, waits until it is told to go on, and does something else. */
public final class Patient {
    int done;

    void work(int amount) {
        done += amount;
    }

    void late() {
        done = 0;
    }

    static void await() throws Exception {
        System.out.println("ready");
        System.in.read();
    }

    public static void main(String[] args) throws Exception {
        Patient one = new Patient();
        one.work(1);
        one.work(2);
        await();
        one.work(3);
        one.late();
    }
}
