//! What is found by what it is about, and what a method's calls did, against a look at each event.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use jhyde_store::*;
use jhyde_trace::block::Kinds;
use jhyde_trace::*;

use super::{Model, both_ways, collected};

/// What is found by what it is about, against a look at each event.
pub(super) fn compare_referring(recording: &Recording, model: &Model, ranges: &[Range<Timestamp>]) {
    let mut fields = BTreeSet::from([FieldId(9999)]);
    let mut classes = BTreeSet::from([ClassId(9999)]);
    let mut objects = BTreeSet::from([ObjectId(99_999)]);
    for event in &model.events {
        match &event.kind {
            EventKind::New { class, object, .. } => {
                classes.insert(*class);
                objects.insert(*object);
            }
            EventKind::Write { variable, .. } | EventKind::Snapshot { variable, .. } => {
                fields.extend(field_of(*variable));
            }
            EventKind::Enter {
                receiver,
                arguments,
                ..
            } => objects.extend(
                receiver
                    .iter()
                    .chain(arguments)
                    .filter_map(|value| value.object()),
            ),
            EventKind::Exit {
                outcome: Outcome::Returned(Some(value)),
            } => objects.extend(value.object()),
            _ => {}
        }
    }
    for range in ranges {
        let all: Vec<_> = model.span(range).map(|at| model.at(at)).collect();
        let those = |is: &dyn Fn(&Event) -> bool| {
            let rows = all.iter().filter(|row| is(&row.event));
            rows.cloned().collect::<Vec<_>>()
        };
        for &field in &fields {
            both_ways(
                those(&|event| match event.kind {
                    EventKind::Write { variable, .. } | EventKind::Snapshot { variable, .. } => {
                        field_of(variable) == Some(field)
                    }
                    _ => false,
                }),
                |way| recording.writes_of_field(field, range.clone(), way),
                "writes of a field",
            );
        }
        for &class in &classes {
            both_ways(
                those(
                    &|event| matches!(event.kind, EventKind::New { class: of, .. } if of == class),
                ),
                |way| recording.creations_of(class, range.clone(), way),
                "creations of a class",
            );
        }
        for &object in objects.iter().step_by(3) {
            both_ways(
                those(&|event| event.refers_to(object)),
                |way| recording.references(object, range.clone(), way),
                "references to an object",
            );
        }
    }
}

/// What the calls of a method did, against a look at each event.
pub(super) fn compare_events_of_methods(
    recording: &Recording,
    model: &Model,
    calls: &BTreeMap<CallId, CallRecord>,
    ranges: &[Range<Timestamp>],
) {
    let mut methods: BTreeSet<_> = calls.values().map(|call| call.method).collect();
    methods.insert(MethodId(9999));
    for range in ranges {
        for &method in &methods {
            let is_of = |call: &CallId| {
                let record = calls.get(call);
                record.is_some_and(|record| record.method == method && !record.boundary)
            };
            let mut expected = Vec::new();
            for row in model.span(range).map(|at| model.at(at)) {
                let caller = match row.event.kind {
                    EventKind::Enter { .. } => Some(calls[&row.event.call].parent),
                    _ => None,
                };
                let of = caller.into_iter().chain([row.event.call]).filter(is_of);
                expected.extend(of.map(|call| MethodEvent {
                    call,
                    timestamp: row.timestamp,
                    event: row.event.clone(),
                }));
            }
            let found = collected(recording.events_of_method(method, range.clone()));
            assert_eq!(found, expected, "events of {method} in {range:?}");
        }
        for kinds in [Kinds::ALL, Kinds::WRITES, Kinds::EXITS] {
            for step in 1..=3 {
                let some: BTreeSet<_> = methods.iter().copied().step_by(step).collect();
                let rows = model.span(range).map(|at| model.at(at));
                let expected = rows.filter(|row| {
                    let call = calls.get(&row.event.call);
                    kinds.contains(&row.event.kind)
                        && call.is_some_and(|call| some.contains(&call.method))
                });
                both_ways(
                    expected.collect(),
                    |way| recording.events_inside(some.clone(), kinds, range.clone(), way),
                    "events inside of methods",
                );
            }
        }
    }
}

/// What is counted, against a look at each event.
pub(super) fn compare_tallies(
    recording: &Recording,
    model: &Model,
    calls: &BTreeMap<CallId, CallRecord>,
    ranges: &[Range<Timestamp>],
) {
    assert!(recording.has_tallies());
    for range in ranges {
        let mut expected = Sum::default();
        for row in model.span(range).map(|at| model.at(at)) {
            if let Some(call) = calls.get(&row.event.call) {
                let at = (call.method, row.event.index);
                *expected.events.entry(at).or_default() += 1;
                if let EventKind::Edge { from, to } = row.event.kind {
                    *expected.ways.entry((call.method, from, to)).or_default() += 1;
                }
            }
            match row.event.kind {
                EventKind::Enter {
                    method,
                    boundary: false,
                    already_running: false,
                    ..
                } => *expected.entries.entry(method).or_default() += 1,
                EventKind::New { class, .. } => *expected.made.entry(class).or_default() += 1,
                _ => {}
            }
        }
        let mut found = Sum::default();
        for tally in collected(recording.tallies(range.clone())) {
            found.add(&tally);
        }
        assert_eq!(found, expected, "counted in {range:?}");
    }
}

fn field_of(variable: Variable) -> Option<FieldId> {
    match variable {
        Variable::Field { field, .. } | Variable::Static { field } => Some(field),
        _ => None,
    }
}
