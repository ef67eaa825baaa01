//! Loops, coverage edges, def-use pairs and variables of methods whose source is known, compiled by
//! every JDK found. Expectations are in the source's words: line numbers and variable names.

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use jhyde_bytecode::{
    ClassFile, ClassSource, Code, CodeAttribute, CoverageEdges, DefUse, Definition, Dominators,
    FlowGraph, Loops, Method, Outcome, Place, Variables,
};

const SOURCE: &str = include_str!("fixtures/Shapes.java");

/// A method with all that follows from its code.
struct Analysed {
    code: Code,
    attribute: CodeAttribute,
    loops: Loops,
    graph: FlowGraph,
    def_use: DefUse,
    variables: Variables,
}

impl Analysed {
    fn new(method: &Method) -> Self {
        let attribute = method.code.clone().unwrap();
        let code = attribute.decode().unwrap();
        let graph = FlowGraph::new(&code, &attribute.handlers).unwrap();
        let loops = Loops::new(&graph, &Dominators::new(&graph));
        let def_use = DefUse::new(&code, &graph, &method.entry_slots()).unwrap();
        let variables = Variables::with_def_use(&attribute.variables, &code, &def_use);
        Self {
            code,
            attribute,
            loops,
            graph,
            def_use,
            variables,
        }
    }

    fn line(&self, index: u32) -> u32 {
        self.attribute.line_table().line_at(index).unwrap()
    }

    /// Depth and lines of each loop: from the first to the last line of its blocks.
    fn loops(&self) -> Vec<(u32, u32, u32)> {
        let lines = |id| -> BTreeSet<u32> {
            let blocks = self.loops.blocks(id);
            let inside = blocks.iter().flat_map(|b| {
                let block = &self.graph.blocks()[b.position()];
                self.code.instructions()[block.instructions.clone()].iter()
            });
            inside.map(|i| self.line(i.index)).collect()
        };
        (0..self.loops.all().len() as u32)
            .map(|number| {
                let id = jhyde_bytecode::LoopId(number);
                let lines = lines(id);
                let depth = self.loops.get(id).unwrap().depth;
                (depth, *lines.first().unwrap(), *lines.last().unwrap())
            })
            .collect()
    }

    /// Of each named variable: from which lines to which lines its values flow (0 is the entry).
    fn chains(&self, variable: &str) -> BTreeSet<(u32, u32)> {
        let named = self.def_use.pairs().iter().filter(|pair| {
            let read = self.variables.read_at(pair.slot, pair.used_at);
            read.is_some_and(|id| self.variables.get(id).unwrap().name == variable)
        });
        named
            .map(|pair| {
                let from = match pair.definition {
                    Definition::Entry => 0,
                    Definition::Store(index) => self.line(index),
                };
                (from, self.line(pair.used_at))
            })
            .collect()
    }

    /// How many variables have this name.
    fn variables_named(&self, name: &str) -> usize {
        self.variables
            .all()
            .iter()
            .filter(|v| v.name == name)
            .count()
    }
}

/// The line of the only occurrence of a text in the source, from 1.
fn line_of(text: &str) -> u32 {
    let found: Vec<usize> = SOURCE
        .lines()
        .enumerate()
        .filter(|(_, l)| l.contains(text))
        .map(|(at, _)| at)
        .collect();
    let [at] = found.as_slice() else {
        panic!("`{text}` occurs {} times", found.len())
    };
    *at as u32 + 1
}

fn compile(jdk: &Path) -> BTreeMap<String, Analysed> {
    let folder = tempfile::tempdir().unwrap();
    common::javac(jdk, "Shapes.java", SOURCE, folder.path(), &["-g"]);
    let source = ClassSource::open(folder.path(), 8).unwrap();
    let class = ClassFile::parse(source.read("Shapes").unwrap().unwrap()).unwrap();
    assert_eq!(class.source_file.as_deref(), Some("Shapes.java"));
    let with_code = class.methods.iter().filter(|method| method.code.is_some());
    with_code
        .map(|method| (method.name.clone(), Analysed::new(method)))
        .collect()
}

#[test]
fn what_the_source_says() {
    for jdk in common::jdks() {
        println!("{}", jdk.display());
        let methods = compile(&jdk);
        loops(&methods);
        coverage_edges(&methods);
        chains(&methods);
        stores(&methods);
    }
}

fn loops(methods: &BTreeMap<String, Analysed>) {
    let up = line_of("for (int i = 0; i < n; i++)");
    let down = line_of("for (int i = n; i > 0; i--)");
    assert_eq!(
        methods["forLoop"].loops(),
        [(1, up, up + 1), (1, down, down + 1)]
    );
    let head = line_of("while (n != 1)");
    assert_eq!(methods["whileLoop"].loops(), [(1, head, head + 2)]);
    let last = line_of("} while (n > 0);");
    assert_eq!(methods["doLoop"].loops(), [(1, last - 2, last)]);
    // `break outer` leaves both loops, so its line belongs to neither; `continue outer` goes on
    // with the outer one.
    let (outer, inner) = (
        line_of("for (int[] row : grid)"),
        line_of("for (int cell : row)"),
    );
    let add = line_of("found += cell");
    let nested = methods["nested"].loops();
    assert_eq!(nested, [(1, outer, add), (2, inner, add)]);
    // A handler inside the loop is part of it, and `finally` makes no loop of its own.
    let texts = line_of("for (String text : texts)");
    let [(1, first, last)] = methods["retry"].loops()[..] else {
        panic!()
    };
    assert!(
        first == texts && last >= line_of("failures++;"),
        "{first} to {last}"
    );
    let value = line_of("int value = source.getAsInt()");
    // Its jump back stands in the line of the closing brace.
    assert_eq!(methods["endless"].loops(), [(1, value, value + 4)]);
    for without in [
        "locked",
        "branches",
        "switches",
        "wide",
        "shortCircuit",
        "tryReturn",
    ] {
        assert_eq!(methods[without].loops(), [], "{without}");
    }
    for (name, method) in methods {
        assert_eq!(method.loops.irreducible(), [], "{name}");
    }
}

fn coverage_edges(methods: &BTreeMap<String, Analysed>) {
    let outcomes = |name: &str| -> Vec<Outcome> {
        let edges = CoverageEdges::new(&methods[name].code);
        edges.edges().iter().map(|edge| edge.outcome).collect()
    };
    use Outcome::{Entry, NotTaken, Taken};
    assert_eq!(outcomes("wide"), [Entry, NotTaken, Taken]);
    assert_eq!(outcomes("branches"), [Entry, NotTaken, Taken]);
    // Five conditions of the source; each is one jump here.
    assert_eq!(outcomes("shortCircuit").len(), 1 + 2 * 5);
    let switches = CoverageEdges::new(&methods["switches"].code);
    let of_first = |value| {
        let first = methods["switches"]
            .code
            .instructions()
            .iter()
            .find(|i| i.opcode.is_switch());
        let id = switches.switch(first.unwrap().index, value).unwrap();
        switches.get(id).unwrap().outcome
    };
    let cases = [1, 2, 3, 4, 5].map(of_first);
    let default = Outcome::Default;
    assert_eq!(
        cases,
        [
            Outcome::Case(1),
            Outcome::Case(2),
            default,
            Outcome::Case(4),
            default
        ]
    );
}

fn chains(methods: &BTreeMap<String, Analysed>) {
    let method = &methods["forLoop"];
    let (up, down) = (
        line_of("for (int i = 0; i < n; i++)"),
        line_of("for (int i = n; i > 0; i--)"),
    );
    assert_eq!(method.variables_named("i"), 2, "two loops, two variables");
    let i = method.chains("i");
    assert_eq!(
        i,
        BTreeSet::from([(up, up), (up, up + 1), (down, down), (down, down + 1)]),
        "nothing flows from one `i` into the other"
    );
    assert_eq!(method.chains("n"), BTreeSet::from([(0, up), (0, down)]));
    let sum = method.chains("sum");
    let (add, subtract, start) = (up + 1, down + 1, up - 1);
    let end = subtract + 2;
    let expected = [
        (start, add),
        (add, add),
        (start, subtract),
        (add, subtract),
        (subtract, subtract),
        (start, end),
        (add, end),
        (subtract, end),
    ];
    assert_eq!(sum, BTreeSet::from(expected));

    // A variable that is assigned on two branches is one, and both values reach its use.
    let branches = &methods["branches"];
    assert_eq!(branches.variables_named("x"), 1);
    let (yes, no) = (line_of("x = \"yes\""), line_of("x = \"no\""));
    assert_eq!(
        branches.chains("x"),
        BTreeSet::from([(yes, no + 2), (no, no + 2)])
    );

    // A parameter that is reassigned: the entry's value reaches only what comes before.
    let wide = &methods["wide"];
    let first = line_of("long d = a * 2");
    let (assigned, end) = (line_of("a = d << c"), line_of("return a > BIG"));
    assert_eq!(
        wide.chains("a"),
        BTreeSet::from([(0, first), (assigned, end)])
    );
    let added = line_of("d += (long) e");
    let d = BTreeSet::from([(first, added), (added, assigned), (added, end)]);
    assert_eq!(wide.chains("d"), d);

    // What `failures` holds when an exception comes reaches its increment in the handler.
    let counted = line_of("failures++;");
    let start = line_of("int failures = 0");
    let failures = methods["retry"].chains("failures");
    assert!(failures.is_superset(&BTreeSet::from([(start, counted), (counted, counted)])));
}

fn stores(methods: &BTreeMap<String, Analysed>) {
    let defined = |name: &str| {
        let instructions = methods[name].code.instructions().iter();
        instructions.filter_map(|i| i.defines()).collect::<Vec<_>>()
    };
    assert!(
        defined("manyLocals")
            .iter()
            .any(|place| matches!(place, Place::Element(_)))
    );
    assert!(
        defined("tryReturn")
            .iter()
            .any(|place| matches!(place, Place::Static(_)))
    );
    assert!(
        defined("<init>")
            .iter()
            .any(|place| matches!(place, Place::Field(_)))
    );
}
