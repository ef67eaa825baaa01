//! Where exceptions land, looked for ahead of the walk.
//!
//! Events are read ahead once, and landings kept until the walk comes to them; of exceptions that nobody is seen to catch that could be all
//! of the recording's. So only some are kept, and what is not among them is looked for by itself behind them, by the index of what refers to
//! the exception.

use std::collections::VecDeque;

use jhyde_history::History;
use jhyde_store::Rows;
use jhyde_store::records::{Direction, ExceptionEvent, ExceptionKind, TimedEvent};
use jhyde_trace::{CallId, EventKind, ThreadId, Timestamp, Value};
use rustc_hash::FxHashMap;

use crate::error::Result;
use crate::flight;
use crate::span::Span;

/// So many landings are kept: some megabytes.
const MOST: usize = 1 << 15;

/// See the module.
pub(super) struct Landings {
    ahead: Rows<ExceptionEvent>,
    /// Behind what was read, up to the end of the span.
    rest: Span,
    /// What was read and the walk has not come to, in the order of time.
    read: FxHashMap<(ThreadId, Value), VecDeque<ExceptionEvent>>,
    /// How many those are, and may be.
    kept: usize,
    most: usize,
}

impl Landings {
    pub(super) fn new(history: &History, span: Span) -> Self {
        Self::keeping(MOST, history, span)
    }

    fn keeping(most: usize, history: &History, span: Span) -> Self {
        let recording = history.recording();
        Self {
            ahead: recording.exceptions(span.range(), Direction::Forward),
            rest: span,
            read: FxHashMap::default(),
            kept: 0,
            most,
        }
    }

    /// Where an exception lands that a call threw just now; nowhere, if that is not seen.
    pub(super) fn of(
        &mut self,
        history: &History,
        call: CallId,
        exception: Value,
        thrown: Timestamp,
    ) -> Result<Option<ExceptionEvent>> {
        let asked = (call.thread, exception);
        self.passed(call.thread, exception, thrown);
        let mut seen_in = call;
        for event in self.read.get(&asked).into_iter().flatten() {
            if let Some(end) = ends(history, &mut seen_in, event) {
                return Ok(end);
            }
        }
        while self.kept < self.most {
            let Some(event) = self.ahead.next() else {
                return Ok(None);
            };
            history.check()?;
            let event = match event {
                Err(jhyde_store::Error::Damaged { .. }) => continue,
                event => event?,
            };
            self.rest.from = behind(event.timestamp);
            if event.timestamp <= thrown {
                continue;
            }
            let flies = (event.call.thread, event.exception);
            self.read.entry(flies).or_default().push_back(event);
            self.kept += 1;
            if flies == asked
                && let Some(end) = ends(history, &mut seen_in, &event)
            {
                return Ok(end);
            }
        }
        self.rest.from = self.rest.from.max(behind(thrown));
        self.in_the_rest(history, exception, seen_in)
    }

    /// The landing behind what is kept.
    fn in_the_rest(
        &self,
        history: &History,
        exception: Value,
        mut seen_in: CallId,
    ) -> Result<Option<ExceptionEvent>> {
        let recording = history.recording();
        let range = self.rest.range();
        let events: Rows<ExceptionEvent> = match exception {
            Value::Object(exception) if recording.has_index_of_references() => {
                let refer = recording.references(exception, range, Direction::Forward);
                Box::new(refer.filter_map(|event| event.map(flying).transpose()))
            }
            _ => recording.exceptions(range, Direction::Forward),
        };
        for event in events {
            history.check()?;
            let event = match event {
                Err(jhyde_store::Error::Damaged { .. }) => continue,
                event => event?,
            };
            if (event.call.thread, event.exception) == (seen_in.thread, exception)
                && let Some(end) = ends(history, &mut seen_in, &event)
            {
                return Ok(end);
            }
        }
        Ok(None)
    }

    /// The walk has come to a time: what landed by then is not asked for any more.
    pub(super) fn passed(&mut self, thread: ThreadId, exception: Value, at: Timestamp) {
        let Some(read) = self.read.get_mut(&(thread, exception)) else {
            return;
        };
        while read.front().is_some_and(|landing| landing.timestamp <= at) {
            read.pop_front();
            self.kept -= 1;
        }
        if read.is_empty() {
            self.read.remove(&(thread, exception));
        }
    }
}

fn behind(at: Timestamp) -> Timestamp {
    Timestamp(at.0.saturating_add(1))
}

/// Does the flight of an exception that was seen in a call end with the next event of its thread and exception, and where? Else it goes on from there.
fn ends(
    history: &History,
    seen_in: &mut CallId,
    event: &ExceptionEvent,
) -> Option<Option<ExceptionEvent>> {
    if event.kind != ExceptionKind::Thrown {
        return Some(Some(*event));
    }
    let recording = history.recording();
    let arrives = flight::arrives(recording, event.exception, *seen_in, event.timestamp);
    // What is damaged is taken for one flight.
    let is_over = arrives.is_ok_and(|call| call != event.call);
    *seen_in = event.call;
    is_over.then_some(None)
}

/// What an event says of an exception.
fn flying(TimedEvent { timestamp, event }: TimedEvent) -> Option<ExceptionEvent> {
    let (kind, exception) = match event.kind {
        EventKind::Thrown { exception } => (ExceptionKind::Thrown, exception),
        EventKind::Caught { exception } => (ExceptionKind::Caught, exception),
        EventKind::Uncaught { exception } => (ExceptionKind::Uncaught, exception),
        _ => return None,
    };
    Some(ExceptionEvent {
        timestamp,
        kind,
        call: event.call,
        index: event.index,
        exception,
    })
}

#[cfg(test)]
mod tests {
    use jhyde_store::{Catalogue, StoreOptions};
    use jhyde_trace::{Event, ObjectId, RecordingOptions, State, ThreadInfo};

    use super::*;

    /// A generator of numbers below a bound.
    struct Dice(u64);

    impl Dice {
        fn below(&mut self, bound: u64) -> u64 {
            self.0 = self
                .0
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (self.0 >> 33) % bound
        }
    }

    /// What happens to exceptions of several threads: they are thrown, and again, caught soon, late or never, or end their thread.
    fn events(seed: u64) -> Vec<Event> {
        const EXCEPTIONS: u64 = 60;
        let mut dice = Dice(seed);
        let event = |_| {
            let thread = ThreadId(1 + dice.below(3) as u32);
            let exception = match dice.below(EXCEPTIONS) {
                0 => Value::Missing(jhyde_trace::Missing::Unreadable),
                object => Value::Object(ObjectId(object)),
            };
            let kind = match (exception, dice.below(20)) {
                // A part of them nobody ever catches.
                (Value::Object(ObjectId(1..20)), _) | (_, 0..12) => EventKind::Thrown { exception },
                (_, 12..19) => EventKind::Caught { exception },
                _ => EventKind::Uncaught { exception },
            };
            Event {
                call: CallId::root(thread),
                index: dice.below(100) as u32,
                kind,
            }
        };
        (0..1500).map(event).collect()
    }

    #[test]
    fn landings_are_those_of_a_plain_look_whatever_is_kept() {
        for seed in 1..6 {
            let folder = tempfile::tempdir().expect("a temporary folder");
            let options = StoreOptions {
                block_events: 64,
                ..StoreOptions::default()
            };
            let catalogue = Catalogue::open(folder.path(), options).expect("a new data folder");
            let made = catalogue.create(Some("test"), RecordingOptions::default());
            let (recording, mut writer) = made.expect("a new recording");
            for id in (1..4).map(ThreadId) {
                let (name, group) = (id.to_string(), None);
                let thread = ThreadInfo { id, name, group };
                writer.thread(thread).expect("a thread");
            }
            let events = events(seed);
            for event in &events {
                writer.append(event.clone()).expect("an event that fits");
            }
            let state = State::Complete { exit_code: Some(0) };
            writer.finish(state).expect("can be closed");
            let history = History::new(recording);
            let plain: Vec<_> = (0..events.len())
                .map(|at| looked_for(&events, at))
                .collect();
            let lands = plain
                .iter()
                .flatten()
                .filter(|found| found.is_some())
                .count();
            let nowhere = plain.iter().flatten().count() - lands;
            assert!(
                lands > 200 && nowhere > 200,
                "{lands} land, {nowhere} do not"
            );
            for most in [0, 1, 7, 100, MOST] {
                told(&history, &events, &plain, most);
            }
        }
    }

    /// Where what is thrown there lands, by looking at all that comes behind it; nothing of what is no throw.
    fn looked_for(events: &[Event], at: usize) -> Option<Option<usize>> {
        let EventKind::Thrown { exception } = events[at].kind else {
            return None;
        };
        let thread = events[at].thread();
        let lands = |event: &Event| match event.kind {
            EventKind::Caught { exception: of } | EventKind::Uncaught { exception: of } => {
                of == exception && event.thread() == thread
            }
            _ => false,
        };
        let behind = events[at..].iter().position(lands);
        Some(behind.map(|behind| at + behind))
    }

    fn told(history: &History, events: &[Event], plain: &[Option<Option<usize>>], most: usize) {
        let span = Span::of(history, None, None).expect("all of it");
        let mut landings = Landings::keeping(most, history, span);
        let mut full = false;
        for (at, event) in events.iter().enumerate() {
            let time = Timestamp(at as u64);
            match event.kind {
                EventKind::Thrown { exception } => {
                    let found = landings.of(history, event.call, exception, time);
                    let found = found.expect("it can be read");
                    let found_at = found.map(|landing| landing.timestamp.0 as usize);
                    assert_eq!(Some(found_at), plain[at], "{at} with {most} kept");
                    if let Some(landing) = found {
                        let there = &events[landing.timestamp.0 as usize];
                        assert_eq!((landing.call, landing.index), (there.call, there.index));
                    }
                }
                EventKind::Caught { exception } | EventKind::Uncaught { exception } => {
                    landings.passed(event.thread(), exception, time);
                }
                _ => {}
            }
            let kept: usize = landings.read.values().map(VecDeque::len).sum();
            assert_eq!(kept, landings.kept);
            assert!(kept <= most);
            full |= kept == most;
        }
        assert_eq!(full, most < MOST, "{most} were enough");
        assert_eq!(landings.kept, 0);
    }
}
