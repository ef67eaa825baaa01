//! Places in the debuggee's code, as events and frames name them.

use jdwp::{Location, TypeTag};
use jhyde_trace::Event;

use super::MethodKey;

/// A location's method.
pub(crate) fn key_of(location: &Location) -> MethodKey {
    (location.class, location.method)
}

/// A location's bytecode index; none in native methods.
pub(crate) fn index_of(location: &Location) -> u32 {
    u32::try_from(location.index).unwrap_or(Event::NO_INDEX)
}

/// An instruction of a method.
pub(crate) fn location((class, method): MethodKey, index: u32) -> Location {
    Location {
        type_tag: TypeTag::CLASS,
        class,
        method,
        index: u64::from(index),
    }
}
