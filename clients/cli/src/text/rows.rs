//! State rows, and the objects behind them.

use std::collections::{HashMap, HashSet};

use jhyde_proto::v1::value::Kind;
use jhyde_proto::v1::{ReachableObject, RowKind, StateRow, Value};

use super::contents::{held_changes, is_iterator, is_shown_whole, made};
use super::{
    Cell, clean, shorten, shorten_value, simple_class, value, value_or, width, without_colours,
};
use crate::output::{Look, Paint};

/// Elements of an array that are shown in one line.
const INLINE_ELEMENTS: usize = 32;
/// How far objects are opened by themselves.
const DEEPEST: usize = 3;
/// The same, as long as there are few lines.
const ALL_DEEPEST: usize = 8;
const FEW_LINES: usize = 40;
/// Fields or elements of one object that are shown in lines of their own.
const MOST_FIELDS: usize = 24;
/// Of what an iterator still goes through, so many.
const MOST_NEXT: usize = 6;
/// Stands for a variable that did not exist or was not assigned yet.
const UNASSIGNED: &str = "–";
/// Columns for one value in a table.
const VALUE_COLUMNS: usize = 60;
/// So much of a value is shown, however narrow the terminal is.
const LEAST_COLUMNS: usize = 24;
/// Columns of the names before values, at most.
const MOST_NAME: usize = 32;
/// Columns of a line where there is no terminal.
const WIDE: usize = 160;

/// Which of a row's two times is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The earlier.
    Start,
    /// The later, with what changed.
    End,
}

/// Reachable objects by id.
#[derive(Debug)]
pub struct Objects<'a>(HashMap<u64, &'a ReachableObject>);

impl<'a> Objects<'a> {
    /// As an answer lists them.
    pub fn new(objects: &'a [ReachableObject]) -> Self {
        let with_id = |o: &'a ReachableObject| Some((object_id(o.object.as_ref()?)?, o));
        Self(objects.iter().filter_map(with_id).collect())
    }

    fn of(&self, shown: Option<&Value>) -> Option<(u64, &'a ReachableObject)> {
        let id = object_id(shown?)?;
        self.0.get(&id).map(|object| (id, *object))
    }
}

fn object_id(shown: &Value) -> Option<u64> {
    match &shown.kind {
        Some(Kind::Object(object)) => Some(object.id),
        _ => None,
    }
}

/// What a row is called: elements as `[2]`, everything else by its name.
pub fn row_name(row: &StateRow) -> String {
    let name = clean(&row.name);
    match row.kind() {
        RowKind::Return if name.is_empty() => "return".to_owned(),
        RowKind::Exception if name.is_empty() => "exception".to_owned(),
        RowKind::This if name.is_empty() => "this".to_owned(),
        RowKind::Element if !name.contains('[') => format!("[{name}]"),
        _ => name.into_owned(),
    }
}

/// How a row looks: design, section 4.
fn look(row: &StateRow) -> Look {
    if row.changed {
        Look::Changed
    } else if row.changed_below {
        Look::ChangedBelow
    } else {
        Look::Plain
    }
}

/// The cells of a state's table: mark, name, type, value before, value after. The marks say without
/// colours what the colours say.
pub fn state_cells(row: &StateRow, prefix: &str) -> Vec<Cell> {
    let look = look(row);
    let mark = match (row.changed, row.changed_below) {
        (true, _) => "*",
        (false, true) => "~",
        _ if row.not_recorded => "?",
        _ if row.budget_ended => "…",
        _ => "",
    };
    let shown = |side: Option<&Value>| {
        shorten_value(&value_or(side, UNASSIGNED), VALUE_COLUMNS).into_owned()
    };
    vec![
        Cell::with(look, mark),
        Cell::with(look, format!("{prefix}{}", row_name(row))),
        Cell::with(Look::Faint, clean(simple_class(&row.r#type)).into_owned()),
        Cell::value(Look::Plain, shown(row.start.as_ref())),
        Cell::value(look, shown(row.end.as_ref())),
    ]
}

/// A line that tells of values, and the variables that they are of, in their written forms.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ValueLine {
    /// As it is printed.
    pub text: String,
    /// Empty where it tells of none that has a form.
    pub variables: Vec<String>,
}

impl ValueLine {
    fn new(text: String, rows: &[&StateRow]) -> Self {
        let forms = rows.iter().map(|row| clean(&row.variable).into_owned());
        Self {
            text,
            variables: forms.filter(|form| !form.is_empty()).collect(),
        }
    }

    fn bare(text: String) -> Self {
        Self::new(text, &[])
    }
}

/// Rows and what is inside them, as lines: for the input and the outcome of a call.
/// `room`: the columns of a line, if it is to fit into some.
pub fn object_lines(
    rows: &[StateRow],
    objects: &Objects<'_>,
    side: Side,
    room: Option<usize>,
    paint: Paint,
) -> Vec<ValueLine> {
    let mut lines = Vec::new();
    Lines {
        objects,
        side,
        room: room.unwrap_or(WIDE),
        paint,
        open: HashSet::new(),
        lines: &mut lines,
    }
    .rows(rows, 0, MOST_FIELDS);
    lines
}

struct Lines<'a> {
    objects: &'a Objects<'a>,
    side: Side,
    room: usize,
    paint: Paint,
    /// Objects already shown: a cycle or a second way to one is not opened again.
    open: HashSet<u64>,
    lines: &'a mut Vec<ValueLine>,
}

impl Lines<'_> {
    fn rows(&mut self, rows: &[StateRow], depth: usize, most: usize) {
        let names = rows.iter().take(most).map(row_name).collect::<Vec<_>>();
        let column = names
            .iter()
            .map(|name| width(name))
            .max()
            .unwrap_or(0)
            .min(36);
        for (row, name) in rows.iter().zip(&names) {
            self.row(row, name, column, depth);
        }
        if rows.len() > names.len() {
            let more = format!("{}… {} more", "  ".repeat(depth), rows.len() - names.len());
            let more = self.paint.text(Look::Faint, more);
            self.lines.push(ValueLine::bare(more));
        }
    }

    fn row(&mut self, row: &StateRow, name: &str, column: usize, depth: usize) {
        let look = if self.side == Side::End {
            look(row)
        } else {
            Look::Plain
        };
        let padding = " ".repeat(column.saturating_sub(width(name)));
        let current = match self.side {
            Side::Start => row.start.as_ref().or(row.end.as_ref()),
            Side::End => row.end.as_ref().or(row.start.as_ref()),
        };
        let taken = 2 * depth + width(name).max(column) + 2;
        let columns = self.room.saturating_sub(taken).max(LEAST_COLUMNS);
        let mut line = format!(
            "{}{}{padding}  ",
            "  ".repeat(depth),
            self.paint.text(look, name)
        );
        let mut columns_now = columns;
        if self.side == Side::End && row.changed && row.start.is_some() && row.start != row.end {
            let before = value_or(row.start.as_ref(), UNASSIGNED);
            let before = shorten(&before, (columns / 2).max(LEAST_COLUMNS));
            let before = format!("{before} → ");
            columns_now = columns.saturating_sub(width(&before)).max(LEAST_COLUMNS);
            line.push_str(&self.paint.text(Look::Faint, before));
        }
        let text = value_or(current, UNASSIGNED);
        line.push_str(&self.paint.text(look, shorten(&text, columns_now)));
        let inside = self
            .objects
            .of(current)
            .filter(|_| {
                let few = depth < ALL_DEEPEST && self.lines.len() < FEW_LINES;
                let whole = |shown| is_shown_whole(shown, columns_now);
                (depth < DEEPEST || few) && !current.is_some_and(whole)
            })
            .filter(|(id, _)| self.open.insert(*id));
        let Some((_, object)) = inside else {
            self.lines.push(ValueLine::new(line, &[row]));
            return;
        };
        if let Some(elements) = inline(object, self.side, self.paint) {
            let all: Vec<&StateRow> = object.rows.iter().chain([row]).collect();
            let line = format!("{line} {elements}");
            self.lines.push(ValueLine::new(line, &all));
            if let Some(before) = was(object, self.side) {
                let indent = "  ".repeat(depth) + &" ".repeat(column + 2);
                let before = format!("{indent}was {before}");
                let before = self.paint.text(Look::Faint, before);
                self.lines.push(ValueLine::bare(before));
            }
            return;
        }
        self.lines.push(ValueLine::new(line, &[row]));
        let most = match current.is_some_and(is_iterator) {
            true => MOST_NEXT,
            false => MOST_FIELDS,
        };
        self.rows(&object.rows, depth + 1, most);
    }
}

/// `{4, 9, 1, 7}` for an array of values that have no inside; `{[7]: 4, [14]: 9, …}` where only some elements are
/// listed.
fn inline(object: &ReachableObject, side: Side, paint: Paint) -> Option<String> {
    let rows = &object.rows;
    if rows.is_empty() || !rows.iter().all(is_flat_element) {
        return None;
    }
    let names: Vec<String> = rows.iter().take(INLINE_ELEMENTS).map(row_name).collect();
    let from_the_first = names
        .iter()
        .enumerate()
        .all(|(at, name)| *name == format!("[{at}]"));
    let mut parts = rows
        .iter()
        .zip(&names)
        .map(|(row, name)| {
            let shown = match side {
                Side::Start => value_or(row.start.as_ref().or(row.end.as_ref()), UNASSIGNED),
                Side::End => paint.text(look(row), value_or(row.end.as_ref(), UNASSIGNED)),
            };
            match from_the_first {
                true => shown,
                false => format!("{name}: {shown}"),
            }
        })
        .collect::<Vec<_>>();
    let length = match object.object.as_ref().and_then(|shown| shown.kind.as_ref()) {
        Some(Kind::Object(array)) => array.length.unwrap_or(0) as usize,
        _ => 0,
    };
    let rest = if from_the_first {
        length.max(rows.len())
    } else {
        rows.len()
    } - names.len();
    if rest > 0 {
        parts.push(format!("… {rest} more"));
    }
    Some(format!("{{{}}}", parts.join(", ")))
}

/// The same before the call, if anything changed.
fn was(object: &ReachableObject, side: Side) -> Option<String> {
    let changed = side == Side::End && object.rows.iter().any(|row| row.changed);
    changed
        .then(|| inline(object, Side::Start, Paint::new(false)))
        .flatten()
}

fn is_flat_element(row: &StateRow) -> bool {
    let flat = |shown: &Option<Value>| match shown.as_ref().and_then(|v| v.kind.as_ref()) {
        Some(Kind::Object(_)) => shown.as_ref().is_some_and(super::is_whole),
        _ => true,
    };
    row.kind() == RowKind::Element && flat(&row.start) && flat(&row.end)
}

/// Is it new, and the result or a part of it, which stands under what was yielded?
fn is_result(object: &ReachableObject) -> bool {
    let rest = object.path.strip_prefix("return");
    let is_inside = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']));
    is_inside && object.rows.iter().all(|row| row.start.is_none())
}

/// How an object, or what is `inside` it, is reached; of one that was taken away, how it was.
fn way_to(object: &ReachableObject, inside: &str) -> String {
    let given = if object.taken_away { " (as given)" } else { "" };
    format!("{}{inside}{given}", clean(&object.path))
}

/// Everything that changed in the objects of a call's outcome, by the way to it: `c[2]  9 → 7`.
/// `room`: the columns of a line, if it is to fit into some.
pub fn changes(objects: &[ReachableObject], room: Option<usize>, paint: Paint) -> Vec<ValueLine> {
    let room = room.unwrap_or(WIDE);
    let objects: Vec<_> = objects.iter().filter(|object| !is_result(object)).collect();
    let names = objects.iter().flat_map(|object| {
        let path = width(&way_to(object, ""));
        let plain = Paint::new(false);
        let in_one = held_changes(object, room.saturating_sub(path + 2), plain).is_some()
            || inline(object, Side::End, plain).is_some();
        let rows = object.rows.iter().filter(|row| row.changed);
        let rows = rows.map(move |row| path + 1 + width(&row.name));
        rows.filter(move |_| !in_one).chain([path])
    });
    // Names that are longer have a line of their own.
    let column = names.filter(|name| *name <= MOST_NAME).max().unwrap_or(0);
    let columns = room.saturating_sub(column + 2).max(LEAST_COLUMNS);
    let mut lines: Vec<(String, String, Vec<&StateRow>)> = Vec::new();
    // What a row of another object has told already.
    let mut told: HashSet<String> = HashSet::new();
    for object in objects {
        let path = way_to(object, "");
        let name = object.object.as_ref().map(value).unwrap_or_default();
        let changed: Vec<&StateRow> = object.rows.iter().filter(|row| row.changed).collect();
        if let Some(held) = held_changes(object, columns, paint) {
            if held.len() == 1 && told.contains(&path) {
                continue;
            }
            let path = paint.text(Look::Changed, &path);
            let firsts = std::iter::once((path, changed));
            let names = firsts.chain(std::iter::repeat((String::new(), Vec::new())));
            let told = names.zip(held);
            lines.extend(told.map(|((name, rows), held)| (name, held, rows)));
            continue;
        }
        if let Some(elements) = inline(object, Side::End, paint) {
            let path = paint.text(Look::ChangedBelow, &path);
            lines.push((path, format!("{name} {elements}"), changed));
            if let Some(before) = was(object, Side::End) {
                let before = paint.text(Look::Faint, format!("was {before}"));
                lines.push((String::new(), before, Vec::new()));
            }
            continue;
        }
        if let Some(made) = made(object, columns, paint) {
            if !told.contains(&path) {
                let all = object.rows.iter().collect();
                lines.push((paint.text(Look::Changed, &path), made, all));
            }
            continue;
        }
        for row in changed.into_iter().take(MOST_FIELDS) {
            let own = row_name(row);
            let dot = if own.starts_with('[') { "" } else { "." };
            let own = way_to(object, &format!("{dot}{own}"));
            let before = value_or(row.start.as_ref(), UNASSIGNED);
            let before = format!("{} → ", shorten(&before, (columns / 2).max(LEAST_COLUMNS)));
            let left = columns.saturating_sub(width(&before)).max(LEAST_COLUMNS);
            let arrow = paint.text(Look::Faint, before);
            let after = value_or(row.end.as_ref(), UNASSIGNED);
            let after = paint.text(Look::Changed, shorten(&after, left));
            let name = paint.text(Look::Changed, &own);
            lines.push((name, format!("{arrow}{after}"), vec![row]));
            told.insert(own);
        }
    }
    let bare = |painted: &str| width(&without_colours(painted));
    let mut told = Vec::with_capacity(lines.len());
    for (name, rest, rows) in lines {
        let padding = column.saturating_sub(bare(&name));
        if bare(&name) <= column {
            told.push(ValueLine::new(
                format!("{name}{:padding$}  {rest}", ""),
                &rows,
            ));
        } else if bare(&name) + 2 + bare(&rest) <= room {
            told.push(ValueLine::new(format!("{name}  {rest}"), &rows));
        } else {
            told.push(ValueLine::new(name, &rows));
            told.push(ValueLine::bare(format!("{:column$}  {rest}", "")));
        }
    }
    told
}

#[cfg(test)]
mod tests {
    use jhyde_proto::v1::Object;

    use super::*;

    fn int(v: i32) -> Option<Value> {
        Some(Value {
            kind: Some(Kind::Int(v)),
            ..Value::default()
        })
    }

    fn array(id: u64) -> Option<Value> {
        let object = Object {
            id,
            class: "int[]".into(),
            length: Some(2),
            ..Object::default()
        };
        Some(Value {
            kind: Some(Kind::Object(object.into())),
            ..Value::default()
        })
    }

    fn row(kind: RowKind, name: &str, start: Option<Value>, end: Option<Value>) -> StateRow {
        let changed = start != end;
        StateRow {
            kind: kind.into(),
            name: name.into(),
            start,
            end,
            changed,
            ..StateRow::default()
        }
    }

    fn reachable() -> Vec<ReachableObject> {
        let elements = vec![
            row(RowKind::Element, "0", int(4), int(4)),
            row(RowKind::Element, "1", int(9), int(7)),
        ];
        vec![ReachableObject {
            object: array(3),
            path: "c".into(),
            rows: elements,
            ..ReachableObject::default()
        }]
    }

    fn texts(lines: Vec<ValueLine>) -> Vec<String> {
        lines.into_iter().map(|line| line.text).collect()
    }

    #[test]
    fn input_shows_what_was_before() {
        let objects = reachable();
        let rows = [
            row(RowKind::Local, "c", array(3), array(3)),
            row(RowKind::Local, "la", int(0), int(0)),
        ];
        let lines = object_lines(
            &rows,
            &Objects::new(&objects),
            Side::Start,
            None,
            Paint::new(false),
        );
        assert_eq!(texts(lines), ["c   int[2] array#3 {4, 9}", "la  0"]);
    }

    #[test]
    fn an_outcome_shows_both() {
        assert_eq!(
            texts(changes(&reachable(), None, Paint::new(false))),
            ["c  int[2] array#3 {4, 7}", "   was {4, 9}"]
        );
        assert!(
            texts(changes(&reachable(), None, Paint::new(true)))
                .concat()
                .contains("\u{1b}[31m7\u{1b}[0m")
        );
    }

    #[test]
    fn of_a_long_array_the_listed_elements_are_named() {
        let mut objects = reachable();
        objects[0].rows[1].name = "[7]".into();
        objects[0].rows.remove(0);
        assert_eq!(
            texts(changes(&objects, None, Paint::new(false))),
            ["c  int[2] array#3 {[7]: 7}", "   was {[7]: 9}"]
        );
    }

    #[test]
    fn lines_name_the_variables_that_they_tell_of() {
        let mut objects = reachable();
        for (at, row) in objects[0].rows.iter_mut().enumerate() {
            row.variable = format!("array#3[{at}]");
        }
        let told = changes(&objects, None, Paint::new(false));
        assert_eq!(
            told[0].variables,
            ["array#3[1]"],
            "what did not change is not told"
        );
        assert!(told[1].variables.is_empty(), "how it was can be no mistake");
    }

    #[test]
    fn cycles_end() {
        let itself = array(3);
        let rows = vec![row(RowKind::Field, "next", itself.clone(), itself.clone())];
        let objects = [ReachableObject {
            object: itself.clone(),
            path: "n".into(),
            rows,
            ..ReachableObject::default()
        }];
        let top = [row(RowKind::Local, "n", itself.clone(), itself)];
        let lines = object_lines(
            &top,
            &Objects::new(&objects),
            Side::Start,
            None,
            Paint::new(false),
        );
        let lines = texts(lines);
        assert_eq!(lines, ["n  int[2] array#3", "  next  int[2] array#3"]);
    }

    #[test]
    fn marks_say_what_colours_say() {
        let mark = |row: &StateRow| state_cells(row, "")[0].text().to_owned();
        let mut same = row(RowKind::Local, "a", int(1), int(1));
        assert_eq!(mark(&same), "");
        same.changed_below = true;
        assert_eq!(mark(&same), "~");
        same.changed = true;
        assert_eq!(mark(&same), "*");
        let unknown = StateRow {
            not_recorded: true,
            ..row(RowKind::Local, "a", None, None)
        };
        assert_eq!(mark(&unknown), "?");
        assert_eq!(state_cells(&unknown, "")[3].text(), UNASSIGNED);
    }
}
