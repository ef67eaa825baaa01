//! The questions to a recording, by theme; all are methods of [`crate::Recording`].

mod calls;
mod contents;
mod events;
pub(crate) mod gaps;
mod methods;
mod of_method;
mod referring;
mod variables;

use std::collections::VecDeque;

use crate::error::Result;
use crate::recording::Rows;

/// Rows from pages: `next_page` is asked again whenever the rows of the last page are used up, until
/// it says `None`. An error is one row; what comes behind it is asked for all the same.
pub(crate) fn pages<T: Send + 'static>(
    mut next_page: impl FnMut() -> Option<Result<Box<dyn Iterator<Item = T> + Send>>> + Send + 'static,
) -> Rows<T> {
    let mut page: Box<dyn Iterator<Item = T> + Send> = Box::new(std::iter::empty());
    Box::new(std::iter::from_fn(move || {
        loop {
            if let Some(row) = page.next() {
                return Some(Ok(row));
            }
            match next_page()? {
                Ok(next) => page = next,
                Err(error) => return Some(Err(error)),
            }
        }
    }))
}

/// Rows that are known already.
pub(crate) fn known<T: Send + 'static>(rows: impl IntoIterator<Item = Result<T>>) -> Rows<T> {
    let rows: VecDeque<_> = rows.into_iter().collect();
    Box::new(rows.into_iter())
}
