package util;

/** Has the end of another class's name. */
public final class Count {
    public int n;

    public void up() {
        n += 1;
    }
}
