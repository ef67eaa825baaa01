//! Places in code.

use super::{MethodId, ReferenceTypeId, TypeTag};

wire_struct! {
    /// A place in a method's bytecode (spec: `location`).
    #[derive(Copy, Eq, Hash)]
    pub struct Location {
        /// Class or interface.
        pub type_tag: TypeTag,
        /// The type that declares the method; null where the protocol says "no location".
        pub class: ReferenceTypeId,
        /// The method.
        pub method: MethodId,
        /// The bytecode index of the instruction; all ones (-1) in native methods.
        pub index: u64,
    }
}

impl Location {
    /// True if this stands for "no location" (an exception that is not caught).
    pub const fn is_null(&self) -> bool {
        self.class.is_null()
    }

    /// True of a location in a native method, which has no instructions.
    pub const fn is_native(&self) -> bool {
        self.index == u64::MAX
    }
}
