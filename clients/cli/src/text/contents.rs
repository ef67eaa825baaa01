//! What objects of the JDK hold, in lines; and the calls about which nobody asks.

use jhyde_proto::v1::value::Kind;
use jhyde_proto::v1::{Call, Held, HeldKind, ReachableObject, RowKind, Value};

use super::{is_whole, plural, shorten, value, width};
use crate::output::{Look, Paint};

/// Does its line tell all of a value in so many columns, so that nothing is opened below it?
pub(super) fn is_shown_whole(shown: &Value, columns: usize) -> bool {
    is_whole(shown) && width(&value(shown)) <= columns
}

/// How what an object holds changed: as it is now, and as it was before. `None` if that was not its content.
pub(super) fn held_changes(
    object: &ReachableObject,
    columns: usize,
    paint: Paint,
) -> Option<Vec<String>> {
    let start = object.start.as_ref()?;
    let now = object.object.as_ref()?;
    let held = match &now.kind {
        Some(Kind::Object(now)) => now.held.as_ref()?,
        _ => return None,
    };
    let was_known = match &start.kind {
        Some(Kind::Object(start)) => start
            .held
            .as_ref()
            .is_some_and(|held| held.not_recorded.is_empty()),
        _ => false,
    };
    if was_known && now == start {
        let same = format!("{AS_BEFORE}{}", value(now));
        return Some(vec![paint.text(Look::Faint, shorten(&same, columns))]);
    }
    if let (Some(from), Some(to)) = (rest_of(start), rest_of(now)) {
        return Some(moved(start, from, now, to, columns, paint));
    }
    let (now, before) = (value(now), value(start));
    // Of what is longer than its line the items that changed tell more.
    let cut = (held.items.len() as u64) < held.length || width(&now).max(width(&before)) > columns;
    if cut && was_known && object.rows.iter().any(|row| row.changed) {
        return None;
    }
    let (now, before) = apart(&now, &before, columns.saturating_sub(width(WAS)));
    let mut lines = vec![paint.text(Look::Changed, now)];
    if was_known {
        lines.push(paint.text(Look::Faint, format!("{WAS}{before}")));
    }
    Some(lines)
}

/// Is it an iterator: does it hold what comes next?
pub(super) fn is_iterator(shown: &Value) -> bool {
    rest_of(shown).is_some()
}

fn rest_of(shown: &Value) -> Option<&Held> {
    match &shown.kind {
        Some(Kind::Object(object)) => object
            .held
            .as_ref()
            .filter(|held| held.kind() == HeldKind::Next),
        _ => None,
    }
}

/// How an iterator moved: what it has before itself now, and what it had.
fn moved(
    start: &Value,
    from: &Held,
    now: &Value,
    to: &Held,
    columns: usize,
    paint: Paint,
) -> Vec<String> {
    let mut lines = vec![paint.text(Look::Changed, shorten(&value(now), columns))];
    let (left, before) = (to.length, from.length);
    let before = format!("{left} left; before it were {before}: {}", value(start));
    lines.push(paint.text(Look::Faint, shorten(&before, columns)));
    lines
}

/// Stands before what an object held at first.
const WAS: &str = "was ";
/// It was changed, and changed back.
const AS_BEFORE: &str = "in the end as before: ";

/// Two texts in so many columns each, so that the first difference can be seen.
fn apart(one: &str, other: &str, columns: usize) -> (String, String) {
    /// Of what both begin with, so much is shown before the difference.
    const AHEAD: usize = 12;
    let pairs = one.chars().zip(other.chars());
    let same = pairs.take_while(|(one, other)| one == other).count();
    if width(one).max(width(other)) <= columns || same + AHEAD < columns {
        return (
            shorten(one, columns).into_owned(),
            shorten(other, columns).into_owned(),
        );
    }
    // The first word is the class, the second the number.
    let head: usize = one
        .split(' ')
        .take(2)
        .map(|word| word.chars().count() + 1)
        .sum();
    let cut = |text: &str| {
        let head: String = text.chars().take(head.min(columns / 3)).collect();
        let rest: String = text.chars().skip(same.saturating_sub(AHEAD)).collect();
        shorten(&format!("{head}… {rest}"), columns).into_owned()
    };
    (cut(one), cut(other))
}

/// An object that was made meanwhile, where its one line tells all of it.
pub(super) fn made(object: &ReachableObject, columns: usize, paint: Paint) -> Option<String> {
    let shown = object.object.as_ref()?;
    let is_new = !object.rows.is_empty()
        && object
            .rows
            .iter()
            .all(|row| row.start.is_none() && row.kind() == RowKind::Field);
    (is_new && has_parts(shown) && is_whole(shown))
        .then(|| paint.text(Look::Changed, shorten(&value(shown), columns)))
}

fn has_parts(shown: &Value) -> bool {
    matches!(&shown.kind, Some(Kind::Object(object)) if object.held.is_some())
}

/// Is it a call that Java makes by itself, or that only walks over something: `Object.<init>`, iterators, the
/// concatenation of strings? Nobody asks whether those are right.
pub fn is_noise(call: &Call) -> bool {
    if !call.boundary || call.descendants > 0 || call.exception.is_some() {
        return false;
    }
    match (call.class.as_str(), call.method.as_str()) {
        ("java.lang.Object", "<init>") | ("java.lang.Record", "<init>") => true,
        (_, "makeConcatWithConstants") => true,
        (class, "hasNext" | "next" | "hasPrevious" | "previous") => is_class_of_iterators(class),
        (_, "iterator" | "listIterator") => call.arguments.is_empty(),
        _ => false,
    }
}

fn is_class_of_iterators(class: &str) -> bool {
    let simple = class.rsplit(['.', '$']).next().unwrap_or(class);
    class.starts_with("java.") && (simple.contains("It") || simple.ends_with("Iterator"))
}

/// What stands in the place of calls that were left out.
pub fn noise_line(calls: u64) -> String {
    let what = plural(calls, "call");
    format!("· {what} of iterators, Object.<init>, string concatenation (--noise)")
}

#[cfg(test)]
mod tests {
    use jhyde_proto::v1::{Held, HeldItem, HeldKind, Object};

    use super::*;

    fn list(display: &str, items: usize, length: u64) -> Value {
        let item = HeldItem {
            value: Some(Value {
                kind: Some(Kind::Int(1)),
                ..Value::default()
            }),
            ..HeldItem::default()
        };
        let object = Object {
            id: 7,
            class: "java.util.ArrayList".into(),
            held: Some(Held {
                kind: HeldKind::List.into(),
                items: vec![item; items],
                length,
                ..Held::default()
            }),
            ..Object::default()
        };
        Value {
            kind: Some(Kind::Object(object.into())),
            display: display.to_owned(),
            ..Value::default()
        }
    }

    #[test]
    fn what_its_line_tells_is_not_opened() {
        assert!(is_shown_whole(
            &list("ArrayList[2] list#7 [1, 1]", 2, 2),
            60
        ));
        assert!(!is_shown_whole(
            &list("ArrayList[9] list#7 [1, 1, … 7 more]", 2, 9),
            60
        ));
        assert!(!is_shown_whole(&list(&"1, ".repeat(40), 2, 2), 60));
    }

    #[test]
    fn a_change_shows_both_times() {
        let mut object = ReachableObject {
            object: Some(list("[1, 1]", 2, 2)),
            start: Some(list("[1]", 1, 1)),
            ..ReachableObject::default()
        };
        let lines = held_changes(&object, 60, Paint::new(false)).expect("it is a content");
        assert_eq!(lines, ["[1, 1]", "was [1]"]);
        // Of a long one the items that changed are told instead.
        object.object = Some(list(&"1, ".repeat(40), 2, 2));
        object.rows.push(jhyde_proto::v1::StateRow {
            changed: true,
            ..Default::default()
        });
        assert_eq!(held_changes(&object, 60, Paint::new(false)), None);
        object.start = object.object.clone();
        let same = held_changes(&object, 40, Paint::new(false)).expect("it is a content");
        assert_eq!(same.len(), 1);
        assert!(
            same[0].starts_with("in the end as before: 1, 1"),
            "{same:?}"
        );
    }

    #[test]
    fn a_difference_far_behind_is_shown() {
        let list = |last: &str| format!("ArrayDeque[3] list#7 [{}{last}]", "x, ".repeat(40));
        let (one, other) = apart(&list("new"), &list("old"), 50);
        assert!(
            one.starts_with("ArrayDeque[3] li… ") && one.ends_with("new]"),
            "{one}"
        );
        assert!(other.ends_with("old]") && width(&other) <= 50, "{other}");
        assert_eq!(
            apart("a b", "a c", 10),
            ("a b".to_owned(), "a c".to_owned())
        );
    }

    #[test]
    fn noise_is_what_nobody_asks_about() {
        let call = |class: &str, method: &str| Call {
            class: class.into(),
            method: method.into(),
            boundary: true,
            ..Call::default()
        };
        assert!(is_noise(&call("java.lang.Object", "<init>")));
        assert!(is_noise(&call("java.util.ArrayList$Itr", "next")));
        assert!(is_noise(&call("java.util.List", "iterator")));
        assert!(!is_noise(&call("java.util.Scanner", "next")));
        assert!(!is_noise(&call("java.util.List", "add")));
        let of_scope = Call {
            boundary: false,
            ..call("java.lang.Object", "<init>")
        };
        assert!(!is_noise(&of_scope));
    }
}
