//! Every class of every JDK's java.base with code put in everywhere: the JVM verifies and links them all, and
//! comes up with them. That it does verify shows in one class that is patched wrongly.

mod common;

use std::path::Path;

use common::patching::{Counter, Done, everywhere, write_class};
use jhyde_bytecode::patch::{AddedLocal, MethodPatch, Patch, Place, Snippet};
use jhyde_bytecode::{ClassFile, ClassSource, FieldType, LocalType, Opcode};

/// Counts inside java.base itself.
const COUNTER: &str = "package java.lang; public final class JhydeCount { public static int n; }";

/// A class that nothing needs before `main`, to be patched wrongly.
const SPOILT: &str = "java/util/zip/Adler32";

#[test]
fn java_base_with_code_everywhere_is_verified() {
    for jdk in common::jdks() {
        for with_locals in [false, true] {
            let folder = tempfile::tempdir().unwrap();
            let counter = Counter {
                class: "java/lang/JhydeCount",
                field: "n",
            };
            let done = patch_java_base(&jdk, folder.path(), &counter, with_locals);
            assert!(
                done.classes > 6_000 && done.insertions > 1_000_000,
                "{done:?}"
            );
            // Tables of names and numbers, which nearly fill a method by themselves; one condition of 32 KB.
            assert!(done.too_long.len() < 80, "{:?}", done.too_long);
            assert!(done.too_far.len() <= 1, "{:?}", done.too_far);
            let printed = link(&jdk, folder.path());
            let (refused, rest): (Vec<&str>, Vec<&str>) = printed
                .lines()
                .partition(|line| line.starts_with("refused"));
            let [only] = refused.as_slice() else {
                panic!("{}: {refused:#?}", jdk.display())
            };
            assert!(
                only.contains("java.util.zip.Adler32") && only.contains("VerifyError"),
                "{only}"
            );
            let linked = format!("linked {}", done.classes);
            assert!(rest.contains(&linked.as_str()), "{rest:#?}");
        }
    }
}

/// Patches all of java.base into `folder/classes`, and writes the classes' names to `folder/names`.
fn patch_java_base(jdk: &Path, folder: &Path, counter: &Counter<'_>, with_locals: bool) -> Done {
    let into = folder.join("classes");
    std::fs::create_dir(&into).unwrap();
    let itself = format!("java.base={}", into.display());
    common::javac(
        jdk,
        "JhydeCount.java",
        COUNTER,
        &into,
        &["--patch-module", &itself],
    );
    let lister = folder.join("ListModule.java").display().to_string();
    std::fs::write(&lister, include_str!("fixtures/ListModule.java")).unwrap();
    let listed = common::run(jdk, "java", &[&lister, "java.base"]);
    let source = ClassSource::java_home(jdk).unwrap();
    let (mut done, mut names) = (Done::default(), String::new());
    for name in listed.lines() {
        let class = ClassFile::parse(source.read(name).unwrap().unwrap()).unwrap();
        let bytes = if name == SPOILT {
            spoil(&class)
        } else {
            everywhere(&class, Some(counter), with_locals, &mut done)
        };
        write_class(&into, name, &bytes);
        names.push_str(&name.replace('/', "."));
        names.push('\n');
    }
    std::fs::write(folder.join("names"), names).unwrap();
    done
}

/// Reads a local that nothing has written.
fn spoil(class: &ClassFile) -> Vec<u8> {
    let mut patch = Patch::new(class).unwrap();
    for (number, method) in class.methods.iter().enumerate() {
        if method.code.is_some() {
            let mut wanted = MethodPatch::new(method);
            let text = FieldType::Object("java/lang/String".to_owned());
            let slot = wanted.add_local(AddedLocal::Kept(text));
            let read = Snippet::new().load(LocalType::Reference, slot);
            wanted.insert(Place::Before(0), read.op(Opcode::Pop));
            patch.method(number, &wanted).unwrap();
        }
    }
    patch.finish()
}

/// What a JVM says of the classes in `folder/classes` that `folder/names` names.
fn link(jdk: &Path, folder: &Path) -> String {
    common::javac(
        jdk,
        "LinkAll.java",
        include_str!("fixtures/LinkAll.java"),
        folder,
        &[],
    );
    let module = format!("java.base={}", folder.join("classes").display());
    let (folder, names) = (
        folder.display().to_string(),
        folder.join("names").display().to_string(),
    );
    let options = [
        "-XX:+UnlockDiagnosticVMOptions",
        "-XX:+BytecodeVerificationRemote",
        "-XX:+BytecodeVerificationLocal",
    ];
    let mut arguments = options.to_vec();
    arguments.extend(["--patch-module", &module, "-cp", &folder, "LinkAll", &names]);
    common::run(jdk, "java", &arguments)
}
