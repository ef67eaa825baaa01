//! What the words mean that the probe class writes (`java/java/lang/JhydeProbe.java`): one log for each thread, a record
//! after the other.
//!
//! The first word of a record has its kind in the upper 8 bits, a number below 2^24 behind it (of a method, or of a
//! place in code), and in the lower 32 bits what it says. A reference is told by the number of its object (`JhydeIdentity.java`), 0 for
//! null, and what [`Told`] has of it. Records stand whole in what is flushed at once, but not in what is read
//! while a thread runs on: then the rest comes later.

mod ahead;
mod records;
#[cfg(test)]
mod tests;
mod texts;

use std::collections::VecDeque;
use std::rc::Rc;

use jhyde_trace::{Part, Value};
use rustc_hash::FxHashMap;

pub(crate) use ahead::Ahead;
pub(crate) use records::{
    Fall, Fixed, Held, Holds, LongText, Object, Raw, Record, Reference, Sum, Told, Turn,
};
use texts::Texts;

/// So many units are told of the end of a text.
const LAST: usize = 64;

/// The words make no sense: a record that nobody writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Nonsense {
    /// The word at which that shows.
    pub(crate) word: u64,
}

/// The log of one thread, as far as it has come and was not read.
#[derive(Debug, Default)]
pub(crate) struct Log {
    words: VecDeque<u64>,
    /// Words that have come, those that were read among them.
    length: u64,
    classes: FxHashMap<u32, Rc<str>>,
    /// The record that comes next, read already.
    next: Option<Record>,
    /// What was told where the log was flushed before that record.
    sum: Option<Sum>,
    /// What objects held before that record.
    held: Vec<Held>,
    texts: Texts,
}

impl Log {
    pub(crate) fn extend(&mut self, words: impl IntoIterator<Item = u64>) {
        let before = self.words.len();
        self.words.extend(words);
        self.length += (self.words.len() - before) as u64;
    }

    /// The record that comes next, without taking it; `None` where there is none, or not all of it.
    pub(crate) fn peek(&mut self) -> Result<Option<&Record>, Nonsense> {
        if self.next.is_none() {
            self.next = self.read()?;
        }
        Ok(self.next.as_ref())
    }

    /// Takes it, with the checksum of that time if it was told.
    pub(crate) fn take(&mut self) -> Option<(Record, Option<Sum>)> {
        let record = self.next.take()?;
        Some((record, self.sum.take()))
    }

    /// Takes what objects held before the record that comes next.
    pub(crate) fn take_held(&mut self) -> Vec<Held> {
        std::mem::take(&mut self.held)
    }

    /// Is there nothing left of it?
    pub(crate) fn is_empty(&self) -> bool {
        self.next.is_none() && self.words.is_empty()
    }

    /// Does it end in the middle of the record that comes next? So it does where its thread stood while it wrote that.
    pub(crate) fn is_cut(&mut self) -> bool {
        matches!(self.peek(), Ok(None)) && !self.words.is_empty()
    }

    /// How many words were not read yet.
    pub(crate) fn waiting(&self) -> usize {
        self.words.len()
    }

    /// How many words have come.
    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    fn read(&mut self) -> Result<Option<Record>, Nonsense> {
        loop {
            let mut cursor = Cursor {
                words: &self.words,
                at: 0,
                classes: &self.classes,
                texts: &mut self.texts,
            };
            let Some(record) = cursor.record()? else {
                return Ok(None);
            };
            let taken = cursor.at;
            self.words.drain(..taken);
            match record {
                Line::Record(record) => return Ok(Some(record)),
                Line::Name(number, name) => drop(self.classes.insert(number, name)),
                Line::Sum(sum) => self.sum = Some(sum),
                Line::Held(held) => self.held.push(held),
            }
        }
    }
}

/// A record, or what only this module needs to know.
enum Line {
    Record(Record),
    Name(u32, Rc<str>),
    Sum(Sum),
    Held(Held),
}

struct Cursor<'a> {
    words: &'a VecDeque<u64>,
    at: usize,
    classes: &'a FxHashMap<u32, Rc<str>>,
    texts: &'a mut Texts,
}

/// Gives up where words are missing.
macro_rules! some {
    ($value:expr) => {
        match $value {
            Some(value) => value,
            None => return Ok(None),
        }
    };
}

impl Cursor<'_> {
    fn word(&mut self) -> Option<u64> {
        let word = self.words.get(self.at).copied();
        self.at += usize::from(word.is_some());
        word
    }

    fn record(&mut self) -> Result<Option<Line>, Nonsense> {
        let word = some!(self.word());
        let (kind, number, low) = (word >> 56, (word >> 32) as u32 & 0xff_ffff, word as u32);
        let site = number;
        let record = match kind {
            1 => Record::Enter { method: number },
            2 => Record::Result {
                site,
                result: Raw::Void,
            },
            3 => Record::Result {
                site,
                result: Raw::Narrow(low),
            },
            4 => Record::Result {
                site,
                result: Raw::Wide(some!(self.word())),
            },
            5 => Record::Result {
                site,
                result: Raw::Reference(some!(self.reference(low)?)),
            },
            6 => Record::Caught {
                site,
                exception: some!(self.reference(low)?),
            },
            7 => Record::Shown {
                hash: low,
                elements: None,
            },
            15 => {
                let length = some!(self.word()) as u32 as usize;
                let mut hashes = Vec::with_capacity(length.min(self.words.len() * 2));
                while hashes.len() < length {
                    let word = some!(self.word());
                    hashes.push((word >> 32) as u32);
                    if hashes.len() < length {
                        hashes.push(word as u32);
                    }
                }
                Record::Shown {
                    hash: low,
                    elements: (length > 0).then(|| hashes.into()),
                }
            }
            8 => {
                let (points, read) = (number, low);
                return Ok(Some(Line::Sum(Sum { points, read })));
            }
            9 | 21 => Record::Escaped {
                method: number,
                exception: some!(self.reference(low)?),
                ends: kind == 21,
            },
            10 => Record::Content {
                site,
                array: some!(self.reference(low)?),
            },
            11 => {
                let name = some!(self.text()?).to_string_lossy();
                return Ok(Some(Line::Name(low, name.into())));
            }
            12 => Record::Literal { site, hash: low },
            13 => {
                let number = some!(self.word());
                let before = some!(self.word());
                let words = some!(self.word());
                Record::Turn(Turn {
                    number,
                    points: low,
                    before: ((before >> 32) as u32, before as u32),
                    words,
                })
            }
            14 => Record::Disorder,
            17 => Record::Fell {
                points: low,
                how: match number & 15 {
                    0 => Fall::Anywhere,
                    1 => Fall::Calling,
                    2 => Fall::Refused,
                    3 => Fall::Outside,
                    _ => Fall::Unknown,
                },
                left: number >> 4,
            },
            18 => Record::Left {
                array: some!(self.reference(low)?),
            },
            19 => Record::Initialised,
            20 => Record::Born {
                hash: low,
                class: self.class(number, word)?,
            },
            16 => return Ok(Some(Line::Held(some!(self.held(number, low)?)))),
            _ => return Err(Nonsense { word }),
        };
        Ok(Some(Line::Record(record)))
    }

    fn text(&mut self) -> Result<Option<LongText>, Nonsense> {
        let word = some!(self.word());
        let (units, length) = ((word >> 32) as usize, word as u32);
        if units > length as usize {
            return Err(Nonsense { word });
        }
        let units = some!(self.units(units)).into();
        Ok(Some(LongText { units, length }))
    }

    /// What is told of the object with this hash.
    fn reference(&mut self, hash: u32) -> Result<Option<Reference>, Nonsense> {
        if hash == 0 {
            return Ok(Some(None));
        }
        let word = some!(self.word());
        let (number, low) = ((word >> 32) as u32, word as u32);
        let told = match number {
            0 => Told::Text {
                hash: low,
                text: self.texts.get(hash, low),
            },
            1 => {
                let text = some!(self.text()?);
                self.texts.learn(hash, low, &text);
                Told::Text {
                    hash: low,
                    text: Some(text),
                }
            }
            2 => Told::Class(some!(self.text()?)),
            3 => Told::Boxed(Value::Boolean(low != 0)),
            4 => Told::Boxed(Value::Char(low as u16)),
            5 => Told::Boxed(Value::Byte(low as i8)),
            6 => Told::Boxed(Value::Short(low as i16)),
            7 => Told::Boxed(Value::Int(low as i32)),
            8 => Told::Boxed(Value::Float(low)),
            9 => Told::Boxed(Value::Long(some!(self.word()) as i64)),
            10 => Told::Boxed(Value::Double(some!(self.word()))),
            11 | 12 => {
                let class = self.class(low, word)?;
                let length = some!(self.word()) as u32;
                let elements = match number {
                    11 => Some(some!(self.elements(&class, length)?)),
                    _ => None,
                };
                Told::Array {
                    class,
                    length,
                    elements,
                }
            }
            number => {
                let class = self.class(number, word)?;
                let fixed = match low {
                    0 => None,
                    1 => Some(Fixed::Enum(some!(self.text()?))),
                    4 => Some(Fixed::Thread(some!(self.text()?))),
                    5 => Some(Fixed::Shown(some!(self.text()?))),
                    2 | 3 => {
                        let cause = some!(self.word());
                        let cause = some!(self.reference(cause as u32)?);
                        let message = match low {
                            3 => Some(some!(self.text()?)),
                            _ => None,
                        };
                        Some(Fixed::Thrown { message, cause })
                    }
                    _ => return Err(Nonsense { word }),
                };
                Told::Instance(class, fixed.map(Box::new))
            }
        };
        Ok(Some(Some(Object { hash, told })))
    }

    /// What the object with this hash holds: the numbers of forms and shapes are those of the probe class.
    fn held(&mut self, form: u32, hash: u32) -> Result<Option<Held>, Nonsense> {
        let word = some!(self.word());
        let class = self.class((word >> 32) as u32, word)?;
        let count = some!(self.word()) as u32 as usize;
        let holds = match (form, word as u32) {
            (0 | 3, 10) => {
                let kept = if form == 0 { count } else { count.min(LAST) };
                let units = some!(self.units(kept));
                match form {
                    0 => Holds::Text(units),
                    _ => Holds::Tail {
                        length: count,
                        end: units,
                    },
                }
            }
            (0, 8 | 15) => Holds::Elements(some!(self.references(count)?)),
            (0, 9) => Holds::Entries(some!(self.references(count)?)),
            (0, 11) => Holds::Int(some!(self.word()) as i32),
            (0, 12) => Holds::Long(some!(self.word()) as i64),
            (0, 13) => Holds::Flag(some!(self.word()) != 0),
            (0, 14) => {
                let of = some!(self.word());
                Holds::Reference(some!(self.reference(of as u32)?))
            }
            (0, view @ 16..=20) => {
                let of = some!(self.word());
                let of = some!(self.reference(of as u32)?);
                let part = match view {
                    16 => Part::Same,
                    17 => Part::Keys,
                    18 => Part::Values,
                    19 => Part::Entries,
                    _ => {
                        let range = some!(self.word());
                        let (from, length) = ((range >> 32) as u32, range as u32);
                        let to = from.saturating_add(length);
                        Part::Range { from, to }
                    }
                };
                Holds::View(of, part)
            }
            (1, _) => Holds::Size { count, place: None },
            (2, _) => Holds::Size {
                count,
                place: Some(some!(self.word()) as usize),
            },
            _ => return Err(Nonsense { word }),
        };
        Ok(Some(Held { hash, class, holds }))
    }

    fn references(&mut self, count: usize) -> Result<Option<Vec<Raw>>, Nonsense> {
        let mut all = Vec::with_capacity(count.min(self.words.len()));
        while all.len() < count {
            let word = some!(self.word());
            all.push(Raw::Reference(some!(self.reference(word as u32)?)));
        }
        Ok(Some(all))
    }

    /// Four to a word, the first one lowest.
    fn units(&mut self, count: usize) -> Option<Vec<u16>> {
        let mut units = Vec::with_capacity(count.min(self.words.len() * 4));
        while units.len() < count {
            let word = self.word()?;
            let four = [word, word >> 16, word >> 32, word >> 48].map(|unit| unit as u16);
            units.extend_from_slice(&four[..(count - units.len()).min(4)]);
        }
        Some(units)
    }

    fn class(&self, number: u32, word: u64) -> Result<Rc<str>, Nonsense> {
        self.classes.get(&number).cloned().ok_or(Nonsense { word })
    }

    /// `class` as `Class.getName` gives it: `[I`, `[Ljava.lang.String;`. Numbers stand as many in a word as have room there,
    /// the first one lowest.
    fn elements(&mut self, class: &str, length: u32) -> Result<Option<Vec<Raw>>, Nonsense> {
        let kind = class.as_bytes().get(1).copied().unwrap_or(b'L');
        let bits: u32 = match kind {
            b'Z' | b'B' => 8,
            b'C' | b'S' => 16,
            b'I' | b'F' => 32,
            _ => 64,
        };
        let length = length as usize;
        let mut all = Vec::with_capacity(length.min(self.words.len() * 8));
        while all.len() < length {
            let word = some!(self.word());
            if matches!(kind, b'L' | b'[') {
                all.push(Raw::Reference(some!(self.reference(word as u32)?)));
                continue;
            }
            for at in (0..64 / bits).take(length - all.len()) {
                let one = word >> (at * bits);
                all.push(match kind {
                    b'J' | b'D' => Raw::Wide(one),
                    b'Z' => Raw::Narrow(u32::from(one as u8)),
                    b'B' => Raw::Narrow(i32::from(one as i8) as u32),
                    b'C' => Raw::Narrow(u32::from(one as u16)),
                    b'S' => Raw::Narrow(i32::from(one as i16) as u32),
                    _ => Raw::Narrow(one as u32),
                });
            }
        }
        Ok(Some(all))
    }
}
