import java.io.*;
import java.nio.*;
import java.util.*;
import java.util.function.*;
import java.util.stream.*;

/** Classes that extend those of the JDK: collections, maps, streams, threads, exceptions, numbers. */
public class Below {
    static class Range extends AbstractList<Integer> implements RandomAccess {
        private final int from, to; int asked;
        Range(int from, int to) { this.from = from; this.to = to; }
        @Override public Integer get(int i) { asked++; Objects.checkIndex(i, size()); return from + i; }
        @Override public int size() { return to - from; }
    }
    static class Lru<K, V> extends LinkedHashMap<K, V> {
        private final int most; final List<K> dropped = new ArrayList<>();
        Lru(int most) { super(4, 0.75f, true); this.most = most; }
        @Override protected boolean removeEldestEntry(Map.Entry<K, V> eldest) { if (size() > most) { dropped.add(eldest.getKey()); return true; } return false; }
    }
    static class CountingSet<E> extends HashSet<E> { int adds; @Override public boolean add(E e) { adds++; return super.add(e); } @Override public boolean addAll(Collection<? extends E> c) { adds += 100; return super.addAll(c); } }
    static class Bag extends AbstractCollection<String> {
        private String[] items = new String[2]; private int n;
        @Override public boolean add(String s) { if (n == items.length) items = Arrays.copyOf(items, n * 2); items[n++] = s; return true; }
        @Override public Iterator<String> iterator() { return new Iterator<String>() { int i; public boolean hasNext() { return i < n; } public String next() { return items[i++]; } @Override public void remove() { System.arraycopy(items, i, items, i - 1, n - i); items[--n] = null; i--; } }; }
        @Override public int size() { return n; }
    }
    static class Env extends AbstractMap<String, Integer> {
        private final String[] names; Env(String... names) { this.names = names; }
        @Override public Set<Entry<String, Integer>> entrySet() { return new AbstractSet<>() { public Iterator<Entry<String, Integer>> iterator() { return new Iterator<>() { int i = 0; public boolean hasNext() { return i < names.length; } public Entry<String, Integer> next() { return new AbstractMap.SimpleEntry<>(names[i], i++); } }; } public int size() { return names.length; } }; }
    }
    static class Upper extends FilterReader { Upper(Reader in) { super(in); } @Override public int read() throws IOException { return Character.toUpperCase(super.read()); } @Override public int read(char[] b, int off, int len) throws IOException { int n = super.read(b, off, len); for (int i = off; i < off + n; i++) b[i] = Character.toUpperCase(b[i]); return n; } }
    static class Sum extends OutputStream { int sum; int calls; @Override public void write(int b) { sum += b & 0xff; calls++; } }
    static class Zeros extends InputStream { int left = 10; @Override public int read() { return left-- > 0 ? left * 3 : -1; } }
    static class Words extends Spliterators.AbstractSpliterator<String> { private final Scanner in; Words(String s) { super(Long.MAX_VALUE, ORDERED | NONNULL); in = new Scanner(s); } @Override public boolean tryAdvance(Consumer<? super String> c) { if (!in.hasNext()) return false; c.accept(in.next()); return true; } }
    static class Worker extends Thread { private final int[] out; private final int n; Worker(String name, int[] out, int n) { super(name); this.out = out; this.n = n; } @Override public void run() { for (int i = 1; i <= n; i++) out[0] += i; if (n == 3) throw new IllegalStateException("worker " + getName()); } }
    static class Failure extends Exception { final int code; Failure(String m, int code, Throwable cause) { super(m, cause); this.code = code; } @Override public String getMessage() { return super.getMessage() + "#" + code; } @Override public String toString() { return "Failure:" + getLocalizedMessage(); } }
    static class Money extends Number implements Comparable<Money> { private final long cents; Money(long c) { cents = c; } public int intValue() { return (int) cents; } public long longValue() { return cents; } public float floatValue() { return cents / 100f; } public double doubleValue() { return cents / 100.0; } public int compareTo(Money o) { return Long.signum(cents - o.cents); } @Override public boolean equals(Object o) { return o instanceof Money && ((Money) o).cents == cents; } @Override public int hashCode() { return (int) (cents ^ cents >>> 32); } @Override public String toString() { return cents / 100 + "." + String.format("%02d", cents % 100); } }
    static class Node implements Serializable { private static final long serialVersionUID = 1; String name; transient int visits = 5; List<Node> below = new ArrayList<>(); Node(String n) { name = n; } private void writeObject(ObjectOutputStream o) throws IOException { o.defaultWriteObject(); o.writeInt(visits + 1); } private void readObject(ObjectInputStream i) throws IOException, ClassNotFoundException { i.defaultReadObject(); visits = i.readInt(); } int count() { int c = 1; for (Node n : below) c += n.count(); return c; } }
    static class Clip implements Cloneable { int[] data = {1, 2, 3}; Date when = new Date(0); @Override protected Clip clone() { try { Clip c = (Clip) super.clone(); c.data = data.clone(); c.when = (Date) when.clone(); return c; } catch (CloneNotSupportedException e) { throw new AssertionError(e); } } }
    static class Watch extends Observable2 { void fire(String s) { changed(s); } }
    static class Observable2 { private final List<BiConsumer<Observable2, Object>> all = new java.util.concurrent.CopyOnWriteArrayList<>(); void on(BiConsumer<Observable2, Object> c) { all.add(c); } protected void changed(Object o) { for (BiConsumer<Observable2, Object> c : all) c.accept(this, o); } }
    public static void main(String[] args) throws Exception {
        Range range = new Range(3, 9);
        System.out.println(range + " " + range.indexOf(5) + " " + range.contains(8) + " " + range.subList(1, 4) + " " + range.stream().mapToInt(i -> i).sum() + " " + range.hashCode() + " " + Collections.max(range) + " " + Collections.binarySearch(range, 7) + " " + range.asked);
        try { range.get(77); } catch (IndexOutOfBoundsException e) { System.out.println(e.getMessage()); }
        try { range.add(3); } catch (UnsupportedOperationException e) { System.out.println(e.getMessage()); }
        Lru<String, Integer> lru = new Lru<>(3);
        for (String s : "a b c a d e a f".split(" ")) lru.merge(s, 1, Integer::sum);
        System.out.println(lru + " " + lru.dropped);
        CountingSet<Integer> set = new CountingSet<>(); set.addAll(List.of(1, 2, 3)); set.add(3); System.out.println(set + " " + set.adds);
        Bag bag = new Bag(); Collections.addAll(bag, "x", "yy", "zzz", "yy"); bag.removeIf(s -> s.length() == 2); System.out.println(bag + " " + bag.contains("zzz") + " " + String.join("+", bag) + Arrays.toString(bag.toArray(new String[0])));
        Env env = new Env("p", "q", "r"); System.out.println(env + " " + env.get("q") + " " + env.containsKey("z") + " " + env.values() + " " + new HashMap<>(env).equals(env));
        try (BufferedReader in = new BufferedReader(new Upper(new StringReader("one\ntwo three\n")))) { for (String line; (line = in.readLine()) != null; ) System.out.println(line); }
        Sum sum = new Sum(); try (PrintStream p = new PrintStream(sum, true)) { p.printf("%d-%s", 42, "z"); p.write(new byte[] {1, 2, 3}); } System.out.println(sum.sum + " " + sum.calls);
        System.out.println(Arrays.toString(new Zeros().readNBytes(20)) + new DataInputStream(new Zeros()).readInt());
        System.out.println(StreamSupport.stream(new Words("lorem ipsum dolor"), false).map(String::length).collect(Collectors.toList()));
        int[] out = new int[1]; String[] caught = new String[1];
        Worker w = new Worker("w", out, 4); w.start(); w.join();
        Worker v = new Worker("v", out, 3); v.setUncaughtExceptionHandler((t, e) -> caught[0] = t.getName() + e.getMessage()); v.start(); v.join(); System.out.println(out[0] + caught[0]);
        try { try { Integer.parseInt("x1"); } catch (NumberFormatException e) { throw new Failure("no number", 7, e); } } catch (Failure f) { System.out.println(f + " " + f.getCause().getMessage() + " " + f.code); }
        SortedSet<Money> money = new TreeSet<>(List.of(new Money(250), new Money(99), new Money(1000))); System.out.println(money + " " + money.headSet(new Money(500)) + " " + money.first().doubleValue() + " " + new HashSet<>(money).contains(new Money(99)));
        Node root = new Node("root"); root.below.add(new Node("l")); root.below.add(root.below.get(0)); ByteArrayOutputStream bytes = new ByteArrayOutputStream(); try (ObjectOutputStream o = new ObjectOutputStream(bytes)) { o.writeObject(root); } Node copy = (Node) new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray())).readObject(); System.out.println(copy.name + copy.visits + copy.count() + (copy.below.get(0) == copy.below.get(1)) + copy.below.get(0).visits);
        Clip clip = new Clip(), other = clip.clone(); other.data[0] = 9; other.when.setTime(5); System.out.println(clip.data[0] + " " + clip.when.getTime() + " " + other.data[0] + " " + other.when.getTime());
        Watch watch = new Watch(); StringBuffer heard = new StringBuffer(); watch.on((o, s) -> heard.append(o == watch).append(s)); watch.on((o, s) -> { if (s.equals("a")) watch.fire("b"); }); watch.fire("a"); System.out.println(heard);
        ByteBuffer buffer = ByteBuffer.allocate(16).order(ByteOrder.LITTLE_ENDIAN); buffer.putInt(1).putLong(-2).put((byte) 3).flip(); System.out.println(buffer.remaining() + " " + buffer.getInt() + " " + buffer.getLong() + " " + buffer.array()[0]);
        IntBuffer ints = IntBuffer.wrap(new int[] {5, 6, 7}); int t = 0; while (ints.hasRemaining()) t = t * 10 + ints.get(); System.out.println(t);
        Timer timer = new Timer(true); Object gate = new Object(); boolean[] rang = new boolean[1]; timer.schedule(new TimerTask() { @Override public void run() { synchronized (gate) { rang[0] = true; gate.notify(); } } }, 3); synchronized (gate) { while (!rang[0]) gate.wait(); } System.out.println(rang[0]);
        Comparator<String> byLength = new Comparator<>() { int calls; @Override public int compare(String a, String b) { calls++; return a.length() - b.length(); } @Override public String toString() { return "calls>" + (calls > 3); } };
        List<String> names = new ArrayList<>(List.of("ccc", "a", "bb", "dddd", "e")); names.sort(byLength.reversed().thenComparing(Comparator.naturalOrder())); System.out.println(names + " " + byLength);
        Iterator<String> it = names.iterator(); it.next(); names.remove("a"); try { it.next(); } catch (ConcurrentModificationException e) { System.out.println("changed"); }
        ListIterator<String> li = names.listIterator(); while (li.hasNext()) { String s = li.next(); if (s.length() == 2) { li.set("BB"); li.add("inserted"); } } System.out.println(names);
    }
}
