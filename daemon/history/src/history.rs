//! [`History`]: a recording, and how its calls, values and places are put in words.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use jhyde_store::records::{Arguments, CallRecord, Direction, MethodRef};
use jhyde_store::{BlockReads, Recording};
use jhyde_trace::{
    CallId, ClassInfo, Content, ContentKey, Event, EventKind, FieldId, Level, Local, MethodId,
    MethodInfo, Missing, Outcome, ThreadId, Timestamp, Value, Variable,
};

use crate::contents::Cache;
use crate::deadline::Deadline;
use crate::error::{Error, Result};
use crate::events::Outlines;
use crate::objects::DAMAGED;
use crate::snapshots::Shots;
use crate::text::{parameter_slots, parameters, result, type_name};
use crate::view::{
    ArgumentView, CallValues, CallView, EventKindView, EventView, ObjectView, OutcomeView,
    PlaceView, ValueView, WriteView,
};

/// Questions about one recording, finished or running. Cheap to make; make one per request.
#[derive(Clone, Debug)]
pub struct History {
    pub(crate) recording: Arc<Recording>,
    /// The level that was asked for; which is in force, and where, see [`History::levels`].
    pub(crate) asked: Level,
    /// Was the JVM recorded from its first instruction on, because jhyde started it?
    pub(crate) from_the_start: bool,
    /// Outlines of event lists, shared by the questions to all recordings where they outlive a question.
    pub(crate) outlines: Arc<Outlines>,
    /// What objects of the JDK held, as far as this question has found it out.
    pub(crate) contents: Arc<Cache>,
    /// What was found at beginnings and ends of calls, as far as this question has read it.
    pub(crate) shots: Arc<Shots>,
    /// Set when nobody waits for the answer any more.
    pub(crate) cancelled: Arc<AtomicBool>,
    /// From then on nobody waits, either.
    pub(crate) deadline: Deadline,
}

impl History {
    /// Questions about this recording.
    pub fn new(recording: Arc<Recording>) -> Self {
        let meta = recording.meta();
        let from_the_start = meta.jvm.is_some_and(|jvm| !jvm.command.is_empty());
        Self {
            asked: meta.options.level,
            recording,
            from_the_start,
            outlines: Arc::default(),
            contents: Arc::default(),
            shots: Arc::default(),
            cancelled: Arc::default(),
            deadline: Deadline::default(),
        }
    }

    /// The same with outlines of event lists that outlive this value.
    #[must_use]
    pub fn with_outlines(mut self, outlines: Arc<Outlines>) -> Self {
        self.outlines = outlines;
        self
    }

    /// The same, and its long questions end with [`Error::Cancelled`] once the flag is set.
    #[must_use]
    pub fn cancelled_by(mut self, flag: Arc<AtomicBool>) -> Self {
        self.cancelled = flag;
        self
    }

    /// The same, and its long questions end so from this moment on, too.
    #[must_use]
    pub fn ending_at(mut self, deadline: Option<Instant>) -> Self {
        self.deadline = Deadline::new(deadline);
        self
    }

    /// The same; the blocks that its questions look into are counted.
    #[must_use]
    pub fn counting(mut self, reads: Arc<BlockReads>) -> Self {
        self.recording = Arc::new(self.recording.counting(reads));
        self
    }

    /// Is that moment over?
    pub fn is_late(&self) -> bool {
        self.deadline.is_over()
    }

    /// Set when nobody waits for the answer any more.
    pub fn cancelled(&self) -> &AtomicBool {
        &self.cancelled
    }

    /// The recording.
    pub fn recording(&self) -> &Arc<Recording> {
        &self.recording
    }

    /// The last event so far.
    pub(crate) fn last_event(&self) -> Timestamp {
        Timestamp(self.recording.end().0.saturating_sub(1))
    }

    /// A real call; the root of a thread is none.
    pub(crate) fn record(&self, call: CallId) -> Result<CallRecord> {
        if call.is_root() {
            return Err(Error::Root(call));
        }
        Ok(self.recording.call(call)?)
    }

    /// A method; `None` where the recording does not describe it, or no more.
    pub(crate) fn method(&self, id: MethodId) -> Result<Option<MethodRef>> {
        unless_lost(self.recording.method(id))
    }

    /// The method that a call runs; `None` for roots, and where the recording does not describe it.
    pub(crate) fn method_of(&self, call: CallId) -> Result<Option<MethodRef>> {
        if call.is_root() {
            return Ok(None);
        }
        match unless_lost(self.recording.call(call).map(Some))? {
            Some(call) => self.method(call.method),
            None => Ok(None),
        }
    }

    pub(crate) fn thread_name(&self, thread: ThreadId) -> Result<String> {
        let info = unless_lost(self.recording.thread(thread))?;
        Ok(info.map_or_else(|| format!("thread {thread}"), |info| info.name))
    }

    /// A value with its object's class and content.
    ///
    /// # Errors
    /// When the recording cannot be read.
    pub fn value(&self, value: Value) -> Result<ValueView> {
        Ok(match value {
            Value::Null => ValueView::Null,
            Value::Missing(why) => ValueView::NotRecorded(self.why_missing(why).to_owned()),
            Value::Object(id) => {
                let info = match self.recording.object(id) {
                    // It may be a text, or anything: that it has nothing inside would be a guess.
                    Err(jhyde_store::Error::Damaged { .. }) => {
                        return Ok(ValueView::NotRecorded(format!(
                            "the description of object#{id} is damaged"
                        )));
                    }
                    info => info?,
                };
                let class = match info.as_ref().and_then(|info| info.class) {
                    Some(class) => unless_lost(self.recording.class(class))?,
                    None => None,
                };
                let class = class.map(|class| class.name.clone());
                let content = info.map_or(Content::None, |info| info.content);
                let content = self.with_place(content)?;
                ValueView::Object(ObjectView {
                    id,
                    class: class.unwrap_or_default(),
                    shown: self.shown(id, &content)?,
                    content,
                    held: None,
                    made_at: Vec::new(),
                })
            }
            primitive => ValueView::Primitive(primitive),
        })
    }

    pub(crate) fn why_missing(&self, why: Missing) -> &'static str {
        match why {
            Missing::Level if !self.levels().facts().is_empty() => {
                "the level in force there does not record it"
            }
            Missing::Level => match self.asked {
                Level::Calls => "level calls does not record it",
                Level::State => "level state does not record it",
                Level::Full => "it was not seen",
            },
            Missing::Native => "it lies in a native frame",
            Missing::BeforeRecording => "it was set before the recording began",
            Missing::Unreadable => "the JVM did not tell it",
            Missing::Doubted => "what was told of it may be false: see the notes of the recording",
            Missing::Unseen => "code out of the scope may have written it, which nobody saw",
        }
    }

    /// A call with names; receiver, arguments and end only `with_values`.
    ///
    /// # Errors
    /// When the recording cannot be read.
    pub fn call(&self, record: CallRecord, with_values: bool) -> Result<CallView> {
        let method = self.method(record.method)?;
        let values = match with_values {
            true => Some(self.call_values(&record, method.as_ref())?),
            false => None,
        };
        let (class, name, descriptor, line, source_file) = match &method {
            Some(method) => {
                let info = method.method();
                (
                    method.class.name.clone(),
                    info.name.clone(),
                    info.descriptor.clone(),
                    first_line(info),
                    method.class.source_file.clone().unwrap_or_default(),
                )
            }
            None => (
                String::new(),
                format!("method#{}", record.method),
                String::new(),
                None,
                String::new(),
            ),
        };
        let call_site = match self.method_of(record.parent)? {
            Some(parent) if parent.class.in_scope => Some(place(&parent, record.call_site)),
            _ => None,
        };
        Ok(CallView {
            lowered: self.level_notes(&record)?,
            record,
            class,
            method: name,
            descriptor,
            line,
            source_file,
            call_site,
            recording_ended: record.exit.is_none() && self.has_ended(),
            thread_name: self.thread_name(record.id.thread)?,
            values,
            changed: Vec::new(),
        })
    }

    /// What a boundary call changed, as far as it was seen: contents as they were at its end, variables as they
    /// were written, each once.
    fn changed_by(&self, record: &CallRecord) -> Result<Vec<WriteView>> {
        /// So many are told, and so many events are looked at for them.
        const MOST: usize = 8;
        const MOST_EVENTS: usize = 1000;
        let end = record.exit.unwrap_or_else(|| self.last_event());
        let range = record.enter..Timestamp(end.0.saturating_add(1));
        let mut changed: Vec<(Variable, Value)> = Vec::new();
        let events = self
            .recording
            .own_events(record.id, range, Direction::Forward);
        for own in events.take(MOST_EVENTS) {
            let own = match own {
                Err(jhyde_store::Error::Damaged { .. }) => continue,
                own => own?,
            };
            let (variable, value) = match own.event.kind {
                EventKind::Write { variable, value } => (variable, value),
                EventKind::Content {
                    object,
                    snapshot: false,
                    ..
                } => {
                    let key = ContentKey::All;
                    (Variable::Content { object, key }, Value::Object(object))
                }
                _ => continue,
            };
            if let Some((_, last)) = changed.iter_mut().find(|(known, _)| *known == variable) {
                *last = value;
            } else if changed.len() < MOST {
                changed.push((variable, value));
            }
        }
        changed
            .into_iter()
            .map(|(variable, value)| self.write(record.parent, variable, value, end))
            .collect()
    }

    /// What a call was given; nothing where a damaged block has it.
    pub(crate) fn given(&self, record: &CallRecord) -> Result<Arguments> {
        Ok(self.given_unless_lost(record)?.unwrap_or_default())
    }

    /// The same; `None` where a damaged block has it, or it was cut off: then a call without a receiver may have had one.
    pub(crate) fn given_unless_lost(&self, record: &CallRecord) -> Result<Option<Arguments>> {
        match self.recording.arguments(record) {
            Err(jhyde_store::Error::Damaged { .. }) => Ok(None),
            given => Ok(Some(given?)),
        }
    }

    fn call_values(&self, record: &CallRecord, method: Option<&MethodRef>) -> Result<CallValues> {
        let given = self.given_unless_lost(record)?;
        let has_receiver = method.is_some_and(|method| !method.method().is_static());
        let is_lost = given.is_none() && has_receiver;
        let given = given.unwrap_or_default();
        let receiver = match given.receiver {
            None if is_lost => Some(ValueView::NotRecorded(DAMAGED.to_owned())),
            receiver => receiver
                .map(|value| self.value_at(value, record.enter))
                .transpose()?,
        };
        let mut arguments = Vec::new();
        let descriptor = method.map_or("", |method| method.method().descriptor.as_str());
        let types = parameters(descriptor);
        for position in 0..types.len().max(given.arguments.len()) {
            let value = match given.arguments.get(position) {
                Some(value) => self.value_at(*value, record.enter)?,
                None => {
                    ValueView::NotRecorded("the arguments of this call were not seen".to_owned())
                }
            };
            arguments.push(ArgumentView {
                name: method
                    .and_then(|method| parameter(method.method(), position))
                    .map_or_else(|| format!("arg{position}"), |(_, name)| name),
                type_name: types
                    .get(position)
                    .map(|t| type_name(t))
                    .unwrap_or_default(),
                value,
            });
        }
        let outcome = match self.recording.outcome(record) {
            Ok(None) => OutcomeView::None,
            Ok(Some(outcome)) => {
                let at = record.exit.unwrap_or_else(|| self.last_event());
                self.outcome(outcome, descriptor, at)?
            }
            Err(jhyde_store::Error::Damaged { .. }) => {
                OutcomeView::Returned(ValueView::NotRecorded(DAMAGED.to_owned()))
            }
            Err(error) => return Err(error.into()),
        };
        Ok(CallValues {
            receiver,
            arguments,
            outcome,
        })
    }

    pub(crate) fn outcome(
        &self,
        outcome: Outcome,
        descriptor: &str,
        at: Timestamp,
    ) -> Result<OutcomeView> {
        Ok(match outcome {
            Outcome::Returned(Some(value)) => OutcomeView::Returned(self.value_at(value, at)?),
            Outcome::Returned(None) if matches!(result(descriptor), "V" | "") => {
                OutcomeView::Returned(ValueView::Void)
            }
            Outcome::Returned(None) => OutcomeView::Returned(ValueView::NotRecorded(
                "the result of this call was not seen".to_owned(),
            )),
            Outcome::Threw(exception) => OutcomeView::Threw(self.value_at(exception, at)?),
            Outcome::Unknown => OutcomeView::Returned(ValueView::NotRecorded(
                "how this call ended was not seen".to_owned(),
            )),
        })
    }

    /// The call that is written so: see [`crate::reference`].
    ///
    /// # Errors
    /// When no such call is there, or it is not written right.
    pub fn call_named(&self, reference: &str, with_values: bool) -> Result<CallView> {
        let id = self.resolve_call(reference)?;
        self.call(self.record(id)?, with_values)
    }

    /// Where something happened in a call; `None` in a thread's root.
    pub(crate) fn place_in(&self, call: CallId, index: u32) -> Result<Option<PlaceView>> {
        Ok(self.method_of(call)?.map(|method| place(&method, index)))
    }

    /// An event with names. Where a damaged block would tell these, that is what it says.
    ///
    /// # Errors
    /// When the recording cannot be read.
    pub fn event(&self, timestamp: Timestamp, event: &Event) -> Result<EventView> {
        match self.event_in_words(timestamp, event) {
            Err(Error::Store(error @ jhyde_store::Error::Damaged { .. })) => Ok(EventView {
                timestamp,
                call: Some(event.call),
                place: None,
                kind: EventKindView::Unreadable(format!(
                    "what happened here cannot be told: {error}"
                )),
                notes: Vec::new(),
            }),
            told => told,
        }
    }

    fn event_in_words(&self, timestamp: Timestamp, event: &Event) -> Result<EventView> {
        let call = event.call;
        let kind = match &event.kind {
            EventKind::ThreadStart => EventKindView::ThreadStart(self.thread_name(call.thread)?),
            EventKind::ThreadEnd => EventKindView::ThreadEnd(self.thread_name(call.thread)?),
            EventKind::ClassPrepared { class } => EventKindView::ClassPrepared(
                self.recording
                    .class(*class)?
                    .map_or_else(|| format!("class#{class}"), |c| c.name.clone()),
            ),
            EventKind::Enter { .. } => {
                let record = self.record(call)?;
                let mut view = self.call(record, true)?;
                if record.boundary {
                    view.changed = self.changed_by(&record)?;
                }
                EventKindView::Enter(Box::new(view))
            }
            EventKind::Exit { .. } => {
                EventKindView::Exit(Box::new(self.call(self.record(call)?, true)?))
            }
            EventKind::New { object, .. } => {
                EventKindView::Created(self.value_at(Value::Object(*object), timestamp)?)
            }
            EventKind::Write { variable, value } => {
                EventKindView::Write(self.write(call, *variable, *value, timestamp)?)
            }
            EventKind::Snapshot { variable, value } => {
                EventKindView::Snapshot(self.write(call, *variable, *value, timestamp)?)
            }
            EventKind::Content { object, .. } => {
                EventKindView::Content(self.value_at(Value::Object(*object), timestamp)?)
            }
            EventKind::Use { variable } => EventKindView::Use(self.written_form(*variable)?),
            EventKind::Edge { from, to } => EventKindView::Edge {
                from: *from,
                to: *to,
            },
            EventKind::Thrown { exception } => {
                EventKindView::Thrown(self.value_at(*exception, timestamp)?)
            }
            EventKind::Caught { exception } => {
                EventKindView::Caught(self.value_at(*exception, timestamp)?)
            }
            EventKind::Uncaught { exception } => {
                EventKindView::Uncaught(self.value_at(*exception, timestamp)?)
            }
            EventKind::Monitor { action, object } => {
                EventKindView::Monitor(*action, self.value_at(Value::Object(*object), timestamp)?)
            }
            EventKind::Gap { reason, .. } => EventKindView::Gap(reason.clone()),
        };
        Ok(EventView {
            timestamp,
            call: Some(call),
            place: self.place_in(call, event.index)?,
            kind,
            notes: Vec::new(),
        })
    }

    fn write(
        &self,
        call: CallId,
        variable: Variable,
        value: Value,
        at: Timestamp,
    ) -> Result<WriteView> {
        Ok(WriteView {
            variable: self.written_form(variable)?,
            name: self.source_name(call, variable)?,
            value: self.value_at(value, at)?,
        })
    }

    /// How a variable is called in the source of a call: `a`, `this.size`, `Cls.COUNT`; by its object's
    /// number where the source would name it by something else.
    pub(crate) fn source_name(&self, call: CallId, variable: Variable) -> Result<String> {
        Ok(match variable {
            Variable::Local { call, local } => match self.method_of(call)? {
                Some(method) => local_name(method.method(), local),
                None => format!("{local:?}"),
            },
            Variable::Field { object, field } => {
                let name = self.field_name(field)?;
                let receiver = match call.is_root() {
                    true => None,
                    false => self.given(&self.recording.call(call)?)?.receiver,
                };
                match receiver.and_then(Value::object) == Some(object) {
                    true => format!("this.{name}"),
                    false => format!("object#{object}.{name}"),
                }
            }
            Variable::Static { field } => self.declared_field(field)?,
            Variable::Element { array, index } => format!("array#{array}[{index}]"),
            Variable::Content { object, key } => self.content_form(object, key)?,
            Variable::Return { .. } => "return".to_owned(),
            Variable::Exception { .. } => "exception".to_owned(),
        })
    }

    pub(crate) fn field_name(&self, field: FieldId) -> Result<String> {
        let info = unless_lost(self.recording.field(field))?;
        Ok(info.map_or_else(|| format!("field#{field}"), |f| f.field().name.clone()))
    }

    pub(crate) fn class_named(&self, name: &str) -> Result<Option<Arc<ClassInfo>>> {
        let mut found: Option<Arc<ClassInfo>> = None;
        for id in self.recording.classes_named(name) {
            if let Some(class) = self.recording.class(id)?
                && found
                    .as_ref()
                    .is_none_or(|found| !found.in_scope && class.in_scope)
            {
                found = Some(class);
            }
        }
        match (found, self.recording.lost_classes()) {
            (None, Some(lost)) => Err(lost.into()),
            (found, _) => Ok(found),
        }
    }
}

/// What only names something else: where it is lost, that goes by its number.
pub(crate) fn unless_lost<T>(found: jhyde_store::Result<Option<T>>) -> Result<Option<T>> {
    match found {
        Err(jhyde_store::Error::Damaged { .. }) => Ok(None),
        found => Ok(found?),
    }
}

/// The first source line of a method's code.
pub(crate) fn first_line(method: &MethodInfo) -> Option<u32> {
    method.lines.iter().map(|entry| entry.line).min()
}

/// A place in a method; [`Event::NO_INDEX`] is no index.
pub(crate) fn place(method: &MethodRef, index: u32) -> PlaceView {
    let info = method.method();
    let index = (index != Event::NO_INDEX).then_some(index);
    PlaceView {
        class: method.class.name.clone(),
        method: info.name.clone(),
        descriptor: info.descriptor.clone(),
        index,
        line: index.and_then(|index| info.line_of(index)),
        source_file: method.class.source_file.clone().unwrap_or_default(),
    }
}

/// The local that holds the parameter at a position, and its name: the entry of the variable table that begins
/// with the code in the parameter's slot, or the bare slot (then without a name: `None`).
pub(crate) fn parameter(method: &MethodInfo, position: usize) -> Option<(Local, String)> {
    let slot = *parameter_slots(&method.descriptor, method.is_static()).get(position)?;
    let entry = method
        .variables
        .iter()
        .position(|v| v.slot == slot && v.start == 0)?;
    let name = method.variables.get(entry)?.name.clone();
    Some((Local::Named(u16::try_from(entry).ok()?), name))
}

/// The position of the parameter that a local holds at the beginning, or `this`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bound {
    /// The receiver.
    This,
    /// The argument at this position.
    Argument(usize),
}

/// What the entry of a call binds to a local.
pub(crate) fn bound(method: &MethodInfo, local: Local) -> Option<Bound> {
    let slot = match local {
        Local::Slot(slot) => slot,
        Local::Named(entry) => {
            let entry = method.variables.get(usize::from(entry))?;
            if entry.start != 0 {
                return None;
            }
            entry.slot
        }
    };
    if slot == 0 && !method.is_static() {
        return Some(Bound::This);
    }
    let slots = parameter_slots(&method.descriptor, method.is_static());
    slots.iter().position(|s| *s == slot).map(Bound::Argument)
}

/// The name of a local in source; a bare slot is `@SLOT`.
pub(crate) fn local_name(method: &MethodInfo, local: Local) -> String {
    match local {
        Local::Named(entry) => match method.variables.get(usize::from(entry)) {
            Some(entry) => entry.name.clone(),
            None => format!("local#{entry}"),
        },
        Local::Slot(slot) => format!("@{slot}"),
    }
}
