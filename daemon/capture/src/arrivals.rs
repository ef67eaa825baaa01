//! Puts events into the order in which they arrived, although what belongs to them (arguments,
//! contents of strings) is answered later.
//!
//! The JVM sends all events through one queue, so the order of arrival respects each thread's own
//! order and every happens-before edge between threads. An arrival takes its place in the queue when
//! its event comes and leaves it, into the sink, when all of its questions are answered and everything
//! before it has left. The queue is short: a thread that waits for an answer has one arrival in it, and
//! the JVM's own event queue is bounded.

use std::collections::VecDeque;

use jhyde_trace::{CallId, Event, EventKind, ObjectId, ObjectInfo};

use crate::sink::{Sink, SinkError};

/// The place of an arrival; stays valid until it has left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place(u64);

#[derive(Default)]
struct Arrival {
    /// Answers that are still to come.
    questions: u32,
    objects: Vec<(ObjectId, ObjectInfo)>,
    /// A call that was running when the arrival came: the one that beginnings belong to.
    context: Option<CallId>,
    /// Beginnings of objects (created, or found with these values): they precede the events.
    beginnings: Vec<Event>,
    events: Vec<Event>,
}

/// See the module.
#[derive(Default)]
pub(crate) struct Arrivals {
    queue: VecDeque<Arrival>,
    /// Number of arrivals that have left.
    left: u64,
}

impl Arrivals {
    /// Takes a place at the end. It is held by one question, which the caller ends with
    /// [`Arrivals::answered`] when its event is handled.
    pub(crate) fn open(&mut self) -> Place {
        self.queue.push_back(Arrival {
            questions: 1,
            ..Arrival::default()
        });
        Place(self.left + self.queue.len() as u64 - 1)
    }

    fn at(&mut self, place: Place) -> Option<&mut Arrival> {
        let index = place.0.checked_sub(self.left)?;
        self.queue.get_mut(usize::try_from(index).ok()?)
    }

    /// One more answer is needed before the arrival may leave.
    pub(crate) fn question(&mut self, place: Place) {
        if let Some(arrival) = self.at(place) {
            arrival.questions += 1;
        }
    }

    /// One answer is here.
    pub(crate) fn answered(&mut self, place: Place) {
        if let Some(arrival) = self.at(place) {
            arrival.questions = arrival.questions.saturating_sub(1);
        }
    }

    /// Says which running call beginnings belong to; without it, the call of the first event. Since they precede
    /// the arrival's events, it must run before the first of them: once there is one, nothing changes.
    pub(crate) fn context(&mut self, place: Place, call: CallId) {
        if let Some(arrival) = self.at(place).filter(|arrival| arrival.events.is_empty()) {
            arrival.context = Some(call);
        }
    }

    /// Adds the beginning of an object: an event before all others of the arrival.
    pub(crate) fn beginning(&mut self, place: Place, kind: EventKind) {
        if let Some(arrival) = self.at(place)
            && let Some(call) = arrival.context
        {
            arrival.beginnings.push(Event {
                call,
                index: Event::NO_INDEX,
                kind,
            });
        }
    }

    /// Adds an event at the end of the arrival's own.
    pub(crate) fn event(&mut self, place: Place, event: Event) {
        if let Some(arrival) = self.at(place) {
            arrival.context.get_or_insert(event.call);
            arrival.events.push(event);
        }
    }

    /// Adds what is known of an object that the arrival's events refer to.
    pub(crate) fn object(&mut self, place: Place, object: ObjectId, info: ObjectInfo) {
        if let Some(arrival) = self.at(place) {
            arrival.objects.push((object, info));
        }
    }

    /// Lets all arrivals leave that are complete and first.
    pub(crate) fn leave(&mut self, sink: &mut impl Sink) -> Result<(), SinkError> {
        while self
            .queue
            .front()
            .is_some_and(|arrival| arrival.questions == 0)
        {
            self.leave_first(sink)?;
        }
        Ok(())
    }

    /// Lets all leave as they are: the answers will not come any more.
    pub(crate) fn leave_all(&mut self, sink: &mut impl Sink) -> Result<(), SinkError> {
        while !self.queue.is_empty() {
            self.leave_first(sink)?;
        }
        Ok(())
    }

    fn leave_first(&mut self, sink: &mut impl Sink) -> Result<(), SinkError> {
        if let Some(arrival) = self.queue.pop_front() {
            self.left += 1;
            for (object, info) in arrival.objects {
                sink.object(object, info)?;
            }
            for event in arrival.beginnings.into_iter().chain(arrival.events) {
                sink.append(event)?;
            }
        }
        Ok(())
    }
}
