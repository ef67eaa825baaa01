//! What is told of what arrays and collections hold.

use std::fmt::Write as _;

use jhyde_history::exact::{Exact, Inside};
use jhyde_trace::{ThreadId, Timestamp, Value};

use super::walk::Walk;
use crate::error::Result;

impl Walk<'_> {
    /// What an array or a collection holds.
    pub(super) fn data_structure(
        &mut self,
        thread: ThreadId,
        value: Value,
        place: &str,
        at: Timestamp,
    ) -> Result<()> {
        /// So many elements are told.
        const MOST: u32 = 1000;
        let Value::Object(object) = value else {
            return Ok(());
        };
        let inside = self.history.inside(object, at)?;
        let mut length = None;
        let contents = match inside {
            Inside::Array(all) => {
                length = Some(all).filter(|all| *all > MOST);
                let mut terms = Vec::new();
                for index in 0..all.min(MOST) {
                    let element = self.history.exact_element(object, index, at)?;
                    terms.push(match element {
                        Exact::Value(value) => self.value(value)?,
                        _ => "'not recorded'".to_owned(),
                    });
                }
                format!("[{}]", terms.join(", "))
            }
            Inside::Items(values) => self.values(&values)?,
            Inside::Entries(entries) => {
                let mut terms = String::new();
                for (at, (key, value)) in entries.into_iter().enumerate() {
                    let (key, value) = (self.value(key)?, self.value(value)?);
                    let comma = if at > 0 { ", " } else { "" };
                    let _ = write!(terms, "{comma}{key}-{value}");
                }
                format!("[{terms}]")
            }
            Inside::Text(_) | Inside::Fields | Inside::Unknown(_) => return Ok(()),
        };
        let term = format!("datastructure({place}, {contents})");
        let number = self.tell(thread, at, &term)?;
        if let Some(length) = length {
            self.line(&format!("cut({number}, {length})."))?;
        }
        Ok(())
    }
}
