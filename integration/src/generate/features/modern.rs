//! What later versions of the language brought: records, switches over patterns, sealed classes, `var`.

use super::super::maker::Maker;

/// A record with a canonical constructor and accessors that are written out. Components: type, name.
fn record(make: &mut Maker, name: &str, interfaces: &str, components: &[(&str, &str)]) {
    let package = make.package.clone();
    let list = |each: &dyn Fn(&str, &str) -> String, between: &str| {
        let all: Vec<String> = components.iter().map(|(of, name)| each(of, name)).collect();
        all.join(between)
    };
    let head = list(&|of, name| format!("{of} {name}"), ", ");
    let told = list(&|_, name| format!(", (Object) {name}"), "");
    let writes = list(
        &|_, name| format!("this.{name} = {name}; §this.{name} "),
        "\n",
    );
    let text = format!(
        "public {name}({head}) {{\n«+final int d$ = T.in(\"{package}.{name}\", \"<init>\", this{told});»\n{writes}\n«+T.r(d$);»\n}}\n"
    );
    let accessors = components
        .iter()
        .map(|(of, field)| {
            let body = format!("return this.{field};\n");
            make.member(name, "public", Some(of), field, &[], &body)
        })
        .collect();
    make.beside(
        &format!("record {name}({head}){interfaces}"),
        &text,
        accessors,
    );
}

/// Records, their accessors, equality and texts.
pub(super) fn records(make: &mut Maker) {
    let name = format!("P{}", make.number());
    record(make, &name, "", &[("int", "a"), ("String", "b")]);
    let generated = ["equals", "hashCode", "toString"];
    for method in generated {
        make.generated.insert(format!("{name}.{method}"));
    }
    let text = format!(
        "{name} p = ⟪new {name}(n, \"b\")⟫; §p\n{name} q = ⟪new {name}(p.a(), p.b() + \"c\")⟫; §q\nint r = p.a() + q.b().length(); §r\nboolean e = p.equals(q); §e\nString t = q.toString(); §t\nr += t.length() + (⟦e⟧ ? 1 : 0); §r\nr += new HashSet<{name}>(Arrays.asList(p, q)).size(); §r\nreturn r;\n"
    );
    make.family_method("record", &text, 50);
}

/// `switch` with arrows, over numbers, and `instanceof` with a variable.
pub(super) fn switch_expressions(make: &mut Maker) {
    let places = (make.number(), make.number());
    let text = format!(
        "int r = switch («+T.sw({}, »n & 7«+, 0, 1, 1, 1, 5, 2)») {{\ncase 0, 1 -> n + 1;\ncase 5 -> {{\nint k = n * 2; §k\nyield k + 1;\n}}\ndefault -> -n;\n}}; §r\nObject o = ⟦(r & 1) == 0⟧ ? (Object) \"even\" : (Object) Integer.valueOf(r); §o\nif («+T.b({}, »o instanceof String«+)») {{\nString s = (String) o; §s\nr += s.length(); §r\n}} else {{\nvar k = (Integer) o; §k\nr -= k; §r\n}}\nreturn r;\n",
        places.0, places.1
    );
    make.family_method("arrows", &text, 24);
}

/// `switch` over types, records in pieces, guards, a sealed interface. Javac makes loops of it that no source shows.
pub(super) fn patterns(make: &mut Maker) {
    let number = make.number();
    let (sealed, p, q) = (
        format!("Q{number}"),
        format!("Qa{number}"),
        format!("Qb{number}"),
    );
    make.beside(
        &format!("sealed interface {sealed} permits {p}, {q}"),
        "",
        vec![],
    );
    let interfaces = format!(" implements {sealed}");
    // With two components, javac sets the first variable between the two accessors' calls, where no source stands.
    record(make, &p, &interfaces, &[("int", "a")]);
    record(make, &q, &interfaces, &[("Object", "b")]);
    let method = format!("pattern{}", make.methods.len());
    make.untold_edges.insert(format!("Main.{method}"));
    let text = format!(
        "Object o = (n & 3) == 0 ? (Object) ⟪new {p}(n)⟫ : (n & 3) == 1 ? (Object) ⟪new {q}(\"inner\")⟫ : (n & 3) == 2 ? (Object) Integer.valueOf(n) : (Object) \"text\"; §o\nint r = switch (o) {{\ncase {p} p when «+T.l(\"p\", »p«+)».a() > 3 -> p.a();\ncase {p}(int a) -> {{«+ T.w(\"a\", a);»\nyield a + 1;\n}}\ncase {q}(Object b) -> {{«+ T.w(\"b\", b);»\nyield b.hashCode();\n}}\ncase Integer i when «+T.l(\"i\", »i«+)» > 100 -> i;\ncase Integer i -> {{«+ T.w(\"i\", i);»\nyield -i;\n}}\ncase String s -> {{«+ T.w(\"s\", s);»\nyield s.length();\n}}\ndefault -> 0;\n}}; §r\nreturn r;\n"
    );
    make.family_method("pattern", &text, 30);
}
