//! Merging groups of postings: asking costs a seek per group, so eight groups of one size become one.
//!
//! The merged group is written beside the old ones and counts from its end mark on; then the old
//! ones are deleted. A crash in between leaves either the old ones or both, never neither.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::PoisonError;

use rocksdb::WriteBatch;

use super::{Key, run};
use crate::error::Result;
use crate::families;
use crate::state::{Group, Inner};
use crate::view::View;

/// Groups that are merged into one.
const FAN_IN: usize = 8;

/// The largest group in blocks that is still merged while recording: a larger merge would hold up
/// the flusher, and so the debuggee, for seconds. What is larger is merged when nobody waits.
const MAX_LIVE_BLOCKS: u32 = 8 * 256;

/// Bytes of a batch while a merged group is being written.
const BATCH_BYTES: usize = 1 << 20;

/// Merges the newest groups as long as there are enough of one size.
pub(crate) fn merge_newest(view: &View) -> Result<()> {
    loop {
        let groups = view.inner.persisted().groups.clone();
        let Some(newest) = groups
            .len()
            .checked_sub(FAN_IN)
            .and_then(|at| groups.get(at..))
        else {
            return Ok(());
        };
        let size = |group: &Group| group.end - group.first;
        let merged = newest.iter().map(size).sum::<u32>();
        let alike = newest.iter().all(|group| size(group) == size(&newest[0]));
        if !alike
            || merged
                > size(&newest[0])
                    .saturating_mul(FAN_IN as u32)
                    .min(MAX_LIVE_BLOCKS)
        {
            return Ok(());
        }
        merge(view, newest)?;
    }
}

/// Merges all groups into one.
pub(crate) fn merge_all(view: &View) -> Result<()> {
    let groups = view.inner.persisted().groups.clone();
    if groups.len() > 1 {
        merge(view, &groups)
    } else {
        Ok(())
    }
}

fn merge(view: &View, groups: &[Group]) -> Result<()> {
    let (Some(first), Some(last)) = (groups.first(), groups.last()) else {
        return Ok(());
    };
    let merged = Group {
        first: first.first,
        end: last.end,
    };
    let inner = &*view.inner;
    // Postings of one key lie in the order of their groups, because the blocks do.
    let mut inputs: Vec<_> = groups
        .iter()
        .map(|group| {
            let shift = u128::from(group.first - merged.first);
            let postings = view.postings(group.first, group.end, 0);
            postings.map(move |posting| posting.map(|posting| posting + shift))
        })
        .collect();
    let mut heap = BinaryHeap::with_capacity(inputs.len());
    for (at, input) in inputs.iter_mut().enumerate() {
        if let Some(posting) = input.next().transpose()? {
            heap.push(Reverse((posting, at)));
        }
    }
    let family = inner.db.family(families::INDEX)?;
    let mut batch = WriteBatch::default();
    let mut postings = Vec::with_capacity(run::RUN);
    while let Some(Reverse((posting, at))) = heap.pop() {
        postings.push(posting);
        if let Some(posting) = inputs[at].next().transpose()? {
            heap.push(Reverse((posting, at)));
        }
        if postings.len() == run::RUN || heap.is_empty() {
            let key = families::index_run(merged.first, merged.end, postings[0]);
            batch.put_cf(family, key, run::encode(&postings));
            postings.clear();
        }
        if batch.size_in_bytes() >= BATCH_BYTES {
            inner.db.write(std::mem::take(&mut batch))?;
        }
    }
    put_end_mark(view, &mut batch, merged)?;
    inner.db.write(batch)?;
    {
        let mut persisted = inner
            .persisted
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        persisted
            .groups
            .retain(|group| group.first < merged.first || group.first >= merged.end);
        let at = persisted
            .groups
            .partition_point(|group| group.first < merged.first);
        persisted.groups.insert(at, merged);
    }
    delete(inner, groups)
}

/// Deletes groups, once no query that knows of them is under way.
fn delete(inner: &Inner, groups: &[Group]) -> Result<()> {
    let mut batch = WriteBatch::default();
    let family = inner.db.family(families::INDEX)?;
    for group in groups {
        let from = families::index_run(group.first, group.end, 0);
        let end = families::index_run(group.first, group.end + 1, 0);
        batch.delete_range_cf(family, from, end);
    }
    let _nobody_asks = inner
        .index_use
        .write()
        .unwrap_or_else(PoisonError::into_inner);
    inner.db.write(batch)
}

/// The key of a group's end mark: behind all its postings.
pub(crate) fn end_mark(group: Group) -> [u8; 24] {
    families::index_run(group.first, group.end, u128::MAX)
}

fn put_end_mark(view: &View, batch: &mut WriteBatch, group: Group) -> Result<()> {
    let family = view.inner.db.family(families::INDEX)?;
    batch.put_cf(family, end_mark(group), run::encode(&[]));
    Ok(())
}

/// No real posting is the end mark.
const _: () = assert!(Key::new(u8::MAX - 1, u64::MAX, u32::MAX).0 < u128::MAX >> super::BLOCK_BITS);
