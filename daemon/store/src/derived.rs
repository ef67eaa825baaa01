//! Tables worked out anew, where the disk has lost a part of one that only repeats what the event blocks say.
//!
//! A question that meets a damaged part of such a table reads all event blocks once and makes the whole table
//! again, in memory, as [`crate::rows`] made it when the blocks were written; from then on the table is asked
//! there. So a damaged table costs time, and no answer. Where an event block is damaged too, the table cannot
//! be made: the question fails as it would have, since a table that lacks rows would give wrong answers. So it does
//! where such tables would take more than an eighth of the memory.
//! The index of variables is too large to be made so; see [`crate::view::View::candidate`].

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::OnceLock;

use jhyde_trace::Block;
use rocksdb::Direction;

use crate::database::{Database, KeyValue};
use crate::error::Result;
use crate::families::{self, Family};
use crate::rows::TableRows;

/// A table in memory.
#[derive(Debug, Default)]
pub(crate) struct Table {
    rows: BTreeMap<Box<[u8]>, Box<[u8]>>,
    /// About how many bytes it takes.
    pub(crate) bytes: usize,
}

/// What a row takes beside its bytes.
const ROW: usize = 56;

impl Table {
    fn put(&mut self, key: &[u8], value: &[u8]) {
        let before = self.rows.insert(key.into(), value.into());
        if before.is_none() {
            self.bytes += key.len() + value.len() + ROW;
        }
    }

    pub(crate) fn get(&self, key: &[u8]) -> Option<Vec<u8>> {
        self.rows.get(key).map(|value| value.to_vec())
    }

    /// The first row from `key` on, in either direction, `key` itself counted.
    pub(crate) fn nearest(&self, key: &[u8], direction: Direction) -> Option<KeyValue> {
        let key = Bound::Included(key);
        let all = Bound::Unbounded;
        let row = match direction {
            Direction::Forward => self.rows.range::<[u8], _>((key, all)).next(),
            Direction::Reverse => self.rows.range::<[u8], _>((all, key)).next_back(),
        };
        row.map(|(key, value)| (key.clone(), value.clone()))
    }

    /// All rows.
    pub(crate) fn all(&self) -> impl Iterator<Item = KeyValue> {
        let rows = self.rows.iter();
        rows.map(|(key, value)| (key.clone(), value.clone()))
    }
}

/// The tables of a database that were damaged, as far as somebody asked for them.
#[derive(Debug)]
pub(crate) struct Derived {
    /// By position in [`families::ALL`]; `None` in it where the blocks are damaged, too.
    tables: [OnceLock<Option<Table>>; families::ALL.len()],
}

impl Default for Derived {
    fn default() -> Self {
        Self {
            tables: [const { OnceLock::new() }; families::ALL.len()],
        }
    }
}

impl Derived {
    fn slot(&self, family: Family) -> Option<&OnceLock<Option<Table>>> {
        let at = families::ALL.iter().position(|known| *known == family)?;
        self.tables.get(at)
    }

    /// A table that was worked out before.
    pub(crate) fn known(&self, family: Family) -> Option<&Table> {
        self.slot(family)?.get()?.as_ref()
    }

    /// Bytes of all tables that were worked out.
    pub(crate) fn bytes(&self) -> usize {
        let tables = self.tables.iter().filter_map(|table| table.get()?.as_ref());
        tables.map(|table| table.bytes).sum()
    }
}

impl Database {
    /// A table worked out from the event blocks; `None` if they do not say what it says, or cannot be read.
    pub(crate) fn derive(&self, family: Family) -> Option<&Table> {
        if !family.derived {
            return None;
        }
        let table = self.derived.slot(family)?.get_or_init(|| {
            let made = self.make(family);
            let told = match &made {
                Ok(_) => "it is worked out anew from the events",
                Err(error) => &error.to_string(),
            };
            tracing::warn!(
                recording = self.recording(),
                table = family.name,
                "a table is damaged: {told}"
            );
            made.ok()
        });
        table.as_ref()
    }

    fn make(&self, family: Family) -> Result<Table> {
        let mut table = Table::default();
        let mut rows = TableRows::default();
        let mut end = 0;
        for entry in self.all_once(families::BLOCKS)? {
            let (key, bytes) = entry?;
            let what = || format!("event block {end}");
            let block = Block::decode(&bytes);
            let block = block.map_err(|error| self.damaged(what(), error.to_string()))?;
            if families::u64_at(&key, 0) != Some(end) || block.first().0 != end {
                return Err(self.damaged(what(), "it is not there"));
            }
            end = block.end().0;
            rows.of_block(&block, bytes.len(), |of, key, value| {
                if of == family {
                    table.put(key, value);
                }
                Ok(())
            })?;
            if self.derived.bytes() + table.bytes > self.most_derived() {
                let reason = "worked out from the events, it would not fit the memory";
                return Err(self.damaged(format!("table {}", family.name), reason));
            }
        }
        self.charge(table.bytes);
        Ok(table)
    }
}
