//! Values: tagged, untagged, and object ids with their tags.

use super::{ObjectId, Tag};
use crate::codec::{DecodeError, DecodeErrorKind, IdSizes, Reader, Wire, Writer};

/// A value of a variable, an argument or a result (spec: `value`, a tag byte and the value).
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value {
    /// No value: the result of a void method.
    Void,
    /// A boolean.
    Boolean(bool),
    /// A byte.
    Byte(i8),
    /// A char: one UTF-16 unit.
    Char(u16),
    /// A short.
    Short(i16),
    /// An int.
    Int(i32),
    /// A long.
    Long(i64),
    /// A float, with the bits that the JVM sent.
    Float(f32),
    /// A double, with the bits that the JVM sent.
    Double(f64),
    /// A reference. Null has id 0 and the tag `OBJECT`, whatever the variable's type.
    Object {
        /// What kind of object it is; always a reference tag.
        tag: Tag,
        /// The object.
        id: ObjectId,
    },
}

impl Value {
    /// Null.
    pub const NULL: Self = Self::Object {
        tag: Tag::OBJECT,
        id: ObjectId::NULL,
    };

    /// The tag that goes before this value.
    pub const fn tag(&self) -> Tag {
        match self {
            Self::Void => Tag::VOID,
            Self::Boolean(_) => Tag::BOOLEAN,
            Self::Byte(_) => Tag::BYTE,
            Self::Char(_) => Tag::CHAR,
            Self::Short(_) => Tag::SHORT,
            Self::Int(_) => Tag::INT,
            Self::Long(_) => Tag::LONG,
            Self::Float(_) => Tag::FLOAT,
            Self::Double(_) => Tag::DOUBLE,
            Self::Object { tag, .. } => *tag,
        }
    }

    /// The object of a reference that is not null.
    pub const fn object(&self) -> Option<TaggedObject> {
        match *self {
            Self::Object { tag, id } if !id.is_null() => Some(TaggedObject { tag, id }),
            _ => None,
        }
    }

    /// Reads a value without its tag (spec: `untagged-value`), given its type. Any reference tag
    /// reads an object id and is kept as it is.
    #[inline]
    pub fn read_untagged(reader: &mut Reader<'_>, tag: Tag) -> Result<Self, DecodeError> {
        Ok(match tag {
            Tag::VOID => Self::Void,
            Tag::BOOLEAN => Self::Boolean(reader.read()?),
            Tag::BYTE => Self::Byte(reader.read()?),
            Tag::CHAR => Self::Char(reader.read()?),
            Tag::SHORT => Self::Short(reader.read()?),
            Tag::INT => Self::Int(reader.read()?),
            Tag::LONG => Self::Long(reader.read()?),
            Tag::FLOAT => Self::Float(reader.read()?),
            Tag::DOUBLE => Self::Double(reader.read()?),
            tag if tag.is_reference() => Self::Object {
                tag,
                id: reader.read()?,
            },
            tag => {
                let at = reader.position().saturating_sub(1);
                return Err(reader
                    .error_at(at, DecodeErrorKind::Tag(tag.0))
                    .within("value"));
            }
        })
    }

    /// Writes the value without its tag.
    #[inline]
    pub fn write_untagged(&self, writer: &mut Writer<'_>) {
        match self {
            Self::Void => {}
            Self::Boolean(value) => writer.write(value),
            Self::Byte(value) => writer.write(value),
            Self::Char(value) => writer.write(value),
            Self::Short(value) => writer.write(value),
            Self::Int(value) => writer.write(value),
            Self::Long(value) => writer.write(value),
            Self::Float(value) => writer.write(value),
            Self::Double(value) => writer.write(value),
            Self::Object { id, .. } => writer.write(id),
        }
    }
}

impl Wire for Value {
    fn min_len(_: &IdSizes) -> usize {
        1
    }

    #[inline]
    fn read(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let tag = reader.read()?;
        Self::read_untagged(reader, tag)
    }

    #[inline]
    fn write(&self, writer: &mut Writer<'_>) {
        writer.write(&self.tag());
        self.write_untagged(writer);
    }
}

wire_struct! {
    /// An object id and the kind of object it is (spec: `tagged-objectID`). Null is id 0.
    #[derive(Copy, Eq, Hash)]
    pub struct TaggedObject {
        /// The kind.
        pub tag: Tag,
        /// The object.
        pub id: ObjectId,
    }
}

impl TaggedObject {
    /// Null.
    pub const NULL: Self = Self {
        tag: Tag::OBJECT,
        id: ObjectId::NULL,
    };

    /// True of null.
    pub const fn is_null(&self) -> bool {
        self.id.is_null()
    }
}

impl From<TaggedObject> for Value {
    fn from(object: TaggedObject) -> Self {
        Self::Object {
            tag: object.tag,
            id: object.id,
        }
    }
}

/// A value that is sent without its tag, because the JVM knows the variable's type
/// (spec: `untagged-value`).
///
/// It can be written but not read back by itself: [`Wire::read`] answers
/// [`DecodeErrorKind::Untagged`], and who knows the types uses [`Value::read_untagged`].
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub struct UntaggedValue(pub Value);

impl From<Value> for UntaggedValue {
    fn from(value: Value) -> Self {
        Self(value)
    }
}

impl Wire for UntaggedValue {
    /// Void takes no bytes, but no variable is void: 1 keeps hostile counts bounded.
    fn min_len(_: &IdSizes) -> usize {
        1
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Err(reader.error_at(reader.position(), DecodeErrorKind::Untagged))
    }

    fn write(&self, writer: &mut Writer<'_>) {
        self.0.write_untagged(writer);
    }
}

#[cfg(feature = "arbitrary")]
impl<'a> arbitrary::Arbitrary<'a> for Value {
    fn arbitrary(u: &mut arbitrary::Unstructured<'a>) -> arbitrary::Result<Self> {
        let tag = *u.choose(Tag::KNOWN)?;
        Ok(match tag {
            Tag::VOID => Self::Void,
            Tag::BOOLEAN => Self::Boolean(u.arbitrary()?),
            Tag::BYTE => Self::Byte(u.arbitrary()?),
            Tag::CHAR => Self::Char(u.arbitrary()?),
            Tag::SHORT => Self::Short(u.arbitrary()?),
            Tag::INT => Self::Int(u.arbitrary()?),
            Tag::LONG => Self::Long(u.arbitrary()?),
            Tag::FLOAT => Self::Float(u.arbitrary()?),
            Tag::DOUBLE => Self::Double(u.arbitrary()?),
            tag => Self::Object {
                tag,
                id: u.arbitrary()?,
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::{decode, encode};

    #[test]
    fn values_look_as_the_spec_says() {
        let bytes = encode(&Value::Int(-2), &IdSizes::EIGHT);
        assert_eq!(bytes, [b'I', 0xFF, 0xFF, 0xFF, 0xFE]);
        let bytes = encode(&Value::NULL, &IdSizes::EIGHT);
        assert_eq!(bytes, [b'L', 0, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(encode(&Value::Void, &IdSizes::EIGHT), [b'V']);
    }

    #[test]
    fn nan_payloads_survive() {
        let value = Value::Double(f64::from_bits(0x7FF4_0000_DEAD_BEEF));
        let back: Value = decode(&encode(&value, &IdSizes::EIGHT), &IdSizes::EIGHT).unwrap();
        let Value::Double(double) = back else {
            panic!("{back:?}")
        };
        assert_eq!(double.to_bits(), 0x7FF4_0000_DEAD_BEEF);
    }

    #[test]
    fn an_unknown_tag_is_named_with_its_place() {
        let error = decode::<Value>(&[b'q', 1, 2], &IdSizes::EIGHT).unwrap_err();
        assert_eq!(error.kind, DecodeErrorKind::Tag(b'q'));
        assert_eq!(error.offset, 0);
    }
}
