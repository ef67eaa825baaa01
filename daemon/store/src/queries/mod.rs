//! The questions to a recording, by theme; all are methods of [`crate::Recording`].

pub(crate) mod ahead;
mod calls;
mod contents;
pub(crate) mod events;
pub(crate) mod extent;
pub(crate) mod gaps;
mod methods;
mod of_method;
mod referring;
mod variables;

use std::collections::VecDeque;
use std::ops::Range;

use jhyde_trace::{Block, Levels, Timestamp};

use crate::error::Result;
use crate::index::Key;
use crate::recording::Rows;
use crate::records::Direction;
use crate::view::View;

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

/// Rows from the blocks that may have a key: `look` finds the positions of a block, rising, and `row` makes rows of them.
pub(crate) fn rows_with<T: Send + 'static>(
    view: View,
    key: Key,
    range: &Range<Timestamp>,
    direction: Direction,
    look: impl Fn(&Block, Range<usize>) -> Vec<usize> + Send + 'static,
    row: impl Fn(&Levels, &Block, usize) -> Option<T> + Copy + Send + 'static,
) -> Rows<T> {
    let Some((range, start)) = view.clip(range, direction) else {
        return known([]);
    };
    let mut next = Some(start);
    pages(move || {
        let ordinal = match view.candidate(key, next.take()?, direction) {
            Ok(found) => found?,
            Err(error) => return Some(Err(error)),
        };
        if view.is_past(ordinal, &range, direction) {
            return None;
        }
        next = view.step(ordinal, direction);
        let block = match view.block(ordinal) {
            Ok(block) => block,
            Err(error) => return Some(Err(error)),
        };
        let mut found = look(&block, events::positions(&block, &range));
        if direction == Direction::Backward {
            found.reverse();
        }
        let levels = view.levels.clone();
        let rows = found.into_iter();
        Some(Ok(Box::new(
            rows.filter_map(move |at| row(&levels, &block, at)),
        )))
    })
}
