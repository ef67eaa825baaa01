//! Looking for any of neighbouring keys at once.

use std::collections::BTreeSet;
use std::ops::Range;

use super::Key;
use crate::error::{Error, Result};
use crate::state::Group;
use crate::view::{View, maybe};

impl View {
    /// The nearest block from `from` on that may have one of the keys: as [`View::candidate`] forward, for
    /// many keys of which few are there. Costs a seek per group and two per key that is there.
    pub(crate) fn candidate_among(&self, keys: Range<Key>, from: u32) -> Result<Option<u32>> {
        let _groups = self.inner.using_index();
        let cut = self.cut();
        if from < cut {
            return Ok(Some(cut - 1));
        }
        if from < self.persisted
            && let Some(found) = self.indexed_among(&keys, from)?
        {
            return Ok(Some(found));
        }
        let next = from.max(self.persisted);
        Ok((next < self.blocks()).then_some(next))
    }

    fn indexed_among(&self, keys: &Range<Key>, from: u32) -> Result<Option<u32>> {
        let (groups, pending) = self.indexed_from(from, |known| {
            known.is_none_or(|known| {
                let at = known.partition_point(|key| *key < keys.start);
                known.get(at).is_some_and(|key| *key < keys.end)
            })
        });
        for group in groups {
            let first = from.saturating_sub(group.first);
            if let Some(block) = maybe(self.first_in_group(group, keys, first), first)? {
                return Ok(Some(group.first + block));
            }
        }
        Ok(pending)
    }

    /// All blocks of `first ..= last` that may have one of the keys, of which many are there; what was cut off is one, the last of it.
    pub(crate) fn blocks_among(
        &self,
        keys: Range<Key>,
        first: u32,
        last: u32,
    ) -> Result<BTreeSet<u32>> {
        let mut found = BTreeSet::new();
        let _groups = self.inner.using_index();
        let cut = self.cut();
        let (groups, indexed, pending) = {
            let persisted = self.inner.persisted();
            let overlaps = |group: &&Group| group.first <= last && group.end > first;
            let groups: Vec<_> = persisted.groups.iter().filter(overlaps).copied().collect();
            (groups, persisted.indexed(), persisted.pending.clone())
        };
        for group in groups {
            for posting in self.postings(group.first, group.end, keys.start.posting(0)) {
                match posting {
                    Ok(posting) if Key::of_posting(posting) >= keys.end => break,
                    Ok(posting) => {
                        found.insert(group.first + Key::block_of(posting));
                    }
                    // Where the index is damaged, any may have it.
                    Err(Error::Damaged { .. }) => {
                        found.extend(group.first..group.end);
                        break;
                    }
                    Err(error) => return Err(error),
                }
            }
        }
        for (ordinal, known) in (indexed..self.persisted).zip(&pending) {
            let may_have = known.as_deref().is_none_or(|known| {
                let at = known.partition_point(|key| *key < keys.start);
                known.get(at).is_some_and(|key| *key < keys.end)
            });
            if may_have {
                found.insert(ordinal);
            }
        }
        found.extend(self.persisted..self.blocks());
        found.retain(|ordinal| (first..=last).contains(ordinal) && *ordinal >= cut);
        found.extend(cut.checked_sub(1).filter(|gone| first <= *gone));
        Ok(found)
    }

    /// The first block of a group, from one on, that has any of the keys; blocks are counted from the group's first.
    fn first_in_group(&self, group: Group, keys: &Range<Key>, first: u32) -> Result<Option<u32>> {
        let mut best: Option<u32> = None;
        let mut start = keys.start.posting(0);
        while best != Some(first) {
            let mut postings = self.postings(group.first, group.end, start);
            let Some(posting) = postings.next().transpose()? else {
                break;
            };
            let key = Key::of_posting(posting);
            if key >= keys.end {
                break;
            }
            let block = Key::block_of(posting);
            if block >= first {
                best = Some(best.map_or(block, |best| best.min(block)));
                start = key.next().posting(0);
            } else {
                start = key.posting(first);
            }
        }
        Ok(best)
    }
}
