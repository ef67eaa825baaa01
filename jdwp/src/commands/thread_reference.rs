//! Commands to threads (spec: "ThreadReference Command Set (11)").

use crate::types::{
    FrameId, JdwpString, Location, ObjectId, SuspendStatus, TaggedObject, ThreadGroupId, ThreadId,
    ThreadStatus, Value,
};

command_set! {
    ThreadReference = 11;

    /// The thread's name.
    Name = 1 {
        /// The thread.
        thread: ThreadId,
    } -> JdwpString;

    /// Suspends a thread; counts.
    Suspend = 2 {
        /// The thread.
        thread: ThreadId,
    } -> ();

    /// Takes one from the thread's suspend count; it runs again at 0.
    Resume = 3 {
        /// The thread.
        thread: ThreadId,
    } -> ();

    /// What the thread does, and whether it is suspended.
    Status = 4 {
        /// The thread.
        thread: ThreadId,
    } -> StatusReply;

    /// The thread's group.
    ThreadGroup = 5 {
        /// The thread.
        thread: ThreadId,
    } -> ThreadGroupId;

    /// The frames of a suspended thread, innermost first.
    Frames = 6 {
        /// The thread.
        thread: ThreadId,
        /// The first frame to send; 0 is the innermost.
        start_frame: i32,
        /// How many to send; -1 for all that are left.
        length: i32,
    } -> Vec<Frame>;

    /// The number of frames of a suspended thread.
    FrameCount = 7 {
        /// The thread.
        thread: ThreadId,
    } -> i32;

    /// The monitors that a suspended thread owns.
    OwnedMonitors = 8 {
        /// The thread.
        thread: ThreadId,
    } -> Vec<TaggedObject>;

    /// The monitor that a suspended thread waits for, or null.
    CurrentContendedMonitor = 9 {
        /// The thread.
        thread: ThreadId,
    } -> TaggedObject;

    /// Throws an exception in a thread.
    Stop = 10 {
        /// The thread.
        thread: ThreadId,
        /// What to throw.
        throwable: ObjectId,
    } -> ();

    /// Interrupts a thread, as `Thread.interrupt` does.
    Interrupt = 11 {
        /// The thread.
        thread: ThreadId,
    } -> ();

    /// How often the thread was suspended more than resumed, by the debugger and by events.
    SuspendCount = 12 {
        /// The thread.
        thread: ThreadId,
    } -> i32;

    /// The monitors that a suspended thread owns, with the frames that entered them.
    OwnedMonitorsStackDepthInfo = 13 {
        /// The thread.
        thread: ThreadId,
    } -> Vec<OwnedMonitor>;

    /// Makes a suspended thread's innermost frame return a value, without running it further.
    ForceEarlyReturn = 14 {
        /// The thread.
        thread: ThreadId,
        /// What it returns; void for void methods.
        value: Value,
    } -> ();

    /// Whether the thread is a virtual thread. Since JDWP 21.
    IsVirtual = 15 {
        /// The thread.
        thread: ThreadId,
    } -> bool;
}

wire_struct! {
    /// Reply to [`Status`].
    #[derive(Copy, Eq, Hash)]
    pub struct StatusReply {
        /// What the thread does.
        pub thread_status: ThreadStatus,
        /// Whether it is suspended.
        pub suspend_status: SuspendStatus,
    }

    /// A frame of a thread: element of the reply to [`Frames`].
    #[derive(Copy, Eq, Hash)]
    pub struct Frame {
        /// The frame, valid until the thread is resumed.
        pub frame: FrameId,
        /// Where it is.
        pub location: Location,
    }

    /// Element of the reply to [`OwnedMonitorsStackDepthInfo`].
    #[derive(Copy, Eq, Hash)]
    pub struct OwnedMonitor {
        /// The monitor's object.
        pub monitor: TaggedObject,
        /// The frame that entered it, 0 being the innermost; -1 if it is not known.
        pub stack_depth: i32,
    }
}
