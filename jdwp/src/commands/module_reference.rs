//! Commands to modules (spec: "ModuleReference Command Set (18)", since JDWP 9).

use crate::types::{ClassLoaderId, JdwpString, ModuleId};

command_set! {
    ModuleReference = 18;

    /// The module's name; empty for an unnamed module.
    Name = 1 {
        /// The module.
        module: ModuleId,
    } -> JdwpString;

    /// The module's class loader; null for the bootstrap loader.
    ClassLoader = 2 {
        /// The module.
        module: ModuleId,
    } -> ClassLoaderId;
}
