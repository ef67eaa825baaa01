//! Commands to class loaders (spec: "ClassLoaderReference Command Set (14)").

use super::reference_type::TypeInfo;
use crate::types::ClassLoaderId;

command_set! {
    ClassLoaderReference = 14;

    /// The classes that code of this loader can name: those for which it is an initiating loader.
    VisibleClasses = 1 {
        /// The loader; null for the bootstrap loader.
        class_loader: ClassLoaderId,
    } -> Vec<TypeInfo>;
}
