//! Values of locals, arguments and results in the order of time.

use std::sync::Arc;

use jhyde_history::state::RowKind;
use jhyde_store::records::{CallRecord, MethodRef};
use jhyde_trace::{CallId, Outcome, Timestamp, Variable};

use super::writes::Writes;
use crate::answer::{Cell, Row};
use crate::error::{Error, Result};
use crate::nearest::nearest;
use crate::prepared::{Ask, wrong};
use crate::time_order::{Source, TimeOrder};

type Take<'a> = &'a mut dyn FnMut(Row) -> Result<()>;

/// One call, or all of some methods.
enum CallsOf {
    One(CallRecord),
    Methods(Vec<MethodRef>),
}

/// A parameter that names a call (`merge#3`, `1.7`) or methods (`merge`, `MergeSort.merge`).
fn calls_of(ask: &Ask<'_>, parameter: &'static str, given: &str) -> Result<CallsOf> {
    let is_call = given.contains('#') || given.parse::<CallId>().is_ok();
    Ok(match is_call {
        true => CallsOf::One(ask.record(ask.history.resolve_call(given)?)?),
        false => CallsOf::Methods(ask.methods(parameter, given)?),
    })
}

/// What each call has to say that runs in the span, in the order of time. Calls that began before it are among them: `each` looks
/// whether what it tells is of the span.
fn in_time_order<S, I>(
    ask: &Ask<'_>,
    calls: CallsOf,
    take: Take<'_>,
    each: impl Fn(&CallRecord) -> Result<I>,
) -> Result<()>
where
    S: Source<Row = Row>,
    I: IntoIterator<Item = S>,
{
    let mut order = TimeOrder::new();
    let add = |order: &mut TimeOrder<S>, call: &CallRecord| -> Result<()> {
        let mut sources = each(call)?.into_iter();
        sources.try_for_each(|source| order.add(source))
    };
    let mut take_before = |order: &mut TimeOrder<S>, end: Timestamp| -> Result<()> {
        while let Some(row) = order.before(end)? {
            take(row)?;
        }
        Ok(())
    };
    let methods = match calls {
        CallsOf::One(record) => {
            add(&mut order, &record)?;
            return take_before(&mut order, ask.span.until);
        }
        CallsOf::Methods(methods) => methods,
    };
    for call in ask.calls_that_ran_on()? {
        let mut methods = methods.iter();
        if methods.any(|method| method.method().id == call.method) {
            add(&mut order, &call)?;
        }
    }
    let lists = methods
        .iter()
        .map(|method| ask.calls_of(method.method().id));
    let lists = lists.collect::<Result<Vec<_>>>()?;
    let mut lists: Vec<_> = lists.into_iter().map(Iterator::peekable).collect();
    loop {
        ask.history.check()?;
        // The next call of any of the methods.
        let mut next: Option<(usize, Timestamp)> = None;
        for (at, list) in lists.iter_mut().enumerate() {
            while let Some(Err(error)) = list.next_if(Result::is_err) {
                ask.without(error)?;
            }
            let Some(Ok(call)) = list.peek() else {
                continue;
            };
            if next.is_none_or(|(_, first)| call.enter < first) {
                next = Some((at, call.enter));
            }
        }
        let Some((at, enter)) = next else { break };
        // Calls that come later say nothing of what was before they began.
        take_before(&mut order, enter)?;
        if let Some(call) = lists.get_mut(at).and_then(Iterator::next) {
            add(&mut order, &call?)?;
        }
    }
    take_before(&mut order, ask.span.until)
}

/// `local-history`.
pub(crate) fn local_history(ask: &Ask<'_>, take: Take<'_>) -> Result<()> {
    let given = ask.needed("local");
    let Some((of, name)) = given.rsplit_once(':') else {
        return Err(wrong(
            "local",
            given,
            "a local is written CALL:name (merge#3:i) or METHOD:name (MergeSort.merge:i)",
        ));
    };
    let calls = calls_of(ask, "local", of)?;
    if let CallsOf::Methods(methods) = &calls {
        let names = methods.iter().flat_map(|method| &method.method().variables);
        let mut names: Vec<_> = names.map(|variable| variable.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        if !name.starts_with('@') && !names.contains(&name.split('@').next().unwrap_or(name)) {
            return Err(Error::NoSuchName {
                parameter: "local",
                what: "the local",
                name: given.to_owned(),
                nearest: nearest(name, names),
            });
        }
    }
    let of_methods = matches!(calls, CallsOf::Methods(_));
    in_time_order(ask, calls, take, |call| {
        let variables = match call.boundary {
            true => Vec::new(),
            false => locals_named(ask, call, name)?,
        };
        let (ask, call) = (ask, call.id);
        let writes = variables.into_iter().map(move |variable| LocalWrites {
            ask,
            call,
            cell: None,
            writes: Writes::of(ask, variable),
        });
        Ok(writes)
    })?;
    match of_methods {
        // The notes of one call came with its writes.
        false => Ok(()),
        true => ask.note_hidden(),
    }
}

/// The rows of a local of a call.
struct LocalWrites<'a> {
    ask: &'a Ask<'a>,
    call: CallId,
    /// The call, once there is a row.
    cell: Option<Cell>,
    writes: Writes,
}

impl Source for LocalWrites<'_> {
    type Row = Row;

    fn next(&mut self, ahead: usize) -> Result<Option<(Timestamp, Row)>> {
        let Some(row) = self.writes.next(self.ask, ahead)? else {
            return Ok(None);
        };
        let of = match &self.cell {
            Some(of) => of.clone(),
            None => self.cell.insert(self.ask.call_cell(self.call)?).clone(),
        };
        let cells = vec![
            Cell::Event(row.timestamp),
            Cell::Value(row.value),
            of,
            Cell::or_null(row.place, Cell::Place),
        ];
        Ok(Some((row.timestamp, cells)))
    }
}

/// The locals of a call that go by a name: javac gives one name to several where their scopes are apart.
fn locals_named(ask: &Ask<'_>, call: &CallRecord, name: &str) -> Result<Vec<Variable>> {
    let history = ask.history;
    match history.resolve_variable(&format!("{}:{name}", call.id)) {
        Ok(variable) => Ok(vec![variable]),
        Err(jhyde_history::Error::Ambiguous { .. }) => {
            let method = history.recording().method(call.method)?;
            let variables = method.map(|method| method.method().variables.clone());
            let entries = variables.unwrap_or_default();
            let entries = entries
                .iter()
                .enumerate()
                .filter(|(_, entry)| entry.name == name);
            let locals = entries.filter_map(|(at, _)| u16::try_from(at).ok());
            let variables = locals.map(|at| Variable::Local {
                call: call.id,
                local: jhyde_trace::Local::Named(at),
            });
            Ok(variables.collect())
        }
        // Another method of that name has it.
        Err(jhyde_history::Error::NoSuchVariable { .. }) if !ask.needed("local").contains('#') => {
            Ok(Vec::new())
        }
        Err(error) => Err(error.into()),
    }
}

/// `argument-history`.
pub(crate) fn argument_history(ask: &Ask<'_>, take: Take<'_>) -> Result<()> {
    let of = ask.needed("of");
    let calls = calls_of(ask, "of", of)?;
    let name = ask.given("name");
    if let Some(name) = name {
        has_parameter(ask, &calls, name)?;
    }
    in_time_order(ask, calls, take, |record| {
        // They were given when it began.
        if !ask.span.contains(record.enter) {
            return Ok(None);
        }
        let call = Arc::new(ask.span.call(ask.history, *record)?);
        let arguments = call.values.iter().flat_map(|values| &values.arguments);
        let wanted = arguments.filter(|argument| name.is_none_or(|name| argument.name == name));
        let rows = wanted.map(|argument| {
            let cells = vec![
                Cell::Event(record.enter),
                Cell::Text(argument.name.clone()),
                Cell::Value(argument.value.clone()),
                Cell::Call(Arc::clone(&call)),
            ];
            (record.enter, cells)
        });
        Ok(Some(rows.collect::<Vec<_>>().into_iter()))
    })?;
    ask.note_hidden()
}

fn has_parameter(ask: &Ask<'_>, calls: &CallsOf, name: &str) -> Result<()> {
    let mut names: Vec<String> = Vec::new();
    let mut add = |method: &MethodRef| {
        let known = ask.history.parameter_names(method.method());
        let known = known.into_iter().enumerate();
        names.extend(known.map(|(at, name)| name.unwrap_or_else(|| format!("arg{at}"))));
    };
    match calls {
        CallsOf::One(record) => {
            ask.history
                .recording()
                .method(record.method)?
                .iter()
                .for_each(&mut add);
        }
        CallsOf::Methods(methods) => methods.iter().for_each(&mut add),
    }
    match names.iter().any(|known| known == name) {
        true => Ok(()),
        false => Err(Error::NoSuchName {
            parameter: "name",
            what: "the argument",
            name: name.to_owned(),
            nearest: nearest(name, names.iter().map(String::as_str)),
        }),
    }
}

/// `return-history`.
pub(crate) fn return_history(ask: &Ask<'_>, take: Take<'_>) -> Result<()> {
    let calls = calls_of(ask, "of", ask.needed("of"))?;
    in_time_order(ask, calls, take, |record| {
        let Some(exit) = record.exit.filter(|exit| ask.span.contains(*exit)) else {
            return Ok(None);
        };
        let call = ask.span.call(ask.history, *record)?;
        let outcome = match ask.history.recording().outcome(record) {
            Ok(outcome) => outcome,
            Err(error) => return ask.without(error.into()).map(|()| None),
        };
        let (how, value) = match outcome {
            Some(Outcome::Threw(exception)) => ("threw", ask.history.value_at(exception, exit)?),
            Some(Outcome::Unknown) | None => {
                let why =
                    "it ran when the recording ended, or how it ended was not seen".to_owned();
                (
                    "not recorded",
                    jhyde_history::view::ValueView::NotRecorded(why),
                )
            }
            Some(Outcome::Returned(_)) => {
                let state = ask.history.state(record.id, Some(exit), Some(exit), 1)?;
                let mut rows = state.rows.into_iter();
                let row = rows.find(|row| row.kind == RowKind::Return);
                let unseen = || {
                    let why = "how the call ended was not seen".to_owned();
                    jhyde_history::view::ValueView::NotRecorded(why)
                };
                (
                    "returned",
                    row.and_then(|row| row.end).unwrap_or_else(unseen),
                )
            }
        };
        let row = vec![
            Cell::Event(exit),
            Cell::text(how),
            Cell::Value(value),
            Cell::Call(Arc::new(call)),
        ];
        Ok(Some(vec![(exit, row)].into_iter()))
    })?;
    ask.note_hidden()
}
