//! Two runs of a program held against each other: where they first differ, and which calls do.
//!
//! Both histories are read side by side, thread by thread, in the order of time (`walk`): once, and twice where several threads have
//! counterparts, since one may meet what another one made. Calls are each other's by their
//! place: the same parent, the same site, the same method, in order. Where the events of two calls go apart, what follows in both is
//! aligned (`align`), so that what was put in or left out is passed by and the rest is found again; conditions take part, and so do the
//! iterations of loops at level `full`. Methods that were changed have their instructions aligned likewise (`code`). Objects are each
//! other's by birth (`births`), texts and boxes by what they hold (`values`). What objects of the JDK hold is compared change by change (`contents`),
//! and all of it where that does not tell it, because one side alone changed something before (`marks`).
//!
//! What is kept in memory is the calls that run, an alignment's window for those of them that differ, and the stretches of objects:
//! nothing grows with the length of a recording, but the stretches with how differently objects are born, up to a bound.
//!
//! - Control: branches, calls, exceptions. Value: arguments, writes, results, objects made.
//! - A value that one side did not record is neither equal nor different: it is counted as unknown, and the summary says why.
//! - Two calls are equal only if all that is in them was compared and is; else, without a difference, that is not known of them.
//! - Which differences do not count is said by rules ([`rules`]).

mod align;
mod births;
mod code;
mod contents;
pub mod fit;
mod gaps;
mod keys;
mod marks;
pub mod rules;
mod side;
mod threads;
mod values;
mod walk;

use std::collections::BTreeSet;

use jhyde_history::History;
use jhyde_history::view::EventView;
use jhyde_store::Error as StoreError;
use jhyde_store::records::Direction;
use jhyde_trace::{CallId, EventKind, ThreadId, Timestamp};

use crate::error::Result;
use rules::{Rule, Rules};
use walk::Walk;

/// What two runs differ in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effect {
    /// A condition went another way.
    Branch,
    /// Another method was called, or none.
    Call,
    /// An exception was thrown or caught on one side alone, or another one.
    Exception,
    /// A call was given something else.
    Argument,
    /// Something else was written, or elsewhere, or on one side alone.
    Write,
    /// A call yielded something else.
    Result,
    /// Another object was made, or on one side alone.
    Object,
}

/// The two kinds of effects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Aspect {
    /// What ran.
    Control,
    /// What it worked on.
    Value,
}

impl Effect {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Branch,
        Self::Call,
        Self::Exception,
        Self::Argument,
        Self::Write,
        Self::Result,
        Self::Object,
    ];

    /// Its word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Branch => "branch",
            Self::Call => "call",
            Self::Exception => "exception",
            Self::Argument => "argument",
            Self::Write => "write",
            Self::Result => "result",
            Self::Object => "object",
        }
    }

    /// Of which kind it is.
    pub fn aspect(self) -> Aspect {
        match self {
            Self::Branch | Self::Call | Self::Exception => Aspect::Control,
            Self::Argument | Self::Write | Self::Result | Self::Object => Aspect::Value,
        }
    }
}

/// A place in one of the two histories.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spot {
    /// The event.
    pub at: Timestamp,
    /// The call whose variables it is about.
    pub call: CallId,
}

impl Spot {
    /// Its event, in words; [`EventView::done_at`] is where it is shown.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn event(&self, history: &History) -> Result<EventView> {
        let event = history.recording().event(self.at)?.event;
        Ok(history.event(self.at, &event)?)
    }
}

/// Which of the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// The first one, of the passing run.
    Left,
    /// The second one, of the failing run.
    Right,
}

/// One difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// In what.
    pub effect: Effect,
    /// In which part of it, for people: `argument 2`, `receiver`.
    pub what: String,
    /// It was done on this side alone; the other one shows what came there instead.
    pub only: Option<Which>,
    /// Where, on the left and on the right; `None` where that thread had ended.
    pub spots: [Option<Spot>; 2],
}

/// Two threads that are each other's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// Their name.
    pub name: String,
    /// Left and right.
    pub threads: [ThreadId; 2],
}

/// What is found, in the order of time of each pair of threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// What follows is about these threads.
    Threads(Pair),
    /// The first difference of its aspect in these threads.
    Divergence(Aspect, Difference),
    /// Two calls that differ, or inside which calls differ; or a call of one side alone.
    Call {
        /// Calls above.
        depth: u32,
        /// Left and right.
        calls: [Option<CallId>; 2],
    },
    /// A difference of the call of one level less above.
    Difference(u32, Difference),
    /// Calls of this depth and below in which nothing differs, between the rows around.
    Equal {
        /// Calls above.
        depth: u32,
        /// So many are equal with all that is in them.
        calls: u64,
        /// Of so many that is not known.
        unknown: u64,
    },
    /// The call above it has so many more differences of its own.
    More(u32, u64),
}

/// What was found in all.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Events that were compared, left and right.
    pub events: [u64; 2],
    /// Those of them for which a passage stood, so that they were not read.
    pub passed: [u64; 2],
    /// Pairs of calls that are equal with all that is in them.
    pub equal: u64,
    /// Pairs of calls in which no difference was found, and that are not known to be equal: something in them could not be
    /// compared or was ignored, or they have no recorded end.
    pub unknown_calls: u64,
    /// Differences that no rule took away.
    pub differences: u64,
    /// Comparisons that cannot be made, because something is not recorded.
    pub unknown: u64,
    /// The rules, with how often each took a difference away.
    pub rules: Rules,
    /// Threads without a counterpart, by name: of the left one alone, of the right one alone.
    pub unpaired: [Vec<String>; 2],
    /// There are more rows than were wanted, and what is behind them was not looked at.
    pub more: bool,
    /// What the answer does not tell, for people.
    pub notes: Vec<String>,
}

/// What is read of two recordings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// Passages that have digests, and the events where those do not prove them equal.
    Passages,
    /// The same, with passages that are made for it in one reading, as where the recordings have none.
    Made,
    /// All events, as if there were no digests: it finds the same, and takes longer.
    Events,
}

/// Takes the parts as they are found; an error ends the comparison.
pub type Sink<'a> = dyn FnMut(Part) -> Result<()> + 'a;

/// Holds the right one against the left one. Of each pair of threads at most so many rows of the tree are told; the first
/// divergences are told in any case. Whether the two can be compared is for the caller to see ([`fit::fit`]).
///
/// # Errors
/// When a recording cannot be read, or nobody waits any more. What damage hides is said in the notes.
pub fn compare(
    left: History,
    right: History,
    rules: Rules,
    most_rows: u64,
    sink: &mut Sink<'_>,
) -> Result<Summary> {
    compare_by(Reading::Passages, [left, right], rules, most_rows, sink)
}

/// The same, with what is read for it.
///
/// # Errors
/// As [`compare`].
pub fn compare_by(
    reading: Reading,
    sides: [History; 2],
    rules: Rules,
    most_rows: u64,
    sink: &mut Sink<'_>,
) -> Result<Summary> {
    Walk::new(sides, rules, most_rows, None, reading).all(sink)
}

/// Does a recording begin while calls ran? Then the order of its calls says nothing of their places in the run.
///
/// # Errors
/// When it cannot be read.
pub fn begins_late(history: &History) -> Result<bool> {
    let recording = history.recording();
    let meta = recording.meta();
    if meta.is_launched() {
        return Ok(false);
    }
    if meta.was_reached_late() {
        return Ok(true);
    }
    for thread in recording.threads()? {
        // Calls that ran are told first of their thread.
        let mut events = recording.events(
            Timestamp(0)..recording.end(),
            Some(thread.id),
            Direction::Forward,
        );
        let first = events.find_map(|row| match row {
            Ok(row) => match row.event.kind {
                EventKind::Enter {
                    already_running, ..
                } => Some(Ok(already_running)),
                _ => None,
            },
            // What is damaged there is told by the comparison.
            Err(StoreError::Damaged { .. }) => Some(Ok(false)),
            Err(error) => Some(Err(error)),
        });
        if first.transpose()?.unwrap_or(false) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// What two passing runs taught.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Learnt {
    /// What they differ in.
    pub rules: BTreeSet<Rule>,
    /// What could not be compared of them, for people: they may differ there, too.
    pub notes: Vec<String>,
}

/// What two passing runs differ in, as rules; those that are known already go without saying.
///
/// # Errors
/// When a recording cannot be read.
pub fn learn(left: History, right: History, rules: Rules) -> Result<Learnt> {
    let learnt = Some(BTreeSet::new());
    let mut walk = Walk::new([left, right], rules, u64::MAX, learnt, Reading::Passages);
    walk.all(&mut |_| Ok(()))?;
    Ok(walk.learnt())
}
