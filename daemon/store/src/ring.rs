//! A recording that keeps its newest part ([`jhyde_trace::CostLimits::ring`]): where its blocks take more of the disk than they may, the
//! oldest are cut off.
//!
//! That they are is said first, on the disk and to questions, and then they are deleted with what leads to them alone. A question
//! that needs some of it gets an error with [`crate::Error::cut_off`], once for all of it, and never takes what is not there for what did not
//! happen: see [`View::candidate`](crate::view::View::candidate). What grows slowly stays: classes, threads, what objects are, where
//! calls and blocks begin. Calls that ran on behind it are found, without what they were given.

use std::collections::VecDeque;
use std::sync::{PoisonError, RwLockWriteGuard};

use jhyde_trace::Block;
use rocksdb::WriteBatch;

use crate::error::Result;
use crate::families;
use crate::folder::CutOff;
use crate::index::{Key, merge};
use crate::rows::TableRows;
use crate::state::{Group, Inner, LongCall};

/// Bytes of a batch while rows are being deleted.
const BATCH_BYTES: usize = 1 << 20;

/// A block that is kept.
#[derive(Clone, Copy, Debug)]
struct Kept {
    bytes: u32,
    /// The highest number of an object in its postings; 0 where there are none.
    object: u64,
}

/// See the module.
#[derive(Debug)]
pub(crate) struct Ring {
    /// Bytes on disk that the recording may take.
    most: u64,
    /// Bytes that its blocks may take by now.
    room: u64,
    /// The blocks that are kept.
    kept: VecDeque<Kept>,
    /// The sum of their bytes.
    bytes: u64,
    /// The highest number of an object in the postings of those that were cut off.
    object: u64,
    /// The postings of blocks before this one are deleted.
    emptied: u32,
}

impl Ring {
    /// Of a recording that keeps so many bytes.
    pub(crate) fn new(most: u64) -> Self {
        Self {
            most,
            room: most,
            kept: VecDeque::new(),
            bytes: 0,
            object: 0,
            emptied: 0,
        }
    }

    /// A block of this length was written, with these postings. Cuts off the oldest ones, if that is too much: so many that it
    /// need not be done soon again.
    pub(crate) fn add(&mut self, inner: &Inner, length: usize, keys: &[Key]) -> Result<()> {
        let objects = keys.iter().filter_map(|key| key.object());
        self.kept.push_back(Kept {
            bytes: length as u32,
            object: objects.max().unwrap_or(0),
        });
        self.bytes += length as u64;
        if self.bytes <= self.room {
            return Ok(());
        }
        self.room = self.room_for_blocks(inner)?;
        let keeps = self.room - self.room / 8;
        let cut = inner.persisted().cut;
        let mut to = cut;
        // The last one is kept, however large it is.
        while self.kept.len() > 1
            && self.bytes > keeps
            && let Some(oldest) = self.kept.pop_front()
        {
            self.bytes -= u64::from(oldest.bytes);
            self.object = self.object.max(oldest.object);
            to += 1;
        }
        if to > cut {
            cut_off(inner, cut, to, self.object)?;
            self.delete_postings(inner, to)?;
            inner.watch.changed();
        }
        Ok(())
    }

    /// Groups of the index that are of cut off blocks alone: their postings, once nobody asks who does not know of that.
    fn delete_postings(&mut self, inner: &Inner, cut: u32) -> Result<()> {
        let groups: Vec<_> = {
            let persisted = inner.persisted();
            let gone = |group: &&Group| group.end > self.emptied && group.end <= cut;
            persisted.groups.iter().filter(gone).copied().collect()
        };
        for group in groups {
            // The end mark stays: without it, groups behind would not be found.
            let all = families::index_run(group.first, group.end, 0);
            let end = merge::end_mark(group);
            {
                let _nobody_asks = nobody_asks(inner);
                inner.db.delete_between(families::INDEX, &all, &end)?;
            }
            inner.db.give_back(families::INDEX, &all, &end)?;
            self.emptied = group.end;
        }
        Ok(())
    }

    /// What the other tables leave of it, at least a quarter; and an eighth is for what is still in RocksDB's log.
    fn room_for_blocks(&self, inner: &Inner) -> Result<u64> {
        let mut others = self.most / 8;
        for family in inner.db.families().iter().copied() {
            if family != families::BLOCKS {
                others += inner.db.property(family, "rocksdb.live-sst-files-size")?;
            }
        }
        Ok(self.most.saturating_sub(others).max(self.most / 4))
    }
}

/// Cuts off the blocks `cut .. to`, those before which are cut off already. `object`: the highest number of an object in the
/// postings of all of them.
fn cut_off(inner: &Inner, cut: u32, to: u32, object: u64) -> Result<()> {
    let firsts: Vec<u64> = {
        let persisted = inner.persisted();
        let firsts = persisted.firsts.get(cut as usize..=to as usize);
        firsts.unwrap_or_default().to_vec()
    };
    let (Some((&before, gone)), Some(&from)) = (firsts.split_last(), firsts.first()) else {
        return Ok(());
    };
    let leads = rows_that_lead_to(inner, gone)?;
    let now = CutOff {
        before,
        objects: object,
    };
    {
        let mut meta = inner.meta();
        meta.cut_off = Some(now);
        crate::folder::write_meta(&inner.folder, &meta)?;
    }
    {
        let mut persisted = inner
            .persisted
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        persisted.set_cut(Some(now));
    }
    {
        // Whoever looks from here on knows; who looks already is waited for.
        let _nobody_asks = nobody_asks(inner);
        leads
            .into_iter()
            .try_for_each(|batch| inner.db.write(batch))?;
    }
    // Who does not find a block or the record of a call looks again whether it is cut off.
    delete_ended_calls(inner, before)?;
    let (from, to) = (from.to_be_bytes(), before.to_be_bytes());
    inner.db.delete_between(families::BLOCKS, &from, &to)?;
    inner.db.give_back(families::BLOCKS, &from, &to)?;
    tracing::debug!(recording = %inner.id, before, "cut off");
    Ok(())
}

/// Deletes, once they are written, the rows that lead to nothing but blocks that begin at these events.
fn rows_that_lead_to(inner: &Inner, firsts: &[u64]) -> Result<Vec<WriteBatch>> {
    let mut batches = vec![WriteBatch::default()];
    for first in firsts {
        let bytes = inner.db.get(families::BLOCKS, &first.to_be_bytes())?;
        let Some(block) = bytes.and_then(|bytes| Block::decode(&bytes).ok()) else {
            // What leads to it stays, and leads nowhere.
            continue;
        };
        if let Some(batch) = batches.last_mut() {
            batch.delete_cf(inner.db.family(families::TALLIES)?, first.to_be_bytes());
            TableRows::default().of_block(&block, 0, |family, key, _| {
                if [families::METHOD_BLOCKS, families::OWN_BLOCKS].contains(&family) {
                    batch.delete_cf(inner.db.family(family)?, key);
                }
                Ok(())
            })?;
            if batch.size_in_bytes() >= BATCH_BYTES {
                batches.push(WriteBatch::default());
            }
        }
    }
    Ok(batches)
}

/// Waits until who looks for something has looked.
fn nobody_asks(inner: &Inner) -> RwLockWriteGuard<'_, ()> {
    inner
        .index_use
        .write()
        .unwrap_or_else(PoisonError::into_inner)
}

/// Long calls that had ended by then are found by their blocks alone, which are gone.
fn delete_ended_calls(inner: &Inner, before: u64) -> Result<()> {
    let mut batch = WriteBatch::default();
    let family = inner.db.family(families::LONG_CALLS)?;
    for row in inner.db.all_once(families::LONG_CALLS)? {
        let (key, value) = row?;
        let call: Option<LongCall> = postcard::from_bytes(&value).ok();
        let ended = call.and_then(|call| call.ended);
        if ended.is_some_and(|(exit, _)| exit < before) {
            batch.delete_cf(family, key);
        }
        if batch.size_in_bytes() >= BATCH_BYTES {
            inner.db.write(std::mem::take(&mut batch))?;
        }
    }
    inner.db.write(batch)
}
