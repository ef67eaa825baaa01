//! What is known of objects, in runs of rising ids.
//!
//! ```text
//! 1 byte version, then columns of `jhyde_trace::columns`:
//! ids      differences
//! classes  class + 1, 0 when not known
//! kinds    of content
//! numbers  what the kinds need: lengths, types and values of boxes
//! lengths  of texts in bytes (generalised UTF-8: surrogates without a partner are kept)
//! varint length of all texts, varint length compressed, the texts (lz4 where that is smaller)
//! Version 1 is read too: it has fewer kinds, and of exceptions only the message.
//! CRC-32 of all before, 4 bytes little-endian
//! ```

use jhyde_trace::columns::{self, DecodeError, Reader};
use jhyde_trace::{ClassId, Content, ObjectId, ObjectInfo, Text, Throwable, Units, Value};

/// Format version of a run.
pub(crate) const VERSION: u8 = 2;

mod kind {
    pub(super) const NONE: u64 = 0;
    pub(super) const STRING: u64 = 1;
    pub(super) const BOX: u64 = 2;
    pub(super) const ARRAY: u64 = 3;
    pub(super) const THROWABLE: u64 = 4;
    pub(super) const THROWABLE_TEXT: u64 = 5;
    pub(super) const CLASS: u64 = 6;
    pub(super) const ENUM: u64 = 7;
    pub(super) const SHOWN: u64 = 8;
    pub(super) const LAMBDA: u64 = 9;
    pub(super) const THREAD: u64 = 10;
    /// An exception with more than its message.
    pub(super) const THROWABLE_WHOLE: u64 = 11;
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
            4 => Missing::Doubted,
            5 => Missing::Unseen,
            _ => Missing::Unreadable,
        }),
        _ => return Err(DecodeError::Invalid("box")),
    })
}

/// The columns that the kinds of content fill.
#[derive(Default)]
struct Contents {
    numbers: Vec<u64>,
    lengths: Vec<u64>,
    texts: Vec<u8>,
}

impl Contents {
    fn bytes(&mut self, text: &[u8]) {
        self.lengths.push(text.len() as u64);
        self.texts.extend_from_slice(text);
    }

    fn text(&mut self, text: &Text) {
        self.numbers.push(text.length.into());
        self.bytes(&text.prefix.to_bytes());
    }

    fn value(&mut self, value: Value) {
        let (kind, bits) = split_value(value);
        self.numbers.extend([kind, bits]);
    }

    fn values(&mut self, values: &[Value]) {
        self.numbers.push(values.len() as u64);
        values.iter().for_each(|&value| self.value(value));
    }

    /// Notes what an object holds; gives the kind.
    fn note(&mut self, content: &Content) -> u64 {
        match content {
            Content::None => kind::NONE,
            Content::String(string) => {
                self.text(string);
                kind::STRING
            }
            Content::Box(value) => {
                self.value(*value);
                kind::BOX
            }
            Content::Array(length) => {
                self.numbers.push((*length).into());
                kind::ARRAY
            }
            Content::Throwable(thrown) => self.throwable(thrown),
            Content::Class(name) => {
                self.bytes(name.as_bytes());
                kind::CLASS
            }
            Content::Enum(name) => {
                self.bytes(name.as_bytes());
                kind::ENUM
            }
            Content::Shown(text) => {
                self.text(text);
                kind::SHOWN
            }
            Content::Lambda { method, captured } => {
                self.bytes(method.as_bytes());
                self.values(captured);
                kind::LAMBDA
            }
            Content::Thread(name) => {
                self.text(name);
                kind::THREAD
            }
        }
    }

    fn throwable(&mut self, thrown: &Throwable) -> u64 {
        let Throwable {
            message,
            overridden,
            cause,
            suppressed,
            trace,
        } = thrown;
        if *thrown == Throwable::with_message(message.clone()) {
            return match message {
                None => kind::THROWABLE,
                Some(message) => {
                    self.text(message);
                    kind::THROWABLE_TEXT
                }
            };
        }
        let flags = [
            message.is_some(),
            *overridden,
            suppressed.is_some(),
            trace.is_some(),
        ];
        let flags = flags
            .iter()
            .rev()
            .fold(0, |all, &one| all << 1 | u64::from(one));
        self.numbers.push(flags);
        self.value(*cause);
        if let Some(message) = message {
            self.text(message);
        }
        if let Some(suppressed) = suppressed {
            self.values(suppressed);
        }
        if let Some(trace) = trace {
            self.numbers.push(trace.len() as u64);
            trace.iter().for_each(|line| self.bytes(line.as_bytes()));
        }
        kind::THROWABLE_WHOLE
    }
}

/// Objects, by strictly rising id, as bytes.
pub(crate) fn encode(objects: &[(ObjectId, ObjectInfo)]) -> Vec<u8> {
    let (mut ids, mut classes, mut kinds) = (vec![], vec![], vec![]);
    let mut contents = Contents::default();
    let mut before = 0;
    for (id, info) in objects {
        ids.push(id.0.wrapping_sub(before));
        before = id.0;
        classes.push(info.class.map_or(0, |class| u64::from(class.0) + 1));
        kinds.push(contents.note(&info.content));
    }
    let Contents {
        numbers,
        lengths,
        texts,
    } = contents;
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
        Some((1..=VERSION, columns)) => decode_columns(columns),
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
    let mut contents = ContentReader {
        numbers: numbers.into_iter(),
        lengths: lengths.into_iter(),
        texts: &texts,
    };
    let mut objects = Vec::with_capacity(ids.len());
    let mut id = 0u64;
    for ((step, class), kind) in ids.into_iter().zip(classes).zip(kinds) {
        id = id.wrapping_add(step);
        let class = match class.checked_sub(1) {
            None => None,
            Some(class) => Some(ClassId(
                u32::try_from(class).map_err(|_| DecodeError::Invalid("class"))?,
            )),
        };
        let content = contents.content(kind)?;
        objects.push((ObjectId(id), ObjectInfo { class, content }));
    }
    Ok(objects)
}

/// The inverse of [`Contents`].
struct ContentReader<'a> {
    numbers: std::vec::IntoIter<u64>,
    lengths: std::vec::IntoIter<u64>,
    texts: &'a [u8],
}

impl ContentReader<'_> {
    fn number(&mut self) -> Result<u64, DecodeError> {
        self.numbers.next().ok_or(DecodeError::Invalid("objects"))
    }

    /// A number of things of which each has a number or a length that is still to be read.
    fn count(&mut self) -> Result<usize, DecodeError> {
        let count = usize::try_from(self.number()?).unwrap_or(usize::MAX);
        if count > self.numbers.len() + self.lengths.len() {
            return Err(DecodeError::Invalid("objects"));
        }
        Ok(count)
    }

    fn bytes(&mut self) -> Result<&[u8], DecodeError> {
        let invalid = DecodeError::Invalid("texts");
        let length = self.lengths.next().ok_or_else(|| invalid.clone())?;
        let length = usize::try_from(length).map_err(|_| invalid.clone())?;
        let (text, rest) = self.texts.split_at_checked(length).ok_or(invalid)?;
        self.texts = rest;
        Ok(text)
    }

    fn word(&mut self) -> Result<String, DecodeError> {
        let text = std::str::from_utf8(self.bytes()?);
        Ok(text.map_err(|_| DecodeError::Invalid("texts"))?.to_owned())
    }

    fn text(&mut self) -> Result<Text, DecodeError> {
        let length = self.number()? as u32;
        let prefix = Units::from_bytes(self.bytes()?).ok_or(DecodeError::Invalid("texts"))?;
        Ok(Text { prefix, length })
    }

    fn value(&mut self) -> Result<Value, DecodeError> {
        let kind = self.number()?;
        join_value(kind, self.number()?)
    }

    fn values(&mut self) -> Result<Vec<Value>, DecodeError> {
        (0..self.count()?).map(|_| self.value()).collect()
    }

    fn content(&mut self, kind: u64) -> Result<Content, DecodeError> {
        Ok(match kind {
            kind::NONE => Content::None,
            kind::STRING => Content::String(self.text()?),
            kind::BOX => Content::Box(self.value()?),
            kind::ARRAY => Content::Array(self.number()? as u32),
            kind::THROWABLE => Content::Throwable(Throwable::with_message(None)),
            kind::THROWABLE_TEXT => Content::Throwable(Throwable::with_message(Some(self.text()?))),
            kind::THROWABLE_WHOLE => Content::Throwable(self.throwable()?),
            kind::CLASS => Content::Class(self.word()?),
            kind::ENUM => Content::Enum(self.word()?),
            kind::SHOWN => Content::Shown(self.text()?),
            kind::LAMBDA => Content::Lambda {
                method: self.word()?,
                captured: self.values()?,
            },
            kind::THREAD => Content::Thread(self.text()?),
            _ => return Err(DecodeError::Invalid("kind of content")),
        })
    }

    fn throwable(&mut self) -> Result<Throwable, DecodeError> {
        let flags = self.number()?;
        let is = |bit: u32| flags >> bit & 1 == 1;
        let cause = self.value()?;
        let message = if is(0) { Some(self.text()?) } else { None };
        let suppressed = if is(2) { Some(self.values()?) } else { None };
        let trace = if is(3) {
            let lines = (0..self.count()?).map(|_| self.word());
            Some(lines.collect::<Result<_, _>>()?)
        } else {
            None
        };
        Ok(Throwable {
            message,
            overridden: is(1),
            cause,
            suppressed,
            trace,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn value() -> impl Strategy<Value = Value> {
        prop_oneof![
            any::<u64>().prop_map(|id| Value::Object(ObjectId(id))),
            any::<i32>().prop_map(Value::Int),
            Just(Value::Null),
            Just(Value::Missing(jhyde_trace::Missing::Unreadable)),
        ]
    }

    fn text() -> impl Strategy<Value = Text> {
        let units = prop_oneof![
            ".{0,12}".prop_map(|text| Units::from(text.as_str())),
            proptest::collection::vec(0xD7F0_u16..0xE010, 0..9).prop_map(Units::from),
        ];
        (units, any::<u32>()).prop_map(|(prefix, length)| Text { prefix, length })
    }

    fn throwable() -> impl Strategy<Value = Throwable> {
        let values = || proptest::collection::vec(value(), 0..3);
        let parts = (
            proptest::option::of(text()),
            any::<bool>(),
            value(),
            proptest::option::of(values()),
            proptest::option::of(proptest::collection::vec(".{0,9}", 0..3)),
        );
        parts.prop_map(
            |(message, overridden, cause, suppressed, trace)| Throwable {
                message,
                overridden,
                cause,
                suppressed,
                trace,
            },
        )
    }

    fn contents() -> impl Strategy<Value = Content> {
        let captured = proptest::collection::vec(value(), 0..3);
        prop_oneof![
            Just(Content::None),
            text().prop_map(Content::String),
            any::<i64>().prop_map(|v| Content::Box(Value::Long(v))),
            any::<bool>().prop_map(|v| Content::Box(Value::Boolean(v))),
            any::<u64>().prop_map(|v| Content::Box(Value::Double(v))),
            any::<u32>().prop_map(Content::Array),
            proptest::option::of(text())
                .prop_map(|message| Content::Throwable(Throwable::with_message(message))),
            throwable().prop_map(Content::Throwable),
            ".{0,30}".prop_map(Content::Class),
            ".{0,30}".prop_map(Content::Enum),
            text().prop_map(Content::Shown),
            text().prop_map(Content::Thread),
            (".{0,30}", captured)
                .prop_map(|(method, captured)| Content::Lambda { method, captured }),
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
