//! What a line can write: the analysis behind recording local variables at line granularity. From
//! code bytes and a line table alone; constant pool, exception table and variable table are not
//! needed. Which variable a slot is at some index is the variable table's matter.

use std::collections::BTreeMap;

use crate::decode::Code;
use crate::slots::SlotSet;

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

/// The run of instructions that control surely goes through from some index on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StraightLine {
    /// Slots that it writes.
    pub slots: SlotSet,
    /// The first index that is no longer part of it (the code's length at the end of the method).
    pub end: u32,
}

static NO_SLOTS: SlotSet = SlotSet::EMPTY;

/// Which slots each line of a method can write, and which it surely writes.
#[derive(Clone, Debug)]
pub struct LineStores {
    code: Code,
    lines: LineTable,
    targets: Vec<u32>,
    may_write: BTreeMap<u32, SlotSet>,
}

impl LineStores {
    /// Analyses a method.
    pub fn new(code: Code, lines: LineTable) -> Self {
        let mut may_write: BTreeMap<u32, SlotSet> = lines
            .entries()
            .iter()
            .map(|entry| (entry.line, SlotSet::EMPTY))
            .collect();
        for instruction in code.instructions() {
            let (Some(store), Some(line)) =
                (instruction.local_store(), lines.line_at(instruction.index))
            else {
                continue;
            };
            may_write.entry(line).or_default().insert(store.slot);
        }
        let targets = code.branch_targets();
        Self {
            code,
            lines,
            targets,
            may_write,
        }
    }

    /// The slots that some instruction of this line writes: all that a step over the line, with any
    /// jumps, loops and exceptions inside it, can have written. A `long` or `double` counts with
    /// its first slot. Empty for a line that the method does not have.
    pub fn may_write(&self, line: u32) -> &SlotSet {
        self.may_write.get(&line).unwrap_or(&NO_SLOTS)
    }

    /// Like [`may_write`](Self::may_write), of the line of this index. `None` where the code has
    /// no line: then any slot of the method may be written.
    pub fn may_write_at(&self, index: u32) -> Option<&SlotSet> {
        self.lines.line_at(index).map(|line| self.may_write(line))
    }

    /// The slots that execution from this index on surely writes before it leaves the line, unless
    /// an instruction raises an exception: those of the straight-line prefix.
    pub fn must_write(&self, from: u32) -> SlotSet {
        self.straight_line(from).slots
    }

    /// The straight-line prefix from `from` on: up to (and with) the first instruction that
    /// transfers control, or up to (and without) the first later one that some jump goes to or that
    /// has another line. Empty if no instruction starts at `from`.
    pub fn straight_line(&self, from: u32) -> StraightLine {
        let mut run = StraightLine {
            slots: SlotSet::default(),
            end: from,
        };
        let Some(first) = self.code.ordinal(from) else {
            return run;
        };
        let line = self.lines.line_at(from);
        for instruction in &self.code.instructions()[first..] {
            let index = instruction.index;
            let joined = index != from && self.targets.binary_search(&index).is_ok();
            if joined || self.lines.line_at(index) != line {
                break;
            }
            if let Some(store) = instruction.local_store() {
                run.slots.insert(store.slot);
            }
            run.end = instruction.next();
            if instruction.transfers_control() {
                break;
            }
        }
        run
    }

    /// The lines of the method, ascending, with what each may write.
    pub fn lines(&self) -> impl Iterator<Item = (u32, &SlotSet)> {
        self.may_write.iter().map(|(line, slots)| (*line, slots))
    }

    /// The decoded code.
    pub fn code(&self) -> &Code {
        &self.code
    }

    /// The line table.
    pub fn line_table(&self) -> &LineTable {
        &self.lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slots(set: &SlotSet) -> Vec<u16> {
        set.iter().collect()
    }

    fn table(entries: &[(u32, u32)]) -> LineTable {
        LineTable::new(
            entries
                .iter()
                .map(|&(start, line)| LineEntry { start, line }),
        )
    }

    /// A loop whose head and back jump are line 11, its body line 12, as javac lays out `for`.
    fn loop_code() -> LineStores {
        let bytes = [
            0x03, 0x3c, // 0 iconst_0, 1 istore_1
            0x1b, 0x10, 10, 0xa2, 0, 12, // 2 iload_1, 3 bipush 10, 5 if_icmpge 17
            0x09, 0x41, // 8 lconst_0, 9 lstore_2
            0x84, 1, 1, 0x00, // 10 iinc 1 1, 13 nop
            0xa7, 0xff, 0xf4, // 14 goto 2
            0xb1, // 17 return
        ];
        let lines = table(&[(10, 12), (0, 10), (2, 11), (14, 11), (17, 13)]);
        LineStores::new(Code::decode(&bytes).unwrap(), lines)
    }

    #[test]
    fn may_write_gathers_all_pieces_of_a_line() {
        let stores = loop_code();
        assert_eq!(slots(stores.may_write(10)), [1]);
        assert_eq!(slots(stores.may_write(11)), [2]);
        assert_eq!(slots(stores.may_write(12)), [1]);
        assert!(stores.may_write(13).is_empty());
        assert!(stores.may_write(99).is_empty());
        assert_eq!(slots(stores.may_write_at(9).unwrap()), [2]);
        let lines: Vec<u32> = stores.lines().map(|(line, _)| line).collect();
        assert_eq!(lines, [10, 11, 12, 13]);
    }

    #[test]
    fn must_write_stops_at_jumps_targets_and_the_lines_end() {
        let stores = loop_code();
        // up to the target 2, which is also another line
        assert_eq!(slots(&stores.must_write(0)), [1]);
        assert_eq!(stores.straight_line(0).end, 2);
        // a target may be the start; the conditional jump ends the run
        assert!(stores.must_write(2).is_empty());
        assert_eq!(stores.straight_line(2).end, 8);
        // the line ends after the store
        assert_eq!(slots(&stores.must_write(8)), [2]);
        assert_eq!(stores.straight_line(8).end, 10);
        assert_eq!(slots(&stores.must_write(10)), [1]);
        assert!(stores.must_write(13).is_empty());
        // no instruction starts there
        assert!(stores.must_write(4).is_empty());
        assert!(stores.must_write(1000).is_empty());
        assert_eq!(stores.straight_line(17).end, 18);
    }

    #[test]
    fn a_target_inside_the_line_ends_the_run_before_it() {
        // 0 iconst_0, 1 istore_1, 2 iconst_0, 3 istore_2, 4 iload_1, 5 ifeq 2, 8 return
        let bytes = [0x03, 0x3c, 0x03, 0x3d, 0x1b, 0x99, 0xff, 0xfd, 0xb1];
        let stores = LineStores::new(Code::decode(&bytes).unwrap(), table(&[(0, 1)]));
        assert_eq!(slots(&stores.must_write(0)), [1]);
        assert_eq!(slots(&stores.must_write(2)), [2]);
        assert_eq!(slots(stores.may_write(1)), [1, 2]);
    }

    #[test]
    fn code_without_lines_may_write_anything() {
        let stores = LineStores::new(Code::decode(&[0x03, 0x3c, 0xb1]).unwrap(), table(&[]));
        assert_eq!(stores.may_write_at(0), None);
        assert_eq!(slots(&stores.must_write(0)), [1]);
        let late = LineStores::new(Code::decode(&[0x03, 0x3c, 0xb1]).unwrap(), table(&[(2, 5)]));
        assert_eq!(late.may_write_at(1), None);
        assert!(late.may_write_at(2).unwrap().is_empty());
    }

    #[test]
    fn the_last_of_two_entries_with_one_start_wins() {
        let lines = table(&[(0, 7), (0, 8), (3, 9)]);
        assert_eq!(lines.line_at(0), Some(8));
        assert_eq!(lines.line_at(2), Some(8));
        assert_eq!(lines.line_at(1000), Some(9));
        assert_eq!(lines.entries().len(), 2);
    }
}
