//! Commands to thread groups (spec: "ThreadGroupReference Command Set (12)").

use crate::types::{JdwpString, ThreadGroupId, ThreadId};

command_set! {
    ThreadGroupReference = 12;

    /// The group's name.
    Name = 1 {
        /// The group.
        group: ThreadGroupId,
    } -> JdwpString;

    /// The group's parent; null for a top-level group.
    Parent = 2 {
        /// The group.
        group: ThreadGroupId,
    } -> ThreadGroupId;

    /// The live threads and active groups directly in the group.
    Children = 3 {
        /// The group.
        group: ThreadGroupId,
    } -> ChildrenReply;
}

wire_struct! {
    /// Reply to [`Children`].
    #[derive(Eq, Hash)]
    pub struct ChildrenReply {
        /// Threads.
        pub threads: Vec<ThreadId>,
        /// Groups.
        pub groups: Vec<ThreadGroupId>,
    }
}
