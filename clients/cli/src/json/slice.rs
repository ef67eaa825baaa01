//! Steps of a slice.

use jhyde_proto::v1::{SliceDeed, SliceRelation, SliceStep};
use serde::ser::{Serialize, SerializeMap as _, Serializer};

use super::EventJson;

/// A step of a slice: its event is inside.
#[derive(Clone, Copy, Debug)]
pub struct StepJson<'a>(pub &'a SliceStep);

impl Serialize for StepJson<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let step = self.0;
        let mut map = s.serialize_map(None)?;
        map.serialize_entry("step", &step.number)?;
        map.serialize_entry("parent", &step.parent)?;
        map.serialize_entry("relation", relation_word(step.relation()))?;
        map.serialize_entry("deed", deed_word(step.deed()))?;
        if !step.read.is_empty() {
            map.serialize_entry("read", &step.read)?;
        }
        if !step.argument.is_empty() {
            map.serialize_entry("argument", &step.argument)?;
        }
        map.serialize_entry("event", &step.event.as_ref().map(EventJson))?;
        if !step.notes.is_empty() {
            map.serialize_entry("notes", &step.notes)?;
        }
        map.end()
    }
}

fn relation_word(relation: SliceRelation) -> &'static str {
    match relation {
        SliceRelation::Unspecified => "unknown",
        SliceRelation::Asked => "asked",
        SliceRelation::Value => "value",
        SliceRelation::Place => "place",
        SliceRelation::Condition => "condition",
        SliceRelation::Content => "content",
    }
}

fn deed_word(deed: SliceDeed) -> &'static str {
    match deed {
        SliceDeed::Unspecified => "unknown",
        SliceDeed::Write => "write",
        SliceDeed::Found => "found",
        SliceDeed::Content => "content",
        SliceDeed::Argument => "argument",
        SliceDeed::Result => "result",
        SliceDeed::Condition => "condition",
        SliceDeed::Created => "created",
        SliceDeed::Called => "called",
        SliceDeed::Thrown => "thrown",
        SliceDeed::Caught => "caught",
    }
}
