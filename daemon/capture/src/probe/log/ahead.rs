//! A look at records that have come and whose turn it is not yet.

use std::rc::Rc;

use super::{Cursor, Line, Log, Record};

/// So many lines are looked at.
const FAR: usize = 1 << 8;

impl Log {
    /// The object that a constructor makes which has just begun, called by code out of the scope: its hash and its class, if they
    /// have come. `constructs`: is the method of this number a constructor?
    ///
    /// It tells them where the constructors above it have run ([`Record::Born`]): others that begin and end until then tell
    /// theirs before it. Behind an exception nothing says which of them have ended without a word.
    pub(crate) fn born_ahead(
        &mut self,
        constructs: impl Fn(u32) -> bool,
    ) -> Option<(u32, Rc<str>)> {
        let mut open = 0_u32;
        let mut classes = None;
        // What is read ahead is not what was told last.
        let mut texts = None;
        let mut next = self.next.clone().map(Line::Record);
        let mut at = 0;
        for _ in 0..FAR {
            let line = match next.take() {
                Some(line) => line,
                None => {
                    let texts = texts.get_or_insert_with(|| self.texts.clone());
                    let mut cursor = Cursor {
                        words: &self.words,
                        at,
                        classes: classes.as_ref().unwrap_or(&self.classes),
                        texts,
                    };
                    // What makes no sense is found when it is its turn.
                    let line = cursor.record().ok()??;
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
                    None => return Some((hash, class)),
                },
                Line::Record(record) if record.is_thrown() => return None,
                _ => {}
            }
        }
        None
    }
}
