//! Looking into a recording as a whole: is everything there, and what takes the room?

use std::collections::BTreeMap;

use jhyde_trace::{LevelFact, Timestamp};

use crate::database::open_value;
use crate::error::{Error, Result};
use crate::families::{self, Family};
use crate::index::{collect, run};
use crate::objects;
use crate::passages;
use crate::recording::Recording;
use crate::records::Direction;
use crate::sources;
use crate::state::BlockEntry;
use crate::tally::Tally;
use crate::view::View;

/// Tables that only repeat what the blocks say, and are not worked out again: without them questions read more.
const REPEATING: [Family; 4] = [
    families::INDEX,
    families::PASSAGES,
    families::SITES,
    families::TALLIES,
];

/// What [`Recording::check`] found.
#[derive(Clone, Debug, Default)]
pub struct CheckReport {
    /// Events that were read and fit.
    pub events: u64,
    /// Blocks that were read.
    pub blocks: u64,
    /// Index entries that were compared with the blocks.
    pub entries: u64,
    /// What is wrong, each with the timestamps that it affects. Empty: all is well.
    pub damage: Vec<Error>,
}

/// What [`Recording::inspect`] found.
#[derive(Clone, Debug, Default)]
pub struct InspectReport {
    /// Events, those of a block that is not finished among them.
    pub events: u64,
    /// Their blocks.
    pub blocks: u64,
    /// Per table of the database: its name, entries as RocksDB estimates them, bytes of its files.
    pub tables: Vec<(String, u64, u64)>,
    /// Per column of the event blocks its bytes, the largest first. Encoded anew from up to a thousand
    /// blocks spread over the recording, and scaled up.
    pub columns: Vec<(String, u64)>,
    /// The largest blocks: first timestamp, events, bytes.
    pub largest_blocks: Vec<(Timestamp, u32, u32)>,
    /// Groups of the index: a query costs a seek in each.
    pub index_groups: u64,
}

impl CheckReport {
    /// Damage of a table is met by every block that needs it, and told once.
    fn note(&mut self, error: Error) {
        let told = error.to_string();
        if self.damage.iter().all(|known| known.to_string() != told) {
            self.damage.push(error);
        }
    }
}

impl Recording {
    /// Verifies everything: reads every block, follows every thread's calls, and compares every index
    /// with the blocks. `progress` is told the number of blocks done and of all, and may answer
    /// `false` to end early.
    pub fn check(&self, mut progress: impl FnMut(u64, u64) -> bool) -> CheckReport {
        let view = View::sweeping(&self.inner);
        let mut report = CheckReport::default();
        let cut = view.cut();
        let total = u64::from(view.blocks().saturating_sub(cut));
        if let Some(lost) = self.lost_end() {
            report.note(lost);
        }
        if let Err(lost) = self.levels() {
            report.note(lost);
        }
        for family in self.inner.db.families().iter().copied() {
            if let Err(error) = self.check_table(family, &mut report) {
                report.note(error);
            }
        }
        for session in self.sessions().unwrap_or_default() {
            if let Err(error) = self.session(&session) {
                report.note(error);
            }
        }
        let tables = report.damage.len();
        for ordinal in cut..view.blocks() {
            if !progress((ordinal - cut).into(), total) {
                return report;
            }
            if let Err(error) = self.check_block(&view, ordinal, &mut report) {
                report.note(error);
            }
        }
        let blocks = families::BLOCKS;
        if report.damage.len() == tables
            && let Err(error) = self.inner.db.verify(blocks)
        {
            // No block is hit, but what leads to them in RocksDB's file.
            report.note(slower(error));
        }
        progress(total, total);
        report
    }

    /// Reads all of a table, and what no block can be compared with. Event blocks are read one by one later.
    fn check_table(&self, family: Family, report: &mut CheckReport) -> Result<()> {
        let db = &self.inner.db;
        if family == families::BLOCKS {
            return Ok(());
        }
        let mut read = || {
            for row in db.all_once(family)? {
                let (_, value) = row?;
                let wrong = |reason: String| db.damaged(format!("table {}", family.name), reason);
                if [families::OBJECTS, families::LATE_OBJECTS].contains(&family) {
                    let run = objects::decode(&value).map_err(|error| wrong(error.to_string()))?;
                    report.entries += run.len() as u64;
                } else if family == families::INDEX {
                    run::decode(&value).map_err(|error| wrong(error.to_string()))?;
                } else if family == families::SOURCE_TEXTS || family == families::CLASS_SOURCES {
                    sources::check(family, &value).map_err(wrong)?;
                    report.entries += 1;
                } else if family == families::PASSAGES || family == families::SITES {
                    passages::check(family, &value).map_err(wrong)?;
                    report.entries += 1;
                } else if family == families::TALLIES {
                    Tally::decode(&value).map_err(wrong)?;
                } else if family == families::LEVELS {
                    open_value::<LevelFact>(&value).map_err(wrong)?;
                    report.entries += 1;
                }
            }
            Ok(())
        };
        read().map_err(
            |error| match REPEATING.contains(&family) || db.derive(family).is_some() {
                true => slower(error),
                false => error,
            },
        )
    }

    fn check_block(&self, view: &View, ordinal: u32, report: &mut CheckReport) -> Result<()> {
        let inner = &self.inner;
        let first = view.first_of(ordinal);
        let block = view.block(ordinal)?;
        report.blocks += 1;
        report.events += block.len() as u64;
        let wrong = |what: &str, reason: String| Error::Damaged {
            recording: inner.id.clone(),
            what: what.to_owned(),
            from: Timestamp(first),
            to: Timestamp(block.end().0 - 1),
            reason,
            cut_off: false,
        };
        // A block that a crash left unfinished is in no table yet.
        if ordinal < view.persisted {
            let entry = inner.db.get(families::DIRECTORY, &first.to_be_bytes())?;
            let entry: Option<BlockEntry> =
                entry.and_then(|bytes| postcard::from_bytes(&bytes).ok());
            if entry.is_none_or(|entry| !entry.rare.is_true_of(&block)) {
                let reason = "it does not fit the block".to_owned();
                return Err(wrong("directory of blocks", reason));
            }
        }
        // Calls: parents, sizes and invocations as the tables say.
        for thread in block.threads() {
            for (at, row) in thread.rows.iter().enumerate() {
                let id = thread.call_id(thread.first_call + at as u64);
                let call = view.call(id, &mut None)?;
                report.entries += 1;
                if call.enter.0 != first + u64::from(row.enter)
                    || call.parent.preorder != row.parent
                {
                    let reason = format!("call {id} is found at {}", call.enter);
                    return Err(wrong("index of calls", reason));
                }
            }
            for exit in &thread.outer_exits {
                let id = thread.call_id(exit.call);
                let at = first + u64::from(exit.position);
                let call = view.call(id, &mut None)?;
                report.entries += 1;
                if call.exit != Some(Timestamp(at)) || call.size != exit.size {
                    let reason = format!("call {id} ends at {at}, its record says {:?}", call.exit);
                    return Err(wrong("table of long calls", reason));
                }
            }
        }
        let outer = |call| Some(view.call(call, &mut None).ok()?.method);
        if let Some(kept) = view.kept_tally(ordinal, &(0..view.end))?
            && kept != Tally::of(&block, 0..block.len(), outer)
        {
            return Err(wrong(
                "table tallies",
                "it does not fit the block".to_owned(),
            ));
        }
        for key in collect::keys(&block, outer) {
            report.entries += 1;
            if view.candidate(key, ordinal, Direction::Forward)? != Some(ordinal) {
                return Err(wrong(
                    "index of variables",
                    format!("{key:?} does not name the block"),
                ));
            }
        }
        Ok(())
    }

    /// Says what takes the room.
    pub fn inspect(&self) -> Result<InspectReport> {
        let view = View::sweeping(&self.inner);
        let db = &self.inner.db;
        let mut report = InspectReport {
            events: view.end,
            blocks: view.blocks().saturating_sub(view.cut()).into(),
            index_groups: self.inner.persisted().groups.len() as u64,
            ..InspectReport::default()
        };
        for family in db.families().iter().copied() {
            let entries = db.property(family, "rocksdb.estimate-num-keys")?;
            let files = db.property(family, "rocksdb.live-sst-files-size")?;
            // What nobody writes to has empty buffers, which have a size all the same.
            let buffers = match db.only_reads() {
                true => 0,
                false => db.property(family, "rocksdb.cur-size-all-mem-tables")?,
            };
            report
                .tables
                .push((family.name.to_owned(), entries, files + buffers));
        }
        let cut = view.cut();
        let kept = view.first_of(cut);
        for row in db.rows(families::DIRECTORY)? {
            let (key, value) = row?;
            if families::u64_at(&key, 0).is_some_and(|first| first < kept) {
                continue;
            }
            let entry: BlockEntry = postcard::from_bytes(&value)
                .map_err(|error| db.damaged("directory of blocks", error.to_string()))?;
            let first = Timestamp(families::u64_at(&key, 0).unwrap_or(0));
            report
                .largest_blocks
                .push((first, entry.events, entry.bytes));
            if report.largest_blocks.len() > 1000 {
                keep_largest(&mut report.largest_blocks);
            }
        }
        keep_largest(&mut report.largest_blocks);
        let step = (view.blocks().saturating_sub(cut) / 1000).max(1);
        let mut columns: BTreeMap<String, u64> = BTreeMap::new();
        for ordinal in (cut..view.blocks()).step_by(step as usize) {
            // A damaged block has no columns; `check` names it.
            let Ok(block) = view.block(ordinal) else {
                continue;
            };
            block.encode_measured(|name, bytes| {
                *columns.entry(name.to_owned()).or_default() += bytes as u64;
            });
        }
        report.columns = columns
            .into_iter()
            .map(|(name, bytes)| (name, bytes * u64::from(step)))
            .collect();
        report
            .columns
            .sort_by_key(|(_, bytes)| std::cmp::Reverse(*bytes));
        Ok(report)
    }
}

/// Damage that loses no answer.
fn slower(error: Error) -> Error {
    match error {
        Error::Damaged {
            recording,
            what,
            reason,
            ..
        } => Error::Slower {
            recording,
            what,
            reason,
        },
        error => error,
    }
}

/// Leaves the ten largest, the largest first.
fn keep_largest(blocks: &mut Vec<(Timestamp, u32, u32)>) {
    blocks.sort_by_key(|block| std::cmp::Reverse(block.2));
    blocks.truncate(10);
}
