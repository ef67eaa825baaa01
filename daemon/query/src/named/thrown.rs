//! Where exceptions were thrown, and what became of them.

use std::collections::BTreeMap;

use jhyde_store::records::{Direction, ExceptionEvent, ExceptionKind};
use jhyde_trace::{CallId, Outcome, Timestamp, Value};
use rustc_hash::FxHashMap;

use crate::answer::{Cell, Row};
use crate::error::Result;
use crate::flight;
use crate::prepared::{Ask, wrong};

/// An exception on its way from where it was thrown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flight {
    pub(crate) exception: Value,
    pub(crate) thrown: Timestamp,
    pub(crate) call: CallId,
    pub(crate) index: u32,
    /// The call in which it was seen last.
    seen_in: CallId,
}

impl Flight {
    fn key(&self) -> Key {
        (self.call.thread.0, self.exception)
    }
}

/// How it ended.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Landing {
    /// A call that is recorded caught it.
    Caught(ExceptionEvent),
    /// It left the thread's last frame.
    Uncaught,
    /// It left the recorded calls.
    Gone,
    /// It had not landed by the end of the span.
    Flying,
}

/// So many flights wait, for those that end before them, and to be thrown on by the calls that have caught them.
const MOST_WAITING: usize = 1 << 12;

/// By thread and exception: an exception object may be thrown in several threads.
type Key = (u32, Value);

/// Flights that have ended, in the order in which they did. Exceptions that a call has caught it may throw on: a `finally`, a `synchronized` block and
/// `throw e` in a handler do.
#[derive(Debug, Default)]
struct Ended {
    waiting: BTreeMap<(Timestamp, u64), (Flight, Landing)>,
    /// Where those are that were caught last.
    caught: FxHashMap<Key, (Timestamp, u64)>,
    count: u64,
}

impl Ended {
    fn add(&mut self, key: Key, flight: Flight, landing: Landing, at: Timestamp) {
        let place = (at, self.count);
        self.count += 1;
        match landing {
            Landing::Caught(_) => _ = self.caught.insert(key, place),
            _ => _ = self.caught.remove(&key),
        }
        self.waiting.insert(place, (flight, landing));
    }

    /// The flight that a call has caught, if it is this call that throws it on.
    fn thrown_on(&mut self, key: Key, call: CallId) -> Option<Flight> {
        let place = self.caught.remove(&key)?;
        match self.waiting.get(&place) {
            Some((flight, Landing::Caught(by))) if by.call == call => {
                let flight = *flight;
                self.waiting.remove(&place);
                Some(flight)
            }
            _ => None,
        }
    }

    /// Tells of the first, but so many.
    fn tell(
        &mut self,
        most: usize,
        each: &mut dyn FnMut(Flight, Landing) -> Result<()>,
    ) -> Result<()> {
        while self.waiting.len() > most
            && let Some((place, (flight, landing))) = self.waiting.pop_first()
        {
            let key = flight.key();
            if self.caught.get(&key) == Some(&place) {
                self.caught.remove(&key);
            }
            each(flight, landing)?;
        }
        Ok(())
    }
}

/// The flights of the span, in the order in which they ended; those that did not, behind them. An exception that the call which has caught it throws on
/// flies on from where it was thrown first.
pub(crate) fn flights_from_their_origins(
    ask: &Ask<'_>,
    each: &mut dyn FnMut(Flight, Landing) -> Result<()>,
) -> Result<()> {
    let mut ended = Ended::default();
    let mut again: FxHashMap<Key, Flight> = FxHashMap::default();
    flights_and_throws(ask, &mut |seen| {
        match seen {
            Seen::Thrown(flight) => {
                let key = flight.key();
                if let Some(first) = ended.thrown_on(key, flight.call) {
                    again.insert(key, first);
                }
            }
            Seen::Landed(flight, landing, at) => {
                let key = flight.key();
                let flight = again.remove(&key).unwrap_or(flight);
                ended.add(key, flight, landing, at);
                ended.tell(MOST_WAITING, each)?;
            }
        }
        Ok(())
    })?;
    ended.tell(0, each)
}

/// A flight begins or ends.
enum Seen {
    Thrown(Flight),
    Landed(Flight, Landing, Timestamp),
}

/// The flights of the span, in the order in which they ended; those that did not, behind them.
pub(crate) fn flights(
    ask: &Ask<'_>,
    each: &mut dyn FnMut(Flight, Landing) -> Result<()>,
) -> Result<()> {
    flights_and_throws(ask, &mut |seen| match seen {
        Seen::Thrown(_) => Ok(()),
        Seen::Landed(flight, landing, _) => each(flight, landing),
    })
}

fn flights_and_throws(ask: &Ask<'_>, tell: &mut dyn FnMut(Seen) -> Result<()>) -> Result<()> {
    let recording = ask.history.recording();
    let mut flying: FxHashMap<Key, Flight> = FxHashMap::default();
    for event in recording.exceptions(ask.span.range(), Direction::Forward) {
        ask.history.check()?;
        let Some(event) = ask.readable(event)? else {
            continue;
        };
        let flight = Flight {
            exception: event.exception,
            thrown: event.timestamp,
            call: event.call,
            index: event.index,
            seen_in: event.call,
        };
        let key = (event.call.thread.0, event.exception);
        match event.kind {
            // It may be told again in the calls that it arrives in.
            ExceptionKind::Thrown => match flying.get_mut(&key) {
                Some(before) => match arrives(ask, before, event.timestamp)? {
                    // Somebody out of the recorded calls has caught it, and it is thrown once more.
                    Some(call) if call != event.call => {
                        let before = std::mem::replace(before, flight);
                        tell(Seen::Landed(before, Landing::Gone, event.timestamp))?;
                        tell(Seen::Thrown(flight))?;
                    }
                    _ => before.seen_in = event.call,
                },
                None => {
                    flying.insert(key, flight);
                    tell(Seen::Thrown(flight))?;
                }
            },
            ExceptionKind::Caught => {
                let flight = flying.remove(&key).unwrap_or(flight);
                tell(Seen::Landed(
                    flight,
                    Landing::Caught(event),
                    event.timestamp,
                ))?;
            }
            ExceptionKind::Uncaught => {
                let flight = flying.remove(&key).unwrap_or(flight);
                tell(Seen::Landed(flight, Landing::Uncaught, event.timestamp))?;
            }
        }
    }
    let mut gone: Vec<_> = flying.into_values().collect();
    gone.sort_by_key(|flight| flight.thrown);
    for flight in gone {
        let landing = match arrives(ask, &flight, ask.span.until)? {
            Some(call) if !call.is_root() && runs_on(ask, call)? => Landing::Flying,
            _ => Landing::Gone,
        };
        tell(Seen::Landed(flight, landing, ask.span.until))?;
    }
    Ok(())
}

/// See [`flight::arrives`]. None where what tells that is damaged, or cut off.
fn arrives(ask: &Ask<'_>, flight: &Flight, by: Timestamp) -> Result<Option<CallId>> {
    let recording = ask.history.recording();
    match flight::arrives(recording, flight.exception, flight.seen_in, by) {
        Ok(call) => Ok(Some(call)),
        Err(error) => ask.without(error.into()).map(|()| None),
    }
}

/// Does a call of the scope run at the end of the span?
fn runs_on(ask: &Ask<'_>, call: CallId) -> Result<bool> {
    let record = ask.history.recording().call(call)?;
    Ok(!record.boundary && record.exit.is_none_or(|exit| exit >= ask.span.until))
}

/// `where-thrown`.
pub(crate) fn where_thrown(ask: &Ask<'_>, take: &mut dyn FnMut(Row) -> Result<()>) -> Result<()> {
    let with_caught = ask.flag("caught")?;
    let threads = match ask.given("thread") {
        Some(name) => Some(threads_named(ask, name)?),
        None => None,
    };
    flights_from_their_origins(ask, &mut |flight, landing| {
        let is_wanted = threads
            .as_ref()
            .is_none_or(|threads| threads.contains(&flight.call.thread.0));
        if !is_wanted || (!with_caught && matches!(landing, Landing::Caught(_))) {
            return Ok(());
        }
        let ended = ended_by(ask, &flight, &landing)?;
        let fate = match &landing {
            Landing::Caught(_) => "caught",
            Landing::Uncaught => "uncaught",
            Landing::Flying => "not caught yet",
            Landing::Gone => "left the recorded calls",
        };
        let (by, at) = match landing {
            Landing::Caught(event) => (
                ask.call_cell(event.call)?,
                ask.place_cell(event.call, event.index)?,
            ),
            _ => (Cell::Null, Cell::Null),
        };
        let ended = ended.into_iter().map(|call| ask.call(call));
        take(vec![
            Cell::Event(flight.thrown),
            Cell::Value(ask.history.value_at(flight.exception, flight.thrown)?),
            Cell::text(fate),
            ask.call_cell(flight.call)?,
            ask.place_cell(flight.call, flight.index)?,
            Cell::Calls(ended.collect::<Result<_>>()?),
            by,
            at,
        ])
    })?;
    ask.note_hidden()
}

/// The calls that a flight ended, innermost first.
fn ended_by(ask: &Ask<'_>, flight: &Flight, landing: &Landing) -> Result<Vec<CallId>> {
    let recording = ask.history.recording();
    let mut ended = Vec::new();
    let caught_in = match landing {
        Landing::Caught(event) => Some(event.call),
        _ => None,
    };
    let mut call = flight.call;
    while !call.is_root() && Some(call) != caught_in {
        let record = recording.call(call)?;
        let is_left = record.exit.is_some_and(|exit| exit < ask.span.until);
        if !is_left || recording.outcome(&record)? != Some(Outcome::Threw(flight.exception)) {
            break;
        }
        ended.push(call);
        call = record.parent;
    }
    Ok(ended)
}

/// The threads of a name, or with a number.
pub(crate) fn threads_named(ask: &Ask<'_>, name: &str) -> Result<Vec<u32>> {
    let threads = ask.history.threads()?.threads;
    let by_name = threads.iter().filter(|thread| thread.name == name);
    let mut found: Vec<u32> = by_name.map(|thread| thread.id.0).collect();
    if found.is_empty() {
        let by_number = threads
            .iter()
            .filter(|thread| thread.id.to_string() == name);
        found.extend(by_number.map(|thread| thread.id.0));
    }
    if found.is_empty() {
        if name.is_empty() {
            return Err(wrong("thread", name, "it is empty"));
        }
        let names = threads.iter().map(|thread| thread.name.as_str());
        return Err(crate::Error::NoSuchName {
            parameter: "thread",
            what: "the thread",
            name: name.to_owned(),
            nearest: crate::nearest::nearest(name, names),
        });
    }
    Ok(found)
}
