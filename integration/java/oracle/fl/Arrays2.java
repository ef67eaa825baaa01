package fl;

import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import truth.T;

/** Arrays, and writes by code outside the scope. */
final class Arrays2 {

    int hidden;

    static void multi() {
        T.in("multi");
        int[][] m = new int[2][3]; T.n(m); T.n(m[0]); T.n(m[1]); T.l("m", m);
        m[1][2] = 4; T.a(m[1], 2, 4);
        m[0] = m[1]; T.a(m, 0, m[0]);
        m[0][0]++; T.a(m[0], 0, 1);
        T.r();
    }

    static void jagged() {
        T.in("jagged");
        long[][] j = new long[3][]; T.n(j); T.l("j", j);
        j[1] = new long[] {5, 6}; T.n(j[1]); T.a(j[1], 0, 5L); T.a(j[1], 1, 6L); T.a(j, 1, j[1]);
        String[][] s = {{"a"}, {}}; T.n(s); T.n(s[0]); T.a(s[0], 0, "a"); T.a(s, 0, s[0]); T.n(s[1]); T.a(s, 1, s[1]); T.l("s", s);
        T.r();
    }

    static void kinds() {
        T.in("kinds");
        byte[] b = new byte[2]; T.l("b", b);
        b[1] = (byte) 200; T.a(b, 1, b[1]);
        char[] c = new char[1]; T.l("c", c);
        c[0] = 'z'; T.a(c, 0, 'z');
        short[] s = new short[1]; T.l("s", s);
        s[0] = (short) -40000; T.a(s, 0, s[0]);
        float[] f = new float[1]; T.l("f", f);
        f[0] = 1.25f; T.a(f, 0, 1.25f);
        double[] d = new double[1]; T.l("d", d);
        d[0] = -0.5; T.a(d, 0, -0.5);
        boolean[] z = new boolean[1]; T.l("z", z);
        z[0] = true; T.a(z, 0, true);
        Object[] o = new Object[2]; T.l("o", o);
        o[0] = o; T.a(o, 0, o);
        o[1] = null; T.a(o, 1, null);
        T.r();
    }

    static void outside() {
        T.in("outside");
        int[] x = {3, 1, 2}; T.a(x, 0, 3); T.a(x, 1, 1); T.a(x, 2, 2); T.l("x", x);
        Arrays.sort(x); T.a(x, 0, 1); T.a(x, 1, 2); T.a(x, 2, 3);
        int[] y = new int[3]; T.l("y", y);
        System.arraycopy(x, 1, y, 0, 2); T.a(y, 0, 2); T.a(y, 1, 3);
        Arrays.fill(y, 8); T.a(y, 0, 8); T.a(y, 1, 8); T.a(y, 2, 8);
        int[] z = x.clone(); T.l("z", z);
        z[0] = 5; T.a(z, 0, 5);
        T.r();
    }

    static void reflective() throws Exception {
        T.in("reflective");
        Arrays2 a = new Arrays2(); T.in("<init>"); T.r(); T.l("a", a);
        Field f = Arrays2.class.getDeclaredField("hidden"); T.l("f", f);
        f.setInt(a, 5); T.f(a, "hidden", 5);
        T.r();
    }

    static int shared;

    /** Arrays behind objects that were made of them, and a static that no instruction of ours writes. */
    static void behind() throws Exception {
        T.in("behind");
        String[] names = new String[2]; T.l("names", names);
        names[0] = "a"; T.a(names, 0, "a");
        names[1] = "b"; T.a(names, 1, "b");
        List<String> list = Arrays.asList(names); T.l("list", list);
        list.set(0, "z"); T.a(names, 0, "z");
        List<String> part = list.subList(0, 2); T.l("part", part);
        Collections.reverse(part); T.a(names, 0, "b"); T.a(names, 1, "z");
        byte[] bytes = new byte[2]; T.l("bytes", bytes);
        ByteBuffer buffer = ByteBuffer.wrap(bytes); T.l("buffer", buffer);
        buffer.put((byte) 7); T.a(bytes, 0, (byte) 7);
        int seven = bytes[0]; T.l("seven", seven);
        Field f = Arrays2.class.getDeclaredField("shared"); T.l("f", f);
        f.setInt(null, 99); T.s("fl.Arrays2.shared", 99);
        int now = shared; T.l("now", now);
        T.r();
    }

    static void varargs() {
        T.in("varargs");
        int n = count("a", "b"); T.r(2); T.l("n", n);
        T.r();
    }

    private static int count(String... all) {
        T.n(all); T.a(all, 0, "a"); T.a(all, 1, "b");
        T.in("count", all);
        return all.length;
    }
}
