//! Commands to `java.lang.Class` objects (spec: "ClassObjectReference Command Set (17)").

use super::reference_type::TypeInfo;
use crate::types::ClassObjectId;

command_set! {
    ClassObjectReference = 17;

    /// The type that a class object stands for.
    ReflectedType = 1 {
        /// The class object.
        class_object: ClassObjectId,
    } -> TypeInfo;
}
