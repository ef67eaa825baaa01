//! Commands to frames of suspended threads (spec: "StackFrame Command Set (16)").

use crate::types::{FrameId, Tag, TaggedObject, ThreadId, Value};

command_set! {
    StackFrame = 16;

    /// The values of local variables. Each slot must hold a variable of the type that is asked
    /// for at the frame's place, or the whole command fails.
    GetValues = 1 {
        /// The frame's thread.
        thread: ThreadId,
        /// The frame.
        frame: FrameId,
        /// The slots.
        slots: Vec<SlotRequest>,
    } -> Vec<Value>;

    /// Writes local variables.
    SetValues = 2 {
        /// The frame's thread.
        thread: ThreadId,
        /// The frame.
        frame: FrameId,
        /// The slots and their values.
        values: Vec<SlotValue>,
    } -> ();

    /// The frame's `this`; null in static and native methods.
    ThisObject = 3 {
        /// The frame's thread.
        thread: ThreadId,
        /// The frame.
        frame: FrameId,
    } -> TaggedObject;

    /// Leaves frames, the given one too, as if their calls had never begun. What they did stays
    /// done.
    PopFrames = 4 {
        /// The frame's thread.
        thread: ThreadId,
        /// The outermost frame to leave.
        frame: FrameId,
    } -> ();
}

wire_struct! {
    /// A local variable to read.
    #[derive(Copy, Eq, Hash)]
    pub struct SlotRequest {
        /// The slot's index.
        pub slot: i32,
        /// The type of the variable: the first character of its signature.
        pub tag: Tag,
    }

    /// A local variable to write.
    #[derive(Copy)]
    pub struct SlotValue {
        /// The slot's index.
        pub slot: i32,
        /// The value.
        pub value: Value,
    }
}
