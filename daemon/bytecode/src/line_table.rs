//! Line tables: which source line the code at an index belongs to.

use std::collections::BTreeMap;

/// One entry of a line table: from `start` on, up to the next entry, code belongs to `line`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LineEntry {
    /// Index in the code.
    pub start: u32,
    /// Source line, from 1.
    pub line: u32,
}

/// Code index to source line (JVMS §4.7.12, JDWP `Method.LineTable`).
///
/// Entries may come in any order, and a line may have many. Code before the first entry has no
/// line. Of several entries with one start the last given wins, as in the JDWP back end's step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineTable {
    /// Ascending, one per start.
    entries: Vec<LineEntry>,
}

impl LineTable {
    /// A table of these entries.
    pub fn new(entries: impl IntoIterator<Item = LineEntry>) -> Self {
        let mut by_start = BTreeMap::new();
        for entry in entries {
            by_start.insert(entry.start, entry.line);
        }
        let entries = by_start
            .into_iter()
            .map(|(start, line)| LineEntry { start, line })
            .collect();
        Self { entries }
    }

    /// The entries by start, one per start.
    pub fn entries(&self) -> &[LineEntry] {
        &self.entries
    }

    /// The line of the code at this index.
    pub fn line_at(&self, index: u32) -> Option<u32> {
        let after = self.entries.partition_point(|entry| entry.start <= index);
        Some(self.entries.get(after.checked_sub(1)?)?.line)
    }

    /// No entries: compiled without line numbers.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_entry_at_or_before_an_index_tells_its_line() {
        let entry = |(start, line)| LineEntry { start, line };
        let table = LineTable::new([(4, 7), (0, 5), (4, 6)].map(entry));
        assert_eq!(
            table.entries().len(),
            2,
            "the later of two with one start wins"
        );
        assert_eq!(
            [0, 3, 4, 90].map(|index| table.line_at(index)),
            [5, 5, 6, 6].map(Some)
        );
        assert_eq!(LineTable::new([entry((2, 1))]).line_at(1), None);
        assert!(LineTable::default().is_empty());
    }
}
