//! A look at records that have come and whose turn it is not yet.

use std::rc::Rc;

use super::{Cursor, Line, Log, Record};

/// So many lines are looked at.
const FAR: usize = 1 << 8;

/// What is ahead of the object that a constructor makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ahead {
    /// Its hash and its class.
    Told { hash: u32, class: Rc<str> },
    /// Nothing so far.
    NotYet,
    /// Nothing that would be certain.
    Never,
}

impl Log {
    /// The object that a constructor makes which has just begun, called by code out of the scope. `constructs`: is the method of this
    /// number a constructor?
    ///
    /// It is told where the constructors above it have run ([`Record::Born`]): others that begin and end until then tell
    /// theirs before it. Behind an exception nothing says which of them have ended without a word.
    pub(crate) fn born_ahead(&mut self, constructs: impl Fn(u32) -> bool) -> Ahead {
        // Mostly it is what comes next, with its class before it. What makes no sense is found when it is its turn.
        let mut next = match self.peek() {
            Ok(Some(record)) => Some(Line::Record(record.clone())),
            Ok(None) => return Ahead::NotYet,
            Err(_) => return Ahead::Never,
        };
        let (mut open, mut at) = (0_u32, 0);
        // What is looked at here is read once more: what is known by then is what was known before it.
        let (mut classes, mut texts) = (None, None);
        for _ in 0..FAR {
            let line = match next.take() {
                Some(line) => line,
                None => {
                    let mut cursor = Cursor {
                        words: &self.words,
                        at,
                        classes: classes.as_ref().unwrap_or(&self.classes),
                        texts: texts.get_or_insert_with(|| self.texts.clone()),
                    };
                    let line = match cursor.record() {
                        Ok(Some(line)) => line,
                        Ok(None) => return Ahead::NotYet,
                        Err(_) => return Ahead::Never,
                    };
                    at = cursor.at;
                    line
                }
            };
            match line {
                Line::Name(number, name) => {
                    let classes = classes.get_or_insert_with(|| self.classes.clone());
                    classes.insert(number, name);
                }
                Line::Record(Record::Enter { method }) => open += u32::from(constructs(method)),
                Line::Record(Record::Born { hash, class }) => match open.checked_sub(1) {
                    Some(left) => open = left,
                    None => return Ahead::Told { hash, class },
                },
                Line::Record(record) if record.is_thrown() => return Ahead::Never,
                _ => {}
            }
        }
        Ahead::Never
    }
}
