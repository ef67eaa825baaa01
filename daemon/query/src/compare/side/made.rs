//! Passages of a recording that was made before there were any: made of its blocks, in one reading for all threads.

use std::collections::BTreeMap;
use std::sync::Arc;

use jhyde_store::Recording;
use jhyde_trace::block::{Made, Passage, Passages, Site};
use jhyde_trace::{ThreadId, Timestamp};
use rustc_hash::FxHashMap;

use crate::error::{Error, Result};

/// No more bytes of them are kept: those of about 10^9 events.
const MOST_BYTES: usize = 128 << 20;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct MadePassages {
    /// As bytes, by when they begin.
    of: FxHashMap<ThreadId, BTreeMap<Timestamp, Box<[u8]>>>,
    bytes: usize,
    sites: FxHashMap<u32, Arc<Site>>,
}

impl MadePassages {
    /// Reads a recording; `check` fails when nobody waits for it any more. Behind damage there are none.
    pub(super) fn read(recording: &Recording, check: impl Fn() -> Result<()>) -> Result<Self> {
        let mut made = Self::default();
        let mut maker = Passages::default();
        let end = recording.end();
        for block in recording.blocks(Timestamp(0)..end) {
            check()?;
            let Ok(block) = block else {
                return Ok(made);
            };
            maker.of_block(&block, &mut |of| made.keep(of))?;
            if made.bytes > MOST_BYTES {
                return Ok(made);
            }
        }
        maker.finish(end, &mut |of| made.keep(of))?;
        Ok(made)
    }

    fn keep(&mut self, made: Made) -> Result<(), Error> {
        match made {
            Made::Site(number, site) => drop(self.sites.insert(number, Arc::new(site))),
            Made::Passage(thread, passage) => {
                let bytes = passage.encode().into_boxed_slice();
                self.bytes += bytes.len();
                let of = self.of.entry(thread).or_default();
                of.insert(passage.first, bytes);
            }
        }
        Ok(())
    }

    /// The first one of a thread from a time on.
    pub(super) fn passage(&self, thread: ThreadId, from: Timestamp) -> Option<Passage> {
        let (_, bytes) = self.of.get(&thread)?.range(from..).next()?;
        Passage::decode(bytes).ok()
    }

    /// A site that one of them names.
    pub(super) fn site(&self, number: u32) -> Option<Arc<Site>> {
        self.sites.get(&number).cloned()
    }
}
