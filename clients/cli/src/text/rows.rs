//! State rows, and the objects behind them.

use std::collections::{HashMap, HashSet};

use jhyde_proto::v1::value::Kind;
use jhyde_proto::v1::{ReachableObject, RowKind, StateRow, Value};

use super::{Cell, clean, shorten, value, value_or, width, without_colours};
use crate::output::{Look, Paint};

/// Elements of an array that are shown in one line.
const INLINE_ELEMENTS: usize = 32;
/// How far objects are opened by themselves.
const DEEPEST: usize = 3;
/// Fields or elements of one object that are shown in lines of their own.
const MOST_FIELDS: usize = 24;
/// Stands for a variable that did not exist or was not assigned yet.
const UNASSIGNED: &str = "–";
/// Columns for one value.
const VALUE_COLUMNS: usize = 60;

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
    let shown =
        |side: Option<&Value>| shorten(&value_or(side, UNASSIGNED), VALUE_COLUMNS).into_owned();
    vec![
        Cell::with(look, mark),
        Cell::with(look, format!("{prefix}{}", row_name(row))),
        Cell::with(Look::Faint, clean(&row.r#type).into_owned()),
        Cell::new(shown(row.start.as_ref())),
        Cell::with(look, shown(row.end.as_ref())),
    ]
}

/// Rows and what is inside them, as lines: for the input and the outcome of a call.
pub fn object_lines(
    rows: &[StateRow],
    objects: &Objects<'_>,
    side: Side,
    paint: Paint,
) -> Vec<String> {
    let mut lines = Vec::new();
    Lines {
        objects,
        side,
        paint,
        open: HashSet::new(),
        lines: &mut lines,
    }
    .rows(rows, 0);
    lines
}

struct Lines<'a> {
    objects: &'a Objects<'a>,
    side: Side,
    paint: Paint,
    /// Objects already shown: a cycle or a second way to one is not opened again.
    open: HashSet<u64>,
    lines: &'a mut Vec<String>,
}

impl Lines<'_> {
    fn rows(&mut self, rows: &[StateRow], depth: usize) {
        let names = rows
            .iter()
            .take(MOST_FIELDS)
            .map(row_name)
            .collect::<Vec<_>>();
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
            self.lines.push(self.paint.text(Look::Faint, more));
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
        let text = shorten(&value_or(current, UNASSIGNED), VALUE_COLUMNS).into_owned();
        let mut line = format!(
            "{}{}{padding}  ",
            "  ".repeat(depth),
            self.paint.text(look, name)
        );
        if self.side == Side::End && row.changed && row.start.is_some() && row.start != row.end {
            let before =
                shorten(&value_or(row.start.as_ref(), UNASSIGNED), VALUE_COLUMNS).into_owned();
            line.push_str(&self.paint.text(Look::Faint, format!("{before} → ")));
        }
        line.push_str(&self.paint.text(look, text));
        let inside = self
            .objects
            .of(current)
            .filter(|(id, _)| depth < DEEPEST && self.open.insert(*id));
        let Some((_, object)) = inside else {
            self.lines.push(line);
            return;
        };
        if let Some(elements) = inline(object, self.side, self.paint) {
            self.lines.push(format!("{line} {elements}"));
            if let Some(before) = was(object, self.side) {
                let indent = "  ".repeat(depth) + &" ".repeat(column + 2);
                self.lines.push(
                    self.paint
                        .text(Look::Faint, format!("{indent}was {before}")),
                );
            }
            return;
        }
        self.lines.push(line);
        self.rows(&object.rows, depth + 1);
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
        Some(Kind::Object(object)) => object.text.is_some() || object.content.is_some(),
        _ => true,
    };
    row.kind() == RowKind::Element && flat(&row.start) && flat(&row.end)
}

/// Everything that changed in the objects of a call's outcome, by the way to it: `c[2]  9 → 7`.
pub fn changes(objects: &[ReachableObject], paint: Paint) -> Vec<String> {
    let mut lines: Vec<(String, String)> = Vec::new();
    for object in objects {
        let path = clean(&object.path);
        let name = object.object.as_ref().map(value).unwrap_or_default();
        if let Some(elements) = inline(object, Side::End, paint) {
            let path = paint.text(Look::ChangedBelow, &path);
            lines.push((path, format!("{name} {elements}")));
            if let Some(before) = was(object, Side::End) {
                lines.push((
                    String::new(),
                    paint.text(Look::Faint, format!("was {before}")),
                ));
            }
            continue;
        }
        for row in object
            .rows
            .iter()
            .filter(|row| row.changed)
            .take(MOST_FIELDS)
        {
            let own = row_name(row);
            let dot = if own.starts_with('[') { "" } else { "." };
            let before = value_or(row.start.as_ref(), UNASSIGNED);
            let after = value_or(row.end.as_ref(), UNASSIGNED);
            let arrow = paint.text(
                Look::Faint,
                format!("{} → ", shorten(&before, VALUE_COLUMNS)),
            );
            let after = paint.text(Look::Changed, shorten(&after, VALUE_COLUMNS));
            let name = paint.text(Look::Changed, format!("{path}{dot}{own}"));
            lines.push((name, format!("{arrow}{after}")));
        }
    }
    let bare = |painted: &str| width(&without_colours(painted));
    let column = lines
        .iter()
        .map(|(name, _)| bare(name))
        .max()
        .unwrap_or(0)
        .min(32);
    lines
        .into_iter()
        .map(|(name, rest)| {
            let padding = " ".repeat(column.saturating_sub(bare(&name)));
            format!("{name}{padding}  {rest}")
        })
        .collect()
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
        }]
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
            Paint::new(false),
        );
        assert_eq!(lines, ["c   int[2] array#3 {4, 9}", "la  0"]);
    }

    #[test]
    fn an_outcome_shows_both() {
        assert_eq!(
            changes(&reachable(), Paint::new(false)),
            ["c  int[2] array#3 {4, 7}", "   was {4, 9}"]
        );
        assert!(
            changes(&reachable(), Paint::new(true))
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
            changes(&objects, Paint::new(false)),
            ["c  int[2] array#3 {[7]: 7}", "   was {[7]: 9}"]
        );
    }

    #[test]
    fn cycles_end() {
        let itself = array(3);
        let rows = vec![row(RowKind::Field, "next", itself.clone(), itself.clone())];
        let objects = [ReachableObject {
            object: itself.clone(),
            path: "n".into(),
            rows,
        }];
        let top = [row(RowKind::Local, "n", itself.clone(), itself)];
        let lines = object_lines(
            &top,
            &Objects::new(&objects),
            Side::Start,
            Paint::new(false),
        );
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
