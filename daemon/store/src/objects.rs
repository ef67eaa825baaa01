//! What is known of objects, in runs of rising ids.
//!
//! ```text
//! 1 byte version, then columns of `jhyde_trace::columns`:
//! ids      differences
//! classes  class + 1, 0 when not known
//! kinds    of content
//! numbers  what the kinds need: lengths, types and values of boxes
//! lengths  of texts in bytes
//! varint length of all texts, varint length compressed, the texts (lz4 where that is smaller)
//! CRC-32 of all before, 4 bytes little-endian
//! ```

use jhyde_trace::columns::{self, DecodeError, Reader};
use jhyde_trace::{ClassId, Content, ObjectId, ObjectInfo, Text, Value};

/// Format version of a run.
pub(crate) const VERSION: u8 = 1;

mod kind {
    pub(super) const NONE: u64 = 0;
    pub(super) const STRING: u64 = 1;
    pub(super) const BOX: u64 = 2;
    pub(super) const ARRAY: u64 = 3;
    pub(super) const THROWABLE: u64 = 4;
    pub(super) const THROWABLE_TEXT: u64 = 5;
    pub(super) const CLASS: u64 = 6;
}

/// The most bytes of text in one run when reading: guards against hostile lengths.
const MAX_TEXT: u64 = 1 << 28;

/// A primitive value as type and bits. References and unknown values cannot be in a box; they are
/// kept as "unknown".
fn split_value(value: Value) -> (u64, u64) {
    match value {
        Value::Boolean(v) => (0, v.into()),
        Value::Byte(v) => (1, i64::from(v) as u64),
        Value::Char(v) => (2, v.into()),
        Value::Short(v) => (3, i64::from(v) as u64),
        Value::Int(v) => (4, i64::from(v) as u64),
        Value::Long(v) => (5, v as u64),
        Value::Float(v) => (6, v.into()),
        Value::Double(v) => (7, v),
        Value::Null => (8, 0),
        Value::Object(v) => (9, v.0),
        Value::Missing(why) => (10, why as u64),
    }
}

fn join_value(kind: u64, bits: u64) -> Result<Value, DecodeError> {
    use jhyde_trace::Missing;
    Ok(match kind {
        0 => Value::Boolean(bits != 0),
        1 => Value::Byte(bits as i8),
        2 => Value::Char(bits as u16),
        3 => Value::Short(bits as i16),
        4 => Value::Int(bits as i32),
        5 => Value::Long(bits as i64),
        6 => Value::Float(bits as u32),
        7 => Value::Double(bits),
        8 => Value::Null,
        9 => Value::Object(ObjectId(bits)),
        10 => Value::Missing(match bits {
            0 => Missing::Level,
            1 => Missing::Native,
            2 => Missing::BeforeRecording,
            _ => Missing::Unreadable,
        }),
        _ => return Err(DecodeError::Invalid("box")),
    })
}

/// Objects, by strictly rising id, as bytes.
pub(crate) fn encode(objects: &[(ObjectId, ObjectInfo)]) -> Vec<u8> {
    let (mut ids, mut classes, mut kinds) = (vec![], vec![], vec![]);
    let (mut numbers, mut lengths, mut texts) = (vec![], vec![], Vec::new());
    let mut before = 0;
    let text = |text: &str, lengths: &mut Vec<u64>, texts: &mut Vec<u8>| {
        lengths.push(text.len() as u64);
        texts.extend_from_slice(text.as_bytes());
    };
    for (id, info) in objects {
        ids.push(id.0.wrapping_sub(before));
        before = id.0;
        classes.push(info.class.map_or(0, |class| u64::from(class.0) + 1));
        kinds.push(match &info.content {
            Content::None => kind::NONE,
            Content::String(string) => {
                numbers.push(string.length.into());
                text(&string.prefix, &mut lengths, &mut texts);
                kind::STRING
            }
            Content::Box(value) => {
                let (value_kind, bits) = split_value(*value);
                numbers.extend([value_kind, bits]);
                kind::BOX
            }
            Content::Array(length) => {
                numbers.push((*length).into());
                kind::ARRAY
            }
            Content::Throwable(None) => kind::THROWABLE,
            Content::Throwable(Some(message)) => {
                numbers.push(message.length.into());
                text(&message.prefix, &mut lengths, &mut texts);
                kind::THROWABLE_TEXT
            }
            Content::Class(name) => {
                text(name, &mut lengths, &mut texts);
                kind::CLASS
            }
        });
    }
    let mut out = vec![VERSION];
    for column in [&ids, &classes, &kinds, &numbers, &lengths] {
        columns::put(&mut out, column);
    }
    columns::put_varint(&mut out, texts.len() as u64);
    let compressed = lz4_flex::block::compress(&texts);
    let stored = if compressed.len() < texts.len() {
        &compressed
    } else {
        &texts
    };
    columns::put_varint(&mut out, stored.len() as u64);
    out.extend_from_slice(stored);
    let checksum = crc32fast::hash(&out);
    out.extend_from_slice(&checksum.to_le_bytes());
    out
}

/// The inverse of [`encode`].
pub(crate) fn decode(bytes: &[u8]) -> Result<Vec<(ObjectId, ObjectInfo)>, DecodeError> {
    let (body, stored) = bytes.split_last_chunk::<4>().ok_or(DecodeError::Cut)?;
    let (stored, found) = (u32::from_le_bytes(*stored), crc32fast::hash(body));
    if stored != found {
        return Err(DecodeError::Checksum { found, stored });
    }
    match body.split_first() {
        Some((&VERSION, columns)) => decode_columns(columns),
        Some((&version, _)) => Err(DecodeError::UnknownVersion(version)),
        None => Err(DecodeError::Cut),
    }
}

/// What stands between version and checksum.
pub(crate) fn decode_columns(bytes: &[u8]) -> Result<Vec<(ObjectId, ObjectInfo)>, DecodeError> {
    let mut input = Reader::new(bytes);
    let (ids, classes) = (input.column()?, input.column()?);
    let (kinds, numbers, lengths) = (input.column()?, input.column()?, input.column()?);
    let length = input.varint()?;
    let stored = usize::try_from(input.varint()?).map_err(|_| DecodeError::Cut)?;
    let stored_texts = input.bytes(stored)?;
    input.finish()?;
    if length > MAX_TEXT || ids.len() != classes.len() || ids.len() != kinds.len() {
        return Err(DecodeError::Invalid("objects"));
    }
    let texts = if stored as u64 == length {
        stored_texts.to_vec()
    } else {
        lz4_flex::block::decompress(stored_texts, length as usize)
            .map_err(|_| DecodeError::Invalid("lz4 data"))?
    };
    let (mut numbers, mut lengths) = (numbers.into_iter(), lengths.into_iter());
    let mut texts = texts.as_slice();
    let mut objects = Vec::with_capacity(ids.len());
    let mut id = 0u64;
    for at in 0..ids.len() {
        id = id.wrapping_add(ids[at]);
        let class = match classes[at].checked_sub(1) {
            None => None,
            Some(class) => Some(ClassId(
                u32::try_from(class).map_err(|_| DecodeError::Invalid("class"))?,
            )),
        };
        let mut number = || numbers.next().ok_or(DecodeError::Invalid("objects"));
        let mut text = || -> Result<String, DecodeError> {
            let length = lengths.next().ok_or(DecodeError::Invalid("texts"))?;
            let length = usize::try_from(length).map_err(|_| DecodeError::Invalid("texts"))?;
            let (text, rest) = texts
                .split_at_checked(length)
                .ok_or(DecodeError::Invalid("texts"))?;
            texts = rest;
            let text = std::str::from_utf8(text);
            Ok(text.map_err(|_| DecodeError::Invalid("texts"))?.to_owned())
        };
        let content = match kinds[at] {
            kind::NONE => Content::None,
            kind::STRING => Content::String(Text {
                length: number()? as u32,
                prefix: text()?,
            }),
            kind::BOX => {
                let value_kind = number()?;
                Content::Box(join_value(value_kind, number()?)?)
            }
            kind::ARRAY => Content::Array(number()? as u32),
            kind::THROWABLE => Content::Throwable(None),
            kind::THROWABLE_TEXT => Content::Throwable(Some(Text {
                length: number()? as u32,
                prefix: text()?,
            })),
            kind::CLASS => Content::Class(text()?),
            _ => return Err(DecodeError::Invalid("kind of content")),
        };
        objects.push((ObjectId(id), ObjectInfo { class, content }));
    }
    Ok(objects)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn contents() -> impl Strategy<Value = Content> {
        let text = (".{0,12}", any::<u32>()).prop_map(|(prefix, length)| Text { prefix, length });
        prop_oneof![
            Just(Content::None),
            text.clone().prop_map(Content::String),
            any::<i64>().prop_map(|v| Content::Box(Value::Long(v))),
            any::<bool>().prop_map(|v| Content::Box(Value::Boolean(v))),
            any::<u64>().prop_map(|v| Content::Box(Value::Double(v))),
            any::<u32>().prop_map(Content::Array),
            proptest::option::of(text).prop_map(Content::Throwable),
            ".{0,30}".prop_map(Content::Class),
        ]
    }

    proptest! {
        #[test]
        fn objects_come_back(
            ids in proptest::collection::btree_set(any::<u64>(), 0..50),
            infos in proptest::collection::vec(
                (proptest::option::of(any::<u32>()), contents()), 50..51)
        ) {
            let objects: Vec<_> = ids
                .into_iter()
                .zip(infos)
                .map(|(id, (class, content))| {
                    (ObjectId(id), ObjectInfo { class: class.map(ClassId), content })
                })
                .collect();
            prop_assert_eq!(decode(&encode(&objects)), Ok(objects));
        }

        #[test]
        fn any_bytes_are_objects_or_an_error(
            bytes in proptest::collection::vec(any::<u8>(), 0..200)
        ) {
            let _ = decode(&bytes);
            let _ = decode_columns(&bytes);
        }
    }
}
