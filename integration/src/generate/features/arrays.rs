//! Arrays that the JDK writes, holds and gives back.

use super::super::maker::Maker;

/// `System.arraycopy`: within one array, between two, of wrong lengths, and failing half-way.
pub(super) fn copies(make: &mut Maker) {
    let (from, to, length) = (
        make.random.below(4),
        make.random.below(4),
        make.random.below(6),
    );
    let text = match make.random.below(3) {
        0 => format!(
            "int[] a = ⟪=new int[] {{n, 2, 3, 4, 5}}⟫; §a\nint r = 0; §r\n«+Object[] h# = T.held(a); try {{»try ⦃\nSystem.arraycopy(a, {from}, a, {to}, {length});\n⦄ catch (IndexOutOfBoundsException e) ⦅\nr = 1; §r\n}}«+}} finally {{ T.changed(a, h#); }}»\nr = r * 31 + a[{to}]; §r\nr = r * 31 + a[4]; §r\nreturn r;\n"
        ),
        1 => format!(
            "Object[] a = ⟪=new Object[] {{\"a\", \"b\", n, \"c\"}}⟫; §a\nString[] b = ⟪new String[4]⟫; §b\nint r = 0; §r\ntry ⦃\n«+Object[] h# = T.held(b); try {{»System.arraycopy(a, 0, b, {}, {});«+}} finally {{ T.changed(b, h#); }}»\n⦄ catch (ArrayStoreException | IndexOutOfBoundsException e) ⦅\nr = 1; §r\n}}\nfor (int i = «+T.l(\"i\", »0«+)»; ⟦i < 4⟧; i++«+, T.w(\"i\", i)») {{\nif (⟦b[i] != null⟧) {{\nr += i + 1; §r\n}}\n}}\nreturn r;\n",
            make.random.below(2),
            make.random.between(2, 3),
        ),
        _ => "long[] a = ⟪=new long[] {n, -1L, Long.MIN_VALUE}⟫; §a\nlong[] b = ⟪new long[5]⟫; §b\n«+Object[] h# = T.held(b);»\nSystem.arraycopy(a, 0, b, 1, 3);«+ T.changed(b, h#); h# = T.held(b);»\nint r = (int) b[1]; §r\nSystem.arraycopy(b, 1, b, 2, 3);«+ T.changed(b, h#);»\nr += (int) (b[3] + b[4]); §r\nreturn r;\n"
            .to_owned(),
    };
    make.family_method("copy", &text, 30);
}

/// `Arrays.fill`, `sort`, `copyOf`, `clone`, several dimensions.
pub(super) fn helpers(make: &mut Maker) {
    let call = *make.random.pick(&[
        "Arrays.fill(a, n);",
        "Arrays.fill(a, 1, 3, n);",
        "Arrays.sort(a);",
        "Arrays.setAll(a, i -> 7);",
        "Arrays.parallelPrefix(a, Integer::sum);",
    ]);
    let call = match call.strip_suffix("i -> 7);") {
        Some(_) => {
            let lambda = make.lambda("i", "int", "i * n");
            format!("Arrays.setAll(a, {lambda});")
        }
        None => call.to_owned(),
    };
    let text = format!(
        "int[] a = ⟪=new int[] {{5, n, 3, -1}}⟫; §a\n«+Object[] h# = T.held(a);»\n{call}«+ T.changed(a, h#);»\nint[] b = a.clone(); §b\nb[0] = n; §b[0]\nint[][] m = ⟪new int[2][3]⟫;«+ T.n(m[0]); T.n(m[1]);» §m\nm[1][2] = b[1];«+ T.a(m[1], 2, m[1][2]);»\nm[0] = b; §m[0]\nint[] c = Arrays.copyOf(b, 2); §c\nint r = a[0] + b[0] + m[0][1] + m[1][2] + c[1]; §r\nreturn r;\n"
    );
    make.family_method("fill", &text, 30);
}

/// Arrays in collections, changed through them.
pub(super) fn kept(make: &mut Maker) {
    let write = make.lambda("q", "void", "q[0] = n + 7; §q[0]");
    let text = match make.random.below(5) {
        0 => format!(
            "int[] a = ⟪=new int[] {{1, n}}⟫; §a\nint[] b = ⟪=new int[] {{2}}⟫; §b\nArrays.asList(a, b).forEach({write});\nint r = a[0] * 31 + b[0]; §r\nint[] c = Arrays.asList(a, b).get(0); §c\nr += c[1]; §r\nreturn r;\n"
        ),
        1 => "int[] y = ⟪=new int[] {3, 1, 2, n}⟫; §y\nMap<String, int[]> m = new HashMap<>(); §m\nm.put(\"k\", y);\n«+Object[] h# = T.held(y);»\nm.values().stream().forEach(Arrays::sort);«+ T.changedByOne(y, h#);»\nint first = y[0]; §first\nint[] z = m.values().iterator().next(); §z\nreturn first * 31 + z[3];\n".into(),
        2 => "byte[] in; \njava.nio.ByteBuffer b = java.nio.ByteBuffer.allocate(4); §b\nin = b.array(); §in\n«+Object[] h# = T.held(in);»\nb.put(2, (byte) n);«+ T.changed(in, h#);»\nint x = in[2]; §x\nin[1] = 5; §in[1]\nx += ¶java.nio.ByteBuffer.x()¶; §x\nreturn x;\n"
            .replace("¶java.nio.ByteBuffer.x()¶", "b.get(1)"),
        3 => "List<int[]> l = new ArrayList<>(); §l\nint[] a = ⟪=new int[] {n}⟫; §a\nl.add(a);\nl.add(a);\nl.get(1)[0]++;«+ T.a(a, 0, a[0]);»\nint[] c = l.get(0); §c\nc[0] += 2; §c[0]\nint r = a[0]; §r\n«+Object[] h# = T.held(a);»\nl.forEach(e -> Arrays.fill(e, 4));«+ T.changed(a, h#);»\nreturn r * 31 + a[0];\n"
            .replace("l.forEach(e -> Arrays.fill(e, 4));", "Arrays.fill(l.remove(0), 4);"),
        _ => "Integer[] a = ⟪=new Integer[] {3, n, 1}⟫; §a\nList<Integer> l = Arrays.asList(a); §l\n«+Object[] h# = T.held(a);»\nl.set(0, 9);«+ T.changed(a, h#); h# = T.held(a);»\nint r = a[0]; §r\nCollections.swap(l, 0, 2);«+ T.changed(a, h#);»\nr = r * 31 + a[2]; §r\nObject[] o = l.toArray(⟪new Integer[3]⟫);«+ T.changed(o, new Object[3]);» §o\nreturn r + o.length;\n".into(),
    };
    make.family_method("kept", &text, 30);
}
