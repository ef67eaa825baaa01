//! Aligned columns.

use crate::output::{Look, Output};

use super::{shorten, shorten_value, width};
use crate::error::Error;

/// A column is not made narrower than this to fit the terminal.
const NARROWEST: usize = 14;
/// Space between columns.
const GAP: usize = 2;

/// One cell: its text, how it looks, how it is aligned.
#[derive(Clone, Debug)]
pub struct Cell {
    text: String,
    look: Look,
    right: bool,
    /// A value of the program, which is shortened so that one sees whose it is.
    value: bool,
}

impl Cell {
    /// Plain text.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            look: Look::Plain,
            right: false,
            value: false,
        }
    }

    /// Text with a look.
    pub fn with(look: Look, text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            look,
            right: false,
            value: false,
        }
    }

    /// A number: aligned to the right.
    pub fn number(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            look: Look::Plain,
            right: true,
            value: false,
        }
    }

    /// A value of the program.
    pub fn value(look: Look, text: impl Into<String>) -> Self {
        Self {
            value: true,
            ..Self::with(look, text)
        }
    }

    /// The same with another look.
    #[must_use]
    pub fn looking(self, look: Look) -> Self {
        Self { look, ..self }
    }

    /// Its text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Puts something before its text.
    pub fn set_in(&mut self, indent: &str) {
        self.text.insert_str(0, indent);
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}

impl From<std::borrow::Cow<'_, str>> for Cell {
    fn from(text: std::borrow::Cow<'_, str>) -> Self {
        Self::new(text)
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

/// Rows of cells under a heading.
#[derive(Clone, Debug, Default)]
pub struct Table {
    heading: Vec<String>,
    rows: Vec<Vec<Cell>>,
    indent: usize,
    /// Headings of columns that go where there is no room for all, the first first.
    dispensable: Vec<String>,
}

impl Table {
    /// A table with a heading; an empty one has none.
    pub fn new(heading: &[&str]) -> Self {
        let heading = heading.iter().map(|&name| name.to_owned()).collect();
        Self {
            heading,
            rows: Vec::new(),
            indent: 0,
            dispensable: Vec::new(),
        }
    }

    /// Where the terminal is too narrow, these columns are left out, the first first, before others become
    /// narrower than one can read.
    pub fn leaving_out(self, headings: &[&str]) -> Self {
        Self {
            dispensable: headings.iter().map(|&name| name.to_owned()).collect(),
            ..self
        }
    }

    /// Moved to the right by so many columns.
    pub fn indented(mut self, columns: usize) -> Self {
        self.indent = columns;
        self
    }

    /// One more row.
    pub fn row(&mut self, cells: Vec<Cell>) {
        self.rows.push(cells);
    }

    /// Has it no rows?
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Writes it, as narrow as the terminal where that is possible.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub fn write(&self, out: &mut Output) -> Result<(), Error> {
        for line in self.lines(out) {
            out.line(line)?;
        }
        Ok(())
    }

    fn lines(&self, out: &Output) -> Vec<String> {
        let mut whole = self.clone();
        whole.leave_out(out.width);
        whole.all_lines(out)
    }

    /// Leaves out columns until the others fit at their narrowest.
    fn leave_out(&mut self, available: Option<usize>) {
        let Some(available) = available else { return };
        let left_out = std::mem::take(&mut self.dispensable);
        for heading in left_out {
            let narrowest = self.natural_widths().into_iter().map(|w| w.min(NARROWEST));
            let needed = narrowest.sum::<usize>() + self.gaps();
            if needed <= available {
                return;
            }
            if let Some(column) = self.heading.iter().position(|name| *name == heading) {
                self.heading.remove(column);
                for row in self.rows.iter_mut().filter(|row| row.len() > column) {
                    row.remove(column);
                }
            }
        }
    }

    fn all_lines(&self, out: &Output) -> Vec<String> {
        let widths = self.widths(out.width);
        let heading = (!self.heading.is_empty()).then(|| {
            let right = |column: usize| {
                self.rows
                    .first()
                    .and_then(|row| row.get(column))
                    .is_some_and(|c: &Cell| c.right)
            };
            self.heading
                .iter()
                .enumerate()
                .map(|(column, name)| Cell {
                    text: name.clone(),
                    look: Look::Faint,
                    right: right(column),
                    value: false,
                })
                .collect::<Vec<_>>()
        });
        heading
            .iter()
            .chain(&self.rows)
            .map(|row| self.line(row, &widths, out))
            .collect()
    }

    fn line(&self, row: &[Cell], widths: &[usize], out: &Output) -> String {
        let mut line = " ".repeat(self.indent);
        // Spaces are written only before something that is seen: no line ends in them.
        let mut pending = 0;
        for (cell, &column) in row.iter().zip(widths) {
            let text = match cell.value {
                true => shorten_value(&cell.text, column),
                false => shorten(&cell.text, column),
            };
            let padding = column.saturating_sub(width(&text));
            let (before, after) = if cell.right {
                (padding, 0)
            } else {
                (0, padding)
            };
            if text.is_empty() {
                pending += before + after + GAP;
                continue;
            }
            line.push_str(&" ".repeat(pending + before));
            line.push_str(&out.paint.text(cell.look, &text));
            pending = after + GAP;
        }
        line
    }

    fn columns(&self) -> usize {
        let rows = self.rows.iter().map(Vec::len);
        rows.chain([self.heading.len()]).max().unwrap_or(0)
    }

    /// Columns of the terminal that are between columns of the table.
    fn gaps(&self) -> usize {
        GAP * self.columns().saturating_sub(1) + self.indent
    }

    /// What each column needs to be shown whole.
    fn natural_widths(&self) -> Vec<usize> {
        let mut widths = vec![0; self.columns()];
        for (widest, name) in widths.iter_mut().zip(&self.heading) {
            *widest = width(name);
        }
        for row in &self.rows {
            for (widest, cell) in widths.iter_mut().zip(row) {
                *widest = (*widest).max(width(&cell.text));
            }
        }
        widths
    }

    fn widths(&self, available: Option<usize>) -> Vec<usize> {
        let mut widths = self.natural_widths();
        let gaps = self.gaps();
        if let Some(available) = available {
            let mut excess = (widths.iter().sum::<usize>() + gaps).saturating_sub(available);
            // The widest column gives, column by column, until it fits or nothing can give any more.
            while excess > 0 {
                let Some(widest) = widths.iter_mut().max().filter(|w| **w > NARROWEST) else {
                    break;
                };
                *widest -= 1;
                excess -= 1;
            }
        }
        widths
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::Paint;

    fn output() -> Output {
        Output::to(std::io::sink(), Paint::new(false), false)
    }

    fn table() -> Table {
        let mut table = Table::new(&["NAME", "CALLS", "PROGRAM"]);
        table.row(vec!["demo".into(), Cell::number("7"), "java Main".into()]);
        table.row(vec!["漢字".into(), Cell::number("1,204"), "".into()]);
        table
    }

    #[test]
    fn columns_are_aligned_and_no_line_ends_in_spaces() {
        let lines = table().lines(&output());
        assert_eq!(
            lines,
            [
                "NAME  CALLS  PROGRAM",
                "demo      7  java Main",
                "漢字  1,204"
            ]
        );
    }

    #[test]
    fn a_narrow_terminal_cuts_the_widest_column() {
        let mut table = table();
        table.row(vec!["x".into(), Cell::number("1"), "a".repeat(80).into()]);
        let mut out = output();
        out.width = Some(40);
        for line in table.lines(&out) {
            assert!(width(&line) <= 40, "{line}");
        }
        assert!(table.lines(&out).concat().contains('…'));
    }

    #[test]
    fn what_tells_least_is_left_out_first() {
        let mut table = Table::new(&["NAME", "ID", "MADE", "PROGRAM"]).leaving_out(&["ID", "MADE"]);
        table.row(
            ["orders", "0123456789ab", "5 min ago", "java Main"]
                .map(Cell::new)
                .into(),
        );
        let mut out = output();
        for (width, heading) in [
            (60, "NAME    ID            MADE       PROGRAM"),
            (42, "NAME    ID            MADE       PROGRAM"),
            (30, "NAME    MADE       PROGRAM"),
            (20, "NAME    PROGRAM"),
        ] {
            out.width = Some(width);
            assert_eq!(table.lines(&out)[0], heading);
        }
    }

    #[test]
    fn colours_do_not_move_columns() {
        let mut table = Table::new(&[]);
        table.row(vec![Cell::with(Look::Changed, "ab"), "c".into()]);
        table.row(vec!["abc".into(), "d".into()]);
        let out = Output::to(std::io::sink(), Paint::new(true), false);
        assert_eq!(table.lines(&out), ["\u{1b}[31mab\u{1b}[0m   c", "abc  d"]);
    }
}
