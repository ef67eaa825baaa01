//! Arrays of primitives: nothing is reached through them, so of long ones only what is shown is read.

use std::collections::BTreeSet;

use jhyde_trace::{Content, ObjectId, Timestamp, Value, Variable};

use crate::error::Result;
use crate::history::History;
use crate::state::Interval;
use crate::view::ValueView;

/// So many writes are looked at to find the elements that changed. A look at the last write of each of as many elements costs more.
const MOST_WRITES: usize = 20_000;

impl History {
    /// The length of an array of primitives; `None` for all else.
    pub(crate) fn plain_array(&self, object: ObjectId) -> Result<Option<u32>> {
        let ValueView::Object(view) = self.value(Value::Object(object))? else {
            return Ok(None);
        };
        let Content::Array(length) = view.content else {
            return Ok(None);
        };
        let descriptor = crate::text::element_descriptor(&view.class);
        Ok(descriptor.is_some_and(|d| d.len() == 1).then_some(length))
    }

    /// The elements of an array that the program wrote in an interval, by index. `None` where that is not told, or would take looking
    /// at very many writes.
    pub(crate) fn written_elements(
        &self,
        array: ObjectId,
        interval: Interval,
    ) -> Result<Option<BTreeSet<u32>>> {
        if self.has_snapshots_only() {
            return Ok(None);
        }
        let range = Timestamp(interval.from.0.saturating_add(1))
            ..Timestamp(interval.to.0.saturating_add(1));
        let mut written = BTreeSet::new();
        if range.start >= range.end {
            return Ok(Some(written));
        }
        for (at, write) in self.recording.element_writes(array, range).enumerate() {
            self.check()?;
            if at == MOST_WRITES {
                return Ok(None);
            }
            let write = match write {
                Err(jhyde_store::Error::Damaged { .. }) => return Ok(None),
                write => write?,
            };
            if let (Variable::Element { index, .. }, false) = (write.variable, write.snapshot) {
                written.insert(index);
            }
        }
        Ok(Some(written))
    }
}
