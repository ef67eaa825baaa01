//! Old code indexes and new ones.

/// Where the instructions of a patched method stand now, and what stands at an index now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeMap {
    /// Of each instruction: its old index, where what is inserted in front starts, and its new index; all ascending.
    places: Vec<(u32, u32, u32)>,
    /// Added jumps: where they stand, and the old index that they lead to.
    islands: Vec<(u32, u32)>,
    length: u32,
}

/// What stands at an index of patched code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// (Part of) the instruction at this old index.
    Instruction(u32),
    /// Inserted code, that comes before the instruction at this old index: the one in front has completed, this one has
    /// not begun.
    Inserted(u32),
}

impl Origin {
    /// The old index.
    pub const fn index(self) -> u32 {
        match self {
            Self::Instruction(index) | Self::Inserted(index) => index,
        }
    }
}

impl CodeMap {
    pub(super) fn new(places: Vec<(u32, u32, u32)>, islands: Vec<(u32, u32)>, length: u32) -> Self {
        Self {
            places,
            islands,
            length,
        }
    }

    /// Bytes of the new code. HotSpot compiles no method of more than 8,000 (`-XX:-DontCompileHugeMethods`).
    pub fn length(&self) -> u32 {
        self.length
    }

    /// Where the instruction at this old index stands now; `None` if none starts there.
    pub fn new_index(&self, old: u32) -> Option<u32> {
        let at = self.places.binary_search_by_key(&old, |place| place.0);
        Some(self.places.get(at.ok()?)?.2)
    }

    /// What stands at this new index; `None` behind the end.
    pub fn origin(&self, new: u32) -> Option<Origin> {
        if new >= self.length {
            return None;
        }
        // An added jump has five bytes; nobody can go on from the instruction in front of one.
        let island = self.islands.partition_point(|island| island.0 <= new);
        let island = island.checked_sub(1).and_then(|at| self.islands.get(at));
        if let Some((at, target)) = island
            && new < at + 5
        {
            return Some(Origin::Inserted(*target));
        }
        let behind = self.places.partition_point(|place| place.1 <= new);
        let (old, _, stands) = *self.places.get(behind.checked_sub(1)?)?;
        Some(if new < stands {
            Origin::Inserted(old)
        } else {
            Origin::Instruction(old)
        })
    }
}
