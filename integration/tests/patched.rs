//! Real libraries with code put in everywhere by `jhyde_bytecode::patch`: they print what they print without, and
//! counters that are put in count what was counted independently (`workloads.json`).

use std::path::Path;
use std::process::{Command, Stdio};

use jhyde_bytecode::patch::{AddedLocal, Fault, MethodPatch, Patch, PatchError, Place, Snippet};
use jhyde_bytecode::{ClassFile, ClassSource, FieldType, Instruction, LocalType, Opcode};
use jhyde_integration::programs::Workload;
use jhyde_integration::{Jdk, jdks};

/// What is counted, and prints itself when the program ends.
const TALLY: &str = "public final class Tally {
    public static int calls, local_writes, field_writes, array_writes, branches;
    static {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> System.err.println(\"\\ntally\"
            + \" calls \" + calls + \" local_writes \" + local_writes + \" field_writes \" + field_writes
            + \" array_writes \" + array_writes + \" branches \" + branches)));
    }
}";

/// Programs of several threads, from which a counter that is a plain field misses something.
const THREADED: [&str; 3] = ["threads", "vthreads", "http"];

/// What an instruction counts as; writes count when they are done, branches before.
fn kind(instruction: &Instruction) -> Option<(&'static str, Place)> {
    let at = instruction.index;
    let opcode = instruction.opcode;
    Some(match opcode {
        Opcode::PutField | Opcode::PutStatic => ("field_writes", Place::After(at)),
        _ if instruction.local_store().is_some() => ("local_writes", Place::After(at)),
        _ if opcode.stores_element() => ("array_writes", Place::After(at)),
        _ if opcode.is_conditional_jump() || opcode.is_switch() => ("branches", Place::Before(at)),
        _ => return None,
    })
}

/// The class with a reference kept and read again at every place, and in the scope with the counters.
fn patched(class: &ClassFile, in_scope: bool) -> Vec<u8> {
    let mut patch = Patch::new(class).expect("constants");
    for (number, method) in class.methods.iter().enumerate() {
        let Some(code) = &method.code else { continue };
        let mut count = |name: &str| {
            let field = patch.constants().field("Tally", name, "I").expect("room");
            let more = Snippet::new().get_static(field).op(Opcode::Iconst1);
            more.op(Opcode::Iadd).put_static(field)
        };
        let mut wanted = MethodPatch::new(method);
        let list = FieldType::Object("java/util/List".to_owned());
        let list = wanted.add_local(AddedLocal::Kept(list));
        let entry = Snippet::new().op(Opcode::AconstNull);
        wanted.insert(Place::Entry, entry.store(LocalType::Reference, list));
        if in_scope {
            wanted.insert(Place::Entry, count("calls"));
        }
        let look = Snippet::new()
            .load(LocalType::Reference, list)
            .op(Opcode::Pop);
        for instruction in code.decode().expect("code").instructions() {
            wanted.insert(Place::Before(instruction.index), look.clone());
            wanted.insert(Place::After(instruction.index), look.clone());
            if let Some((name, place)) = kind(instruction).filter(|_| in_scope) {
                wanted.insert(place, count(name));
            }
        }
        match patch.method(number, &wanted) {
            Ok(_) => {}
            // Tables, outside the scope or run once.
            Err(PatchError::Method {
                fault: Fault::CodeTooLong { .. },
                ..
            }) if method.name == "<clinit>" => {}
            Err(error) => panic!("{}: {error}", class.name),
        }
    }
    patch.finish()
}

/// Patches the classes of a folder or a jar into another folder, and tells how many there were.
fn patch_all(from: &Path, into: &Path, workload: &Workload) -> usize {
    let source = ClassSource::open(from, 17).expect("a class path entry");
    let names = source.names().expect("names");
    for name in &names {
        let bytes = source.read(name).expect("readable").expect("there");
        let class = ClassFile::parse(bytes).expect("a class file");
        let path = into.join(format!("{name}.class"));
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a new folder");
        let in_scope = workload.holds(&class.binary_name());
        std::fs::write(path, patched(&class, in_scope)).expect("a new file");
    }
    names.len()
}

fn check(jdk: &Jdk, workload: &Workload) {
    let what = format!("{} on JDK {}", workload.name(), jdk.major);
    let folder = tempfile::tempdir().expect("a folder");
    let tally = folder.path().join("Tally.java");
    std::fs::write(&tally, TALLY).expect("a new file");
    let status = Command::new(jdk.home.join("bin/javac"))
        .arg(&tally)
        .status();
    assert!(status.expect("javac can be started").success());

    let mut arguments = workload.arguments(jdk, "small");
    let class_path = arguments
        .iter()
        .position(|word| word == "-cp")
        .expect("-cp")
        + 1;
    let before = arguments[class_path].clone();
    let entries = before
        .split(':')
        .map(|entry| patch_all(Path::new(entry), folder.path(), workload));
    let classes: usize = entries.sum();
    arguments[class_path] = format!("{}:{before}", folder.path().display());

    let plain = workload.run(jdk, "small");
    let run = Command::new(jdk.java())
        .args(&arguments)
        .stdin(Stdio::null())
        .output();
    let run = run.expect("java can be started");
    let stderr = String::from_utf8_lossy(&run.stderr);
    assert_eq!(run.status.code(), plain.status.code(), "{what}: {stderr}");
    assert_eq!(
        workload.steady(&run.stdout),
        workload.steady(&plain.stdout),
        "{what}"
    );
    let told = stderr.lines().find_map(|line| line.strip_prefix("tally "));
    let told: Vec<&str> = told.expect("the tally").split(' ').collect();
    assert!(classes > 20, "{what}: {classes} classes");
    if THREADED.contains(&workload.name()) {
        return;
    }
    for pair in told.chunks(2) {
        let counted = pair[1].parse::<u64>().expect("a number");
        if let Some(expected) = workload.count(jdk, pair[0]) {
            assert_eq!(counted, expected, "{} of {what}", pair[0]);
        }
    }
}

#[test]
fn libraries_with_code_everywhere_do_the_same() {
    for jdk in jdks() {
        for workload in Workload::all().iter().filter(|w| w.runs_on(&jdk)) {
            check(&jdk, workload);
        }
    }
}
