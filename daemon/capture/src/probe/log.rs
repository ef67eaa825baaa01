//! What the words mean that the probe class writes (`java/java/lang/JhydeProbe.java`): one log for each thread, a record
//! after the other.
//!
//! The first word of a record has its kind in the upper 8 bits, a number below 2^24 behind it (of a method, or of a
//! place in code), and in the lower 32 bits what it says. A reference is told by the number of its object (`JhydeIdentity.java`), 0 for
//! null, and what [`Told`] has of it. Records stand whole in what is flushed at once, but not in what is read
//! while a thread runs on: then the rest comes later.

use std::collections::VecDeque;
use std::rc::Rc;

use jhyde_trace::{Part, Value};
use rustc_hash::FxHashMap;

/// So many units are told of the end of a text.
const LAST: usize = 64;

/// One record. A `site` is a place in code, a `method` a method, both as [`super::plan`] numbers them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Record {
    /// A method was called by code out of the scope, or a static initialiser by the JVM. Its arguments follow, as results at
    /// the site 0.
    Enter { method: u32 },
    /// A call out of the scope has returned; or a field out of the scope was read.
    Result { site: u32, result: Raw },
    /// An exception has arrived at a handler.
    Caught { site: u32, exception: Reference },
    /// An exception has left a method.
    Escaped { method: u32, exception: Reference },
    /// This object is shown to the call that comes next. If it is an array of references, these are shown, too, by their
    /// hashes, unless they are too many.
    Shown {
        hash: u32,
        elements: Option<Rc<[u32]>>,
    },
    /// What an array that was shown holds behind the call.
    Content { site: u32, array: Reference },
    /// The string of a constant, the first time that this log has it here.
    Literal { site: u32, hash: u32 },
    /// Another thread has had the turn; from here on this one has it.
    Turn(Turn),
    /// From here on threads run as they like, and nobody knows in which order.
    Disorder,
    /// The exception that comes next is an error of the JVM, which may befall any instruction; it did behind so many points.
    /// It has left so many calls of the scope without a word: constructors before there is a `this`, of which nothing is guarded.
    Fell { points: u32, how: Fall, left: u32 },
    /// What an array holds that a call was shown which ended by the exception that comes next.
    Left { array: Reference },
    /// The innermost static initialiser has returned.
    Initialised,
}

/// What is known of where an error of the JVM befell a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fall {
    /// Any instruction behind the point.
    Anywhere,
    /// The first call of the scope by the scope behind the point had no stack, and did not begin.
    Calling,
    /// A call had no stack, and did not begin.
    Refused,
    /// It comes from what the call has called in which it arrived.
    Outside,
    /// It befell the probe itself: what the log says may not be all.
    Unknown,
}

/// What a thread had done when its log was flushed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sum {
    /// How many points it had passed, modulo 2^24.
    pub(crate) points: u32,
    /// The checksum of all that it had read from the heap, upper half against lower half.
    pub(crate) read: u32,
}

/// A thread takes the turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Turn {
    /// How often the turn was taken by another thread, this time included.
    pub(crate) number: u64,
    /// How many points this thread has passed: it stands before the next one.
    pub(crate) points: u32,
    /// The log of the thread that had the turn, and how many points it had passed: it stands before the next one, too. 0 for
    /// nobody.
    pub(crate) before: (u32, u32),
    /// How many words that log had then, at least: they come before this turn.
    pub(crate) words: u64,
}

impl Turn {
    /// Has its thread passed more points than it had when it took the turn?
    pub(crate) fn is_past(&self, points: u32) -> bool {
        points.wrapping_sub(self.points) as i32 > 0
    }
}

/// A value without its type.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Raw {
    Void,
    /// An `int` and everything smaller, or the bits of a `float`.
    Narrow(u32),
    /// A `long`, or the bits of a `double`.
    Wide(u64),
    Reference(Reference),
}

/// A reference; `None` is null.
pub(crate) type Reference = Option<Object>;

/// An object as a log tells it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Object {
    /// Its identity hash of 31 bits, or a number of its own with the highest bit set; not 0.
    pub(crate) hash: u32,
    pub(crate) told: Told,
}

/// What is told of an object.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Told {
    /// A string: its `hashCode`, and its text, unless this log had it lately and it was too long to be kept.
    Text {
        hash: u32,
        text: Option<LongText>,
    },
    /// A class object, and the name of its class as `Class.getName` gives it.
    Class(LongText),
    Boxed(Value),
    /// An array: its class, its length, its elements unless they are too many.
    Array {
        class: Rc<str>,
        length: u32,
        elements: Option<Vec<Raw>>,
    },
    /// Any other: the name of its class, and what never changes of it if that was told here.
    Instance(Rc<str>, Option<Box<Fixed>>),
}

/// What never changes of an object.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Fixed {
    /// The name of a constant of an enum.
    Enum(LongText),
    /// That of a thread.
    Thread(LongText),
    /// By what a number or a date is known.
    Shown(LongText),
    /// An exception.
    Thrown {
        message: Option<LongText>,
        cause: Reference,
    },
}

/// What an object of the JDK holds, as it was before the record that comes behind this.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Held {
    pub(crate) hash: u32,
    pub(crate) class: Rc<str>,
    pub(crate) holds: Holds,
}

/// See [`Held`].
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Holds {
    Elements(Vec<Raw>),
    /// Keys and values in turn.
    Entries(Vec<Raw>),
    Text(Vec<u16>),
    /// A number in an atomic one.
    Int(i32),
    Long(i64),
    Flag(bool),
    /// What a reference refers to.
    Reference(Reference),
    /// What another object holds, or a part of it.
    View(Reference, Part),
    /// So many items, and where that is known, which of them (element or key) the call was about.
    Size {
        count: usize,
        place: Option<usize>,
    },
    /// A text of so many units, which ends so.
    Tail {
        length: usize,
        end: Vec<u16>,
    },
}

/// The beginning of a text, and its true length in UTF-16 units.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LongText {
    pub(crate) units: Rc<[u16]>,
    pub(crate) length: u32,
}

impl LongText {
    /// All of it, if that was told.
    pub(crate) fn whole(&self) -> Option<Rc<[u16]>> {
        (self.units.len() == self.length as usize).then(|| Rc::clone(&self.units))
    }

    fn to_string_lossy(&self) -> String {
        String::from_utf16_lossy(&self.units)
    }
}

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

/// Texts that this log has told lately, by the identity of their strings: where the probe says of one that it was told, this
/// is what was. Who reads the log may have had no use for the record in which that was.
#[derive(Debug, Default)]
struct Texts {
    /// Under the places that the probe has for them: identity, `hashCode` and text.
    known: FxHashMap<u32, (u32, u32, LongText)>,
    units: usize,
}

impl Texts {
    /// Places in the probe's table.
    const PLACES: u32 = 1 << 10;
    /// UTF-16 units that are kept at most: 8 MiB.
    const MOST: usize = 1 << 22;

    fn learn(&mut self, identity: u32, hash: u32, text: &LongText) {
        let place = identity % Self::PLACES;
        if let Some((.., before)) = self.known.remove(&place) {
            self.units -= before.units.len();
        }
        if self.units + text.units.len() > Self::MOST {
            *self = Self::default();
        }
        if text.units.len() <= Self::MOST {
            self.units += text.units.len();
            self.known.insert(place, (identity, hash, text.clone()));
        }
    }

    fn get(&self, identity: u32, hash: u32) -> Option<LongText> {
        let (of, with, text) = self.known.get(&(identity % Self::PLACES))?;
        (*of == identity && *with == hash).then(|| text.clone())
    }
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
            9 => Record::Escaped {
                method: number,
                exception: some!(self.reference(low)?),
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn head(kind: u64, number: u64, low: u64) -> u64 {
        kind << 56 | number << 32 | low
    }

    fn all(words: &[u64]) -> Result<Vec<(Record, Option<Sum>)>, Nonsense> {
        let mut log = Log::default();
        log.extend(words.iter().copied());
        let mut records = Vec::new();
        while log.peek()?.is_some() {
            records.extend(log.take());
        }
        Ok(records)
    }

    /// A class that is named, a string with its text, an array of two references.
    fn sample() -> Vec<u64> {
        let text = |text: &str| {
            let units: Vec<u64> = text.encode_utf16().map(u64::from).collect();
            let mut words = vec![(units.len() as u64) << 32 | units.len() as u64];
            words.extend(units.chunks(4).map(|four| {
                let shifted = four.iter().enumerate();
                shifted.fold(0, |word, (at, unit)| word | unit << (16 * at))
            }));
            words
        };
        let mut words = vec![head(1, 7, 0), head(11, 0, 16)];
        words.extend(text("[Ljava.lang.Object;"));
        words.extend([
            head(5, 3, 99),
            11 << 32 | 16,
            2,
            head(5, 0, 0),
            head(5, 0, 44),
            1 << 32 | 5,
        ]);
        words.extend(text("seven 7"));
        words.extend([head(8, 3, 12), head(4, 9, 0), u64::MAX]);
        // The same string again, and one that was not told.
        words.extend([head(5, 4, 44), 5, head(5, 5, 45), 5]);
        words
    }

    #[test]
    fn texts_are_kept_as_long_as_there_is_room() {
        let text = |length: usize| LongText {
            units: vec![7; length].into(),
            length: length as u32,
        };
        let mut texts = Texts::default();
        texts.learn(1, 10, &text(3));
        texts.learn(2, 20, &text(Texts::MOST - 3));
        assert_eq!(texts.get(1, 10), Some(text(3)));
        assert_eq!(texts.get(1, 11), None);
        // It has the place of the first.
        texts.learn(1 + Texts::PLACES, 10, &text(2));
        assert_eq!(texts.get(1, 10), None);
        assert!(texts.get(2, 20).is_some());
        texts.learn(3, 30, &text(2));
        assert!(texts.get(2, 20).is_none() && texts.get(3, 30).is_some());
        texts.learn(4, 40, &text(Texts::MOST + 1));
        assert!(texts.get(4, 40).is_none());
        assert_eq!(
            texts.units,
            texts
                .known
                .values()
                .map(|(.., text)| text.units.len())
                .sum::<usize>()
        );
    }

    #[test]
    fn records_say_what_was_written() {
        let records = all(&sample()).expect("sense");
        let units: Vec<u16> = "seven 7".encode_utf16().collect();
        let text = LongText {
            units: units.into(),
            length: 7,
        };
        let string = Object {
            hash: 44,
            told: Told::Text {
                hash: 5,
                text: Some(text),
            },
        };
        let again = Raw::Reference(Some(string.clone()));
        let other = Told::Text {
            hash: 5,
            text: None,
        };
        let other = Raw::Reference(Some(Object {
            hash: 45,
            told: other,
        }));
        let array = Object {
            hash: 99,
            told: Told::Array {
                class: "[Ljava.lang.Object;".into(),
                length: 2,
                elements: Some(vec![Raw::Reference(None), Raw::Reference(Some(string))]),
            },
        };
        let result = |site, result| Record::Result { site, result };
        let expected = [
            (Record::Enter { method: 7 }, None),
            (result(3, Raw::Reference(Some(array))), None),
            (
                result(9, Raw::Wide(u64::MAX)),
                Some(Sum {
                    points: 3,
                    read: 12,
                }),
            ),
            (result(4, again), None),
            (result(5, other), None),
        ];
        assert_eq!(records, expected);
    }

    proptest! {
        #[test]
        fn what_comes_in_pieces_is_read_as_a_whole(cuts in prop::collection::vec(0..30_usize, 0..8)) {
            let words = sample();
            let mut log = Log::default();
            let (mut records, mut from) = (Vec::new(), 0);
            for cut in cuts.into_iter().chain([words.len()]) {
                let to = cut.clamp(from, words.len());
                log.extend(words[from..to].iter().copied());
                from = to;
                while log.peek().expect("sense").is_some() {
                    records.extend(log.take());
                }
            }
            prop_assert_eq!(records, all(&words).expect("sense"));
        }

        #[test]
        fn nothing_panics_on_words_that_nobody_wrote(words: Vec<u64>, at: usize, low: u64) {
            let _ = all(&words);
            let mut damaged = sample();
            let at = at % damaged.len();
            damaged[at] = low;
            let _ = all(&damaged);
        }
    }
}
