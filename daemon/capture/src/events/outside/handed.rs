//! Objects that code of the scope makes and hands on unkept: `list.toArray(new String[n])`, `of(new int[] {1}, a)`,
//! `new String(chars)`. No local, field or array that can be read holds such an object, only the operand stack, which
//! JDWP does not show. But the called method has it in its first slots when it begins. So a thread that is about to hand
//! one out of the scope stops once more, at the first instruction of what it calls: there the JVM tells its name, and
//! it is the same object when it comes back.

use jdwp::commands::stack_frame::{self, SlotRequest};
use jdwp::{EventKind as Requested, Location, Tag};
use jhyde_bytecode::{InvokeKind, MethodDescriptor};
use jhyde_trace::{ObjectId, Sink, Value};

use crate::arrivals::Ticket;
use crate::error::CaptureError;
use crate::events::Engine;
use crate::events::thread::Thread;
use crate::events::thread::asked::Handing;
use crate::jvm::breakpoint;
use crate::mirror::Body;
use crate::program::{Named, index_of, location};
use crate::recorder::{makes_text, parameters};

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
        let Some(callee) = self
            .recorder
            .selected(named, receiver)?
            .filter(|s| !s.native)
        else {
            // Which method runs is not known, or it has no slots that can be read.
            return Ok(());
        };
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
        let (class, method) = callee.key;
        let asked = breakpoint(location((class, method), 0), Some(thread.jdwp));
        let breakpoint = self.recorder.jvm.link.ask(&asked);
        thread.handing = Some(Handing {
            callee: callee.key,
            breakpoint,
            slots,
        });
        Ok(())
    }

    /// Is this the beginning of a method that the thread hands objects to? Then their names are learnt.
    pub(in crate::events) fn is_handed(
        &mut self,
        thread: &mut Thread,
        at: &Location,
    ) -> Result<bool, CaptureError> {
        let handing = {
            let begins = |h: &Handing| h.callee == (at.class, at.method) && index_of(at) == 0;
            thread.handing.take_if(|handing| begins(handing))
        };
        let Some(handing) = handing else {
            return Ok(false);
        };
        if let Some(frame) = self.stack_top(thread)? {
            let slots = handing.slots.iter().map(|slot| slot.0).collect();
            let told = self.recorder.jvm.link.request(&stack_frame::GetValues {
                thread: thread.jdwp,
                frame,
                slots,
            })?;
            for (&(_, value), told) in handing.slots.iter().zip(&told.unwrap_or_default()) {
                if let Some(told) = told.object() {
                    self.unify(thread, value, told);
                }
                self.name_elements(thread, value)?;
            }
        }
        self.recorder
            .jvm
            .clear(Requested::BREAKPOINT, handing.breakpoint)?;
        Ok(true)
    }

    /// The thread has gone another way.
    pub(in crate::events) fn end_handing(
        &mut self,
        thread: &mut Thread,
    ) -> Result<(), CaptureError> {
        if let Some(handing) = thread.handing.take() {
            self.recorder
                .jvm
                .clear(Requested::BREAKPOINT, handing.breakpoint)?;
        }
        Ok(())
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
