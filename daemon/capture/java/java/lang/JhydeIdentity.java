package java.lang;

import java.lang.ref.PhantomReference;
import jdk.internal.misc.Unsafe;

/**
 * The numbers by which a log tells objects apart: each object has one, and no two have the same one, nor one that is gone and
 * one that is there.
 *
 * <p>It is the identity hash, as long as no object was told by that before. Such a hash has 31 bits, so that among some ten
 * thousand objects two may have one. Whether an object was told before is seen at the hash itself: HotSpot makes it when somebody asks
 * for it first, and keeps it in the header. If it was not there before it was asked for here, the object is new here; and if
 * its hash was seen here before, that was another one's, and the object gets a number of its own, of those that are no
 * hashes. Only such objects are in a table, which does not keep them alive.
 *
 * <p>Weaker: an object whose hash was asked for before it is told first (by others; of threads and classes, by the probe), or that is locked then (up to JDK 22, or by several
 * threads), cannot be seen to be new. If its hash is that of another, the two have one number. Class objects are told apart by their
 * names besides: the JVM asks for the hashes of many, for the types of methods and in its archive of shared classes.
 *
 * <p>What hashes were seen is kept in bits, two of one word for each (a Bloom filter in blocks, so that memory is touched once): other objects may be taken for seen, which costs a place in
 * the table and tells nothing false.
 *
 * <p>For {@link JhydeProbe}: called by who has the turn. Where there are no turns any more numbers mean nothing, and all that
 * is promised is that it comes to its end.
 */
final class JhydeIdentity {
    /** Numbers of objects that are not told by their hash: those with the highest bit. */
    private static final int OWN = 1 << 31;
    /** Bits at first and at most, and how many there are for one hash before there are to be more, in powers of two. */
    private static final int FEWEST = 19, MOST = 28, SPARSE = 5, MORE = 3;
    /** Of the heap the bits take so much at most. */
    private static final long SHARE = 64;

    private static final Unsafe UNSAFE = Unsafe.getUnsafe();
    /** Does a header say whether the hash was asked for, as far as is known here? Else nothing is taken for new. And does it while
     * the object is locked? */
    private static final boolean READABLE = isReadable(), LOCKED_TOO = READABLE && isReadableLocked();

    /** Hashes that were seen: a power of two of bits, and how many words it may get. */
    private static long[] seen = new long[1 << FEWEST - 6];
    private static int most = (int) Long.highestOneBit(Math.min(1L << MOST - 6, Runtime.getRuntime().maxMemory() / SHARE / 8 | 1));
    /** How many have set bits. */
    private static int count;

    /** Objects that are not told by their hash, by that: open addressing, a power of two, never full. Places of those that are gone are kept
     * until the table grows. */
    private static Other[] others = new Other[64];
    private static int used, next;

    /** Hashes by which objects were told lately, of which no object in the table has one: most are told again soon. */
    private static final int[] recent = new int[1 << 13];

    private JhydeIdentity() {
    }

    /** Whoever calls it has it initialised. */
    static void initialise() {
    }

    /** The number of an object; 0 of null. */
    static int of(Object value) {
        if (value == null) {
            return 0;
        }
        boolean isNew = READABLE && isBare(UNSAFE.getLongAcquire(value, 0));
        int hash = System.identityHashCode(value);
        return !isNew && recent[hash & recent.length - 1] == hash ? hash : seldom(value, hash, isNew);
    }

    /** Apart, so that what calls {@link #of} is compiled with it. */
    private static int seldom(Object value, int hash, boolean isNew) {
        long[] all = seen;
        int at = hash >>> 6 & all.length - 1;
        long bits = 1L << hash | 1L << (hash * 0x9e3779b9 >>> 26);
        if ((all[at] & bits) != bits) {
            all[at] |= bits;
            if (++count > all.length << 6 - SPARSE && all.length < most) {
                grow(all);
            }
            recent[hash & recent.length - 1] = hash;
            return hash;
        }
        return isNew ? add(value, hash) : find(value, hash);
    }

    /** Without a hash: markWord.hpp of HotSpot, JDK 17 to 25. A header that points to a lock, or is compact, is never. */
    private static boolean isBare(long header) {
        return header >>> 7 == 0 && ((header & 7) == 1 || (header & 7) == 0 && LOCKED_TOO);
    }

    private static boolean isReadable() {
        Object object = new Object();
        long before = UNSAFE.getLongAcquire(object, 0);
        long hash = System.identityHashCode(object);
        long after = UNSAFE.getLongAcquire(object, 0);
        boolean stands = (after >>> 8 & 0x7fffffff) == hash || (after >>> 11 & 0x7fffffff) == hash;
        return isBare(before) && !isBare(after) && stands;
    }

    /** Locks that leave the rest of the header as it is (the default from JDK 23 on). */
    private static boolean isReadableLocked() {
        Object object = new Object();
        synchronized (object) {
            return (UNSAFE.getLongAcquire(object, 0) & ~0x78) == 0;
        }
    }

    /** What was seen stays so: each bit stands wherever a hash may be that has set it. */
    private static void grow(long[] all) {
        long[] more;
        try {
            more = new long[Math.min(all.length << MORE, most)];
        } catch (OutOfMemoryError e) {
            // The program needs it more: others are taken for seen more often, and that is all.
            most = all.length;
            return;
        }
        for (int from = 0; from < more.length; from += all.length) {
            System.arraycopy(all, 0, more, from, all.length);
        }
        seen = more;
    }

    private static int find(Object value, int hash) {
        Other[] all = others;
        int mask = all.length - 1, at = spread(hash) & mask;
        boolean isAlone = true;
        for (int tried = 0; tried < mask && all[at] != null; tried++) {
            if (all[at].hash == hash) {
                if (all[at].refersTo(value)) {
                    return all[at].number;
                }
                isAlone = false;
            }
            at = at + 1 & mask;
        }
        if (isAlone) {
            recent[hash & recent.length - 1] = hash;
        }
        return hash;
    }

    private static int add(Object value, int hash) {
        if (2 * used >= others.length) {
            rehash();
        }
        Other other = new Other(value, OWN | next++, hash);
        put(others, other);
        if (recent[hash & recent.length - 1] == hash) {
            recent[hash & recent.length - 1] = 0;
        }
        used++;
        return other.number;
    }

    private static void put(Other[] all, Other other) {
        int mask = all.length - 1, at = spread(other.hash) & mask;
        for (int tried = 0; tried < mask && all[at] != null; tried++) {
            at = at + 1 & mask;
        }
        all[at] = other;
    }

    /** Room for more, without those that are gone. */
    private static void rehash() {
        Other[] all = others;
        int living = 0;
        for (Other one : all) {
            living += one == null || one.refersTo(null) ? 0 : 1;
        }
        int size = 64;
        while (size < living * 4) {
            size *= 2;
        }
        Other[] kept = new Other[size];
        int count = 0;
        for (Other one : all) {
            if (one != null && !one.refersTo(null)) {
                put(kept, one);
                count++;
            }
        }
        used = count;
        others = kept;
    }

    /** Hashes whose lower ends are alike come here together. */
    private static int spread(int hash) {
        return hash * 0x9e3779b9 >>> 7;
    }

    /** An object that is not told by its hash. It is known until it is gone for good, its `finalize` behind it. */
    private static final class Other extends PhantomReference<Object> {
        final int number, hash;

        Other(Object value, int number, int hash) {
            super(value, null);
            this.number = number;
            this.hash = hash;
        }
    }
}
