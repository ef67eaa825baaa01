//! Arrays and objects that code out of the scope has: it may change them whenever it runs, and nothing tells. So they
//! are looked at again when the scope is about to: when a run that is looked ahead at loads from one, or a thread that
//! is to be stepped has one in sight. All that is looked at is compared with what the mirror has.
//!
//! Only what was certain before the call that the thread has just come back from can have been written by that call for
//! certain. What is found later was written by one of several: the recording tells what the variable holds now, as for
//! an object that is seen for the first time.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use jhyde_trace::{CallId, Event, EventKind, Missing, ObjectId, Sink, Value, Variable};

use crate::arrivals::Ticket;
use crate::error::CaptureError;
use crate::events::Engine;
use crate::events::thread::Thread;
use crate::mirror::{Body, Shared, UNKNOWN};

/// The most objects that are gone through from the frame of a thread that is to be stepped.
const MOST_IN_SIGHT: usize = 256;
/// How long a JVM that ends, or is left, is held to look at what code out of the scope has.
const LAST_LOOK: Duration = Duration::from_secs(2);

impl<S: Sink> Engine<S> {
    /// A thread is about to go on: it sees what code out of the scope has done up to now. While other threads run code
    /// of the scope, what is found could be theirs: then nothing is looked at.
    pub(in crate::events) fn look_again(&mut self, thread: &mut Thread, alone: bool) {
        let now = if alone {
            self.recorder.known.heap.outside_runs()
        } else {
            0
        };
        self.recorder.known.heap.look_as_of(now);
        thread.looked = now;
    }

    /// Looks again at what may have changed unseen; says whether it could be looked at.
    pub(in crate::events) fn refresh(
        &mut self,
        ticket: Ticket,
        thread: &mut Thread,
        object: ObjectId,
    ) -> Result<bool, CaptureError> {
        let (current, returned) = (thread.current(), thread.returned);
        if self.others().is_shown(object) {
            // A call in another thread may be writing it, and is asked itself when it ends.
            self.recorder.known.heap.refreshed(object);
            return Ok(true);
        }
        // What has no name yet cannot be looked at: perhaps something that can be read holds it.
        self.name_objects(thread, [Value::Object(object)])?;
        let before = self.recorder.outlet.arrivals.events(ticket);
        let seen = self.recorder.known.heap.seen(object);
        let behind = returned.filter(|&(at, ..)| {
            at == ticket && seen + 1 == self.recorder.known.heap.outside_runs()
        });
        let call = behind.map_or(current, |(.., call)| call);
        self.compare(ticket, thread, call, object, false)?;
        let told = self.recorder.outlet.arrivals.split_off(ticket, before);
        match behind {
            Some((_, behind, _)) => {
                let count = told.len();
                let told = told.into_iter();
                let told = told.map(|event| (behind, Event { call, ..event }));
                self.recorder.outlet.arrivals.insert(ticket, told.collect());
                thread.returned = Some((ticket, behind + count, call));
            }
            None => self.tell_late(ticket, told),
        }
        Ok(!self.recorder.known.heap.is_stale(object))
    }

    /// Calls out of the scope have ended behind which the thread did not stand still: what they did to what they were
    /// shown is found now, or when the scope meets it.
    pub(in crate::events) fn look_behind_unseen(
        &mut self,
        ticket: Ticket,
        thread: &mut Thread,
        suspended: bool,
    ) -> Result<(), CaptureError> {
        let (ended, at) = (std::mem::take(&mut thread.unlooked), thread.at(ticket));
        for shown in ended {
            self.recorder.known.heap.outside_ran();
            for &object in shown.objects() {
                self.recorder.known.heap.share(object, Shared::Anybody);
            }
            self.contents_unseen(thread, at, &shown, suspended)?;
            self.give(&shown, None);
        }
        Ok(())
    }

    /// The scope reads a variable that code out of it may have written unseen, and nobody could look before: that is done
    /// when the thread stands still.
    pub(in crate::events) fn read_stale(&mut self, thread: &mut Thread, variable: Variable) {
        let holder = match variable {
            Variable::Element { array: holder, .. } | Variable::Field { object: holder, .. } => {
                Some(holder)
            }
            _ => None,
        };
        if holder.is_some_and(|holder| self.recorder.known.heap.is_stale(holder))
            && !thread.read_stale.contains(&variable)
        {
            thread.read_stale.push(variable);
        }
    }

    /// Looks at what a thread that stands still has read unseen.
    pub(in crate::events) fn look_at_read(
        &mut self,
        ticket: Ticket,
        thread: &mut Thread,
    ) -> Result<(), CaptureError> {
        let (read, call) = (std::mem::take(&mut thread.read_stale), thread.current());
        for variable in read {
            if let Variable::Element { array: holder, .. } | Variable::Field { object: holder, .. } =
                variable
                && self.recorder.known.heap.is_stale(holder)
            {
                self.refresh(ticket, thread, holder)?;
                self.tell_stale(ticket, call, variable);
            }
        }
        Ok(())
    }

    /// Code out of the scope may have written a variable unseen, and nobody can look: what it holds is not known any
    /// more.
    fn tell_stale(&mut self, ticket: Ticket, call: CallId, variable: Variable) {
        let held = match variable {
            Variable::Element { array, index } if self.recorder.known.heap.is_stale(array) => {
                let elements = self.recorder.known.heap.elements(array);
                elements.and_then(|elements| elements.get(index))
            }
            Variable::Field { object, field } if self.recorder.known.heap.is_stale(object) => {
                // A field that nobody wrote yet has what it began with.
                let began = Value::Missing(Missing::BeforeRecording);
                Some(self.recorder.known.heap.field(object, field, began))
            }
            _ => None,
        };
        if held.is_some_and(|held| held != UNKNOWN) {
            self.recorder.known.heap.write(variable, UNKNOWN);
            let value = UNKNOWN;
            let kind = EventKind::Snapshot { variable, value };
            self.recorder.outlet.tell_of(ticket, call, kind);
        }
    }

    /// The JVM stands still for the last time: what code out of the scope did to what the scope never looked at again
    /// is found here.
    pub(in crate::events) fn look_a_last_time(
        &mut self,
        ticket: Ticket,
    ) -> Result<(), CaptureError> {
        if !self.recorder.outlet.records_state() {
            return Ok(());
        }
        let Some(mut thread) = self.threads.take_any() else {
            // No code of the scope has run: nothing is known that could have changed.
            return Ok(());
        };
        let looked = self.look_with(ticket, &mut thread);
        self.threads.put(thread);
        looked
    }

    fn look_with(&mut self, ticket: Ticket, thread: &mut Thread) -> Result<(), CaptureError> {
        if !self.threads.are_outside() {
            // What was found could be of a thread that is about to tell it.
            return Ok(());
        }
        let at = thread.at(ticket);
        let call = at.2;
        self.recorder.known.heap.outside_ran();
        self.recorder
            .known
            .heap
            .look_as_of(self.recorder.known.heap.outside_runs());
        let stale = self.recorder.known.heap.stale();
        let until = Instant::now() + LAST_LOOK;
        let mut left = 0;
        for (done, &object) in stale.iter().enumerate() {
            if Instant::now() > until {
                left = stale.len() - done;
                break;
            }
            // What has no name yet: perhaps something that can be read holds it.
            self.name_objects(thread, [Value::Object(object)])?;
            let before = self.recorder.outlet.arrivals.events(ticket);
            self.compare(ticket, thread, call, object, false)?;
            self.find_late(ticket, before);
            self.tell_unlooked(at, object);
        }
        left += self.look_into_given(thread, at, until)?;
        if left > 0 {
            let reason = format!(
                "{left} objects that code out of the scope had were not looked at when the recording ended: what they \
                 held since the scope met them last may be other than told"
            );
            self.recorder.outlet.doubt(ticket, call, &reason);
        }
        Ok(())
    }

    /// Of what was told of an arrival behind so many of its events it is not known when it happened.
    pub(in crate::events) fn find_late(&mut self, ticket: Ticket, before: usize) {
        let told = self.recorder.outlet.arrivals.split_off(ticket, before);
        self.tell_late(ticket, told);
    }

    fn tell_late(&mut self, ticket: Ticket, told: Vec<Event>) {
        for event in told {
            let arrivals = &mut self.recorder.outlet.arrivals;
            arrivals.event(ticket, found_late(event));
        }
    }

    /// Looks again at all that a suspended thread has in sight from its innermost call.
    pub(in crate::events) fn refresh_in_sight(
        &mut self,
        ticket: Ticket,
        thread: &mut Thread,
        alone: bool,
    ) -> Result<(), CaptureError> {
        let top = thread.stack.last();
        let Some(mirror) = top.and_then(|top| top.mirror.as_ref()).filter(|_| alone) else {
            // Nothing is in its sight, or others may be writing it.
            return Ok(());
        };
        let values = mirror.locals.iter().chain(&mirror.stack);
        let mut open: VecDeque<ObjectId> = values.filter_map(|value| value.object()).collect();
        let mut seen: Vec<ObjectId> = Vec::new();
        while let Some(object) = open.pop_front() {
            if seen.len() == MOST_IN_SIGHT {
                break;
            }
            if seen.contains(&object) {
                continue;
            }
            seen.push(object);
            if self.recorder.known.heap.is_stale(object) {
                self.refresh(ticket, thread, object)?;
            }
            match self.recorder.known.heap.body(object) {
                Some(Body::Array(elements)) => {
                    let held = elements.references().filter_map(Value::object);
                    open.extend(held.take(MOST_IN_SIGHT));
                }
                Some(Body::Fields(fields)) => {
                    open.extend(fields.iter().filter_map(|(_, value)| value.object()));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// A write of which it is not known when it happened.
fn found_late(event: Event) -> Event {
    let kind = match event.kind {
        EventKind::Write { variable, value } => EventKind::Snapshot { variable, value },
        other => other,
    };
    Event { kind, ..event }
}
