//! Commands to interfaces (spec: "InterfaceType Command Set (5)").

use super::class_type::InvokeReply;
use crate::types::{InvokeOptions, MethodId, ReferenceTypeId, ThreadId, Value};

command_set! {
    InterfaceType = 5;

    /// Calls a static method of an interface, in a thread that an event has suspended. Since
    /// JDWP 1.8.
    InvokeMethod = 1 {
        /// The interface.
        class: ReferenceTypeId,
        /// The thread to call it in.
        thread: ThreadId,
        /// The method.
        method: MethodId,
        /// The arguments.
        arguments: Vec<Value>,
        /// How to call.
        options: InvokeOptions,
    } -> InvokeReply;
}
