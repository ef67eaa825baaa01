//! Events by what they are about: writes of a field of any object, creations of a class, what refers to an object.

use std::ops::Range;

use jhyde_trace::{Block, ClassId, FieldId, ObjectId, Timestamp};

use super::rows_with;
use crate::error::Result;
use crate::index::Key;
use crate::recording::{Recording, Rows};
use crate::records::{Direction, TimedEvent};
use crate::view::told;

impl Recording {
    /// All writes of a field in a range, static or of any object; what was only found among them.
    pub fn writes_of_field(
        &self,
        field: FieldId,
        range: Range<Timestamp>,
        direction: Direction,
    ) -> Rows<TimedEvent> {
        self.looked_for(
            Key::of_field(field),
            range,
            direction,
            move |block, wanted| {
                let is = block.writes_of_field(field);
                wanted.filter(|at| is(*at)).collect()
            },
        )
    }

    /// The creations of objects of a class in a range, not of its subclasses.
    pub fn creations_of(
        &self,
        class: ClassId,
        range: Range<Timestamp>,
        direction: Direction,
    ) -> Rows<TimedEvent> {
        self.looked_for(
            Key::of_class(class),
            range,
            direction,
            move |block, wanted| {
                let is = block.creations_of(class);
                wanted.filter(|at| is(*at)).collect()
            },
        )
    }

    /// The events of a range that refer to an object: see [`jhyde_trace::Event::refers_to`].
    pub fn references(
        &self,
        object: ObjectId,
        range: Range<Timestamp>,
        direction: Direction,
    ) -> Rows<TimedEvent> {
        let key = Key::of_references(object);
        let rows = self.looked_for(key, range, direction, move |block, wanted| {
            let references = block.references();
            let refers = |at: &usize| references.of(*at).any(|of| of == object);
            wanted.filter(refers).collect()
        });
        // What may be false is told without its values.
        let refers = move |row: &Result<TimedEvent>| match row {
            Ok(row) => row.event.refers_to(object),
            Err(_) => true,
        };
        Box::new(rows.filter(refers))
    }

    /// Does its index lead to writes of a field of any object, to creations of a class and to what refers to an object? Of recordings
    /// made before there was such an index all blocks are read for these.
    pub fn has_index_of_references(&self) -> bool {
        self.inner.index >= Key::of_references(ObjectId(0)).since()
    }

    /// Events in the blocks that may have a key; `look` finds their positions in a block.
    fn looked_for(
        &self,
        key: Key,
        range: Range<Timestamp>,
        direction: Direction,
        look: impl Fn(&Block, Range<usize>) -> Vec<usize> + Send + 'static,
    ) -> Rows<TimedEvent> {
        rows_with(
            self.view(),
            key,
            &range,
            direction,
            look,
            |levels, block, at| {
                Some(TimedEvent {
                    timestamp: block.timestamp(at),
                    event: told(levels, block, at)?,
                })
            },
        )
    }
}
