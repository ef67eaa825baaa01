//! One of the two recordings: its events, in the words that both have.

use std::collections::VecDeque;
use std::sync::Arc;

use jhyde_bytecode::Code;
use jhyde_history::History;
use jhyde_store::records::{Direction, MethodRef, OwnEvent, TimedEvent};
use jhyde_store::{Recording, Rows};
use jhyde_trace::{
    CallId, ClassId, Event, EventKind, FieldId, Local, MethodId, Outcome, ThreadId, Timestamp,
    Variable,
};
use rustc_hash::FxHashMap;

use super::code::{CodeMap, way};
use super::keys::{Key, Names, bare, deed, not_recorded};
use crate::error::{Error, Result};

/// So many events of a call that is passed by are read, before its end is looked up, which costs as much as some hundred of them.
const NEAR: usize = 256;

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
    /// Events that were read and are compared.
    pub(super) read: u64,
    /// What the events that were passed since say to be not recorded.
    missing: Vec<String>,
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
            missing: Vec::new(),
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
        self.seek(Some(Timestamp(0)))
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
                kind => self.missing.extend(not_recorded(row.timestamp, kind)),
            }
        }
        Ok(())
    }

    /// Goes to the end of a call, or behind everything if that is not recorded.
    pub(super) fn go_to_end(&mut self, call: CallId) -> Result<()> {
        let end = self.recording.call(call)?.exit;
        self.seek(end)
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
        for row in self.rows.by_ref().take(NEAR) {
            // What is damaged may lie in the call, and nothing of that is wanted.
            let Ok(row) = row else { break };
            if row.event.call == call && matches!(row.event.kind, EventKind::Exit { .. }) {
                self.step()?;
                return Ok(true);
            }
        }
        let record = self.recording.call(call)?;
        self.seek(record.exit.map(|exit| Timestamp(exit.0 + 1)))?;
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
                // In one code it is told by where it leads; in two versions by which of the targets that is.
                let code = match frame.map {
                    Some(_) => self.code(frame.method)?,
                    None => None,
                };
                key.way = code.map_or(*to, |code| way(&code, *from, *to));
            }
            _ => {}
        }
        Ok(Some(key))
    }

    fn method_number(&mut self, id: MethodId, names: &mut Names) -> Result<u32> {
        if let Some(known) = self.methods.get(&id) {
            return Ok(known.number);
        }
        let Some(of) = self.recording.method(id)? else {
            return Ok(names.number(format!("method#{id} of {}", self.number)));
        };
        let info = of.method();
        let class = bare(&of.class.name);
        let number = names.number(format!("{class}.{}{}", info.name, info.descriptor));
        let is_void = info.descriptor.ends_with('V');
        let method = Method {
            of,
            number,
            is_void,
        };
        self.methods.insert(id, method);
        Ok(number)
    }

    /// A method with its class.
    pub(super) fn method(&self, id: Option<MethodId>) -> Result<Option<MethodRef>> {
        let Some(id) = id else { return Ok(None) };
        match self.methods.get(&id) {
            Some(known) => Ok(Some(known.of.clone())),
            None => Ok(self.recording.method(id)?),
        }
    }

    /// Does a method return nothing? One that is not known does not say so.
    pub(super) fn is_void(&self, id: Option<MethodId>) -> bool {
        let known = id.and_then(|id| self.methods.get(&id));
        known.is_some_and(|method| method.is_void)
    }

    fn code(&mut self, id: Option<MethodId>) -> Result<Option<Arc<Code>>> {
        let Some(id) = id else { return Ok(None) };
        if let Some(known) = self.codes.get(&id) {
            return Ok(known.clone());
        }
        let method = self.recording.method(id)?;
        let code = method
            .and_then(|method| Code::decode(&method.method().code).ok())
            .map(Arc::new);
        self.codes.insert(id, code.clone());
        Ok(code)
    }

    /// What a variable is called in source; its object is compared by itself.
    fn variable(
        &mut self,
        variable: Variable,
        method: Option<MethodId>,
        names: &mut Names,
    ) -> Result<u32> {
        Ok(match variable {
            Variable::Field { field, .. } | Variable::Static { field } => {
                match self.fields.get(&field) {
                    Some(number) => *number,
                    None => {
                        let info = self.recording.field(field)?;
                        let name = info.map_or_else(
                            || format!("field#{field} of {}", self.number),
                            |info| format!("{}.{}", bare(&info.class.name), info.field().name),
                        );
                        let number = names.number(name);
                        self.fields.insert(field, number);
                        number
                    }
                }
            }
            Variable::Local { local, .. } => {
                let Some(of) = method else {
                    return Ok(u32::MAX);
                };
                if let Some(number) = self.locals.get(&(of, local)) {
                    return Ok(*number);
                }
                let info = self.recording.method(of)?;
                let entry = match (local, &info) {
                    (Local::Named(at), Some(info)) => info.method().variables.get(usize::from(at)),
                    _ => None,
                };
                let name = match (entry, local) {
                    (Some(entry), _) => format!("local {} {}", entry.name, entry.descriptor),
                    (None, local) => format!("local {local:?}"),
                };
                let number = names.number(name);
                self.locals.insert((of, local), number);
                number
            }
            Variable::Element { .. } => u32::MAX - 1,
            Variable::Return { .. } | Variable::Exception { .. } | Variable::Content { .. } => {
                u32::MAX - 2
            }
        })
    }

    /// A class's name, without what differs from run to run: the numbers of hidden classes.
    pub(super) fn class(&mut self, id: ClassId) -> Result<Arc<str>> {
        if let Some(known) = self.classes.get(&id) {
            return Ok(Arc::clone(known));
        }
        let name: Arc<str> = match self.recording.class(id)? {
            Some(class) => bare(&class.name).into(),
            None => format!("class#{id} of {}", self.number).into(),
        };
        self.classes.insert(id, Arc::clone(&name));
        Ok(name)
    }
}

/// Where the events of a call stand.
pub(super) struct Place<'a> {
    pub(super) method: Option<MethodId>,
    pub(super) map: Option<&'a CodeMap>,
}
