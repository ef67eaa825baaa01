//! Where something stands in what somebody wrote.

use std::fmt;

use super::error::SqlError;
use super::script::Expanded;
use crate::error::Error;

/// A line and a column, from 1; columns are characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
}

impl Position {
    /// Where a byte of a text is.
    pub(super) fn of(text: &str, at: usize) -> Self {
        let mut at = at.min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        let before = &text[..at];
        let line = before.rsplit('\n').next().unwrap_or_default();
        Self {
            line: before.matches('\n').count() + 1,
            column: line.chars().count() + 1,
        }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// Where something is wrong with a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// There.
    At(Position),
    /// Somewhere in the statement that begins there: nothing tells more.
    In(Position),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::At(position) => write!(f, "{position}"),
            Self::In(position) => write!(f, "in the statement at {position}"),
        }
    }
}

impl Error {
    /// It is about what stands there.
    pub(super) fn at(self, place: Place) -> Self {
        Self::Placed {
            place,
            error: Box::new(self),
        }
    }

    /// It came while a statement was prepared or ran. What is said of the text, and of what the text asks for, gets its place if it
    /// has none yet; what is wrong with a recording has none.
    pub(super) fn within(self, of: &Expanded) -> Self {
        let named = match &self {
            // The table stands in the statement, or in a function that it uses.
            Self::Sql(SqlError::Level { table, .. }) => {
                of.word(table).and_then(|at| of.position(at))
            }
            Self::Sql(_) | Self::Unfit(_) => None,
            _ => return self,
        };
        match (named, of.begin()) {
            (Some(position), _) => self.at(Place::At(position)),
            (None, Some(position)) => self.at(Place::In(position)),
            (None, None) => self,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_in_characters() {
        let text = "SELECT 'ü' AS a,\n  b FRO";
        for (at, line, column) in [
            (text.find('a'), 1, 15),
            (text.find("FRO"), 2, 5),
            (text.find('ü').map(|at| at + 1), 1, 9),
            (Some(999), 2, 8),
        ] {
            assert_eq!(
                Position::of(text, at.unwrap_or(0)),
                Position { line, column }
            );
        }
    }
}
