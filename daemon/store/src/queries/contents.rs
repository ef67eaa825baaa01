//! What objects of the JDK held, and when it changed.

use std::ops::Range;

use jhyde_trace::{Block, EventKind, Levels, ObjectId, Timestamp};

use super::rows_with;
use crate::index::Key;
use crate::recording::{Recording, Rows};
use crate::records::{ContentChange, Direction};
use crate::view::told;

impl Recording {
    /// The changes of what an object holds, in a range; what was only found among them.
    pub fn content_changes(
        &self,
        object: ObjectId,
        range: Range<Timestamp>,
        direction: Direction,
    ) -> Rows<ContentChange> {
        let key = Key::of_content(object);
        let look = move |block: &Block, wanted: Range<usize>| {
            let hit = |at: &usize| block.content(*at).is_some_and(|own| own.object == object);
            wanted.filter(hit).collect()
        };
        rows_with(self.view(), key, &range, direction, look, change_at)
    }
}

fn change_at(levels: &Levels, block: &Block, at: usize) -> Option<ContentChange> {
    let event = told(levels, block, at)?;
    let EventKind::Content {
        snapshot, change, ..
    } = event.kind
    else {
        return None;
    };
    Some(ContentChange {
        timestamp: block.timestamp(at),
        call: event.call,
        index: event.index,
        snapshot,
        change,
    })
}
