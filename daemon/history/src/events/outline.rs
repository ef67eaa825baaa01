//! The outline of a call's event list: where its long loops are and how often they went round.
//!
//! It is made by one pass over the call's own events and kept, so that a page in the middle of a loop of
//! a million iterations costs what the page holds. Its memory is bounded by the events, not the
//! iterations: loops shorter than [`LONG`] events are not kept at all (they are read again when they are
//! shown), and of the iterations of a long one only such as are [`APART`] events behind the last one kept:
//! at most 24 bytes per 256 events and loop depth. A call that still runs is gone on with where the pass
//! ended.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use jhyde_bytecode::LoopId;
use jhyde_store::records::Direction;
use jhyde_trace::{CallId, EventKind, Level, Timestamp};
use rustc_hash::FxHashMap;

use super::code::{MethodCode, NoLoops};
use super::scan::{Closed, Item, Scanner};
use crate::error::{Error, Result};
use crate::history::History;
use crate::lines::LineCounts;

/// A loop with at least so many own events of its call is kept.
const LONG: u64 = 256;
/// Kept iterations begin at least so many events apart.
const APART: u64 = 256;

/// A long loop.
#[derive(Clone, Debug)]
pub(crate) struct LongLoop {
    pub(crate) how: Closed,
    /// Number and beginning of some iterations, rising; the first one is always there.
    kept: Vec<(u64, Timestamp)>,
}

impl LongLoop {
    /// The last kept iteration that begins at or before a time.
    pub(crate) fn iteration_before(&self, at: Timestamp) -> (u64, Timestamp) {
        let after = self.kept.partition_point(|(_, begin)| *begin <= at);
        self.kept(after)
    }

    /// The last kept iteration of this number or before.
    pub(crate) fn iteration_up_to(&self, number: u64) -> (u64, Timestamp) {
        let after = self.kept.partition_point(|(kept, _)| *kept <= number);
        self.kept(after)
    }

    fn kept(&self, after: usize) -> (u64, Timestamp) {
        let first = self.kept.first().copied().unwrap_or_default();
        after
            .checked_sub(1)
            .and_then(|at| self.kept.get(at).copied())
            .unwrap_or(first)
    }
}

/// A loop that the pass is in.
#[derive(Debug)]
struct OpenLoop {
    id: LoopId,
    begun: Timestamp,
    /// Events of the pass when it began, and when the last iteration was kept.
    events_at_begin: u64,
    events_at_kept: u64,
    iterations: u64,
    kept: Vec<(u64, Timestamp)>,
}

/// See the module.
#[derive(Debug)]
pub(crate) struct Outline {
    pub(crate) code: Option<Arc<MethodCode>>,
    pub(crate) notes: Vec<String>,
    scanner: Scanner,
    /// Timestamp of the next event to read.
    next: Timestamp,
    events: u64,
    open: Vec<OpenLoop>,
    long: FxHashMap<(Timestamp, LoopId), LongLoop>,
    gap: bool,
}

impl Outline {
    fn new(call: CallId, code: Option<Arc<MethodCode>>, notes: Vec<String>) -> Self {
        Self {
            scanner: Scanner::new(call, code.clone()),
            code,
            notes,
            next: Timestamp(0),
            events: 0,
            open: Vec::new(),
            long: FxHashMap::default(),
            gap: false,
        }
    }

    /// A long loop by its beginning: a finished one, or one that the call is in, as far as it is.
    pub(crate) fn long(&self, begun: Timestamp, id: LoopId) -> Option<LongLoop> {
        if let Some(found) = self.long.get(&(begun, id)) {
            return Some(found.clone());
        }
        let open = self
            .open
            .iter()
            .find(|open| open.id == id && open.begun == begun)?;
        (self.events - open.events_at_begin >= LONG).then(|| LongLoop {
            how: Closed {
                id,
                iterations: open.iterations,
                last: self.scanner.last(),
                back_to: None,
                place: None,
                running: true,
            },
            kept: open.kept.clone(),
        })
    }

    /// Reads on up to an end.
    fn extend(&mut self, history: &History, call: CallId, end: Timestamp) -> Result<()> {
        let loops = self
            .code
            .as_ref()
            .is_some_and(|code| !code.loops().all().is_empty());
        if !loops || self.next >= end {
            return Ok(());
        }
        let range = self.next..end;
        for own in history
            .recording
            .own_events(call, range, Direction::Forward)
        {
            history.check()?;
            let own = match own {
                Ok(own) => own,
                Err(jhyde_store::Error::Damaged { .. }) => {
                    self.gap = true;
                    continue;
                }
                Err(error) => return Err(error.into()),
            };
            self.next = Timestamp(own.timestamp.0.saturating_add(1));
            self.gap |= matches!(own.event.kind, EventKind::Gap { .. });
            self.events += 1;
            self.scanner.push(own);
            while let Some(item) = self.scanner.pop() {
                self.note(item);
            }
        }
        self.next = end;
        Ok(())
    }

    fn note(&mut self, item: Item) {
        match item {
            Item::Open { id, at } => self.open.push(OpenLoop {
                id,
                begun: at,
                events_at_begin: self.events,
                events_at_kept: 0,
                iterations: 0,
                kept: Vec::new(),
            }),
            Item::Iteration { number, at, .. } => {
                if let Some(top) = self.open.last_mut() {
                    top.iterations = number;
                    if top.kept.is_empty() || self.events - top.events_at_kept >= APART {
                        top.kept.push((number, at));
                        top.events_at_kept = self.events;
                    }
                }
            }
            Item::Close(how) => {
                if let Some(top) = self.open.pop()
                    && self.events - top.events_at_begin >= LONG
                {
                    let kept = top.kept;
                    self.long
                        .insert((top.begun, top.id), LongLoop { how, kept });
                }
            }
            Item::Tail { .. } | Item::Event(_) => {}
        }
    }

    fn memory(&self) -> usize {
        let kept: usize = self.long.values().map(|found| found.kept.len()).sum();
        let open: usize = self.open.iter().map(|open| open.kept.len()).sum();
        (kept + open) * 16 + self.long.len() * 128 + 1024
    }

    /// What its readers must know, for people.
    pub(crate) fn told(&self) -> Vec<String> {
        let mut notes = self.notes.clone();
        if self.gap
            && self
                .code
                .as_ref()
                .is_some_and(|code| !code.loops().all().is_empty())
        {
            notes.push(
                "some events of this call were not recorded: its loops may have had more iterations than \
                 are shown"
                    .to_owned(),
            );
        }
        notes
    }
}

/// Are the ways that a call took recorded throughout? A call that runs may be recorded lower from now on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ways {
    Recorded,
    Missing,
}

/// Which call of which recording.
type Key = (String, CallId, Ways);

/// An outline, and its bytes in memory when it was last used.
type Kept = (Key, Arc<Mutex<Outline>>, usize);

/// The outlines that were made lately, of all recordings of a daemon, bounded in memory. Losing one costs
/// a pass over its call's events.
#[derive(Debug, Default)]
pub struct Outlines {
    /// The most recently used last.
    kept: Mutex<VecDeque<Kept>>,
    /// How often calls ran their lines, which is counted by a pass over their events, too.
    pub(crate) lines: LineCounts,
}

/// Outlines are kept up to so many bytes together, and so many of them.
const MOST_BYTES: usize = 32 << 20;
const MOST_OUTLINES: usize = 512;

impl Outlines {
    fn get(
        &self,
        key: &Key,
        make: impl FnOnce() -> Result<Outline>,
    ) -> Result<Arc<Mutex<Outline>>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = kept.iter().position(|(known, ..)| known == key)
            && let Some(entry) = kept.remove(at)
        {
            let outline = Arc::clone(&entry.1);
            kept.push_back(entry);
            return Ok(outline);
        }
        let outline = Arc::new(Mutex::new(make()?));
        kept.push_back((key.clone(), Arc::clone(&outline), 1024));
        Ok(outline)
    }

    fn weigh(&self, key: &Key, bytes: usize) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(entry) = kept.iter_mut().find(|(known, ..)| known == key) {
            entry.2 = bytes;
        }
        let mut all: usize = kept.iter().map(|(.., bytes)| bytes).sum();
        while (all > MOST_BYTES || kept.len() > MOST_OUTLINES) && kept.len() > 1 {
            if let Some((.., bytes)) = kept.pop_front() {
                all -= bytes;
            }
        }
    }

    /// Drops what is in memory of a recording (because it is deleted, say).
    pub fn forget(&self, recording: &str) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|((of, ..), ..)| of != recording);
        drop(kept);
        self.lines.forget(recording);
    }
}

impl History {
    /// Works with the outline of a call as far as the recording is now.
    pub(crate) fn with_outline<T>(
        &self,
        call: CallId,
        flat: bool,
        work: impl FnOnce(&Outline) -> Result<T>,
    ) -> Result<T> {
        let (begin, end) = self.span(call)?;
        if flat {
            return work(&Outline::new(call, None, Vec::new()));
        }
        let ways = match self.lowered_in(call, Level::Full)? {
            None => Ways::Recorded,
            Some(_) => Ways::Missing,
        };
        let key = (self.recording.id().to_owned(), call, ways);
        let outline = self.outlines.get(&key, || self.new_outline(call, begin))?;
        // What is behind the lock is left whole by every step of a pass.
        let mut outline = outline.lock().unwrap_or_else(PoisonError::into_inner);
        outline.extend(self, call, Timestamp(end.0.saturating_add(1)))?;
        self.outlines.weigh(&key, outline.memory());
        work(&outline)
    }

    fn new_outline(&self, call: CallId, begin: Timestamp) -> Result<Outline> {
        let (code, notes) = self.loops_of(call)?;
        let mut outline = Outline::new(call, code, notes);
        outline.next = begin;
        Ok(outline)
    }

    /// The loops of a call's method, or why they are not known.
    fn loops_of(&self, call: CallId) -> Result<(Option<Arc<MethodCode>>, Vec<String>)> {
        if call.is_root() {
            return Ok((None, Vec::new()));
        }
        let record = self.recording.call(call)?;
        if record.boundary {
            return Ok((None, Vec::new()));
        }
        let code = match self.method(record.method)? {
            Some(method) => MethodCode::of(method.method()),
            None => Err(NoLoops::NoCode),
        };
        let none = code
            .as_ref()
            .is_ok_and(|code| code.loops().all().is_empty());
        if self.asked < Level::Full {
            let note = format!(
                "level {} does not record the ways that were taken: loops and iterations are not shown; record \
                 with level full",
                self.asked
            );
            return Ok((None, if none { Vec::new() } else { vec![note] }));
        }
        if self.lowered_in(call, Level::Full)?.is_some() {
            let note = "not all ways that this call took were recorded: its loops and iterations are not shown";
            return Ok((
                None,
                if none {
                    Vec::new()
                } else {
                    vec![note.to_owned()]
                },
            ));
        }
        match code {
            Ok(code) => {
                let mut notes = Vec::new();
                let cycles = code.loops().irreducible().len();
                if cycles > 0 {
                    notes.push(format!(
                        "the method has {cycles} cycle{} that can be entered at several places, so that no place \
                         begins an iteration: the events there are shown without loop rows",
                        if cycles == 1 { "" } else { "s" }
                    ));
                }
                Ok((Some(Arc::new(code)), notes))
            }
            Err(NoLoops::NoCode) => Ok((None, vec![NO_METHOD.to_owned()])),
            Err(NoLoops::Malformed(reason)) => Ok((
                None,
                vec![format!(
                    "the method's code could not be understood ({reason}): loops are not shown"
                )],
            )),
        }
    }

    /// Has whoever asked gone away, or is the time over?
    ///
    /// # Errors
    /// [`Error::Cancelled`] if so.
    pub fn check(&self) -> Result<()> {
        match self.cancelled.load(std::sync::atomic::Ordering::Relaxed) || self.is_late() {
            true => Err(Error::Cancelled),
            false => Ok(()),
        }
    }
}

const NO_METHOD: &str = "the method's code was not recorded: loops are not shown";
