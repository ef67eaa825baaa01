//! One of the two recordings: its events, in the words that both have.

mod made;
mod words;

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use jhyde_bytecode::Code;
use jhyde_history::History;
use jhyde_store::records::{Direction, MethodRef, OwnEvent, TimedEvent};
use jhyde_store::{Recording, Rows};
use jhyde_trace::block::{Passage, Site};
use jhyde_trace::{
    CallId, ClassId, Event, EventKind, FieldId, Local, MethodId, ObjectId, Outcome, ThreadId,
    Timestamp,
};
use rustc_hash::FxHashMap;

use self::made::MadePassages;
use super::code::{CodeMap, Way, way};
use super::gaps::{CallGap, Gaps};
use super::keys::{Key, Names, deed, not_recorded};
use crate::error::{Error, Result};

/// So many events of a call that is passed by are read, before its end is looked up, which costs as much as some hundred of them.
const NEAR: usize = 256;
/// Of a call that is passed by so many events are read for what they change. Behind that it may be anything.
const MOST_PASSED_BY: usize = 1 << 22;

/// What a side changed alone since that was asked last.
#[derive(Default)]
pub(super) struct Alone {
    /// Objects of which that is told what they hold, or no longer: when first, and when last.
    pub(super) objects: FxHashMap<ObjectId, [Timestamp; 2]>,
    /// What was changed from this time on was not read.
    pub(super) unread: Option<Timestamp>,
}

impl Alone {
    fn add(&mut self, row: &TimedEvent) {
        if let EventKind::Content {
            object,
            change,
            snapshot: false,
        } = &row.event.kind
            && change.is_of_content()
        {
            let at = row.timestamp;
            let times = self.objects.entry(*object).or_insert([at, at]);
            times[1] = at;
        }
    }
}

/// What is asked of a method with every call.
struct Method {
    of: MethodRef,
    /// Of its name.
    number: u32,
    is_void: bool,
}

/// See the module.
pub(super) struct Side {
    /// 0: left, 1: right.
    number: usize,
    pub(super) history: History,
    pub(super) recording: Arc<Recording>,
    /// The recording's name: all that is known of it would be copied for it each time.
    pub(super) name: String,
    end: Timestamp,
    thread: ThreadId,
    rows: Rows<TimedEvent>,
    next: Option<TimedEvent>,
    /// Events that are compared: that were read, or that a passage stands for.
    pub(super) read: u64,
    /// Those for which a passage stood.
    pub(super) passed: u64,
    /// The next passage of the thread.
    passage: Option<Arc<Passage>>,
    /// All of them, where the recording has none of its own.
    made: Option<MadePassages>,
    sites: FxHashMap<u32, Option<Arc<Site>>>,
    /// What was not recorded, once that was asked for.
    gaps: Option<Gaps>,
    /// What the events that were passed since say to be not recorded.
    missing: Vec<String>,
    /// What those that have no counterpart changed.
    alone: Alone,
    /// Of the thread: its end was passed, and that of its last call was seen.
    pub(super) has_ended: bool,
    /// How the call that ended last did so was not seen.
    ended_unseen: bool,
    methods: FxHashMap<MethodId, Method>,
    fields: FxHashMap<FieldId, u32>,
    locals: FxHashMap<(MethodId, Local), u32>,
    classes: FxHashMap<ClassId, Arc<str>>,
    codes: FxHashMap<MethodId, Option<Arc<Code>>>,
}

impl Side {
    pub(super) fn new(number: usize, history: History) -> Self {
        let recording = Arc::clone(history.recording());
        Self {
            number,
            name: recording.meta().name,
            end: recording.end(),
            recording,
            history,
            thread: ThreadId::default(),
            rows: Box::new(std::iter::empty()),
            next: None,
            read: 0,
            passed: 0,
            passage: None,
            made: None,
            sites: FxHashMap::default(),
            gaps: None,
            missing: Vec::new(),
            alone: Alone::default(),
            has_ended: false,
            ended_unseen: false,
            methods: FxHashMap::default(),
            fields: FxHashMap::default(),
            locals: FxHashMap::default(),
            classes: FxHashMap::default(),
            codes: FxHashMap::default(),
        }
    }

    /// Goes to a thread's first event.
    pub(super) fn begin(&mut self, thread: ThreadId) -> Result<()> {
        self.thread = thread;
        (self.has_ended, self.ended_unseen) = (false, false);
        self.missing.clear();
        self.passage = self.next_passage(Timestamp(0));
        self.seek(Some(Timestamp(0)))
    }

    /// Makes passages, in one reading of all that there is.
    pub(super) fn make_passages(&mut self) -> Result<()> {
        let history = &self.history;
        let check = || history.check().map_err(|_| Error::Cancelled);
        self.made = Some(MadePassages::read(&self.recording, check)?);
        Ok(())
    }

    fn next_passage(&self, from: Timestamp) -> Option<Arc<Passage>> {
        let found = match &self.made {
            Some(made) => made.passage(self.thread, from)?,
            None => self.recording.passage(self.thread, from)?,
        };
        // One that is not all there stands for nothing.
        let is_whole = found.first < found.end && found.end <= self.end;
        is_whole.then(|| Arc::new(found))
    }

    /// The passage that begins with an event, if one does.
    pub(super) fn passage(&mut self, at: Timestamp) -> Option<Arc<Passage>> {
        // Nearly always it is further on.
        if self.passage.as_ref()?.first < at {
            self.passage = self.next_passage(at);
        }
        let passage = self.passage.as_ref()?;
        (passage.first == at).then(|| Arc::clone(passage))
    }

    /// Goes behind passages: to this time, over so many compared events.
    pub(super) fn go_behind(&mut self, end: Timestamp, events: u64, has_exits: bool) -> Result<()> {
        // The first of them was read.
        self.read = (self.read + events).saturating_sub(1);
        self.passed += events;
        self.ended_unseen &= !has_exits;
        self.seek(Some(end))
    }

    /// What of a call that lived so long was not recorded.
    pub(super) fn gaps(&mut self, call: CallId, life: &Range<Timestamp>) -> Result<Vec<CallGap>> {
        let history = &self.history;
        let check = || history.check().map_err(|_| Error::Cancelled);
        let gaps = match &self.gaps {
            Some(known) => known,
            None => self.gaps.insert(Gaps::read(&self.recording, check)?),
        };
        gaps.of(&self.recording, call, life, check)
    }

    /// The thread that is compared.
    pub(super) fn thread(&self) -> ThreadId {
        self.thread
    }

    /// A site that a passage names.
    pub(super) fn site(&mut self, number: u32) -> Option<Arc<Site>> {
        if let Some(made) = &self.made {
            return made.site(number);
        }
        let of = &self.recording;
        let known = self.sites.entry(number);
        known
            .or_insert_with(|| of.site(number).map(Arc::new))
            .clone()
    }

    fn seek(&mut self, from: Option<Timestamp>) -> Result<()> {
        let range = from.unwrap_or(self.end)..self.end;
        self.rows = self
            .recording
            .events(range, Some(self.thread), Direction::Forward);
        self.step()
    }

    /// The next event that is compared.
    pub(super) fn next(&self) -> Option<&TimedEvent> {
        self.next.as_ref()
    }

    /// Goes behind the next event.
    pub(super) fn step(&mut self) -> Result<()> {
        self.is_cancelled()?;
        self.next = None;
        for row in &mut self.rows {
            let row = row?;
            if deed(&row.event.kind).is_some() {
                self.read += 1;
                if let EventKind::Exit { outcome } = &row.event.kind {
                    self.ended_unseen = *outcome == Outcome::Unknown;
                }
                self.next = Some(row);
                break;
            }
            match &row.event.kind {
                EventKind::ThreadEnd => self.has_ended = !self.ended_unseen,
                kind => {
                    self.missing.extend(not_recorded(row.timestamp, kind));
                    self.alone.add(&row);
                }
            }
        }
        Ok(())
    }

    /// Goes to the end of a call, or behind everything if that is not recorded.
    pub(super) fn go_to_end(&mut self, call: CallId) -> Result<()> {
        let end = self.recording.call(call)?.exit;
        if let Some(from) = self.next.as_ref().map(|next| next.timestamp) {
            self.pass_by(from..end.unwrap_or(self.end))?;
        }
        self.seek(end)
    }

    /// Reads what has no counterpart for what it changes.
    fn pass_by(&mut self, range: Range<Timestamp>) -> Result<()> {
        let from = range.start;
        if from >= range.end {
            return Ok(());
        }
        let rows = self
            .recording
            .events(range, Some(self.thread), Direction::Forward);
        for (read, row) in rows.enumerate() {
            self.is_cancelled()?;
            match row {
                Ok(row) if read < MOST_PASSED_BY => self.alone.add(&row),
                // What is damaged may have changed anything.
                _ => {
                    let known = self.alone.unread.unwrap_or(from);
                    self.alone.unread = Some(known.min(from));
                    break;
                }
            }
        }
        Ok(())
    }

    /// What was changed since it was asked last by what has no counterpart.
    pub(super) fn changed_alone(&mut self) -> Alone {
        std::mem::take(&mut self.alone)
    }

    /// What the events that were passed since it was asked last say to be not recorded.
    pub(super) fn missing(&mut self) -> Vec<String> {
        std::mem::take(&mut self.missing)
    }

    /// Reads without going on: an event at a time, nobody waiting any more being an error.
    pub(super) fn is_cancelled(&self) -> Result<()> {
        self.history.check().map_err(|_| Error::Cancelled)
    }

    /// Goes behind the next event, and if it is the beginning of a call, behind that call. False where that has no recorded end:
    /// what comes behind it is not recorded either.
    pub(super) fn skip(&mut self) -> Result<bool> {
        let Some(next) = &self.next else {
            return Ok(true);
        };
        if !matches!(next.event.kind, EventKind::Enter { .. }) {
            self.step()?;
            return Ok(true);
        }
        let call = next.event.call;
        let mut behind = next.timestamp;
        for row in self.rows.by_ref().take(NEAR) {
            // What is damaged may lie in the call, and nothing of that is wanted.
            let Ok(row) = row else { break };
            if row.event.call == call && matches!(row.event.kind, EventKind::Exit { .. }) {
                self.step()?;
                return Ok(true);
            }
            behind = row.timestamp;
            self.alone.add(&row);
        }
        let record = self.recording.call(call)?;
        let end = record.exit.map(|exit| Timestamp(exit.0 + 1));
        self.pass_by(Timestamp(behind.0 + 1)..end.unwrap_or(self.end))?;
        self.seek(end)?;
        Ok(record.exit.is_some())
    }

    /// The own events of a call from the next event on, at most so many, by their keys; and whether there are more.
    pub(super) fn ahead(
        &mut self,
        call: CallId,
        frame: &Place<'_>,
        most: usize,
        names: &mut Names,
    ) -> Result<(VecDeque<Timestamp>, Vec<Key>, bool)> {
        let (mut times, mut keys) = (VecDeque::new(), Vec::new());
        let Some(next) = &self.next else {
            return Ok((times, keys, false));
        };
        for row in self.own(call, next.timestamp) {
            let Some((at, key)) = self.own_key(row?, call, frame, names)? else {
                continue;
            };
            if keys.len() == most {
                return Ok((times, keys, true));
            }
            times.push_back(at);
            keys.push(key);
        }
        Ok((times, keys, false))
    }

    /// The own events of a call from a time on.
    pub(super) fn own(&self, call: CallId, from: Timestamp) -> Rows<OwnEvent> {
        self.recording
            .own_events(call, from..self.end, Direction::Forward)
    }

    /// The key of one of [`Self::own`], if it takes part in an alignment.
    pub(super) fn own_key(
        &mut self,
        row: OwnEvent,
        call: CallId,
        frame: &Place<'_>,
        names: &mut Names,
    ) -> Result<Option<(Timestamp, Key)>> {
        self.is_cancelled()?;
        let is_end = matches!(row.event.kind, EventKind::Exit { .. });
        // How contents came to be known is no deed of the program; ends of calls inside go with their beginnings.
        if (is_end && row.event.call != call) || matches!(row.event.kind, EventKind::Content { .. })
        {
            return Ok(None);
        }
        let key = self.key(&row.event, frame, names)?;
        Ok(key.map(|key| (row.timestamp, key)))
    }

    /// The key of an event in a call; `None` for what is not compared.
    pub(super) fn key(
        &mut self,
        event: &Event,
        frame: &Place<'_>,
        names: &mut Names,
    ) -> Result<Option<Key>> {
        let Some(deed) = deed(&event.kind) else {
            return Ok(None);
        };
        let place = |index| frame.map.map_or(index, |map| map.place(self.number, index));
        let mut key = Key {
            deed,
            name: 0,
            place: place(event.index),
            way: 0,
        };
        match &event.kind {
            EventKind::Enter {
                method,
                call_site,
                boundary,
                ..
            } => {
                key.place = place(*call_site);
                key.way = u32::from(*boundary);
                key.name = self.method_number(*method, names)?;
            }
            // However it ends, and wherever: that is compared as what it yields.
            EventKind::Exit { .. } => key.place = 0,
            EventKind::Write { variable, .. } => {
                key.name = self.variable(*variable, frame.method, names)?
            }
            EventKind::Edge { from, to } => {
                key.place = place(*from);
                // In one code it is told by where it leads; in two versions by which of the targets or cases that is.
                let code = match frame.map {
                    Some(_) => self.code(frame.method)?,
                    None => None,
                };
                let way = code.map_or(Way::To(*to), |code| way(&code, *from, *to));
                (key.name, key.way) = way.numbers();
            }
            _ => {}
        }
        Ok(Some(key))
    }
}

/// Where the events of a call stand.
pub(super) struct Place<'a> {
    pub(super) method: Option<MethodId>,
    pub(super) map: Option<&'a CodeMap>,
}
