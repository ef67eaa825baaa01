//! One query's view of a recording: how far it reaches, and all blocks below that, wherever they are.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use jhyde_trace::{Block, Event, Levels, Timestamp};
use rocksdb::Direction as Seek;

use crate::error::{Error, Result};
use crate::families;
use crate::index::{Key, run};
use crate::reads::BlockReads;
use crate::records::Direction;
use crate::state::{Group, Inner};

/// A moment of a recording. Blocks are named by ordinal: those in the database first, then those in
/// memory.
#[derive(Clone, Debug)]
pub(crate) struct View {
    pub(crate) inner: Arc<Inner>,
    /// Blocks in the database.
    pub(crate) persisted: u32,
    /// Timestamp behind them.
    persisted_end: u64,
    /// Blocks in memory.
    pub(crate) tail: Vec<Arc<Block>>,
    /// Timestamp behind everything.
    pub(crate) end: u64,
    /// Everything is read once: it shall not drive from the caches what is asked often.
    sweep: bool,
    /// What of it may be false: see [`told`].
    pub(crate) levels: Arc<Levels>,
    /// Who wants to know which blocks are looked into.
    pub(crate) reads: Option<Arc<BlockReads>>,
}

/// An event of a block, as it is told: without values where they may be false. All that queries say of values comes from here.
pub(crate) fn told(levels: &Levels, block: &Block, position: usize) -> Option<Event> {
    let mut event = block.event(position)?;
    if levels.doubted(block.timestamp(position)) {
        event.doubt();
    }
    Some(event)
}

impl View {
    pub(crate) fn new(inner: &Arc<Inner>) -> Self {
        let mut held = inner.live();
        let (persisted, persisted_end) = {
            let persisted = inner.persisted();
            (persisted.firsts.len() as u32, persisted.end)
        };
        // A block may already be in the database and still in the queue.
        let queued = held.tail.iter().map(|sealed| sealed.block.clone());
        let mut tail: Vec<_> = queued
            .filter(|b| b.first().0 >= persisted_end && !b.is_empty())
            .collect();
        let live = &mut *held;
        if let Some(builder) = live
            .builder
            .as_ref()
            .filter(|builder| !builder.block().is_empty())
        {
            let current = builder.block();
            let fresh = live
                .copy
                .as_ref()
                .is_some_and(|copy| copy.first() == current.first() && copy.len() == current.len());
            if !fresh {
                live.copy = Some(Arc::new(current.clone()));
            }
            tail.extend(live.copy.clone());
        }
        // Behind it: nobody waits for the tables while the recording thread waits for this. Levels told meanwhile lie behind the end.
        drop(held);
        let end = tail.last().map_or(persisted_end, |block| block.end().0);
        Self {
            inner: inner.clone(),
            persisted,
            persisted_end,
            tail,
            end,
            sweep: false,
            levels: inner.levels_or_lowest(),
            reads: None,
        }
    }

    /// All there is, for who reads everything once.
    pub(crate) fn sweeping(inner: &Arc<Inner>) -> Self {
        Self {
            sweep: true,
            ..Self::new(inner)
        }
    }

    /// What is in the database, without what is in memory.
    pub(crate) fn of_database(inner: &Arc<Inner>) -> Self {
        let (persisted, end) = {
            let persisted = inner.persisted();
            (persisted.firsts.len() as u32, persisted.end)
        };
        Self {
            inner: inner.clone(),
            persisted,
            persisted_end: end,
            tail: Vec::new(),
            end,
            sweep: true,
            levels: inner.levels_or_lowest(),
            reads: None,
        }
    }

    /// The number of blocks.
    pub(crate) fn blocks(&self) -> u32 {
        self.persisted + self.tail.len() as u32
    }

    /// The block that holds a timestamp; the last one for timestamps behind the end; `None` when
    /// there are no events.
    pub(crate) fn locate(&self, at: u64) -> Option<u32> {
        if at >= self.persisted_end && !self.tail.is_empty() {
            let after = self.tail.partition_point(|block| block.first().0 <= at);
            return Some(self.persisted + after.saturating_sub(1) as u32);
        }
        let persisted = self.inner.persisted();
        let firsts = persisted
            .firsts
            .get(..self.persisted as usize)
            .unwrap_or(&[]);
        let after = firsts.partition_point(|&first| first <= at);
        if firsts.is_empty() {
            None
        } else {
            Some(after.saturating_sub(1) as u32)
        }
    }

    /// The first timestamp of a block; the end for ordinals behind the last one.
    pub(crate) fn first_of(&self, ordinal: u32) -> u64 {
        if ordinal >= self.persisted {
            let at = (ordinal - self.persisted) as usize;
            return self.tail.get(at).map_or(self.end, |block| block.first().0);
        }
        self.inner
            .persisted()
            .firsts
            .get(ordinal as usize)
            .copied()
            .unwrap_or(self.end)
    }

    /// Blocks that are cut off by now. It grows while questions are asked: what is deleted was counted here before.
    pub(crate) fn cut(&self) -> u32 {
        self.inner.persisted().cut
    }

    /// What was cut off, as an error: for who needs some of it.
    pub(crate) fn cut_off(&self) -> Error {
        let (before, ring) = {
            let meta = self.inner.meta();
            let before = meta.cut_off.map_or(0, |cut| cut.before);
            (before, meta.meta.options.limits.ring.unwrap_or(0))
        };
        Error::Damaged {
            recording: self.inner.id.clone(),
            what: format!("what was recorded before event {before}"),
            from: Timestamp(0),
            to: Timestamp(before.saturating_sub(1)),
            reason: format!("the newest part is kept, of {ring} bytes (--ring)"),
            cut_off: true,
        }
    }

    /// May what is looked for lie in a block that was cut off? All of them are one for who looks: the last one.
    fn may_be_cut_off(&self, key: Key) -> bool {
        let persisted = self.inner.persisted();
        let known = key.object().is_some_and(|id| id > persisted.cut_objects);
        persisted.cut > 0 && !known
    }

    /// A block.
    pub(crate) fn block(&self, ordinal: u32) -> Result<Arc<Block>> {
        if ordinal < self.cut() {
            return Err(self.cut_off());
        }
        if let Some(reads) = &self.reads {
            reads.look_into(ordinal);
        }
        if ordinal >= self.persisted {
            let at = (ordinal - self.persisted) as usize;
            return self
                .tail
                .get(at)
                .cloned()
                .ok_or_else(|| self.no_such(self.end));
        }
        let first = self.first_of(ordinal);
        let key = (self.inner.number, first);
        if let Some(block) = self.inner.memory.blocks.get(key) {
            return Ok(block);
        }
        let damaged = |reason: String| Error::Damaged {
            recording: self.inner.id.clone(),
            what: format!("event block {first}"),
            from: Timestamp(first),
            to: Timestamp(self.first_of(ordinal + 1).saturating_sub(1)),
            reason,
            cut_off: false,
        };
        let bytes = match self.inner.db.get(families::BLOCKS, &first.to_be_bytes()) {
            Ok(Some(bytes)) => bytes,
            // It may have been cut off just now.
            Ok(None) if ordinal < self.cut() => return Err(self.cut_off()),
            Ok(None) => return Err(damaged("it is not there".to_owned())),
            Err(Error::Damaged { reason, .. }) => return Err(damaged(reason)),
            Err(error) => return Err(damaged(error.to_string())),
        };
        if let Some(reads) = &self.reads {
            reads.decode_one();
        }
        let block = Block::decode(&bytes).map_err(|error| damaged(error.to_string()))?;
        let next = self.first_of(ordinal + 1);
        if block.first().0 != first || block.end().0 != next {
            return Err(damaged(format!(
                "it holds events {} to {}",
                block.first(),
                block.end().0.saturating_sub(1)
            )));
        }
        let block = Arc::new(block);
        if !self.sweep {
            self.inner.memory.blocks.put(key, block.clone());
        }
        Ok(block)
    }

    /// The block, if it is in memory already.
    pub(crate) fn cached(&self, ordinal: u32) -> Option<Arc<Block>> {
        if ordinal < self.cut() {
            return None;
        }
        if ordinal >= self.persisted {
            return self.tail.get((ordinal - self.persisted) as usize).cloned();
        }
        self.inner
            .memory
            .blocks
            .get((self.inner.number, self.first_of(ordinal)))
    }

    /// Reads blocks that will be asked for, several at a time: most of the time goes into decoding. They are
    /// returned so that the cache does not lose them before they are asked for; one that cannot be read is
    /// told when it is asked for.
    pub(crate) fn preload(&self, ordinals: &[u32]) -> Vec<Arc<Block>> {
        let missing: Vec<u32> = ordinals
            .iter()
            .copied()
            .filter(|&ordinal| self.cached(ordinal).is_none())
            .collect();
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = threads.min(4).min(missing.len() / 4);
        if threads < 2 {
            return Vec::new();
        }
        let next = AtomicUsize::new(0);
        let load = || {
            let mut loaded = Vec::new();
            while let Some(&ordinal) = missing.get(next.fetch_add(1, Ordering::Relaxed)) {
                loaded.extend(self.block(ordinal));
            }
            loaded
        };
        std::thread::scope(|scope| {
            let others: Vec<_> = (1..threads).map(|_| scope.spawn(load)).collect();
            let mut loaded = load();
            // A thread that did not come back leaves its blocks to be read when they are asked for.
            for other in others {
                loaded.extend(other.join().unwrap_or_default());
            }
            loaded
        })
    }

    pub(crate) fn no_such(&self, at: u64) -> Error {
        let lost = self.inner.lost_end.clone();
        lost.unwrap_or(Error::NoSuchEvent {
            timestamp: Timestamp(at),
            events: self.end,
        })
    }

    /// The block and position of an event.
    pub(crate) fn event(&self, at: u64) -> Result<(Arc<Block>, usize)> {
        if at >= self.end {
            return Err(self.no_such(at));
        }
        let block = self.block(self.locate(at).ok_or_else(|| self.no_such(at))?)?;
        let position = block
            .position(Timestamp(at))
            .ok_or_else(|| self.no_such(at))?;
        Ok((block, position))
    }

    /// The nearest block, from `from` on in a direction, that may have this key. Blocks in memory are
    /// always candidates; those in the database are only if they have it, or if what the index says of them is
    /// damaged: then an answer costs all of them, but is none the worse. So is the last one of those that were cut off, in place of all
    /// that may have it.
    pub(crate) fn candidate(
        &self,
        key: Key,
        from: u32,
        direction: Direction,
    ) -> Result<Option<u32>> {
        // What is cut off meanwhile is not deleted before this is done.
        let _groups = self.inner.using_index();
        let cut = self.cut();
        let may_be = self.may_be_cut_off(key);
        let last = cut.checked_sub(1).filter(|_| may_be);
        match direction {
            _ if last.is_some_and(|last| from <= last) => Ok(last),
            Direction::Forward => self.candidate_kept(key, from.max(cut), direction),
            Direction::Backward if from < cut => Ok(None),
            Direction::Backward => {
                let found = self.candidate_kept(key, from, direction)?;
                Ok(found.filter(|found| *found >= cut).or(last))
            }
        }
    }

    /// Was the recording made when the index had such keys?
    pub(crate) fn has_index_of(&self, key: Key) -> bool {
        self.inner.index >= key.since()
    }

    fn candidate_kept(&self, key: Key, from: u32, direction: Direction) -> Result<Option<u32>> {
        if !self.has_index_of(key) {
            // Made before there was such an index: any block may have it.
            return Ok(match direction {
                Direction::Forward => (from < self.blocks()).then_some(from),
                Direction::Backward => self.blocks().checked_sub(1).map(|last| from.min(last)),
            });
        }
        match direction {
            Direction::Backward => {
                if from >= self.persisted && !self.tail.is_empty() {
                    return Ok(Some(from.min(self.blocks() - 1)));
                }
                let Some(last) = self.persisted.checked_sub(1) else {
                    return Ok(None);
                };
                self.indexed_backward(key, from.min(last))
            }
            Direction::Forward => {
                if from < self.persisted
                    && let Some(found) = self.indexed_forward(key, from)?
                {
                    return Ok(Some(found));
                }
                let next = from.max(self.persisted);
                Ok((next < self.blocks()).then_some(next))
            }
        }
    }

    /// Who calls it holds [`Inner::using_index`].
    fn indexed_backward(&self, key: Key, from: u32) -> Result<Option<u32>> {
        let groups = {
            let persisted = self.inner.persisted();
            let indexed = persisted.indexed();
            if from >= indexed {
                let upto = (from - indexed) as usize;
                let newest = persisted.pending.iter().enumerate().take(upto + 1).rev();
                for (at, keys) in newest {
                    if has(keys.as_deref(), key) {
                        return Ok(Some(indexed + at as u32));
                    }
                }
            }
            let groups = persisted
                .groups
                .iter()
                .rev()
                .filter(|group| group.first <= from);
            groups.copied().collect::<Vec<_>>()
        };
        for group in groups {
            let upto = from.min(group.end - 1) - group.first;
            if let Some(found) = maybe(self.last_in_group(group, key, upto), upto)? {
                return Ok(Some(group.first + found));
            }
        }
        Ok(None)
    }

    /// The last block of a group that has a key, up to one; blocks are counted from the group's first one.
    fn last_in_group(&self, group: Group, key: Key, upto: u32) -> Result<Option<u32>> {
        let posting = key.posting(upto);
        let run = self.load_run(group.first, group.end, posting, Seek::Reverse)?;
        let run = run.unwrap_or_default();
        let after = run.partition_point(|&other| other <= posting);
        let found = after.checked_sub(1).and_then(|at| run.get(at));
        let found = found.filter(|found| Key::of_posting(**found) == key);
        Ok(found.map(|found| Key::block_of(*found)))
    }

    /// Who calls it holds [`Inner::using_index`].
    fn indexed_forward(&self, key: Key, from: u32) -> Result<Option<u32>> {
        let (groups, pending) = self.indexed_from(from, |keys| has(keys, key));
        for group in groups {
            let first = from.saturating_sub(group.first);
            let mut postings = self.postings(group.first, group.end, key.posting(first));
            let found = postings.next().transpose().map(|found| {
                let found = found.filter(|found| Key::of_posting(*found) == key)?;
                Some(Key::block_of(found))
            });
            if let Some(found) = maybe(found, first)? {
                return Ok(Some(group.first + found));
            }
        }
        Ok(pending)
    }

    /// The groups of postings with blocks from one on, and the first block behind all groups that has what is looked for: as
    /// they are at one moment, since the flusher makes groups of such blocks.
    pub(crate) fn indexed_from(
        &self,
        from: u32,
        has_it: impl Fn(Option<&[Key]>) -> bool,
    ) -> (Vec<Group>, Option<u32>) {
        let persisted = self.inner.persisted();
        let groups = persisted.groups.iter().filter(|group| group.end > from);
        let indexed = persisted.indexed();
        let skipped = from.saturating_sub(indexed) as usize;
        let mut pending = (indexed..self.persisted)
            .zip(&persisted.pending)
            .skip(skipped);
        let found = pending.find(|(_, keys)| has_it(keys.as_deref()));
        (groups.copied().collect(), found.map(|(ordinal, _)| ordinal))
    }

    /// A group's postings in order, from one on.
    pub(crate) fn postings(
        &self,
        first: u32,
        end: u32,
        from: u128,
    ) -> impl Iterator<Item = Result<u128>> {
        let mut next = Some((from, Seek::Reverse));
        let mut run: std::vec::IntoIter<u128> = Vec::new().into_iter();
        std::iter::from_fn(move || {
            loop {
                if let Some(posting) = run.next() {
                    return Some(Ok(posting));
                }
                let (start, seek) = next.take()?;
                let loaded = self.load_run(first, end, start, seek);
                match loaded {
                    Err(error) => return Some(Err(error)),
                    Ok(None) if matches!(seek, Seek::Reverse) => {
                        next = Some((start, Seek::Forward))
                    }
                    Ok(None) => return None,
                    Ok(Some(postings)) => {
                        next = postings.last().map(|&last| (last + 1, Seek::Forward));
                        let skipped = postings.partition_point(|&posting| posting < from);
                        run = postings.into_iter();
                        if skipped > 0 {
                            run.nth(skipped - 1);
                        }
                    }
                }
            }
        })
    }

    /// The run at or before (`Reverse`), or at or after (`Forward`) a posting, within a group.
    fn load_run(&self, first: u32, end: u32, from: u128, seek: Seek) -> Result<Option<Vec<u128>>> {
        let start = families::index_run(first, end, from);
        let db = &self.inner.db;
        let found = match self.sweep {
            true => db.nearest_once(families::INDEX, &start, seek)?,
            false => db.nearest(families::INDEX, &start, seek)?,
        };
        match found {
            Some((key, bytes)) if key.get(..8) == start.get(..8) => {
                self.run(&bytes, first, end).map(Some)
            }
            _ => Ok(None),
        }
    }

    fn run(&self, bytes: &[u8], first: u32, end: u32) -> Result<Vec<u128>> {
        run::decode(bytes).map_err(|error| Error::Damaged {
            recording: self.inner.id.clone(),
            what: format!("index of blocks {first} to {}", end - 1),
            from: Timestamp(self.first_of(first)),
            to: Timestamp(self.first_of(end).saturating_sub(1)),
            reason: error.to_string(),
            cut_off: false,
        })
    }
}

/// Does a pending block have the key? Where its keys are not known it may.
fn has(keys: Option<&[Key]>, key: Key) -> bool {
    keys.is_none_or(|keys| keys.binary_search(&key).is_ok())
}

/// What a group of the index says; where it is damaged, the block that was asked for may have the key.
pub(crate) fn maybe(said: Result<Option<u32>>, asked: u32) -> Result<Option<u32>> {
    match said {
        Err(Error::Damaged { .. }) => Ok(Some(asked)),
        said => said,
    }
}
