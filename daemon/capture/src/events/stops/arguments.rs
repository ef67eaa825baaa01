//! Receiver and arguments of a call that is entered: read from its frame, or taken from the stack of the call that
//! makes it, where nothing needs to be read.

use jdwp::commands::stack_frame;
use jdwp::{FrameId, ReplyError};
use jhyde_trace::{ObjectId, Sink, Value};

use crate::arrivals::Ticket;
use crate::error::CaptureError;
use crate::events::Engine;
use crate::events::stops::sites::calls_by_name;
use crate::events::thread::Thread;
use crate::events::thread::asked::Below;
use crate::mirror::{Pending, Progress, is_known};
use crate::program::Method;

impl<S: Sink> Engine<S> {
    /// Reads receiver and arguments of a frame while its thread stands still, and what can be seen through them.
    pub(in crate::events) fn arguments_now(
        &mut self,
        ticket: Ticket,
        thread: &mut Thread,
        frame: Option<FrameId>,
        method: &Method,
        slots: Vec<stack_frame::SlotRequest>,
    ) -> Result<Option<Vec<jdwp::Value>>, CaptureError> {
        let values = self.told_arguments(thread, frame, method, slots)?;
        let created = usize::from(method.receiver && method.is_constructor());
        for value in values.iter().flatten().skip(created) {
            self.observe(ticket, thread, value)?;
        }
        Ok(values)
    }

    /// Has the innermost call, which calls this method, all arguments on its stack, each with a name that the JVM
    /// knows?
    pub(in crate::events) fn gives_arguments(
        &self,
        thread: &mut Thread,
        callee: &Method,
        below: &Below,
    ) -> bool {
        let caller = thread.stack.last();
        let Some((caller, mirror)) = caller.and_then(|c| Some((c, c.mirror.as_ref()?))) else {
            return false;
        };
        let direct = match below {
            Below::Known { .. } => true,
            Below::Asked => false,
            Below::Frames(frames) => frames.len() == caller.height as usize + 1,
        };
        let known = |at| {
            let value = mirror.peek(at);
            is_known(value) && !self.recorder.known.heap.is_unnamed(value)
        };
        direct && (0..callee.slots.len()).all(known)
    }

    /// Reads receiver and arguments of a frame while its thread stands still: of this one, else of the innermost.
    pub(in crate::events) fn told_arguments(
        &mut self,
        thread: &mut Thread,
        frame: Option<FrameId>,
        method: &Method,
        slots: Vec<stack_frame::SlotRequest>,
    ) -> Result<Option<Vec<jdwp::Value>>, CaptureError> {
        let reader = thread.jdwp;
        let told = if method.native {
            if !method.receiver {
                return Ok(None);
            }
            let this = self.ask_frame(thread, frame, |frame| stack_frame::ThisObject {
                thread: reader,
                frame,
            })?;
            this.map(|this| {
                this.map(|this| {
                    vec![jdwp::Value::Object {
                        tag: this.tag,
                        id: this.id,
                    }]
                })
            })
        } else if slots.is_empty() {
            return Ok(None);
        } else {
            self.ask_frame(thread, frame, |frame| stack_frame::GetValues {
                thread: reader,
                frame,
                slots: slots.clone(),
            })?
        };
        Ok(told.and_then(Result::ok))
    }

    fn ask_frame<C: jdwp::Command>(
        &mut self,
        thread: &mut Thread,
        frame: Option<FrameId>,
        question: impl Fn(FrameId) -> C,
    ) -> Result<Option<Result<C::Reply, ReplyError>>, CaptureError> {
        match frame {
            Some(frame) => Ok(Some(self.recorder.jvm.link.request(&question(frame))?)),
            None => self.ask_top(thread, question),
        }
    }

    /// The object whose monitor a static synchronized method of the class enters.
    pub(in crate::events) fn class_object(
        &mut self,
        ticket: Ticket,
        class: jdwp::ReferenceTypeId,
    ) -> Result<Option<ObjectId>, CaptureError> {
        let Some(id) = self
            .recorder
            .known
            .program
            .class_object(&mut self.recorder.jvm.link, class)?
        else {
            return Ok(None);
        };
        let id = jdwp::ObjectId::from(id);
        let told = jdwp::Value::Object {
            tag: jdwp::Tag::CLASS_OBJECT,
            id,
        };
        Ok(self.recorder.value(ticket, &told, false).object())
    }

    /// The innermost call runs an invoke instruction of this method: takes receiver and arguments off
    /// its stack.
    pub(in crate::events) fn take_arguments(
        &mut self,
        thread: &mut Thread,
        callee: &Method,
    ) -> Option<Vec<Value>> {
        let caller = thread.stack.last_mut()?;
        if !calls_by_name(caller, callee) {
            return None;
        }
        let mirror = caller.mirror.as_mut()?;
        let mut taken: Vec<Value> = callee.slots.iter().map(|_| mirror.pop()).collect();
        taken.reverse();
        mirror.pending = mirror.pending.map(|pending| Pending {
            progress: Progress::Calling,
            ..pending
        });
        Some(taken)
    }
}
