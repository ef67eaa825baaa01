//! Values in the order of time: of fields, locals, arguments and results.

use std::sync::Arc;

use jhyde_history::History;
use jhyde_history::state::RowKind;
use jhyde_history::writes::{WriteList, WriteRow};
use jhyde_store::records::{CallRecord, Direction, MethodRef};
use jhyde_trace::{
    ClassInfo, EventKind, FieldId, FieldInfo, ObjectId, Outcome, Timestamp, Value, Variable,
};

use crate::answer::{Cell, Row};
use crate::error::{Error, Result};
use crate::nearest::nearest;
use crate::prepared::{Ask, wrong};
use crate::span::{NO_INDEX, pieces};
use crate::time_order::TimeOrder;

type Take<'a> = &'a mut dyn FnMut(Row) -> Result<()>;

/// So many writes are read at once.
const PAGE: u32 = 500;

/// The writes of one variable in the span.
pub(crate) fn writes(
    ask: &Ask<'_>,
    variable: Variable,
    each: &mut dyn FnMut(WriteRow) -> Result<()>,
) -> Result<()> {
    let list = WriteList {
        variable,
        from: Some(ask.span.from),
        to: Some(ask.span.until),
        newest_first: false,
    };
    let mut token = String::new();
    loop {
        let found = ask.history.writes(&list, PAGE, &token)?;
        found.page.rows.into_iter().try_for_each(&mut *each)?;
        found.notes.into_iter().for_each(|note| ask.note(note));
        match found.page.next {
            Some(next) => token = next,
            None => return Ok(()),
        }
    }
}

/// The call that wrote, as it was at the end of the span, and where.
fn writer(ask: &Ask<'_>, row: &WriteRow) -> Result<[Cell; 2]> {
    let call = match &row.call {
        Some(call) => ask.call_cell(call.record.id)?,
        None => Cell::Null,
    };
    Ok([call, Cell::or_null(row.place.clone(), Cell::Place)])
}

/// What a field's name stands for.
#[derive(Debug)]
pub(crate) enum FieldOf {
    /// One variable: a static field, or a field of one object.
    One(Variable),
    /// A field of all instances of a class.
    All(FieldId),
}

/// The parameter `FIELD`: `object#12.size`, `pkg.Cls.FIELD`, `Cls.size`.
pub(crate) fn the_field(ask: &Ask<'_>) -> Result<(FieldOf, FieldRefInfo)> {
    let given = ask.needed("field");
    if given.contains('#') {
        let variable = ask.history.resolve_variable(given)?;
        let (Variable::Field { field, .. } | Variable::Static { field }) = variable else {
            return Err(wrong("field", given, "it is a variable, and no field"));
        };
        return Ok((
            FieldOf::One(variable),
            FieldRefInfo::of(ask.history, field)?,
        ));
    }
    let Some((class, name)) = given.rsplit_once('.') else {
        return Err(wrong(
            "field",
            given,
            "a field is written Class.field, pkg.Class.field or object#12.field",
        ));
    };
    let classes = ask.classes("field", class)?;
    let mut found = Vec::new();
    for class in &classes {
        let fields = class.fields.iter().filter(|field| field.name == name);
        found.extend(fields.map(|field| (Arc::clone(class), field.clone())));
    }
    match found.as_slice() {
        [(class, field)] => {
            let of = match field.is_static() {
                true => FieldOf::One(Variable::Static { field: field.id }),
                false => FieldOf::All(field.id),
            };
            let info = FieldRefInfo {
                class: Arc::clone(class),
                field: field.clone(),
            };
            Ok((of, info))
        }
        [] => {
            let names = classes.iter().flat_map(|class| &class.fields);
            let names = names.map(|field| field.name.as_str());
            Err(Error::NoSuchName {
                parameter: "field",
                what: "the field",
                name: given.to_owned(),
                nearest: nearest(name, names),
            })
        }
        several => {
            let names = several
                .iter()
                .map(|(class, field)| format!("{}.{}", class.name, field.name));
            let names = names.collect::<Vec<_>>().join(", ");
            Err(wrong("field", given, format!("it may be any of {names}")))
        }
    }
}

/// A field and the class that declares it.
#[derive(Debug)]
pub(crate) struct FieldRefInfo {
    pub(crate) class: Arc<ClassInfo>,
    pub(crate) field: FieldInfo,
}

impl FieldRefInfo {
    fn of(history: &History, field: FieldId) -> Result<Self> {
        let found = history
            .recording()
            .field(field)?
            .ok_or_else(|| Error::NoSuchName {
                parameter: "field",
                what: "the field",
                name: format!("field#{field}"),
                nearest: Vec::new(),
            })?;
        Ok(Self {
            class: Arc::clone(&found.class),
            field: found.field().clone(),
        })
    }
}

/// A write of a field of any instance.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FieldWrite {
    pub(crate) at: Timestamp,
    pub(crate) call: jhyde_trace::CallId,
    pub(crate) index: u32,
    pub(crate) object: ObjectId,
    pub(crate) value: Value,
    /// Found when the object was first seen, not written.
    pub(crate) found: bool,
}

/// The writes of a field in all instances of its class, in the order of time.
pub(crate) fn writes_of_all(
    ask: &Ask<'_>,
    field: FieldId,
    each: &mut dyn FnMut(FieldWrite) -> Result<()>,
) -> Result<()> {
    let recording = ask.history.recording();
    let is_indexed = recording.has_index_of_references();
    if !is_indexed {
        ask.note(NO_INDEX);
    }
    for piece in pieces(is_indexed, ask.span.range(), Direction::Forward) {
        ask.history.check()?;
        for event in recording.writes_of_field(field, piece, Direction::Forward) {
            ask.history.check()?;
            let event = match event {
                Err(jhyde_store::Error::Damaged { .. }) => continue,
                event => event?,
            };
            let (variable, value, found) = match event.event.kind {
                EventKind::Write { variable, value } => (variable, value, false),
                EventKind::Snapshot { variable, value } => (variable, value, true),
                _ => continue,
            };
            if let Variable::Field { object, .. } = variable {
                each(FieldWrite {
                    at: event.timestamp,
                    call: event.event.call,
                    index: event.event.index,
                    object,
                    value,
                    found,
                })?;
            }
        }
    }
    Ok(())
}

/// `field-history`.
pub(crate) fn field_history(ask: &Ask<'_>, take: Take<'_>) -> Result<()> {
    match the_field(ask)?.0 {
        FieldOf::One(variable) => {
            let object = match variable {
                Variable::Field { object, .. } => {
                    Cell::Value(ask.history.value(Value::Object(object))?)
                }
                _ => Cell::Null,
            };
            writes(ask, variable, &mut |row| {
                let [call, place] = writer(ask, &row)?;
                let at = Cell::Event(row.timestamp);
                take(vec![
                    at,
                    object.clone(),
                    Cell::Value(row.value),
                    call,
                    place,
                ])
            })
        }
        FieldOf::All(field) => {
            writes_of_all(ask, field, &mut |write| {
                if write.found {
                    ask.note(format!(
                        "the value at {} was found when the object was first seen; who wrote it was not recorded",
                        write.at
                    ));
                }
                take(vec![
                    Cell::Event(write.at),
                    Cell::Value(ask.history.value(Value::Object(write.object))?),
                    Cell::Value(ask.history.value_at(write.value, write.at)?),
                    ask.call_cell(write.call)?,
                    ask.place_cell(write.call, write.index)?,
                ])
            })?;
            ask.note_hidden()
        }
    }
}

/// One call, or all of some methods.
enum CallsOf {
    One(CallRecord),
    Methods(Vec<MethodRef>),
}

/// A parameter that names a call (`merge#3`, `1.7`) or methods (`merge`, `MergeSort.merge`).
fn calls_of(ask: &Ask<'_>, parameter: &'static str, given: &str) -> Result<CallsOf> {
    let is_call = given.contains('#') || given.parse::<jhyde_trace::CallId>().is_ok();
    Ok(match is_call {
        true => CallsOf::One(ask.record(ask.history.resolve_call(given)?)?),
        false => CallsOf::Methods(ask.methods(parameter, given)?),
    })
}

/// What each call has to say that runs in the span, in the order of time. Calls that began before it are among them: `each` looks
/// whether what it tells is of the span.
fn in_time_order(
    ask: &Ask<'_>,
    calls: CallsOf,
    take: Take<'_>,
    each: impl Fn(&CallRecord, &mut TimeOrder<Row>) -> Result<()>,
) -> Result<()> {
    let mut order = TimeOrder::new();
    let methods = match calls {
        CallsOf::One(record) => {
            each(&record, &mut order)?;
            return order.rest().try_for_each(take);
        }
        CallsOf::Methods(methods) => methods,
    };
    for call in ask.calls_that_ran_on()? {
        let mut methods = methods.iter();
        if methods.any(|method| method.method().id == call.method) {
            each(&call, &mut order)?;
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
        order.before(enter).try_for_each(&mut *take)?;
        if let Some(call) = lists.get_mut(at).and_then(Iterator::next) {
            each(&call?, &mut order)?;
        }
    }
    order.rest().try_for_each(take)
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
    // The writes of one variable are in the order of time: none of them has to wait.
    if let CallsOf::One(call) = &calls
        && !call.boundary
        && let [variable] = locals_named(ask, call, name)?[..]
    {
        return local_writes(ask, call, variable, &mut |_, row| take(row));
    }
    let of_methods = matches!(calls, CallsOf::Methods(_));
    in_time_order(ask, calls, take, |call, order| {
        if call.boundary {
            return Ok(());
        }
        for variable in locals_named(ask, call, name)? {
            local_writes(ask, call, variable, &mut |at, row| {
                order.add(at, row);
                Ok(())
            })?;
        }
        Ok(())
    })?;
    match of_methods {
        // The notes of one call came with its writes.
        false => Ok(()),
        true => ask.note_hidden(),
    }
}

/// The rows of a local of a call.
fn local_writes(
    ask: &Ask<'_>,
    call: &CallRecord,
    variable: Variable,
    each: &mut dyn FnMut(Timestamp, Row) -> Result<()>,
) -> Result<()> {
    let mut of = None;
    writes(ask, variable, &mut |row| {
        let of = match &of {
            Some(of) => Cell::clone(of),
            None => of.insert(ask.call_cell(call.id)?).clone(),
        };
        let place = Cell::or_null(row.place, Cell::Place);
        let cells = vec![
            Cell::Event(row.timestamp),
            Cell::Value(row.value),
            of,
            place,
        ];
        each(row.timestamp, cells)
    })
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
    in_time_order(ask, calls, take, |record, order| {
        // They were given when it began.
        if !ask.span.contains(record.enter) {
            return Ok(());
        }
        let call = Arc::new(ask.span.call(ask.history, *record)?);
        let arguments = call.values.iter().flat_map(|values| &values.arguments);
        for argument in arguments {
            if name.is_some_and(|name| argument.name != name) {
                continue;
            }
            let row = vec![
                Cell::Event(record.enter),
                Cell::Text(argument.name.clone()),
                Cell::Value(argument.value.clone()),
                Cell::Call(Arc::clone(&call)),
            ];
            order.add(record.enter, row);
        }
        Ok(())
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
    in_time_order(ask, calls, take, |record, order| {
        let Some(exit) = record.exit.filter(|exit| ask.span.contains(*exit)) else {
            return Ok(());
        };
        let call = ask.span.call(ask.history, *record)?;
        let outcome = match ask.history.recording().outcome(record) {
            Ok(outcome) => outcome,
            Err(error) => return ask.without(error.into()),
        };
        let (how, value) = match outcome {
            Some(Outcome::Threw(exception)) => ("threw", ask.history.value_at(exception, exit)?),
            _ => {
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
        order.add(exit, row);
        Ok(())
    })?;
    ask.note_hidden()
}
