//! Which thread of one run is which of the other: by name, and of one name by the order of their starts.

use std::collections::BTreeMap;

use jhyde_store::Recording;
use jhyde_trace::ThreadInfo;

use super::Pair;
use crate::error::Result;

/// The pairs in the order of the left one's starts, and the names of those that are alone.
pub(super) fn pairs(recordings: [&Recording; 2]) -> Result<(Vec<Pair>, [Vec<String>; 2])> {
    let mut by_name: BTreeMap<String, [Vec<ThreadInfo>; 2]> = BTreeMap::new();
    for (side, recording) in recordings.into_iter().enumerate() {
        let mut threads = recording.threads()?;
        threads.sort_by_key(|thread| thread.id);
        for thread in threads {
            by_name.entry(thread.name.clone()).or_default()[side].push(thread);
        }
    }
    let (mut pairs, mut alone) = (Vec::new(), [Vec::new(), Vec::new()]);
    for (name, [left, right]) in by_name {
        let both = left.len().min(right.len());
        let of = left.iter().zip(&right);
        pairs.extend(of.map(|(one, other)| Pair {
            name: name.clone(),
            threads: [one.id, other.id],
        }));
        for (alone, threads) in alone.iter_mut().zip([&left, &right]) {
            alone.extend(threads.iter().skip(both).map(|thread| thread.name.clone()));
        }
    }
    pairs.sort_by_key(|pair| pair.threads[0]);
    Ok((pairs, alone))
}
