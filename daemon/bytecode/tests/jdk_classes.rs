//! Every class of every module of every JDK found: it parses without damage, agrees with a second
//! reader, and its methods decode and can be analysed.

mod common;

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use cafebabe::attributes::{AttributeData, CodeData};
use jhyde_bytecode::{
    ClassFile, ClassSource, CodeAttribute, CoverageEdges, DefUse, Definition, Dominators,
    FlowGraph, Loops, Variables,
};

/// What was seen, to make sure that the checks had something to check.
#[derive(Debug, Default)]
struct Seen {
    methods: usize,
    instructions: usize,
    loops: usize,
    pairs: usize,
    handlers: usize,
    lines: usize,
    variables: usize,
    irreducible: usize,
    /// Local reads that no definition reaches: verified code has none where it is reachable.
    undefined: usize,
    /// Classes that the other reader refuses: it knows no dynamic constants as arguments of
    /// bootstrap methods, which javac 21 and later writes for switches over enums.
    refused_by_other: usize,
}

impl Seen {
    fn add(&mut self, other: &Self) {
        self.methods += other.methods;
        self.instructions += other.instructions;
        self.loops += other.loops;
        self.pairs += other.pairs;
        self.handlers += other.handlers;
        self.lines += other.lines;
        self.variables += other.variables;
        self.irreducible += other.irreducible;
        self.undefined += other.undefined;
        self.refused_by_other += other.refused_by_other;
    }
}

#[test]
fn every_class_of_every_jdk() {
    for jdk in common::jdks() {
        let source = ClassSource::java_home(&jdk).unwrap();
        let names = source.names().unwrap();
        assert!(
            names.len() > 5_000,
            "{}: only {} classes",
            jdk.display(),
            names.len()
        );
        let next = AtomicUsize::new(0);
        let work = || {
            let mut seen = Seen::default();
            while let Some(name) = names.get(next.fetch_add(1, Ordering::Relaxed)) {
                let bytes = source.read(name).unwrap().unwrap();
                check_class(name, &bytes, &mut seen);
            }
            seen
        };
        let mut seen = Seen::default();
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..2).map(|_| scope.spawn(work)).collect();
            workers
                .into_iter()
                .for_each(|worker| seen.add(&worker.join().unwrap()));
        });
        println!("{}: {} classes, {seen:?}", jdk.display(), names.len());
        assert_eq!(seen.irreducible, 0, "javac makes no irreducible cycles");
        assert_eq!(seen.undefined, 0, "verified code reads no undefined local");
        assert!(seen.methods > names.len() && seen.loops > 1_000 && seen.pairs > seen.methods);
        assert!(
            seen.refused_by_other * 50 < names.len(),
            "{}",
            seen.refused_by_other
        );
        assert!(seen.handlers > 1_000 && seen.lines > seen.methods);
    }
}

fn check_class(name: &str, bytes: &[u8], seen: &mut Seen) {
    let head = ClassFile::head_of(bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
    let class = ClassFile::parse(bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(head.super_name, class.super_name, "{name}");
    assert_eq!(class.damage, [], "{name}");
    let mut options = cafebabe::ParseOptions::default();
    options.parse_bytecode(true);
    let other = match cafebabe::parse_class_with_options(bytes, &options) {
        Ok(other) => other,
        Err(error) => {
            assert!(
                error.to_string().contains("bootstrap method"),
                "{name}: {error}"
            );
            seen.refused_by_other += 1;
            analyse_methods(name, &class, seen);
            return;
        }
    };
    assert_eq!(class.name, *other.this_class, "{name}");
    assert_eq!(class.major_version, other.major_version, "{name}");
    assert_eq!(
        class.super_name.as_deref(),
        other.super_class.as_deref(),
        "{name}"
    );
    assert_eq!(class.interfaces.len(), other.interfaces.len(), "{name}");
    let fields = other
        .fields
        .iter()
        .map(|f| (f.name.as_ref(), f.descriptor.to_string()));
    let ours = class
        .fields
        .iter()
        .map(|f| (f.name.as_str(), f.field_type.descriptor()));
    assert!(ours.eq(fields), "{name}: fields");
    assert_eq!(class.methods.len(), other.methods.len(), "{name}");
    for (method, other) in class.methods.iter().zip(&other.methods) {
        let place = format!("{name}.{}{}", method.name, method.descriptor.descriptor());
        assert_eq!(method.name, other.name, "{place}");
        assert_eq!(
            method.descriptor.descriptor(),
            other.descriptor.to_string(),
            "{place}"
        );
        let theirs = other
            .attributes
            .iter()
            .find_map(|attribute| match &attribute.data {
                AttributeData::Code(code) => Some(code),
                _ => None,
            });
        assert_eq!(method.code.is_some(), theirs.is_some(), "{place}");
        if let (Some(code), Some(theirs)) = (&method.code, theirs) {
            compare_code(&place, code, theirs);
        }
    }
    analyse_methods(name, &class, seen);
}

fn analyse_methods(name: &str, class: &ClassFile, seen: &mut Seen) {
    for method in &class.methods {
        if let Some(code) = &method.code {
            let place = format!("{name}.{}{}", method.name, method.descriptor.descriptor());
            seen.methods += 1;
            analyse(&place, code, &method.entry_slots(), seen);
        }
    }
}

fn compare_code(place: &str, code: &CodeAttribute, theirs: &CodeData<'_>) {
    assert_eq!(code.bytes, theirs.code, "{place}");
    assert_eq!(
        (code.max_stack, code.max_locals),
        (theirs.max_stack, theirs.max_locals)
    );
    let decoded = code
        .decode()
        .unwrap_or_else(|error| panic!("{place}: {error}"));
    let starts = theirs
        .bytecode
        .as_ref()
        .unwrap()
        .opcodes
        .iter()
        .map(|(at, _)| *at as u32);
    assert!(
        decoded.instructions().iter().map(|i| i.index).eq(starts),
        "{place}: instructions"
    );
    let handlers = theirs.exception_table.iter().map(|h| {
        let places = (h.start_pc.into(), h.end_pc.into(), h.handler_pc.into());
        (places, h.catch_type.as_deref())
    });
    let ours = code
        .handlers
        .iter()
        .map(|h| ((h.start, h.end, h.handler), h.catch_type.as_deref()));
    assert!(ours.eq(handlers), "{place}: exception table");
    let (mut lines, mut variables) = (Vec::new(), Vec::new());
    for attribute in &theirs.attributes {
        match &attribute.data {
            AttributeData::LineNumberTable(table) => {
                lines.extend(
                    table
                        .iter()
                        .map(|l| (u32::from(l.start_pc), l.line_number.into())),
                );
            }
            AttributeData::LocalVariableTable(table) => {
                variables.extend(table.iter().map(|v| {
                    let range = (u32::from(v.start_pc), u32::from(v.length));
                    (v.index, v.name.to_string(), v.descriptor.to_string(), range)
                }));
            }
            _ => {}
        }
    }
    assert!(
        code.lines.iter().map(|l| (l.start, l.line)).eq(lines),
        "{place}: lines"
    );
    let ours = code.variables.iter().map(|v| {
        (
            v.slot,
            v.name.clone(),
            v.descriptor.clone(),
            (v.start, v.length),
        )
    });
    assert!(ours.eq(variables), "{place}: variables");
}

fn analyse(place: &str, code: &CodeAttribute, entry_slots: &[(u16, u16)], seen: &mut Seen) {
    let decoded = code.decode().unwrap();
    let graph =
        FlowGraph::new(&decoded, &code.handlers).unwrap_or_else(|error| panic!("{place}: {error}"));
    let dominators = Dominators::new(&graph);
    let loops = Loops::new(&graph, &dominators);
    let def_use = DefUse::new(&decoded, &graph, entry_slots)
        .unwrap_or_else(|error| panic!("{place}: {error}"));
    let variables = Variables::with_def_use(&code.variables, &decoded, &def_use);
    assert!(variables.all().len() <= code.variables.len(), "{place}");
    let edges = CoverageEdges::new(&decoded);
    for (number, edge) in edges.edges().iter().enumerate() {
        assert!(decoded.at(edge.to).is_some(), "{place}: edge {number}");
    }
    for l in loops.all() {
        assert!(
            l.back_edges
                .iter()
                .all(|e| graph.edges()[*e].to == l.header),
            "{place}"
        );
    }
    for instruction in decoded.instructions() {
        let block = graph.block_at(instruction.index).unwrap();
        let Some(load) = instruction.local_load() else {
            continue;
        };
        assert!(load.slot < code.max_locals, "{place}");
        let reaching = def_use.reaching(instruction.index);
        if dominators.is_reachable(block) && reaching.is_empty() {
            eprintln!("{place}: nothing defines what {} reads", instruction.index);
            seen.undefined += 1;
        }
        // The variable that a read sees is that which each definition wrote.
        let Some(read) = variables.read_at(load.slot, instruction.index) else {
            continue;
        };
        for pair in reaching {
            if let Definition::Store(at) = pair.definition
                && let Some(store) = decoded.at(at)
                && let Some(written) = variables.written_by(load.slot, at, store.next())
            {
                let name = |id| &variables.get(id).unwrap().name;
                assert_eq!(
                    name(read),
                    name(written),
                    "{place}: {at} to {}",
                    pair.used_at
                );
            }
        }
    }
    seen.instructions += decoded.instructions().len();
    seen.loops += loops.all().len();
    seen.irreducible += loops.irreducible().len();
    seen.pairs += def_use.pairs().len();
    seen.handlers += code.handlers.len();
    seen.lines += code.lines.len();
    seen.variables += code.variables.len();
}

/// The same classes by another way in: the JDK's `jmod` files, where it has them.
#[test]
fn jmods_hold_the_same_classes_as_the_modules_file() {
    for jdk in common::jdks() {
        let jmod = jdk.join("jmods/java.base.jmod");
        if !jmod.is_file() {
            // From JDK 24 on a JDK may be built without them.
            assert!(
                !Path::new(&jdk).join("jmods").exists(),
                "jmods without java.base"
            );
            continue;
        }
        let (jmod, modules) = (
            ClassSource::open(&jmod, 8).unwrap(),
            ClassSource::java_home(&jdk).unwrap(),
        );
        let names = jmod.names().unwrap();
        assert!(names.len() > 5_000, "{}", names.len());
        let mut compared = 0;
        for name in names.iter().step_by(50) {
            // Linking a JDK replaces module descriptions and a few generated classes.
            let (Some(a), Some(b)) = (jmod.read(name).unwrap(), modules.read(name).unwrap()) else {
                continue;
            };
            assert_eq!(
                ClassFile::parse(a).unwrap().name,
                ClassFile::parse(b).unwrap().name
            );
            compared += 1;
        }
        assert!(compared > 100, "{compared}");
    }
}
