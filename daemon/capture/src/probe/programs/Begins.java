import java.util.ArrayList;
import java.util.List;

/** What makes static initialisers run, and what does not (JVMS 5.5). */
public class Begins {
    static final List<String> SEEN = new ArrayList<>();

    static int seen(String what, int value) {
        SEEN.add(what);
        return value;
    }

    /** A class that implements it does not initialise it. */
    interface Quiet {
        int[] TABLE = {seen("quiet", 1), 2, 3};

        int at(int place);
    }

    /** A class that implements it does. */
    interface Loud {
        int LEVEL = seen("loud", 11);

        default int level() {
            return LEVEL;
        }
    }

    /** An interface above another is not initialised with that one. */
    interface Louder extends Loud, Quiet {
        int MORE = seen("louder", 12);
    }

    static class Above {
        static int count = seen("above", 0);

        static int next() {
            return ++count;
        }
    }

    /** Named where what is above it is meant. */
    static class Below extends Above implements Quiet {
        static int own = seen("below", 5);

        public int at(int place) {
            return TABLE[place];
        }
    }

    static class Both implements Loud, Quiet {
        static int own = seen("both", 6);

        public int at(int place) {
            return TABLE[place] + level();
        }
    }

    /** Its initialiser makes an object of a class below the one whose initialisation began it. */
    static class Context {
        static final Context EMPTY = new Empty(Single.depth(null));
        final int depth;

        Context(int depth) {
            this.depth = depth;
        }
    }

    static class Single extends Context {
        static final int STEP = SEEN.size() + 1;

        Single(int depth) {
            super(depth);
        }

        static int depth(Context of) {
            return (of == null ? 0 : of.depth) + STEP;
        }
    }

    static class Empty extends Single {
        static final boolean FIRST = SEEN.size() > 0;

        Empty(int depth) {
            super(depth + (FIRST ? 1 : 2));
        }
    }

    public static void main(String[] args) {
        System.out.println(Single.depth(null) + Context.EMPTY.depth);
        Below.count = 7;
        int sum = Above.count + Below.next();
        sum += Louder.MORE;
        sum += new Below().at(0);
        sum += new Both().at(1) + Both.own;
        sum += Below.own + Below.next() + Louder.LEVEL + Both.TABLE[2];
        System.out.println(sum + " " + SEEN);
    }
}
