//! Changes of contents as columns: what each is (`heads`), the types of the values (`tags`), their bits
//! (`numbers`, as the difference to the value of the same type before), characters (`units`) and words.
//!
//! ```text
//! columns heads, tags, numbers, units
//! words: n, then per word its length and UTF-8 bytes; each different word once
//! ```
//!
//! A block without changes has one byte per column.

use rustc_hash::FxHashMap;

use super::decode::{Cursor, DecodeError};
use super::ints::{column, put_column, put_varint, unzigzag, zigzag};
use super::shape::{join, split, tag};
use crate::content::{Change, Given, Items, Looked, Part};
use crate::ids::{ObjectId, Timestamp};
use crate::text::Units;
use crate::value::Value;

/// Numbers once given keep their meaning for ever.
mod change {
    pub(super) const WHOLE: u64 = 0;
    pub(super) const FIRST: u64 = 1;
    pub(super) const MORE: u64 = 2;
    pub(super) const SPLICE: u64 = 3;
    pub(super) const UNKNOWN: u64 = 4;
    pub(super) const UNKNOWN_BACK: u64 = 5;
    pub(super) const UNKNOWN_SINCE: u64 = 6;
    pub(super) const GONE: u64 = 7;
    pub(super) const AS_TOLD: u64 = 8;
}

/// What was looked at; of elements their number is added.
mod looked {
    pub(super) const FIELDS: u64 = 0;
    pub(super) const HELD: u64 = 1;
    pub(super) const ELEMENTS: u64 = 2;
}

mod items {
    pub(super) const ELEMENTS: u64 = 0;
    pub(super) const ENTRIES: u64 = 1;
    pub(super) const TEXT: u64 = 2;
    pub(super) const VALUE: u64 = 3;
    pub(super) const NAMED: u64 = 4;
    pub(super) const VIEW: u64 = 5;
}

mod part {
    pub(super) const SAME: u64 = 0;
    pub(super) const KEYS: u64 = 1;
    pub(super) const VALUES: u64 = 2;
    pub(super) const ENTRIES: u64 = 3;
    pub(super) const REVERSED: u64 = 4;
    pub(super) const RANGE: u64 = 5;
    pub(super) const AT: u64 = 6;
    pub(super) const BUFFER: u64 = 7;
    pub(super) const REST: u64 = 8;
}

/// About how many bytes a change takes in memory.
pub(super) fn memory(change: &Change) -> usize {
    size_of::<Change>() + change.size() * size_of::<Value>()
}

#[derive(Default)]
struct Writer<'a> {
    heads: Vec<u64>,
    tags: Vec<u64>,
    numbers: Vec<u64>,
    units: Vec<u64>,
    words: Vec<&'a str>,
    known: FxHashMap<&'a str, u64>,
    before: [u64; tag::LAST as usize + 1],
}

impl<'a> Writer<'a> {
    fn value(&mut self, value: Value) {
        let (value_tag, bits) = split(value);
        self.tags.push(value_tag.into());
        if let Some(bits) = bits {
            let before = std::mem::replace(&mut self.before[usize::from(value_tag)], bits);
            self.numbers.push(zigzag(bits.wrapping_sub(before)));
        }
    }

    fn word(&mut self, word: &'a str) {
        let next = self.words.len() as u64;
        let number = *self.known.entry(word).or_insert(next);
        if number == next {
            self.words.push(word);
        }
        self.heads.push(number);
    }

    fn items(&mut self, held: &'a Items) {
        let length = held.len() as u64;
        match held {
            Items::Elements(values) => {
                self.heads.extend([items::ELEMENTS, length]);
                values.iter().for_each(|&value| self.value(value));
            }
            Items::Entries(entries) => {
                self.heads.extend([items::ENTRIES, length]);
                for &(key, value) in entries {
                    self.value(key);
                    self.value(value);
                }
            }
            Items::Text(units) => {
                self.heads.extend([items::TEXT, length]);
                self.units.extend(units.iter().map(|&unit| u64::from(unit)));
            }
            Items::Value(value) => {
                self.heads.push(items::VALUE);
                self.value(*value);
            }
            Items::Named(parts) => {
                self.heads.extend([items::NAMED, length]);
                for (name, value) in parts {
                    self.word(name);
                    self.value(*value);
                }
            }
            Items::View { of, part } => {
                self.heads.push(items::VIEW);
                self.value(Value::Object(*of));
                self.part(*part);
            }
        }
    }

    fn part(&mut self, part: Part) {
        match part {
            Part::Same => self.heads.push(part::SAME),
            Part::Keys => self.heads.push(part::KEYS),
            Part::Values => self.heads.push(part::VALUES),
            Part::Entries => self.heads.push(part::ENTRIES),
            Part::Reversed => self.heads.push(part::REVERSED),
            Part::Range { from, to } => {
                self.heads.extend([part::RANGE, from.into(), to.into()]);
            }
            Part::At { index } => self.heads.extend([part::AT, index.into()]),
            Part::Rest {
                given,
                index,
                backwards,
            } => {
                let given = match given {
                    Given::Item => 0,
                    Given::Key => 1,
                    Given::Value => 2,
                };
                let how = 2 * given + u64::from(backwards);
                self.heads.extend([part::REST, how, index.into()]);
            }
            Part::Buffer {
                from,
                to,
                position,
                limit,
            } => {
                self.heads.push(part::BUFFER);
                self.heads
                    .extend([from, to, position, limit].map(u64::from));
            }
        }
    }

    fn change(&mut self, change: &'a Change) {
        match change {
            Change::Whole(items) => {
                self.heads.push(change::WHOLE);
                self.items(items);
            }
            Change::First { items, length } => {
                self.heads.extend([change::FIRST, (*length).into()]);
                self.items(items);
            }
            Change::More(items) => {
                self.heads.push(change::MORE);
                self.items(items);
            }
            Change::Splice {
                at,
                removed,
                inserted,
            } => {
                self.heads
                    .extend([change::SPLICE, (*at).into(), (*removed).into()]);
                self.items(inserted);
            }
            Change::Unknown { reason, since } => {
                match since {
                    None => self.heads.push(change::UNKNOWN),
                    Some(Timestamp(0)) => self.heads.push(change::UNKNOWN_BACK),
                    Some(Timestamp(since)) => self.heads.extend([change::UNKNOWN_SINCE, *since]),
                }
                self.word(reason);
            }
            Change::Gone { since } => self.heads.extend([change::GONE, since.0]),
            Change::AsTold(objects) => {
                self.heads.extend([change::AS_TOLD, objects.len() as u64]);
                for &(object, what) in objects {
                    self.value(Value::Object(object));
                    self.heads.push(match what {
                        Looked::Fields => looked::FIELDS,
                        Looked::Held => looked::HELD,
                        Looked::Elements(count) => looked::ELEMENTS + u64::from(count),
                    });
                }
            }
        }
    }
}

/// Appends the changes of a block.
pub(super) fn put_changes(out: &mut Vec<u8>, changes: &[Change]) {
    let mut writer = Writer::default();
    changes.iter().for_each(|change| writer.change(change));
    for numbers in [&writer.heads, &writer.tags, &writer.numbers, &writer.units] {
        put_column(out, numbers);
    }
    put_varint(out, writer.words.len() as u64);
    for word in writer.words {
        put_varint(out, word.len() as u64);
        out.extend_from_slice(word.as_bytes());
    }
}

struct Reader {
    heads: std::vec::IntoIter<u64>,
    tags: std::vec::IntoIter<u64>,
    numbers: std::vec::IntoIter<u64>,
    units: std::vec::IntoIter<u64>,
    words: Vec<String>,
    before: [u64; tag::LAST as usize + 1],
}

const INVALID: DecodeError = DecodeError::Invalid("change of content");

impl Reader {
    fn head(&mut self) -> Result<u64, DecodeError> {
        self.heads.next().ok_or(INVALID)
    }

    fn number(&mut self) -> Result<u32, DecodeError> {
        u32::try_from(self.head()?).map_err(|_| INVALID)
    }

    /// A number of items, of which at least so many are still to be read.
    fn length(&mut self, left: usize) -> Result<usize, DecodeError> {
        let length = usize::try_from(self.head()?).map_err(|_| INVALID)?;
        if length > left {
            Err(INVALID)
        } else {
            Ok(length)
        }
    }

    fn word(&mut self) -> Result<String, DecodeError> {
        let at = usize::try_from(self.head()?).map_err(|_| INVALID)?;
        self.words.get(at).cloned().ok_or(INVALID)
    }

    fn value(&mut self) -> Result<Value, DecodeError> {
        let value_tag = self.tags.next().and_then(|tag| u8::try_from(tag).ok());
        let value_tag = value_tag.filter(|&t| t <= tag::LAST).ok_or(INVALID)?;
        let has_bits = matches!(value_tag, tag::BYTE..=tag::DOUBLE | tag::OBJECT);
        let before = &mut self.before[usize::from(value_tag)];
        if has_bits {
            let difference = self.numbers.next().ok_or(INVALID)?;
            *before = before.wrapping_add(unzigzag(difference));
        }
        Ok(join(value_tag, &mut std::iter::once(*before)))
    }

    fn items(&mut self) -> Result<Items, DecodeError> {
        Ok(match self.head()? {
            items::ELEMENTS => {
                let length = self.length(self.tags.len())?;
                Items::Elements(
                    (0..length)
                        .map(|_| self.value())
                        .collect::<Result<_, _>>()?,
                )
            }
            items::ENTRIES => {
                let length = self.length(self.tags.len() / 2)?;
                let entry = |_| Ok((self.value()?, self.value()?));
                Items::Entries((0..length).map(entry).collect::<Result<_, _>>()?)
            }
            items::TEXT => {
                let length = self.length(self.units.len())?;
                let units = self.units.by_ref().take(length).map(u16::try_from);
                let units: Vec<u16> = units.collect::<Result<_, _>>().map_err(|_| INVALID)?;
                Items::Text(Units::from(units))
            }
            items::VALUE => Items::Value(self.value()?),
            items::NAMED => {
                let length = self.length(self.tags.len())?;
                let part = |_| Ok((self.word()?, self.value()?));
                Items::Named((0..length).map(part).collect::<Result<_, _>>()?)
            }
            items::VIEW => {
                let of: ObjectId = self.value()?.object().ok_or(INVALID)?;
                let part = self.part()?;
                Items::View { of, part }
            }
            _ => return Err(INVALID),
        })
    }

    fn part(&mut self) -> Result<Part, DecodeError> {
        Ok(match self.head()? {
            part::SAME => Part::Same,
            part::KEYS => Part::Keys,
            part::VALUES => Part::Values,
            part::ENTRIES => Part::Entries,
            part::REVERSED => Part::Reversed,
            part::RANGE => Part::Range {
                from: self.number()?,
                to: self.number()?,
            },
            part::AT => Part::At {
                index: self.number()?,
            },
            part::REST => {
                let how = self.head()?;
                Part::Rest {
                    given: match how / 2 {
                        0 => Given::Item,
                        1 => Given::Key,
                        2 => Given::Value,
                        _ => return Err(INVALID),
                    },
                    index: self.number()?,
                    backwards: how % 2 == 1,
                }
            }
            part::BUFFER => Part::Buffer {
                from: self.number()?,
                to: self.number()?,
                position: self.number()?,
                limit: self.number()?,
            },
            _ => return Err(INVALID),
        })
    }

    fn as_told(&mut self) -> Result<(ObjectId, Looked), DecodeError> {
        let object = self.value()?.object().ok_or(INVALID)?;
        let what = match self.head()? {
            looked::FIELDS => Looked::Fields,
            looked::HELD => Looked::Held,
            count => {
                let count = u32::try_from(count - looked::ELEMENTS).map_err(|_| INVALID)?;
                Looked::Elements(count)
            }
        };
        Ok((object, what))
    }

    fn change(&mut self) -> Result<Change, DecodeError> {
        Ok(match self.head()? {
            change::WHOLE => Change::Whole(self.items()?),
            change::FIRST => {
                let length = self.number()?;
                let items = self.items()?;
                Change::First { items, length }
            }
            change::MORE => Change::More(self.items()?),
            change::SPLICE => Change::Splice {
                at: self.number()?,
                removed: self.number()?,
                inserted: self.items()?,
            },
            change::UNKNOWN => Change::Unknown {
                since: None,
                reason: self.word()?,
            },
            change::UNKNOWN_BACK => Change::Unknown {
                since: Some(Timestamp(0)),
                reason: self.word()?,
            },
            change::UNKNOWN_SINCE => Change::Unknown {
                since: Some(Timestamp(self.head()?)),
                reason: self.word()?,
            },
            change::GONE => Change::Gone {
                since: Timestamp(self.head()?),
            },
            change::AS_TOLD => {
                let length = self.length(self.tags.len())?;
                let objects = (0..length).map(|_| self.as_told());
                Change::AsTold(objects.collect::<Result<_, _>>()?)
            }
            _ => return Err(INVALID),
        })
    }
}

/// Reads what [`put_changes`] wrote.
pub(super) fn read_changes(input: &mut Cursor<'_>) -> Result<Vec<Change>, DecodeError> {
    let mut next = || column(input).map(Vec::into_iter);
    let (heads, tags, numbers, units) = (next()?, next()?, next()?, next()?);
    let mut words = Vec::new();
    for _ in 0..input.length(heads.len())? {
        let length = input.length(usize::MAX)?;
        let word = std::str::from_utf8(input.take(length)?).map_err(|_| INVALID)?;
        words.push(word.to_owned());
    }
    let mut reader = Reader {
        heads,
        tags,
        numbers,
        units,
        words,
        before: [0; tag::LAST as usize + 1],
    };
    let mut changes = Vec::new();
    while reader.heads.len() > 0 {
        changes.push(reader.change()?);
    }
    let all_read = [&reader.tags, &reader.numbers, &reader.units]
        .iter()
        .all(|column| column.len() == 0);
    if all_read { Ok(changes) } else { Err(INVALID) }
}
