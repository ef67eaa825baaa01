package java.lang;

/**
 * What the engine `probe` puts into a JVM: a log for each thread, and what instrumented code calls to write into it.
 *
 * <p>Defined once, by the boot loader, in a package that every loader and module sees. It starts no thread, keeps no object
 * of the program alive but threads that run, and calls nothing that a program can override. A log is an array of `long`;
 * what its words mean is told in `daemon/capture/src/probe/log.rs`.
 *
 * <p>A log that is full is copied to {@link #OUT}, and {@link #ready} is called, where a breakpoint of the daemon stands: it
 * reads the array and lets the thread go on. Without a daemon nothing stops there, and what was written is lost.
 */
public final class JhydeProbe {
    /** Words in a log at most, and at first. */
    private static final int CAPACITY = 1 << 15, FIRST = 1 << 9;
    /** The most units of a text, and elements of an array, that are told. */
    private static final int MOST_UNITS = 1 << 24, MOST_ELEMENTS = 1 << 12;

    private static final int ENTER = 1, VOID = 2, INT = 3, WIDE = 4, REFERENCE = 5, CAUGHT = 6, SHOWN = 7, SUM = 8,
        ESCAPED = 9, CONTENT = 10, NAME = 11, LITERAL = 12;
    private static final int KNOWN_TEXT = 0, TEXT = 1, CLASS = 2, BOOLEAN = 3, CHARACTER = 4, BYTE = 5, SHORT = 6,
        INTEGER = 7, FLOAT = 8, LONG = 9, DOUBLE = 10, ARRAY = 11, BARE_ARRAY = 12, FIRST_CLASS = 16;

    /**
     * What the daemon reads: the number of the log and, in the upper half, that of the flush; the number of words, 0 where
     * there are none to be read; the words.
     */
    private static final long[] OUT = new long[CAPACITY + 2];
    private static int flushes;

    /** Logs by the identity of their threads: open addressing, a power of two. */
    private static volatile JhydeProbe[] table = new JhydeProbe[64];
    private static int logs;

    /** Whose log it is. */
    private final Thread thread;
    private final int number;
    private long[] words = new long[FIRST];
    private int at;
    /** Code of the scope is about to call code of the scope, and nothing is between them. */
    private boolean calling;
    /** The method that began last was called by code out of the scope. */
    public boolean fresh;
    /** A checksum of all that was read from the heap. */
    private long sum;
    /** Classes that were named in this log, four places each: identity, hash of the name, number; open addressing. */
    private int[] classes = new int[1 << 7];
    private int named;
    /** Strings whose text was told lately. */
    private final int[] told = new int[1 << 10];
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
            if (words.length < CAPACITY || count + 1 > words.length) {
                words = new long[Math.max(Math.min(words.length * 8, CAPACITY), count + 2)];
            }
        }
    }

    private void flush() {
        if (at == 0) {
            return;
        }
        word(SUM, 0, (int) (sum ^ sum >>> 32));
        synchronized (OUT) {
            while (at > 0) {
                int some = Math.min(at, CAPACITY);
                System.arraycopy(words, 0, OUT, 2, some);
                OUT[0] = (long) ++flushes << 32 | number;
                // From here on the words stand there, and for a moment here, too: a daemon that looks now compares.
                OUT[1] = some;
                System.arraycopy(words, some, words, 0, at - some);
                at -= some;
                ready();
                OUT[1] = 0;
            }
        }
    }

    /** The daemon's breakpoint. */
    private static void ready() {
    }

    private void word(int kind, int site, int low) {
        words[at++] = (long) kind << 56 | (long) site << 32 | low & 0xffffffffL;
    }

    private void pair(int high, int low) {
        words[at++] = (long) high << 32 | low & 0xffffffffL;
    }

    // ---- what instrumented code calls

    /** A method of the scope begins. */
    public static JhydeProbe enter(int method) {
        JhydeProbe log = mine();
        log.fresh = !log.calling;
        log.calling = false;
        if (log.fresh) {
            log.room(1);
            log.word(ENTER, method, 0);
        }
        return log;
    }

    /** A static initialiser of the scope begins: whoever made it run. */
    public static JhydeProbe initialise(int method) {
        JhydeProbe log = mine();
        log.calling = false;
        log.fresh = true;
        log.room(1);
        log.word(ENTER, method, 0);
        return log;
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
        log.room(1);
        log.word(SHOWN, 0, System.identityHashCode(value));
    }

    /** There is an object now whose constructor code out of the scope has called, if it has. */
    public static void made(Object value, boolean outside, JhydeProbe log) {
        if (outside) {
            shown(value, log);
        }
    }

    /** A string of the constant pool is used. */
    public static void literal(Object value, JhydeProbe log, int site) {
        int at = site >>> 6;
        if (at >= log.literals.length) {
            long[] more = new long[Math.max(at + 1, log.literals.length * 2)];
            System.arraycopy(log.literals, 0, more, 0, log.literals.length);
            log.literals = more;
        }
        if ((log.literals[at] & 1L << site) == 0) {
            log.literals[at] |= 1L << site;
            log.room(1);
            log.word(LITERAL, site, System.identityHashCode(value));
        }
    }

    /** What an array that was shown to a call holds behind it. */
    public static void content(Object value, JhydeProbe log, int site) {
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
        log.words[log.at++] = value;
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
    public static void caught(Throwable value, JhydeProbe log, int site) {
        log.calling = false;
        log.reference(CAUGHT, site, value);
    }

    /** An exception leaves a method. */
    public static void escaped(Throwable value, JhydeProbe log, int method) {
        log.calling = false;
        log.reference(ESCAPED, method, value);
    }

    public static void read(int value, JhydeProbe log) {
        log.sum = log.sum * 31 + value;
    }

    public static void read(long value, JhydeProbe log) {
        log.sum = log.sum * 31 + value;
    }

    public static void read(float value, JhydeProbe log) {
        log.sum = log.sum * 31 + Float.floatToRawIntBits(value);
    }

    public static void read(double value, JhydeProbe log) {
        log.sum = log.sum * 31 + Double.doubleToRawLongBits(value);
    }

    public static void read(Object value, JhydeProbe log) {
        log.sum = log.sum * 31 + (value == null ? 0 : 1);
    }

    // ---- references

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
            room(4 + units(number, value));
            word(kind, site, System.identityHashCode(value));
            object(number, value);
            return;
        }
        int number = number(of, null);
        if (value instanceof Object[] all) {
            Object[] copy = all.length > MOST_ELEMENTS ? null : (Object[]) all.clone();
            int[] numbers = copy == null ? null : new int[copy.length];
            int size = 0;
            for (int i = 0; copy != null && i < copy.length; i++) {
                if (copy[i] != null) {
                    numbers[i] = number(copy[i].getClass(), copy[i]);
                    size += 4 + units(numbers[i], copy[i]);
                }
            }
            room(4 + size + (copy == null ? 0 : copy.length));
            word(kind, site, System.identityHashCode(value));
            pair(copy == null ? BARE_ARRAY : ARRAY, number);
            pair(0, all.length);
            for (int i = 0; copy != null && i < copy.length; i++) {
                Object element = copy[i];
                word(REFERENCE, 0, element == null ? 0 : System.identityHashCode(element));
                if (element != null && element.getClass().isArray()) {
                    pair(BARE_ARRAY, numbers[i]);
                    pair(0, length(element));
                } else if (element != null) {
                    object(numbers[i], element);
                }
            }
            return;
        }
        int length = length(value);
        boolean whole = length <= MOST_ELEMENTS;
        room(4 + (whole ? length : 0));
        word(kind, site, System.identityHashCode(value));
        pair(whole ? ARRAY : BARE_ARRAY, number);
        pair(0, length);
        if (whole) {
            elements(value);
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

    private void elements(Object array) {
        if (array instanceof int[] all) {
            for (int value : all) {
                words[at++] = value;
            }
        } else if (array instanceof byte[] all) {
            for (byte value : all) {
                words[at++] = value;
            }
        } else if (array instanceof char[] all) {
            for (char value : all) {
                words[at++] = value;
            }
        } else if (array instanceof long[] all) {
            for (long value : all) {
                words[at++] = value;
            }
        } else if (array instanceof double[] all) {
            for (double value : all) {
                words[at++] = Double.doubleToRawLongBits(value);
            }
        } else if (array instanceof boolean[] all) {
            for (boolean value : all) {
                words[at++] = value ? 1 : 0;
            }
        } else if (array instanceof float[] all) {
            for (float value : all) {
                words[at++] = Float.floatToRawIntBits(value);
            }
        } else if (array instanceof short[] all) {
            for (short value : all) {
                words[at++] = value;
            }
        }
    }

    /** Words that the text of an object takes. */
    private static int units(int number, Object value) {
        int units = number == TEXT ? ((String) value).length() : number == CLASS ? ((Class<?>) value).getName().length() : 0;
        return 1 + (Math.min(units, MOST_UNITS) + 3) / 4;
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
                words[at++] = (Long) value;
            }
            case DOUBLE -> {
                pair(number, 0);
                words[at++] = Double.doubleToRawLongBits((Double) value);
            }
            default -> pair(number, 0);
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
            words[at++] = word;
        }
    }

    /** What tells how an object is told: a constant above, or the number of its class, named now if it is new. */
    private int number(Class<?> of, Object value) {
        if (of == String.class && value != null) {
            int mark = System.identityHashCode(value) * 31 + value.hashCode(), place = System.identityHashCode(value) & 1023;
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
