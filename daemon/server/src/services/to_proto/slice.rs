//! Steps of a slice.

use jhyde_history::slice::node::{Deed, Relation, Step};
use jhyde_proto::v1;

/// A step of a slice.
pub fn slice_step(step: &Step) -> v1::SliceStep {
    v1::SliceStep {
        number: step.number,
        parent: step.parent,
        relation: relation(step.relation).into(),
        deed: deed(step.node.deed).into(),
        event: Some(super::event(&step.event)),
        read: step.read.clone().unwrap_or_default(),
        argument: step.argument.clone().unwrap_or_default(),
        notes: step.notes.clone(),
    }
}

fn relation(relation: Relation) -> v1::SliceRelation {
    match relation {
        Relation::Asked => v1::SliceRelation::Asked,
        Relation::Value => v1::SliceRelation::Value,
        Relation::Place => v1::SliceRelation::Place,
        Relation::Condition => v1::SliceRelation::Condition,
        Relation::Content => v1::SliceRelation::Content,
    }
}

fn deed(deed: Deed) -> v1::SliceDeed {
    match deed {
        Deed::Write(_) => v1::SliceDeed::Write,
        Deed::Found(_) => v1::SliceDeed::Found,
        Deed::Content(_) => v1::SliceDeed::Content,
        Deed::Argument(_) => v1::SliceDeed::Argument,
        Deed::Result => v1::SliceDeed::Result,
        Deed::Condition => v1::SliceDeed::Condition,
        Deed::Created(_) => v1::SliceDeed::Created,
        Deed::Called => v1::SliceDeed::Called,
        Deed::Thrown => v1::SliceDeed::Thrown,
        Deed::Caught => v1::SliceDeed::Caught,
    }
}
