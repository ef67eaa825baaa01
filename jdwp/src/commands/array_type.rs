//! Commands to array types (spec: "ArrayType Command Set (4)").

use crate::types::{ReferenceTypeId, TaggedObject};

command_set! {
    ArrayType = 4;

    /// Makes an array.
    NewInstance = 1 {
        /// The array's type.
        array_type: ReferenceTypeId,
        /// Its number of elements.
        length: i32,
    } -> TaggedObject;
}
