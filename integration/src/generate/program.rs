//! A whole program: `Main` with its static fields and methods, the classes beside it, and `run`, which calls
//! everything and returns a number in which all results are.

use std::collections::BTreeSet;

use super::features;
use super::maker::Maker;
use super::node::{Node, Printing};
use super::types::{PRIMITIVES, Type};

/// A generated program.
#[derive(Clone, Debug)]
pub struct Program {
    /// What it was made from.
    pub seed: u64,
    /// `g.p12`.
    pub package: String,
    /// What families of features are in it.
    pub families: Vec<&'static str>,
    /// The source.
    pub source: Node,
    /// `g.p12.Main.f`: methods whose edges the source does not show.
    pub untold_edges: BTreeSet<String>,
    /// Class, method, descriptor of bridges.
    pub bridges: BTreeSet<(String, String, String)>,
    /// `Class.method` that javac writes: no source tells of them.
    pub generated: BTreeSet<String>,
}

impl Program {
    /// The program of a seed at a language level. Families that are named in `without` are left out.
    pub fn new(seed: u64, release: u32, without: &[&str]) -> Self {
        let mut make = Maker::new(seed, release);
        for _ in 0..make.random.between(0, 2) {
            make.class();
        }
        for _ in 0..make.random.between(1, 3) {
            make.static_method();
        }
        if make.random.chance(25) {
            make.recursive_method();
        }
        let families = features::add(&mut make, without);
        make.static_method();
        let source = whole(&mut make);
        let full = |name: &String| format!("{}.{name}", make.package);
        Self {
            seed,
            package: make.package.clone(),
            families,
            untold_edges: make.untold_edges.iter().map(full).collect(),
            generated: make.generated.iter().map(full).collect(),
            bridges: make
                .bridges
                .iter()
                .map(|(class, method, descriptor)| {
                    let path = make.package.replace('.', "/");
                    let descriptor = descriptor.replace('@', &path);
                    (full(class), method.clone(), descriptor)
                })
                .collect(),
            source,
        }
    }

    /// The text of `Main.java`.
    pub fn text(&self, printing: Printing) -> String {
        self.source.print(printing)
    }
}

fn whole(make: &mut Maker) -> Node {
    let package = make.package.clone();
    let head = Node::fixed(
        &format!(
            "package {package};\nimport java.util.*;\nimport java.util.function.*;\nimport java.lang.reflect.*;\nimport java.lang.invoke.*;\nimport java.io.*;\n«+import told.T;»\n"
        ),
        vec![],
    );
    let always = Node::list(vec![statics(make), cut(make)]);
    let members = Node::list(std::mem::take(&mut make.members));
    let run = run(make);
    let main = Node::fixed(
        "public final class Main {\n«0»«1»«2»}\n",
        vec![always, members, run],
    );
    let tops = Node::list(std::mem::take(&mut make.tops));
    Node::fixed("«0»«1»«2»", vec![head, main, tops])
}

/// A static field of each type, set by the static initialiser.
fn statics(make: &mut Maker) -> Node {
    let package = make.package.clone();
    let mut text = String::new();
    let mut values = Vec::new();
    let all = PRIMITIVES.iter().chain([&Type::Text]);
    for (i, of) in all.enumerate() {
        let field = Maker::static_field(of);
        let (_, name) = field.split_once('.').unwrap_or_default();
        let literal = of.literal(&mut make.random);
        values.push(Node::fixed(&literal, vec![]));
        // javac collects initialisers in their order: the first tells that they began, the last that they ended.
        let begin = if i == 0 {
            format!("T.in(\"{package}.Main\", \"<clinit>\", T.class);")
        } else {
            String::new()
        };
        let end = if *of == Type::Text {
            "T.r(T.depth());"
        } else {
            ""
        };
        text.push_str(&format!(
            "«+static {{ {begin} }}»\nstatic {} {name} = «{i}»;\n«+static {{ T.s(\"{package}.{field}\", {name}); {end} }}»\n",
            of.java()
        ));
    }
    Node::fixed(&text, values)
}

/// Keeps texts short.
fn cut(make: &mut Maker) -> Node {
    let place = make.number();
    let body = Node::fixed(
        &format!(
            "return «+T.b({place}, »text != null«+)» && «+T.b({place}0, »text.length() > 12«+)» ? text.substring(0, 12) : text;\n"
        ),
        vec![],
    );
    let head = super::methods::Head {
        modifiers: "static",
        class: "Main",
        name: "cut",
        result: Some("String"),
        throws: "",
    };
    make.method(head, &[("String".into(), "text".into())], body)
}

/// Calls everything, and goes on whatever is thrown.
fn run(make: &mut Maker) -> Node {
    make.variables.clear();
    let mut calls = Vec::new();
    for method in make.methods.clone() {
        make.cost = 0;
        let (template, values) = make.arguments(&method.parameters, 1);
        let call = Node::expression(
            &method.result,
            &format!("{}{template}", method.name),
            values,
        );
        let as_number = match &method.result {
            Type::Boolean => "(«0» ? 1L : 2L)",
            Type::Float => "Float.floatToIntBits(«0»)",
            Type::Double => "Double.doubleToLongBits(«0»)",
            Type::Text => "String.valueOf(«0»).hashCode()",
            Type::Array(_) => "(«0»).length",
            Type::Object | Type::Class(_) => "String.valueOf(«0» != null).length()",
            _ => "(long) («0»)",
        };
        let place = make.number();
        let as_number = match &method.result {
            Type::Boolean => format!("(«+T.b({place}, »«0»«+)» ? 1L : 2L)"),
            Type::Object | Type::Class(_) => {
                format!("String.valueOf(«+T.b({place}, »«0» != null«+)»).length()")
            }
            _ => as_number.to_owned(),
        };
        let value = Node::fixed(&as_number, vec![call]);
        calls.push(Node::statement(
            "try {\n«+try {»\ndigest = digest * 31 + «0»;«+ T.w(\"digest\", digest);»\n«+} catch (Throwable t$) { T.seen(d$, t$); throw t$; }»\n} catch (Exception e) {«+ T.ct(d$, e); T.w(\"e\", e);»\ndigest++;«+ T.w(\"digest\", digest);»\n}",
            vec![value],
        ));
    }
    let calls = Node::list(calls);
    let body = Node::fixed(
        "long digest = 17;«+ T.w(\"digest\", digest);»\n«0»return digest;\n",
        vec![calls],
    );
    let head = super::methods::Head {
        modifiers: "public static",
        class: "Main",
        name: "run",
        result: Some("long"),
        throws: "throws Exception",
    };
    make.method(head, &[], body)
}
