//! The part of the history that a statement sees, and what was met on the way.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use jhyde_history::History;
use jhyde_store::records::{CallRecord, MethodRef};
use jhyde_store::{Recording, Sum};
use jhyde_trace::{CallId, Event, Level, MethodId, ObjectId, ObjectInfo, ThreadId, Timestamp};

use super::asked::{Asked, Seen};
use super::datum::Datum;
use super::judged::Judgements;
use super::script::Expanded;
use crate::error::{Error, Result};
use crate::span::{NO_TALLIES, Span};

/// Rows of a table.
pub(super) type RowsOf<T> = Box<dyn Iterator<Item = Result<T>> + Send>;

/// See the module.
#[derive(Debug)]
pub(super) struct World {
    pub(super) history: History,
    pub(super) span: Span,
    /// The level that the recording was made at.
    pub(super) level: Level,
    /// Who knows what people said about its calls.
    pub(super) judgements: Option<Arc<dyn Judgements>>,
    /// The recordings that the statement asks, this one among them.
    pub(super) all: Arc<[Seen]>,
    /// Their histories, likewise.
    pub(super) peers: Arc<[History]>,
    /// The statement is only planned, and its plan says how many blocks each table reads.
    explains: AtomicBool,
    /// What is counted of all that is seen, once it was asked for.
    counted: OnceLock<Sum>,
    notes: Mutex<Vec<String>>,
    failure: Mutex<Option<Error>>,
}

impl World {
    pub(super) fn new(asked: Asked, span: Span, all: Arc<[Seen]>, peers: Arc<[History]>) -> Self {
        let history = asked.history;
        let level = history.recording().meta().options.level;
        Self {
            history,
            span,
            level,
            judgements: asked.judgements,
            all,
            peers,
            explains: AtomicBool::new(false),
            counted: OnceLock::new(),
            notes: Mutex::default(),
            failure: Mutex::default(),
        }
    }

    /// From now on plans say how many blocks each table reads.
    pub(super) fn explain(&self) {
        self.explains.store(true, Ordering::Relaxed);
    }

    pub(super) fn explains(&self) -> bool {
        self.explains.load(Ordering::Relaxed)
    }

    pub(super) fn recording(&self) -> &Recording {
        self.history.recording()
    }

    /// Does nobody wait any more, or is the time over?
    pub(super) fn is_over(&self) -> bool {
        self.history.check().is_err()
    }

    /// Why a statement was interrupted.
    pub(super) fn why_over(&self) -> Error {
        match self.history.cancelled().load(Ordering::Relaxed) {
            true => Error::Cancelled,
            false => super::SqlError::Timeout.into(),
        }
    }

    pub(super) fn note(&self, note: impl Into<String>) {
        let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        let note = note.into();
        if !notes.contains(&note) {
            notes.push(note);
        }
    }

    pub(super) fn take_notes(&self) -> Vec<String> {
        std::mem::take(&mut self.notes.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Keeps why a table failed: SQLite hands on no more than a text.
    pub(super) fn fail(&self, error: Error) -> String {
        let told = error.to_string();
        let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        failure.get_or_insert(error);
        told
    }

    pub(super) fn has_failed(&self) -> bool {
        let failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        failure.is_some()
    }

    /// It was in this statement, if it has no place yet.
    pub(super) fn place_failure(&self, of: &Expanded) {
        let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        *failure = failure.take().map(|error| error.within(of));
    }

    pub(super) fn take_failure(&self) -> Option<Error> {
        self.failure
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
    }

    /// A row of the store; none in place of what a damaged block had, which is noted.
    pub(super) fn row<T>(&self, row: jhyde_store::Result<T>) -> Result<Option<T>> {
        match row {
            Ok(row) => Ok(Some(row)),
            Err(error @ jhyde_store::Error::Damaged { .. }) => {
                self.note(match error.cut_off() {
                    Some(_) => format!("what was cut off is left out: {error}"),
                    None => format!("what a damaged block had is left out: {error}"),
                });
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Rows of the store, as far as they are readable.
    pub(super) fn readable<T: Send + 'static>(
        self: &Arc<Self>,
        rows: jhyde_store::Rows<T>,
    ) -> RowsOf<T> {
        let world = Arc::clone(self);
        Box::new(rows.filter_map(move |row| world.row(row).transpose()))
    }

    /// What is counted of all that is seen: by what is kept of each block, without reading it.
    pub(super) fn counted(&self) -> Result<&Sum> {
        if let Some(counted) = self.counted.get() {
            return Ok(counted);
        }
        if !self.recording().has_tallies() {
            self.note(NO_TALLIES);
        }
        let mut sum = Sum::default();
        for tally in self.recording().tallies(Timestamp(0)..self.span.until) {
            if self.is_over() {
                return Err(self.why_over());
            }
            match tally {
                Ok(tally) => sum.add(&tally),
                Err(error @ jhyde_store::Error::Damaged { .. }) => {
                    self.note(format!("what a damaged block had is not counted: {error}"));
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(self.counted.get_or_init(|| sum))
    }

    /// A call as it was at the end of the span; none if it had not begun.
    pub(super) fn clip(&self, record: CallRecord) -> Result<Option<CallRecord>> {
        match record.enter < self.span.until {
            true => self.span.clip(&self.history, record).map(Some),
            false => Ok(None),
        }
    }

    /// The numbers of a thread's calls that were entered in a stretch of time.
    pub(super) fn numbers(
        &self,
        thread: ThreadId,
        from: Timestamp,
        until: Timestamp,
    ) -> Result<std::ops::Range<u64>> {
        let all = 1..self.recording().root(thread)?.calls + 1;
        let before = |at: Timestamp| {
            let span = Span {
                until: at,
                ..self.span
            };
            Ok::<u64, Error>(1 + span.entered(&self.history, thread, all.clone())?)
        };
        let until = until.min(self.span.until);
        let Some(from) = self.kept(from, until) else {
            return Ok(0..0);
        };
        if from >= until {
            return Ok(0..0);
        }
        let first = if from.0 == 0 { 1 } else { before(from)? };
        Ok(first..before(until)?.max(first))
    }

    /// From where on a stretch of time is kept; nothing where none of it is. What is not is noted.
    pub(super) fn kept(&self, from: Timestamp, until: Timestamp) -> Option<Timestamp> {
        let kept = self.recording().kept_from();
        if from < kept {
            let last = Timestamp(kept.0 - 1);
            self.note(format!(
                "events {} to {last} were cut off: what began there is left out",
                Timestamp(0)
            ));
        }
        let from = from.max(kept);
        (from < until || kept.0 == 0).then_some(from)
    }

    pub(super) fn method(&self, id: MethodId) -> Result<Option<MethodRef>> {
        match self.recording().method(id) {
            Err(jhyde_store::Error::Damaged { .. }) => Ok(None),
            method => Ok(method?),
        }
    }

    /// The method that a call runs; none for what happens outside of all calls.
    pub(super) fn method_of(&self, call: CallId) -> Result<Option<MethodRef>> {
        if call.is_root() {
            return Ok(None);
        }
        match self.recording().call(call) {
            Err(jhyde_store::Error::Damaged { .. }) => Ok(None),
            call => self.method(call?.method),
        }
    }

    pub(super) fn line(&self, call: CallId, index: u32) -> Result<Datum> {
        if index == Event::NO_INDEX {
            return Ok(Datum::Null);
        }
        let method = self.method_of(call)?;
        let line = method.and_then(|method| method.method().line_of(index));
        Ok(Datum::or_null(line, |line| Datum::Int(line.into())))
    }

    pub(super) fn object(&self, object: ObjectId) -> Result<Option<ObjectInfo>> {
        match self.recording().object(object) {
            Err(jhyde_store::Error::Damaged { .. }) => Ok(None),
            info => Ok(info?),
        }
    }

    pub(super) fn class_of(&self, object: ObjectId) -> Result<Datum> {
        let class = self.object(object)?.and_then(|info| info.class);
        let Some(class) = class else {
            return Ok(Datum::Null);
        };
        match self.recording().class(class) {
            Err(jhyde_store::Error::Damaged { .. }) => Ok(Datum::Null),
            class => Ok(Datum::or_null(class?, |class| Datum::text(&class.name))),
        }
    }
}
