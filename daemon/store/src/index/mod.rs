//! The block-level index: which blocks write a variable, a field of any object, create an object, one of a class, refer to an
//! object, execute a place.
//!
//! A *posting* says "this key occurs in that block". Keys are numbers in one ordered space (see
//! [`Key`]), a block is named by its ordinal in the recording. Postings of a group of blocks are
//! kept in memory until the group is full, then sorted and written as runs (see [`run`]): so the
//! cost per posting is a sort and a few bits, and asking costs one seek per group. Large arrays need
//! nothing else: every element is a key, and a filled array's postings differ by one each, which
//! the run's columns swallow.

pub(crate) mod collect;
pub(crate) mod merge;
pub(crate) mod run;
mod search;

use jhyde_trace::{CallId, ClassId, FieldId, Local, MethodId, ObjectId, Variable};

/// What can be looked up: a space, a 64-bit number and a 32-bit number, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Key(u128);

const SPACE_STATIC: u8 = 0;
const SPACE_OBJECT: u8 = 1;
const SPACE_LOCAL: u8 = 2;
const SPACE_CREATION: u8 = 3;
const SPACE_PLACE: u8 = 4;
const SPACE_ARRAY: u8 = 5;
const SPACE_CONTENT: u8 = 6;
// Recordings of old have none of these: see `VERSION`.
const SPACE_FIELD: u8 = 7;
const SPACE_CLASS: u8 = 8;
const SPACE_REFERENCE: u8 = 9;

/// What the index of a recording that begins now has. 0: variables, creations, places of own events, contents; 1: fields of any object,
/// creations of a class, references, and the places from which calls are made, too.
pub(crate) const VERSION: u8 = 1;

/// Bits of a posting that hold the block, counted from the group's first one.
pub(crate) const BLOCK_BITS: u32 = 24;

impl Key {
    const fn new(space: u8, high: u64, low: u32) -> Self {
        Self((space as u128) << 96 | (high as u128) << 32 | low as u128)
    }

    /// A variable's key. Locals have one only for calls that do not begin and end in one block;
    /// `return` and `exception` have none, their call's record says when they are written.
    pub(crate) fn of_variable(variable: Variable) -> Option<Self> {
        match variable {
            Variable::Static { field } => Some(Self::new(SPACE_STATIC, 0, field.0)),
            Variable::Field { object, field } => Some(Self::new(SPACE_OBJECT, object.0, field.0)),
            Variable::Element { array, index } => Some(Self::new(SPACE_OBJECT, array.0, index)),
            Variable::Local { call, local } => {
                let local = match local {
                    Local::Named(at) => u32::from(at),
                    Local::Slot(slot) => 1 << 16 | u32::from(slot),
                };
                Some(Self::new(SPACE_LOCAL, call.pack(), local))
            }
            Variable::Content { object, .. } => Some(Self::of_content(object)),
            Variable::Return { .. } | Variable::Exception { .. } => None,
        }
    }

    /// The first key of an object's fields or elements, from this field or index on.
    pub(crate) fn of_object(object: ObjectId, from: u32) -> Self {
        Self::new(SPACE_OBJECT, object.0, from)
    }

    /// Any element of an array: whether it was written is asked without going through all of them.
    pub(crate) fn of_array(array: ObjectId) -> Self {
        Self::new(SPACE_ARRAY, array.0, 0)
    }

    /// Changes of what an object of the JDK holds.
    pub(crate) fn of_content(object: ObjectId) -> Self {
        Self::new(SPACE_CONTENT, object.0, 0)
    }

    pub(crate) fn of_creation(object: ObjectId) -> Self {
        Self::new(SPACE_CREATION, object.0, 0)
    }

    /// Writes of a field, static or of any object.
    pub(crate) fn of_field(field: FieldId) -> Self {
        Self::new(SPACE_FIELD, 0, field.0)
    }

    /// Creations of objects of a class.
    pub(crate) fn of_class(class: ClassId) -> Self {
        Self::new(SPACE_CLASS, 0, class.0)
    }

    /// Events that refer to an object: see [`jhyde_trace::block::References`].
    pub(crate) fn of_references(object: ObjectId) -> Self {
        Self::new(SPACE_REFERENCE, object.0, 0)
    }

    /// From which version of the index on there are such keys.
    pub(crate) fn since(self) -> u8 {
        match (self.0 >> 96) as u8 {
            SPACE_FIELD..=SPACE_REFERENCE => 1,
            _ => 0,
        }
    }

    /// Events of calls of a method at a bytecode index, and calls that are made from there.
    pub(crate) fn of_place(method: MethodId, index: u32) -> Self {
        Self::new(SPACE_PLACE, method.0.into(), index)
    }

    /// The key behind this one.
    pub(crate) fn next(self) -> Self {
        Self(self.0 + 1)
    }

    /// The key with a block behind it: a posting.
    pub(crate) fn posting(self, block: u32) -> u128 {
        self.0 << BLOCK_BITS | u128::from(block)
    }

    /// The key of a posting.
    pub(crate) fn of_posting(posting: u128) -> Self {
        Self(posting >> BLOCK_BITS)
    }

    /// The block of a posting, counted from its group's first one.
    pub(crate) fn block_of(posting: u128) -> u32 {
        (posting & ((1 << BLOCK_BITS) - 1)) as u32
    }

    /// The number of the object of which a part is written, which is made or changed, if it is of one. Events before these may refer
    /// to it.
    pub(crate) fn object(self) -> Option<u64> {
        let space = (self.0 >> 96) as u8;
        let of_object = [SPACE_OBJECT, SPACE_CREATION, SPACE_ARRAY, SPACE_CONTENT];
        of_object.contains(&space).then_some((self.0 >> 32) as u64)
    }

    /// Is it a field or element of this object?
    pub(crate) fn is_of_object(self, object: ObjectId) -> bool {
        self.0 >> 32 == Self::of_object(object, 0).0 >> 32
    }

    /// The 32-bit part: field, element, local, bytecode index.
    pub(crate) fn low(self) -> u32 {
        self.0 as u32
    }
}

/// Is a call's local of this kind kept in the index at all?
pub(crate) fn local_call(variable: Variable) -> Option<CallId> {
    match variable {
        Variable::Local { call, .. } | Variable::Return { call } | Variable::Exception { call } => {
            Some(call)
        }
        _ => None,
    }
}
