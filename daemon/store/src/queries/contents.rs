//! What objects of the JDK held, and when it changed.

use std::ops::Range;

use jhyde_trace::{Block, EventKind, Levels, ObjectId, Timestamp};

use super::events::positions;
use super::{known, pages};
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
            next = view.step(ordinal, direction);
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
            let levels = view.levels.clone();
            let row = move |at| change_at(&levels, &block, at);
            Some(Ok(Box::new(found.into_iter().filter_map(row))))
        })
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
