//! Code that the JDK calls back: comparators, iterators, streams, and what generics make of it.

use super::super::maker::Maker;
use super::text::constructor;

/// A comparator of the program: the JDK calls its bridge.
pub(super) fn comparators(make: &mut Maker) {
    let class = format!("C{}", make.number());
    let compare = make.member(
        &class,
        "public",
        Some("int"),
        "compare",
        &[("Integer", "x"), ("Integer", "y")],
        "int r = x - y; §r\nreturn ⟦r > 0⟧ ? 1 : ⟦r == 0⟧ ? 0 : -1;\n",
    );
    make.beside(
        &format!("final class {class} implements Comparator<Integer>"),
        &constructor(&class),
        vec![compare],
    );
    make.bridges.insert((
        class.clone(),
        "compare".into(),
        "(Ljava/lang/Object;Ljava/lang/Object;)I".into(),
    ));
    let text = match make.random.below(3) {
        0 => format!(
            "List<Integer> l = new ArrayList<>(); §l\nl.add(n);\nl.add(2);\nl.add(1);\nl.sort(new {class}());\nreturn l.get(0);\n"
        ),
        1 => format!(
            "Integer[] a = ⟪=new Integer[] {{n, 2, 1}}⟫; §a\n«+Object[] h# = T.held(a);»\nArrays.sort(a, new {class}().reversed());«+ T.changed(a, h#);»\nreturn a[0];\n"
        ),
        _ => format!(
            "TreeSet<Integer> t = new TreeSet<>(new {class}()); §t\nt.add(n);\nt.add(3);\nt.add(3);\nint r = t.first() + t.size(); §r\nreturn r;\n"
        ),
    };
    make.family_method("sort", &text, 50);
}

/// Lambdas in streams and maps.
pub(super) fn streams(make: &mut Maker) {
    let twice = make.lambda("x", "Integer", "x * 2 + n");
    let odd = make.lambda("x", "boolean", "⟦(x & 1) == 0⟧");
    let add = make.lambda("x, y", "Integer", "x + y");
    let text = match make.random.below(4) {
        0 => format!(
            "List<Integer> l = Arrays.asList(1, 2, 3, n); §l\nint r = l.stream().map({twice}).filter({odd}).reduce(0, {add}); §r\nreturn r;\n"
        ),
        1 => format!(
            "Map<Integer, Integer> m = new HashMap<>(); §m\nint r = m.computeIfAbsent(n, {twice}); §r\nr += m.merge(n, 5, {add}); §r\nreturn r;\n"
        ),
        2 => format!(
            "Function<Integer, Integer> f = {twice}; §f\nFunction<Integer, Integer> g = f.andThen(f).compose(f); §g\nint r = g.apply(n); §r\nr += f.apply(r); §r\nreturn r;\n"
        ),
        _ => format!(
            "Optional<Integer> o = Optional.of(n).map({twice}).filter({odd}); §o\nint r = o.orElse(-1); §r\nreturn r;\n"
        ),
    };
    make.family_method("stream", &text, 60);
}

/// An `Iterable` of the program, in a `for` and in the JDK.
pub(super) fn iterators(make: &mut Maker) {
    let class = format!("I{}", make.number());
    let has = make.member(
        &class,
        "public",
        Some("boolean"),
        "hasNext",
        &[],
        "return ⟦at < 3⟧;\n",
    );
    let next = make.member(
        &class,
        "public",
        Some("String"),
        "next",
        &[],
        "at++; §this.at\nif (⟦at == 9⟧) {\nthrow «+T.th(»new NoSuchElementException()«+)»;\n}\nreturn \"i\" + at;\n",
    );
    let iterator = make.member(
        &class,
        "public",
        Some("Iterator<String>"),
        "iterator",
        &[],
        "at = 0; §this.at\nreturn this;\n",
    );
    make.beside(
        &format!("final class {class} implements Iterable<String>, Iterator<String>"),
        &format!("int at;\n{}", constructor(&class)),
        vec![has, next, iterator],
    );
    make.bridges
        .insert((class.clone(), "next".into(), "()Ljava/lang/Object;".into()));
    let add = make
        .lambda("s", "void", "l.add(s)")
        .replace("{ l.add(s) }", "{ l.add(s); }");
    let text = match make.random.below(2) {
        0 => format!(
            "int r = n; §r\n{class} c = ⟪new {class}()⟫; §c\n«-for (String s : c) {{»«+for (Iterator<String> i# = c.iterator(); T.b(77#, i#.hasNext()); ) {{ String s = T.l(\"s\", i#.next());»\nr = r * 31 + s.length(); §r\n}}\nreturn r;\n"
        ),
        _ => format!(
            "List<String> l = new ArrayList<>(); §l\n{class} c = ⟪new {class}()⟫; §c\nc.forEach({add});\nint r = String.join(\",\", c).length(); §r\nreturn r + l.size();\n"
        ),
    };
    make.family_method("iterate", &text, 50);
}
