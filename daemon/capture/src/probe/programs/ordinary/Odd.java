import java.util.*;
import java.util.function.*;

/** The corners of the language: initialisers, overriding, finally, conversions, what the JVM throws. */
public class Odd {
    static int counter; int instance = ++counter; { instance += 10; }
    Odd() { instance *= 2; } Odd(int x) { this(); instance += x; }
    static class First { static { log("First"); } static int value = Second.value + 1; static void touch() {} }
    static class Second { static { log("Second"); } static int value = First.value + 10; }
    static class Bad { static int x = Integer.parseInt("no"); static int get() { return x; } }
    interface A { default String who() { return "A" + extra(); } private String extra() { return "x"; } static String stat() { return "S"; } int K = log("K"); }
    interface B { default String who() { return "B"; } }
    static class Both implements A, B { public String who() { return A.super.who() + B.super.who(); } }
    static class Base<T> { T keep; Base(T t) { keep = t; hook(); } void hook() { log("base hook " + keep); } T get() { return keep; } Object clash(Object o) { return "o"; } String over(Object o) { return "O"; } String over(String s) { return "S"; } String over(Integer... i) { return "V" + i.length; } }
    static class Derived extends Base<String> { String own = "own"; final String late; Derived(String s) { super(s); late = own + s; } @Override void hook() { log("derived hook " + own + keep); } @Override String get() { return super.get() + late; } @Override String clash(Object o) { return "s"; } }
    enum Op implements IntBinaryOperator { ADD { public int applyAsInt(int a, int b) { return a + b; } }, SHL { public int applyAsInt(int a, int b) { return a << b; } }; static int used; int use(int a, int b) { used++; return applyAsInt(a, b); } }
    enum Light { RED, GREEN; Light next() { return values()[(ordinal() + 1) % values().length]; } }
    static int log(String s) { System.out.println("* " + s); return s.length(); }
    @SuppressWarnings("finally") static int finals(int n) { try { if (n == 0) return 1; if (n == 1) throw new RuntimeException(); n += 5; } catch (RuntimeException e) { return 2; } finally { counter++; if (n == 7) return 3; } return n; }
    static int nested(int n) { int r = 0; for (int i = 0; i < n; i++) { try { try { if (i % 3 == 0) continue; if (i == 5) break; r += i; if (i == 4) throw new IllegalStateException("" + i); } finally { r += 100; } } catch (IllegalStateException e) { r += Integer.parseInt(e.getMessage()) * 1000; } } return r; }
    static synchronized int locked(int n) { if (n == 0) throw new UnsupportedOperationException(); synchronized (Odd.class) { return n > 3 ? locked(n - 1) + 1 : n; } }
    static long overflow(int n) { return n <= 0 ? 0 : 1 + overflow(n + 1); }
    static String light(Light l) { switch (l) { case RED: return "stop"; case GREEN: return "go"; } return "?"; }
    static int hashClash(String s) { switch (s) { case "Aa": return 1; case "BB": return 2; case "AaBB": return 3; case "BBAa": return 4; default: return 0; } }
    static <T extends Comparable<? super T>> T most(Collection<? extends T> all) { Iterator<? extends T> i = all.iterator(); T best = i.next(); while (i.hasNext()) { T next = i.next(); if (next.compareTo(best) > 0) best = next; } return best; }
    @SafeVarargs static <T> List<T> listOf(T... all) { return new ArrayList<>(Arrays.asList(all)); }
    static String bits(float f, double d) { return Integer.toHexString(Float.floatToIntBits(f)) + Long.toHexString(Double.doubleToLongBits(d)); }
    class Inner { int v = instance; class Deep { int w = v + instance; int both() { return w + v + Odd.this.instance; } } }
    static Supplier<Integer> counterFrom(int start) { int[] at = {start}; return () -> at[0]++; }
    static Function<Integer, Function<Integer, Integer>> curried = a -> b -> a * 10 + b;
    static Runnable recursive(int n) { class Local implements Runnable { final int depth; Local(int d) { depth = d; } public void run() { if (depth > 0) new Local(depth - 1).run(); else log("deep " + n); } } return new Local(n); }
    public static void main(String[] args) throws Exception {
        System.out.println(new Odd().instance + " " + new Odd(5).instance);
        System.out.println(First.value + " " + Second.value);
        for (int i = 0; i < 2; i++) try { System.out.println(Bad.get()); } catch (ExceptionInInitializerError | NoClassDefFoundError e) { System.out.println(e.getClass().getSimpleName() + (e.getCause() == null)); }
        System.out.println(new Both().who() + A.stat() + A.K);
        Base<String> d = new Derived("d"); System.out.println(d.get() + d.clash(1) + d.over(null == d ? "x" : (Object) "y") + d.over("z") + d.over() + d.over(1, 2) + ((Base) d).over(3));
        System.out.println(Op.ADD.use(3, 4) + " " + Op.valueOf("SHL").use(3, 33) + " " + Op.used + " " + Op.SHL.getClass() + " " + Op.SHL.getDeclaringClass().getSimpleName());
        System.out.println(light(Light.RED) + light(Light.GREEN) + Light.GREEN.next() + new EnumMap<>(Map.of(Light.RED, 1)) + EnumSet.complementOf(EnumSet.of(Light.RED)));
        System.out.println(finals(0) + " " + finals(1) + " " + finals(2) + " " + finals(3) + " " + counter + " " + nested(8));
        System.out.println(locked(6)); try { locked(0); } catch (UnsupportedOperationException e) { System.out.println(e.getMessage()); }
        try { overflow(1); System.out.println("wrapped?"); } catch (StackOverflowError e) { System.out.println("overflow"); }
        System.out.println(hashClash("Aa") + "" + hashClash("BB") + hashClash("AaBB") + hashClash("BBAa") + hashClash("C#"));
        System.out.println(most(listOf(3, 9, 4)) + most(listOf("p", "zz", "q")));
        byte b = (byte) 200; short s = (short) 70000; char c = (char) 65601; int i = Integer.MIN_VALUE; long l = Long.MIN_VALUE; float f = 16777217f; double x = 0.1 + 0.2;
        b >>>= 1; s += 1.7; c++; i = -i; l = Math.abs(l); f++; System.out.println(b + " " + s + " " + c + " " + i + " " + l + " " + f + " " + x + " " + (int) Double.NaN + " " + (long) 1e30 + " " + (byte) 300.7 + " " + 7 / -2 + " " + 7 % -2 + " " + -7.5 % 2 + " " + (1 << 33) + " " + (1L << 33) + " " + (-8 >>> 28) + " " + (5 & 3 | 4 ^ 1) + " " + ~7);
        System.out.println(bits(-0f, Double.NaN) + (0.0 == -0.0) + Double.valueOf(0.0).equals(-0.0) + (Double.NaN == Double.NaN) + Float.compare(Float.NaN, 1) + Math.min(-0.0, 0.0) + 1 / 0.0);
        Integer p = 127, q = 127, r = 1000, t = 1000; System.out.println((p == q) + " " + (r.equals(t)) + " " + (r <= t && r >= t));
        String u = "he" + "llo", v = "hel"; System.out.println((u == "hello") + " " + ((v + "lo") == u) + " " + ((v + "lo").intern() == u));
        Object[] objects = new String[1]; try { objects[0] = 1; } catch (ArrayStoreException e) { System.out.println(e.getMessage()); }
        try { Object o = "s"; Integer n = (Integer) o; } catch (ClassCastException e) { System.out.println("cast"); }
        try { int[] neg = new int[-1]; } catch (NegativeArraySizeException e) { System.out.println(e.getMessage()); }
        try { Boolean flag = null; if (flag) log("never"); } catch (NullPointerException e) { System.out.println("null"); }
        try { int[] none = null; none[0]++; } catch (NullPointerException e) { System.out.println("none"); }
        try { System.out.println(new int[2][3][1].length + " " + (new int[2][][])[0].length); } catch (RuntimeException e) { System.out.println(e.getClass()); }
        int[] arr = {1, 2, 3}; int k = 0; arr[k++] = arr[k] + k++; arr[k] += k = 1; System.out.println(Arrays.toString(arr) + k);
        Odd odd = new Odd(1); Odd.Inner.Deep deep = odd.new Inner().new Deep(); odd.instance = 1; System.out.println(deep.both());
        Supplier<Integer> count = counterFrom(7); count.get(); System.out.println(count.get() + " " + curried.apply(4).apply(2) + " " + ((Function<Integer, Integer>) z -> z + 1).andThen(z -> z * 2).compose((Integer z) -> z - 3).apply(10));
        recursive(3).run();
        label: for (int m = 0; ; m++) { for (int n = 0; n < 4; n++) { if (m * n == 6) { System.out.println(m + "x" + n); break label; } if (n > m) continue label; } }
        StringBuilder sb = new StringBuilder(); do { sb.append(sb.length() % 3 == 0 ? "ab" : 'c').append(1.5f).append((Object) null).append(new char[] {'x'}); } while (sb.length() < 40); sb.deleteCharAt(2).replace(0, 3, "ZZ").setCharAt(1, 'Y'); System.out.println(sb.indexOf("null") + " " + sb);
        assert counter < 0 : "not on"; var anon = new Object() { int hidden = 3; int twice() { return hidden * 2; } }; anon.hidden = 8; System.out.println(anon.twice());
        long bitsum = 0; for (long w = 1; w != 0; w <<= 7) bitsum += Long.bitCount(w * 0x123456789L) + Long.numberOfTrailingZeros(w); System.out.println(bitsum + " " + Integer.reverse(6) + " " + Integer.toString(255, 2) + " " + Character.getNumericValue('z') + " " + Integer.parseUnsignedInt("4294967295"));
        char[][] board = new char[3][3]; for (char[] row : board) Arrays.fill(row, '.'); board[1][2] = 'X'; for (char[] row : board) System.out.println(new String(row)); System.out.println(Arrays.asList(1, 2).hashCode() + " " + Objects.hash(1, "a", null) + " " + Arrays.hashCode(new double[] {1.5}) + " " + "x".compareTo("abc") + " " + new int[0].equals(new int[0]));
        Thread.currentThread().setUncaughtExceptionHandler((th, e) -> System.out.println("uncaught " + e.getMessage() + " " + e.getSuppressed().length)); Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("hook " + counter)));
        RuntimeException last = new RuntimeException("last"); last.addSuppressed(new Exception("quiet")); throw last;
    }
}
