//! Patches that put code everywhere, for tests that have a JVM verify or run the result.

use std::path::Path;

use jhyde_bytecode::patch::{
    AddedLocal, CodeMap, Fault, MethodPatch, Origin, Patch, PatchError, Place, Snippet,
};
use jhyde_bytecode::{
    ClassFile, CodeAttribute, ExceptionHandler, FieldType, LocalType, LocalVariable, Opcode,
};

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
    let mut maps = Vec::new();
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
                maps.push((number, map));
            }
            Err(PatchError::Method {
                fault: Fault::CodeTooLong { .. },
                ..
            }) => {
                done.too_long.push(place());
            }
            Err(PatchError::Method {
                fault: Fault::JumpTooFar { .. },
                ..
            }) => {
                done.too_far.push(place());
            }
            Err(other) => panic!("{}: {other}", class.name),
        }
    }
    let bytes = patch.finish();
    let patched = ClassFile::parse(bytes.as_slice()).unwrap();
    assert_eq!(patched.damage, [], "{}", class.name);
    for (number, map) in maps {
        let (old, new) = (&class.methods[number], &patched.methods[number]);
        let place = format!("{}.{}", class.name, old.name);
        check_tables(
            &place,
            old.code.as_ref().unwrap(),
            new.code.as_ref().unwrap(),
            &map,
        );
    }
    bytes
}

/// Everything that holds an index means the same as before, instruction by instruction.
pub fn check_tables(place: &str, old: &CodeAttribute, new: &CodeAttribute, map: &CodeMap) {
    let (old_code, new_code) = (old.decode().unwrap(), new.decode().unwrap());
    assert_eq!(new_code.length(), map.length(), "{place}");
    assert_eq!(map.origin(map.length()), None, "{place}");
    let (old_lines, new_lines) = (old.line_table(), new.line_table());
    let handlers = moved_handlers(place, old, new, map);
    assert_eq!(old.variables.len(), new.variables.len(), "{place}");
    let mut last = None;
    for instruction in old_code.instructions() {
        let at = instruction.index;
        let moved = map.new_index(at).unwrap();
        assert!(last < Some(moved), "{place}: {at}");
        last = Some(moved);
        assert_eq!(map.origin(moved), Some(Origin::Instruction(at)), "{place}");
        let other = new_code.at(moved).unwrap();
        let targets = other
            .targets()
            .into_iter()
            .map(|to| map.origin(to).unwrap().index());
        assert_eq!(
            instruction.targets(),
            targets.collect::<Vec<_>>(),
            "{place}: {at}"
        );
        if instruction.targets().is_empty() {
            assert_eq!(
                (instruction.opcode, &instruction.operands),
                (other.opcode, &other.operands)
            );
        }
        assert_eq!(
            old_lines.line_at(at),
            new_lines.line_at(moved),
            "{place}: {at}"
        );
        for (a, b) in old.handlers.iter().zip(&handlers) {
            let guards = |h: &ExceptionHandler, at| h.start <= at && at < h.end;
            assert_eq!(guards(a, at), guards(b, moved), "{place}: {at}");
            assert_eq!(map.origin(b.handler).unwrap().index(), a.handler, "{place}");
            assert_eq!(a.catch_type, b.catch_type, "{place}");
        }
        for (a, b) in old.variables.iter().zip(&new.variables) {
            let visible = |v: &LocalVariable, at| v.start <= at && at < v.start + v.length;
            assert_eq!(visible(a, at), visible(b, moved), "{place}: {at} {a:?}");
            assert_eq!(
                (&a.name, &a.signature, a.slot),
                (&b.name, &b.signature, b.slot),
                "{place}"
            );
        }
    }
}

/// The entries of the exception table that were there before. In front of each that guards its own handler stands one that guards what
/// was put in front of that handler, and nothing else, and leads behind it.
fn moved_handlers(
    place: &str,
    old: &CodeAttribute,
    new: &CodeAttribute,
    map: &CodeMap,
) -> Vec<ExceptionHandler> {
    let mut all = new.handlers.iter();
    let mut moved = Vec::new();
    for entry in &old.handlers {
        let mut found = all.next().unwrap();
        let standing = map.new_index(entry.handler).unwrap();
        if found.handler == standing && found.end == standing && found.start < standing {
            let in_front = (found.start..standing).map(|at| map.origin(at).unwrap());
            assert!(
                in_front
                    .into_iter()
                    .all(|at| at == Origin::Inserted(entry.handler)),
                "{place}"
            );
            let (added, of) = (found, all.next().unwrap());
            assert_eq!(
                (added.start, &added.catch_type),
                (of.handler, &of.catch_type),
                "{place}"
            );
            found = of;
        } else {
            let guards_itself = (entry.start..entry.end).contains(&entry.handler);
            assert!(!guards_itself || found.handler == standing, "{place}");
        }
        moved.push(found.clone());
    }
    assert!(all.next().is_none(), "{place}");
    moved
}

/// Writes a class file under the folder of its package.
pub fn write_class(into: &Path, name: &str, bytes: &[u8]) {
    let path = into.join(format!("{name}.class"));
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, bytes).unwrap();
}
