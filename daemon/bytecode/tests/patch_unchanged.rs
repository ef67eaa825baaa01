//! Every class of every JDK, written anew with nothing put in: the same bytes.

mod common;

use std::sync::atomic::{AtomicUsize, Ordering};

use jhyde_bytecode::patch::{MethodPatch, Patch, Place, Snippet};
use jhyde_bytecode::{ClassFile, ClassSource};

/// Moved tables and frames, and switches, are told as compilers tell them, so that code that is written anew with all in
/// its old place is the same to the byte. Left out are methods
/// with annotated types in their code, which are not kept.
#[test]
fn with_nothing_put_in_every_class_stays_the_same() {
    for jdk in common::jdks() {
        let source = ClassSource::java_home(&jdk).unwrap();
        let names = source.names().unwrap();
        let next = AtomicUsize::new(0);
        let work = || {
            let mut written = 0;
            while let Some(name) = names.get(next.fetch_add(1, Ordering::Relaxed)) {
                let class = ClassFile::parse(source.read(name).unwrap().unwrap()).unwrap();
                written += check_class(name, &class);
            }
            written
        };
        let written: usize = std::thread::scope(|scope| {
            let workers: Vec<_> = (0..2).map(|_| scope.spawn(work)).collect();
            workers
                .into_iter()
                .map(|worker| worker.join().unwrap())
                .sum()
        });
        println!(
            "{}: {} classes, {written} methods",
            jdk.display(),
            names.len()
        );
        assert!(written > 100_000, "{written}");
    }
}

/// The number of methods written anew.
fn check_class(name: &str, class: &ClassFile) -> usize {
    let mut patch = Patch::new(class).unwrap();
    // Constants that nothing uses are not written without a method that is patched.
    patch.constants().int(0x1234_5678).unwrap();
    assert!(patch.finish() == *class.bytes, "{name}");
    let (mut patch, mut written) = (Patch::new(class).unwrap(), 0);
    for (number, method) in class.methods.iter().enumerate() {
        let Some(code) = &method.code else { continue };
        assert!(
            patch.method(number, &MethodPatch::new(method)).is_ok(),
            "{name}"
        );
        if code
            .attributes
            .iter()
            .any(|a| a.name.ends_with("TypeAnnotations"))
        {
            continue;
        }
        let mut wanted = MethodPatch::new(method);
        wanted.insert(Place::Before(0), Snippet::new());
        let place = || format!("{name}.{}{}", method.name, method.descriptor.descriptor());
        let map = patch
            .method(number, &wanted)
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(map.length() as usize, code.bytes.len(), "{}", place());
        written += 1;
    }
    assert!(patch.finish() == *class.bytes, "{name}");
    written
}
