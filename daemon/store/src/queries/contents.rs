//! What objects of the JDK held, and when it changed.

use std::ops::Range;

use jhyde_trace::{Block, ObjectId, Timestamp};

use super::events::{positions, step};
use super::{known, pages};
use crate::index::Key;
use crate::recording::{Recording, Rows};
use crate::records::{ContentChange, Direction};

impl Recording {
    /// The changes of what an object holds, in a range; what was only found among them.
    pub fn content_changes(
        &self,
        object: ObjectId,
        range: Range<Timestamp>,
        direction: Direction,
    ) -> Rows<ContentChange> {
        let view = self.view();
        let Some((range, start)) = view.clip(&range, direction) else {
            return known([]);
        };
        let key = Key::of_content(object);
        let mut next = Some(start);
        pages(move || {
            let ordinal = match view.candidate(key, next.take()?, direction) {
                Ok(found) => found?,
                Err(error) => return Some(Err(error)),
            };
            if view.is_past(ordinal, &range, direction) {
                return None;
            }
            next = step(ordinal, direction);
            let block = match view.block(ordinal) {
                Ok(block) => block,
                Err(error) => return Some(Err(error)),
            };
            let wanted = positions(&block, &range);
            let hit = |at: &usize| block.content(*at).is_some_and(|own| own.object == object);
            let found: Vec<usize> = match direction {
                Direction::Forward => wanted.filter(hit).collect(),
                Direction::Backward => wanted.rev().filter(hit).collect(),
            };
            let changes = found
                .into_iter()
                .filter_map(move |at| change_at(&block, at));
            Some(Ok(Box::new(changes)))
        })
    }
}

fn change_at(block: &Block, at: usize) -> Option<ContentChange> {
    let content = block.content(at)?;
    Some(ContentChange {
        timestamp: block.timestamp(at),
        call: block.call(at),
        index: block.index(at),
        snapshot: content.snapshot,
        change: content.change.clone(),
    })
}
