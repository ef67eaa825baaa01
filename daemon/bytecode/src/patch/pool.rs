//! Constants for inserted code: those that the class has are used again, others are added behind them.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::class_file::{ClassFile, ClassFileError};
use crate::descriptor::{FieldType, MethodDescriptor};
use crate::mutf8;
use crate::patch::AddConstantError;
use crate::reader::Reader;

/// A field, as an operand of inserted code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldConstant {
    pub(super) index: u16,
    /// Operand stack units of its type.
    pub(super) slots: u16,
}

/// A static method, as an operand of inserted code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MethodConstant {
    pub(super) index: u16,
    /// Operand stack units of its arguments.
    pub(super) takes: u16,
    /// Operand stack units of its result.
    pub(super) gives: u16,
}

/// A number, as an operand of inserted code: see [`Snippet::load_constant`](super::Snippet::load_constant).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NumberConstant {
    pub(super) index: u16,
    pub(super) slots: u16,
}

/// The constants of the class, and those that are added.
#[derive(Debug)]
pub struct Constants<'a> {
    /// Entries as they stand in the file, each with its (least) index.
    known: HashMap<Cow<'a, [u8]>, u16>,
    /// One more than the greatest index.
    count: usize,
    /// Where the entries of the class end in its file.
    pub(super) end: usize,
    /// Entries added.
    pub(super) added: Vec<u8>,
}

/// Of the constants that inserted code uses (JVMS table 4.4-A).
const UTF8: u8 = 1;
const INTEGER: u8 = 3;
const LONG: u8 = 5;
const CLASS: u8 = 7;
const FIELD: u8 = 9;
const METHOD: u8 = 10;
const NAME_AND_TYPE: u8 = 12;

/// The count of entries, then the entries (JVMS §4.1).
pub(super) const COUNT_AT: usize = 8;

impl<'a> Constants<'a> {
    pub(super) fn of(class: &'a ClassFile) -> Result<Self, ClassFileError> {
        let bytes: &'a [u8] = &class.bytes;
        let mut reader = Reader::part(bytes, COUNT_AT..bytes.len());
        let count = usize::from(reader.u2()?);
        let mut known = HashMap::with_capacity(count);
        let mut index = 1;
        while index < count {
            let start = reader.position();
            let tag = reader.u1()?;
            let length = match tag {
                UTF8 => usize::from(reader.u2()?),
                INTEGER | 4 | FIELD | METHOD | 11 | NAME_AND_TYPE | 17 | 18 => 4,
                LONG | 6 => 8,
                15 => 3,
                // The class was read, so every other tag is one of those with one index.
                _ => 2,
            };
            reader.take(length)?;
            let entry = bytes.get(start..reader.position()).unwrap_or_default();
            known.entry(Cow::Borrowed(entry)).or_insert(index as u16);
            index += if matches!(tag, LONG | 6) { 2 } else { 1 };
        }
        let (end, added) = (reader.position(), Vec::new());
        Ok(Self {
            known,
            count,
            end,
            added,
        })
    }

    /// One more than the greatest index.
    pub(super) fn count(&self) -> u16 {
        // `index_of` keeps it in bounds.
        u16::try_from(self.count).unwrap_or(u16::MAX)
    }

    /// A field of a class, by the class's name in internal form, its own name and its descriptor.
    ///
    /// # Errors
    /// [`AddConstantError`]: also of the methods below.
    pub fn field(
        &mut self,
        class: &str,
        name: &str,
        descriptor: &str,
    ) -> Result<FieldConstant, AddConstantError> {
        let slots = FieldType::parse(descriptor)?.slots();
        let index = self.member(FIELD, class, name, descriptor)?;
        Ok(FieldConstant { index, slots })
    }

    /// A static method of a class (not of an interface).
    pub fn static_method(
        &mut self,
        class: &str,
        name: &str,
        descriptor: &str,
    ) -> Result<MethodConstant, AddConstantError> {
        let parsed = MethodDescriptor::parse(descriptor)?;
        Ok(MethodConstant {
            index: self.member(METHOD, class, name, descriptor)?,
            takes: parsed.argument_slots(),
            gives: parsed.return_type.map_or(0, |result| result.slots()),
        })
    }

    /// An `int` for `ldc`; those that fit 16 bits are better pushed by [`Snippet::short`](super::Snippet::short).
    pub fn int(&mut self, value: i32) -> Result<NumberConstant, AddConstantError> {
        let mut entry = vec![INTEGER];
        entry.extend(value.to_be_bytes());
        let index = self.index_of(entry, 1)?;
        Ok(NumberConstant { index, slots: 1 })
    }

    /// A `long` for `ldc2_w`.
    pub fn long(&mut self, value: i64) -> Result<NumberConstant, AddConstantError> {
        let mut entry = vec![LONG];
        entry.extend(value.to_be_bytes());
        let index = self.index_of(entry, 2)?;
        Ok(NumberConstant { index, slots: 2 })
    }

    /// The class of this name (in internal form; of an array its descriptor).
    pub(super) fn class(&mut self, name: &str) -> Result<u16, AddConstantError> {
        let name = self.utf8(name)?;
        self.index_of(with_indexes(CLASS, &[name]), 1)
    }

    fn member(
        &mut self,
        tag: u8,
        class: &str,
        name: &str,
        descriptor: &str,
    ) -> Result<u16, AddConstantError> {
        let class = self.class(class)?;
        let (name, descriptor) = (self.utf8(name)?, self.utf8(descriptor)?);
        let name_and_type = self.index_of(with_indexes(NAME_AND_TYPE, &[name, descriptor]), 1)?;
        self.index_of(with_indexes(tag, &[class, name_and_type]), 1)
    }

    /// A name or descriptor.
    pub(super) fn utf8(&mut self, text: &str) -> Result<u16, AddConstantError> {
        let encoded = mutf8::encode(text);
        let name = || AddConstantError::Name { name: text.into() };
        // Reading puts U+FFFD where Rust's text cannot hold what the class says: which name was meant is lost.
        if text.contains(char::REPLACEMENT_CHARACTER) {
            return Err(name());
        }
        let mut entry = vec![UTF8];
        entry.extend(
            u16::try_from(encoded.len())
                .map_err(|_| name())?
                .to_be_bytes(),
        );
        entry.extend(encoded);
        self.index_of(entry, 1)
    }

    fn index_of(&mut self, entry: Vec<u8>, takes: usize) -> Result<u16, AddConstantError> {
        if let Some(index) = self.known.get(entry.as_slice()) {
            return Ok(*index);
        }
        // The count, one more than the last index, has to fit its field.
        let full = self.count + takes > usize::from(u16::MAX);
        let index = u16::try_from(self.count).ok().filter(|_| !full);
        let index = index.ok_or(AddConstantError::PoolFull)?;
        self.count += takes;
        self.added.extend(&entry);
        self.known.insert(Cow::Owned(entry), index);
        Ok(index)
    }
}

fn with_indexes(tag: u8, indexes: &[u16]) -> Vec<u8> {
    let mut entry = vec![tag];
    for index in indexes {
        entry.extend(index.to_be_bytes());
    }
    entry
}
