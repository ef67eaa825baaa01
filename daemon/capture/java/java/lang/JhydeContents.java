package java.lang;

import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import jdk.internal.misc.Unsafe;

/**
 * What objects of the JDK hold, as their users see it: for {@link JhydeProbe}, which tells it.
 *
 * <p>Classes are known by their exact names, so that nothing runs here that a program can override: no `equals`, `hashCode`,
 * `compareTo` or `toString` of its classes, and no lock is taken. What is looked at may be changed meanwhile by a thread that is out of the
 * scope; then nothing is told.
 */
final class JhydeContents {
    /** What an object is to the log: nothing that is told; known by a text for good; an exception. */
    static final int NOTHING = 0, ENUM = 1, THREAD = 2, SHOWN = 3, THROWABLE = 4;
    /** From here on it may change: elements, entries, characters, one value, what another object holds. */
    static final int ELEMENTS = 8, ENTRIES = 9, TEXT = 10, INT = 11, LONG = 12, FLAG = 13, REFERENCE = 14, VECTOR = 15,
        VIEW = 16;
    /** The parts of a view, behind {@link #VIEW}: all, keys, values, entries. */
    private static final int SAME = VIEW, KEYS = VIEW + 1, VALUES = VIEW + 2, ENTRIES_OF = VIEW + 3;
    /** A range of a list; and what holds nothing itself, but changes what it goes through: an iterator. */
    static final int RANGE = VIEW + 4, ITERATOR = VIEW + 5;
    /** The most digits of a number that is shown: in bits. */
    private static final int LONGEST = 1 << 14;

    private static final Unsafe UNSAFE = Unsafe.getUnsafe();
    private static final long MESSAGE = offset(Throwable.class, "detailMessage"), CAUSE = offset(Throwable.class, "cause"),
        BY_ACCESS = offset(java.util.LinkedHashMap.class, "accessOrder");

    private JhydeContents() {
    }

    /** How objects of exactly this class are told. */
    static int shape(Class<?> of) {
        if (Throwable.class.isAssignableFrom(of)) {
            return THROWABLE;
        } else if (Enum.class.isAssignableFrom(of)) {
            return ENUM;
        } else if (Thread.class.isAssignableFrom(of)) {
            return THREAD;
        } else if (of.getClassLoader0() != null) {
            return NOTHING;
        }
        return switch (of.getName()) {
            case "java.util.ArrayList", "java.util.LinkedList", "java.util.ArrayDeque", "java.util.PriorityQueue",
                "java.util.HashSet", "java.util.LinkedHashSet", "java.util.TreeSet", "java.util.RegularEnumSet",
                "java.util.JumboEnumSet", "java.util.ImmutableCollections$ListN", "java.util.ImmutableCollections$List12",
                "java.util.ImmutableCollections$SetN", "java.util.ImmutableCollections$Set12",
                "java.util.Collections$SingletonList", "java.util.Collections$SingletonSet", "java.util.Collections$CopiesList",
                "java.util.Collections$EmptyList", "java.util.Collections$EmptySet",
                "java.util.concurrent.CopyOnWriteArrayList", "java.util.concurrent.CopyOnWriteArraySet",
                "java.util.concurrent.ConcurrentLinkedQueue",
                "java.util.concurrent.ConcurrentLinkedDeque", "java.util.concurrent.ConcurrentSkipListSet" -> ELEMENTS;
            case "java.util.HashMap", "java.util.LinkedHashMap", "java.util.TreeMap", "java.util.EnumMap",
                "java.util.IdentityHashMap", "java.util.ImmutableCollections$Map1", "java.util.ImmutableCollections$MapN",
                "java.util.Collections$SingletonMap", "java.util.Collections$EmptyMap",
                "java.util.concurrent.ConcurrentHashMap", "java.util.concurrent.ConcurrentSkipListMap" -> ENTRIES;
            case "java.lang.StringBuilder", "java.lang.StringBuffer" -> TEXT;
            case "java.util.concurrent.atomic.AtomicInteger" -> INT;
            case "java.util.concurrent.atomic.AtomicLong" -> LONG;
            case "java.util.concurrent.atomic.AtomicBoolean" -> FLAG;
            case "java.util.concurrent.atomic.AtomicReference", "java.util.Optional" -> REFERENCE;
            case "java.util.Vector", "java.util.Stack" -> VECTOR;
            case "java.util.Collections$UnmodifiableCollection", "java.util.Collections$UnmodifiableList",
                "java.util.Collections$UnmodifiableRandomAccessList", "java.util.Collections$UnmodifiableSet",
                "java.util.Collections$UnmodifiableSortedSet", "java.util.Collections$UnmodifiableNavigableSet",
                "java.util.Collections$UnmodifiableMap", "java.util.Collections$UnmodifiableSortedMap",
                "java.util.Collections$UnmodifiableNavigableMap", "java.util.Collections$SynchronizedCollection",
                "java.util.Collections$SynchronizedList", "java.util.Collections$SynchronizedRandomAccessList",
                "java.util.Collections$SynchronizedSet", "java.util.Collections$SynchronizedMap",
                "java.util.Arrays$ArrayList" -> SAME;
            case "java.util.HashMap$KeySet", "java.util.LinkedHashMap$LinkedKeySet", "java.util.TreeMap$KeySet",
                "java.util.EnumMap$KeySet", "java.util.concurrent.ConcurrentHashMap$KeySetView" -> KEYS;
            case "java.util.HashMap$Values", "java.util.LinkedHashMap$LinkedValues", "java.util.TreeMap$Values",
                "java.util.EnumMap$Values", "java.util.concurrent.ConcurrentHashMap$ValuesView" -> VALUES;
            case "java.util.HashMap$EntrySet", "java.util.LinkedHashMap$LinkedEntrySet", "java.util.TreeMap$EntrySet",
                "java.util.EnumMap$EntrySet", "java.util.concurrent.ConcurrentHashMap$EntrySetView" -> ENTRIES_OF;
            case "java.util.ArrayList$SubList", "java.util.AbstractList$SubList", "java.util.ImmutableCollections$SubList" ->
                RANGE;
            case "java.util.ArrayList$Itr", "java.util.ArrayList$ListItr", "java.util.Vector$Itr", "java.util.Vector$ListItr",
                "java.util.LinkedList$ListItr", "java.util.ArrayDeque$DeqIterator", "java.util.TreeMap$EntryIterator",
                "java.util.TreeMap$KeyIterator", "java.util.TreeMap$ValueIterator", "java.util.HashMap$EntryIterator",
                "java.util.HashMap$KeyIterator", "java.util.HashMap$ValueIterator",
                "java.util.LinkedHashMap$LinkedEntryIterator", "java.util.LinkedHashMap$LinkedKeyIterator",
                "java.util.LinkedHashMap$LinkedValueIterator" -> ITERATOR;
            case "java.math.BigInteger", "java.math.BigDecimal", "java.util.UUID", "java.net.URI", "java.io.File",
                "java.util.regex.Pattern", "java.util.Currency", "java.time.ZoneRegion", "java.time.ZoneOffset",
                "java.time.Instant", "java.time.Duration", "java.time.Period", "java.time.LocalDate", "java.time.LocalTime",
                "java.time.LocalDateTime", "java.time.OffsetDateTime", "java.time.ZonedDateTime", "java.time.Year",
                "java.time.YearMonth" -> SHOWN;
            default -> NOTHING;
        };
    }

    /** By what a constant, a thread, a number, a date are known; the message of an exception; null where there is none. */
    static String text(Object value, int shape) {
        return switch (shape) {
            case ENUM -> ((Enum<?>) value).name();
            case THREAD -> ((Thread) value).getName();
            case THROWABLE -> (String) UNSAFE.getReference(value, MESSAGE);
            case SHOWN -> isLong(value) ? null : value.toString();
            default -> null;
        };
    }

    private static boolean isLong(Object value) {
        return value instanceof java.math.BigInteger number && number.bitLength() > LONGEST
            || value instanceof java.math.BigDecimal decimal && decimal.unscaledValue().bitLength() > LONGEST;
    }

    /** The cause of an exception; null where none was set, which it says by naming itself. */
    static Object cause(Object value) {
        Object cause = UNSAFE.getReference(value, CAUSE);
        return cause == value ? null : cause;
    }

    /** How much it holds. */
    static int size(Object value, int shape) {
        return switch (shape) {
            case ELEMENTS -> ((Collection<?>) value).size();
            case ENTRIES -> ((Map<?, ?>) value).size();
            case TEXT -> ((AbstractStringBuilder) value).count;
            case VECTOR -> UNSAFE.getInt(value, offset(java.util.Vector.class, "elementCount"));
            default -> 1;
        };
    }

    /** Elements, or keys and values in turn. */
    static Object[] items(Object value, int shape) {
        switch (shape) {
            case ELEMENTS:
                return ((Collection<?>) value).toArray();
            case VECTOR:
                Object[] all = (Object[]) in(value, java.util.Vector.class, "elementData");
                Object[] held = new Object[size(value, shape)];
                System.arraycopy(all, 0, held, 0, held.length);
                return held;
            default:
                Map<?, ?> map = (Map<?, ?>) value;
                Object[] entries = new Object[2 * map.size()];
                int at = 0;
                for (Map.Entry<?, ?> entry : map.entrySet()) {
                    entries[at++] = entry.getKey();
                    entries[at++] = entry.getValue();
                }
                return at == entries.length ? entries : null;
        }
    }

    /** Where exactly this object stands among the elements or keys; -1: nowhere. */
    static int place(Object value, int shape, Object key) {
        int at = 0;
        Iterable<?> all = shape == ENTRIES ? ((Map<?, ?>) value).keySet() : (Collection<?>) value;
        for (Object one : all) {
            if (one == key) {
                return at;
            }
            at++;
        }
        return -1;
    }

    /** A unit of a builder's text. */
    static char unit(Object builder, int at) {
        AbstractStringBuilder text = (AbstractStringBuilder) builder;
        byte[] all = text.value;
        return text.coder == 0 ? (char) (all[at] & 0xff) : StringUTF16.getChar(all, at);
    }

    /** The number in an atomic one. */
    static long number(Object value, int shape) {
        return switch (shape) {
            case INT -> ((AtomicInteger) value).get();
            case LONG -> ((AtomicLong) value).get();
            default -> ((AtomicBoolean) value).get() ? 1 : 0;
        };
    }

    /** What a reference refers to. */
    static Object referent(Object value) {
        return value instanceof Optional<?> optional ? optional.orElse(null) : ((AtomicReference<?>) value).get();
    }

    /** What a view shows; null where that is not known. */
    static Object viewed(Object view) {
        Class<?> of = view.getClass();
        return switch (of.getName()) {
            case "java.util.Arrays$ArrayList" -> in(view, of, "a");
            case "java.util.TreeMap$KeySet" -> in(view, of, "m");
            case "java.util.ArrayList$SubList", "java.util.AbstractList$SubList", "java.util.ImmutableCollections$SubList" ->
                in(view, of, "root");
            case "java.util.concurrent.ConcurrentHashMap$KeySetView", "java.util.concurrent.ConcurrentHashMap$ValuesView",
                "java.util.concurrent.ConcurrentHashMap$EntrySetView" -> in(view, of.getSuperclass(), "map");
            default -> {
                String name = of.getName();
                if (!name.startsWith("java.util.Collections$")) {
                    boolean reversed = name.startsWith("java.util.LinkedHashMap$") && !name.endsWith("Iterator")
                        && isReversed(view, of);
                    yield reversed ? null : UNSAFE.getReference(view, outer(of));
                }
                String field = name.endsWith("Map") ? "m" : "c";
                Class<?> declares = of;
                while (declares.getSuperclass() != Object.class) {
                    declares = declares.getSuperclass();
                }
                yield in(view, declares, field);
            }
        };
    }

    /** Where the object around one of an inner class stands, which a class above it may declare. */
    private static long outer(Class<?> of) {
        for (Class<?> declares = of; ; declares = declares.getSuperclass()) {
            try {
                return offset(declares, "this$0");
            } catch (InternalError e) {
                if (declares.getSuperclass() == Object.class) {
                    throw e;
                }
            }
        }
    }

    /** Where a range begins, and how long it is. */
    static int[] range(Object view) {
        Class<?> of = view.getClass();
        return new int[] {UNSAFE.getInt(view, offset(of, "offset")), UNSAFE.getInt(view, offset(of, "size"))};
    }

    /** Does looking something up change the order of such a map? */
    static boolean isByAccess(Object map) {
        return map instanceof java.util.LinkedHashMap && UNSAFE.getBoolean(map, BY_ACCESS);
    }

    /** Is such a set a part of another one, with which it changes? */
    static boolean isPart(Object set) {
        if (set instanceof java.util.TreeSet) {
            return in(set, java.util.TreeSet.class, "m").getClass() != java.util.TreeMap.class;
        }
        return set instanceof java.util.concurrent.ConcurrentSkipListSet
            && in(set, java.util.concurrent.ConcurrentSkipListSet.class, "m").getClass()
                != java.util.concurrent.ConcurrentSkipListMap.class;
    }

    /** Has it its items in an order that no other item has a part in? */
    static boolean isOrdered(Object value) {
        return value instanceof java.util.SortedMap || value instanceof java.util.SortedSet
            || value instanceof java.util.LinkedHashMap || value instanceof java.util.LinkedHashSet;
    }

    /** From JDK 21 on such a view may go backwards. */
    private static boolean isReversed(Object view, Class<?> of) {
        return Runtime.version().feature() >= 21 && UNSAFE.getBoolean(view, offset(of, "reversed"));
    }

    /** What a field of the JDK holds. */
    private static Object in(Object value, Class<?> declares, String field) {
        return UNSAFE.getReference(value, offset(declares, field));
    }

    private static long offset(Class<?> declares, String field) {
        return UNSAFE.objectFieldOffset(declares, field);
    }
}
