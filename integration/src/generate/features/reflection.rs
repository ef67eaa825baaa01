//! Reflection, handles, serialisation: the JDK calls, reads and writes what the program declares.

use super::super::maker::Maker;
use super::text::constructor;

/// `Field.set`, `Method.invoke`, `Constructor.newInstance`, `Array.set`.
pub(super) fn reflection(make: &mut Maker) {
    let class = format!("R{}", make.number());
    let half = make.member(
        &class,
        "",
        Some("int"),
        "half",
        &[("int", "x")],
        "if (⟦x < 0⟧) {\nthrow «+T.th(»new IllegalArgumentException(\"half\")«+)»;\n}\nv += x; §this.v\nreturn v / 2;\n",
    );
    let fields = format!("int v;\nstatic int s;\nlong w;\n{}", constructor(&class));
    make.beside(&format!("class {class}"), &fields, vec![half]);
    let text = match make.random.below(4) {
        0 => format!(
            "{class} o = ⟪new {class}()⟫; §o\nField f = {class}.class.getDeclaredField(\"v\"); §f\nf.setInt(o, n);«+ T.changedField(o, \"v\", o.v);»\nint r = o.v; §r\nField g = {class}.class.getDeclaredField(\"w\"); §g\ng.set(o, 5L);«+ T.changedField(o, \"w\", o.w);»\nr += (int) o.w; §r\nField h = {class}.class.getDeclaredField(\"s\"); §h\nh.setInt(null, r);«+ T.changedStatic(\"@.{class}.s\", {class}.s);»\nr += {class}.s; §r\nreturn r;\n"
        ),
        1 => format!(
            "{class} o = ⟪new {class}()⟫; §o\nMethod m = {class}.class.getDeclaredMethod(\"half\", int.class); §m\nint r = 0; §r\ntry ⦃\nr = (Integer) m.invoke(o, n); §r\nr += (Integer) m.invoke(o, -1); §r\n⦄ catch (InvocationTargetException e) ⦅\nr += e.getCause() instanceof IllegalArgumentException«+ | T.b(1#, e.getCause() instanceof IllegalArgumentException)» ? 10 : 20; §r\n}}\nreturn r + o.v;\n"
        ),
        2 => format!(
            "Object o = {class}.class.getDeclaredConstructor().newInstance(); §o\n{class} c = ({class}) o; §c\nc.v = n; §c.v\nint r = c.half(n & 7); §r\nreturn r;\n"
        ),
        _ => "int[] a = (int[]) Array.newInstance(int.class, 3); §a\n«+Object[] h# = T.held(a);»\nArray.setInt(a, 1, n);«+ T.changed(a, h#);»\nint r = a[1]; §r\na[0] = r; §a[0]\nr += Array.getInt(a, 0); §r\nreturn r;\n".into(),
    };
    make.family_method_that_throws("reflect", "Exception", &text, 30);
}

/// `MethodHandle`s of the program's methods and fields.
pub(super) fn method_handles(make: &mut Maker) {
    let class = format!("H{}", make.number());
    let add = make.member(
        &class,
        "static",
        Some("int"),
        "add",
        &[("int", "x"), ("int", "y")],
        "int z = x + y; §z\nreturn z;\n",
    );
    make.beside(
        &format!("class {class}"),
        &format!("int v;\n{}", constructor(&class)),
        vec![add],
    );
    let look = "MethodHandles.Lookup l = MethodHandles.lookup(); §l";
    let text = match make.random.below(3) {
        0 => format!(
            "{look}\nMethodHandle m = l.findStatic({class}.class, \"add\", MethodType.methodType(int.class, int.class, int.class)); §m\nint r = (int) m.invokeExact(n, 3); §r\nMethodHandle b = MethodHandles.insertArguments(m, 0, 10); §b\nr += (int) b.invoke(n); §r\nreturn r;\n"
        ),
        1 => format!(
            "{look}\n{class} o = ⟪new {class}()⟫; §o\nMethodHandle s = l.findSetter({class}.class, \"v\", int.class); §s\ns.invokeExact(o, n);«+ T.changedField(o, \"v\", o.v);»\nMethodHandle g = l.findGetter({class}.class, \"v\", int.class); §g\nint r = (int) g.invokeExact(o); §r\nreturn r * 31 + o.v;\n"
        ),
        _ => format!(
            "{look}\nMethodHandle c = l.findConstructor({class}.class, MethodType.methodType(void.class)); §c\n{class} o = ({class}) c.invoke(); §o\no.v = n; §o.v\nreturn o.v + 1;\n"
        ),
    };
    make.family_method_that_throws("handle", "Throwable", &text, 30);
}

/// `VarHandle`s of fields, statics and elements.
pub(super) fn var_handles(make: &mut Maker) {
    let class = format!("V{}", make.number());
    let fields = format!("int v;\nstatic int s;\n{}", constructor(&class));
    make.beside(&format!("class {class}"), &fields, vec![]);
    let text = match make.random.below(3) {
        0 => format!(
            "{class} o = ⟪new {class}()⟫; §o\nVarHandle h = MethodHandles.lookup().findVarHandle({class}.class, \"v\", int.class); §h\nh.set(o, n);«+ T.changedField(o, \"v\", o.v);»\nint r = o.v; §r\nboolean b = h.compareAndSet(o, n, 7);«+ T.changedField(o, \"v\", o.v);» §b\nr += o.v; §r\nr += (int) h.getAndAdd(o, 2);«+ T.changedField(o, \"v\", o.v);» §r\nreturn r + o.v;\n"
        ),
        1 => format!(
            "VarHandle h = MethodHandles.lookup().findStaticVarHandle({class}.class, \"s\", int.class); §h\nh.setVolatile(n);«+ T.changedStatic(\"@.{class}.s\", {class}.s);»\nint r = {class}.s; §r\nreturn r;\n"
        ),
        _ => "int[] a = ⟪=new int[] {1, n, 3}⟫; §a\nVarHandle h = MethodHandles.arrayElementVarHandle(int[].class); §h\n«+Object[] k# = T.held(a);»\nh.set(a, 2, n + 1);«+ T.changed(a, k#); k# = T.held(a);»\nint r = a[2]; §r\nr += (int) h.getAndAdd(a, 1, 5);«+ T.changed(a, k#);» §r\nreturn r * 31 + a[1];\n".into(),
    };
    make.family_method_that_throws("varhandle", "Exception", &text, 24);
}

/// Objects of the program written to bytes and read again, some with `readObject` and `writeObject`.
pub(super) fn serialisation(make: &mut Maker) {
    let class = format!("S{}", make.number());
    let package = make.package.clone();
    let own = make.random.chance(60);
    let read = format!(
        "private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {{\n«+final int d$ = T.in(\"{package}.{class}\", \"readObject\", this, (Object) in); try {{»\nin.defaultReadObject();«+ T.mayField(this, \"arr\", arr); T.mayField(this, \"t\", t); T.mayField(this, \"s\", s); T.may(arr);»\narr[0] += 5; §this.arr[0]\nt = 7; §this.t\n«+}} catch (Throwable t$) {{ T.x(d$, t$); throw t$; }} T.r(d$);»\n}}\n\
         private void writeObject(ObjectOutputStream out) throws IOException {{\n«+final int d$ = T.in(\"{package}.{class}\", \"writeObject\", this, (Object) out); try {{»\nout.defaultWriteObject();\nt++; §this.t\n«+}} catch (Throwable t$) {{ T.x(d$, t$); throw t$; }} T.r(d$);»\n}}\n"
    );
    let fields = format!(
        "int[] arr;\nint t;\nString s;\n{class}(int v) {{\nsuper();«+ final int d$ = T.in(\"@.{class}\", \"<init>\", this, (Object) v);»\nthis.arr = ⟪=new int[] {{v, 2}}⟫; §this.arr\nthis.t = v; §this.t\nthis.s = \"s\" + v; §this.s\n«+T.r(d$);»\n}}\n{}",
        if own { read } else { String::new() }
    );
    make.beside(
        &format!("class {class} implements Serializable"),
        &fields,
        vec![],
    );
    let may = if own {
        ""
    } else {
        "T.mayField(c, \"arr\", c.arr); T.mayField(c, \"t\", c.t); T.mayField(c, \"s\", c.s); T.may(c.arr);"
    };
    let text = format!(
        "ByteArrayOutputStream b = new ByteArrayOutputStream(); §b\nObjectOutputStream w = new ObjectOutputStream(b); §w\n{class} a = ⟪new {class}(n)⟫; §a\nw.writeObject(a);\nw.close();\nObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(b.toByteArray())); §in\n{class} c = ({class}) in.readObject();«+ {may}» §c\nint x = c.arr[0]; §x\nx = x * 31 + c.t; §x\nx += c.s.length(); §x\nc.arr[1] = x; §c.arr[1]\nreturn x + c.arr[1] + a.t;\n"
    );
    make.family_method_that_throws("serial", "Exception", &text, 40);
}

/// Fields that classes of the JDK declare, written by the program.
pub(super) fn foreign_fields(make: &mut Maker) {
    let class = format!("L{}", make.number());
    let get = make.member(
        &class,
        "public",
        Some("Integer"),
        "get",
        &[("int", "i")],
        "return d[i];\n",
    );
    let size = make.member(&class, "public", Some("int"), "size", &[], "return k;\n");
    let put = make.member(
        &class,
        "",
        None,
        "put",
        &[("int", "v")],
        "d[k] = v; §this.d[k]\nk++; §this.k\nmodCount++; §this.modCount\n",
    );
    make.beside(
        &format!("class {class} extends AbstractList<Integer>"),
        &format!("Integer[] d;\nint k;\n{class}() {{\nsuper();«+ final int d$ = T.in(\"@.{class}\", \"<init>\", this);»\nthis.d = ⟪new Integer[4]⟫; §this.d\n«+T.r(d$);»\n}}\nint mods() {{\n«-return modCount;»«+int d$ = T.in(\"@.{class}\", \"mods\", this); T.r(d$, modCount); return modCount;»\n}}\n"),
        vec![get, size, put],
    );
    make.bridges
        .insert((class.clone(), "get".into(), "(I)Ljava/lang/Object;".into()));
    let text = format!(
        "{class} l = ⟪new {class}()⟫; §l\nl.put(n);\nl.put(4);\nint r = l.mods(); §r\nr = r * 31 + l.indexOf(4); §r\njava.util.concurrent.atomic.AtomicInteger a = new java.util.concurrent.atomic.AtomicInteger(r); §a\nr += a.incrementAndGet(); §r\nStreamTokenizer p = new StreamTokenizer(new StringReader(\"7 x\")); §p\np.nval = n; §p.nval\nr += (int) p.nval; §r\nreturn r;\n"
    );
    make.family_method("foreign", &text, 40);
}
