use proptest::prelude::*;
use rustc_hash::FxHashMap;

use super::*;
use crate::block::BlockBuilder;
use crate::event::{EventKind, Outcome};
use crate::ids::{CallId, ClassId, FieldId, ThreadId};
use crate::value::{Missing, Value};
use crate::variable::Variable;

/// How the ids of a run are given, which says nothing of what it does.
#[derive(Clone, Copy)]
struct Numbering {
    thread: ThreadId,
    objects: u64,
    methods: u32,
    block: usize,
}

const ONE: Numbering = Numbering {
    thread: ThreadId(1),
    objects: 1,
    methods: 0,
    block: 700,
};
const OTHER: Numbering = Numbering {
    thread: ThreadId(4),
    objects: 1000,
    methods: 17,
    block: 1111,
};

/// A program's run: per step of the script a call in a call, which makes an object, writes to it and to others, and throws now and then.
fn run(script: &[u32], numbering: Numbering) -> Vec<Event> {
    let mut events = Vec::new();
    let mut calls = 0;
    let mut enter = |running: &mut Vec<u64>, method: u32, arguments: Vec<Value>| {
        calls += 1;
        running.push(calls);
        EventKind::Enter {
            method: MethodId(method + numbering.methods),
            receiver: None,
            arguments,
            call_site: method,
            boundary: false,
            already_running: false,
        }
    };
    let mut running = Vec::new();
    let mut push = |running: &[u64], index: u32, kind: EventKind| {
        let call = running.last().copied().unwrap_or(0);
        events.push(Event {
            call: CallId::new(numbering.thread, call),
            index,
            kind,
        });
    };
    let returned = |value| EventKind::Exit {
        outcome: Outcome::Returned(value),
    };
    let main = enter(&mut running, 0, Vec::new());
    push(&running, 0, main);
    let mut made = 0;
    let mut last = Value::Null;
    for &step in script {
        let of = enter(
            &mut running,
            1 + step % 3,
            vec![last, Value::Int(step as i32)],
        );
        push(&running, 0, of);
        let object = ObjectId(numbering.objects + made);
        made += 1;
        let new = EventKind::New {
            object,
            class: ClassId(step % 2),
            length: None,
        };
        push(&running, 3, new);
        // One that was made lately, wherever the passages begin.
        let older = ObjectId(numbering.objects + made.saturating_sub(1 + u64::from(step % 20)));
        for (object, value) in [
            (object, Value::Int(step as i32)),
            (older, Value::Object(object)),
        ] {
            let variable = Variable::Field {
                object,
                field: FieldId(step % 5),
            };
            push(&running, 5 + step % 2, EventKind::Write { variable, value });
        }
        if step % 7 == 0 {
            let to = step % 13;
            push(&running, 9, EventKind::Edge { from: 9, to });
        }
        last = Value::Object(object);
        push(&running, 11, returned(Some(last)));
        running.pop();
    }
    push(&running, 20, returned(None));
    events
}

/// Passages of events, and the sites.
fn passages(events: &[Event], block: usize) -> (Vec<Passage>, FxHashMap<u32, Site>) {
    let (mut passages, mut sites) = (Vec::new(), FxHashMap::default());
    let mut maker = Passages::default();
    let mut put = |made| {
        match made {
            Made::Site(number, site) => drop(sites.insert(number, site)),
            Made::Passage(_, passage) => {
                assert_eq!(Passage::decode(&passage.encode()).as_ref(), Ok(&passage));
                passages.push(passage);
            }
        }
        Ok::<_, ()>(())
    };
    let mut builder = BlockBuilder::new(block);
    for event in events {
        if builder.is_full() {
            maker.of_block(&builder.take(), &mut put).expect("taken");
        }
        builder.append(event).expect("it nests");
    }
    let last = builder.take();
    maker.of_block(&last, &mut put).expect("taken");
    maker.finish(last.end(), &mut put).expect("taken");
    (passages, sites)
}

/// What the events of a passage are, with objects by the order in which they are met.
fn words(events: &[Event], passage: &Passage) -> Vec<Event> {
    let range = passage.first.0 as usize..passage.end.0 as usize;
    let mut numbers: FxHashMap<u64, u64> = FxHashMap::default();
    let mut number = |object: &mut ObjectId| {
        let next = numbers.len() as u64;
        object.0 = *numbers.entry(object.0).or_insert(next);
    };
    let mut words = events[range].to_vec();
    for event in &mut words {
        event.call = CallId::default();
        let values: Vec<&mut Value> = match &mut event.kind {
            EventKind::Enter {
                method, arguments, ..
            } => {
                *method = MethodId(0);
                arguments.iter_mut().collect()
            }
            EventKind::New { object, .. } => {
                number(object);
                Vec::new()
            }
            EventKind::Write { variable, value } => {
                if let Variable::Field { object, .. } = variable {
                    number(object);
                }
                vec![value]
            }
            EventKind::Exit {
                outcome: Outcome::Returned(Some(value)),
            } => vec![value],
            _ => Vec::new(),
        };
        for value in values {
            if let Value::Object(object) = value {
                number(object);
            }
        }
    }
    words
}

/// What of a site is the same however methods are numbered.
fn text(site: &Site, methods: u32) -> Site {
    let mut site = site.clone();
    let of = |method: &mut MethodId| method.0 -= methods;
    site.method.iter_mut().for_each(of);
    if let EventKind::Enter { method, .. } = &mut site.event.kind {
        of(method);
    }
    site
}

fn script(length: usize, seed: u64) -> Vec<u32> {
    let mut state = seed;
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 40) as u32
    };
    (0..length).map(|_| next() % 1000).collect()
}

/// What the passages of two runs prove of each other, held against what the events say.
fn check(one: &[u32], other: &[u32]) -> usize {
    let runs = [run(one, ONE), run(other, OTHER)];
    let [(left, of_left), (right, of_right)] =
        [(0, ONE), (1, OTHER)].map(|(at, of)| passages(&runs[at], of.block));
    let mut equal = 0;
    for one in &left {
        for other in &right {
            let sites = |passage: &Passage, of: &FxHashMap<u32, Site>, by: Numbering| {
                let sites = passage.sites.iter();
                sites
                    .map(|site| text(&of[site], by.methods))
                    .collect::<Vec<_>>()
            };
            let proven = one.digest == other.digest
                && sites(one, &of_left, ONE) == sites(other, &of_right, OTHER);
            let are = words(&runs[0], one) == words(&runs[1], other);
            // Methods are left out of the words: they are in the sites.
            assert!(are || !proven, "{one:?} {other:?}");
            if are && proven {
                equal += 1;
                assert_eq!(one.events, other.events);
                assert_eq!(one.ended, other.ended);
                assert_eq!(one.objects.len(), other.objects.len());
                for (one, other) in one.objects.iter().zip(&other.objects) {
                    assert_eq!(one.flags(), other.flags());
                }
            }
        }
    }
    equal
}

#[test]
fn equal_runs_have_equal_passages_however_they_are_numbered() {
    let script = script(10_000, 5);
    let events = run(&script, ONE);
    let (all, _) = passages(&events, 700);
    assert!(all.len() > 10, "{}", all.len());
    assert_eq!(check(&script, &script), all.len());
    // One follows the other, and all is in them.
    assert_eq!(all[0].first, Timestamp(0));
    for (one, next) in all.iter().zip(&all[1..]) {
        assert_eq!(one.end, next.first);
    }
    assert_eq!(all.last().map(|last| last.end.0), Some(events.len() as u64));
    let ended: u64 = all.iter().flat_map(|of| &of.ended).sum();
    let running: u64 = all
        .iter()
        .flat_map(|of| &of.running)
        .map(|of| of.ended)
        .sum();
    let over: usize = all.iter().map(|of| of.ended.len() - 1).sum();
    let begun: usize = all.iter().map(|of| of.running.len()).sum();
    assert_eq!(begun, over, "what begins in one ends in another");
    assert_eq!(
        ended + running + over as u64,
        10_001,
        "every call ends once"
    );
}

#[test]
fn runs_that_differ_fall_into_step_again() {
    let one = script(10_000, 5);
    let whole = check(&one, &one);
    let mut changed = one.clone();
    changed[5000] += 1;
    let mut more = one.clone();
    more.insert(5000, 77);
    let mut less = one.clone();
    less.remove(5000);
    for other in [changed, more, less] {
        let equal = check(&one, &other);
        assert!(equal < whole && equal + 4 > whole, "{equal} of {whole}");
    }
}

#[test]
fn what_is_not_recorded_has_no_passage() {
    let script = script(3000, 5);
    let events = run(&script, ONE);
    let whole = passages(&events, 700).0;
    let nests =
        |event: &Event| matches!(event.kind, EventKind::Enter { .. } | EventKind::Exit { .. });
    let from = whole[1].first.0 as usize + 40;
    let at = (from..).find(|&at| !nests(&events[at])).expect("a write");
    let missing = |event: &mut Event| match &mut event.kind {
        EventKind::Enter { arguments, .. } => match arguments.last_mut() {
            Some(last) => {
                *last = Value::Missing(Missing::Unreadable);
                true
            }
            None => false,
        },
        _ => false,
    };
    let mut spoiled = events.clone();
    assert!(spoiled[at..].iter_mut().any(missing));
    let mut with_gap = events;
    with_gap[at].kind = EventKind::Gap {
        reason: "nobody saw it".to_owned(),
        back: false,
    };
    for events in [spoiled, with_gap] {
        let found = passages(&events, 700).0;
        assert!(found.contains(&whole[0]) && !found.is_empty());
        let has = |passage: &Passage| (passage.first.0..passage.end.0).contains(&(at as u64));
        assert!(!found.iter().any(has));
    }
}

fn met() -> impl Strategy<Value = Met> {
    (any::<u64>(), any::<[bool; 3]>()).prop_map(|(object, [born, held, lost])| Met {
        object: ObjectId(object % 50),
        born,
        held,
        lost,
    })
}

proptest! {
    #[test]
    fn passages_come_back(
        numbers: [u64; 2],
        events: u32,
        digest: u128,
        ended: Vec<u64>,
        running in proptest::collection::vec((any::<u64>(), any::<u64>(), any::<u32>()), 0..9),
        sites: Vec<u32>,
        objects in proptest::collection::vec(met(), 0..60),
    ) {
        let running = running.into_iter().map(|(call, entered, site)| Running {
            call,
            entered: Timestamp(entered),
            site,
            ended: call / 2,
        });
        let passage = Passage {
            first: Timestamp(numbers[0]),
            end: Timestamp(numbers[1]),
            events,
            digest,
            ended,
            running: running.collect(),
            sites,
            objects,
        };
        prop_assert_eq!(Passage::decode(&passage.encode()), Ok(passage));
    }

    #[test]
    fn any_bytes_are_a_passage_or_an_error(bytes: Vec<u8>) {
        let _ = Passage::decode(&bytes);
        let _ = Passage::decode(&[&[1], &bytes[..]].concat());
    }
}
