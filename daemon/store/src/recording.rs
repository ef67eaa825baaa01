//! The way out: questions to one recording, finished or still being written.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use jhyde_trace::{
    CallId, ClassId, ClassInfo, FieldId, MethodId, ObjectId, ObjectInfo, RecordingMeta, ThreadId,
    ThreadInfo, Timestamp, Variable,
};

use crate::error::Result;
use crate::records::{
    Arguments, CallOutcome, CallRecord, Creation, Direction, ExceptionEvent, Execution, FieldRef,
    MethodRef, OwnEvent, RootRecord, Stats, TimedEvent, Write,
};

/// An iterator of this module: it owns what it needs, so it may outlive the borrow of the recording.
pub type Rows<T> = Box<dyn Iterator<Item = Result<T>> + Send>;

/// One recording, for reading. Cheap to clone; safe to use from many threads.
///
/// Every query sees the recording as it was when the query began: an iterator that was made before
/// an event was appended does not return it. Two queries after one another may see different ends.
/// Ranges of timestamps are half-open.
///
/// A damaged block makes those queries fail with [`crate::Error::Damaged`] that need it; iterators yield
/// the error once, in its place, and go on behind the damage.
#[derive(Clone, Debug)]
pub struct Recording {}

impl Recording {
    /// The recording's id.
    pub fn id(&self) -> &str {
        todo!()
    }

    /// What the recording says of itself now.
    pub fn meta(&self) -> RecordingMeta {
        todo!()
    }

    /// How much there is.
    pub fn stats(&self) -> Result<Stats> {
        todo!()
    }

    /// The timestamp that the next event would get: all events are below.
    pub fn end(&self) -> Timestamp {
        todo!()
    }

    /// Notification of changes: new events (within 50 ms, many at once), meta, state.
    pub fn watch(&self) -> Watch {
        todo!()
    }

    /// Milliseconds since 1970-01-01 UTC at which about this event happened: exact at a block's
    /// ends, in between interpolated.
    pub fn wall_time_ms(&self, at: Timestamp) -> Result<u64> {
        todo!("{at}")
    }

    // --- static tables ---

    /// All threads, by id.
    pub fn threads(&self) -> Result<Vec<ThreadInfo>> {
        todo!()
    }

    /// A thread.
    pub fn thread(&self, id: ThreadId) -> Result<Option<ThreadInfo>> {
        todo!("{id}")
    }

    /// A class.
    pub fn class(&self, id: ClassId) -> Result<Option<Arc<ClassInfo>>> {
        todo!("{id}")
    }

    /// A method and its class.
    pub fn method(&self, id: MethodId) -> Result<Option<MethodRef>> {
        todo!("{id}")
    }

    /// A field and its class.
    pub fn field(&self, id: FieldId) -> Result<Option<FieldRef>> {
        todo!("{id}")
    }

    /// The ids of all classes, by id.
    pub fn classes(&self) -> Vec<ClassId> {
        todo!()
    }

    /// The classes with exactly this dotted binary name: several when loaders define it several times.
    pub fn classes_named(&self, name: &str) -> Vec<ClassId> {
        todo!("{name}")
    }

    /// What is known of an object; `None` when it was never described.
    pub fn object(&self, id: ObjectId) -> Result<Option<ObjectInfo>> {
        todo!("{id}")
    }

    /// Where an object was created, if that was recorded.
    pub fn creation(&self, id: ObjectId) -> Result<Option<Creation>> {
        todo!("{id}")
    }

    // --- events ---

    /// One event.
    pub fn event(&self, at: Timestamp) -> Result<TimedEvent> {
        todo!("{at}")
    }

    /// The events of a range, of all threads or of one.
    pub fn events(
        &self,
        range: Range<Timestamp>,
        thread: Option<ThreadId>,
        direction: Direction,
    ) -> Rows<TimedEvent> {
        todo!("{range:?} {thread:?} {direction:?}")
    }

    /// Thrown, caught and uncaught exceptions of a range.
    pub fn exceptions(
        &self,
        range: Range<Timestamp>,
        direction: Direction,
    ) -> Rows<ExceptionEvent> {
        todo!("{range:?} {direction:?}")
    }

    // --- calls ---

    /// A thread's root.
    pub fn root(&self, thread: ThreadId) -> Result<RootRecord> {
        todo!("{thread}")
    }

    /// A call. The root of a thread is none: see [`Recording::root`].
    pub fn call(&self, id: CallId) -> Result<CallRecord> {
        todo!("{id}")
    }

    /// The call whose `Enter` is this event, if it is one.
    pub fn call_entered_at(&self, at: Timestamp) -> Result<Option<CallRecord>> {
        todo!("{at}")
    }

    /// The innermost call of a thread that was running just after the event `at` (which may be of
    /// another thread): after an `Enter` the entered call, after an `Exit` the parent. The thread's root,
    /// if none ran.
    pub fn innermost_call(&self, thread: ThreadId, at: Timestamp) -> Result<CallId> {
        todo!("{thread} {at}")
    }

    /// Children of a call or root in time order: those after the child `after`, at most `limit`.
    pub fn children(
        &self,
        call: CallId,
        after: Option<CallId>,
        limit: usize,
    ) -> Result<Vec<CallRecord>> {
        todo!("{call} {after:?} {limit}")
    }

    /// The calls from the outermost one down to this one, itself last; the root is left out.
    pub fn path(&self, call: CallId) -> Result<Vec<CallRecord>> {
        todo!("{call}")
    }

    /// Calls of one thread in preorder: numbers `range.start .. range.end` (root excluded).
    pub fn preorder(&self, thread: ThreadId, range: Range<u64>) -> Rows<CallRecord> {
        todo!("{thread} {range:?}")
    }

    /// A call's (or root's) own events in a range, and the `Enter` and `Exit` of its direct
    /// children. Costs nothing for what happens inside children.
    pub fn own_events(
        &self,
        call: CallId,
        range: Range<Timestamp>,
        direction: Direction,
    ) -> Rows<OwnEvent> {
        todo!("{call} {range:?} {direction:?}")
    }

    /// A call's receiver and arguments.
    pub fn arguments(&self, call: &CallRecord) -> Result<Arguments> {
        todo!("{call:?}")
    }

    /// How a call ended; `None` for an incomplete call.
    pub fn outcome(&self, call: &CallRecord) -> Result<CallOutcome> {
        todo!("{call:?}")
    }

    /// Calls of a method by rising invocation, beginning at `from_invocation`, at most `limit`.
    pub fn calls_of_method(
        &self,
        method: MethodId,
        from_invocation: u64,
        limit: usize,
    ) -> Result<Vec<CallRecord>> {
        todo!("{method} {from_invocation} {limit}")
    }

    /// How many calls of a method there are.
    pub fn invocations(&self, method: MethodId) -> Result<u64> {
        todo!("{method}")
    }

    /// The n-th call of a method, from 0.
    pub fn call_by_invocation(&self, method: MethodId, n: u64) -> Result<Option<CallRecord>> {
        todo!("{method} {n}")
    }

    /// Executions of a source line in a range: one per visit, that is, per run of own events of
    /// one call at that line without an own event at another line in between.
    pub fn executions_of_line(
        &self,
        class: ClassId,
        line: u32,
        range: Range<Timestamp>,
        direction: Direction,
    ) -> Rows<Execution> {
        todo!("{class} {line} {range:?} {direction:?}")
    }

    /// Calls that executed a source line (had an own event there), by their first execution at or
    /// after `from`, each once, at most `limit`.
    pub fn calls_at_line(
        &self,
        class: ClassId,
        line: u32,
        from: Timestamp,
        limit: usize,
    ) -> Result<Vec<CallRecord>> {
        todo!("{class} {line} {from} {limit}")
    }

    // --- variables ---

    /// The last write of a variable at or before `at`. `Return` and `Exception` are written by their call's
    /// `Exit`. Parameters are written by `Enter` only if the engine says so with a `Write`.
    pub fn last_write(&self, variable: Variable, at: Timestamp) -> Result<Option<Write>> {
        todo!("{variable:?} {at}")
    }

    /// All writes of a variable in a range.
    pub fn writes(
        &self,
        variable: Variable,
        range: Range<Timestamp>,
        direction: Direction,
    ) -> Rows<Write> {
        todo!("{variable:?} {range:?} {direction:?}")
    }

    /// The last write at or before `at` of each field of an object, or of each element of an array
    /// from index `from_element` on, by field id or index, at most `limit`. Variables that were not written
    /// by then are left out.
    pub fn object_state(
        &self,
        object: ObjectId,
        at: Timestamp,
        from_element: u32,
        limit: usize,
    ) -> Result<Vec<Write>> {
        todo!("{object} {at} {from_element} {limit}")
    }

    /// Was any field or element of the object written in `(after, until]`?
    pub fn written_between(
        &self,
        object: ObjectId,
        after: Timestamp,
        until: Timestamp,
    ) -> Result<bool> {
        todo!("{object} {after} {until}")
    }

    // --- debugging sessions kept with the recording ---

    /// Keeps a session's bytes under an id. Works on finished recordings, not on sealed ones that
    /// are open for reading only.
    pub fn put_session(&self, id: &str, bytes: &[u8]) -> Result<()> {
        todo!("{id} {bytes:?}")
    }

    /// A session's bytes.
    pub fn session(&self, id: &str) -> Result<Option<Vec<u8>>> {
        todo!("{id}")
    }

    /// The ids of all sessions, sorted.
    pub fn sessions(&self) -> Result<Vec<String>> {
        todo!()
    }

    /// Deletes a session; it need not be there.
    pub fn delete_session(&self, id: &str) -> Result<()> {
        todo!("{id}")
    }
}

/// Tells that something changed. Counts up; the number itself means nothing.
#[derive(Clone, Debug)]
pub struct Watch {}

impl Watch {
    /// The number of changes so far.
    pub fn version(&self) -> u64 {
        todo!()
    }

    /// Blocks until the version is not `seen` any more or the time is over; returns the version.
    pub fn wait(&self, seen: u64, timeout: Duration) -> u64 {
        todo!("{seen} {timeout:?}")
    }

    /// Calls `callback` after every change until the returned guard is dropped. It must be quick
    /// and must not call the store (wake a task, and let that do so).
    pub fn on_change(&self, callback: impl Fn() + Send + Sync + 'static) -> WatchGuard {
        let _ = callback;
        todo!()
    }
}

/// Ends a callback of [`Watch::on_change`] when dropped.
#[derive(Debug)]
pub struct WatchGuard {}
