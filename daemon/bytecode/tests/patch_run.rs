//! Patched programs run: with code everywhere they print what they print without, and counters that are put in count
//! what is known of small methods.

mod common;

use std::path::Path;

use common::patching::{Counter, Done, check_tables, everywhere, write_class};
use jhyde_bytecode::patch::{Fault, MethodPatch, Patch, PatchError, Place, Snippet};
use jhyde_bytecode::{ClassFile, ClassSource, Opcode};

const COUNTER: Counter<'_> = Counter {
    class: "Counted",
    field: "n",
};

const COUNTED: &str = include_str!("fixtures/Counted.java");

fn run(jdk: &Path, folder: &Path, main: &[&str]) -> String {
    let folder = folder.display().to_string();
    let mut arguments = vec!["-cp", &folder];
    arguments.extend(main);
    common::run(jdk, "java", &arguments)
}

fn read(folder: &Path, name: &str) -> ClassFile {
    let bytes = ClassSource::open(folder, 17).unwrap().read(name).unwrap();
    ClassFile::parse(bytes.unwrap()).unwrap()
}

/// Runs a program plain, and with code everywhere in all its classes.
fn compare(jdk: &Path, folder: &Path, main: &str) {
    let plain = run(jdk, folder, &[main]);
    assert!(plain.len() > 50, "{plain}");
    for with_locals in [false, true] {
        let patched = tempfile::tempdir().unwrap();
        common::javac(jdk, "Counted.java", COUNTED, patched.path(), &[]);
        let mut done = Done::default();
        for name in ClassSource::open(folder, 17).unwrap().names().unwrap() {
            let bytes = everywhere(&read(folder, &name), Some(&COUNTER), with_locals, &mut done);
            write_class(patched.path(), &name, &bytes);
        }
        assert!(done.insertions > 500, "{done:?}");
        assert_eq!((done.too_long, done.too_far), (vec![], vec![]), "{main}");
        assert_eq!(run(jdk, patched.path(), &[main]), plain, "{main}");
    }
}

#[test]
fn programs_print_the_same_with_code_everywhere() {
    for jdk in common::jdks() {
        for (file, source, main) in [
            (
                "Everything.java",
                include_str!("fixtures/Everything.java"),
                "Everything",
            ),
            (
                "OrderBook.java",
                include_str!("../../../integration/java/book/OrderBook.java"),
                "book.OrderBook",
            ),
        ] {
            let folder = tempfile::tempdir().unwrap();
            common::javac(&jdk, file, source, folder.path(), &["-g"]);
            compare(&jdk, folder.path(), main);
        }
        if major(&jdk) >= 21 {
            let folder = tempfile::tempdir().unwrap();
            let source = include_str!("fixtures/Newer.java");
            common::javac(&jdk, "Newer.java", source, folder.path(), &["-g"]);
            compare(&jdk, folder.path(), "Newer");
        }
    }
}

fn major(jdk: &Path) -> u32 {
    let version = common::run(jdk, "javac", &["-version"]);
    let number = version.trim().trim_start_matches("javac ");
    number.split(['.', '-']).next().unwrap().parse().unwrap()
}

/// A patch of one method of `Counted`, and what the program then prints: its result, the count, the last number seen.
struct Case {
    method: &'static str,
    insertions: Vec<(Place, &'static str)>,
    prints: &'static str,
}

fn case(method: &'static str, place: Place, snippet: &'static str, prints: &'static str) -> Case {
    let insertions = vec![(place, snippet)];
    Case {
        method,
        insertions,
        prints,
    }
}

fn cases() -> Vec<Case> {
    use Place::{After, Before, Entry};
    let loop_indexes = [0, 1, 2, 3, 4, 5, 7, 10, 11, 12, 13, 14, 17, 20, 21];
    let mut cases = vec![
        case("loop", Entry, "tick", "45 1 0"),
        case("loop", Before(0), "tick", "45 1 0"),
        case("loop", Before(4), "tick", "45 11 0"),
        // Only from the line above; the loop jumps behind it.
        case("loop", After(3), "tick", "45 1 0"),
        case("loop", Before(10), "tick", "45 10 0"),
        case("loop", After(7), "tick", "45 10 0"),
        case("loop", After(17), "tick", "45 0 0"),
        case("loop", Before(20), "tick", "45 1 0"),
        case("again", Entry, "tick", "0 1 0"),
        case("again", Before(0), "tick", "0 6 0"),
        case("again", After(6), "tick", "0 6 0"),
        case("again", After(10), "tick", "0 1 0"),
        case("caught", Before(1), "tick", "82 3 0"),
        // Two of three calls of `twice` end by an exception; the result of the third is on top of the stack.
        case("caught", After(1), "tick", "82 1 0"),
        case("caught", After(1), "peek", "82 0 84"),
        case("caught", Before(7), "tick", "82 2 0"),
        // Who catches what is thrown by what was put in: guarded are the instructions at 0 to 5.
        case("caught", Entry, "throw", "not caught 0 0"),
        case("caught", Before(0), "throw", "-3 0 0"),
        case("caught", After(4), "throw", "-3 0 0"),
        case("caught", After(5), "throw", "not caught 0 0"),
        case("caught", Before(6), "throw", "not caught 0 0"),
    ];
    // 99 instructions are executed, and from 87 of them control goes on.
    let mut all = vec![(Entry, "tick")];
    for index in loop_indexes {
        all.extend([(Before(index), "tick"), (After(index), "tick")]);
    }
    cases.push(Case {
        method: "loop",
        insertions: all,
        prints: "45 187 0",
    });
    cases
}

fn snippet(patch: &mut Patch<'_>, name: &str) -> Snippet {
    let mut field = |name| patch.constants().field("Counted", name, "I").unwrap();
    let (n, last) = (field("n"), field("last"));
    match name {
        "tick" => Snippet::new()
            .get_static(n)
            .short(1)
            .op(Opcode::Iadd)
            .put_static(n),
        "peek" => Snippet::new().op(Opcode::Dup).put_static(last),
        _ => Snippet::new()
            .short(1)
            .short(0)
            .op(Opcode::Idiv)
            .op(Opcode::Pop),
    }
}

fn patched(class: &ClassFile, case: &Case) -> Vec<u8> {
    let mut patch = Patch::new(class).unwrap();
    let number = class
        .methods
        .iter()
        .position(|m| m.name == case.method)
        .unwrap();
    let mut wanted = MethodPatch::new(&class.methods[number]);
    for (place, name) in &case.insertions {
        wanted.insert(*place, snippet(&mut patch, name));
    }
    let map = patch.method(number, &wanted).unwrap();
    let bytes = patch.finish();
    let new = ClassFile::parse(bytes.as_slice()).unwrap();
    let (old, new) = (&class.methods[number].code, &new.methods[number].code);
    check_tables(
        case.method,
        old.as_ref().unwrap(),
        new.as_ref().unwrap(),
        &map,
    );
    bytes
}

#[test]
fn every_place_is_run_as_often_as_is_known() {
    for jdk in common::jdks() {
        let folder = tempfile::tempdir().unwrap();
        common::javac(&jdk, "Counted.java", COUNTED, folder.path(), &["-g"]);
        let class = read(folder.path(), "Counted");
        for case in cases() {
            write_class(folder.path(), "Counted", &patched(&class, &case));
            let printed = run(&jdk, folder.path(), &["Counted", case.method]);
            assert_eq!(
                printed.trim(),
                case.prints,
                "{} {:?}",
                case.method,
                case.insertions
            );
        }
    }
}

/// Class files before version 50 have no frames and are verified without; version 50 may be.
#[test]
fn old_class_files_need_no_frames() {
    let jdk = &common::jdks()[0];
    let folder = tempfile::tempdir().unwrap();
    let options = [
        "--release",
        "8",
        "-XDstringConcat=inline",
        "-Xlint:-options",
    ];
    common::javac(jdk, "Counted.java", COUNTED, folder.path(), &options);
    let class = read(folder.path(), "Counted");
    for (version, has_frames) in [(48, false), (49, false), (50, true)] {
        let mut bytes = class.bytes.to_vec();
        bytes[7] = version;
        let old = ClassFile::parse(bytes).unwrap();
        let mut done = Done::default();
        let bytes = everywhere(&old, Some(&COUNTER), true, &mut done);
        assert!(done.too_long.is_empty() && done.methods > 4);
        let new = ClassFile::parse(bytes.as_slice()).unwrap();
        let attributes = &new
            .method("loop", "()I")
            .unwrap()
            .code
            .as_ref()
            .unwrap()
            .attributes;
        let found = attributes.iter().any(|a| a.name == "StackMapTable");
        assert_eq!(found, has_frames, "version {version}");
        write_class(folder.path(), "Counted", &bytes);
        let printed = run(jdk, folder.path(), &["Counted", "loop"]);
        assert!(printed.starts_with("45 "), "{printed}");
    }
}

/// `static int f()` with two calls of one subroutine, as compilers wrote `finally` before Java 6: 0 iconst_0, 1 istore_1,
/// 2 jsr 11, 5 jsr 11, 8 iload_1, 9 ireturn, 10 nop, 11 astore_2, 12 iinc 1 5, 15 ret 2.
const SUBROUTINES: &[u8] = &[
    0x03, 0x3c, 0xa8, 0, 9, 0xa8, 0, 6, 0x1b, 0xac, 0, 0x4d, 0x84, 1, 5, 0xa9, 2,
];

/// A class of version 48, `Old`, with that method.
fn class_with_subroutines() -> Vec<u8> {
    let mut bytes = vec![0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 48, 0, 8];
    let text = |bytes: &mut Vec<u8>, text: &str| {
        bytes.extend([1, 0, text.len() as u8]);
        bytes.extend(text.bytes());
    };
    text(&mut bytes, "Old");
    bytes.extend([7, 0, 1]);
    text(&mut bytes, "java/lang/Object");
    bytes.extend([7, 0, 3]);
    for name in ["f", "()I", "Code"] {
        text(&mut bytes, name);
    }
    // public class Old, no interfaces, no fields, one method: public static f()I with its code
    bytes.extend([
        0, 0x21, 0, 2, 0, 4, 0, 0, 0, 0, 0, 1, 0, 9, 0, 5, 0, 6, 0, 1, 0, 7,
    ]);
    bytes.extend((12 + SUBROUTINES.len() as u32).to_be_bytes());
    // max_stack, max_locals
    bytes.extend([0, 1, 0, 3, 0, 0, 0, SUBROUTINES.len() as u8]);
    bytes.extend(SUBROUTINES);
    // no handlers, no attributes of the code, none of the class
    bytes.extend([0; 6]);
    bytes
}

#[test]
fn subroutines_are_called_and_returned_from() {
    let old = ClassFile::parse(class_with_subroutines()).unwrap();
    for jdk in common::jdks() {
        let folder = tempfile::tempdir().unwrap();
        let main = "class Old { static int f() { return 0; } }
            public class Main { public static void main(String[] a) { System.out.println(Old.f() + \" \" + Counted.n); } }";
        common::javac(&jdk, "Counted.java", COUNTED, folder.path(), &[]);
        let beside = folder.path().display().to_string();
        common::javac(&jdk, "Main.java", main, folder.path(), &["-cp", &beside]);
        for with_locals in [false, true] {
            let bytes = everywhere(&old, Some(&COUNTER), with_locals, &mut Done::default());
            write_class(folder.path(), "Old", &bytes);
            // Entry, 12 instructions executed, and 9 that control goes on from: with both returns to behind a `jsr`.
            assert_eq!(run(&jdk, folder.path(), &["Main"]).trim(), "10 22");
        }
    }
}

/// Loops whose bodies get longer than a jump of 16 bits.
#[test]
fn far_jumps_reach() {
    let step = "x = x * 31 + i; if ((x & 1) == 0) x += 77; else x ^= 99;\n".repeat(330);
    let plain = "x = x * 31 + i;\n".repeat(800);
    let source = format!(
        "public class Far {{
            static int up(int n) {{ int x = 0; for (int i = 0; i < n; i++) {{ {step} }} return x; }}
            static int down(int n) {{ int x = 0, i = n; do {{ {step} }} while (--i > 0); return x; }}
            static int straight(int n) {{ int x = 0; for (int i = 0; i < n; i++) {{ {plain} }} return x; }}
            public static void main(String[] a) {{ System.out.println(up(5) + \" \" + down(7)); }}
        }}"
    );
    for jdk in common::jdks() {
        let folder = tempfile::tempdir().unwrap();
        common::javac(&jdk, "Far.java", &source, folder.path(), &["-g"]);
        common::javac(&jdk, "Counted.java", COUNTED, folder.path(), &[]);
        let plain = run(&jdk, folder.path(), &["Far"]);
        let class = read(folder.path(), "Far");
        let mut patch = Patch::new(&class).unwrap();
        let tick = snippet(&mut patch, "tick");
        let mut maps = Vec::new();
        for (number, method) in class.methods.iter().enumerate().skip(1) {
            let mut wanted = MethodPatch::new(method);
            for instruction in method
                .code
                .as_ref()
                .unwrap()
                .decode()
                .unwrap()
                .instructions()
            {
                wanted.insert(Place::Before(instruction.index), tick.clone());
            }
            match patch.method(number, &wanted) {
                Ok(map) => maps.push((number, map)),
                Err(error) => {
                    // Nothing in the loop that a jump could be put behind.
                    assert_eq!(method.name, "straight");
                    assert!(
                        matches!(
                            error,
                            PatchError::Method {
                                fault: Fault::JumpTooFar { .. },
                                ..
                            }
                        ),
                        "{error}"
                    );
                }
            }
        }
        let bytes = patch.finish();
        let new = ClassFile::parse(bytes.as_slice()).unwrap();
        assert_eq!(maps.len(), 3, "up, down and main");
        for (number, map) in maps {
            let (old, new) = (
                &class.methods[number],
                new.methods[number].code.as_ref().unwrap(),
            );
            check_tables(&old.name, old.code.as_ref().unwrap(), new, &map);
            let code = new.decode().unwrap();
            let wide = code
                .instructions()
                .iter()
                .filter(|i| i.opcode == Opcode::GotoW);
            // Up: out of the loop and back; down: back.
            let expected = [("up", 2), ("down", 1), ("main", 0)];
            assert!(
                expected.contains(&(old.name.as_str(), wide.count())),
                "{}",
                old.name
            );
        }
        write_class(folder.path(), "Far", &bytes);
        assert_eq!(run(&jdk, folder.path(), &["Far"]), plain);
    }
}
