//! Classes of all kinds: enums, inner, local and anonymous ones, generics with bridges, interfaces with defaults.

use super::super::maker::Maker;
use super::text::constructor;

/// An enum with a field and a body, in a `switch`, a map and a set.
pub(super) fn enums(make: &mut Maker) {
    let name = format!("E{}", make.number());
    for method in ["values", "valueOf", "<clinit>"] {
        make.generated.insert(format!("{name}.{method}"));
    }
    let cost = make.member(
        &name,
        "",
        Some("int"),
        "cost",
        &[("int", "x")],
        "v += x; §this.v\nreturn v * 2;\n",
    );
    let text = format!(
        "LOW(1), MIDDLE(5), HIGH(9);\nint v;\n{name}(int v) {{\n«+final int d$ = T.in(\"@.{name}\", \"<init>\", this, (Object) v);»\nthis.v = v; §this.v\n«+T.r(d$);»\n}}\n"
    );
    make.beside(&format!("enum {name}"), &text, vec![cost]);
    let place = make.number();
    let text = match make.random.below(2) {
        0 => format!(
            "{name} e = {name}.values()[(n & 0x7fff) % 3]; §e\nint r = e.cost(n & 7); §r\nswitch («+T.sw({place}, »e«+, 0, 1, 2, 2)») {{\ncase LOW:\nr += 1; §r\nbreak;\ncase HIGH:\nr += 2; §r\nbreak;\ndefault:\nr += 3; §r\n}}\nr += {name}.valueOf(\"LOW\").ordinal() + e.name().length(); §r\nreturn r;\n"
        ),
        _ => format!(
            "EnumMap<{name}, Integer> m = new EnumMap<>({name}.class); §m\nm.put({name}.HIGH, n);\nm.put({name}.LOW, 2);\nint r = 0; §r\n«-for ({name} e : m.keySet()) {{»«+for (Iterator<{name}> i# = m.keySet().iterator(); T.b({place}, i#.hasNext()); ) {{ {name} e = T.l(\"e\", i#.next());»\nr = r * 31 + m.get(e); §r\n}}\ntry ⦃\nr += {name}.valueOf(\"NONE\").ordinal(); §r\n⦄ catch (IllegalArgumentException x) ⦅\nr++; §r\n}}\nreturn r;\n"
        ),
    };
    make.family_method("enumerated", &text, 50);
}

/// A class inside an object, one inside a method, one without a name: they see what is around them.
pub(super) fn inner(make: &mut Maker) {
    let name = format!("O{}", make.number());
    let around = make.random.below(3);
    let body = match around {
        0 => "Inner i = ⟪new Inner(x)⟫; §i\ni.more();\nreturn i.k + v;\n",
        1 => {
            "final int c = x * 2; §c\nclass Local {\nint z;\nLocal(int w) {\nsuper();«+ final int e# = T.in(T.name(Local.class), \"<init>\", T.class, (Object) w);»\nthis.z = w + c; §this.z\nv++;«+ T.f(@O.this, \"v\", v); T.r(e#);»\n}\n}\nLocal l = ⟪new Local(3)⟫; §l\nreturn l.z + v;\n"
        }
        _ => {
            "final int c = x + 1; §c\nIntSupplier s = ⟪new IntSupplier() {\npublic int getAsInt() {\n«+final int e# = T.in(T.name(this.getClass()), \"getAsInt\", this);»\nv += c;«+ T.f(@O.this, \"v\", v); T.r(e#, v);»\nreturn v;\n}\n}⟫; §s\nreturn s.getAsInt() + s.getAsInt();\n"
        }
    };
    let body = body.replace("@O", &name);
    if around == 2 {
        // Its constructor is not in any source.
        make.generated.insert(format!("{name}$1.<init>"));
    }
    let run = make.member(&name, "", Some("int"), "run", &[("int", "x")], &body);
    let text = format!(
        "int v;\n{}class Inner {{\nint k;\nInner(int k) {{\nsuper();«+ final int d$ = T.in(\"@.{name}$Inner\", \"<init>\", this, (Object) k);»\nthis.k = k + v; §this.k\n«+T.r(d$);»\n}}\nvoid more() {{\n«+final int d$ = T.in(\"@.{name}$Inner\", \"more\", this);»\nk++; §this.k\nv += k;«+ T.f({name}.this, \"v\", v); T.r(d$);»\n}}\n}}\n",
        constructor(&name)
    );
    make.beside(&format!("class {name}"), &text, vec![run]);
    let text = format!(
        "{name} o = ⟪new {name}()⟫; §o\nint r = o.run(n & 15); §r\nr += o.run(2); §r\nreturn r;\n"
    );
    make.family_method("inner", &text, 40);
}

/// A generic interface and class, whose implementation has bridges; a default method.
pub(super) fn generics(make: &mut Maker) {
    let number = make.number();
    let (interface, class) = (format!("G{number}"), format!("Ga{number}"));
    let twice = make.member(
        &interface,
        "default",
        Some("K"),
        "twice",
        &[("K", "x")],
        "return apply(apply(x));\n",
    );
    make.beside(
        &format!("interface {interface}<K extends Comparable<K>>"),
        "K apply(K x);\n",
        vec![twice],
    );
    let apply = make.member(
        &class,
        "public",
        Some("Integer"),
        "apply",
        &[("Integer", "x")],
        "k++; §this.k\nreturn x + k;\n",
    );
    make.beside(
        &format!("class {class} implements {interface}<Integer>"),
        &format!("int k;\n{}", constructor(&class)),
        vec![apply],
    );
    make.bridges.insert((
        class.clone(),
        "apply".into(),
        "(Ljava/lang/Comparable;)Ljava/lang/Comparable;".into(),
    ));
    let text = format!(
        "{interface}<Integer> g = ⟪new {class}()⟫; §g\nint r = g.apply(n); §r\nr += g.twice(3); §r\nreturn r;\n"
    );
    make.family_method("generic", &text, 40);
}
