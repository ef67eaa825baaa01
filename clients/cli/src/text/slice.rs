//! Steps of a slice as a tree, each below the one that it led to.

use std::collections::HashMap;

use jhyde_proto::v1::event::Kind;
use jhyde_proto::v1::{Call, Event, SliceDeed, SliceRelation, SliceStep};

use super::event::in_words;
use super::{call_name, clean, ended, place, value_or};

/// How deep steps are set in; what is deeper stands there, too.
const DEEPEST: usize = 24;

/// The steps in the order of the tree, each with how deep it stands.
pub fn in_order(steps: &[SliceStep]) -> Vec<(usize, &SliceStep)> {
    let mut children: HashMap<Option<u64>, Vec<&SliceStep>> = HashMap::new();
    for step in steps {
        children.entry(step.parent).or_default().push(step);
    }
    let mut order = Vec::with_capacity(steps.len());
    let roots = children.remove(&None).unwrap_or_default();
    let mut work: Vec<_> = roots.into_iter().rev().map(|step| (0, step)).collect();
    while let Some((depth, step)) = work.pop() {
        order.push((depth, step));
        let below = children.remove(&Some(step.number)).unwrap_or_default();
        work.extend(below.into_iter().rev().map(|step| (depth + 1, step)));
    }
    order
}

/// One step: how it led to the one above, what it is, and where.
pub fn step_line(step: &SliceStep, depth: usize) -> (String, String) {
    let relation = match step.relation() {
        SliceRelation::Asked | SliceRelation::Unspecified => "",
        SliceRelation::Value => "from ",
        SliceRelation::Place => "which ",
        SliceRelation::Condition => "because ",
        SliceRelation::Content => "held ",
    };
    let Some(event) = &step.event else {
        return (relation.to_owned(), String::new());
    };
    let what = happened(step, event);
    let inset = "  ".repeat(depth.min(DEEPEST));
    (format!("{inset}{relation}{what}"), where_of(event))
}

fn happened(step: &SliceStep, event: &Event) -> String {
    match (&event.kind, step.deed()) {
        (Some(Kind::Enter(call)), SliceDeed::Argument) => {
            let shown = argument(call, &step.argument);
            format!(
                "{} given {} = {shown}",
                call_name(call),
                clean(&step.argument)
            )
        }
        (Some(Kind::Enter(call)), _) => format!("{} was called", call_name(call)),
        (Some(Kind::Exit(call)), _) => format!("{} {}", call_name(call), ended(call)),
        (Some(Kind::Write(write)), deed) => {
            let shown = value_or(write.value.as_ref(), "?");
            let found = if deed == SliceDeed::Found {
                " found"
            } else {
                ""
            };
            format!("{} = {shown}{found}", clean(&write.variable))
        }
        (Some(Kind::Edge(_)), _) => "the condition".to_owned(),
        _ => in_words(event),
    }
}

fn argument(call: &Call, name: &str) -> String {
    if name == "this" {
        return value_or(call.receiver.as_ref(), "?");
    }
    let named = |name: &str| call.arguments.iter().find(|given| given.name == name);
    // A name that the method has more than once is written with its slot.
    let given = named(name).or_else(|| named(name.split('@').next().unwrap_or(name)));
    value_or(given.and_then(|given| given.value.as_ref()), "?")
}

/// The place in the recorded classes; of what begins or ends, with where it was called.
fn where_of(event: &Event) -> String {
    let at = crate::source::place_of(event).map(|(at, _)| place(at));
    let at = at.or_else(|| event.place.as_ref().map(place));
    let at = at.unwrap_or_default();
    format!("{at}  [{}]  @{}", event.call, event.timestamp)
}
