//! The walk over all events that writes the facts.

use std::io::Write;
use std::sync::Arc;

use jhyde_history::History;
use jhyde_store::records::{Direction, ExceptionKind, MethodRef, TimedEvent};
use jhyde_trace::{
    CallId, ClassId, ClassInfo, Content, Event, EventKind, Local, MethodId, ObjectId, Outcome,
    ThreadId, Timestamp, Value, Variable,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::landings::Landings;
use super::terms::{Atom, Units, real};
use super::{Options, gone};
use crate::error::Result;
use crate::flight;
use crate::span::Span;

/// A call that runs.
struct Running {
    id: CallId,
    method: Option<MethodRef>,
    /// The number of its `methodcall`; none for a call that is not told of.
    told: Option<u64>,
    receiver: String,
    /// What its locals hold, by the entries of the method's table.
    locals: FxHashMap<u16, Value>,
    /// The line that it is on.
    line: Option<u32>,
    /// The instruction that it was at last.
    index: u32,
}

/// See the module.
pub(super) struct Walk<'a> {
    pub(super) history: &'a History,
    span: Span,
    pub(super) options: Options,
    out: &'a mut dyn Write,
    next: u64,
    running: FxHashMap<ThreadId, Vec<Running>>,
    /// Classes of which their fields were told.
    pub(super) met: FxHashSet<ClassId>,
    /// Objects of which their class and text was told.
    known: FxHashSet<ObjectId>,
    /// Exceptions on their way, told when they were thrown, and the calls in which they were seen last.
    flying: FxHashMap<(ThreadId, Value), CallId>,
    landings: Landings,
    methods: FxHashMap<MethodId, Option<MethodRef>>,
}

impl<'a> Walk<'a> {
    pub(super) fn new(
        history: &'a History,
        span: Span,
        options: Options,
        out: &'a mut dyn Write,
    ) -> Self {
        Self {
            history,
            span,
            options,
            out,
            next: 0,
            running: FxHashMap::default(),
            met: FxHashSet::default(),
            known: FxHashSet::default(),
            flying: FxHashMap::default(),
            landings: Landings::new(history, span),
            methods: FxHashMap::default(),
        }
    }

    /// How many events were told.
    pub(super) fn events(&self) -> u64 {
        self.next
    }

    pub(super) fn all(&mut self) -> Result<()> {
        self.line(":- discontiguous event/3, at/2, text/2, cut/2, left/3, extends/2, declares/2, hidden/2, notrecorded/2.")?;
        let events = self
            .history
            .recording()
            .events(self.span.range(), None, Direction::Forward);
        for event in events {
            self.history.check()?;
            match event {
                Ok(event) => self.event(&event)?,
                Err(ref error @ jhyde_store::Error::Damaged { from, .. }) => {
                    let why = error.lost_events().unwrap_or_else(|| error.to_string());
                    self.line(&format!("notrecorded({from}, {}).", Atom(&why)))?;
                }
                Err(error) => return Err(error.into()),
            }
        }
        if let Some(note) = self.history.end_note() {
            self.line(&format!(
                "notrecorded({}, {}).",
                self.span.until,
                Atom(&note)
            ))?;
        }
        Ok(())
    }

    pub(super) fn line(&mut self, text: &str) -> Result<()> {
        writeln!(self.out, "{text}").map_err(gone)
    }

    /// Tells an event, and of the event of the recording that it is. Returns its number.
    pub(super) fn tell(&mut self, thread: ThreadId, at: Timestamp, term: &str) -> Result<u64> {
        let id = self.next;
        self.next += 1;
        let name = self.thread_name(thread)?;
        self.line(&format!("event({id}, {}, {term}).", Atom(&name)))?;
        self.line(&format!("at({id}, {at})."))?;
        Ok(id)
    }

    fn thread_name(&self, thread: ThreadId) -> Result<String> {
        let info = self.history.recording().thread(thread)?;
        Ok(info.map_or_else(|| format!("thread {thread}"), |info| info.name))
    }

    fn group(&self, thread: ThreadId) -> Result<String> {
        let info = self.history.recording().thread(thread)?;
        Ok(info.and_then(|info| info.group).unwrap_or_default())
    }

    fn method(&mut self, id: MethodId) -> Result<Option<MethodRef>> {
        if let Some(known) = self.methods.get(&id) {
            return Ok(known.clone());
        }
        let method = self.history.recording().method(id)?;
        self.methods.insert(id, method.clone());
        Ok(method)
    }

    /// `o('Class', 12)`; of a text it is told once what it is.
    fn object(&mut self, object: ObjectId) -> Result<String> {
        let recording = self.history.recording();
        let info = recording.object(object)?;
        let class = match info.as_ref().and_then(|info| info.class) {
            Some(class) => recording.class(class)?,
            None => None,
        };
        let name = class.map_or_else(|| "unknown".to_owned(), |class| class.name.clone());
        let term = format!("o({}, {object})", Atom(&name));
        if self.known.insert(object)
            && let Some(Content::String(text)) = info.map(|info| info.content)
        {
            let told = Units::of(&text).to_string();
            self.line(&format!("text({term}, {told})."))?;
            if text.is_cut() {
                self.line(&format!("cut({term}, {}).", text.length))?;
            }
        }
        Ok(term)
    }

    pub(super) fn value(&mut self, value: Value) -> Result<String> {
        Ok(match value {
            Value::Boolean(v) => format!("'{v}'"),
            Value::Byte(v) => v.to_string(),
            Value::Short(v) => v.to_string(),
            Value::Int(v) => v.to_string(),
            Value::Long(v) => v.to_string(),
            Value::Char(unit) => Units(&[unit]).to_string(),
            Value::Float(bits) => real(f32::from_bits(bits).into()),
            Value::Double(bits) => real(f64::from_bits(bits)),
            Value::Null => "'null'".to_owned(),
            Value::Object(object) => self.object(object)?,
            Value::Missing(_) => "'not recorded'".to_owned(),
        })
    }

    pub(super) fn values(&mut self, values: &[Value]) -> Result<String> {
        let mut terms = Vec::with_capacity(values.len());
        for value in values {
            terms.push(self.value(*value)?);
        }
        Ok(format!("[{}]", terms.join(", ")))
    }

    fn top(&mut self, thread: ThreadId) -> Option<&mut Running> {
        self.running.get_mut(&thread)?.last_mut()
    }

    fn event(&mut self, timed: &TimedEvent) -> Result<()> {
        let TimedEvent {
            timestamp: at,
            event,
        } = timed;
        let (at, thread) = (*at, event.thread());
        if !matches!(event.kind, EventKind::Enter { .. } | EventKind::Exit { .. })
            && !event.kind.is_found()
        {
            self.step(thread, at, event.index)?;
        }
        match &event.kind {
            EventKind::ThreadStart => {
                let term = format!("threadstart({})", Atom(&self.group(thread)?));
                self.tell(thread, at, &term)?;
            }
            EventKind::ThreadEnd => {
                let term = format!("threaddeath({})", Atom(&self.group(thread)?));
                self.tell(thread, at, &term)?;
            }
            EventKind::ClassPrepared { class } => {
                if let Some(class) = self.history.recording().class(*class)? {
                    self.meet(&class, thread, at)?;
                }
            }
            EventKind::Enter {
                method,
                receiver,
                arguments,
                call_site,
                boundary,
                ..
            } => {
                if *call_site != Event::NO_INDEX {
                    self.step(thread, at, *call_site)?;
                }
                let method = self.method(*method)?;
                if let Some(method) = &method {
                    self.meet(&method.class, thread, at)?;
                }
                self.enter(event.call, method, *receiver, arguments, *boundary, at)?;
            }
            EventKind::Exit { outcome } => self.exit(event.call, *outcome, at)?,
            EventKind::Write { variable, value } => self.write(thread, *variable, *value, at)?,
            // What nobody writes, such as a constant, was found.
            EventKind::Snapshot { variable, value }
                if self.options.defaults && matches!(variable, Variable::Static { .. }) =>
            {
                self.write(thread, *variable, *value, at)?;
            }
            EventKind::Thrown { exception } if self.is_thrown_anew(event.call, *exception, at) => {
                self.exception(event.call, *exception, at)?;
            }
            EventKind::Caught { exception } | EventKind::Uncaught { exception } => {
                self.flying.remove(&(thread, *exception));
                self.landings.passed(thread, *exception, at);
            }
            EventKind::Gap { reason, .. } => {
                self.line(&format!("notrecorded({at}, {}).", Atom(reason)))?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Begins a flight where an exception was thrown? It may be told again in the calls that it arrives in.
    fn is_thrown_anew(&mut self, call: CallId, exception: Value, at: Timestamp) -> bool {
        let before = self.flying.insert((call.thread, exception), call);
        before.is_none_or(|before| {
            let recording = self.history.recording();
            let arrives = flight::arrives(recording, exception, before, at);
            arrives.is_ok_and(|arrives| arrives != call)
        })
    }

    /// A step, where the innermost call of a thread is on another line now, or jumped back.
    fn step(&mut self, thread: ThreadId, at: Timestamp, index: u32) -> Result<()> {
        let Some(call) = self.top(thread) else {
            return Ok(());
        };
        let (Some(method), Some(_)) = (call.method.clone(), call.told) else {
            return Ok(());
        };
        if index == Event::NO_INDEX {
            return Ok(());
        }
        let line = method.method().line_of(index);
        let is_new = line.is_some() && (line != call.line || index < call.index);
        call.index = index;
        if !is_new {
            return Ok(());
        }
        call.line = line;
        let variables = method.method().variables.iter().enumerate();
        let visible =
            variables.filter(|(_, variable)| variable.covers(index) && variable.name != "this");
        let mut shown = Vec::new();
        for (entry, variable) in visible {
            let entry = u16::try_from(entry).unwrap_or(u16::MAX);
            if let Some(value) = call.locals.get(&entry) {
                shown.push((variable.name.clone(), *value));
            }
        }
        let mut locals = Vec::new();
        for (name, value) in shown {
            locals.push(format!("lv({}, {})", Atom(&name), self.value(value)?));
        }
        let place = location(&method.class, line);
        let term = format!("step({place}, [{}])", locals.join(", "));
        self.tell(thread, at, &term)?;
        Ok(())
    }

    fn enter(
        &mut self,
        id: CallId,
        method: Option<MethodRef>,
        receiver: Option<Value>,
        arguments: &[Value],
        boundary: bool,
        at: Timestamp,
    ) -> Result<()> {
        let Some(method) = method else {
            self.push(id, None, None, String::new(), FxHashMap::default());
            return Ok(());
        };
        let of = match receiver {
            Some(receiver) => self.value(receiver)?,
            None => format!("c({})", Atom(&method.class.name)),
        };
        let info = method.method();
        let mut locals = FxHashMap::default();
        let slots = jhyde_history::text::parameter_slots(&info.descriptor, info.is_static());
        for (slot, value) in slots.iter().zip(arguments) {
            let entry = info
                .variables
                .iter()
                .position(|v| v.slot == *slot && v.start == 0);
            if let Some(entry) = entry.and_then(|entry| u16::try_from(entry).ok()) {
                locals.insert(entry, *value);
            }
        }
        let mut told = None;
        if !boundary || self.options.boundary {
            let given = self.values(arguments)?;
            let place = location(&method.class, info.lines.first().map(|entry| entry.line));
            let term = format!("methodcall({place}, {of}, {}, {given})", Atom(&info.name));
            told = Some(self.tell(id.thread, at, &term)?);
            for value in arguments {
                self.data_structure(id.thread, *value, &place, at)?;
            }
            if info.name == "<init>" && self.options.defaults && !boundary {
                self.defaults(&method, receiver, id.thread, &of, at)?;
            }
        }
        self.push(id, Some(method), told, of, locals);
        Ok(())
    }

    fn push(
        &mut self,
        id: CallId,
        method: Option<MethodRef>,
        told: Option<u64>,
        receiver: String,
        locals: FxHashMap<u16, Value>,
    ) {
        let call = Running {
            id,
            method,
            told,
            receiver,
            locals,
            line: None,
            index: 0,
        };
        self.running.entry(id.thread).or_default().push(call);
    }

    fn exit(&mut self, id: CallId, outcome: Outcome, at: Timestamp) -> Result<()> {
        let stack = self.running.entry(id.thread).or_default();
        let Some(call) = stack.pop_if(|call| call.id == id) else {
            return Ok(());
        };
        let (Some(method), Some(told)) = (call.method, call.told) else {
            return Ok(());
        };
        let info = method.method();
        let place = location(&method.class, info.lines.first().map(|entry| entry.line));
        let value = match outcome {
            Outcome::Threw(exception) => {
                let exception = self.value(exception)?;
                return self.line(&format!("left({told}, {exception}, {at})."));
            }
            Outcome::Returned(Some(value)) => value,
            Outcome::Returned(None) if info.descriptor.ends_with(")V") => {
                let term = format!(
                    "methodexit({told}, {place}, {}, {}, 'void')",
                    call.receiver,
                    Atom(&info.name)
                );
                self.tell(id.thread, at, &term)?;
                return Ok(());
            }
            Outcome::Returned(None) | Outcome::Unknown => {
                Value::Missing(jhyde_trace::Missing::Unreadable)
            }
        };
        let result = self.value(value)?;
        let term = format!(
            "methodexit({told}, {place}, {}, {}, {result})",
            call.receiver,
            Atom(&info.name)
        );
        self.tell(id.thread, at, &term)?;
        self.data_structure(id.thread, value, &place, at)
    }

    fn write(
        &mut self,
        thread: ThreadId,
        variable: Variable,
        value: Value,
        at: Timestamp,
    ) -> Result<()> {
        let (of, field) = match variable {
            Variable::Local {
                call,
                local: Local::Named(entry),
            } => {
                if let Some(running) = self.top(thread).filter(|running| running.id == call) {
                    running.locals.insert(entry, value);
                }
                return Ok(());
            }
            Variable::Field { object, field } => (Some(object), field),
            Variable::Static { field } => (None, field),
            _ => return Ok(()),
        };
        let Some(field) = self.history.recording().field(field)? else {
            return Ok(());
        };
        self.meet(&field.class, thread, at)?;
        let hides = match of {
            Some(object) => self.hides(object, field.class.id, &field.field().name)?,
            None => false,
        };
        let of = match of {
            Some(object) => self.object(object)?,
            None => format!("c({})", Atom(&field.class.name)),
        };
        let place = self.here(thread);
        let shown = self.value(value)?;
        let term = format!(
            "setfield({place}, {of}, {}, {shown})",
            Atom(&field.field().name)
        );
        let number = self.tell(thread, at, &term)?;
        if hides {
            self.line(&format!("hidden({number}, {}).", Atom(&field.class.name)))?;
        }
        self.data_structure(thread, value, &place, at)
    }

    /// Where a thread is.
    fn here(&mut self, thread: ThreadId) -> String {
        match self.top(thread) {
            Some(Running {
                method: Some(method),
                index,
                ..
            }) => location(&method.class, method.method().line_of(*index)),
            _ => nowhere(),
        }
    }

    fn exception(&mut self, call: CallId, exception: Value, at: Timestamp) -> Result<()> {
        let place = self.here(call.thread);
        let recording = Arc::clone(self.history.recording());
        let landing = self.landings.of(self.history, call, exception, at)?;
        let landing = match landing.map(|event| (event, event.kind)) {
            Some((_, ExceptionKind::Uncaught)) => "uncaught".to_owned(),
            Some((event, ExceptionKind::Caught)) => {
                let method = self.method(recording.call(event.call)?.method)?;
                method.map_or_else(nowhere, |method| {
                    location(&method.class, method.method().line_of(event.index))
                })
            }
            _ => nowhere(),
        };
        let thrown = match exception {
            Value::Object(object) => recording.object(object)?.map(|info| info.content),
            _ => None,
        };
        let message = match &thrown {
            Some(Content::Throwable(thrown)) => thrown.message.as_ref(),
            _ => None,
        };
        let told = match (&thrown, message) {
            (_, Some(message)) => Units::of(message).to_string(),
            (Some(Content::Throwable(_)), None) => "'null'".to_owned(),
            _ => "'not recorded'".to_owned(),
        };
        let term = format!(
            "exception({place}, {}, {told}, {landing})",
            self.value(exception)?
        );
        let number = self.tell(call.thread, at, &term)?;
        if let Some(message) = message.filter(|message| message.is_cut()) {
            self.line(&format!("cut({number}, {}).", message.length))?;
        }
        Ok(())
    }
}

/// The place of what has none that is known.
fn nowhere() -> String {
    "l('', 0)".to_owned()
}

/// `l('File.java', 12)`; 0 where the line is not known.
pub(super) fn location(class: &ClassInfo, line: Option<u32>) -> String {
    let file = class.source_file.as_deref().unwrap_or(&class.name);
    format!("l({}, {})", Atom(file), line.unwrap_or(0))
}
