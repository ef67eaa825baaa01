//! A query with its parameters, ready to run.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use jhyde_history::view::CallView;
use jhyde_history::{Error as HistoryError, History};
use jhyde_store::BlockReads;
use jhyde_store::records::{CallRecord, Direction, MethodRef};
use jhyde_trace::echo::shown;
use jhyde_trace::{CallId, ClassId, ClassInfo, EventKind, MethodId, ObjectId, Timestamp};

use crate::answer::{Cell, Row};
use crate::catalogue::{Parameter, QUERIES, Query};
use crate::error::{Error, Result};
use crate::nearest::nearest;
use crate::span::Span;

/// What somebody asks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// The query's name.
    pub query: String,
    /// Parameters by name.
    pub parameters: Vec<(String, String)>,
    /// Only what happened at or after this timestamp.
    pub from: Option<u64>,
    /// Only what happened before this timestamp.
    pub to: Option<u64>,
}

/// A query whose request makes sense.
#[derive(Debug)]
pub struct Prepared {
    query: &'static Query,
    parameters: Vec<(&'static str, String)>,
    history: History,
    span: Span,
    reads: Arc<BlockReads>,
}

impl Prepared {
    /// Reads a request.
    ///
    /// # Errors
    /// When there is no such query, a parameter is missing or unknown, the part of the history makes no sense, or the
    /// recording's level leaves out what the query is about.
    pub fn new(history: History, request: &Request) -> Result<Self> {
        let query = QUERIES.iter().find(|query| query.name == request.query);
        let query = query.ok_or_else(|| Error::NoSuchQuery {
            name: request.query.clone(),
            nearest: nearest(&request.query, QUERIES.iter().map(|query| query.name)),
        })?;
        let mut parameters = Vec::new();
        for (name, value) in &request.parameters {
            let known = query.parameters.iter().find(|known| known.name == name);
            let known = known.ok_or_else(|| Error::NoSuchParameter {
                query: query.name,
                parameter: name.clone(),
                takes: takes(query.parameters),
            })?;
            parameters.push((known.name, value.clone()));
        }
        for needed in query.parameters.iter().filter(|p| p.required) {
            if !parameters.iter().any(|(name, _)| *name == needed.name) {
                return Err(Error::Missing {
                    query: query.name,
                    parameter: needed.name,
                    what: needed.doc,
                });
            }
        }
        let level = history.recording().meta().options.level;
        if query.refuses && level < query.level {
            return Err(Error::Level {
                query: query.name,
                needed: query.level,
                level,
            });
        }
        let span = Span::of(&history, request.from, request.to)?;
        let reads = Arc::default();
        Ok(Self {
            query,
            parameters,
            history: history.counting(Arc::clone(&reads)),
            span,
            reads,
        })
    }

    /// What it answers with.
    pub fn query(&self) -> &'static Query {
        self.query
    }

    /// The history is seen up to here: only events before this timestamp count.
    pub fn until(&self) -> Timestamp {
        self.span.until
    }

    /// The blocks of events that it has looked into.
    pub fn reads(&self) -> &BlockReads {
        &self.reads
    }

    /// Is its time over, and does somebody still wait?
    fn is_late(&self) -> bool {
        self.history.is_late() && !self.history.cancelled().load(Ordering::Relaxed)
    }

    /// Runs it; each row is handed over as it is found. Returns what the answer does not tell, for people.
    ///
    /// # Errors
    /// When what a parameter names is not there, the recording cannot be read, or `take` fails.
    pub fn run(&self, take: &mut dyn FnMut(Row) -> Result<()>) -> Result<Vec<String>> {
        let ask = Ask {
            history: &self.history,
            span: self.span,
            parameters: &self.parameters,
            notes: Rc::default(),
            lost: Rc::default(),
        };
        match (self.query.run)(&ask, take) {
            Err(Error::Cancelled | Error::History(HistoryError::Cancelled)) if self.is_late() => {
                Err(Error::Late)
            }
            ran => ran.map(|()| ask.notes.take()),
        }
    }
}

fn takes(parameters: &[Parameter]) -> String {
    match parameters {
        [] => "none".to_owned(),
        all => all.iter().map(|p| p.name).collect::<Vec<_>>().join(", "),
    }
}

/// A query that runs.
#[derive(Clone, Debug)]
pub(crate) struct Ask<'a> {
    pub(crate) history: &'a History,
    pub(crate) span: Span,
    parameters: &'a [(&'static str, String)],
    notes: Rc<RefCell<Vec<String>>>,
    /// What is damaged, or cut off, of what was looked for.
    lost: Rc<RefCell<Option<String>>>,
}

impl Ask<'_> {
    /// The same about another part of the history.
    pub(crate) fn within(&self, span: Span) -> Self {
        Self {
            span,
            ..self.clone()
        }
    }

    /// A parameter, if it was given.
    pub(crate) fn given(&self, name: &str) -> Option<&str> {
        let mut parameters = self.parameters.iter();
        let found = parameters.find(|(known, _)| *known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// A parameter that must be given; that it is was looked at before.
    pub(crate) fn needed(&self, name: &str) -> &str {
        self.given(name).unwrap_or_default()
    }

    /// Is a flag set?
    pub(crate) fn flag(&self, name: &'static str) -> Result<bool> {
        match self.given(name) {
            None | Some("false") => Ok(false),
            Some("true" | "") => Ok(true),
            Some(given) => Err(wrong(name, given, "it is true or false")),
        }
    }

    /// Says something behind the rows, once.
    pub(crate) fn note(&self, note: impl Into<String>) {
        let note = note.into();
        let mut notes = self.notes.borrow_mut();
        if !notes.contains(&note) {
            notes.push(note);
        }
    }

    /// Says what an error is about, where an answer can do without what is damaged or cut off.
    pub(crate) fn without(&self, error: Error) -> Result<()> {
        let lost = error.damage().map(|damage| {
            let events = damage.lost_events();
            events.unwrap_or_else(|| damage.to_string())
        });
        let Some(lost) = lost else {
            return Err(error);
        };
        self.lost.borrow_mut().get_or_insert_with(|| lost.clone());
        self.note(lost);
        Ok(())
    }

    /// What was read; nothing where that is damaged, or cut off: the answer does without it, and says so.
    pub(crate) fn readable<T>(&self, read: Result<T, jhyde_store::Error>) -> Result<Option<T>> {
        match read {
            Ok(read) => Ok(Some(read)),
            Err(error) => self.without(error.into()).map(|()| None),
        }
    }

    /// What the answer does without, as far as it has been looked for.
    pub(crate) fn lost(&self) -> Option<String> {
        self.lost.borrow().clone()
    }

    /// Says what of the span is hidden.
    pub(crate) fn note_hidden(&self) -> Result<()> {
        for note in self.history.hidden_notes(self.span.range())? {
            self.note(note);
        }
        if self.span.to_the_end
            && let Some(note) = self.history.end_note()
        {
            self.note(note);
        }
        Ok(())
    }

    /// A time at which something is asked for: the parameter, or the end of the span.
    pub(crate) fn time(&self, name: &'static str) -> Result<Timestamp> {
        let Some(given) = self.given(name) else {
            if self.span.until.0 == 0 {
                return Err(wrong(name, "", "nothing has happened yet"));
            }
            return Ok(self.span.last());
        };
        self.event(name, given)
    }

    fn event(&self, name: &'static str, given: &str) -> Result<Timestamp> {
        let number: u64 = given
            .parse()
            .map_err(|_| wrong(name, given, "events are numbered from 0"))?;
        match self.span.contains(Timestamp(number)) {
            true => Ok(Timestamp(number)),
            false => Err(wrong(
                name,
                given,
                format!(
                    "the history that is asked about has the events {} to {}",
                    self.span.from,
                    self.span.last()
                ),
            )),
        }
    }

    /// The parameter `EVENT`: a timestamp, or a call, which stands for its beginning.
    pub(crate) fn the_event(&self) -> Result<Timestamp> {
        let given = self.needed("event");
        if given.contains(['#', '.']) {
            let call = self.history.resolve_call(given)?;
            let enter = self.record(call)?.enter;
            return self.event("event", &enter.to_string());
        }
        self.event("event", given)
    }

    pub(crate) fn record(&self, call: CallId) -> Result<CallRecord> {
        if call.is_root() {
            return Err(jhyde_history::Error::Root(call).into());
        }
        Ok(self.history.recording().call(call)?)
    }

    /// A call with names and values, as it was at the end of the span.
    pub(crate) fn call(&self, call: CallId) -> Result<CallView> {
        self.span.call(self.history, self.record(call)?)
    }

    /// The same as a cell; the root of a thread is none.
    pub(crate) fn call_cell(&self, call: CallId) -> Result<Cell> {
        match call.is_root() {
            true => Ok(Cell::Null),
            false => Ok(Cell::Call(Arc::new(self.call(call)?))),
        }
    }

    /// Where something happened in a call.
    pub(crate) fn place_cell(&self, call: CallId, index: u32) -> Result<Cell> {
        if call.is_root() {
            return Ok(Cell::Null);
        }
        let method = self.record(call)?.method;
        let place = self.history.instruction(method, index)?;
        Ok(Cell::or_null(place, Cell::Place))
    }

    /// The call that encloses an event: of the beginning and the end of a call that is its caller. Of what happens
    /// outside of all calls it is the thread's root.
    pub(crate) fn enclosing(&self, at: Timestamp) -> Result<CallId> {
        let event = self.history.recording().event(at)?.event;
        Ok(match event.kind {
            EventKind::Enter { .. } | EventKind::Exit { .. } => self.record(event.call)?.parent,
            _ => event.call,
        })
    }

    /// The classes that go by a name.
    pub(crate) fn classes(
        &self,
        parameter: &'static str,
        name: &str,
    ) -> Result<Vec<Arc<ClassInfo>>> {
        let recording = self.history.recording();
        let mut found = Vec::new();
        let mut all = Vec::new();
        for id in recording.classes() {
            let Some(class) = recording.class(id)? else {
                continue;
            };
            if jhyde_history::text::is_called(&class.name, name) {
                found.push(class);
            } else {
                all.push(class.name.clone());
            }
        }
        // A whole name is meant before the end of a longer one.
        if found.iter().any(|class| class.name == name) {
            found.retain(|class| class.name == name);
        }
        match (found.is_empty(), recording.lost_classes()) {
            (false, _) => Ok(found),
            (true, Some(lost)) => Err(lost.into()),
            (true, None) => Err(Error::NoSuchName {
                parameter,
                what: "the class",
                name: name.to_owned(),
                nearest: nearest(name, all.iter().map(String::as_str)),
            }),
        }
    }

    /// The methods that go by a name.
    pub(crate) fn methods(&self, parameter: &'static str, name: &str) -> Result<Vec<MethodRef>> {
        let found = self.history.methods(name)?;
        if !found.is_empty() {
            return Ok(found);
        }
        let recording = self.history.recording();
        let mut all = Vec::new();
        for id in recording.classes() {
            if let Some(class) = recording.class(id)? {
                let names = class.methods.iter();
                all.extend(names.map(|method| format!("{}.{}", class.name, method.name)));
            }
        }
        Err(Error::NoSuchName {
            parameter,
            what: "the method",
            name: name.to_owned(),
            nearest: nearest(name, all.iter().map(String::as_str)),
        })
    }

    /// The parameter `OBJECT`: `object#12`, `array#3`, `list#7`, or its number.
    pub(crate) fn the_object(&self) -> Result<ObjectId> {
        let given = self.needed("object");
        let number = given.rsplit_once('#').map_or(given, |(_, number)| number);
        let number: u64 = number.parse().map_err(|_| {
            wrong(
                "object",
                given,
                "an object is written object#12, array#3, list#7, or by its number",
            )
        })?;
        match self.history.recording().object(ObjectId(number))? {
            Some(_) => Ok(ObjectId(number)),
            None => Err(jhyde_history::Error::NoSuchObject(number).into()),
        }
    }

    /// The first call of a method that is kept, by number, that was entered at or behind a time.
    pub(crate) fn first_call(&self, method: MethodId, at: Timestamp) -> Result<u64> {
        let recording = self.history.recording();
        loop {
            let from = at.max(recording.kept_from());
            match recording.invocation_at(method, from) {
                // More was cut off just now.
                Err(error) if error.cut_off().is_some() && recording.kept_from() > from => {}
                // All of them were cut off, or there are none.
                Err(error) if error.cut_off().is_some() => return Ok(0),
                number => return Ok(number?),
            }
        }
    }

    /// The calls of a method that were entered in the span, in the order of time; an error in place of those that a damaged block has.
    pub(crate) fn calls_of(
        &self,
        method: MethodId,
    ) -> Result<impl Iterator<Item = Result<CallRecord>> + use<>> {
        let readable = |number: Result<u64>, or: u64| match number {
            Err(error) if error.damage().is_some() => Ok(or),
            number => number,
        };
        let first = readable(self.first_call(method, self.span.from), 0)?;
        let end = readable(self.first_call(method, self.span.until), u64::MAX)?;
        let (span, recording) = (self.span, self.history.recording());
        let calls = recording.numbered_calls_of(method, first..end);
        Ok(calls.filter_map(move |call| match call {
            // Which of them are of the span was not to be told by their numbers, where a block is damaged.
            Ok(call) => span.contains(call.enter).then_some(Ok(call)),
            Err(error) => Some(Err(error.into())),
        }))
    }

    /// The calls that had begun before the span, or what is kept of it, and had not ended there.
    pub(crate) fn calls_that_ran_on(&self) -> Result<Vec<CallRecord>> {
        let recording = self.history.recording();
        let from = self.span.from.max(recording.kept_from());
        let mut found = Vec::new();
        if from.0 == 0 {
            return Ok(found);
        }
        for thread in recording.thread_ids() {
            self.history.check()?;
            // They enclose the first that the thread does in it; of a thread that does nothing there is nothing to tell.
            let mut does =
                recording.events(from..self.span.until, Some(thread), Direction::Forward);
            let mut next = does.find_map(|event| {
                let event = self.readable(event).transpose()?;
                Some(event.map(|event| event.event.call))
            });
            while let Some(call) = next.take().transpose()?.filter(|call| !call.is_root()) {
                match recording.call(call) {
                    // Nor can those around it be found.
                    Err(error) => self.without(error.into())?,
                    Ok(record) => {
                        next = Some(Ok(record.parent));
                        if record.enter < from {
                            found.push(record);
                        }
                    }
                }
            }
        }
        found.sort_by_key(|call| call.enter);
        Ok(found)
    }

    /// Is all told that the program did, from its start on?
    pub(crate) fn is_from_the_start(&self) -> bool {
        let recording = self.history.recording();
        recording.meta().is_launched() && recording.kept_from() == Timestamp(0)
    }

    /// The class of an object, as far as it is known.
    pub(crate) fn class_of(&self, object: ObjectId) -> Result<Option<ClassId>> {
        match self.history.recording().object(object) {
            Err(jhyde_store::Error::Damaged { .. }) => Ok(None),
            found => Ok(found?.and_then(|info| info.class)),
        }
    }
}

/// A parameter that is not written right.
pub(crate) fn wrong(parameter: &'static str, given: &str, reason: impl Into<String>) -> Error {
    Error::Parameter {
        parameter,
        given: shown(given).into_owned(),
        reason: reason.into(),
    }
}
