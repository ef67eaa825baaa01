//! Objects that code of the scope makes and hands on unkept: `list.toArray(new String[n])`, `of(new int[] {1}, a)`,
//! `new String(chars)`. No local, field or array that can be read holds such an object, only the operand stack, which
//! JDWP does not show. But the called method has it in its first slots when it begins. So a thread that is about to hand
//! one out of the scope stops once more, at the first instruction of what it calls: there the JVM tells its name, and
//! it is the same object when it comes back. Where the call is what loads the called class, it stops when that is prepared,
//! too; where it is not known which method it calls, at those that it enters.

use jdwp::commands::event_request::{self, Modifier};
use jdwp::commands::stack_frame::{self, SlotRequest};
use jdwp::commands::thread_reference;
use jdwp::{EventKind as Requested, Location, SuspendPolicy, Tag};
use jhyde_bytecode::{InvokeKind, MethodDescriptor};
use jhyde_trace::{ObjectId, Sink, Value};

use crate::arrivals::Ticket;
use crate::error::CaptureError;
use crate::events::Engine;
use crate::events::stops::sites::named_call;
use crate::events::thread::Thread;
use crate::events::thread::asked::{Handing, HandingStop};
use crate::jvm::{StackFrame, breakpoint};
use crate::mirror::Body;
use crate::program::{Named, index_of, key_of, location};
use crate::recorder::{makes_text, parameters};

/// A thread whose callee is not known stops where it enters a method so many times at most: it may load classes first.
const MOST_ENTERED: u32 = 256;

/// May a call of this name hand on an object that nothing else holds? Strings are told apart by their text.
pub(in crate::events) fn hands_on(named: &Named) -> bool {
    let reference = |kind: &String| kind.starts_with(['L', '[']) && kind != "Ljava/lang/String;";
    makes_text(named) || parameters(&named.descriptor).iter().any(reference)
}

impl<S: Sink> Engine<S> {
    /// A suspended thread is about to make a call out of the scope with this receiver and these arguments: has it stop
    /// in the callee if some of them have no name otherwise.
    pub(in crate::events) fn watch_handing(
        &mut self,
        thread: &mut Thread,
        named: &Named,
        receiver: Value,
        arguments: &[Value],
    ) -> Result<(), CaptureError> {
        let unnamed = |engine: &Self, value: Value| {
            let text = value
                .object()
                .and_then(|object| engine.recorder.known.heap.body(object));
            engine.recorder.known.heap.is_unnamed(value)
                && !matches!(text, Some(Body::Text(_)))
                && !engine.recorder.known.heap.is_constant(value)
        };
        let constructed = named.name == "<init>";
        let wants_receiver = if constructed {
            makes_text(named)
        } else {
            named.kind.has_receiver() && unnamed(self, receiver)
        };
        let wants = wants_receiver || arguments.iter().any(|&value| unnamed(self, value));
        if !wants || named.kind == InvokeKind::Dynamic {
            return Ok(());
        }
        let Ok(descriptor) = MethodDescriptor::parse(&named.descriptor) else {
            // A descriptor that makes no sense names no slots.
            return Ok(());
        };
        let mut slots = Vec::new();
        if wants_receiver {
            let tag = Tag::OBJECT;
            slots.push((SlotRequest { slot: 0, tag }, receiver));
        }
        let places = descriptor.parameter_slots(!named.kind.has_receiver());
        for ((slot, kind), &value) in places.zip(arguments) {
            if unnamed(self, value) {
                let (slot, tag) = (i32::from(slot), Tag(kind.tag()));
                slots.push((SlotRequest { slot, tag }, value));
            }
        }
        if let Some(stop) = self.handing_stop(thread, named, receiver)? {
            thread.handing = Some(Handing { stop, slots });
        }
        Ok(())
    }

    /// Has a thread stop where the method begins that a call runs, or where its class is prepared if the JVM has not loaded it.
    fn handing_stop(
        &mut self,
        thread: &Thread,
        named: &Named,
        receiver: Value,
    ) -> Result<Option<HandingStop>, CaptureError> {
        if let Some(callee) = self.recorder.selected(named, receiver)? {
            if callee.native {
                // It has no slots that can be read.
                return Ok(None);
            }
            let asked = breakpoint(location(callee.key, 0), Some(thread.jdwp));
            let breakpoint = self.recorder.jvm.link.ask(&asked);
            let callee = callee.key;
            return Ok(Some(HandingStop::Begin { callee, breakpoint }));
        }
        let only = Modifier::ThreadOnly {
            thread: thread.jdwp,
        };
        if named.kind != InvokeKind::Static {
            let request = self.recorder.jvm.link.ask(&event_request::Set {
                event_kind: Requested::METHOD_ENTRY,
                suspend_policy: SuspendPolicy::EVENT_THREAD,
                modifiers: vec![only],
            });
            let (named, left) = (named.clone(), MOST_ENTERED);
            return Ok(Some(HandingStop::Enter {
                named,
                request,
                left,
            }));
        }
        let request = self.recorder.jvm.link.ask(&event_request::Set {
            event_kind: Requested::CLASS_PREPARE,
            suspend_policy: SuspendPolicy::EVENT_THREAD,
            modifiers: vec![
                only,
                Modifier::ClassMatch {
                    class_pattern: named.class.as_str().into(),
                },
            ],
        });
        let named = named.clone();
        Ok(Some(HandingStop::Load { named, request }))
    }

    /// A class out of the scope was prepared by a thread that may have waited for that, to hand objects to a method of it.
    pub(in crate::events) fn may_hand(
        &mut self,
        thread: &mut Thread,
        class: &str,
    ) -> Result<(), CaptureError> {
        let waits = |handing: &mut Handing| matches!(&handing.stop, HandingStop::Load { named, .. } if named.class == class);
        let Some(Handing { stop, slots }) = thread.handing.take_if(waits) else {
            return Ok(());
        };
        if let HandingStop::Load { named, .. } = &stop
            && let Some(stop) = self.handing_stop(thread, named, Value::Null)?
        {
            thread.handing = Some(Handing { stop, slots });
        }
        self.clear_handing(&stop)
    }

    /// Is this the beginning of a method that the thread hands objects to? Then their names are learnt.
    pub(in crate::events) fn is_handed(
        &mut self,
        thread: &mut Thread,
        at: &Location,
    ) -> Result<bool, CaptureError> {
        let begins = |stop: &HandingStop| matches!(stop, HandingStop::Begin { callee, .. } if *callee == (at.class, at.method));
        let handing = &thread.handing;
        if index_of(at) != 0 || !handing.as_ref().is_some_and(|h| begins(&h.stop)) {
            return Ok(false);
        }
        if self.is_called_by_innermost(thread)? {
            self.learn_handed(thread)?;
        }
        // Else the JVM runs that method before the call, to load a class for it, say.
        Ok(true)
    }

    /// A method was entered by a thread that may hand objects to it.
    pub(in crate::events) fn may_be_handed(
        &mut self,
        thread: &mut Thread,
        at: &Location,
    ) -> Result<(), CaptureError> {
        let Some(Handing {
            stop: HandingStop::Enter { named, left, .. },
            ..
        }) = &mut thread.handing
        else {
            return Ok(());
        };
        *left -= 1;
        let (named, is_last) = (named.clone(), *left == 0);
        let key = (at.class, at.method);
        let method = self
            .recorder
            .known
            .program
            .method(&mut self.recorder.jvm.link, key)?;
        let Some(method) = method.filter(|method| !method.in_scope) else {
            // What a call of the scope is given is told when it begins.
            return self.end_handing(thread);
        };
        let is_it = (&method.name, &method.descriptor) == (&named.name, &named.descriptor)
            && self.is_called_by_innermost(thread)?;
        match (is_it, method.native) {
            (true, false) => self.learn_handed(thread),
            // A native method has no slots that can be read.
            (true, true) => self.end_handing(thread),
            (false, _) if is_last => self.end_handing(thread),
            (false, _) => Ok(()),
        }
    }

    /// Has the innermost call of the scope called, itself, the method whose frame is on top?
    fn is_called_by_innermost(&mut self, thread: &mut Thread) -> Result<bool, CaptureError> {
        let Some(height) = thread.innermost_mut().map(|frame| frame.height) else {
            return Ok(false);
        };
        let count = self
            .recorder
            .jvm
            .link
            .request(&thread_reference::FrameCount {
                thread: thread.jdwp,
            })?;
        Ok(count.is_ok_and(|count| i64::from(count) == i64::from(height) + 2))
    }

    /// The method that a thread hands objects to begins: what lies in its slots are these objects.
    fn learn_handed(&mut self, thread: &mut Thread) -> Result<(), CaptureError> {
        let Some(handing) = thread.handing.take() else {
            return Ok(());
        };
        let slots: Vec<_> = handing.slots.iter().map(|slot| slot.0).collect();
        let reader = thread.jdwp;
        let told = self.ask_top(thread, |frame| stack_frame::GetValues {
            thread: reader,
            frame,
            slots: slots.clone(),
        })?;
        if let Some(told) = told {
            for (&(_, value), told) in handing.slots.iter().zip(&told.unwrap_or_default()) {
                if let Some(told) = told.object() {
                    self.unify(thread, value, told);
                }
                self.name_elements(thread, value)?;
            }
        }
        self.clear_handing(&handing.stop)
    }

    /// The thread has gone another way.
    pub(in crate::events) fn end_handing(
        &mut self,
        thread: &mut Thread,
    ) -> Result<(), CaptureError> {
        match thread.handing.take() {
            Some(handing) => self.clear_handing(&handing.stop),
            None => Ok(()),
        }
    }

    /// A method of the scope is called from out of it, with these frames below it: the receiver of the call that led there has
    /// the name that its frame tells. What code of the scope makes by a constructor out of the scope has none before.
    pub(in crate::events) fn name_receiver(
        &mut self,
        thread: &mut Thread,
        below: &[StackFrame],
    ) -> Result<(), CaptureError> {
        let Some(caller) = thread.innermost_mut() else {
            return Ok(());
        };
        let height = caller.height as usize;
        let (Some((_, named)), Some(mirror)) = (named_call(caller), &caller.mirror) else {
            // The call has begun, and what it was given was told, or it is not known which one it is.
            return Ok(());
        };
        let receiver = match named.kind.has_receiver() {
            true => mirror.peek(parameters(&named.descriptor).len()),
            false => Value::Null,
        };
        let above = below.len().checked_sub(2 + height).map(|at| &below[at]);
        let Some(above) = above.filter(|_| self.recorder.known.heap.is_unnamed(receiver)) else {
            return Ok(());
        };
        if !self.recorder.runs(&named, key_of(&above.location))? {
            // The JVM has called it on its own account.
            return Ok(());
        }
        let this = self.recorder.jvm.link.request(&stack_frame::ThisObject {
            thread: thread.jdwp,
            frame: above.frame,
        })?;
        if let Ok(this) = this {
            self.unify(thread, receiver, this);
        }
        Ok(())
    }

    fn clear_handing(&mut self, stop: &HandingStop) -> Result<(), CaptureError> {
        let (kind, request) = match stop {
            HandingStop::Begin { breakpoint, .. } => (Requested::BREAKPOINT, *breakpoint),
            HandingStop::Load { request, .. } => (Requested::CLASS_PREPARE, *request),
            HandingStop::Enter { request, .. } => (Requested::METHOD_ENTRY, *request),
        };
        Ok(self.recorder.jvm.clear(kind, request)?)
    }

    /// A string or box has been made by its constructor: asks what it holds.
    pub(in crate::events) fn learn_text(&mut self, ticket: Ticket, object: ObjectId) {
        let Some(id) = self.recorder.known.heap.real(object) else {
            // It has no name by which it could be asked: its text is not known.
            return;
        };
        let class = self.recorder.known.heap.class(object);
        let name = class.and_then(|class| self.recorder.known.program.name_of(class));
        let tag = match name.as_deref() {
            Some("java.lang.String") => Tag::STRING,
            _ => Tag::OBJECT,
        };
        let told = jdwp::TaggedObject { tag, id };
        for (asked, question) in
            self.recorder
                .known
                .objects
                .ask(&mut self.recorder.jvm.link, told, false)
        {
            self.recorder.ask_object(asked, ticket, question);
        }
    }
}
