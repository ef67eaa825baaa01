use proptest::prelude::*;

use super::*;
use crate::Opcode;

/// `class A { static int f; static void m() {} }` of version 52, without tables: constants 1 "A", 2 class 1, 3 "f", 4 "I",
/// 5 "m", 6 "()V", 7 "Code".
fn small_class() -> ClassFile {
    let mut bytes = vec![
        0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 52, 0, 8, 1, 0, 1, b'A', 7, 0, 1,
    ];
    for text in ["f", "I", "m", "()V", "Code"] {
        bytes.extend([1, 0, text.len() as u8]);
        bytes.extend(text.bytes());
    }
    bytes.extend([0, 0x20, 0, 2, 0, 0, 0, 0, 0, 1, 0, 8, 0, 3, 0, 4, 0, 0]);
    bytes.extend([0, 1, 0, 8, 0, 5, 0, 6, 0, 1, 0, 7, 0, 0, 0, 13]);
    bytes.extend([0, 0, 0, 0, 0, 0, 0, 1, 0xb1, 0, 0, 0, 0, 0, 0]);
    ClassFile::parse(bytes).unwrap()
}

fn patched(place: Place, snippet: Snippet) -> Result<(ClassFile, CodeMap), PatchError> {
    let class = small_class();
    let mut patch = Patch::new(&class)?;
    let mut wanted = MethodPatch::new(&class.methods[0]);
    wanted.insert(place, snippet);
    let map = patch.method(0, &wanted)?;
    Ok((ClassFile::parse(patch.finish()).unwrap(), map))
}

#[test]
fn constants_are_used_again_or_added_behind() {
    let class = small_class();
    let mut patch = Patch::new(&class).unwrap();
    let field = patch.constants().field("A", "f", "I").unwrap();
    assert_eq!(patch.constants().field("A", "f", "I").unwrap(), field);
    // Class, name and descriptor are there: 8 name-and-type, 9 field.
    assert_eq!((field.index, field.slots), (9, 1));
    let method = patch.constants().static_method("B", "ä", "(JI)D").unwrap();
    assert_eq!((method.takes, method.gives), (3, 2));
    assert_eq!(patch.constants().long(-5).unwrap().slots, 2);
    let last = patch.constants().int(7).unwrap();
    let mut wanted = MethodPatch::new(&class.methods[0]);
    let all = Snippet::new()
        .get_static(field)
        .put_static(field)
        .load_constant(last);
    wanted.insert(Place::Entry, all.op(Opcode::Pop));
    patch.method(0, &wanted).unwrap();
    let new = ClassFile::parse(patch.finish()).unwrap();
    let old: Vec<u16> = class.constants.iter().map(|(index, _)| index).collect();
    assert_eq!(old, [1, 2, 3, 4, 5, 6, 7]);
    assert!(
        old.iter()
            .all(|i| new.constants.get(*i) == class.constants.get(*i))
    );
    let found = new.constants.field(9).unwrap();
    assert_eq!((found.class, found.name, found.descriptor), ("A", "f", "I"));
    assert_eq!(new.constants.method(method.index).unwrap().name, "ä");
    // A `long` takes two indexes.
    assert_eq!(
        new.constants.get(last.index - 2).unwrap(),
        &crate::Constant::Long(-5)
    );
    assert_eq!(
        new.constants.get(last.index).unwrap(),
        &crate::Constant::Integer(7)
    );
}

#[test]
fn the_pool_is_full_at_its_limit_and_names_have_one() {
    let class = small_class();
    let mut patch = Patch::new(&class).unwrap();
    let full = (0..).find_map(|value| patch.constants().int(value).err());
    assert_eq!(full, Some(AddConstantError::PoolFull));
    assert_eq!(patch.constants.count(), u16::MAX);
    // What is there can still be used.
    assert_eq!(patch.constants().class("A").unwrap(), 2);
    let long = "x".repeat(70_000);
    let error = patch.constants().field(&long, "f", "I").unwrap_err();
    assert_eq!(error, AddConstantError::Name { name: long });
}

#[test]
fn instructions_take_their_shortest_form() {
    let check = |snippet: Snippet, bytes: &[u8]| assert_eq!(snippet.bytes(), bytes);
    check(Snippet::new().short(-1).short(5), &[0x02, 0x08]);
    check(Snippet::new().short(6).short(-128), &[0x10, 6, 0x10, 0x80]);
    check(Snippet::new().short(300), &[0x11, 1, 44]);
    let load = |kind, slot| Snippet::new().load(kind, slot);
    check(load(LocalType::Int, 0), &[0x1a]);
    check(load(LocalType::Reference, 3), &[0x2d]);
    check(load(LocalType::Double, 4), &[0x18, 4]);
    check(load(LocalType::Long, 256), &[0xc4, 0x16, 1, 0]);
    check(Snippet::new().store(LocalType::Reference, 1), &[0x4c]);
    check(Snippet::new().store(LocalType::Float, 9), &[0x38, 9]);
    check(Snippet::new().increment(3, -1), &[0x84, 3, 0xff]);
    check(
        Snippet::new().increment(3, 128),
        &[0xc4, 0x84, 0, 3, 0, 128],
    );
    let number = |index, slots| NumberConstant { index, slots };
    check(Snippet::new().load_constant(number(255, 1)), &[0x12, 255]);
    check(Snippet::new().load_constant(number(256, 1)), &[0x13, 1, 0]);
    check(Snippet::new().load_constant(number(2, 2)), &[0x14, 0, 2]);
}

#[test]
fn the_stack_is_as_large_as_is_needed() {
    let deep = Snippet::new().op(Opcode::Lconst0).op(Opcode::Dup2);
    let deep = deep.op(Opcode::Ladd).op(Opcode::L2i).op(Opcode::Pop);
    let (class, map) = patched(Place::Before(0), deep).unwrap();
    assert_eq!(class.methods[0].code.as_ref().unwrap().max_stack, 4);
    assert_eq!(
        (map.length(), map.new_index(0), map.new_index(1)),
        (6, Some(5), None)
    );
    assert_eq!(map.origin(4), Some(Origin::Inserted(0)));
    assert_eq!(map.origin(5), Some(Origin::Instruction(0)));
    // What is found may be taken, if as much is put back.
    assert_eq!(
        Snippet::new()
            .op(Opcode::Swap)
            .op(Opcode::DupX1)
            .op(Opcode::Pop)
            .check(),
        Ok(())
    );
}

#[test]
fn what_cannot_be_put_in_is_refused() {
    let fault = |place, snippet| match patched(place, snippet) {
        Err(PatchError::Method { method, fault }) => {
            assert_eq!(method, "m()V");
            fault
        }
        other => panic!("{other:?}"),
    };
    assert_eq!(
        fault(Place::Entry, Snippet::new().short(1)),
        Fault::Unbalanced { words: 1 }
    );
    let opcode = Opcode::Return;
    assert_eq!(
        fault(Place::Entry, Snippet::new().op(opcode)),
        Fault::NotStraight { opcode }
    );
    assert_eq!(
        fault(Place::Before(1), Snippet::new()),
        Fault::NoInstruction { index: 1 }
    );
    let nops = |count| (0..count).fold(Snippet::new(), |all, _| all.op(Opcode::Nop));
    assert_eq!(
        fault(Place::Entry, nops(65_535)),
        Fault::CodeTooLong { length: 65_536 }
    );
    assert_eq!(
        patched(Place::Entry, nops(65_534)).unwrap().1.length(),
        65_535
    );

    let class = small_class();
    let mut patch = Patch::new(&class).unwrap();
    let index = 1;
    assert_eq!(
        patch.method(1, &MethodPatch::default()),
        Err(PatchError::NoMethod { index })
    );
    let mut wanted = MethodPatch::new(&class.methods[0]);
    (0..40_000).for_each(|_| _ = wanted.add_local(AddedLocal::Scratch(LocalType::Long)));
    assert!(
        patch
            .method(0, &wanted)
            .unwrap_err()
            .to_string()
            .contains("too many local")
    );
    // A refused method stays as it was.
    assert_eq!(patch.finish(), *class.bytes);
}

#[test]
fn code_behind_what_never_goes_on_is_left_out() {
    let tick = Snippet::new().short(1).op(Opcode::Pop);
    assert_eq!(
        patched(Place::After(0), tick.clone()).unwrap().1.length(),
        1
    );
    assert_eq!(patched(Place::Entry, tick).unwrap().1.length(), 3);
}

#[test]
fn added_locals_stand_behind_those_of_the_method() {
    let class = small_class();
    let mut patch = Patch::new(&class).unwrap();
    let mut wanted = MethodPatch::new(&class.methods[0]);
    assert_eq!(wanted.add_local(AddedLocal::Kept(FieldType::Double)), 0);
    assert_eq!(wanted.add_local(AddedLocal::Scratch(LocalType::Int)), 2);
    patch.method(0, &wanted).unwrap();
    let new = ClassFile::parse(patch.finish()).unwrap();
    assert_eq!(new.methods[0].code.as_ref().unwrap().max_locals, 3);
    // Patched again with nothing, the method is as it was.
    patch
        .method(0, &MethodPatch::new(&class.methods[0]))
        .unwrap();
    assert_eq!(patch.finish(), *class.bytes);
}

proptest! {
    #[test]
    fn snippets_are_straight_line_code(numbers in proptest::collection::vec(any::<u8>(), 1..40)) {
        let opcodes: Vec<Opcode> = numbers.iter().filter_map(|n| Opcode::from_byte(*n)).collect();
        let all = opcodes.iter().fold(Snippet::new(), |all, opcode| all.op(*opcode));
        let mut code = all.bytes().to_vec();
        if !matches!(all.check(), Err(Fault::NotStraight { .. })) {
            code.push(0xb1);
            let code = crate::Code::decode(&code).unwrap();
            prop_assert_eq!(code.instructions().len(), opcodes.len() + 1);
            let straight = |i: &crate::Instruction| !i.transfers_control();
            prop_assert!(code.instructions()[..opcodes.len()].iter().all(straight));
        }
    }
}
