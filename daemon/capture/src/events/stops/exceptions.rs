//! Exits by exception. JDWP sends no method exit for them, so they are worked out from the exception
//! event: where it was thrown, where the JVM expects it to be caught, and what stands between.
//!
//! How far the JVM's expectation holds is told by `fate`. Where it is certain the calls above end at once. Where it is
//! not, those that end in any case do; for the rest the thread is made to stop at its next event, and
//! its real stack then says which calls are gone. Finally blocks need nothing of their own: javac
//! compiles them as handlers that throw again (JVMS 3.13), which is an exception event again.

use jdwp::commands::event_request;
use jdwp::commands::event_request::Modifier;
use jdwp::{EventKind as Requested, Location, SuspendPolicy, TaggedObject};
use jhyde_bytecode::Opcode;
use jhyde_trace::{Event, EventKind, Sink, Value};

use crate::arrivals::Ticket;
use crate::error::CaptureError;
use crate::events::Engine;
use crate::events::thread::frame::Frame;
use crate::events::thread::{Thread, Unsure};
use crate::mirror::UNKNOWN;
use crate::program::{MethodKey, index_of};

impl<S: Sink> Engine<S> {
    /// An exception was thrown, anywhere in the JVM; the thread is suspended.
    pub(in crate::events) fn exception(
        &mut self,
        ticket: Ticket,
        thread: &mut Thread,
        location: &Location,
        exception: TaggedObject,
        expected: &Location,
    ) -> Result<(), CaptureError> {
        if thread.stack.is_empty() {
            return Ok(());
        }
        self.recorder.known.heap.outside_ran();
        let frames = self.check_stack(thread, ticket)?;
        let mut fate = self.fate(&frames, expected)?;
        let Some(top) = thread.stack.iter().rfind(|frame| !frame.boundary) else {
            // No call of the scope runs in the thread.
            return Ok(());
        };
        let (top_key, top_height) = (top.key, top.height);
        let thrown_here =
            (location.class, location.method) == top_key && top_height as usize + 1 == frames.len();
        let caught_here = fate.expected.is_some_and(|(key, _)| key == top_key);
        let ends_some = (top_height as usize) >= fate.keep;
        let certain = !caught_here && !ends_some && fate.certain;
        let innermost = frames.len().saturating_sub(1 + top_height as usize);
        if !thrown_here && (certain || fate.is_caught_inside(innermost)) {
            // Thrown and caught outside, above all calls of the scope.
            return Ok(());
        }
        if thrown_here {
            self.throws_unpredicted(thread, location);
        }
        if self.recorder.outlet.records_state() {
            self.throw_mirrored(
                ticket,
                thread,
                exception,
                thrown_here,
                fate.keep <= top_height as usize + 1,
            )?;
        }
        let value = self.recorder.meet_exception(ticket, exception)?;
        let is_uncaught = fate.certain && fate.expected.is_none();
        if let Some(height) = self.leaves_shown(thread, fate.keep) {
            // What it is thrown out of may write until it arrives: then it is looked for.
            let arrives = fate.certain && fate.expected.is_some() && height > top_height;
            fate.keep = height as usize + 1;
            fate.certain = false;
            if arrives {
                return self.watch_unwinding(thread, value, fate.expected, true);
            }
        }
        let index = if thrown_here {
            index_of(location)
        } else {
            frames
                .len()
                .checked_sub(1 + top_height as usize)
                .and_then(|at| frames.get(at))
                .map_or(Event::NO_INDEX, |frame| index_of(&frame.location))
        };
        let keep = u32::try_from(fate.keep).unwrap_or(u32::MAX);
        if let Some(top) = thread.stack.iter_mut().rfind(|frame| !frame.boundary) {
            top.index = index;
        }
        // It leaves the calls out of the scope before it arrives in one of the scope.
        thread.unwind(
            keep.max(top_height + 1),
            value,
            ticket,
            &mut self.recorder.outlet,
        );
        let call = thread.current();
        let event = |kind| Event { call, index, kind };
        self.recorder
            .outlet
            .arrivals
            .event(ticket, event(EventKind::Thrown { exception: value }));
        if is_uncaught {
            thread.uncaught = true;
            self.recorder
                .outlet
                .arrivals
                .event(ticket, event(EventKind::Uncaught { exception: value }));
        }
        self.unwind_with_snapshots(ticket, thread, keep, (value, exception))?;
        if fate.certain {
            self.caught(thread, ticket, value, fate.expected);
        } else {
            // The JVM makes the one that arrives below.
            let (value, expected) = match fate.replaced {
                true => (UNKNOWN, None),
                false => (value, fate.expected),
            };
            self.watch_unwinding(thread, value, expected, false)?;
        }
        let left = thread.stack.is_empty();
        if thread.has_left_initialiser() {
            self.end_initialiser(thread)?;
            self.set_step(thread);
        }
        if left {
            self.stop_stepping(thread);
            self.stand_down(thread)?;
        }
        Ok(())
    }

    /// The height of the outermost call, of those that end by an exception down to this height, that may write arrays
    /// and objects of the scope.
    fn leaves_shown(&self, thread: &mut Thread, keep: usize) -> Option<u32> {
        let ended = thread.stack.iter();
        let mut ended = ended.filter(|frame| frame.height as usize >= keep);
        let writes = ended.find(|frame| frame.shown.as_ref().is_some_and(|s| self.may_write(s)));
        writes.map(|frame| frame.height)
    }

    /// What an exception tells the mirror: what the instruction that threw it had on the stack, or that
    /// a call out of the scope ends by it.
    fn throw_mirrored(
        &mut self,
        ticket: Ticket,
        thread: &mut Thread,
        exception: TaggedObject,
        thrown_here: bool,
        arrives: bool,
    ) -> Result<(), CaptureError> {
        if thrown_here {
            // Any other instruction throws an object that the JVM made, whatever it had on the stack.
            if let Some(thrown) = thread.innermost_mut().and_then(thrown_by_code) {
                self.unify(thread, thrown, exception);
            }
        } else if arrives {
            self.open_boundary(ticket, thread)?;
            self.contents_after_throw(ticket, thread)?;
        }
        let value = jdwp::Value::Object {
            tag: exception.tag,
            id: exception.id,
        };
        self.observe(ticket, thread, &value)
    }

    /// The innermost call left catches, if it is where the JVM expected it.
    fn caught(
        &mut self,
        thread: &mut Thread,
        ticket: Ticket,
        exception: Value,
        expected: Option<(MethodKey, u32)>,
    ) {
        if let (Some((key, index)), Some(top)) = (expected, thread.stack.last_mut())
            && top.key == key
        {
            top.index = index;
            top.catch(exception, index);
            let kind = EventKind::Caught { exception };
            self.recorder.outlet.tell(ticket, (top.call, index), kind);
        }
    }

    /// Did the innermost call arrive at this index by an exception? The JVM throws some that it does not tell: in
    /// the place of one that a class loader threw.
    pub(in crate::events) fn is_caught_there(&mut self, thread: &mut Thread, index: u32) -> bool {
        let Some(frame) = thread.innermost_mut() else {
            return false;
        };
        let pending = frame.mirror.as_ref().and_then(|mirror| mirror.pending);
        let instruction = pending.and_then(|pending| frame.method.instruction(pending));
        instruction.is_some_and(|i| {
            let falls_through = !i.opcode.ends_straight_line() && i.next() == index;
            i.opcode != Opcode::Ret && !falls_through && !i.targets().contains(&index)
        })
    }

    /// The innermost call has caught an exception that nobody has told.
    pub(in crate::events) fn catch_untold(
        &mut self,
        ticket: Ticket,
        thread: &mut Thread,
        index: u32,
    ) {
        thread.end_boundary(ticket, &mut self.recorder.outlet);
        if let Some(frame) = thread.innermost_mut() {
            frame.catch(UNKNOWN, index);
            let (call, kind) = (frame.call, EventKind::Caught { exception: UNKNOWN });
            self.recorder.outlet.tell(ticket, (call, index), kind);
        }
    }

    /// Makes the thread stop at its next exit too, until its stack has been looked at.
    fn watch_unwinding(
        &mut self,
        thread: &mut Thread,
        exception: Value,
        expected: Option<(MethodKey, u32)>,
        arrives: bool,
    ) -> Result<(), CaptureError> {
        let exits = self.recorder.jvm.link.request(&event_request::Set {
            event_kind: Requested::METHOD_EXIT_WITH_RETURN_VALUE,
            suspend_policy: SuspendPolicy::EVENT_THREAD,
            modifiers: vec![Modifier::ThreadOnly {
                thread: thread.jdwp,
            }],
        })?;
        // Its next step is looked at while it stands still.
        self.be_careful(thread, true);
        thread.unsure = Some(Unsure {
            exception,
            arrives,
            expected,
            exits: exits.ok(),
        });
        Ok(())
    }
}

/// The object that an `athrow` instruction is about to throw.
fn thrown_by_code(frame: &mut Frame) -> Option<Value> {
    let mirror = frame.mirror.as_ref()?;
    let instruction = frame.method.instruction(mirror.pending?)?;
    (instruction.opcode == Opcode::Athrow).then(|| mirror.peek(0))
}
