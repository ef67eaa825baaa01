//! Commands to strings (spec: "StringReference Command Set (10)").

use crate::types::{JdwpString, StringId};

command_set! {
    StringReference = 10;

    /// The characters of a string.
    Value = 1 {
        /// The string.
        string: StringId,
    } -> JdwpString;
}
