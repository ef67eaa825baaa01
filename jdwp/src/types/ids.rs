//! Identifiers. They are opaque numbers of the JVM; only their equality means something.

use crate::codec::{DecodeError, IdSizes, Reader, Wire, Writer};

ids! {
    /// An object of any class (spec: `objectID`). Unique for the life of the JVM unless disposed;
    /// does not keep the object alive.
    ObjectId: object;
    /// An object known to be a thread (spec: `threadID`).
    ThreadId: object;
    /// An object known to be a thread group (spec: `threadGroupID`).
    ThreadGroupId: object;
    /// An object known to be a string (spec: `stringID`).
    StringId: object;
    /// An object known to be a class loader (spec: `classLoaderID`); null is the bootstrap loader.
    ClassLoaderId: object;
    /// An object known to be a `java.lang.Class` (spec: `classObjectID`).
    ClassObjectId: object;
    /// An object known to be an array (spec: `arrayID`).
    ArrayId: object;
    /// A module (spec: `moduleID`; HotSpot and JDI give it the width of object ids).
    ModuleId: object;
    /// A class, interface or array type (spec: `referenceTypeID`, `classID`, `interfaceID`,
    /// `arrayTypeID`). Valid until the class is unloaded.
    ReferenceTypeId: reference_type;
    /// A method, constructor or static initialiser (spec: `methodID`). Unique within its class
    /// only: keep it together with the class that declares it.
    MethodId: method;
    /// A field (spec: `fieldID`). Unique within its class only.
    FieldId: field;
    /// A frame of a suspended thread (spec: `frameID`). Valid until the thread is resumed.
    FrameId: frame;
}

/// Kinds of objects: their ids are object ids, and an object id may be taken for one of them by
/// who knows that it is.
macro_rules! object_kinds {
    ($($id:ident),*) => { $(
        impl From<$id> for ObjectId {
            fn from(id: $id) -> Self {
                Self(id.0)
            }
        }

        impl From<ObjectId> for $id {
            /// Asserts the object's kind; the JVM answers `INVALID_OBJECT` or the like if it is
            /// of another kind.
            fn from(id: ObjectId) -> Self {
                Self(id.0)
            }
        }
    )* };
}

object_kinds!(
    ThreadId,
    ThreadGroupId,
    StringId,
    ClassLoaderId,
    ClassObjectId,
    ArrayId,
    ModuleId
);

/// The number of an event request (spec: `requestID`). 0 is no request: events that the JVM sends
/// unasked (VM start, VM death).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
#[repr(transparent)]
pub struct RequestId(pub i32);

impl RequestId {
    /// The request of events that nobody asked for.
    pub const NONE: Self = Self(0);
}

impl std::fmt::Display for RequestId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl Wire for RequestId {
    fn min_len(sizes: &IdSizes) -> usize {
        i32::min_len(sizes)
    }

    #[inline]
    fn read(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self(reader.read()?))
    }

    #[inline]
    fn write(&self, writer: &mut Writer<'_>) {
        writer.write(&self.0);
    }
}
