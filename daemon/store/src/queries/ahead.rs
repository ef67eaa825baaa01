//! Reading ahead.

use std::ops::Range;
use std::sync::Arc;

use jhyde_trace::Block;

use crate::records::Direction;
use crate::view::View;

/// Blocks that are read ahead by who goes through all of a stretch: most of the time goes into decoding, which is done on several cores.
pub(crate) struct Ahead {
    /// Where nothing is read ahead: the first block may be enough.
    first: u32,
    /// They are read up to here.
    upto: u32,
    /// Held, so that they are still there when they are asked for.
    held: Vec<Arc<Block>>,
}

impl Ahead {
    /// So many.
    const MOST: u32 = 16;

    pub(crate) fn new(first: u32) -> Self {
        Self {
            first,
            upto: first + 1,
            held: Vec::new(),
        }
    }

    /// A block is asked for, the one behind the last.
    pub(crate) fn come(&mut self, view: &View, ordinal: u32, range: &Range<u64>) {
        if ordinal < self.upto || ordinal == self.first {
            return;
        }
        let wanted = ordinal..ordinal.saturating_add(Self::MOST);
        let wanted = wanted.filter(|ordinal| !view.is_past(*ordinal, range, Direction::Forward));
        let wanted: Vec<u32> = wanted.collect();
        self.held.clear();
        self.held.extend(view.preload(&wanted));
        self.upto = ordinal.saturating_add(Self::MOST);
    }
}
