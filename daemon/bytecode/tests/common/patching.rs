//! Patches that put code everywhere, for tests that have a JVM verify or run the result.

use std::path::Path;

use jhyde_bytecode::patch::{
    AddedLocal, CodeMap, Fault, MethodPatch, Patch, PatchError, Place, Snippet,
};
use jhyde_bytecode::{ClassFile, FieldType, LocalType, Opcode};

/// What a class of the test keeps count with: a static `int` field of it.
pub struct Counter<'a> {
    /// Its name, in internal form.
    pub class: &'a str,
    /// The field's name.
    pub field: &'a str,
}

/// What was done, to make sure that there was something to do.
#[derive(Debug, Default)]
pub struct Done {
    pub classes: usize,
    pub methods: usize,
    pub insertions: usize,
    /// Methods that got too long, and those in which a jump got too far.
    pub too_long: Vec<String>,
    pub too_far: Vec<String>,
}

/// Puts code before every instruction, behind every instruction and at every entry, and gives the class.
pub fn everywhere(
    class: &ClassFile,
    counter: Option<&Counter<'_>>,
    with_locals: bool,
    done: &mut Done,
) -> Vec<u8> {
    let mut patch = Patch::new(class).unwrap();
    let tick = match counter {
        Some(counter) => {
            let field = patch.constants().field(counter.class, counter.field, "I");
            let field = field.unwrap();
            let more = Snippet::new().get_static(field).op(Opcode::Iconst1);
            more.op(Opcode::Iadd).put_static(field)
        }
        None => Snippet::new().short(300).op(Opcode::Pop),
    };
    done.classes += 1;
    for (number, method) in class.methods.iter().enumerate() {
        let Some(code) = &method.code else { continue };
        // HotSpot registers an object for finalization if this method is not empty: with code in `Object`'s every one.
        if method.name == "finalize" && code.bytes.len() == 1 {
            continue;
        }
        let mut wanted = MethodPatch::new(method);
        let mut snippet = tick.clone();
        let mut entry = tick.clone();
        if with_locals {
            let text = FieldType::Object("java/lang/String".to_owned());
            let text = wanted.add_local(AddedLocal::Kept(text));
            let scratch = wanted.add_local(AddedLocal::Scratch(LocalType::Int));
            let long = wanted.add_local(AddedLocal::Kept(FieldType::Long));
            entry = entry
                .op(Opcode::AconstNull)
                .store(LocalType::Reference, text)
                .op(Opcode::Lconst1)
                .store(LocalType::Long, long);
            snippet = snippet
                .load(LocalType::Reference, text)
                .op(Opcode::Pop)
                .load(LocalType::Long, long)
                .op(Opcode::L2i)
                .store(LocalType::Int, scratch);
        }
        wanted.insert(Place::Entry, entry);
        done.insertions += 1;
        for instruction in code.decode().unwrap().instructions() {
            wanted.insert(Place::Before(instruction.index), snippet.clone());
            wanted.insert(Place::After(instruction.index), snippet.clone());
            done.insertions += 2;
        }
        let place = || format!("{}.{}", class.name, method.name);
        match patch.method(number, &wanted) {
            Ok(map) => {
                done.methods += 1;
                check_map(&map, method.code.as_ref().unwrap());
            }
            Err(PatchError::Method { fault, .. }) if matches!(fault, Fault::CodeTooLong { .. }) => {
                done.too_long.push(place());
            }
            Err(PatchError::Method { fault, .. }) if matches!(fault, Fault::JumpTooFar { .. }) => {
                done.too_far.push(place());
            }
            Err(other) => panic!("{}: {other}", class.name),
        }
    }
    patch.finish()
}

/// Old indexes lead to new ones and these back.
fn check_map(map: &CodeMap, old: &jhyde_bytecode::CodeAttribute) {
    let mut last = None;
    for instruction in old.decode().unwrap().instructions() {
        let new = map.new_index(instruction.index).unwrap();
        assert!(last < Some(new));
        last = Some(new);
        assert_eq!(map.origin(new).unwrap().index(), instruction.index);
    }
    assert_eq!(map.origin(map.length()), None);
}

/// Writes a class file under the folder of its package.
pub fn write_class(into: &Path, name: &str, bytes: &[u8]) {
    let path = into.join(format!("{name}.class"));
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, bytes).unwrap();
}
