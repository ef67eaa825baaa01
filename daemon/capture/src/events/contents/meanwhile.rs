//! What calls out of the scope that run in other threads may change while something is looked at.
//!
//! Threads that stand behind such a call before they run in the scope again are "outside", and yet the call may be in the middle of a
//! list. What is read then may have a change whose call has not returned, or half of it: it is not known. And what a
//! method does to what was known of its receiver is only that if nobody has read the receiver since its thread went on.

use jhyde_trace::{ObjectId, Sink};

use crate::contents::held_by;
use crate::events::Engine;
use crate::events::contents::MOST_HELD;
use crate::events::thread::frame::Frame;
use crate::program::Named;
use crate::recorder::parameters;

impl<S: Sink> Engine<S> {
    /// May a call that runs in another thread change what an object holds?
    pub(super) fn is_used_meanwhile(&self, object: ObjectId) -> bool {
        self.threads.iter().any(|other| {
            let opened = other.stack.iter().filter_map(|frame| frame.shown.as_ref());
            let mut opened = opened.map(|of| (of.named(), of.receiver(), of.objects()));
            if opened.any(|(named, receiver, shown)| self.may_use(named, receiver, shown, object)) {
                return true;
            }
            let next = other.stack.last().and_then(about_to_run);
            next.is_some_and(|(named, receiver, shown)| {
                self.may_use(&named, receiver, &shown, object)
            })
        })
    }

    /// May a call change what an object holds, while it runs and before it calls back?
    fn may_use(
        &self,
        named: &Named,
        receiver: Option<ObjectId>,
        shown: &[ObjectId],
        object: ObjectId,
    ) -> bool {
        let contents = &self.recorder.known.contents;
        let may_change = self.may_change(named, receiver, shown);
        // What code of the scope changes, that code is seen to change: who only waits for it changes nothing.
        let seen = |&of: &ObjectId| !contents.runs_scope(of);
        let by_itself: Vec<ObjectId> = may_change.into_iter().filter(seen).collect();
        let behind = contents.behind(&by_itself);
        if contents.any_wild(&behind) {
            let known = &self.recorder.known;
            let held = held_by(contents, &known.heap, &known.program, behind, MOST_HELD);
            return held.map_or(true, |held| held.contains(&object));
        }
        !waits_for_others(named) && behind.contains(&object)
    }
}

/// The call that a thread has said to make, behind which it stops: what it names, its receiver, and all that it is shown.
fn about_to_run(frame: &Frame) -> Option<(Named, Option<ObjectId>, Vec<ObjectId>)> {
    let mirror = frame
        .mirror
        .as_ref()
        .filter(|_| !frame.boundary && frame.is_in_a_call())?;
    let named = frame.about_to_call()?;
    let arguments = parameters(&named.descriptor).len();
    let has_receiver = named.kind.has_receiver();
    let receiver = has_receiver.then(|| mirror.peek(arguments).object());
    let shown =
        (0..arguments + usize::from(has_receiver)).filter_map(|at| mirror.peek(at).object());
    Some((named, receiver.flatten(), shown.collect()))
}

/// Does it wait for what other threads do, and do nothing itself to what they were given?
fn waits_for_others(named: &Named) -> bool {
    let class = named.class.as_str();
    let is_task = ["Future", "FutureTask", "ForkJoinTask", "CompletionService"];
    let is_pool = ["Executor", "ExecutorService", "ForkJoinPool"];
    let ends = |of: &&str| class.ends_with(*of);
    class == "java.lang.Thread"
        || class.starts_with("java.util.concurrent.") && is_task.iter().chain(&is_pool).any(ends)
}
