//! Puts events into the order in which they arrived, although what belongs to them (arguments,
//! contents of strings) is answered later.
//!
//! The JVM sends all events through one queue, so the order of arrival respects each thread's own
//! order and every happens-before edge between threads. An arrival takes its place in the queue when
//! its event comes and leaves it, into the sink, when all of its questions are answered and everything
//! before it has left. The queue is short: a thread that waits for an answer has one arrival in it, and
//! the JVM's own event queue is bounded.

use std::collections::VecDeque;

use jhyde_trace::{
    CallId, Event, EventKind, Level, ObjectId, ObjectInfo, Outcome, Sink, SinkError, Subject, Value,
};

/// The place of an arrival; stays valid until it has left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ticket(u64);

#[derive(Default)]
struct Arrival {
    /// Answers that are still to come.
    questions: u32,
    /// From here on it is recorded at another level, and why.
    level: Option<(Level, String)>,
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
    /// Number of their events.
    told: u64,
}

impl Arrivals {
    /// Takes a place at the end. It is held by one question, which the caller ends with
    /// [`Arrivals::answered`] when its event is handled.
    pub(crate) fn open(&mut self) -> Ticket {
        self.queue.push_back(Arrival {
            questions: 1,
            ..Arrival::default()
        });
        Ticket(self.left + self.queue.len() as u64 - 1)
    }

    fn at(&mut self, ticket: Ticket) -> Option<&mut Arrival> {
        let index = ticket.0.checked_sub(self.left)?;
        self.queue.get_mut(usize::try_from(index).ok()?)
    }

    /// One more answer is needed before the arrival may leave.
    pub(crate) fn question(&mut self, ticket: Ticket) {
        if let Some(arrival) = self.at(ticket) {
            arrival.questions += 1;
        }
    }

    /// One answer is here.
    pub(crate) fn answered(&mut self, ticket: Ticket) {
        if let Some(arrival) = self.at(ticket) {
            arrival.questions = arrival.questions.saturating_sub(1);
        }
    }

    /// What arrives from now on is recorded at another level.
    pub(crate) fn level(&mut self, level: Level, reason: String) {
        self.queue.push_back(Arrival {
            level: Some((level, reason)),
            ..Arrival::default()
        });
    }

    /// Says which running call beginnings belong to; without it, the call of the first event. Since they precede
    /// the arrival's events, it must run before the first of them: once there is one, nothing changes.
    pub(crate) fn context(&mut self, ticket: Ticket, call: CallId) {
        if let Some(arrival) = self.at(ticket).filter(|arrival| arrival.events.is_empty()) {
            arrival.context = Some(call);
        }
    }

    /// Adds the beginning of an object: an event before all others of the arrival.
    pub(crate) fn beginning(&mut self, ticket: Ticket, kind: EventKind) {
        if let Some(arrival) = self.at(ticket)
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
    pub(crate) fn event(&mut self, ticket: Ticket, event: Event) {
        if let Some(arrival) = self.at(ticket) {
            arrival.context.get_or_insert(event.call);
            arrival.events.push(event);
        }
    }

    /// Number of the arrival's events.
    pub(crate) fn events(&mut self, ticket: Ticket) -> usize {
        self.at(ticket).map_or(0, |arrival| arrival.events.len())
    }

    /// Adds events, each behind so many of those that the arrival has now; in ascending order.
    pub(crate) fn insert(&mut self, ticket: Ticket, added: Vec<(usize, Event)>) {
        let Some(arrival) = self.at(ticket).filter(|_| !added.is_empty()) else {
            return;
        };
        let mut rest = std::mem::take(&mut arrival.events).into_iter();
        let mut taken = 0;
        for (behind, event) in added {
            arrival.events.extend(rest.by_ref().take(behind - taken));
            arrival.events.push(event);
            taken = behind;
        }
        arrival.events.extend(rest);
    }

    /// What a call returned turns out after its end was told.
    pub(crate) fn amend_result(&mut self, ticket: Ticket, call: CallId, result: Value) {
        let events = self.at(ticket).map(|arrival| &mut arrival.events);
        for event in events
            .into_iter()
            .flatten()
            .filter(|event| event.call == call)
        {
            if let EventKind::Exit { outcome } = &mut event.kind {
                *outcome = Outcome::Returned(Some(result));
            }
        }
    }

    /// What a call was given turns out after its beginning was told: fills in arguments that are missing.
    pub(crate) fn amend_arguments(&mut self, ticket: Ticket, call: CallId, given: &[Value]) {
        let events = self.at(ticket).map(|arrival| &mut arrival.events);
        for event in events
            .into_iter()
            .flatten()
            .filter(|event| event.call == call)
        {
            if let EventKind::Enter { arguments, .. } = &mut event.kind {
                for (argument, &given) in arguments.iter_mut().zip(given) {
                    if matches!(argument, Value::Missing(_)) {
                        *argument = given;
                    }
                }
            }
        }
    }

    /// Takes away the arrival's events behind the first `keep`.
    pub(crate) fn split_off(&mut self, ticket: Ticket, keep: usize) -> Vec<Event> {
        self.at(ticket)
            .filter(|arrival| keep < arrival.events.len())
            .map(|arrival| arrival.events.split_off(keep))
            .unwrap_or_default()
    }

    /// Number of arrivals that have come after it.
    pub(crate) fn after(&self, ticket: Ticket) -> usize {
        let next = self.left + self.queue.len() as u64;
        usize::try_from(next.saturating_sub(ticket.0 + 1)).unwrap_or(usize::MAX)
    }

    /// Number of arrivals that have not left.
    pub(crate) fn waiting(&self) -> usize {
        self.queue.len()
    }

    /// Number of events that have left.
    pub(crate) fn told(&self) -> u64 {
        self.told
    }

    /// Adds what is known of an object that the arrival's events refer to.
    pub(crate) fn object(&mut self, ticket: Ticket, object: ObjectId, info: ObjectInfo) {
        if let Some(arrival) = self.at(ticket) {
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
            if let Some((level, reason)) = arrival.level {
                sink.level(Subject::Everything, level, reason)?;
            }
            for (object, info) in arrival.objects {
                sink.object(object, info)?;
            }
            let mut events = arrival.beginnings;
            match events.is_empty() {
                true => events = arrival.events,
                false => events.extend(arrival.events),
            }
            if !events.is_empty() {
                self.told += events.len() as u64;
                sink.append(events)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use jhyde_trace::{ClassInfo, EngineKind, ThreadId, ThreadInfo, Timestamp};

    use super::*;

    #[derive(Default)]
    struct Kept {
        events: Vec<Event>,
        /// Each with the number of events before it.
        levels: Vec<(usize, Level)>,
    }

    impl Sink for Kept {
        fn class(&mut self, _: ClassInfo) -> Result<(), SinkError> {
            Ok(())
        }

        fn thread(&mut self, _: ThreadInfo) -> Result<(), SinkError> {
            Ok(())
        }

        fn object(&mut self, _: ObjectId, _: ObjectInfo) -> Result<(), SinkError> {
            Ok(())
        }

        fn doubt(&mut self, _: Timestamp, _: String) -> Result<(), SinkError> {
            Ok(())
        }

        fn level(&mut self, _: Subject, level: Level, _: String) -> Result<(), SinkError> {
            self.levels.push((self.events.len(), level));
            Ok(())
        }

        fn engine(&mut self, _: EngineKind, _: String) -> Result<(), SinkError> {
            Ok(())
        }

        fn scratch(&mut self) -> Result<std::fs::File, SinkError> {
            tempfile::tempfile().map_err(|error| SinkError(error.to_string()))
        }

        fn append(&mut self, events: Vec<Event>) -> Result<(), SinkError> {
            self.events.extend(events);
            Ok(())
        }
    }

    fn edge(to: u32) -> Event {
        Event {
            call: CallId::root(ThreadId(1)),
            index: Event::NO_INDEX,
            kind: EventKind::Edge { from: 0, to },
        }
    }

    #[test]
    fn what_is_told_late_stands_where_it_happened() {
        let mut arrivals = Arrivals::default();
        let ticket = arrivals.open();
        for to in [10, 20, 30] {
            arrivals.event(ticket, edge(to));
        }
        arrivals.insert(
            ticket,
            vec![(0, edge(1)), (2, edge(21)), (2, edge(22)), (3, edge(31))],
        );
        assert_eq!(arrivals.split_off(ticket, 6), [edge(31)]);
        let later = arrivals.open();
        arrivals.event(later, edge(40));
        arrivals.answered(later);
        let mut kept = Kept::default();
        arrivals.leave(&mut kept).expect("a vector takes all");
        assert!(
            kept.events.is_empty() && arrivals.waiting() == 2,
            "the first is not complete"
        );
        arrivals.answered(ticket);
        arrivals.leave(&mut kept).expect("a vector takes all");
        assert_eq!(kept.events, [1, 10, 20, 21, 22, 30, 40].map(edge));
    }

    #[test]
    fn a_level_holds_from_its_place_on_whenever_it_leaves() {
        let mut arrivals = Arrivals::default();
        let ticket = arrivals.open();
        arrivals.level(Level::State, "enough".to_owned());
        let later = arrivals.open();
        arrivals.event(later, edge(40));
        arrivals.answered(later);
        arrivals.event(ticket, edge(10));
        let mut kept = Kept::default();
        arrivals.leave(&mut kept).expect("a vector takes all");
        assert!(kept.levels.is_empty(), "what is before it is not complete");
        arrivals.answered(ticket);
        arrivals.leave(&mut kept).expect("a vector takes all");
        assert_eq!(kept.levels, [(1, Level::State)]);
        assert_eq!(kept.events, [10, 40].map(edge));
    }
}
