//! Whether anybody else can change what a thread that stands still is asked about.
//!
//! Of an object of the JDK that is read in several commands the parts may be of different times if another thread works
//! on it meanwhile. Where no other thread of the program is there, none does. Else all threads are made to stand still
//! while the snapshot is taken, and what one of them is in the middle of changing (a method of it is on its stack) is not
//! claimed. They go on in the write that resumes the thread itself.

use jdwp::commands::{stack_frame, thread_reference, virtual_machine};
use jdwp::{ErrorCode, ReplyError, ThreadId};
use jhyde_trace::Sink;
use rustc_hash::FxHashSet;

use crate::error::{CaptureError, LinkError};
use crate::events::Engine;
use crate::events::thread::Thread;
use crate::recorder::Role;

/// Deeper stacks are not looked through.
const DEEPEST: usize = 1 << 10;

/// Who else may change things while a snapshot is taken.
pub(in crate::events) enum Others {
    /// Nobody has asked yet.
    Unasked,
    /// There are none.
    None,
    /// They stand still; each is in the middle of what methods of these objects do.
    Held(FxHashSet<u64>),
    /// They run, or may.
    Run,
    /// They stand still, and what they are doing was not seen.
    Unseen,
}

impl Others {
    /// Can an object be read in several commands?
    pub(in crate::events) fn leave_alone(&self, object: jdwp::ObjectId) -> bool {
        match self {
            Self::None => true,
            Self::Held(busy) => !busy.contains(&object.0),
            Self::Unasked | Self::Run | Self::Unseen => false,
        }
    }
}

impl<S: Sink> Engine<S> {
    /// Sees to it that nobody changes what is read, as far as that can be.
    pub(in crate::events) fn hold_others(
        &mut self,
        thread: &Thread,
    ) -> Result<Others, CaptureError> {
        let all = self
            .recorder
            .jvm
            .link
            .request(&virtual_machine::AllThreads)?
            .unwrap_or_default();
        let (others, carried) = self.others_of(&all, thread)?;
        // Virtual threads cannot be listed: what they are doing, nobody sees.
        if carried || thread.is_virtual || self.threads.iter().any(|other| other.is_virtual) {
            return Ok(Others::Run);
        }
        if others.is_empty() {
            return Ok(Others::None);
        }
        if self.recorder.jvm.link.suspend_all()?.is_err() {
            return Ok(Others::Run);
        }
        match self.receivers_of_others(thread) {
            Ok(busy) => Ok(busy.map_or(Others::Unseen, Others::Held)),
            Err(error) => {
                self.let_others_go();
                Err(error.into())
            }
        }
    }

    /// What [`Engine::hold_others`] has made stand still goes on with the next write.
    pub(in crate::events) fn let_others_go(&mut self) {
        self.recorder.jvm.link.resume_all();
        self.threads.forget_generations();
    }

    /// The threads beside one that may work on objects of the program, and whether some carry virtual ones.
    fn others_of(
        &mut self,
        all: &[ThreadId],
        thread: &Thread,
    ) -> Result<(Vec<ThreadId>, bool), LinkError> {
        let mut others = Vec::new();
        let mut carried = false;
        for &other in all.iter().filter(|&&other| other != thread.jdwp) {
            let role = self.recorder.role_of(other)?;
            let in_scope = self.threads.get(other);
            let in_scope = in_scope.is_some_and(|other| !other.stack.is_empty());
            carried |= role == Role::Carrier;
            if role != Role::Own || in_scope {
                others.push(other);
            }
        }
        Ok((others, carried))
    }

    /// All threads stand still: the objects of the JDK of which a method is on another one's stack. `None` if that was
    /// not seen.
    fn receivers_of_others(
        &mut self,
        thread: &Thread,
    ) -> Result<Option<FxHashSet<u64>>, LinkError> {
        let all = self
            .recorder
            .jvm
            .link
            .request(&virtual_machine::AllThreads)?;
        let Ok(all) = all else { return Ok(None) };
        let (others, _) = self.others_of(&all, thread)?;
        let frames = others.iter().map(|&thread| thread_reference::Frames {
            thread,
            start_frame: 0,
            length: -1,
        });
        let stacks = self.recorder.jvm.link.request_all(frames)?;
        let mut asked = Vec::new();
        for (&thread, stack) in others.iter().zip(stacks) {
            let stack = match stack {
                Ok(stack) if stack.len() <= DEEPEST => stack,
                // It has ended, or has not begun: it does nothing.
                Err(ReplyError::Jvm {
                    code: ErrorCode::INVALID_THREAD,
                    ..
                }) => continue,
                _ => return Ok(None),
            };
            for frame in stack {
                if self.recorder.may_hold_data(frame.location.class)? {
                    let frame = frame.frame;
                    asked.push(stack_frame::ThisObject { thread, frame });
                }
            }
        }
        let mut busy = FxHashSet::default();
        for told in self.recorder.jvm.link.request_all(asked)? {
            match told {
                Ok(receiver) => busy.insert(receiver.id.0),
                Err(_) => return Ok(None),
            };
        }
        Ok(Some(busy))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_known_to_be_left_alone_is_claimed() {
        let list = jdwp::ObjectId(7);
        assert!(Others::None.leave_alone(list));
        assert!(Others::Held(FxHashSet::from_iter([8])).leave_alone(list));
        assert!(!Others::Held(FxHashSet::from_iter([7, 8])).leave_alone(list));
        for others in [Others::Unasked, Others::Run, Others::Unseen] {
            assert!(!others.leave_alone(list));
        }
    }
}
