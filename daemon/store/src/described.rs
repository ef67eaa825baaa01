//! Runs of described objects that were read lately. Who shows events asks for the same few objects again and again, and each lies in a run of
//! hundreds on the disk, which would be looked for and decoded for it alone.
//!
//! A run never changes once it is there: its objects rise from run to run, and what comes late stands in a table of its own.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jhyde_trace::{Content, ObjectId, ObjectInfo, Text};

use crate::cache::BlockCache;

/// The most bytes that runs of one recording take in memory; the one that was read last stays whatever it takes.
const MOST_BYTES: usize = 4 << 20;

/// See the module; the one that was asked for last stands first.
#[derive(Debug, Default)]
pub(crate) struct Described(Mutex<Runs>);

#[derive(Debug, Default)]
struct Runs {
    runs: VecDeque<Run>,
    bytes: usize,
}

#[derive(Debug)]
struct Run {
    objects: Arc<[(ObjectId, ObjectInfo)]>,
    bytes: usize,
}

impl Run {
    /// Would it have this object, if that is described at all?
    fn spans(&self, id: ObjectId) -> bool {
        match &*self.objects {
            [first, .., last] => (first.0..=last.0).contains(&id),
            [only] => only.0 == id,
            [] => false,
        }
    }
}

impl Described {
    /// What is known of an object, if a run that was read lately would have it: `Some(None)` where that does not.
    pub(crate) fn find(&self, id: ObjectId) -> Option<Option<ObjectInfo>> {
        let objects = {
            let Runs { runs, .. } = &mut *self.runs();
            let at = runs.iter().position(|run| run.spans(id))?;
            let run = runs.remove(at)?;
            let objects = Arc::clone(&run.objects);
            runs.push_front(run);
            objects
        };
        Some(of(&objects, id))
    }

    /// Keeps a run that was read, and takes its room from the blocks'. What it says of an object.
    pub(crate) fn keep(
        &self,
        run: Vec<(ObjectId, ObjectInfo)>,
        id: ObjectId,
        blocks: &BlockCache,
    ) -> Option<ObjectInfo> {
        let found = of(&run, id);
        let bytes = run.iter().map(|(_, info)| memory(info)).sum();
        let Runs { runs, bytes: all } = &mut *self.runs();
        // Somebody else may have read it meanwhile, or what was looked for lies behind it: nothing is known of that.
        let first = run.first().map(|object| object.0);
        if first.is_none_or(|first| runs.iter().any(|run| run.spans(first))) {
            return found;
        }
        runs.push_front(Run {
            objects: run.into(),
            bytes,
        });
        *all += bytes;
        blocks.charge(bytes);
        while *all > MOST_BYTES && runs.len() > 1 {
            if let Some(gone) = runs.pop_back() {
                *all -= gone.bytes;
                blocks.discharge(gone.bytes);
            }
        }
        found
    }

    /// Bytes that were taken from the blocks' room.
    pub(crate) fn bytes(&self) -> usize {
        self.runs().bytes
    }

    fn runs(&self) -> MutexGuard<'_, Runs> {
        // Whatever a panic has left are whole runs.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn of(run: &[(ObjectId, ObjectInfo)], id: ObjectId) -> Option<ObjectInfo> {
    let at = run.binary_search_by_key(&id, |object| object.0).ok()?;
    Some(run[at].1.clone())
}

/// Bytes that a description takes.
fn memory(info: &ObjectInfo) -> usize {
    let text = |text: &Text| 2 * text.prefix.len();
    let values = size_of::<jhyde_trace::Value>();
    let held = match &info.content {
        Content::None | Content::Box(_) | Content::Array(_) => 0,
        Content::String(of) | Content::Shown(of) | Content::Thread(of) => text(of),
        Content::Class(name) | Content::Enum(name) => name.len(),
        Content::Lambda { method, captured } => method.len() + values * captured.len(),
        Content::Throwable(thrown) => {
            let trace = thrown.trace.iter().flatten();
            thrown.message.as_ref().map_or(0, text)
                + values * thrown.suppressed.as_ref().map_or(0, Vec::len)
                + trace
                    .map(|line| size_of::<String>() + line.len())
                    .sum::<usize>()
        }
    };
    size_of::<(ObjectId, ObjectInfo)>() + held
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(first: u64, name: &str) -> Vec<(ObjectId, ObjectInfo)> {
        let info = ObjectInfo {
            class: None,
            content: Content::Enum(name.to_owned()),
        };
        [0, 2, 4]
            .map(|at| (ObjectId(first + at), info.clone()))
            .into()
    }

    #[test]
    fn what_was_read_is_found_within_its_bytes() {
        let (described, blocks) = (Described::default(), BlockCache::new(1 << 30));
        assert_eq!(described.find(ObjectId(10)), None);
        let told = |found: Option<ObjectInfo>| match found.map(|info| info.content) {
            Some(Content::Enum(name)) => name,
            other => format!("{other:?}"),
        };
        assert_eq!(
            told(described.keep(run(10, "ONE"), ObjectId(12), &blocks)),
            "ONE"
        );
        assert_eq!(described.keep(run(20, "TWO"), ObjectId(21), &blocks), None);
        assert_eq!(
            described.find(ObjectId(14)).map(told),
            Some("ONE".to_owned())
        );
        // It is not described: that is known. Between two runs it is not.
        assert_eq!(described.find(ObjectId(13)), Some(None));
        assert_eq!(described.find(ObjectId(15)), None);
        assert_eq!(blocks.charged(), described.bytes());
        // What two have read at one time is kept once.
        let bytes = described.bytes();
        described.keep(run(20, "TWO"), ObjectId(22), &blocks);
        // Nor is it kept again for what lies behind it.
        assert_eq!(described.keep(run(20, "TWO"), ObjectId(29), &blocks), None);
        assert_eq!((blocks.charged(), described.bytes()), (bytes, bytes));
        // What is asked for stays longest.
        let large = "X".repeat(MOST_BYTES / 8);
        described.keep(run(30, &large), ObjectId(30), &blocks);
        assert!(described.find(ObjectId(10)).is_some());
        described.keep(run(40, &large), ObjectId(40), &blocks);
        described.keep(run(50, &large), ObjectId(50), &blocks);
        let kept = [10, 20, 30, 40, 50].map(|id| described.find(ObjectId(id)).is_some());
        assert_eq!(kept, [true, false, false, true, true]);
        assert!(described.bytes() <= MOST_BYTES);
        assert_eq!(blocks.charged(), described.bytes());
    }
}
