//! What one object held, and how that changed.

use jhyde_history::state::{RowKind, StateRow};
use jhyde_history::view::{HeldView, ValueView};
use jhyde_store::records::Write;
use jhyde_trace::{CallId, Content, ContentKey, ObjectId, Timestamp, Value, Variable};
use rustc_hash::FxHashMap;

use super::writes::each_write;
use crate::answer::{Cell, Field, Row};
use crate::error::Result;
use crate::prepared::{Ask, wrong};

type Take<'a> = &'a mut dyn FnMut(Row) -> Result<()>;

/// So many variables of an object are read at once: no more than most ask for, each may be in a block of its own.
const PAGE: u32 = 100;
/// So many elements of an array are shown after each change.
const ELEMENTS: u32 = 100;

/// `object-state`.
pub(crate) fn object_state(ask: &Ask<'_>, take: Take<'_>) -> Result<()> {
    let object = ask.the_object()?;
    let at = ask.time("at")?;
    let mut states = States {
        ask,
        at,
        made: made(ask, object)?,
        last: None,
    };
    let mut token = String::new();
    loop {
        let (page, notes) = ask.history.expand(object, at, at, 1, PAGE, &token)?;
        notes.into_iter().for_each(|note| ask.note(note));
        let written = states.written(object, &page.rows)?;
        for row in page.rows {
            take(states.row(row, &written)?)?;
        }
        match page.next {
            Some(next) => token = next,
            None => break,
        }
    }
    note_unseen(ask, object, at)?;
    for class in ask.history.classes_of_object(object)? {
        for row in ask.history.statics_of(&class, at)? {
            take(states.row(row, &Written::default())?)?;
        }
    }
    Ok(())
}

/// When an object was made, if that is recorded, and not damaged or cut off.
fn made(ask: &Ask<'_>, object: ObjectId) -> Result<Option<Timestamp>> {
    let creation = ask.readable(ask.history.recording().creation(object))?;
    Ok(creation.flatten().map(|creation| creation.timestamp))
}

/// Says why there are no rows of what an object of the JDK held, where that is not recorded.
fn note_unseen(ask: &Ask<'_>, object: ObjectId, at: Timestamp) -> Result<()> {
    let value = ask.history.value_at(Value::Object(object), at)?;
    if let ValueView::Object(view) = value
        && let Some(HeldView::Unknown(why)) = view.held.as_deref()
    {
        ask.note(format!(
            "what object {object} held at {at} is not recorded: {why}"
        ));
    }
    Ok(())
}

/// The last writes of variables that were looked up together.
type Written = FxHashMap<Variable, Write>;

/// Makes rows of variables at a time.
struct States<'a> {
    ask: &'a Ask<'a>,
    at: Timestamp,
    /// When the object was made, if that is recorded.
    made: Option<Timestamp>,
    /// Who wrote the last one: arrays are mostly written by few calls.
    last: Option<(CallId, Cell)>,
}

impl States<'_> {
    /// The last writes of the fields or elements of a page: looked up together, where no block of them is damaged.
    fn written(&self, object: ObjectId, rows: &[StateRow]) -> Result<Written> {
        let elements =
            rows.iter().filter_map(
                |row| match self.ask.history.resolve_variable(&row.variable) {
                    Ok(Variable::Element { index, .. }) => Some(index),
                    _ => None,
                },
            );
        // Fields are in the order of their numbers there, and elements in that of the page.
        let (first, limit) = match elements.min() {
            Some(first) => (first, rows.len()),
            None => (0, usize::MAX),
        };
        let recording = self.ask.history.recording();
        let writes = recording.kept_object_state(object, self.at, first, limit);
        let writes = self.ask.readable(writes)?.into_iter().flatten();
        Ok(writes.map(|write| (write.variable, write)).collect())
    }

    /// The last write of a variable; none where there is none, or where it is in what is damaged.
    fn write(&self, variable: Variable, written: &Written) -> Result<Option<Write>> {
        if let Some(write) = written.get(&variable) {
            return Ok(Some(*write));
        }
        let write = self.ask.history.recording().last_write(variable, self.at);
        Ok(self.ask.readable(write)?.flatten())
    }

    /// A variable: its value, and the write that it is from.
    fn row(&mut self, row: StateRow, written: &Written) -> Result<Row> {
        let ask = self.ask;
        let write = match ask.history.resolve_variable(&row.variable) {
            Ok(Variable::Content { .. }) | Err(_) => None,
            Ok(variable) => self.write(variable, written)?,
        };
        let is_known =
            !matches!(row.end, Some(ValueView::NotRecorded(_)) | None) && !row.not_recorded;
        let is_static = row.kind == RowKind::Static;
        let origin = match (&write, row.kind) {
            _ if !is_static && self.made.is_some_and(|made| made > self.at) => "not there yet",
            (_, RowKind::Content) => "content",
            (Some(write), _) if write.snapshot => "found",
            (Some(_), _) => "written",
            // What is not from the start may have been written before.
            (None, _)
                if is_known && !ask.is_from_the_start() && (is_static || self.made.is_none()) =>
            {
                "found"
            }
            (None, _) if is_known => "never written",
            (None, _) => "not recorded",
        };
        let kind = match row.kind {
            RowKind::Static => "static",
            RowKind::Element => "element",
            RowKind::Content => "content",
            _ => "field",
        };
        let (event, call, place) = match write {
            Some(write) => (
                Cell::Event(write.timestamp),
                self.call(write.call)?,
                ask.place_cell(write.call, write.index)?,
            ),
            None => (Cell::Null, Cell::Null, Cell::Null),
        };
        Ok(vec![
            Cell::Text(row.name),
            Cell::text(kind),
            Cell::Text(row.type_name),
            Cell::or_null(row.end, Cell::Value),
            Cell::text(origin),
            event,
            call,
            place,
        ])
    }

    fn call(&mut self, call: CallId) -> Result<Cell> {
        match &self.last {
            Some((known, cell)) if *known == call => Ok(cell.clone()),
            _ => {
                let cell = self.ask.call_cell(call)?;
                self.last = Some((call, cell.clone()));
                Ok(cell)
            }
        }
    }
}

/// The first variables of an object at a time, by name.
pub(crate) fn fields(ask: &Ask<'_>, object: ObjectId, at: Timestamp) -> Result<Vec<Field>> {
    let (page, notes) = ask.history.expand(object, at, at, 1, ELEMENTS, "")?;
    notes.into_iter().for_each(|note| ask.note(note));
    if page.next.is_some() {
        ask.note(format!(
            "of each object the first {ELEMENTS} variables are shown"
        ));
    }
    let fields = page.rows.into_iter().map(|row| Field {
        name: row.name,
        value: row.end,
    });
    Ok(fields.collect())
}

/// `structure-history`.
pub(crate) fn structure_history(ask: &Ask<'_>, take: Take<'_>) -> Result<()> {
    let object = ask.the_object()?;
    let content = ask
        .history
        .recording()
        .object(object)?
        .map(|info| info.content);
    if let Some(Content::Array(_)) = content {
        return array_history(ask, object, take);
    }
    let key = ContentKey::All;
    let held = ask.history.inside(object, ask.span.last())?;
    if held == jhyde_history::exact::Inside::Fields {
        return Err(wrong(
            "object",
            ask.needed("object"),
            "it is no array and holds no items or characters: object-state and field-history tell of its fields",
        ));
    }
    each_write(ask, Variable::Content { object, key }, &mut |row| {
        let call = match &row.call {
            Some(call) => ask.call_cell(call.record.id)?,
            None => Cell::Null,
        };
        take(vec![
            Cell::Event(row.timestamp),
            Cell::Null,
            Cell::Value(row.value),
            Cell::Null,
            call,
            Cell::or_null(row.place, Cell::Place),
        ])
    })
}

/// An array after each write to one of its elements.
fn array_history(ask: &Ask<'_>, array: ObjectId, take: Take<'_>) -> Result<()> {
    let recording = ask.history.recording();
    for write in recording.element_writes(array, ask.span.range()) {
        ask.history.check()?;
        let Some(write) = ask.readable(write)? else {
            continue;
        };
        let Variable::Element { index, .. } = write.variable else {
            continue;
        };
        if write.snapshot {
            ask.note(format!(
                "what is told at {} was found there; who wrote it was not recorded",
                write.timestamp
            ));
        }
        take(vec![
            Cell::Event(write.timestamp),
            Cell::Int(index.into()),
            Cell::Value(ask.history.value_at(write.value, write.timestamp)?),
            Cell::Fields(fields(ask, array, write.timestamp)?),
            ask.call_cell(write.call)?,
            ask.place_cell(write.call, write.index)?,
        ])?;
    }
    ask.note_hidden()
}
