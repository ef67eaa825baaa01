//! One call in one line: `MergeSort.merge #3 (a=int[2] array#5, la=0) = void  [1.7]  MergeSort.java:42`.

use std::borrow::Cow;

use jhyde_proto::v1::{Call, Classification};

use super::{call_place, clean, compact, ended, plural, shorten, shorten_value, without_colours};
use crate::output::{Look, Paint};

/// How much of a call is shown.
#[derive(Clone, Copy, Debug)]
pub struct Detail {
    /// Columns for one argument's or result's value.
    pub value_columns: usize,
    /// Columns for all arguments together.
    pub arguments_columns: usize,
    /// Id and place behind it.
    pub place: bool,
    /// Columns for the whole line, if it should not wrap: what tells least goes until it fits.
    pub room: Option<usize>,
    /// What is left out of it for want of room.
    pub(super) left_out: LeftOut,
}

/// What may be left out of a line, each with all that stands before it here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum LeftOut {
    Nothing,
    /// `this=` says of a call what the class before its name says.
    Receiver,
    /// Where its code begins; the id stays.
    Place,
    /// Arguments of which nothing but a number is known. What is left tells the call from others.
    Opaque,
}

impl Detail {
    /// Inside a sentence or a row that has its own place.
    pub const SHORT: Self = Self {
        value_columns: 20,
        arguments_columns: 40,
        place: false,
        room: None,
        left_out: LeftOut::Nothing,
    };
    /// Where it stands alone.
    pub const FULL: Self = Self {
        value_columns: 120,
        arguments_columns: 400,
        place: true,
        room: None,
        left_out: LeftOut::Nothing,
    };

    /// In a list, where lines should not wrap: as much as the terminal takes; more where there is none.
    pub fn list(terminal_columns: Option<usize>) -> Self {
        Self {
            value_columns: 32,
            arguments_columns: 200,
            place: true,
            room: terminal_columns,
            left_out: LeftOut::Nothing,
        }
    }

    /// Where it stands alone in a terminal.
    pub fn alone(terminal_columns: Option<usize>) -> Self {
        Self {
            place: false,
            room: terminal_columns,
            ..Self::FULL
        }
    }

    /// The same in a terminal of so many columns, behind some that are taken.
    pub fn within(self, terminal_columns: Option<usize>, taken: usize) -> Self {
        Self {
            room: terminal_columns,
            ..self
        }
        .indented(taken)
    }

    /// The same with less room by so many columns.
    pub fn indented(self, columns: usize) -> Self {
        Self {
            room: self.room.map(|room| room.saturating_sub(columns)),
            ..self
        }
    }

    /// What is tried when it does not fit, one after the other.
    fn tighter(self) -> [Self; 8] {
        use LeftOut::{Nothing, Opaque, Place, Receiver};
        [
            (32, 120, Nothing),
            (32, 120, Receiver),
            (32, 120, Place),
            (20, 120, Place),
            (14, 120, Place),
            (20, 64, Opaque),
            (12, 48, Opaque),
            (12, 24, Opaque),
        ]
        .map(|(value_columns, arguments_columns, left_out)| Self {
            value_columns: value_columns.min(self.value_columns),
            arguments_columns: arguments_columns.min(self.arguments_columns),
            left_out,
            ..self
        })
    }
}

/// A class's name without its package.
pub fn simple_class(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// `MergeSort.merge #3`.
pub fn call_name(call: &Call) -> String {
    format!(
        "{}.{} #{}",
        clean(simple_class(&call.class)),
        clean(&call.method),
        call.invocation
    )
}

/// Name, arguments and end of a call, painted, in the room that there is.
pub fn head(call: &Call, detail: Detail, paint: Paint) -> String {
    fitting(detail, |detail| whole_head(call, detail, paint))
}

/// The whole line; `folded` calls below it are not shown.
pub fn call_line(call: &Call, detail: Detail, folded: u64, paint: Paint) -> String {
    let line = fitting(detail, |detail| whole_line(call, detail, folded, paint));
    let id = format!("  [{}]", call.id);
    match detail.room {
        // Where nothing fits the id stays all the same: with it one asks for the rest.
        Some(room) if detail.place && !line.contains(&id) && room > id.len() + 8 => {
            let rest = Detail {
                place: false,
                ..detail.indented(id.len())
            };
            let line = fitting(rest, |detail| whole_line(call, detail, folded, paint));
            format!("{line}{}", paint.text(Look::Faint, id))
        }
        _ => line,
    }
}

/// The first of the detail's ways to write a line that fits; if none does, the beginning of the last.
fn fitting(detail: Detail, line: impl Fn(Detail) -> String) -> String {
    let mut text = line(detail);
    let Some(room) = detail.room else {
        return text;
    };
    for tighter in detail.tighter() {
        if super::width(&without_colours(&text)) <= room {
            return text;
        }
        text = line(tighter);
    }
    let bare = without_colours(&text);
    match super::width(&bare) <= room {
        true => text,
        false => shorten(&bare, room).into_owned(),
    }
}

fn whole_head(call: &Call, detail: Detail, paint: Paint) -> String {
    let class = format!("{}.", clean(simple_class(&call.class)));
    let name = format!("{} #{}", clean(&call.method), call.invocation);
    let arguments = arguments(call, detail);
    let end = ended(call);
    let end = shorten_end(&end, detail);
    let end_look = if call.exception.is_some() {
        Look::Changed
    } else {
        Look::Plain
    };
    if call.boundary {
        // A trusted leaf: there to be seen, not to be looked at first.
        let text = format!("{class}{name} ({arguments}) {end}");
        let look = if call.exception.is_some() {
            Look::Changed
        } else {
            Look::Faint
        };
        return paint.text(look, text.trim_end());
    }
    let mut line = format!(
        "{}{} ({arguments})",
        paint.text(Look::Faint, class),
        paint.text(Look::Strong, name),
    );
    if !end.is_empty() {
        line.push(' ');
        line.push_str(&paint.text(end_look, end));
    }
    line
}

fn whole_line(call: &Call, detail: Detail, folded: u64, paint: Paint) -> String {
    let mut line = whole_head(call, detail, paint);
    if let Some((word, look)) = classification(call) {
        line.push_str(&format!("  {}", paint.text(look, word)));
    }
    if call.already_running {
        line.push_str(&paint.text(Look::Faint, "  (ran before the recording began)"));
    }
    if folded > 0 {
        line.push_str(&paint.text(Look::Hint, format!("  … {} below", plural(folded, "call"))));
    }
    if detail.place {
        let place = if call.boundary || detail.left_out >= LeftOut::Place {
            String::new()
        } else {
            call_place(call)
        };
        let place = format!("  [{}]  {place}", call.id);
        line.push_str(&paint.text(Look::Faint, place.trim_end()));
    }
    line
}

/// How a debugging session classified it, if one did.
pub fn classification(call: &Call) -> Option<(&'static str, Look)> {
    match call.classification() {
        Classification::Unspecified => None,
        Classification::Valid => Some(("valid", Look::Good)),
        Classification::Invalid => Some(("invalid", Look::Bad)),
        Classification::Trusted => Some(("trusted", Look::Faint)),
        Classification::Unknown => Some(("unknown", Look::ChangedBelow)),
        Classification::Buggy => Some(("BUGGY", Look::Bad)),
        Classification::Inadmissible => Some(("inadmissible", Look::ChangedBelow)),
    }
}

fn arguments(call: &Call, detail: Detail) -> String {
    let receiver = call.receiver.as_ref().map(|v| ("this".into(), v));
    let receiver = receiver.filter(|_| detail.left_out < LeftOut::Receiver);
    let named = call
        .arguments
        .iter()
        .filter_map(|a| Some((clean(&a.name), a.value.as_ref()?)));
    let mut text = String::new();
    let mut is_short_of = false;
    for (name, shown) in receiver.into_iter().chain(named) {
        let shown = compact(shown);
        if detail.left_out >= LeftOut::Opaque && is_opaque(&shown) {
            is_short_of = true;
            continue;
        }
        let part = format!("{name}={}", shorten_value(&shown, detail.value_columns));
        // Whole arguments are left out: half of one says less than nothing.
        if !text.is_empty()
            && super::width(&text) + super::width(&part) + 2 > detail.arguments_columns
        {
            is_short_of = true;
            continue;
        }
        if !text.is_empty() {
            text.push_str(", ");
        }
        text.push_str(&part);
    }
    match (text.is_empty(), is_short_of) {
        (_, false) => text,
        (true, true) => "…".to_owned(),
        (false, true) => text + ", …",
    }
}

/// Is nothing known of the value but which object it is?
fn is_opaque(shown: &str) -> bool {
    let id = shown.rsplit(' ').next().unwrap_or(shown);
    id.starts_with("object#") || id.starts_with("array#")
}

fn shorten_end(text: &str, detail: Detail) -> Cow<'_, str> {
    // Exceptions carry a message, which is what one wants to read.
    let columns = if text.starts_with("threw") {
        detail.value_columns * 2
    } else {
        detail.value_columns
    };
    match text.split_once(' ') {
        Some((word @ ("=" | "threw"), shown)) => {
            Cow::Owned(format!("{word} {}", shorten_value(shown, columns)))
        }
        _ => shorten(text, columns + 2),
    }
}

#[cfg(test)]
mod tests {
    use jhyde_proto::v1::value::Kind;
    use jhyde_proto::v1::{Argument, Value};

    use super::*;

    fn shown(text: &str) -> Option<Value> {
        Some(Value {
            kind: Some(Kind::Null(true)),
            display: text.to_owned(),
            ..Value::default()
        })
    }

    fn call() -> Call {
        let argument = |name: &str, text| Argument {
            name: name.to_owned(),
            value: shown(text),
            ..Argument::default()
        };
        Call {
            id: "1.42".into(),
            class: "shop.OrderBook".into(),
            method: "match".into(),
            invocation: 12,
            exit: Some(9),
            receiver: shown("OrderBook object#127"),
            arguments: vec![
                argument("order", "LimitOrder object#3041"),
                argument("listener", "OrderBook$Recorder object#88"),
                argument("quantity", "1500"),
                argument("symbol", "\"ACME\""),
            ],
            result: shown("ArrayDeque object#3050"),
            source_file: "OrderBook.java".into(),
            line: Some(117),
            ..Call::default()
        }
    }

    #[test]
    fn what_tells_least_goes_first() {
        let line = |room| call_line(&call(), Detail::list(Some(room)), 0, Paint::new(false));
        let has = |room, part: &str| line(room).contains(part);
        assert!(has(220, "this=OrderBook object#127") && has(220, "OrderBook.java:117"));
        for room in [80, 100, 120, 160] {
            assert!(super::super::width(&line(room)) <= room, "{}", line(room));
            for part in [
                "OrderBook.match #12",
                "[1.42]",
                "quantity=1500",
                "symbol=\"ACME\"",
            ] {
                assert!(has(room, part), "{room}: {}", line(room));
            }
        }
        assert!(!has(160, "this=") && has(160, "order=LimitOrder object#3041"));
        assert!(!has(80, "OrderBook.java"), "{}", line(80));
        assert!(super::super::width(&line(10)) <= 10);
    }
}
