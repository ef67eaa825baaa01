//! How things look to people: values, calls, events, tables, trees. Nothing here asks or writes; it
//! makes text.
//!
//! Everything that comes from a recording passes through [`clean`]: a recorded program must not be able
//! to send control sequences to the terminal of whoever looks at it.

mod call;
mod contents;
mod event;
mod jvm;
mod place;
mod rows;
mod slice;
mod source;
mod table;
mod tree;
mod units;
mod value;

use std::borrow::Cow;

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

pub use call::{Detail, call_line, call_name, classification, head, simple_class};
pub use contents::{is_noise, noise_line};
pub use event::{changed_cells, event_cells, event_line, mark, room, row_cells};
pub(crate) use jvm::{Listed, jvm_advice, jvm_table};
pub use place::{call_place, place};
pub use rows::{Objects, Side, ValueLine, changes, object_lines, row_name, state_cells};
pub use slice::{in_order, step_line};
pub use source::{Listing, ListingLine, ListingValue, listing_lines, mentioned};
pub use table::{Cell, Table};
pub use tree::{ThreadHeads, TreeDrawing};
pub use units::{age, count, date, now_ms, plural, size};
pub use value::{compact, ended, is_whole, shorten_value, value, value_or};

/// Text without control characters: they are written as escapes.
pub fn clean(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_unfit) {
        return Cow::Borrowed(text);
    }
    let mut cleaned = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '\n' => cleaned.push_str("\\n"),
            '\r' => cleaned.push_str("\\r"),
            '\t' => cleaned.push_str("\\t"),
            c if is_unfit(c) => cleaned.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => cleaned.push(c),
        }
    }
    Cow::Owned(cleaned)
}

/// Control characters, and those that turn the direction of the text around them.
fn is_unfit(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}')
}

/// How many columns a text takes.
pub fn width(text: &str) -> usize {
    text.width()
}

/// The text in at most so many columns, with an ellipsis if it was cut.
pub fn shorten(text: &str, columns: usize) -> Cow<'_, str> {
    if width(text) <= columns {
        return Cow::Borrowed(text);
    }
    let mut used = 1;
    let mut end = 0;
    for (start, c) in text.char_indices() {
        used += c.width().unwrap_or(0);
        if used > columns {
            break;
        }
        end = start + c.len_utf8();
    }
    Cow::Owned(format!("{}…", text.get(..end).unwrap_or_default()))
}

/// Our own colour sequences taken out again, to count columns.
fn without_colours(text: &str) -> String {
    let mut bare = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        if c == '\u{1b}' {
            rest.find(|&c| c == 'm');
        } else {
            bare.push(c);
        }
    }
    bare
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_do_not_reach_the_terminal() {
        assert_eq!(clean("plain äöü 漢"), "plain äöü 漢");
        assert_eq!(clean("a\u{1b}[31mb\n\t\u{7}"), "a\\u001b[31mb\\n\\t\\u0007");
        assert_eq!(clean("x\u{202e}y"), "x\\u202ey");
    }

    #[test]
    fn shortening_counts_columns() {
        assert_eq!(shorten("abcdef", 6), "abcdef");
        assert_eq!(shorten("abcdefg", 6), "abcde…");
        assert_eq!(shorten("漢字漢字", 5), "漢字…");
        assert_eq!(shorten("abc", 0), "…");
    }
}
