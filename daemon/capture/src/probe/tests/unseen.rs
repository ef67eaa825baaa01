//! Which programs tell each object when it is made.

use jhyde_bytecode::ClassPath;

use super::*;
use crate::probe::names::Names;
use crate::scope::Scope;

/// Is there a way to objects of this program that nobody shows? All its classes are in the scope.
fn has_unseen(jdk: Option<&Path>, source: &Path) -> bool {
    let folder = compiled(jdk, source);
    let path = ClassPath::parse(&folder.path().display().to_string(), 17);
    let scope = Scope::new(&[], &[]).expect("a scope");
    Names::new(path, 17, scope).expect_unseen()
}

fn has_unseen_in(jdk: Option<&Path>, members: &str) -> bool {
    let folder = tempfile::tempdir().expect("a folder");
    let source = folder.path().join("Some.java");
    let text = format!("import java.util.*;\nclass Some {{ {members} }}\n");
    std::fs::write(&source, text).expect("a file");
    has_unseen(jdk, &source)
}

#[test]
fn programs_without_a_way_to_what_nobody_shows() {
    for jdk in jdks() {
        let jdk = jdk.as_deref();
        assert!(!has_unseen(jdk, &program("kernels/Kernels.java")));
        for name in ["Records", "Begins"] {
            assert!(!has_unseen(jdk, &source(name)), "{name}");
        }
        for members in [
            "Runnable r = () -> {}; String s(int n) { return \"n\" + n; }",
            "java.util.function.Function<int[], String> f = Arrays::toString;",
            "List<Some> l() { return Arrays.asList(new Some(), new Some()); }",
            "Some[] a() { return new Some[] {new Some(), null}; }",
            "protected void finalize() {}",
            "int[][] a = new int[3][4]; void a(int i) { a[i][i] = i; }",
        ] {
            assert!(!has_unseen_in(jdk, members), "{members}");
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
        for members in [
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
        ] {
            assert!(has_unseen_in(jdk, members), "{members}");
        }
    }
}
