//! The constant pool (JVMS §4.4), by index: what the operands of instructions point into. Read from
//! a class file, or from what JDWP's `ReferenceType.ConstantPool` returns.

use crate::mutf8;
use crate::reader::{Cut, Reader};

/// Why a constant pool could not be read, or has not what was looked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConstantError {
    /// It ends too early.
    #[error("the constant pool is {0}")]
    Cut(#[from] Cut),
    /// An entry of a kind that JVMS does not define.
    #[error("constant {index} has the unknown tag {tag}")]
    UnknownTag {
        /// The entry.
        index: u16,
        /// Its tag.
        tag: u8,
    },
    /// An index that is not (the start of) an entry.
    #[error("there is no constant {index}; the pool ends before {count}")]
    Missing {
        /// The index.
        index: u16,
        /// One more than the greatest index.
        count: u16,
    },
    /// An entry of another kind than the place where it is used demands.
    #[error("constant {index} is {found}, not {expected}")]
    Kind {
        /// The entry.
        index: u16,
        /// What should be there.
        expected: &'static str,
        /// What is.
        found: &'static str,
    },
}

/// An entry. Numbers in it are indexes of other entries unless said otherwise.
#[derive(Clone, Debug, PartialEq)]
pub enum Constant {
    /// Text.
    Utf8 {
        /// As names are read: unpaired surrogates, which a name hardly has, have become U+FFFD.
        text: String,
        /// Its UTF-16 units, if there are such surrogates.
        units: Option<Vec<u16>>,
    },
    /// An `int`.
    Integer(i32),
    /// A `float`.
    Float(f32),
    /// A `long`.
    Long(i64),
    /// A `double`.
    Double(f64),
    /// A class, by its name.
    Class(u16),
    /// A string, by its text.
    String(u16),
    /// A field of a class.
    Field(Member),
    /// A method of a class.
    Method(Member),
    /// A method of an interface.
    InterfaceMethod(Member),
    /// A name with a descriptor.
    NameAndType {
        /// The name's text.
        name: u16,
        /// The descriptor's text.
        descriptor: u16,
    },
    /// A method handle (JVMS §4.4.8).
    MethodHandle {
        /// `REF_getField` (1) … `REF_invokeInterface` (9).
        kind: u8,
        /// The field or method.
        reference: u16,
    },
    /// A method type, by its descriptor.
    MethodType(u16),
    /// A dynamically computed constant.
    Dynamic(CallSite),
    /// A dynamically computed call site: `invokedynamic`.
    InvokeDynamic(CallSite),
    /// A module, by its name.
    Module(u16),
    /// A package, by its name.
    Package(u16),
}

/// A field or method reference's parts, as indexes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    /// A `Class`.
    pub class: u16,
    /// A `NameAndType`.
    pub name_and_type: u16,
}

/// A dynamic constant's or call site's parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallSite {
    /// Index into the class's bootstrap methods, not into the constant pool.
    pub bootstrap_method: u16,
    /// A `NameAndType`.
    pub name_and_type: u16,
}

/// A field or method that an instruction names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MemberRef<'a> {
    /// The class in internal form (`java/lang/String`), or an array's descriptor (`[I`, as in
    /// `int[].clone()`).
    pub class: &'a str,
    /// The member's name.
    pub name: &'a str,
    /// Its descriptor.
    pub descriptor: &'a str,
    /// A method of an interface.
    pub in_interface: bool,
}

/// The constants of one class, by index from 1.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ConstantPool {
    /// Entry 0, and the second halves of `long` and `double`, are `None`.
    entries: Vec<Option<Constant>>,
}

impl ConstantPool {
    /// Reads a pool from JDWP's `ReferenceType.ConstantPool`: `count` is one more than the greatest
    /// index, as there and in the class file.
    pub fn parse(count: u16, bytes: &[u8]) -> Result<Self, ConstantError> {
        Self::read(count, &mut Reader::new(bytes))
    }

    pub(crate) fn read(count: u16, reader: &mut Reader<'_>) -> Result<Self, ConstantError> {
        let mut entries = vec![None];
        while entries.len() < usize::from(count) {
            let constant = read_constant(reader, entries.len() as u16)?;
            let two = matches!(constant, Constant::Long(_) | Constant::Double(_));
            entries.push(Some(constant));
            if two {
                entries.push(None);
            }
        }
        Ok(Self { entries })
    }

    /// One more than the greatest index.
    pub fn count(&self) -> u16 {
        u16::try_from(self.entries.len()).unwrap_or(u16::MAX)
    }

    /// Are these its first entries, numbers by their bits? HotSpot adds some of its own behind those of a class file.
    pub fn begins_with(&self, other: &Self) -> bool {
        let same = |(one, other): (&Option<Constant>, &Option<Constant>)| match (one, other) {
            (Some(Constant::Float(one)), Some(Constant::Float(other))) => {
                one.to_bits() == other.to_bits()
            }
            (Some(Constant::Double(one)), Some(Constant::Double(other))) => {
                one.to_bits() == other.to_bits()
            }
            (one, other) => one == other,
        };
        self.entries.len() >= other.entries.len()
            && self.entries.iter().zip(&other.entries).all(same)
    }

    /// The entries with their indexes.
    pub fn iter(&self) -> impl Iterator<Item = (u16, &Constant)> {
        self.entries
            .iter()
            .enumerate()
            .filter_map(|(index, entry)| Some((index as u16, entry.as_ref()?)))
    }

    /// The entry at an index.
    pub fn get(&self, index: u16) -> Result<&Constant, ConstantError> {
        let missing = ConstantError::Missing {
            index,
            count: self.count(),
        };
        self.entries
            .get(usize::from(index))
            .and_then(Option::as_ref)
            .ok_or(missing)
    }

    /// The text at an index.
    pub fn utf8(&self, index: u16) -> Result<&str, ConstantError> {
        match self.get(index)? {
            Constant::Utf8 { text, .. } => Ok(text),
            other => Err(other.is_not(index, "text")),
        }
    }

    /// The UTF-16 units of the text at an index, exactly.
    pub fn units(&self, index: u16) -> Result<Vec<u16>, ConstantError> {
        match self.get(index)? {
            Constant::Utf8 { text, units } => Ok(match units {
                Some(units) => units.clone(),
                None => text.encode_utf16().collect(),
            }),
            other => Err(other.is_not(index, "text")),
        }
    }

    /// The name of the class at an index, in internal form, or an array's descriptor.
    pub fn class(&self, index: u16) -> Result<&str, ConstantError> {
        match self.get(index)? {
            Constant::Class(name) => self.utf8(*name),
            other => Err(other.is_not(index, "a class")),
        }
    }

    /// Name and descriptor of the `NameAndType` at an index.
    pub fn name_and_type(&self, index: u16) -> Result<(&str, &str), ConstantError> {
        match self.get(index)? {
            Constant::NameAndType { name, descriptor } => {
                Ok((self.utf8(*name)?, self.utf8(*descriptor)?))
            }
            other => Err(other.is_not(index, "a name with a type")),
        }
    }

    /// The field at an index: operand of `getfield`, `putfield`, `getstatic`, `putstatic`.
    pub fn field(&self, index: u16) -> Result<MemberRef<'_>, ConstantError> {
        match self.get(index)? {
            Constant::Field(member) => self.member(*member, false),
            other => Err(other.is_not(index, "a field")),
        }
    }

    /// The method at an index: operand of the invoke instructions but `invokedynamic`.
    pub fn method(&self, index: u16) -> Result<MemberRef<'_>, ConstantError> {
        match self.get(index)? {
            Constant::Method(member) => self.member(*member, false),
            Constant::InterfaceMethod(member) => self.member(*member, true),
            other => Err(other.is_not(index, "a method")),
        }
    }

    /// The call site at an index, with its name and its descriptor: operand of `invokedynamic`.
    pub fn call_site(&self, index: u16) -> Result<(CallSite, &str, &str), ConstantError> {
        match self.get(index)? {
            Constant::InvokeDynamic(site) => {
                let (name, descriptor) = self.name_and_type(site.name_and_type)?;
                Ok((*site, name, descriptor))
            }
            other => Err(other.is_not(index, "a dynamic call site")),
        }
    }

    /// The name and the descriptor of the dynamic constant at an index: operand of the instructions that load constants.
    pub fn dynamic_constant(&self, index: u16) -> Result<(&str, &str), ConstantError> {
        match self.get(index)? {
            Constant::Dynamic(constant) => self.name_and_type(constant.name_and_type),
            other => Err(other.is_not(index, "a dynamic constant")),
        }
    }

    fn member(&self, member: Member, in_interface: bool) -> Result<MemberRef<'_>, ConstantError> {
        let class = self.class(member.class)?;
        let (name, descriptor) = self.name_and_type(member.name_and_type)?;
        Ok(MemberRef {
            class,
            name,
            descriptor,
            in_interface,
        })
    }
}

impl Constant {
    fn is_not(&self, index: u16, expected: &'static str) -> ConstantError {
        ConstantError::Kind {
            index,
            expected,
            found: self.kind(),
        }
    }

    const fn kind(&self) -> &'static str {
        match self {
            Self::Utf8 { .. } => "text",
            Self::Integer(_) => "an int",
            Self::Float(_) => "a float",
            Self::Long(_) => "a long",
            Self::Double(_) => "a double",
            Self::Class(_) => "a class",
            Self::String(_) => "a string",
            Self::Field(_) => "a field",
            Self::Method(_) => "a method",
            Self::InterfaceMethod(_) => "an interface method",
            Self::NameAndType { .. } => "a name with a type",
            Self::MethodHandle { .. } => "a method handle",
            Self::MethodType(_) => "a method type",
            Self::Dynamic(_) => "a dynamic constant",
            Self::InvokeDynamic(_) => "a dynamic call site",
            Self::Module(_) => "a module",
            Self::Package(_) => "a package",
        }
    }
}

fn read_constant(reader: &mut Reader<'_>, index: u16) -> Result<Constant, ConstantError> {
    let tag = reader.u1()?;
    Ok(match tag {
        1 => {
            let length = reader.u2()?;
            let (text, units) = mutf8::decode(reader.take(usize::from(length))?);
            Constant::Utf8 { text, units }
        }
        3 => Constant::Integer(reader.u4()? as i32),
        4 => Constant::Float(f32::from_bits(reader.u4()?)),
        5 => Constant::Long(reader.u8()? as i64),
        6 => Constant::Double(f64::from_bits(reader.u8()?)),
        7 => Constant::Class(reader.u2()?),
        8 => Constant::String(reader.u2()?),
        9 => Constant::Field(read_member(reader)?),
        10 => Constant::Method(read_member(reader)?),
        11 => Constant::InterfaceMethod(read_member(reader)?),
        12 => Constant::NameAndType {
            name: reader.u2()?,
            descriptor: reader.u2()?,
        },
        15 => Constant::MethodHandle {
            kind: reader.u1()?,
            reference: reader.u2()?,
        },
        16 => Constant::MethodType(reader.u2()?),
        17 => Constant::Dynamic(read_site(reader)?),
        18 => Constant::InvokeDynamic(read_site(reader)?),
        19 => Constant::Module(reader.u2()?),
        20 => Constant::Package(reader.u2()?),
        _ => return Err(ConstantError::UnknownTag { index, tag }),
    })
}

fn read_member(reader: &mut Reader<'_>) -> Result<Member, Cut> {
    Ok(Member {
        class: reader.u2()?,
        name_and_type: reader.u2()?,
    })
}

fn read_site(reader: &mut Reader<'_>) -> Result<CallSite, Cut> {
    Ok(CallSite {
        bootstrap_method: reader.u2()?,
        name_and_type: reader.u2()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// 1 "A", 2 class 1, 3 long 7 (and 4), 5 "f", 6 "I", 7 name-and-type 5 6, 8 field 2 7
    const POOL: &[u8] = &[
        1, 0, 1, b'A', 7, 0, 1, 5, 0, 0, 0, 0, 0, 0, 0, 7, 1, 0, 1, b'f', 1, 0, 1, b'I', 12, 0, 5,
        0, 6, 9, 0, 2, 0, 7,
    ];

    #[test]
    fn entries_by_index() {
        let pool = ConstantPool::parse(9, POOL).unwrap();
        assert_eq!(pool.class(2).unwrap(), "A");
        assert_eq!(pool.get(3).unwrap(), &Constant::Long(7));
        let field = pool.field(8).unwrap();
        assert_eq!((field.class, field.name, field.descriptor), ("A", "f", "I"));
        assert_eq!(
            pool.iter().map(|(index, _)| index).collect::<Vec<_>>(),
            [1, 2, 3, 5, 6, 7, 8]
        );
        for index in [0, 4, 9, u16::MAX] {
            assert_eq!(
                pool.get(index).unwrap_err(),
                ConstantError::Missing { index, count: 9 }
            );
        }
        assert_eq!(
            pool.method(8).unwrap_err(),
            ConstantError::Kind {
                index: 8,
                expected: "a method",
                found: "a field"
            }
        );
        assert!(pool.class(1).is_err());
    }

    #[test]
    fn entries_are_compared_by_their_bits() {
        let pool = |numbers: &[u32]| {
            let bytes = numbers
                .iter()
                .flat_map(|bits| [&[4][..], &bits.to_be_bytes()].concat());
            let bytes: Vec<u8> = bytes.collect();
            ConstantPool::parse(numbers.len() as u16 + 1, &bytes).unwrap()
        };
        const NAN: u32 = 0x7fc0_0000;
        let (one, more) = (pool(&[NAN, 0]), pool(&[NAN, 0, 1]));
        assert!(one.begins_with(&one) && more.begins_with(&one));
        assert!(!one.begins_with(&more), "it has an entry less");
        assert!(!pool(&[NAN, 0x8000_0000]).begins_with(&one), "-0.0");
        assert!(!pool(&[NAN + 1, 0]).begins_with(&one), "another NaN");
    }

    #[test]
    fn a_cut_pool_and_an_unknown_tag_are_refused() {
        for cut in 0..POOL.len() {
            assert!(matches!(
                ConstantPool::parse(9, &POOL[..cut]),
                Err(ConstantError::Cut(_))
            ));
        }
        assert_eq!(
            ConstantPool::parse(2, &[2, 0, 0]).unwrap_err(),
            ConstantError::UnknownTag { index: 1, tag: 2 }
        );
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(count: u16, bytes: Vec<u8>, index: u16) {
            if let Ok(pool) = ConstantPool::parse(count, &bytes) {
                let _ = (pool.field(index), pool.method(index), pool.call_site(index));
            }
        }
    }
}
