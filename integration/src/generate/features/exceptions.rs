//! Exceptions that come out of the JDK, or pass through it; class initialisers that throw.

use super::super::maker::Maker;

/// Thrown by the JDK's code, caught here.
pub(super) fn from_the_jdk(make: &mut Maker) {
    let bad = *make.random.pick(&[
        "Integer.parseInt(\"x\" + n)",
        "new ArrayList<Integer>().get(n & 7)",
        "\"abc\".charAt(5 + (n & 7))",
        "List.class.cast(Integer.valueOf(n)).size()",
        "Optional.empty().hashCode() / (n & 0)",
        "new ArrayDeque<Integer>().removeFirst()",
        "Objects.requireNonNull((Integer) null)",
        "new int[-1 - (n & 3)].length",
        "((Object[]) ⟪new String[1]⟫).length + Array.getInt(\"no array\", 0)",
    ]);
    let text = format!(
        "int r = n; §r\ntry ⦃\nr += {bad}; §r\n⦄ catch (RuntimeException e) ⦅\nr = r * 31 + 1; §r\n}} finally {{\nr++; §r\n}}\nreturn r;\n"
    );
    make.family_method("jdk", &text, 16);
}

/// Thrown by the program in a call from the JDK, caught by the program further out.
pub(super) fn through_the_jdk(make: &mut Maker) {
    let thrower = make.lambda(
        "x",
        "void",
        "if (⟦x > (n & 3)⟧) { throw «+T.th(»new IllegalStateException(\"x\" + x)«+)»; }",
    );
    let compared = make.lambda("x, y", "int", "x.intValue() / (n & 1) - y.intValue()");
    let text = match make.random.below(3) {
        0 => format!(
            "int r = n; §r\nList<Integer> l = Arrays.asList(1, 2, 3, 4); §l\ntry ⦃\nl.forEach({thrower});\nr++; §r\n⦄ catch (IllegalStateException e) ⦅\nr += 100; §r\n}}\nreturn r;\n"
        ),
        1 => format!(
            "int r = n; §r\nInteger[] l = {{3, 2, 1}};«+ T.all(l);» §l\ntry ⦃\n«+Object[] h# = T.held(l); try {{»Arrays.sort(l, {compared});«+}} finally {{ T.changed(l, h#); }}»\nr++; §r\n⦄ catch (ArithmeticException e) ⦅\nr += 100; §r\n}}\nreturn r;\n"
        ),
        _ => format!(
            "int r = n; §r\nMap<Integer, Integer> m = new TreeMap<>(); §m\ntry ⦃\nm.put(1, 2);\nm.put(2, 3);\nm.keySet().stream().forEach({thrower});\nr++; §r\n⦄ catch (RuntimeException e) ⦅\nr += 100; §r\n}} finally {{\nr += 7; §r\n}}\nreturn r;\n"
        ),
    };
    make.family_method("through", &text, 30);
}

/// A class whose static initialiser throws: at first an ExceptionInInitializerError, then a NoClassDefFoundError.
pub(super) fn initialisers_that_throw(make: &mut Maker) {
    let class = format!("F{}", make.number());
    let cause = *make.random.pick(&[
        "throw «+T.th(»new IllegalStateException(\"init\")«+)»;",
        "Integer.parseInt(\"no\");",
        "v = 1 / (v - 1); §=%.v",
    ]);
    let cause = cause.replace('%', &class);
    let static_text = format!(
        "static int v;\nstatic {{\n«+ final int d$ = T.in(\"@.{class}\", \"<clinit>\", T.class); try {{»\nv = 1; §={class}.v\nif (⟦v > 0⟧) {{\n{cause}\n}}\nv = 2; §={class}.v\n«+}} catch (Throwable t$) {{ T.x(d$, t$); throw t$; }} T.r(d$);»\n}}\n"
    );
    let get = make.member(&class, "static", Some("int"), "get", &[], "return v;\n");
    make.beside(&format!("class {class}"), &static_text, vec![get]);
    let text = format!(
        "int r = n; §r\ntry ⦃\nr += {class}.get(); §r\n⦄ catch (ExceptionInInitializerError e) ⦅\nr = 2; §r\n}} catch (NoClassDefFoundError e) ⦅\nr = 3; §r\n}}\nr = r + 5; §r\ntry ⦃\nr += {class}.v; §r\n⦄ catch (LinkageError e) ⦅\nr += 4; §r\n}}\nreturn r;\n"
    );
    make.family_method("clinit", &text, 24);
}
