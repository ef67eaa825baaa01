//! The protocol's data types: identifiers, codes, strings, values, locations, array regions
//! (spec: "JDWP Data types" and "JDWP Constants").

mod array_region;
mod codes;
mod error_code;
mod flags;
mod ids;
mod location;
mod text;
mod value;

pub use array_region::ArrayRegion;
pub use codes::{EventKind, StepDepth, StepSize, SuspendPolicy, Tag, ThreadStatus, TypeTag};
pub use error_code::ErrorCode;
pub use flags::{ClassStatus, InvokeOptions, SuspendStatus};
pub use ids::{
    ArrayId, ClassLoaderId, ClassObjectId, FieldId, FrameId, MethodId, ModuleId, ObjectId,
    ReferenceTypeId, RequestId, StringId, ThreadGroupId, ThreadId,
};
pub use location::Location;
pub use text::JdwpString;
pub use value::{TaggedObject, UntaggedValue, Value};
