//! Lines of source as people read them in an editor: numbered, one marked, values at their ends.

use super::{clean, shorten, width};
use crate::output::{Look, Paint};

/// Columns where there is no terminal to fit into.
const COLUMNS: usize = 120;
/// Columns that values get at least where they do not fit behind a line.
const VALUES: usize = 24;
/// The most columns of one value.
const ONE_VALUE: usize = 32;
/// Columns of a tab.
const TAB: usize = 4;

/// Lines of a source file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// As its class names it.
    pub file: String,
    /// Where it was found.
    pub origin: String,
    /// By rising number; numbers may be left out.
    pub lines: Vec<ListingLine>,
}

/// One line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListingLine {
    /// From 1.
    pub number: u32,
    /// Its text.
    pub text: String,
    /// Control was here.
    pub marked: bool,
    /// What the variables held that it mentions.
    pub values: Vec<ListingValue>,
}

/// A variable's value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListingValue {
    /// As code has it: `lc`, `this.size`, `return`.
    pub name: String,
    /// As text.
    pub value: String,
    /// It was written in the time that is shown.
    pub changed: bool,
}

/// A listing in lines of at most so many columns.
pub fn listing_lines(listing: &Listing, columns: Option<usize>, paint: Paint) -> Vec<String> {
    let columns = columns.unwrap_or(COLUMNS);
    let texts: Vec<String> = listing
        .lines
        .iter()
        .map(|line| spaced(&line.text))
        .collect();
    let indents = texts.iter().filter(|text| !text.is_empty());
    let indent = indents.map(|text| indent_of(text)).min().unwrap_or(0);
    let last = listing.lines.last().map_or(0, |line| line.number);
    let digits = last.to_string().len().max(3);
    let mut shown = Vec::with_capacity(texts.len());
    let mut before = None;
    for (line, text) in listing.lines.iter().zip(&texts) {
        if before.is_some_and(|before: u32| before + 1 < line.number) {
            shown.push(paint.text(Look::Faint, format!("  {:>digits$} ⋮", "")));
        }
        before = Some(line.number);
        let (mark, look) = match line.marked {
            true => ("▶", Look::Strong),
            false => (" ", Look::Plain),
        };
        let number = format!("{:>digits$} │", line.number);
        let code = clean(text.get(indent..).unwrap_or_default()).into_owned();
        // Mark, number and bar, and the spaces between.
        let room = columns.saturating_sub(digits + 5).max(VALUES);
        let (code, values) = beside(&code, &line.values, room, paint);
        let gutter = format!(
            "{} {}",
            paint.text(Look::Hint, mark),
            paint.text(Look::Faint, number)
        );
        let mut whole = format!("{gutter} {}", paint.text(look, &code));
        if !values.is_empty() {
            whole.push_str(&format!("  {values}"));
        }
        shown.push(whole.trim_end().to_owned());
    }
    shown
}

/// Code and values in so many columns: as many whole values as fit, and where they do not, less code.
fn beside(code: &str, values: &[ListingValue], room: usize, paint: Paint) -> (String, String) {
    if values.is_empty() {
        return (shorten(code, room).into_owned(), String::new());
    }
    let code = match width(code) + 2 + VALUES > room {
        true => {
            let wanted: usize = values.iter().map(|value| width(&part(value)) + 2).sum();
            let for_values = wanted.min(VALUES + 2);
            shorten(code, room.saturating_sub(for_values)).into_owned()
        }
        false => code.to_owned(),
    };
    let mut left = room.saturating_sub(width(&code));
    let mut shown = String::new();
    for value in values {
        let text = part(value);
        let needed = width(&text) + 2;
        if needed > left {
            if left > 2 && !shown.is_empty() {
                shown.push_str(&paint.text(Look::Faint, " …"));
            } else if left > 8 {
                shown.push_str(&paint.text(Look::Faint, shorten(&text, left - 2)));
            }
            break;
        }
        if !shown.is_empty() {
            shown.push_str("  ");
        }
        left -= needed;
        let look = if value.changed {
            Look::Changed
        } else {
            Look::Faint
        };
        shown.push_str(&paint.text(look, text));
    }
    (code, shown)
}

fn part(value: &ListingValue) -> String {
    let shown = shorten(&value.value, ONE_VALUE);
    let equals = if value.name == "exception" { ": " } else { "=" };
    format!("{}{equals}{shown}", clean(&value.name))
}

/// Tabs as spaces, and none at the end.
fn spaced(text: &str) -> String {
    let mut spaced = String::with_capacity(text.len());
    let mut column = 0;
    for c in text.trim_end().chars() {
        if c == '\t' {
            let to = (column / TAB + 1) * TAB;
            spaced.extend(std::iter::repeat_n(' ', to - column));
            column = to;
        } else {
            spaced.push(c);
            column += 1;
        }
    }
    spaced
}

fn indent_of(text: &str) -> usize {
    text.len() - text.trim_start_matches(' ').len()
}

/// The variables that a line of code may mention: `name`, or `this.name`. What stands in comments and quotes, behind a
/// dot or before a parenthesis, is none;
/// a lambda's parameters are variables of its own method alone.
pub fn mentioned(line: &str, in_lambda: bool) -> Vec<&str> {
    let others = match in_lambda {
        true => Vec::new(),
        false => lambda_parameters(line),
    };
    let mut names = names_in(line);
    names.retain(|name| !others.contains(name));
    names
}

/// The parameters of lambdas of a line: `x -> …`, `(x, y) -> …`, `(int x) -> …`.
fn lambda_parameters(line: &str) -> Vec<&str> {
    let mut parameters = Vec::new();
    for (at, _) in line.match_indices("->") {
        let before = line[..at].trim_end();
        match before
            .strip_suffix(')')
            .map(|list| list.rsplit('(').next().unwrap_or(list))
        {
            Some(list) => parameters.extend(list.split(',').filter_map(last_name)),
            None => parameters.extend(last_name(before)),
        }
    }
    parameters
}

fn last_name(text: &str) -> Option<&str> {
    let text = text.trim_end();
    let start = text
        .char_indices()
        .rev()
        .take_while(|(_, c)| is_name_part(*c))
        .last()?
        .0;
    Some(&text[start..])
}

fn names_in(line: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut rest = line;
    let mut behind_dot = false;
    while let Some(first) = rest.chars().next() {
        if rest.starts_with("//") {
            break;
        }
        if let Some(inside) = rest.strip_prefix("/*") {
            rest = inside.split_once("*/").map_or("", |(_, behind)| behind);
        } else if matches!(first, '"' | '\'') {
            rest = behind_quote(rest, first);
            behind_dot = false;
        } else if is_name_start(first) {
            let length = rest.find(|c| !is_name_part(c)).unwrap_or(rest.len());
            let length = match &rest[..length] {
                "this" => length + field_behind(&rest[length..]),
                _ => length,
            };
            let (name, behind) = rest.split_at(length);
            if !behind_dot && !behind.trim_start().starts_with('(') {
                names.push(name);
            }
            rest = behind;
            behind_dot = false;
        } else {
            let digits = rest.find(|c: char| !is_name_part(c)).unwrap_or(rest.len());
            // A number takes the letters along: 0x1f, 10L.
            let length = if first.is_ascii_digit() {
                digits
            } else {
                first.len_utf8()
            };
            rest = &rest[length..];
            behind_dot = match first {
                '.' => true,
                c if c.is_whitespace() => behind_dot,
                _ => false,
            };
        }
    }
    names
}

/// The length of `.name` behind `this`.
fn field_behind(text: &str) -> usize {
    let Some(name) = text
        .strip_prefix('.')
        .filter(|name| name.starts_with(is_name_start))
    else {
        return 0;
    };
    1 + name.find(|c| !is_name_part(c)).unwrap_or(name.len())
}

/// What follows a literal that begins here.
fn behind_quote(text: &str, quote: char) -> &str {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return &text[at + c.len_utf8()..],
            _ => {}
        }
    }
    ""
}

fn is_name_start(c: char) -> bool {
    c.is_alphabetic() || matches!(c, '_' | '$')
}

fn is_name_part(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(name: &str, value: &str) -> ListingValue {
        ListingValue {
            name: name.into(),
            value: value.into(),
            changed: false,
        }
    }

    fn line(number: u32, text: &str, values: Vec<ListingValue>) -> ListingLine {
        ListingLine {
            number,
            text: text.into(),
            marked: number == 53,
            values,
        }
    }

    fn listing(lines: Vec<ListingLine>) -> Listing {
        Listing {
            lines,
            ..Listing::default()
        }
    }

    fn shown(listing: &Listing, columns: Option<usize>) -> Vec<String> {
        listing_lines(listing, columns, Paint::new(false))
    }

    #[test]
    fn lines_as_in_an_editor() {
        let listing = listing(vec![
            line(9, "    void f() {", vec![]),
            line(
                52,
                "\t\twhile (la < ra)",
                vec![value("la", "1"), value("ra", "2")],
            ),
            line(
                53,
                "            c[lb++] = a[la++];  ",
                vec![value("lb", "3")],
            ),
            line(54, "", vec![]),
        ]);
        assert_eq!(
            shown(&listing, Some(60)),
            [
                "    9 │ void f() {",
                "      ⋮",
                "   52 │     while (la < ra)  la=1  ra=2",
                "▶  53 │         c[lb++] = a[la++];  lb=3",
                "   54 │",
            ]
        );
    }

    #[test]
    fn no_line_is_wider_than_the_terminal() {
        let many = (0..9).map(|n| value(&format!("name{n}"), &"9".repeat(40)));
        let wide = "漢".repeat(60);
        let listing = listing(vec![
            line(1, &"x".repeat(1 << 20), vec![]),
            line(2, &"y".repeat(200), many.clone().collect()),
            line(3, "short();", many.collect()),
            line(4, &wide, vec![value("a", "1")]),
            line(100_000, "\t\t\tz", vec![value("漢字", &wide)]),
        ]);
        for columns in [40, 80, 120] {
            for line in shown(&listing, Some(columns)) {
                assert!(
                    width(&line) <= columns,
                    "{} of {columns}: {line}",
                    width(&line)
                );
            }
        }
        let lines = shown(&listing, Some(80));
        assert!(
            lines[1].contains("…") && lines[1].contains("name0="),
            "{}",
            lines[1]
        );
        assert!(
            lines[2].contains("name0=") && lines[2].ends_with('…'),
            "{}",
            lines[2]
        );
        assert!(lines[3].ends_with("a=1"), "{}", lines[3]);
    }

    #[test]
    fn a_program_cannot_write_to_the_terminal() {
        let listing = listing(vec![line(
            1,
            "a\u{1b}[2J\u{202e}b",
            vec![value("x", "\u{7}")],
        )]);
        let lines = shown(&listing, None);
        assert!(!lines[0].contains(['\u{1b}', '\u{202e}']), "{lines:?}");
    }

    #[test]
    fn names_in_code() {
        let of = |line| mentioned(line, false);
        assert_eq!(of("c[lb++] = a[la++];"), ["c", "lb", "a", "la"]);
        assert_eq!(
            of("this.size = other.size + size(x) + this . y;"),
            ["this.size", "other", "x", "this"]
        );
        assert_eq!(of("f(\"a \\\" b\", 'c', '\\'', d) // e"), ["d"]);
        assert_eq!(of("a /* b */ c /* d"), ["a", "c"]);
        assert_eq!(of("0x1f + 10L + 1e5 + äöü"), ["äöü"]);
        assert_eq!(
            of("f = price -> side.accepts(limit, price);"),
            ["f", "side", "limit"]
        );
        assert_eq!(of("(int a, b) -> a + b + c"), ["int", "c"]);
        assert_eq!(mentioned("x -> x + y", true), ["x", "x", "y"]);
        assert_eq!(of("\"open"), [""; 0]);
        assert_eq!(of("漢\u{0}字"), ["漢", "字"]);
    }
}
