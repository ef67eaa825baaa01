use proptest::prelude::*;

use super::*;
use crate::descriptor::FieldType;

/// Writes class files by hand, so that each field of the format can be broken at will.
#[derive(Default)]
struct Bytes(Vec<u8>);

impl Bytes {
    fn u1(mut self, value: u8) -> Self {
        self.0.push(value);
        self
    }
    fn u2(mut self, value: u16) -> Self {
        self.0.extend(value.to_be_bytes());
        self
    }
    fn u4(mut self, value: u32) -> Self {
        self.0.extend(value.to_be_bytes());
        self
    }
    fn text(self, text: &str) -> Self {
        let mut with = self.u1(1).u2(text.len() as u16);
        with.0.extend(text.bytes());
        with
    }
}

/// `class A { static int f; static void m() {} }` with a line table of one entry; the position of
/// that table's length is returned too.
fn small_class() -> (Vec<u8>, usize) {
    let head = Bytes::default().u4(0xcafe_babe).u2(0).u2(52).u2(9);
    let pool = head
        .text("A")
        .u1(7)
        .u2(1)
        .text("f")
        .text("I")
        .text("m")
        .text("()V");
    let pool = pool.text("Code").text("LineNumberTable");
    let class = pool.u2(0x20).u2(2).u2(0).u2(0);
    let fields = class.u2(1).u2(8).u2(3).u2(4).u2(0);
    let method = fields.u2(1).u2(8).u2(5).u2(6).u2(1);
    // Code: max_stack 0, max_locals 0, one byte `return`, no handlers, one attribute.
    let code = method
        .u2(7)
        .u4(2 + 2 + 4 + 1 + 2 + 2 + 12)
        .u2(0)
        .u2(0)
        .u4(1)
        .u1(0xb1)
        .u2(0)
        .u2(1);
    let lines = code.u2(8);
    let length_at = lines.0.len();
    let all = lines.u4(6).u2(1).u2(0).u2(17).u2(0);
    (all.0, length_at)
}

#[test]
fn a_class_by_hand() {
    let (bytes, _) = small_class();
    let class = ClassFile::parse(bytes.clone()).unwrap();
    assert_eq!((class.name.as_str(), class.major_version), ("A", 52));
    assert_eq!(class.super_name, None);
    assert_eq!(class.fields[0].field_type, FieldType::Int);
    assert!(class.fields[0].access.is_static());
    let method = class.method("m", "()V").unwrap();
    let code = method.code.as_ref().unwrap();
    assert_eq!(code.bytes, [0xb1]);
    assert_eq!(&bytes[code.range.clone()], [0xb1]);
    assert_eq!(code.line_table().line_at(0), Some(17));
    assert_eq!(method.entry_slots(), []);
    assert_eq!(class.content(&method.attributes[0]).len(), 25);
    assert_eq!(class.damage, []);
}

#[test]
fn a_broken_table_costs_only_itself() {
    let (mut bytes, length_at) = small_class();
    // The table claims two entries in its six bytes.
    bytes[length_at + 5] = 2;
    let class = ClassFile::parse(bytes).unwrap();
    let code = class.methods[0].code.as_ref().unwrap();
    assert_eq!((code.bytes.len(), code.lines.len()), (1, 0));
    let [damage] = class.damage.as_slice() else {
        panic!("{:?}", class.damage)
    };
    assert_eq!(damage.attribute, "LineNumberTable");
    assert_eq!(damage.owner, "method m()V");
    assert!(matches!(damage.error, ClassFileError::Cut(_)));
}

#[test]
fn what_is_no_class_file_is_refused() {
    let (bytes, _) = small_class();
    for cut in 0..bytes.len() {
        let error = ClassFile::parse(&bytes[..cut]).unwrap_err();
        let is_cut = matches!(
            error,
            ClassFileError::Cut(_) | ClassFileError::Constant(ConstantError::Cut(_))
        );
        assert!(is_cut, "{cut}: {error}");
    }
    let mut longer = bytes.clone();
    longer.push(0);
    let end = bytes.len();
    assert_eq!(
        ClassFile::parse(longer).unwrap_err(),
        ClassFileError::Trailing {
            position: end,
            count: 1
        }
    );
    assert_eq!(
        ClassFile::parse(&b"PK\x03\x04"[..]).unwrap_err(),
        ClassFileError::Magic { magic: 0x504b_0304 }
    );
}

proptest! {
    #[test]
    fn changed_bytes_are_read_or_refused(
        changes in proptest::collection::vec((0usize..200, any::<u8>()), 1..6),
    ) {
        let (mut bytes, _) = small_class();
        for (at, value) in changes {
            let at = at % bytes.len();
            bytes[at] = value;
        }
        let extends = ClassFile::head_of(&bytes).map(|head| head.super_name);
        if let Ok(class) = ClassFile::parse(bytes) {
            prop_assert_eq!(extends, Ok(class.super_name.clone()));
            for method in &class.methods {
                let _ = method.entry_slots();
                if let Some(code) = &method.code {
                    let _ = code.decode();
                }
            }
        }
    }
}
