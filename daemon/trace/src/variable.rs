//! Variables: everything that can be written to (design, section 2).

use serde::{Deserialize, Serialize};

use crate::ids::{CallId, FieldId, ObjectId};
use crate::value::Value;

/// Something that holds a value and can be written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Variable {
    /// A local variable or parameter of a call.
    Local {
        /// The call whose frame holds it.
        call: CallId,
        /// Which of the method's locals.
        local: Local,
    },
    /// An instance field of an object.
    Field {
        /// The object.
        object: ObjectId,
        /// The field.
        field: FieldId,
    },
    /// A static field.
    Static {
        /// The field.
        field: FieldId,
    },
    /// An element of an array.
    Element {
        /// The array.
        array: ObjectId,
        /// The element's index, from 0.
        index: u32,
    },
    /// The pseudo-variable `return` of a call.
    Return {
        /// The call.
        call: CallId,
    },
    /// The pseudo-variable `exception` of a call.
    Exception {
        /// The call.
        call: CallId,
    },
    /// What an object of the JDK holds, or a part of it: see [`crate::Change`].
    Content {
        /// The object.
        object: ObjectId,
        /// Which part.
        key: ContentKey,
    },
}

/// Which part of an object's content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum ContentKey {
    /// All of it: `sb#4`.
    All,
    /// The item at this position: `list#7[3]`.
    Index(u32),
    /// What a map has for this key: `map#12["k"]`. Keys with equal immutable content are one key.
    Key(Value),
}

/// A local variable within its method.
///
/// Two locals of one slot with different ranges are two variables, so a local is named by its entry
/// in the method's variable table (JVMS 4.7.13) where there is one, and by its slot where there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Local {
    /// Index of the entry in [`crate::MethodInfo::variables`].
    Named(u16),
    /// The slot, for code without a variable table at that place. `this` is slot 0.
    Slot(u16),
}
