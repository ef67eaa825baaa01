//! What one object held, and how that changed.

use jhyde_history::state::{RowKind, StateRow};
use jhyde_history::view::ValueView;
use jhyde_trace::{Content, ContentKey, ObjectId, Timestamp, Variable};

use super::histories::writes;
use crate::answer::{Cell, Field, Row};
use crate::error::Result;
use crate::prepared::{Ask, wrong};

type Take<'a> = &'a mut dyn FnMut(Row) -> Result<()>;

/// So many variables of an object are read at once.
const PAGE: u32 = 200;
/// So many elements of an array are shown after each change.
const ELEMENTS: u32 = 100;

/// The variables of an object at a time.
fn variables(
    ask: &Ask<'_>,
    object: ObjectId,
    at: Timestamp,
    each: &mut dyn FnMut(StateRow) -> Result<()>,
) -> Result<()> {
    let mut token = String::new();
    loop {
        let (page, notes) = ask.history.expand(object, at, at, 1, PAGE, &token)?;
        notes.into_iter().for_each(|note| ask.note(note));
        page.rows.into_iter().try_for_each(&mut *each)?;
        match page.next {
            Some(next) => token = next,
            None => return Ok(()),
        }
    }
}

/// `object-state`.
pub(crate) fn object_state(ask: &Ask<'_>, take: Take<'_>) -> Result<()> {
    let object = ask.the_object()?;
    let at = ask.time("at")?;
    variables(ask, object, at, &mut |row| take(state_row(ask, row, at)?))?;
    for class in ask.history.classes_of_object(object)? {
        for row in ask.history.statics_of(&class, at)? {
            take(state_row(ask, row, at)?)?;
        }
    }
    Ok(())
}

/// A variable at a time: its value, and the write that it is from.
fn state_row(ask: &Ask<'_>, row: StateRow, at: Timestamp) -> Result<Row> {
    let variable = ask.history.resolve_variable(&row.variable);
    let write = match variable {
        Ok(Variable::Content { .. }) | Err(_) => None,
        Ok(variable) => match ask.history.recording().last_write(variable, at) {
            Err(jhyde_store::Error::Damaged { .. }) => None,
            write => write?,
        },
    };
    let is_known = !matches!(row.end, Some(ValueView::NotRecorded(_)) | None) && !row.not_recorded;
    let origin = match (&write, row.kind) {
        (_, RowKind::Content) => "content",
        (Some(write), _) if write.snapshot => "found",
        (Some(_), _) => "written",
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
            ask.call_cell(write.call)?,
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
    writes(ask, Variable::Content { object, key }, &mut |row| {
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
        let write = match write {
            Err(jhyde_store::Error::Damaged { .. }) => continue,
            write => write?,
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
