//! Asking about one value of a call, where that decides as much as asking about the whole call and takes less looking.
//!
//! Somebody pointed at values W that were wrong when a call C ended, and the strategy would now ask about a call K inside of C. A
//! *value question* is asked instead if
//!
//! 1. whatever happened inside of K reached W through one variable V alone, as K left it: its result, or a field,
//!    element or static that was written inside or could have been ([`Flow::only_through`]);
//! 2. the value of V then is one that tells all of itself: a primitive, null, a string, a box, a constant of an enum;
//! 3. K yielded more than that value, so that judging it as a whole takes more looking. Counted are the result
//!    and the fields, statics and elements that were written while it ran ([`AskedValue::instead`]); what K was given has
//!    to be looked at in either case.
//!
//! The question is: *given what K was given, was this value right when K ended?* It is judged against what K was given, like the
//! question for the call: a right value may be made of wrong ones, and whoever made those stays suspicious.
//!
//! - `wrong`: K is invalid, for one of the values that it left is; V is what was pointed at. So all of pointing holds: a call inside
//!   of K that can be to blame for V is the buggy one, or K itself.
//! - `right`: K and all inside of it leave the suspicious set. Not because they are valid: K may have left other values wrong, and
//!   nothing is said of those. But by (1) they reached W through V alone. Were all of their mistakes mended, V would be what it is, for
//!   it is right; so W would still be wrong. Hence one of the other suspicious calls has a mistake that W came from. This
//!   holds as long as W is what is searched for: should another call be found invalid for another reason, K and what is inside of
//!   it are suspicious again.
//! - `unknown`: nothing follows. The call is asked as a whole.
//!
//! Nothing is asked so in recordings whose level tells no events, where nothing was pointed at, where no call could be cut away for
//! what was, beside other threads that read what the slice holds, and with strategies but `adaptive`: the order of the others is
//! a definition.

use std::sync::Arc;

use jhyde_history::History;
use jhyde_history::error::Result;
use jhyde_history::slice::flow::Flow;
use jhyde_store::records::{CallRecord, Direction};
use jhyde_trace::{CallId, Content, EventKind, Outcome, Timestamp, Value, Variable};
use rustc_hash::FxHashSet;

use crate::session::Session;

/// So many events of a call are looked at to count what it yielded.
const MOST_EVENTS: usize = 1 << 16;

/// What somebody says about one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It was right, given what the call was given.
    Right,
    /// It was not.
    Wrong,
    /// To be decided later.
    Unknown,
}

/// The one value that is asked about.
#[derive(Clone, Debug, PartialEq)]
pub struct AskedValue {
    /// The call that left it.
    pub call: CallId,
    /// The variable.
    pub variable: Variable,
    /// Its written form.
    pub form: String,
    /// What it held when the call ended.
    pub value: Value,
    /// When the call ended.
    pub at: Timestamp,
    /// So many values it yielded, which would be looked at instead.
    pub instead: u64,
    /// The position of the answer that pointed at what this value went into.
    pub(crate) of: usize,
}

/// What was pointed at last, and what reached it how: kept, since it takes a pass over the events.
#[derive(Debug, Default)]
pub(crate) struct Kept(Option<(CallId, Vec<String>, Arc<Flow>)>);

impl Kept {
    /// About how many bytes it takes.
    pub(crate) fn memory(&self) -> usize {
        self.0.as_ref().map_or(0, |(_, _, flow)| flow.memory())
    }

    fn flow(&mut self, history: &History, call: CallId, wrong: &[String]) -> Result<Arc<Flow>> {
        if let Some((of, forms, flow)) = &self.0
            && (*of, forms.as_slice()) == (call, wrong)
        {
            return Ok(Arc::clone(flow));
        }
        let variables = wrong.iter().map(|form| history.resolve_variable(form));
        let variables = variables.collect::<Result<Vec<_>>>()?;
        let (_, flow) = history.blame(call, &variables)?;
        let flow = Arc::new(flow);
        self.0 = Some((call, wrong.to_vec(), Arc::clone(&flow)));
        Ok(flow)
    }

    /// The value to ask about instead of a call, if there is one.
    pub(crate) fn instead_of(
        &mut self,
        history: &History,
        session: &Session,
        call: CallId,
    ) -> Result<Option<AskedValue>> {
        let answers = &session.kept().answers;
        let Some(of) = session
            .suspicious()
            .pointing()
            .filter(|_| answers.asks_values())
        else {
            return Ok(None);
        };
        let Some((given, Some(pointed))) = answers.pointed().nth(of) else {
            return Ok(None);
        };
        let recording = history.recording();
        let record = recording.call(call)?;
        let Some(at) = record.exit.filter(|_| call != given.call) else {
            return Ok(None);
        };
        let flow = self.flow(history, given.call, &pointed.wrong)?;
        let Some(variable) = flow.only_through(&record) else {
            return Ok(None);
        };
        let value = match variable {
            Variable::Return { .. } => match recording.outcome(&record)? {
                Some(Outcome::Returned(value)) => value,
                _ => None,
            },
            variable => recording.last_write(variable, at)?.map(|last| last.value),
        };
        let Some(value) = value else { return Ok(None) };
        if !tells_all(history, value)? {
            return Ok(None);
        }
        let form = history.written_form(variable)?;
        let instead = yielded(history, &record)?;
        let asked = AskedValue {
            call,
            variable,
            form,
            value,
            at,
            instead,
            of,
        };
        Ok((asked.instead > 1 && !answers.was_asked(call, &asked.form)).then_some(asked))
    }
}

/// Can it be judged by itself?
fn tells_all(history: &History, value: Value) -> Result<bool> {
    let Some(object) = value.object() else {
        return Ok(true);
    };
    let info = history.recording().object(object)?;
    Ok(info.is_some_and(|info| match info.content {
        Content::String(text) => !text.is_cut(),
        Content::Box(_) | Content::Enum(_) => true,
        _ => false,
    }))
}

/// How many values a call yielded: its result, and the fields, statics and elements that were written while it ran.
fn yielded(history: &History, record: &CallRecord) -> Result<u64> {
    let recording = history.recording();
    let outcome = recording.outcome(record)?;
    let result = u64::from(!matches!(outcome, None | Some(Outcome::Returned(None))));
    let Some(exit) = record.exit else {
        return Ok(result);
    };
    let end = Timestamp(exit.0.saturating_add(1));
    let mut written: FxHashSet<Variable> = FxHashSet::default();
    let range = record.enter..end;
    let events = recording.events(range, None, Direction::Forward);
    for timed in events.take(MOST_EVENTS) {
        if let EventKind::Write { variable, .. } = timed?.event.kind
            && !matches!(variable, Variable::Local { .. })
        {
            written.insert(variable);
        }
    }
    Ok(result + written.len() as u64)
}
