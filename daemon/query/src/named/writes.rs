//! The writes of one variable, read as they are taken.

use jhyde_history::writes::{WriteList, WriteRow};
use jhyde_trace::Variable;

use crate::error::Result;
use crate::prepared::Ask;

/// So many writes are read at once.
const PAGE: usize = 500;

/// The writes of one variable in the span, which are read as they are taken.
#[derive(Debug)]
pub(crate) struct Writes {
    list: WriteList,
    /// Where those that are not read yet begin; `None`: there are none.
    next: Option<String>,
    read: std::vec::IntoIter<WriteRow>,
}

impl Writes {
    pub(crate) fn of(ask: &Ask<'_>, variable: Variable) -> Self {
        Self {
            list: WriteList {
                variable,
                from: Some(ask.span.from),
                to: Some(ask.span.until),
                newest_first: false,
            },
            next: Some(String::new()),
            read: Vec::new().into_iter(),
        }
    }

    /// The next one. At most so many are read with it.
    pub(crate) fn next(&mut self, ask: &Ask<'_>, most: usize) -> Result<Option<WriteRow>> {
        loop {
            if let Some(row) = self.read.next() {
                return Ok(Some(row));
            }
            let Some(token) = self.next.take() else {
                return Ok(None);
            };
            let page = u32::try_from(most.clamp(1, PAGE)).unwrap_or(1);
            let found = ask.history.writes(&self.list, page, &token)?;
            found.notes.into_iter().for_each(|note| ask.note(note));
            self.next = found.page.next;
            self.read = found.page.rows.into_iter();
        }
    }
}

/// Hands all of them over.
pub(crate) fn each_write(
    ask: &Ask<'_>,
    variable: Variable,
    each: &mut dyn FnMut(WriteRow) -> Result<()>,
) -> Result<()> {
    let mut writes = Writes::of(ask, variable);
    while let Some(row) = writes.next(ask, PAGE)? {
        each(row)?;
    }
    Ok(())
}
