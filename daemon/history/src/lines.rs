//! Which lines a call ran: how often, and when first and last.
//!
//! A line is run when control comes to it: by an event of the call, or by a call made there, with another line before.
//! That takes one pass over the call's own events. Of a long call it is made in parts, each as long as somebody may wait,
//! and what was counted is kept, so that the next question goes on there.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use jhyde_store::records::{Direction, OwnEvent};
use jhyde_trace::{CallId, Event, EventKind, Level, MethodInfo, Timestamp};

use crate::error::Result;
use crate::gaps::damage_note;
use crate::history::History;

/// Events that are looked at for one answer.
const EVENTS: usize = 400_000;

/// Calls whose counts are kept: some hundred bytes each, and 50 for a line.
const KEPT: usize = 256;

/// A line of a method, as a call ran it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineRun {
    /// In the source file, from 1.
    pub line: u32,
    /// How often control came to it.
    pub count: u64,
    /// The first event of the first time, and of the last time.
    pub when: Option<(Timestamp, Timestamp)>,
}

/// The lines of a call's method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lines {
    /// The class that declares the method; empty where it is not known.
    pub class: String,
    /// Its source file, without folder.
    pub source_file: String,
    /// By number.
    pub lines: Vec<LineRun>,
    /// Only events before this are counted yet.
    pub counted_to: Option<Timestamp>,
    /// What the recording does not tell.
    pub notes: Vec<String>,
}

/// What is counted of one call.
#[derive(Debug, Default)]
struct Counted {
    next: Timestamp,
    /// Where control was.
    at: Option<u32>,
    runs: BTreeMap<u32, (u64, Timestamp, Timestamp)>,
    notes: Vec<String>,
}

type Key = (String, CallId);

/// The counts of the calls that were asked about lately, of all recordings of a daemon.
#[derive(Debug, Default)]
pub(crate) struct LineCounts {
    /// The most recently used last.
    kept: Mutex<VecDeque<(Key, Arc<Mutex<Counted>>)>>,
}

impl LineCounts {
    fn get(&self, key: Key, begin: Timestamp) -> Arc<Mutex<Counted>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let at = kept.iter().position(|(known, _)| *known == key);
        let counted = match at.and_then(|at| kept.remove(at)) {
            Some((_, counted)) => counted,
            None => Arc::new(Mutex::new(Counted {
                next: begin,
                ..Counted::default()
            })),
        };
        kept.push_back((key, Arc::clone(&counted)));
        while kept.len() > KEPT {
            kept.pop_front();
        }
        counted
    }

    pub(crate) fn forget(&self, recording: &str) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|((of, _), _)| of != recording);
    }
}

impl Counted {
    /// Counts on, at most so many events. What was counted before a failure stays.
    fn extend(
        &mut self,
        history: &History,
        call: CallId,
        method: &MethodInfo,
        end: Timestamp,
    ) -> Result<()> {
        let range = self.next..end;
        let mut events = history
            .recording
            .own_events(call, range, Direction::Forward);
        for _ in 0..EVENTS {
            history.check()?;
            match events.next() {
                Some(Ok(own)) => {
                    self.next = Timestamp(own.timestamp.0.saturating_add(1));
                    self.count(call, method, &own);
                }
                Some(Err(error @ jhyde_store::Error::Damaged { .. })) => {
                    let note = damage_note(&error);
                    if !self.notes.contains(&note) {
                        self.notes.push(note);
                    }
                }
                Some(Err(error)) => return Err(error.into()),
                None => {
                    self.next = self.next.max(end);
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn count(&mut self, call: CallId, method: &MethodInfo, own: &OwnEvent) {
        let index = match &own.event.kind {
            _ if own.event.call == call => own.event.index,
            EventKind::Enter { call_site, .. } => *call_site,
            // A nested call's end is at a place of its own.
            _ => return,
        };
        if index == Event::NO_INDEX || own.event.kind.is_found() {
            return;
        }
        let Some(line) = method.line_of(index) else {
            return;
        };
        if self.at.replace(line) == Some(line) {
            return;
        }
        let run = self
            .runs
            .entry(line)
            .or_insert((0, own.timestamp, own.timestamp));
        run.0 += 1;
        run.2 = own.timestamp;
    }
}

impl History {
    /// The lines of a call's method, and how often the call ran each.
    ///
    /// # Errors
    /// When the call is not there or the recording cannot be read.
    pub fn lines(&self, call: CallId) -> Result<Lines> {
        let record = self.record(call)?;
        let mut found = Lines {
            class: String::new(),
            source_file: String::new(),
            lines: Vec::new(),
            counted_to: None,
            notes: Vec::new(),
        };
        let Some(method) = self.method(record.method)? else {
            found
                .notes
                .push("the method was not recorded: its lines are not known".to_owned());
            return Ok(found);
        };
        found.class.clone_from(&method.class.name);
        found.source_file = method.class.source_file.clone().unwrap_or_default();
        let info = method.method();
        if info.lines.is_empty() || record.boundary {
            found.notes.push(match record.boundary {
                true => "the method is outside the recorded classes: what it ran is not recorded"
                    .to_owned(),
                false => "the class has no table of lines".to_owned(),
            });
            return Ok(found);
        }
        if self.asked < Level::Full {
            found.notes.push(format!(
                "level {} does not record all that lines do: a line counts as run only where it wrote something, \
                 made a call or ended the call; record with level full",
                self.asked
            ));
        }
        found.notes.extend(self.level_notes(&record)?);
        let (begin, last) = self.span(call)?;
        let end = Timestamp(last.0.saturating_add(1));
        let key = (self.recording.id().to_owned(), call);
        let counted = self.outlines.lines.get(key, begin);
        // What is behind the lock is left whole by every step of a pass.
        let mut counted = counted.lock().unwrap_or_else(PoisonError::into_inner);
        counted.extend(self, call, info, end)?;
        found.counted_to = (counted.next < end).then_some(counted.next);
        found.notes.extend(counted.notes.iter().cloned());
        let runs = &counted.runs;
        let all: std::collections::BTreeSet<u32> =
            info.lines.iter().map(|entry| entry.line).collect();
        found.lines = all
            .into_iter()
            .map(|line| {
                let run = runs.get(&line);
                LineRun {
                    line,
                    count: run.map_or(0, |run| run.0),
                    when: run.map(|(_, first, last)| (*first, *last)),
                }
            })
            .collect();
        if found.counted_to.is_none() {
            found.notes.extend(self.end_note_of(call)?);
        }
        Ok(found)
    }
}
