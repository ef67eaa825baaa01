//! The numbers of rows of table functions.
//!
//! Where a condition has an OR, SQLite looks a table up once for each part, and takes rows of one number for one row. Rows of a table function are rows
//! of its arguments, too: they are numbered as they are met. It is asked of no other statements.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The arguments, and the number of the row among those of these arguments.
type Met = HashMap<(Arc<str>, u64), i64>;

/// Those of one table, in one statement.
#[derive(Clone, Debug, Default)]
pub(super) struct Numbers(Arc<Mutex<Met>>);

impl Numbers {
    /// The number of a row: the same for the same row, and another for any other.
    pub(super) fn of(&self, arguments: &Arc<str>, number: u64) -> i64 {
        let mut met = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let next = i64::try_from(met.len()).unwrap_or(i64::MAX);
        *met.entry((Arc::clone(arguments), number)).or_insert(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_other_arguments_are_others() {
        let numbers = Numbers::default();
        let [one, two] = ["1.1", "1.2"].map(Arc::from);
        let told = [
            numbers.of(&one, 0),
            numbers.of(&two, 0),
            numbers.of(&one, 1),
        ];
        assert_eq!(told, [0, 1, 2]);
        assert_eq!(numbers.of(&two, 0), 1);
    }
}
