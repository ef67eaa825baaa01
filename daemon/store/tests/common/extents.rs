//! How many blocks a question is said to need, against those that it looks into.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use jhyde_store::*;
use jhyde_trace::*;

use super::Model;

type Ranges<'a> = &'a [Range<Timestamp>];

/// A question, and what its blocks are looked up by.
type Asked = (Lookup, Box<dyn Fn(&Recording, Range<Timestamp>)>);

fn all_of<T>(mut rows: Rows<T>) {
    assert!(rows.all(|row| row.is_ok()));
}

/// Is there anything of a range?
fn is_any(recording: &Recording, range: &Range<Timestamp>) -> bool {
    range.start < range.end.min(recording.end())
}

fn asked<T>(
    lookup: Lookup,
    rows: impl Fn(&Recording, Range<Timestamp>) -> Rows<T> + 'static,
) -> Asked {
    (
        lookup,
        Box::new(move |recording, range| all_of(rows(recording, range))),
    )
}

/// No question looks into more blocks than is said before, and what goes through all of them into all.
pub(super) fn compare_extents(
    recording: &Recording,
    model: &Model,
    calls: &BTreeMap<CallId, CallRecord>,
    ranges: Ranges<'_>,
) {
    use Direction::Forward;
    let mut all: Vec<Asked> = vec![
        asked(Lookup::Time, |r, range| r.events(range, None, Forward)),
        asked(Lookup::Exceptions, |r, range| r.exceptions(range, Forward)),
        asked(Lookup::Gaps, |r, range| r.gaps(range)),
    ];
    for thread in model.threads() {
        all.push(asked(Lookup::Thread(thread), move |r, range| {
            r.events(range, Some(thread), Forward)
        }));
        all.push((
            Lookup::Thread(thread),
            Box::new(move |r, range| {
                if !is_any(r, &range) {
                    return;
                }
                let before = |at| 1 + r.calls_before(thread, at).expect("a count");
                let numbers = before(range.start)..before(range.end);
                all_of(r.preorder(thread, numbers));
            }),
        ));
    }
    for &call in calls.keys().step_by(4) {
        all.push(asked(Lookup::Call(call), move |r, range| {
            r.own_events(call, range, Forward)
        }));
        let variable = Variable::Return { call };
        all.push(asked(Lookup::Variable(variable), move |r, range| {
            r.writes(variable, range, Forward)
        }));
    }
    let methods: BTreeSet<_> = calls.values().map(|call| call.method).collect();
    for method in methods {
        all.push((
            Lookup::Method(method),
            Box::new(move |r, range| {
                if !is_any(r, &range) {
                    return;
                }
                let number = |at| r.invocation_at(method, at).expect("a count");
                let (first, end) = (number(range.start), number(range.end));
                if end > first {
                    let calls = r.calls_of_method(method, first, (end - first) as usize);
                    assert_eq!(calls.expect("calls").len() as u64, end - first);
                }
            }),
        ));
        all.push(asked(Lookup::Inside(method), move |r, range| {
            r.events_of_method(method, range)
        }));
    }
    for variable in model.variables().into_iter().step_by(3) {
        all.push(asked(Lookup::Variable(variable), move |r, range| {
            r.writes(variable, range, Forward)
        }));
        if let Some((object, _)) = Model::owner(variable) {
            all.push(asked(Lookup::PartsOf(object), move |r, range| {
                r.writes_to(object, range)
            }));
            all.push(asked(Lookup::References(object), move |r, range| {
                r.references(object, range, Forward)
            }));
            all.push(asked(Lookup::Content(object), move |r, range| {
                r.content_changes(object, range, Forward)
            }));
        }
    }
    let of_all = recording.blocks_in_all();
    for (lookup, ask) in &all {
        for range in ranges {
            let said = recording.blocks_of(&[(*lookup, range.clone())]);
            let said = said.expect("a count");
            let reads = Arc::new(BlockReads::default());
            ask(&recording.counting(Arc::clone(&reads)), range.clone());
            let looked_into = reads.blocks();
            assert!(
                looked_into <= said && said <= of_all,
                "{lookup:?} in {range:?}: {looked_into} blocks, {said} are said of {of_all}"
            );
            if matches!(lookup, Lookup::Time) {
                assert_eq!(looked_into, said, "{range:?}");
            }
        }
    }
}
