//! One call in one line: `MergeSort.merge #3 (a=int[2] array#5, la=0) = void  [1.7]  MergeSort.java:42`.

use jhyde_proto::v1::{Call, Classification};

use super::{call_place, clean, ended, plural, shorten, value, without_colours};
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
    /// Columns for the whole line, if it should not wrap: values get shorter until it fits.
    pub room: Option<usize>,
}

impl Detail {
    /// Inside a sentence or a row that has its own place.
    pub const SHORT: Self = Self {
        value_columns: 20,
        arguments_columns: 40,
        place: false,
        room: None,
    };
    /// Where it stands alone.
    pub const FULL: Self = Self {
        value_columns: 120,
        arguments_columns: 400,
        place: true,
        room: None,
    };

    /// In a list, where lines should not wrap: as much as the terminal takes; more where there is none.
    pub fn list(terminal_columns: Option<usize>) -> Self {
        Self {
            value_columns: 32,
            arguments_columns: 200,
            place: true,
            room: terminal_columns,
        }
    }

    /// The same with less room by so many columns.
    pub fn indented(self, columns: usize) -> Self {
        Self {
            room: self.room.map(|room| room.saturating_sub(columns)),
            ..self
        }
    }

    /// What is tried when it does not fit.
    fn tighter(self) -> [Self; 3] {
        [(24, 96), (16, 48), (12, 24)].map(|(value_columns, arguments_columns)| Self {
            value_columns: value_columns.min(self.value_columns),
            arguments_columns: arguments_columns.min(self.arguments_columns),
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

/// Name, arguments and end of a call, painted.
pub fn head(call: &Call, detail: Detail, paint: Paint) -> String {
    let class = format!("{}.", clean(simple_class(&call.class)));
    let name = format!("{} #{}", clean(&call.method), call.invocation);
    let arguments = arguments(call, detail);
    let end = shorten_end(&ended(call), detail);
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

/// The whole line; `folded` calls below it are not shown.
pub fn call_line(call: &Call, detail: Detail, folded: u64, paint: Paint) -> String {
    let mut line = whole_line(call, detail, folded, paint);
    if let Some(room) = detail.room {
        for tighter in detail.tighter() {
            if super::width(&without_colours(&line)) <= room {
                break;
            }
            line = whole_line(call, tighter, folded, paint);
        }
    }
    line
}

fn whole_line(call: &Call, detail: Detail, folded: u64, paint: Paint) -> String {
    let mut line = head(call, detail, paint);
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
        let place = if call.boundary {
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
    }
}

fn arguments(call: &Call, detail: Detail) -> String {
    let receiver = call.receiver.as_ref().map(|v| ("this".into(), v));
    let named = call
        .arguments
        .iter()
        .filter_map(|a| Some((clean(&a.name), a.value.as_ref()?)));
    let mut text = String::new();
    for (name, shown) in receiver.into_iter().chain(named) {
        let part = format!("{name}={}", shorten_value(&value(shown), detail));
        let comma = if text.is_empty() { "" } else { ", " };
        // Whole arguments are left out: half of one says less than nothing.
        if !text.is_empty()
            && super::width(&text) + super::width(&part) + 2 > detail.arguments_columns
        {
            return text + ", …";
        }
        text.push_str(comma);
        text.push_str(&part);
    }
    text
}

/// A cut text still shows that it is one, and whose id it is: the id stands at the end.
fn shorten_value(text: &str, detail: Detail) -> String {
    match text.rsplit_once(' ') {
        Some((class, id)) if id.contains('#') && super::width(text) > detail.value_columns => {
            let room = detail
                .value_columns
                .saturating_sub(super::width(id) + 1)
                .max(6);
            format!("{} {id}", shorten(class, room))
        }
        _ => shorten(text, detail.value_columns).into_owned(),
    }
}

fn shorten_end(text: &str, detail: Detail) -> String {
    // Exceptions carry a message, which is what one wants to read.
    let columns = if text.starts_with("threw") {
        detail.value_columns * 2
    } else {
        detail.value_columns
    };
    shorten_value(
        text,
        Detail {
            value_columns: columns + 2,
            ..detail
        },
    )
}
