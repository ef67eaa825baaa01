//! Any subset of places patched means the same as before; damaged class files are patched or refused, never a panic.

mod common;

use std::ops::Range;
use std::sync::OnceLock;

use common::patching::check_tables;
use jhyde_bytecode::patch::{AddedLocal, Fault, MethodPatch, Patch, PatchError, Place, Snippet};
use jhyde_bytecode::{ClassFile, ClassSource, FieldType, LocalType, Opcode};
use proptest::prelude::*;
use proptest::sample::Index;

/// Classes with many kinds of instructions and tables: switches, handlers, frames that append, chop and tell all.
fn classes() -> &'static [Vec<u8>] {
    static CLASSES: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    CLASSES.get_or_init(|| {
        let source = ClassSource::java_home(&common::jdks()[0]).unwrap();
        let names = [
            "java/util/Scanner",
            "java/util/zip/ZipFile",
            "java/util/Formatter",
            "java/lang/Throwable",
        ];
        names
            .map(|name| source.read(name).unwrap().unwrap())
            .to_vec()
    })
}

/// What is asked for in a method: at each instruction in turn one of these lengths before and behind (0: nothing).
fn patch_of(
    class: &ClassFile,
    number: usize,
    lengths: &[(u16, u16)],
    local: bool,
) -> Option<MethodPatch> {
    let method = &class.methods[number];
    let code = method.code.as_ref()?.decode().ok()?;
    let mut wanted = MethodPatch::new(method);
    if local {
        let object = FieldType::Object("java/lang/Object".to_owned());
        let slot = wanted.add_local(AddedLocal::Kept(object));
        let none = Snippet::new().op(Opcode::AconstNull);
        wanted.insert(Place::Entry, none.store(LocalType::Reference, slot));
    }
    let nops = |count| (0..count).fold(Snippet::new(), |all, _| all.op(Opcode::Nop));
    for (instruction, (before, after)) in code.instructions().iter().zip(lengths.iter().cycle()) {
        for (place, length) in [
            (Place::Before(instruction.index), *before),
            (Place::After(instruction.index), *after),
        ] {
            if length > 0 {
                wanted.insert(place, nops(length));
            }
        }
    }
    Some(wanted)
}

/// Where code bytes, exception tables, line and variable tables and frames lie.
fn parts_of_code(class: &ClassFile) -> Vec<Range<usize>> {
    let codes = class.methods.iter().filter_map(|m| m.code.as_ref());
    let parts = codes.flat_map(|code| {
        let handlers = code.range.end + 2;
        let handlers = handlers..handlers + 8 * code.handlers.len();
        let tables = code.attributes.iter().map(|a| a.content.clone());
        [code.range.clone(), handlers].into_iter().chain(tables)
    });
    parts.filter(|part| !part.is_empty()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn any_places_mean_the_same(
        pick: usize,
        lengths in proptest::collection::vec((prop_oneof![4 => 0u16..9, 1 => 9u16..2_000], 0u16..6), 1..60),
        local: bool,
    ) {
        let class = ClassFile::parse(classes()[pick % classes().len()].as_slice()).unwrap();
        for number in 0..class.methods.len() {
            let Some(wanted) = patch_of(&class, number, &lengths, local) else { continue };
            let mut patch = Patch::new(&class).unwrap();
            let map = match patch.method(number, &wanted) {
                Ok(map) => map,
                Err(PatchError::Method { fault: Fault::CodeTooLong { .. } | Fault::JumpTooFar { .. }, .. }) => continue,
                Err(error) => panic!("{error}"),
            };
            let new = ClassFile::parse(patch.finish()).unwrap();
            let (old, new) = (&class.methods[number], &new.methods[number]);
            check_tables(&old.name, old.code.as_ref().unwrap(), new.code.as_ref().unwrap(), &map);
        }
    }

    #[test]
    fn damaged_classes_are_patched_or_refused(
        pick: usize,
        changes in proptest::collection::vec((any::<Index>(), any::<Index>(), any::<u8>()), 1..40),
        lengths in proptest::collection::vec((0u16..40, 0u16..6), 1..60),
        local: bool,
    ) {
        let whole = ClassFile::parse(classes()[pick % classes().len()].as_slice()).unwrap();
        let mut bytes = whole.bytes.to_vec();
        let parts = parts_of_code(&whole);
        for (part, at, value) in changes {
            let part = part.get(&parts);
            bytes[part.start + at.index(part.len())] = value;
        }
        // A table that is broken costs no more than itself.
        let class = ClassFile::parse(bytes).unwrap();
        let mut patch = Patch::new(&class).unwrap();
        for number in 0..class.methods.len() {
            if let Some(wanted) = patch_of(&class, number, &lengths, local) {
                let _ = patch.method(number, &wanted);
            }
        }
        prop_assert!(ClassFile::parse(patch.finish()).is_ok());
    }
}
