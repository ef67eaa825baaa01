//! Calls run again, kept as long as there is room: whole where they are short, and where they are long from so far back
//! as is needed to know what went into the row that was asked for.

use std::sync::Arc;

use jhyde_store::records::Direction;
use jhyde_trace::{CallId, FieldId, MethodId, Timestamp};
use rustc_hash::FxHashMap;

use super::code::SlicedCode;
use super::replay::Replayer;
use super::row::{Names, Replay, Row};
use super::stack::Feed;
use crate::error::Result;
use crate::history::{History, unless_lost};

/// Calls with at most so many own events are run again as a whole.
const WHOLE: usize = 1 << 14;
/// Of longer ones at first so many.
const FIRST: usize = 1 << 8;
/// So many rows are kept of all calls.
const KEPT: usize = 1 << 18;

/// The calls that were run again.
#[derive(Debug, Default)]
pub(super) struct Replays {
    codes: FxHashMap<MethodId, Option<Arc<SlicedCode>>>,
    calls: FxHashMap<CallId, Known>,
    rows: usize,
}

#[derive(Clone, Debug)]
enum Known {
    Whole(Arc<Replay>),
    /// Longer: the part that was last asked for.
    Long(Option<Arc<Replay>>),
}

impl Replays {
    /// The code of a call's method.
    pub(super) fn code(
        &mut self,
        history: &History,
        method: MethodId,
    ) -> Result<Option<Arc<SlicedCode>>> {
        if let Some(known) = self.codes.get(&method) {
            return Ok(known.clone());
        }
        let code = history
            .method(method)?
            .and_then(|method| SlicedCode::of(method.method()))
            .map(Arc::new);
        self.codes.insert(method, code.clone());
        Ok(code)
    }

    /// A call run again, with the row at this time in it, and what went into it known as far as it can be. `None` where
    /// that row cannot be read.
    pub(super) fn with(
        &mut self,
        history: &History,
        call: CallId,
        at: Timestamp,
    ) -> Result<Option<(Arc<Replay>, usize)>> {
        let known = match self.calls.get(&call) {
            Some(known) => known.clone(),
            None => self.read(history, call)?,
        };
        let replay = match known {
            Known::Whole(replay) => replay,
            Known::Long(Some(replay)) if replay.row(at).is_some_and(|row| !is_open(row)) => replay,
            Known::Long(_) => self.part(history, call, at)?,
        };
        let row = replay.rows.binary_search_by_key(&at, |row| row.at).ok();
        Ok(row.map(|row| (replay, row)))
    }

    /// A call that is short enough to be run again as a whole, if it is.
    pub(super) fn whole(&mut self, history: &History, call: CallId) -> Result<Option<Arc<Replay>>> {
        let known = match self.calls.get(&call) {
            Some(known) => known.clone(),
            None => self.read(history, call)?,
        };
        Ok(match known {
            Known::Whole(replay) => Some(replay),
            Known::Long(_) => None,
        })
    }

    fn read(&mut self, history: &History, call: CallId) -> Result<Known> {
        let record = history.record(call)?;
        let code = self.code(history, record.method)?;
        let mut names = RecordedNames { history };
        let from_the_start = !record.already_running;
        let mut replayer = Replayer::new(code.as_deref(), &mut names, call, from_the_start);
        let all = Timestamp(0)..Timestamp(u64::MAX);
        let mut count = 0;
        for own in history.recording.own_events(call, all, Direction::Forward) {
            match own {
                Ok(own) if own.event.kind.is_found() => continue,
                Ok(own) => replayer.event(&own),
                Err(jhyde_store::Error::Damaged { from, .. }) => replayer.lost(from),
                Err(error) => return Err(error.into()),
            }
            count += 1;
            if count > WHOLE {
                self.calls.insert(call, Known::Long(None));
                return Ok(Known::Long(None));
            }
        }
        let replay = Arc::new(replayer.finish());
        self.keep(call, Known::Whole(Arc::clone(&replay)), count);
        Ok(Known::Whole(replay))
    }

    /// The part of a long call that ends at a time.
    fn part(&mut self, history: &History, call: CallId, at: Timestamp) -> Result<Arc<Replay>> {
        let record = history.record(call)?;
        let code = self.code(history, record.method)?;
        let mut most = FIRST;
        loop {
            history.check()?;
            let range = Timestamp(0)..Timestamp(at.0.saturating_add(1));
            let own = history
                .recording
                .own_events(call, range, Direction::Backward)
                .filter(|own| !own.as_ref().is_ok_and(|own| own.event.kind.is_found()));
            let mut part: Vec<_> = own.take(most).collect();
            let reaches_back = part.len() < most;
            part.reverse();
            let mut names = RecordedNames { history };
            let from_the_start = reaches_back && !record.already_running;
            let mut replayer = Replayer::new(code.as_deref(), &mut names, call, from_the_start);
            for own in part {
                match own {
                    Ok(own) => replayer.event(&own),
                    Err(jhyde_store::Error::Damaged { from, .. }) => replayer.lost(from),
                    Err(error) => return Err(error.into()),
                }
            }
            let replay = Arc::new(replayer.finish());
            let enough = replay.row(at).is_none_or(|row| !is_open(row));
            // What was on the stack so long was put there by an instruction of this expression, or went unseen.
            if enough || reaches_back || most >= WHOLE {
                self.keep(call, Known::Long(Some(Arc::clone(&replay))), most);
                return Ok(replay);
            }
            most *= 8;
        }
    }

    fn keep(&mut self, call: CallId, known: Known, rows: usize) {
        if self.rows + rows > KEPT {
            self.calls.clear();
            self.rows = 0;
        }
        self.rows += rows;
        self.calls.insert(call, known);
    }
}

/// Did something unknown go into it?
fn is_open(row: &Row) -> bool {
    let all = [&row.value, &row.place];
    let mut all = all.into_iter().chain(&row.arguments);
    all.any(|feeds| feeds.contains(&Feed::Open))
}

/// The names that a recording has.
struct RecordedNames<'a> {
    history: &'a History,
}

impl Names for RecordedNames<'_> {
    fn field(&mut self, field: FieldId) -> Option<String> {
        let found = unless_lost(self.history.recording.field(field)).ok()??;
        Some(found.field().descriptor.clone())
    }

    fn method(&mut self, method: MethodId) -> Option<(String, bool)> {
        let found = self.history.method(method).ok()??;
        let info = found.method();
        Some((info.descriptor.clone(), info.name == "<clinit>"))
    }
}
