package odd;

/** Needs another class: its loader is asked for it in the middle of an instruction. */
public final class LoadedFirst {

    @Override
    public String toString() {
        return String.valueOf(new LoadedSecond().twice(21));
    }

    static final class LoadedSecond {
        int twice(int n) {
            return n + n;
        }
    }
}
