//! Sets of flags. Bits without a name are kept as they are.

use bitflags::bitflags;

use crate::codec::{DecodeError, IdSizes, Reader, Wire, Writer};

bitflags! {
    /// How far a class is (spec: "ClassStatus Constants"). Arrays and primitives have no bit set.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub struct ClassStatus: i32 {
        /// Its bytecode is verified.
        const VERIFIED = 1;
        /// It is prepared: fields and methods can be asked.
        const PREPARED = 2;
        /// Its static initialiser has run, or is running.
        const INITIALIZED = 4;
        /// Its initialisation failed.
        const ERROR = 8;
        const _ = !0;
    }

    /// Options of a method invocation (spec: "InvokeOptions Constants").
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub struct InvokeOptions: i32 {
        /// Only the invoking thread is resumed; otherwise all are.
        const SINGLE_THREADED = 1;
        /// The named method is called, not the one that overrides it.
        const NONVIRTUAL = 2;
        const _ = !0;
    }

    /// Whether a thread is suspended by the debugger (spec: "SuspendStatus Constants").
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub struct SuspendStatus: i32 {
        /// Its suspend count is above 0.
        const SUSPENDED = 1;
        const _ = !0;
    }
}

macro_rules! int_flags {
    ($($flags:ident),*) => { $(
        impl Wire for $flags {
            fn min_len(sizes: &IdSizes) -> usize {
                i32::min_len(sizes)
            }

            #[inline]
            fn read(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
                Ok(Self::from_bits_retain(reader.read()?))
            }

            #[inline]
            fn write(&self, writer: &mut Writer<'_>) {
                writer.write(&self.bits());
            }
        }

        #[cfg(feature = "arbitrary")]
        impl<'a> arbitrary::Arbitrary<'a> for $flags {
            fn arbitrary(u: &mut arbitrary::Unstructured<'a>) -> arbitrary::Result<Self> {
                Ok(Self::from_bits_retain(u.arbitrary()?))
            }
        }
    )* };
}

int_flags!(ClassStatus, InvokeOptions, SuspendStatus);
