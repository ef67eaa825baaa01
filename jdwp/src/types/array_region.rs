//! Parts of arrays, in bulk.

use super::{ObjectId, Tag, TaggedObject};
use crate::codec::{DecodeError, DecodeErrorKind, IdSizes, Reader, Wire, Writer};

/// Consecutive elements of an array (spec: `arrayregion`: a tag, a count and the elements, which
/// carry tags of their own only if they are references).
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub enum ArrayRegion {
    /// Elements of a `boolean[]`.
    Boolean(Vec<bool>),
    /// Elements of a `byte[]`.
    Byte(Vec<i8>),
    /// Elements of a `char[]`.
    Char(Vec<u16>),
    /// Elements of a `short[]`.
    Short(Vec<i16>),
    /// Elements of an `int[]`.
    Int(Vec<i32>),
    /// Elements of a `long[]`.
    Long(Vec<i64>),
    /// Elements of a `float[]`.
    Float(Vec<f32>),
    /// Elements of a `double[]`.
    Double(Vec<f64>),
    /// Elements of an array of references.
    Object {
        /// The tag of the array's element type: any reference tag.
        #[cfg_attr(feature = "arbitrary", arbitrary(with = reference_tag))]
        tag: Tag,
        /// The elements, each with its own tag.
        elements: Vec<TaggedObject>,
    },
}

#[cfg(feature = "arbitrary")]
fn reference_tag(u: &mut arbitrary::Unstructured<'_>) -> arbitrary::Result<Tag> {
    let references = [
        Tag::OBJECT,
        Tag::ARRAY,
        Tag::STRING,
        Tag::THREAD,
        Tag::CLASS_OBJECT,
    ];
    u.choose(&references).copied()
}

impl ArrayRegion {
    /// The tag of the element type.
    pub const fn tag(&self) -> Tag {
        match self {
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

    /// Number of elements.
    pub fn len(&self) -> usize {
        match self {
            Self::Boolean(elements) => elements.len(),
            Self::Byte(elements) => elements.len(),
            Self::Char(elements) => elements.len(),
            Self::Short(elements) => elements.len(),
            Self::Int(elements) => elements.len(),
            Self::Long(elements) => elements.len(),
            Self::Float(elements) => elements.len(),
            Self::Double(elements) => elements.len(),
            Self::Object { elements, .. } => elements.len(),
        }
    }

    /// True if there is no element.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One element as a value.
    pub fn get(&self, index: usize) -> Option<super::Value> {
        use super::Value;
        match self {
            Self::Boolean(elements) => elements.get(index).copied().map(Value::Boolean),
            Self::Byte(elements) => elements.get(index).copied().map(Value::Byte),
            Self::Char(elements) => elements.get(index).copied().map(Value::Char),
            Self::Short(elements) => elements.get(index).copied().map(Value::Short),
            Self::Int(elements) => elements.get(index).copied().map(Value::Int),
            Self::Long(elements) => elements.get(index).copied().map(Value::Long),
            Self::Float(elements) => elements.get(index).copied().map(Value::Float),
            Self::Double(elements) => elements.get(index).copied().map(Value::Double),
            Self::Object { elements, .. } => elements.get(index).copied().map(Value::from),
        }
    }

    /// The elements as values.
    pub fn values(&self) -> impl Iterator<Item = super::Value> + '_ {
        (0..self.len()).filter_map(|index| self.get(index))
    }

    /// The element type, the number of elements and their bytes as they came (big-endian, without
    /// a copy) of an encoded region of primitives: the fast way for bulk transfers. References
    /// and malformed regions give an error.
    pub fn primitive_bytes(body: &[u8]) -> Result<(Tag, usize, &[u8]), DecodeError> {
        let mut reader = Reader::new(body, IdSizes::EIGHT);
        let tag: Tag = reader.read()?;
        let width = match tag {
            Tag::BOOLEAN | Tag::BYTE => 1,
            Tag::CHAR | Tag::SHORT => 2,
            Tag::INT | Tag::FLOAT => 4,
            Tag::LONG | Tag::DOUBLE => 8,
            _ => {
                return Err(reader
                    .error_at(0, DecodeErrorKind::Tag(tag.0))
                    .within("ArrayRegion"));
            }
        };
        let count = reader.count(width)?;
        let bytes = reader.take(count * width)?;
        reader.finish()?;
        Ok((tag, count, bytes))
    }
}

impl Wire for ArrayRegion {
    fn min_len(_: &IdSizes) -> usize {
        5
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let offset = reader.position();
        let tag: Tag = reader.read()?;
        Ok(match tag {
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
                elements: reader.read()?,
            },
            tag => {
                let error = reader.error_at(offset, DecodeErrorKind::Tag(tag.0));
                return Err(error.within("ArrayRegion"));
            }
        })
    }

    fn write(&self, writer: &mut Writer<'_>) {
        writer.write(&self.tag());
        match self {
            Self::Boolean(elements) => writer.write(elements),
            Self::Byte(elements) => writer.write(elements),
            Self::Char(elements) => writer.write(elements),
            Self::Short(elements) => writer.write(elements),
            Self::Int(elements) => writer.write(elements),
            Self::Long(elements) => writer.write(elements),
            Self::Float(elements) => writer.write(elements),
            Self::Double(elements) => writer.write(elements),
            Self::Object { elements, .. } => writer.write(elements),
        }
    }
}

impl ArrayRegion {
    /// The ids of an array of references; empty for primitives.
    pub fn objects(&self) -> impl Iterator<Item = ObjectId> + '_ {
        let elements = match self {
            Self::Object { elements, .. } => elements.as_slice(),
            _ => &[],
        };
        elements.iter().map(|element| element.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::encode;

    #[test]
    fn primitive_bytes_are_the_elements_as_sent() {
        let body = encode(&ArrayRegion::Long(vec![1, -1]), &IdSizes::EIGHT);
        let (tag, count, bytes) = ArrayRegion::primitive_bytes(&body).unwrap();
        assert_eq!((tag, count, bytes.len()), (Tag::LONG, 2, 16));
        assert_eq!(bytes[7], 1);
        assert!(ArrayRegion::primitive_bytes(&body[..body.len() - 1]).is_err());
        let objects = ArrayRegion::Object {
            tag: Tag::OBJECT,
            elements: vec![TaggedObject::NULL],
        };
        assert!(ArrayRegion::primitive_bytes(&encode(&objects, &IdSizes::EIGHT)).is_err());
    }
}
