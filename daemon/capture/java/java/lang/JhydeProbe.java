package java.lang;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * What the engine `probe` puts into a JVM: a log for each thread, and what instrumented code calls to write into it.
 *
 * <p>Defined once, by the boot loader, in a package that every loader and module sees. It starts no thread, and calls nothing
 * that a program can override. It keeps no object of the program alive but threads that run and, until the next call out of
 * the scope, a few arrays that the last ones were shown ({@link #lent}). A log is an array of `long`;
 * what its words mean is told in `daemon/capture/src/probe/log/mod.rs`.
 *
 * <p>A log that is full is copied to {@link #OUT}, and {@link #ready} is called, where a breakpoint of the daemon stands: it
 * reads the array and lets the thread go on. Without a daemon nothing stops there, and nothing is told any more. The daemon
 * also reads logs while all threads stand still: between any two bytecodes what a log's fields say must be true.
 *
 * <p>Code of the scope runs in one thread at a time: in the one that has the turn. A thread gives its turn back where it
 * leaves the scope or may have to wait, and takes it where it comes back: at a point. Where another thread had
 * the turn in between, the log says so. So the logs have an order, and what one thread writes and another reads follows.
 */
public final class JhydeProbe {
    /** Words in a log at most, and at first. */
    private static final int CAPACITY = 1 << 15, FIRST = 1 << 9;
    /** The most units of a text, and elements of an array, that are told; so many references are told whatever it takes. */
    private static final int MOST_UNITS = 1 << 24, MOST_ELEMENTS = 1 << 20, FEW_REFERENCES = 1 << 13;
    /** What may be spent on more references: so many words at once; one in so many nanoseconds of the program; so many for each reference. */
    private static final int MOST_SPARE = 1 << 24, EARNS = 100, PRICE = 4;
    /** How a call was entered: it has taken the turn, and gives it back when it ends; it was called by code out of the scope, or
     * may have been. Above these two bits stands where arrays of the calls around it end, and above that how deep it is. */
    private static final int OUTERMOST = 1, FRESH = 2, BASE = 2, DEPTH = 6;
    /**
     * It is seen that there is stack left ({@link #reach}) where the scope is so many calls deeper than when it was seen last, or code out of the scope calls
     * and it is so many deeper; at each so many-th such call in any case; and where it is so many less deep: other methods may come down there.
     */
    private static final int TRUSTED = 16, TRUSTED_OUTSIDE = 4, EACH_OUTSIDE = 8, FAR = 64;
    /**
     * So many calls of {@link #reaches} must fit below a call of the scope: 11 KB where they are compiled, 25 KB where not; below each eighth call by
     * code out of the scope so many. What the probe needs of it is less than 6 KB; the rest is for the calls until it is seen again.
     */
    private static final int MARGIN = 100, SOME_MARGIN = 60;
    /**
     * What is known of an error of the JVM that arrives: it was about to call code of the scope; the probe has refused a call that had no stack; it comes from a
     * call out of the scope; not enough for anything that comes behind to be understood. Else it befell any instruction.
     */
    private static final int CALLING = 1, REFUSED = 2, OUTSIDE = 3, UNKNOWN = 4;
    /** Above these bits stands how many calls it has left without a word, and that at most. */
    private static final int LEFT_CALLS = 4, MOST_LEFT = (1 << 20) - 1;
    /** So many items are always told; for more each call that may change an object earns so many words, and so many are kept. */
    private static final int FEW = 8, EARNED = 8, MOST_CREDIT = 1 << 12;
    /** Among so many keys the one that was put there is looked for. */
    private static final int MOST_KEYS = 1 << 9;
    /** How it is told what an object holds: all items; how many; how many, and where a key is; how many units, and the last. */
    private static final int WHOLE = 0, SIZE = 1, PLACE = 2, TAIL = 3;
    /** So many units at the end of a text. */
    private static final int LAST = 64;

    private static final int ENTER = 1, VOID = 2, INT = 3, WIDE = 4, REFERENCE = 5, CAUGHT = 6, SHOWN = 7, SUM = 8,
        ESCAPED = 9, CONTENT = 10, NAME = 11, LITERAL = 12, TURN = 13, DISORDER = 14, SHOWN_ARRAY = 15, HELD = 16, FELL = 17, LEFT = 18,
        INITIALISED = 19, BORN = 20, UNCAUGHT = 21;
    private static final int KNOWN_TEXT = 0, TEXT = 1, CLASS = 2, BOOLEAN = 3, CHARACTER = 4, BYTE = 5, SHORT = 6,
        INTEGER = 7, FLOAT = 8, LONG = 9, DOUBLE = 10, ARRAY = 11, BARE_ARRAY = 12, FIRST_CLASS = 16;

    /**
     * What the daemon reads: the number of the log; the number of words; how many words of this log there were before; how
     * many points its thread has passed; the words.
     */
    private static final long[] OUT = new long[CAPACITY + 4];
    /** The thread whose log stands there. */
    private static Thread whose;

    /** The number of the log whose thread has the turn; 0: nobody. */
    private static final AtomicInteger HOLDER = new AtomicInteger();
    /** Guards the queue of those that wait for it: the one that has waited longest, and how many they are. */
    private static final Object QUEUE = new Object();
    private static volatile JhydeProbe first;
    private static volatile int waiting;
    /** The one that has waited longest was told that the turn is free. */
    private static volatile boolean called;
    /** Who had the turn last, and how often it went from one to another. Written by whoever has it. */
    private static JhydeProbe last;
    private static long turns;
    /** Somebody waited for too long: all run as they like, and their logs have no order any more. */
    private static volatile boolean disorder;
    /** A thread passes so many points while another waits; a look at what others may write at any time counts more: it may
     * wait for them. */
    private static final int PATIENCE = 1 << 10, IMPATIENCE = 1 << 4;
    /** Milliseconds: a look at who has the turn, while waiting for it; how long it may pass no point, while it runs and while
     * it does not. */
    private static final long LOOK = 20, RUNNING = 10_000, BLOCKED = 2_000;

    /**
     * Objects and arrays are told when code of the scope makes them: set by the daemon before anything runs. What is read from the
     * heap is told, not only added up: set by whoever has the turn, or by the daemon. Code out of the scope may use reflection then:
     * it writes what nobody sees, and gets at objects that nobody shows it. Never taken back.
     */
    private static boolean births, reads;
    /** It is told what objects of the JDK hold: set by the daemon before anything runs. */
    private static boolean contents;
    /** Calls that tell nothing change what objects hold, between those that code out of the scope makes: set by the daemon before anything is told. */
    private static boolean retells;
    /** The daemon has gone: nobody reads logs any more, and what is written into them is nothing. */
    private static volatile boolean alone;
    /** The daemon has read what stands in {@link #OUT}: set by it. */
    private static volatile boolean heard;

    /** Logs by the identity of their threads: open addressing, a power of two. */
    private static volatile JhydeProbe[] table = new JhydeProbe[64];
    private static int logs;

    // Classes that are used first where no stack is left would have no room for their initialisers, and then be of no use to the program
    // either (JVMS 5.5): stack traces need one.
    static {
        shape(Object.class);
        JhydeIdentity.initialise();
        ownLeftOut(new StackOverflowError());
    }

    /** Whose log it is. */
    private final Thread thread;
    private final int number;
    private long[] words = new long[FIRST];
    private int at;
    /** Words that were here before those that are. */
    private long before;
    /** Where it could have taken the turn. Written by its thread while it has the turn. */
    private int points;
    /** Points passed while others waited. */
    private int passed;
    /** How the method that began last was entered. */
    public int entered;
    /** It waits for the daemon, which may have much to do. */
    private volatile boolean flushing;
    /** Static initialisers that run: while one does, others would wait for it without giving their turn back. */
    private int initialising;
    /** Who has waited less. */
    private JhydeProbe next;
    /** Calls of the scope that run. */
    private int depth;
    /** Where it was seen last that there is stack left. */
    private int reached;
    /** The hash of an error of the JVM that code of the scope throws, or that is on its way through its calls: no instruction was befallen. */
    private int passing;
    /** Calls by code out of the scope. */
    private int freshes;
    /** A call had no stack, and does not begin. */
    private boolean refused;
    /** It is being told which exception has arrived; where that was not told to its end, this stays. */
    private boolean arriving;
    /** Code of the scope is about to call code of the scope, and nothing is between them. */
    private boolean calling;
    /** The method that began last was called by code out of the scope. */
    public boolean fresh;
    /** A checksum of all that was read from the heap. */
    private long sum;
    /** Classes that were named in this log, four places each: identity, hash of the name, number; open addressing. */
    private int[] classes = new int[1 << 7];
    private int named;
    /** How objects of classes hold something, by the classes' numbers: {@link JhydeContents#shape}. */
    private byte[] shapes = new byte[1 << 5];
    /** Strings whose text was told lately, and others of which it was told what never changes, or what they hold. */
    private final int[] told = new int[1 << 10];
    /** Words that may be spent on what objects hold: so much for each call that may change one. */
    private int credit = 1 << 8;
    /** Words that may be spent on arrays of many references, and when that was counted. */
    private long spare = MOST_SPARE, counted;
    /** Arrays that were shown to calls that run, some of them: should such a call end by an exception, it is told what they hold. */
    private final Object[] lent = new Object[FEW];
    private int lends;
    /** From there on they are shown to calls of the method that code out of the scope called last, or of methods that it called. */
    private int base;
    /** Literals that were told, a bit for each place in code. */
    private long[] literals = new long[4];

    private JhydeProbe(Thread thread, int number) {
        this.thread = thread;
        this.number = number;
    }

    // ---- whose log it is

    private static JhydeProbe mine() {
        Thread thread = Thread.currentThread();
        JhydeProbe[] all = table;
        JhydeProbe log = all[System.identityHashCode(thread) & all.length - 1];
        return log != null && log.thread == thread ? log : find(thread);
    }

    private static JhydeProbe find(Thread thread) {
        JhydeProbe[] all = table;
        int mask = all.length - 1;
        for (int at = System.identityHashCode(thread) & mask; all[at] != null; at = at + 1 & mask) {
            if (all[at].thread == thread) {
                return all[at];
            }
        }
        return make(thread);
    }

    private static synchronized JhydeProbe make(Thread thread) {
        JhydeProbe[] all = table;
        int living = 1;
        for (JhydeProbe log : all) {
            if (log != null && log.thread.isAlive()) {
                living++;
            } else if (log != null) {
                log.flush();
            }
        }
        int size = 64;
        while (size < living * 4) {
            size *= 2;
        }
        JhydeProbe[] next = new JhydeProbe[size];
        for (JhydeProbe log : all) {
            if (log != null && log.at > 0 | log.thread.isAlive()) {
                put(next, log);
            }
        }
        JhydeProbe made = new JhydeProbe(thread, ++logs);
        put(next, made);
        table = next;
        return made;
    }

    private static void put(JhydeProbe[] all, JhydeProbe log) {
        int mask = all.length - 1;
        int at = System.identityHashCode(log.thread) & mask;
        while (all[at] != null) {
            at = at + 1 & mask;
        }
        all[at] = log;
    }

    // ---- the way out

    /** Makes room for so many words; what is told together stands together. */
    private void room(int count) {
        if (at + count + 1 > words.length) {
            flush();
            // What takes more room than others is not kept when it was told.
            if (words.length != CAPACITY || count + 1 > words.length) {
                words = new long[Math.max(Math.min(words.length * 8, CAPACITY), count + 2)];
            }
        }
    }

    private void flush() {
        if (at == 0) {
            return;
        }
        if (alone) {
            at = 0;
            return;
        }
        int end = at;
        word(SUM, points & 0xffffff, (int) (sum ^ sum >>> 32));
        try {
            send();
        } catch (StackOverflowError e) {
            // There is room for one checksum.
            at = end;
            throw e;
        }
        int gone = at;
        at = 0;
        before += gone;
    }

    private void send() {
        synchronized (OUT) {
            for (int from = 0; from < at; from += CAPACITY) {
                int some = Math.min(at - from, CAPACITY);
                OUT[1] = 0;
                System.arraycopy(words, from, OUT, 4, some);
                OUT[0] = number;
                OUT[2] = before + from;
                OUT[3] = points;
                whose = thread;
                OUT[1] = some;
                flushing = true;
                heard = false;
                try {
                    ready();
                } finally {
                    flushing = false;
                }
                if (!heard) {
                    leave();
                }
            }
        }
    }

    /** Nobody has heard: from now on this is a program that nobody watches. */
    private static void leave() {
        alone = true;
        disorder = true;
        births = false;
        reads = false;
        contents = false;
        retells = false;
    }

    /** The daemon's breakpoint. */
    private static void ready() {
    }

    /** The word stands there before it counts. */
    private void put(long word) {
        words[at] = word;
        at++;
    }

    private void word(int kind, int site, int low) {
        put((long) kind << 56 | (long) site << 32 | low & 0xffffffffL);
    }

    private void pair(int high, int low) {
        put((long) high << 32 | low & 0xffffffffL);
    }

    // ---- whose turn it is

    /** Here its thread must have the turn. */
    private void point() {
        turn();
        points++;
    }

    /** Has the turn from here on; gives it to another one first, if that has waited for long. */
    private void turn() {
        if (HOLDER.get() != number) {
            take();
        } else if (waiting > 0 && ++passed > PATIENCE) {
            hand();
        }
    }

    private void take() {
        if (disorder) {
            return;
        }
        if (waiting > 0 && ++passed > PATIENCE || !HOLDER.compareAndSet(0, number)) {
            await();
        }
        if (last != this && !disorder) {
            room(4);
            word(TURN, 0, points);
            put(turns + 1);
            pair(last == null ? 0 : last.number, last == null ? 0 : last.points);
            put(last == null ? 0 : last.told());
            turns++;
            last = this;
        }
    }

    /**
     * Words that it has told, at least; its thread tells no more without the turn. In this order: if it has ended, another
     * thread may be flushing it.
     */
    private long told() {
        int here = at;
        return here == 0 ? before : Math.min(before + here, before + at);
    }

    /** Gives the turn to whoever has waited longest, and waits for it. */
    private void hand() {
        JhydeProbe other;
        synchronized (QUEUE) {
            other = first;
        }
        passed = 0;
        if (other == null || disorder) {
            return;
        }
        HOLDER.set(other.number);
        other.call();
        take();
    }

    private synchronized void call() {
        notify();
    }

    private void free() {
        HOLDER.set(0);
        if (waiting > 0 && !called) {
            called = true;
            JhydeProbe other;
            synchronized (QUEUE) {
                other = first;
            }
            if (other != null) {
                other.call();
            }
        }
    }

    private void await() {
        passed = 0;
        synchronized (QUEUE) {
            next = null;
            JhydeProbe before = first;
            while (before != null && before.next != null) {
                before = before.next;
            }
            if (before == null) {
                first = this;
            } else {
                before.next = this;
            }
            waiting++;
        }
        boolean interrupted = false;
        try {
            interrupted = waits();
        } finally {
            // Whatever befell it: others must not wait behind it.
            waitsNot();
        }
        if (interrupted) {
            thread.interrupt();
        }
    }

    private void waitsNot() {
        synchronized (QUEUE) {
            JhydeProbe before = first;
            while (before != this && before.next != this) {
                before = before.next;
            }
            if (before == this) {
                first = next;
            } else {
                before.next = next;
            }
            next = null;
            waiting--;
            called = false;
        }
    }

    /** Waits until it has the turn, or there are no turns any more. True if it was interrupted meanwhile. */
    private boolean waits() {
        boolean interrupted = false;
        int holder = 0, passes = 0;
        long since = System.currentTimeMillis();
        while (!disorder && HOLDER.get() != number && !(first == this && HOLDER.compareAndSet(0, number))) {
            try {
                synchronized (this) {
                    called = false;
                    int held = HOLDER.get();
                    if (held != number && (held != 0 || first != this)) {
                        wait(LOOK);
                    }
                }
            } catch (InterruptedException e) {
                interrupted = true;
            }
            int held = HOLDER.get();
            // Where nobody has it, whoever has waited longest takes it, unless an error befell that one.
            JhydeProbe other = held == 0 ? first : of(held);
            int who = other == null ? 0 : held == 0 ? -other.number : other.number;
            if (held != 0 && held != number && (other == null || !other.thread.isAlive())) {
                HOLDER.compareAndSet(held, 0);
            } else if (other == null || other == this || other.flushing || who != holder || other.points != passes) {
                holder = who;
                passes = other == null ? 0 : other.points;
                since = System.currentTimeMillis();
            } else {
                long passed = System.currentTimeMillis() - since;
                boolean runs = held != 0 && other.thread.getState() == Thread.State.RUNNABLE;
                if (passed > (runs ? RUNNING : BLOCKED)) {
                    disorder();
                }
            }
        }
        return interrupted;
    }

    /** The program comes first: from now on nobody waits for a turn. */
    private void disorder() {
        disorder = true;
        room(1);
        word(DISORDER, 0, 0);
        flush();
    }

    private static JhydeProbe of(int number) {
        for (JhydeProbe log : table) {
            if (log != null && log.number == number) {
                return log;
            }
        }
        return null;
    }

    // ---- what instrumented code calls

    /** A method of the scope begins. */
    public static JhydeProbe enter(int method) {
        JhydeProbe log = mine();
        boolean fresh = !log.calling;
        int ahead = log.depth - log.reached;
        if (ahead >= TRUSTED || ahead < -FAR || fresh) {
            log.reach(fresh, ahead);
        }
        log.fresh = fresh;
        log.entered = log.entered(fresh);
        log.calling = false;
        log.point();
        if (log.fresh) {
            if (retells && (log.entered & OUTERMOST) != 0) {
                java.util.Arrays.fill(log.told, 0);
            }
            log.room(1);
            log.word(ENTER, method, 0);
        }
        return log;
    }

    /** How a call is entered, with where arrays of the calls around it end. */
    private int entered(boolean fresh) {
        int how = !fresh ? 0 : HOLDER.get() != number ? FRESH | OUTERMOST : FRESH;
        depth++;
        how |= base << BASE | depth << DEPTH;
        if (fresh) {
            base = lends;
        }
        return how;
    }

    /** Sees that there is stack left where that is not trusted: for a call so much deeper than where it was seen last. */
    private void reach(boolean fresh, int ahead) {
        if (!fresh || ahead >= TRUSTED_OUTSIDE || ahead < -FAR) {
            reach(MARGIN);
            reached = depth;
        } else if (++freshes % EACH_OUTSIDE == 0) {
            // How deep code out of the scope is does not show.
            reach(SOME_MARGIN);
        }
    }

    /**
     * Is there stack left for this call, and for what is told of it and of those that it makes? A call has it or does not begin: without it
     * an error of the JVM might befall any step of the probe, and what the thread was about to do would be told by halves. Nothing of this call was
     * told or counted yet.
     */
    private void reach(int calls) {
        try {
            reaches(calls, at, before, number, points, depth, sum, credit);
        } catch (StackOverflowError e) {
            refused = true;
            throw ownLeftOut(new StackOverflowError());
        }
    }

    /** The program's stack trace has no calls of the probe. */
    private static StackOverflowError ownLeftOut(StackOverflowError error) {
        StackTraceElement[] trace = error.getStackTrace();
        error.setStackTrace(java.util.Arrays.copyOfRange(trace, own(trace), trace.length));
        return error;
    }

    /** Goes so many calls deeper. What is handed down and needed behind the call makes it take stack when it is compiled. */
    private static long reaches(int calls, long a, long b, long c, long d, long e, long f, long g) {
        long below = calls == 0 ? 0 : reaches(calls - 1, g, a, b, c, d, e, f);
        return below + (a ^ b) + (c ^ d) + (e ^ f) * 31 + g;
    }

    /** So many calls at the top are the probe's own. */
    private static int own(StackTraceElement[] trace) {
        int own = 0;
        while (own < trace.length && isOwn(trace[own])) {
            own++;
        }
        return own;
    }

    private static boolean isOwn(StackTraceElement frame) {
        return frame.getClassName().startsWith("java.lang.Jhyde");
    }

    /** A static initialiser of the scope begins: whoever made it run. */
    public static JhydeProbe initialise(int method) {
        JhydeProbe log = mine();
        log.reach(MARGIN);
        log.entered = log.entered(true);
        log.calling = false;
        log.fresh = true;
        log.point();
        log.room(1);
        log.word(ENTER, method, 0);
        log.initialising++;
        return log;
    }

    /** A method ends that may have taken the turn. */
    public static void exit(int entered, JhydeProbe log) {
        log.base = entered >>> BASE & (1 << DEPTH - BASE) - 1;
        log.depth = (entered >>> DEPTH) - 1;
        if ((entered & OUTERMOST) != 0 && log.initialising == 0) {
            log.free();
        }
    }

    /** A method ends that returns an object: code out of the scope has it now, if it has called. */
    public static void exit(Object value, int entered, JhydeProbe log) {
        if ((entered & FRESH) != 0 && value != null) {
            shown(value, log);
        }
        exit(entered, log);
    }

    /** A static initialiser ends: without a word of that, another one that begins behind it might have begun in it. */
    public static void initialised(int entered, JhydeProbe log) {
        log.room(1);
        log.word(INITIALISED, 0, 0);
        log.initialising--;
        exit(entered, log);
    }

    /** Its thread is about to leave the scope, or to wait. */
    public static void leave(JhydeProbe log) {
        if (log.initialising == 0) {
            log.free();
        }
    }

    public static void back(JhydeProbe log) {
        log.returned();
        log.point();
    }

    /** It is about to read what others may write at any time. */
    public static void looks(JhydeProbe log) {
        log.passed += IMPATIENCE;
        log.point();
    }

    public static void argument(int value, JhydeProbe log) {
        if (log.fresh) {
            result(value, log, 0);
        }
    }

    public static void argument(long value, JhydeProbe log) {
        if (log.fresh) {
            result(value, log, 0);
        }
    }

    public static void argument(float value, JhydeProbe log) {
        if (log.fresh) {
            result(value, log, 0);
        }
    }

    public static void argument(double value, JhydeProbe log) {
        if (log.fresh) {
            result(value, log, 0);
        }
    }

    public static void argument(Object value, JhydeProbe log) {
        if (log.fresh) {
            log.reference(REFERENCE, 0, value);
        }
    }

    /** Code of the scope is about to call a method of the scope. */
    public static void call(JhydeProbe log) {
        log.calling = true;
    }

    /** An object is shown to code out of the scope. */
    public static void shown(Object value, JhydeProbe log) {
        if (value != null && value.getClass().isArray()) {
            log.lend(value);
        }
        if (value instanceof Object[] all && all.length > 0) {
            log.array(all);
        } else {
            log.room(1);
            log.word(SHOWN, 0, JhydeIdentity.of(value));
        }
    }

    /** Are so many references told? Many are as long as it is not what the program would spend its time on. */
    private boolean affords(int length) {
        if (length <= FEW_REFERENCES) {
            return true;
        }
        long now = System.nanoTime(), price = (long) length * PRICE;
        spare = counted == 0 ? spare : Math.min(spare + (now - counted) / EARNS, MOST_SPARE);
        counted = now;
        if (length > MOST_ELEMENTS || price > spare) {
            return false;
        }
        spare -= price;
        return true;
    }

    /** With an array its elements are shown. */
    private void array(Object[] all) {
        int length = affords(all.length) ? all.length : 0;
        room(3 + length / 2);
        word(SHOWN_ARRAY, 0, JhydeIdentity.of(all));
        put(length);
        for (int i = 0; i < length; i += 2) {
            pair(JhydeIdentity.of(all[i]), i + 1 < length ? JhydeIdentity.of(all[i + 1]) : 0);
        }
    }

    /** Code out of the scope has constructed an object: of one that never changes, nothing else tells what it is. */
    public static void constructed(Object value, JhydeProbe log) {
        int number = log.number(value.getClass(), null);
        int shape = number < FIRST_CLASS ? JhydeContents.SHOWN : log.shapes[number - FIRST_CLASS];
        boolean fixed = shape == JhydeContents.SHOWN || shape == JhydeContents.THREAD || shape == JhydeContents.THROWABLE;
        if (fixed) {
            log.isUnknown(value);
        }
        if (fixed || value instanceof String || value instanceof Number) {
            log.reference(REFERENCE, 0, value);
        } else {
            shown(value, log);
        }
    }

    /** There is an object now whose constructor code out of the scope has called, if it has. */
    public static void made(Object value, boolean outside, JhydeProbe log) {
        if (outside) {
            log.bear(value);
        }
    }

    /** There is an object now, whoever has called its constructor: those above it are none of the scope's. */
    public static void born(Object value, boolean outside, JhydeProbe log) {
        if (outside) {
            log.bear(value);
        } else {
            born(value, log);
        }
    }

    /** Its class may be one that the scope does not know, below the one whose constructor runs. */
    private void bear(Object value) {
        int number = number(value.getClass(), null);
        room(1);
        word(BORN, number, JhydeIdentity.of(value));
    }

    /** Code of the scope has made an object, or an array, which is as it begins. */
    public static void born(Object value, JhydeProbe log) {
        if (births) {
            if (value instanceof Object[] all && all.length > 0 && all[0] != null) {
                log.array(all);
            } else {
                log.room(1);
                log.word(SHOWN, 0, JhydeIdentity.of(value));
            }
        }
    }

    /** Code of the scope is about to call what uses reflection. */
    public static void reflects() {
        reads = true;
    }

    /** A string of the constant pool is used. */
    public static void literal(Object value, JhydeProbe log, int site) {
        if (log.isFirst(site)) {
            log.room(1);
            log.word(LITERAL, site, JhydeIdentity.of(value));
        }
    }

    /** Is a constant used in this place for the first time, as far as this log has it? */
    private boolean isFirst(int site) {
        int at = site >>> 6;
        if (at >= literals.length) {
            long[] more = new long[Math.max(at + 1, literals.length * 2)];
            System.arraycopy(literals, 0, more, 0, literals.length);
            literals = more;
        }
        if ((literals[at] & 1L << site) != 0) {
            return false;
        }
        literals[at] |= 1L << site;
        return true;
    }

    /** A constant is used that a method computes. */
    public static void computed(Object value, JhydeProbe log, int site) {
        if (log.isFirst(site)) {
            log.reference(REFERENCE, site, value);
        }
    }

    public static void computed(int value, JhydeProbe log, int site) {
        if (log.isFirst(site)) {
            result(value, log, site);
        }
    }

    public static void computed(long value, JhydeProbe log, int site) {
        if (log.isFirst(site)) {
            result(value, log, site);
        }
    }

    public static void computed(float value, JhydeProbe log, int site) {
        if (log.isFirst(site)) {
            result(value, log, site);
        }
    }

    public static void computed(double value, JhydeProbe log, int site) {
        if (log.isFirst(site)) {
            result(value, log, site);
        }
    }

    /** What an array that was shown to a call holds behind it. */
    public static void content(Object value, JhydeProbe log, int site) {
        log.returned();
        if (value != null && value.getClass().isArray()) {
            log.reference(CONTENT, site, value);
        }
    }

    public static void result(JhydeProbe log, int site) {
        log.room(1);
        log.word(VOID, site, 0);
    }

    public static void result(int value, JhydeProbe log, int site) {
        log.room(1);
        log.word(INT, site, value);
    }

    public static void result(long value, JhydeProbe log, int site) {
        log.room(2);
        log.word(WIDE, site, 0);
        log.put(value);
    }

    public static void result(float value, JhydeProbe log, int site) {
        result(Float.floatToRawIntBits(value), log, site);
    }

    public static void result(double value, JhydeProbe log, int site) {
        result(Double.doubleToRawLongBits(value), log, site);
    }

    public static void result(Object value, JhydeProbe log, int site) {
        log.reference(REFERENCE, site, value);
    }

    /** An exception arrives at a handler. */
    public static void caught(Throwable value, int entered, JhydeProbe log, int site) {
        log.arrives(value, entered);
        // The JVM may throw one more than once.
        log.passing = 0;
        log.reference(CAUGHT, site, value);
        log.arriving = false;
    }

    /** Calls that were shown arrays have ended. */
    private void returned() {
        while (lends > base) {
            lends--;
            lent[lends] = null;
        }
    }

    private void lend(Object array) {
        if (lends < FEW) {
            lent[lends] = array;
            lends++;
        }
    }

    /** What calls have left in arrays that they were shown, and ended by an exception. */
    private void left() {
        for (int i = base; i < lends; i++) {
            reference(LEFT, 0, lent[i]);
        }
        returned();
    }

    /** Code of the scope is about to throw it. */
    public static void throwing(Throwable value, JhydeProbe log) {
        if (value instanceof VirtualMachineError && !log.arriving) {
            log.passing = System.identityHashCode(value);
        }
    }

    /** An exception arrives in a call that was entered like this: what comes before it. */
    private void arrives(Throwable value, int entered) {
        boolean untold = arriving;
        arriving = true;
        int how = -1;
        if (untold) {
            how = UNKNOWN;
        } else if (value instanceof VirtualMachineError) {
            int hash = System.identityHashCode(value);
            how = hash == passing ? -1 : whereBefell(value);
            passing = hash;
        }
        int deep = entered >>> DEPTH, left = Math.max(0, Math.min(depth - deep, MOST_LEFT));
        calling = false;
        refused = false;
        depth = deep;
        turn();
        if (how >= 0) {
            // No checksum agrees from here on, whatever is read of the half of a record.
            sum ^= how == UNKNOWN ? 0x5555_5555_5555_5555L : 0;
            room(1);
            word(FELL, left << LEFT_CALLS | how, points);
        }
        points++;
        left();
    }

    /** Which instruction an error of the JVM befell, as far as that shows where it arrives first. */
    private int whereBefell(Throwable value) {
        if (refused) {
            return calling ? CALLING : REFUSED;
        }
        if (!value.getClass().getName().startsWith("java.")) {
            // A class of the program: the JVM throws no such.
            return OUTSIDE;
        }
        StackTraceElement[] trace = value.getStackTrace(), here = new Throwable().getStackTrace();
        for (int i = 0; i < trace.length && i < LAST; i++) {
            if (isOwn(trace[i])) {
                return UNKNOWN;
            }
        }
        if (calling && value.getClass() == StackOverflowError.class) {
            return CALLING;
        }
        // The call that it arrives in has the error itself, or what that called.
        int own = own(here);
        boolean isHere = trace.length == 0 || own == here.length || trace[0].getClassName().equals(here[own].getClassName())
            && trace[0].getMethodName().equals(here[own].getMethodName());
        return isHere ? 0 : OUTSIDE;
    }

    /** An exception leaves a method. */
    public static void escaped(Throwable value, int entered, JhydeProbe log, int method) {
        boolean outermost = entered >>> DEPTH == 1 && (entered & FRESH) != 0;
        log.leaves(value, entered, method, outermost && endsThread() ? UNCAUGHT : ESCAPED);
    }

    /** An exception leaves a static initialiser. */
    public static void failed(Throwable value, int entered, JhydeProbe log, int method) {
        log.initialising--;
        log.leaves(value, entered, method, ESCAPED);
    }

    private void leaves(Throwable value, int entered, int method, int kind) {
        arrives(value, entered);
        reference(kind, method, value);
        arriving = false;
        exit(entered, this);
    }

    /** Does what leaves the outermost call of the scope end the thread? It does where nothing is below that call but what begins a thread. */
    private static boolean endsThread() {
        StackTraceElement[] here;
        try {
            here = new Throwable().getStackTrace();
        } catch (OutOfMemoryError e) {
            // The program gets its own exception.
            return false;
        }
        int call = own(here);
        for (int i = call + 1; i < here.length; i++) {
            String of = here[i].getClassName(), name = here[i].getMethodName();
            boolean isThread = of.equals("java.lang.Thread") || of.equals("java.lang.VirtualThread");
            if (!isThread || !name.equals("run") && !name.equals("runWith")) {
                return false;
            }
        }
        // The JVM has called it itself, or native code, of which nobody knows what it does with exceptions.
        return call + 1 < here.length || call < here.length && isBegun(here[call]);
    }

    /** Does the JVM begin programs or threads by this method? */
    private static boolean isBegun(StackTraceElement call) {
        if (!call.getMethodName().equals("run")) {
            return call.getMethodName().equals("main");
        }
        Class<?> of = Thread.currentThread().getClass();
        while (of != Thread.class && !of.getName().equals(call.getClassName())) {
            of = of.getSuperclass();
        }
        return of != Thread.class;
    }

    public static void read(int value, JhydeProbe log) {
        if (reads) {
            result(value, log, 0);
        } else {
            log.sum = log.sum * 31 + value;
        }
    }

    public static void read(long value, JhydeProbe log) {
        if (reads) {
            result(value, log, 0);
        } else {
            log.sum = log.sum * 31 + value;
        }
    }

    /** Of NaN one pattern stands for all: which one an operation yields is the processor's and the compiler's choice. */
    public static void read(float value, JhydeProbe log) {
        read(Float.floatToIntBits(value), log);
    }

    public static void read(double value, JhydeProbe log) {
        read(Double.doubleToLongBits(value), log);
    }

    public static void read(Object value, JhydeProbe log) {
        if (reads) {
            log.bare(value);
        } else {
            log.sum = log.sum * 31 + (value == null ? 0 : 1);
        }
    }

    // ---- what objects hold

    /** What an object holds behind a call that may have changed it; at this key, if it is a map or a set. */
    public static void held(Object value, Object key, JhydeProbe log) {
        if (value == null || value.getClass().isArray() || value.getClass() == String.class) {
            return;
        }
        int number = log.number(value.getClass(), value);
        if (number >= FIRST_CLASS && log.shapes[number - FIRST_CLASS] >= JhydeContents.ELEMENTS) {
            log.credit = Math.min(log.credit + EARNED, MOST_CREDIT);
            log.held(value, key, number, true);
        }
    }

    /** `changed`: and so may be what lies behind it, if it is a view. */
    private void held(Object value, Object key, int number, boolean changed) {
        int shape = shapes[number - FIRST_CLASS];
        isKnown(value);
        try {
            switch (shape) {
                case JhydeContents.TEXT -> characters(value, number);
                case JhydeContents.INT, JhydeContents.LONG, JhydeContents.FLAG -> {
                    room(4);
                    head(WHOLE, value, number, shape, 1);
                    put(JhydeContents.number(value, shape));
                }
                case JhydeContents.REFERENCE ->
                    items(value, number, shape, new Object[] {JhydeContents.referent(value)}, 0);
                case JhydeContents.ELEMENTS, JhydeContents.ENTRIES, JhydeContents.VECTOR -> some(value, key, number, shape);
                default -> view(value, key, number, changed);
            }
        } catch (Throwable e) {
            // It is being changed by another thread, or of another JDK than is known: then nothing is told of it.
        }
    }

    private void view(Object value, Object key, int number, boolean changed) {
        int shape = shapes[number - FIRST_CLASS];
        Object viewed = JhydeContents.viewed(value);
        if (viewed == null) {
            return;
        }
        if (viewed instanceof Object[] all) {
            array(value, number, shape, all);
            return;
        }
        if (shape != JhydeContents.ITERATOR) {
            int[] range = shape == JhydeContents.RANGE ? JhydeContents.range(value) : null;
            items(value, number, shape, new Object[] {viewed}, range == null ? 0 : 1);
            if (range != null) {
                pair(range[0], range[1]);
            }
        }
        int of = number(viewed.getClass(), null);
        if (of >= FIRST_CLASS && shapes[of - FIRST_CLASS] >= JhydeContents.ELEMENTS && (changed || isNew(viewed))) {
            held(viewed, key, of, changed);
        }
    }

    /** A list that shows an array: with what that holds, where that is little or there is credit for it. */
    private void array(Object list, int number, int shape, Object[] all) {
        Object[] shown = all.length <= FEW || 2 * all.length <= credit ? all.clone() : null;
        if (shown == null) {
            return;
        }
        credit -= shown.length <= FEW ? 0 : 2 * shown.length;
        int[] numbers = new int[shown.length];
        int of = number(all.getClass(), null), size = 0;
        for (int i = 0; i < shown.length; i++) {
            if (shown[i] != null) {
                numbers[i] = number(shown[i].getClass(), shown[i].getClass().isArray() ? null : shown[i]);
                size += shown[i].getClass().isArray() ? 4 : 4 + units(numbers[i], shown[i]);
            }
        }
        room(7 + size + shown.length);
        head(WHOLE, list, number, shape, 1);
        word(REFERENCE, 0, JhydeIdentity.of(all));
        pair(ARRAY, of);
        pair(0, shown.length);
        for (int i = 0; i < shown.length; i++) {
            element(shown[i], numbers[i]);
        }
    }

    private void head(int form, Object value, int number, int shape, int size) {
        word(HELD, form, JhydeIdentity.of(value));
        pair(number, shape);
        put(size);
    }

    /** All that it holds, where that is little or there is credit for it; else how much, and where the key is. */
    private void some(Object value, Object key, int number, int shape) {
        if (JhydeContents.isByAccess(value) || JhydeContents.isPart(value)) {
            return;
        }
        int size = JhydeContents.size(value, shape), words = 2 * size;
        if (size <= FEW || words <= credit) {
            credit -= size <= FEW ? 0 : words;
            Object[] items = JhydeContents.items(value, shape);
            if (items != null) {
                items(value, number, shape, items, 0);
            }
            return;
        }
        int place = key != null && size <= MOST_KEYS && JhydeContents.isOrdered(value) ? JhydeContents.place(value, shape, key) : -1;
        room(5);
        head(place < 0 ? SIZE : PLACE, value, number, shape, size);
        if (place >= 0) {
            put(place);
        }
    }

    /** `more`: there is to be room for so many words behind them. */
    private void items(Object value, int number, int shape, Object[] items, int more) {
        int[] numbers = new int[items.length];
        int size = 0;
        for (int i = 0; i < items.length; i++) {
            if (items[i] != null) {
                numbers[i] = number(items[i].getClass(), items[i].getClass().isArray() ? null : items[i]);
                size += items[i].getClass().isArray() ? 4 : 4 + units(numbers[i], items[i]);
            }
        }
        room(4 + size + items.length + more);
        head(WHOLE, value, number, shape, items.length);
        for (int i = 0; i < items.length; i++) {
            element(items[i], numbers[i]);
        }
    }

    private void characters(Object builder, int number) {
        int size = JhydeContents.size(builder, JhydeContents.TEXT);
        boolean whole = size <= LAST || size / 4 <= credit;
        credit -= whole && size > LAST ? size / 4 : 0;
        int from = whole ? 0 : size - LAST;
        // Another thread may make it shorter meanwhile: then nothing is told, and not the half.
        long[] units = new long[(size - from + 3) / 4];
        for (int i = from; i < size; i += 4) {
            long word = 0;
            for (int j = Math.min(3, size - 1 - i); j >= 0; j--) {
                word = word << 16 | JhydeContents.unit(builder, i + j);
            }
            units[(i - from) / 4] = word;
        }
        room(5 + units.length);
        head(whole ? WHOLE : TAIL, builder, number, JhydeContents.TEXT, size);
        for (long word : units) {
            put(word);
        }
    }

    // ---- references

    /** A reference that was read: of an array not what it holds, which is told where that is read. */
    private void bare(Object value) {
        if (value == null || !value.getClass().isArray()) {
            reference(REFERENCE, 0, value);
            return;
        }
        int number = number(value.getClass(), null);
        room(3);
        word(REFERENCE, 0, JhydeIdentity.of(value));
        pair(BARE_ARRAY, number);
        pair(0, length(value));
    }

    /** A reference with what is told of its object: in one piece. */
    private void reference(int kind, int site, Object value) {
        if (value == null) {
            room(1);
            word(kind, site, 0);
            return;
        }
        Class<?> of = value.getClass();
        if (!of.isArray()) {
            int number = number(of, value);
            if (contents && number >= FIRST_CLASS && shapes[number - FIRST_CLASS] >= JhydeContents.ELEMENTS
                && shapes[number - FIRST_CLASS] != JhydeContents.ITERATOR && isNew(value)) {
                held(value, null, number, false);
            }
            room(4 + units(number, value));
            word(kind, site, JhydeIdentity.of(value));
            object(number, value);
            return;
        }
        int number = number(of, null);
        if (value instanceof Object[] all) {
            Object[] copy = affords(all.length) ? (Object[]) all.clone() : null;
            int[] numbers = copy == null ? null : new int[copy.length];
            int size = 0;
            for (int i = 0; copy != null && i < copy.length; i++) {
                if (copy[i] != null) {
                    numbers[i] = number(copy[i].getClass(), copy[i]);
                    size += 4 + units(numbers[i], copy[i]);
                }
            }
            room(4 + size + (copy == null ? 0 : copy.length));
            word(kind, site, JhydeIdentity.of(value));
            pair(copy == null ? BARE_ARRAY : ARRAY, number);
            pair(0, all.length);
            for (int i = 0; copy != null && i < copy.length; i++) {
                element(copy[i], numbers[i]);
            }
            return;
        }
        int length = length(value);
        boolean whole = length <= MOST_ELEMENTS;
        room(5 + (whole ? length : 0));
        word(kind, site, JhydeIdentity.of(value));
        pair(whole ? ARRAY : BARE_ARRAY, number);
        pair(0, length);
        if (whole) {
            elements(value);
        }
    }

    /** A reference in an array, or in what holds some: its number is known, and there is room. */
    private void element(Object element, int number) {
        word(REFERENCE, 0, JhydeIdentity.of(element));
        if (element != null && element.getClass().isArray()) {
            pair(BARE_ARRAY, number);
            pair(0, length(element));
        } else if (element != null) {
            object(number, element);
        }
    }

    private static int length(Object array) {
        if (array instanceof Object[] all) {
            return all.length;
        } else if (array instanceof int[] all) {
            return all.length;
        } else if (array instanceof byte[] all) {
            return all.length;
        } else if (array instanceof char[] all) {
            return all.length;
        } else if (array instanceof long[] all) {
            return all.length;
        } else if (array instanceof double[] all) {
            return all.length;
        } else if (array instanceof boolean[] all) {
            return all.length;
        } else if (array instanceof float[] all) {
            return all.length;
        }
        return ((short[]) array).length;
    }

    /** As many in a word as have room there, the first one lowest. */
    private void elements(Object array) {
        if (array instanceof int[] all) {
            for (int i = 0; i < all.length; i += 2) {
                pair(i + 1 < all.length ? all[i + 1] : 0, all[i]);
            }
        } else if (array instanceof byte[] all) {
            for (int i = 0; i < all.length; i += 8) {
                long word = 0;
                for (int j = Math.min(7, all.length - 1 - i); j >= 0; j--) {
                    word = word << 8 | all[i + j] & 0xff;
                }
                put(word);
            }
        } else if (array instanceof char[] all) {
            for (int i = 0; i < all.length; i += 4) {
                long word = 0;
                for (int j = Math.min(3, all.length - 1 - i); j >= 0; j--) {
                    word = word << 16 | all[i + j];
                }
                put(word);
            }
        } else if (array instanceof long[] all) {
            for (long value : all) {
                put(value);
            }
        } else if (array instanceof double[] all) {
            for (double value : all) {
                put(Double.doubleToRawLongBits(value));
            }
        } else if (array instanceof boolean[] all) {
            for (int i = 0; i < all.length; i += 8) {
                long word = 0;
                for (int j = Math.min(7, all.length - 1 - i); j >= 0; j--) {
                    word = word << 8 | (all[i + j] ? 1 : 0);
                }
                put(word);
            }
        } else if (array instanceof float[] all) {
            for (int i = 0; i < all.length; i += 2) {
                pair(i + 1 < all.length ? Float.floatToRawIntBits(all[i + 1]) : 0, Float.floatToRawIntBits(all[i]));
            }
        } else if (array instanceof short[] all) {
            for (int i = 0; i < all.length; i += 4) {
                long word = 0;
                for (int j = Math.min(3, all.length - 1 - i); j >= 0; j--) {
                    word = word << 16 | all[i + j] & 0xffff;
                }
                put(word);
            }
        }
    }

    /** Words that the text of an object takes, and what else is told of it. */
    private int units(int number, Object value) {
        int more = 1;
        String text = number == TEXT ? (String) value : number == CLASS ? ((Class<?>) value).getName() : null;
        if (number >= FIRST_CLASS && shapes[number - FIRST_CLASS] != JhydeContents.NOTHING) {
            text = fixed(number, value);
            Object cause = cause(number, value);
            more += 2;
            if (cause != null) {
                // Its class may have to be named, which must not stand within what is told here.
                number(cause.getClass(), cause);
            }
        }
        return more + (Math.min(text == null ? 0 : text.length(), MOST_UNITS) + 3) / 4;
    }

    /** What of an object never changes, if it was not told lately. */
    private String fixed(int number, Object value) {
        return isNew(value) ? JhydeContents.text(value, shapes[number - FIRST_CLASS]) : null;
    }

    /** The cause of an exception, if it has one that can be told. */
    private Object cause(int number, Object value) {
        return shapes[number - FIRST_CLASS] == JhydeContents.THROWABLE ? JhydeContents.cause(value) : null;
    }

    /** Was it not told lately what it is? */
    private boolean isNew(Object value) {
        int identity = JhydeIdentity.of(value);
        return told[identity & 1023] != identity;
    }

    private void isKnown(Object value) {
        int identity = JhydeIdentity.of(value);
        told[identity & 1023] = identity;
    }

    /** Its constructor may have shown it before it had what never changes. */
    private void isUnknown(Object value) {
        int identity = JhydeIdentity.of(value);
        if (told[identity & 1023] == identity) {
            told[identity & 1023] = 0;
        }
    }

    /** What is told of an object that is no array. */
    private void object(int number, Object value) {
        switch (number) {
            case KNOWN_TEXT -> pair(number, value.hashCode());
            case TEXT -> {
                pair(number, value.hashCode());
                text((String) value);
            }
            case CLASS -> {
                pair(number, 0);
                text(((Class<?>) value).getName());
            }
            case BOOLEAN -> pair(number, (Boolean) value ? 1 : 0);
            case CHARACTER -> pair(number, (Character) value);
            case BYTE -> pair(number, (Byte) value);
            case SHORT -> pair(number, (Short) value);
            case INTEGER -> pair(number, (Integer) value);
            case FLOAT -> pair(number, Float.floatToRawIntBits((Float) value));
            case LONG -> {
                pair(number, 0);
                put((Long) value);
            }
            case DOUBLE -> {
                pair(number, 0);
                put(Double.doubleToRawLongBits((Double) value));
            }
            default -> instance(number, value);
        }
    }

    /** The low half says what follows: 0 nothing; a text: 1 of an enum, 4 of a thread, 5 of what is known by it; of an
     * exception 2, 3 with a message, and its cause. */
    private void instance(int number, Object value) {
        int shape = shapes[number - FIRST_CLASS];
        if (shape == JhydeContents.NOTHING || shape >= JhydeContents.ELEMENTS || !isNew(value)) {
            pair(number, 0);
            return;
        }
        String text = fixed(number, value);
        isKnown(value);
        if (shape != JhydeContents.THROWABLE) {
            int form = shape == JhydeContents.ENUM ? 1 : shape == JhydeContents.THREAD ? 4 : 5;
            pair(number, text == null ? 0 : form);
        } else {
            Object cause = cause(number, value);
            pair(number, text == null ? 2 : 3);
            word(REFERENCE, 0, JhydeIdentity.of(cause));
            if (cause != null) {
                pair(number(cause.getClass(), cause), 0);
            }
        }
        if (text != null) {
            text(text);
        }
    }

    private void text(String value) {
        int length = value.length(), units = Math.min(length, MOST_UNITS);
        pair(units, length);
        for (int i = 0; i < units; i += 4) {
            long word = value.charAt(i);
            for (int j = 1; j < 4 && i + j < units; j++) {
                word |= (long) value.charAt(i + j) << 16 * j;
            }
            put(word);
        }
    }

    /** What tells how an object is told: a constant above, or the number of its class, named now if it is new. */
    private int number(Class<?> of, Object value) {
        if (of == String.class && value != null) {
            int identity = JhydeIdentity.of(value), mark = identity * 31 + value.hashCode(), place = identity & 1023;
            if (told[place] == mark) {
                return KNOWN_TEXT;
            }
            told[place] = mark;
            return TEXT;
        } else if (of == Class.class) {
            return CLASS;
        } else if (of == Integer.class) {
            return INTEGER;
        } else if (of == Boolean.class) {
            return BOOLEAN;
        } else if (of == Character.class) {
            return CHARACTER;
        } else if (of == Long.class) {
            return LONG;
        } else if (of == Double.class) {
            return DOUBLE;
        } else if (of == Float.class) {
            return FLOAT;
        } else if (of == Byte.class) {
            return BYTE;
        } else if (of == Short.class) {
            return SHORT;
        }
        int identity = System.identityHashCode(of), name = of.getName().hashCode();
        int mask = classes.length / 4 - 1, place = identity & mask;
        for (; classes[4 * place] != 0; place = place + 1 & mask) {
            if (classes[4 * place] == identity && classes[4 * place + 1] == name) {
                return classes[4 * place + 2];
            }
        }
        if (named == shapes.length) {
            shapes = java.util.Arrays.copyOf(shapes, 2 * named);
        }
        shapes[named] = (byte) shape(of);
        int number = FIRST_CLASS + named++;
        put(classes, identity, name, number);
        if (named * 8 > classes.length) {
            int[] more = new int[classes.length * 2];
            for (int i = 0; i < classes.length; i += 4) {
                if (classes[i] != 0) {
                    put(more, classes[i], classes[i + 1], classes[i + 2]);
                }
            }
            classes = more;
        }
        String text = of.getName();
        room(3 + (Math.min(text.length(), MOST_UNITS) + 3) / 4);
        word(NAME, 0, number);
        text(text);
        return number;
    }

    private static int shape(Class<?> of) {
        try {
            return of.isArray() ? JhydeContents.NOTHING : JhydeContents.shape(of);
        } catch (Throwable e) {
            // Another JDK than is known: nothing is claimed of what its objects hold.
            return JhydeContents.NOTHING;
        }
    }

    private static void put(int[] all, int identity, int name, int number) {
        int mask = all.length / 4 - 1, place = identity & mask;
        while (all[4 * place] != 0) {
            place = place + 1 & mask;
        }
        all[4 * place] = identity;
        all[4 * place + 1] = name;
        all[4 * place + 2] = number;
    }
}
