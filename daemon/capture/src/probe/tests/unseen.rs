//! Which programs tell each object when it is made.

use jhyde_bytecode::ClassPath;

use super::*;
use crate::probe::names::Names;
use crate::probe::others::Writable;
use crate::scope::Scope;

/// Is there a way to objects of this program that nobody shows? All its classes are in the scope.
fn has_unseen(jdk: Option<&Path>, source: &Path) -> bool {
    has_unseen_at(compiled(jdk, source).path())
}

fn has_unseen_at(classes: &Path) -> bool {
    let path = ClassPath::parse(&classes.display().to_string(), 17);
    let scope = Scope::new(&[], &[]).expect("a scope");
    Names::new(path, 17, scope).expect_unseen()
}

/// The same of a class `Some` for each of these members, compiled at once.
fn have_unseen<'m>(jdk: Option<&Path>, all: &[&'m str]) -> Vec<(&'m str, bool)> {
    let folder = tempfile::tempdir().expect("a folder");
    let source = folder.path().join("All.java");
    let classes = all.iter().enumerate().map(|(number, members)| {
        let name = format!("Some{number}_");
        format!("class {name} {{ {} }}\n", members.replace("Some", &name))
    });
    let text = format!("import java.util.*;\n{}", classes.collect::<String>());
    std::fs::write(&source, text).expect("a file");
    let compiled = compiled(jdk, &source);
    let told = all.iter().enumerate().map(|(number, members)| {
        let own = tempfile::tempdir().expect("a folder");
        let files = std::fs::read_dir(compiled.path()).expect("classes");
        let mut moved = 0;
        for file in files.flatten() {
            let name = file.file_name();
            if name
                .to_string_lossy()
                .starts_with(&format!("Some{number}_"))
            {
                std::fs::rename(file.path(), own.path().join(name)).expect("a class file");
                moved += 1;
            }
        }
        assert!(moved > 0, "{members}");
        (*members, has_unseen_at(own.path()))
    });
    told.collect()
}

#[test]
fn programs_without_a_way_to_what_nobody_shows() {
    for jdk in jdks() {
        let jdk = jdk.as_deref();
        assert!(!has_unseen(jdk, &program("kernels/Kernels.java")));
        for name in ["Records", "Begins"] {
            assert!(!has_unseen(jdk, &source(name)), "{name}");
        }
        let without = [
            "Runnable r = () -> {}; String s(int n) { return \"n\" + n; }",
            "java.util.function.Function<int[], String> f = Arrays::toString;",
            "List<Some> l() { return Arrays.asList(new Some(), new Some()); }",
            "Some[] a() { return new Some[] {new Some(), null}; }",
            "protected void finalize() {}",
            "int[][] a = new int[3][4]; void a(int i) { a[i][i] = i; }",
        ];
        for (members, has) in have_unseen(jdk, &without) {
            assert!(!has, "{members}");
        }
    }
}

#[test]
fn programs_with_a_way_to_what_nobody_shows() {
    for jdk in jdks() {
        let jdk = jdk.as_deref();
        for name in ["Grids", "Fills", "Writes", "Loaders", "Reflects"] {
            assert!(has_unseen(jdk, &source(name)), "{name}");
        }
        let with = [
            "protected void finalize() { System.out.println(); }",
            "List<Some> l(Some[] a) { return Arrays.asList(a); }",
            "void a(Some[] a) { a[1] = new Some(); }",
            "Object a = new Some[][] {{new Some()}};",
            "java.util.function.Consumer<int[]> f = Arrays::sort;",
            "java.util.function.Consumer<byte[]> f = new Random()::nextBytes;",
            "Object a(java.nio.ByteBuffer b) { return b.array(); }",
            "Object l(java.net.URL u) { return new java.net.URLClassLoader(new java.net.URL[] {u}); }",
            "static class L extends ClassLoader {}",
            "Object f() throws Exception { return Some.class.getDeclaredFields()[0].get(this); }",
        ];
        for (members, has) in have_unseen(jdk, &with) {
            assert!(has, "{members}");
        }
    }
}

/// What classes beside the scope may write of a class `Kept`, with these members of one of them.
fn written_by(jdk: Option<&Path>, members: &str) -> Writable {
    let folder = tempfile::tempdir().expect("a folder");
    let source = folder.path().join("All.java");
    let text = format!(
        "class Kept {{ int count; int own; static int total; }}\nclass Other {{ int mine; {members} }}\n"
    );
    std::fs::write(&source, text).expect("a file");
    let compiled = compiled(jdk, &source);
    let path = ClassPath::parse(&compiled.path().display().to_string(), 17);
    let scope = Scope::new(&["Kept".to_owned()], &[]).expect("a scope");
    Names::new(path, 17, scope).written_by_others()
}

#[test]
fn what_classes_beside_the_scope_may_write() {
    let named = |names: &[&str]| {
        let names = names.iter().map(|&name| name.to_owned());
        Writable::Named(names.collect())
    };
    for jdk in jdks() {
        let jdk = jdk.as_deref();
        for (members, written) in [
            ("void a() { mine = 1; }", named(&[])),
            (
                "void a(Kept k) { k.count = 1; mine = 2; }",
                named(&["count"]),
            ),
            ("void a() { Kept.total++; }", named(&["total"])),
            (
                "void a(java.lang.reflect.Field f) throws Exception { f.get(null); f.setAccessible(true); }",
                named(&[]),
            ),
            (
                "void a(java.lang.reflect.Field f) throws Exception { f.setInt(null, 1); }",
                Writable::All,
            ),
            (
                "void a(java.lang.invoke.MethodHandle h) throws Throwable { h.invoke(); }",
                Writable::All,
            ),
        ] {
            assert_eq!(written_by(jdk, members), written, "{members}");
        }
    }
}
