//! Commands to arrays (spec: "ArrayReference Command Set (13)").

use crate::codec::{DecodeError, Reader};
use crate::command::read_list;
use crate::types::{ArrayId, ArrayRegion, Tag, UntaggedValue, Value};

command_set! {
    ArrayReference = 13;

    /// The number of elements.
    Length = 1 {
        /// The array.
        array: ArrayId,
    } -> i32;

    /// Consecutive elements. [`ArrayRegion::primitive_bytes`] reads the reply without a copy.
    GetValues = 2 {
        /// The array.
        array: ArrayId,
        /// The first index.
        first_index: i32,
        /// How many elements.
        length: i32,
    } -> ArrayRegion;

    /// Writes consecutive elements.
    SetValues = 3 {
        /// The array.
        array: ArrayId,
        /// The first index.
        first_index: i32,
        /// The values, which must be of the element type.
        values: Vec<UntaggedValue>,
    } -> ();
}

impl SetValues {
    /// Reads the command's out data, given the array's element type.
    pub fn read_with_tag(reader: &mut Reader<'_>, tag: Tag) -> Result<Self, DecodeError> {
        let array = reader.read()?;
        let first_index = reader.read()?;
        let values = read_list(reader, 1, |reader, _| {
            Ok(Value::read_untagged(reader, tag)?.into())
        })?;
        Ok(Self {
            array,
            first_index,
            values,
        })
    }
}
