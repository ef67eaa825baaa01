//! A recording as a plain list, and every query on it in the most naive way: the model that the store
//! is compared with.

#![allow(dead_code, reason = "each test file uses a part")]

pub(crate) mod data;
mod extents;
mod referring;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use jhyde_store::*;
use jhyde_trace::*;

/// The events of a recording in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Model {
    pub(crate) events: Vec<Event>,
    /// What is told from there on may be false.
    doubted: Option<usize>,
}

impl Model {
    /// Of events of which nothing is in doubt.
    pub(crate) fn of(events: Vec<Event>) -> Self {
        Self {
            events,
            doubted: None,
        }
    }

    pub(crate) fn push(&mut self, mut event: Event) {
        if self.doubted.is_some() {
            event.doubt();
        }
        self.events.push(event);
    }

    pub(crate) fn doubt(&mut self, since: usize) {
        self.events[since..].iter_mut().for_each(Event::doubt);
        self.doubted = Some(since);
    }

    fn at(&self, position: usize) -> TimedEvent {
        TimedEvent {
            timestamp: Timestamp(position as u64),
            event: self.events[position].clone(),
        }
    }

    fn span(&self, range: &Range<Timestamp>) -> Range<usize> {
        let clip = |at: u64| at.min(self.events.len() as u64) as usize;
        clip(range.start.0)..clip(range.end.0).max(clip(range.start.0))
    }

    pub(crate) fn threads(&self) -> Vec<ThreadId> {
        let mut threads: Vec<_> = self.events.iter().map(Event::thread).collect();
        threads.sort();
        threads.dedup();
        threads
    }

    /// All call records, by following every thread with a stack.
    pub(crate) fn calls(&self) -> BTreeMap<CallId, CallRecord> {
        let mut stacks: BTreeMap<ThreadId, Vec<CallId>> = BTreeMap::new();
        let mut counts: BTreeMap<ThreadId, u64> = BTreeMap::new();
        let mut invocations: BTreeMap<MethodId, u64> = BTreeMap::new();
        let mut calls = BTreeMap::new();
        for (at, event) in self.events.iter().enumerate() {
            let stack = stacks.entry(event.thread()).or_default();
            let count = counts.entry(event.thread()).or_default();
            match &event.kind {
                EventKind::Enter {
                    method,
                    call_site,
                    boundary,
                    already_running,
                    ..
                } => {
                    let parent = stack
                        .last()
                        .copied()
                        .unwrap_or_else(|| CallId::root(event.thread()));
                    stack.push(event.call);
                    *count += 1;
                    let invocation = invocations.entry(*method).or_default();
                    let record = CallRecord {
                        id: event.call,
                        parent,
                        depth: stack.len() as u32,
                        method: *method,
                        enter: Timestamp(at as u64),
                        exit: None,
                        size: 0,
                        boundary: *boundary,
                        already_running: *already_running,
                        call_site: *call_site,
                        invocation: *invocation,
                    };
                    *invocation += 1;
                    calls.insert(event.call, record);
                }
                EventKind::Exit { .. } => {
                    stack.pop();
                    let record = calls.get_mut(&event.call).expect("entered before");
                    record.exit = Some(Timestamp(at as u64));
                    record.size = *count + 1 - event.call.preorder;
                }
                _ => {}
            }
        }
        for record in calls.values_mut().filter(|record| record.exit.is_none()) {
            record.size = counts[&record.id.thread] + 1 - record.id.preorder;
        }
        calls
    }

    pub(crate) fn innermost(&self, thread: ThreadId, at: usize) -> CallId {
        let mut stack = vec![CallId::root(thread)];
        for event in self
            .events
            .iter()
            .take(at + 1)
            .filter(|e| e.thread() == thread)
        {
            match event.kind {
                EventKind::Enter { .. } => stack.push(event.call),
                EventKind::Exit { .. } => drop(stack.pop()),
                _ => {}
            }
        }
        stack[stack.len() - 1]
    }

    pub(crate) fn writes(&self, variable: Variable) -> Vec<Write> {
        // By the contract `return` and `exception` are written by exits alone.
        let by_exit = matches!(
            variable,
            Variable::Return { .. } | Variable::Exception { .. }
        );
        let write = |(at, event): (usize, &Event)| {
            let is_exit = matches!(event.kind, EventKind::Exit { .. });
            if by_exit != is_exit {
                return None;
            }
            let (written, value, snapshot) = match event.kind {
                EventKind::Write { variable, value } => (variable, value, false),
                EventKind::Snapshot { variable, value } => (variable, value, true),
                EventKind::Exit {
                    outcome: Outcome::Returned(Some(value)),
                } => (Variable::Return { call: event.call }, value, false),
                EventKind::Exit {
                    outcome: Outcome::Threw(value),
                } => (Variable::Exception { call: event.call }, value, false),
                _ => return None,
            };
            (written == variable).then_some(Write {
                timestamp: Timestamp(at as u64),
                call: event.call,
                index: event.index,
                variable,
                value,
                snapshot,
            })
        };
        self.events.iter().enumerate().filter_map(write).collect()
    }

    pub(crate) fn content_changes(&self, of: ObjectId) -> Vec<ContentChange> {
        let changes = self.events.iter().enumerate().filter_map(|(at, event)| {
            let EventKind::Content {
                object,
                snapshot,
                ref change,
            } = event.kind
            else {
                return None;
            };
            (object == of).then(|| ContentChange {
                timestamp: Timestamp(at as u64),
                call: event.call,
                index: event.index,
                snapshot,
                change: change.clone(),
            })
        });
        changes.collect()
    }

    pub(crate) fn variables(&self) -> Vec<Variable> {
        let variables = self.events.iter().filter_map(|event| match event.kind {
            EventKind::Write { variable, .. } | EventKind::Snapshot { variable, .. } => {
                Some(variable)
            }
            _ => None,
        });
        let mut variables: Vec<_> = variables.collect();
        variables.sort();
        variables.dedup();
        variables
    }

    fn owner(variable: Variable) -> Option<(ObjectId, u32)> {
        match variable {
            Variable::Field { object, field } => Some((object, field.0)),
            Variable::Element { array, index } => Some((array, index)),
            _ => None,
        }
    }

    pub(crate) fn object_state(
        &self,
        object: ObjectId,
        at: usize,
        from: u32,
        limit: usize,
    ) -> Vec<Write> {
        let mut state = BTreeMap::new();
        for variable in self.variables() {
            if let Some((owner, low)) = Self::owner(variable)
                && owner == object
                && low >= from
            {
                let last = self
                    .writes(variable)
                    .into_iter()
                    .rfind(|w| w.timestamp.0 <= at as u64);
                if let Some(last) = last {
                    state.insert(low, last);
                }
            }
        }
        state.into_values().take(limit).collect()
    }

    /// When an object was written.
    pub(crate) fn writes_to(&self, object: ObjectId) -> Vec<Write> {
        let variables = self.variables().into_iter();
        let own = variables.filter(|v| Self::owner(*v).is_some_and(|owner| owner.0 == object));
        own.flat_map(|variable| self.writes(variable)).collect()
    }

    pub(crate) fn own_events(&self, call: CallId) -> Vec<TimedEvent> {
        let calls = self.calls();
        let is_own = |event: &Event| {
            event.call == call
                || matches!(event.kind, EventKind::Enter { .. } | EventKind::Exit { .. })
                    && calls[&event.call].parent == call
        };
        (0..self.events.len())
            .filter(|&at| is_own(&self.events[at]))
            .map(|at| self.at(at))
            .collect()
    }
}

fn collected<T>(rows: Rows<T>) -> Vec<T> {
    rows.map(|row| row.expect("nothing is damaged")).collect()
}

fn both_ways<T: PartialEq + std::fmt::Debug>(
    expected: Vec<T>,
    rows: impl Fn(Direction) -> Rows<T>,
    what: &str,
) {
    let forward = collected(rows(Direction::Forward));
    assert_eq!(forward, expected, "{what}, forward");
    let mut backward = collected(rows(Direction::Backward));
    backward.reverse();
    assert_eq!(backward, expected, "{what}, backward");
}

/// Compares every query with the model. `ranges` are tried wherever a range is asked for.
pub(crate) fn compare(recording: &Recording, model: &Model, ranges: &[Range<Timestamp>]) {
    let events = model.events.len();
    assert_eq!(recording.end(), Timestamp(events as u64));
    let calls = model.calls();
    let stats = recording.stats().expect("stats");
    assert_eq!(
        (stats.events, stats.calls),
        (events as u64, calls.len() as u64)
    );
    let threads = model.threads();
    assert_eq!(stats.threads as usize, threads.len());

    for range in ranges {
        let span = model.span(range);
        let all: Vec<_> = span.clone().map(|at| model.at(at)).collect();
        both_ways(
            all.clone(),
            |way| recording.events(range.clone(), None, way),
            "events",
        );
        for &thread in &threads {
            let own: Vec<_> = all
                .iter()
                .filter(|e| e.event.thread() == thread)
                .cloned()
                .collect();
            let rows = |way| recording.events(range.clone(), Some(thread), way);
            both_ways(own, rows, "events of a thread");
        }
        let exceptions: Vec<_> = all
            .iter()
            .filter_map(|e| {
                let (kind, exception) = match e.event.kind {
                    EventKind::Thrown { exception } => (ExceptionKind::Thrown, exception),
                    EventKind::Caught { exception } => (ExceptionKind::Caught, exception),
                    EventKind::Uncaught { exception } => (ExceptionKind::Uncaught, exception),
                    _ => return None,
                };
                let (timestamp, call, index) = (e.timestamp, e.event.call, e.event.index);
                Some(ExceptionEvent {
                    timestamp,
                    kind,
                    call,
                    index,
                    exception,
                })
            })
            .collect();
        both_ways(
            exceptions,
            |way| recording.exceptions(range.clone(), way),
            "exceptions",
        );
    }

    for (&id, record) in &calls {
        assert_eq!(&recording.call(id).expect("a call"), record, "call {id}");
        assert_eq!(
            recording.call_entered_at(record.enter).expect("an event"),
            Some(*record)
        );
    }
    for &thread in &threads {
        compare_tree(recording, model, &calls, thread, ranges);
    }
    compare_methods(recording, &calls, ranges);
    for variable in model.variables() {
        compare_variable(recording, model, variable, ranges);
    }
    for call in calls.keys().step_by(3) {
        compare_variable(recording, model, Variable::Return { call: *call }, ranges);
        compare_variable(
            recording,
            model,
            Variable::Exception { call: *call },
            ranges,
        );
    }
    compare_objects(recording, model, ranges);
    compare_contents(recording, model, ranges);
    referring::compare_referring(recording, model, ranges);
    referring::compare_events_of_methods(recording, model, &calls, ranges);
    referring::compare_tallies(recording, model, &calls, ranges);
    extents::compare_extents(recording, model, &calls, ranges);
}

fn compare_contents(recording: &Recording, model: &Model, ranges: &[Range<Timestamp>]) {
    let holders: BTreeSet<_> = model
        .events
        .iter()
        .filter_map(|event| match event.kind {
            EventKind::Content { object, .. } => Some(object),
            _ => None,
        })
        .collect();
    for object in holders {
        let all = model.content_changes(object);
        for range in ranges {
            let inside = |change: &&ContentChange| range.contains(&change.timestamp);
            let rows = |way| recording.content_changes(object, range.clone(), way);
            both_ways(
                all.iter().filter(inside).cloned().collect(),
                rows,
                "contents",
            );
        }
    }
}

fn compare_tree(
    recording: &Recording,
    model: &Model,
    calls: &BTreeMap<CallId, CallRecord>,
    thread: ThreadId,
    ranges: &[Range<Timestamp>],
) {
    let root = CallId::root(thread);
    let of_thread: Vec<_> = calls
        .values()
        .filter(|call| call.id.thread == thread)
        .copied()
        .collect();
    let record = recording.root(thread).expect("a thread");
    assert_eq!(record.calls, of_thread.len() as u64);
    let positions: Vec<_> = (0..model.events.len())
        .filter(|&at| model.events[at].thread() == thread)
        .collect();
    assert_eq!(
        record.first,
        positions.first().map(|&at| Timestamp(at as u64))
    );
    assert_eq!(
        record.last,
        positions.last().map(|&at| Timestamp(at as u64))
    );
    assert_eq!(
        collected(recording.preorder(thread, 0..u64::MAX)),
        of_thread
    );
    for at in (0..model.events.len()).step_by(7) {
        let innermost = recording
            .innermost_call(thread, Timestamp(at as u64))
            .expect("a call");
        assert_eq!(
            innermost,
            model.innermost(thread, at),
            "innermost of {thread} at {at}"
        );
    }
    for parent in of_thread.iter().map(|call| call.id).chain([root]) {
        let children: Vec<_> = of_thread
            .iter()
            .filter(|call| call.parent == parent)
            .copied()
            .collect();
        assert_eq!(
            recording
                .children(parent, None, usize::MAX)
                .expect("children"),
            children
        );
        if let Some(child) = children.get(children.len() / 2) {
            let behind = recording
                .children(parent, Some(child.id), 2)
                .expect("children");
            let expected: Vec<_> = children
                .iter()
                .skip(children.len() / 2 + 1)
                .take(2)
                .copied()
                .collect();
            assert_eq!(behind, expected);
        }
        let mut path = Vec::new();
        let mut up = parent;
        while !up.is_root() {
            path.insert(0, calls[&up]);
            up = calls[&up].parent;
        }
        assert_eq!(recording.path(parent).expect("a path"), path);
        let own = model.own_events(parent);
        for range in ranges {
            let expected: Vec<_> = own
                .iter()
                .filter(|e| range.contains(&e.timestamp))
                .map(|e| OwnEvent {
                    timestamp: e.timestamp,
                    event: e.event.clone(),
                })
                .collect();
            let rows = |way| recording.own_events(parent, range.clone(), way);
            both_ways(
                expected,
                rows,
                &format!("own events of {parent} in {range:?}"),
            );
        }
    }
    for call in &of_thread {
        match &model.events[call.enter.0 as usize].kind {
            EventKind::Enter {
                receiver,
                arguments,
                ..
            } => {
                let expected = Arguments {
                    receiver: *receiver,
                    arguments: arguments.clone(),
                };
                assert_eq!(recording.arguments(call).expect("arguments"), expected);
            }
            other => panic!("{other:?} is no enter"),
        }
        let outcome = call
            .exit
            .map(|exit| match &model.events[exit.0 as usize].kind {
                EventKind::Exit { outcome } => *outcome,
                other => panic!("{other:?} is no exit"),
            });
        assert_eq!(recording.outcome(call).expect("an outcome"), outcome);
    }
}

fn compare_methods(
    recording: &Recording,
    calls: &BTreeMap<CallId, CallRecord>,
    ranges: &[Range<Timestamp>],
) {
    let times = || ranges.iter().flat_map(|range| [range.start, range.end]);
    let threads: BTreeSet<_> = calls.keys().map(|call| call.thread).collect();
    for (thread, time) in threads
        .iter()
        .flat_map(|t| times().map(move |time| (*t, time)))
    {
        let of_thread = calls.values().filter(|call| call.id.thread == thread);
        let before = of_thread.filter(|call| call.enter < time).count();
        let found = recording.calls_before(thread, time).expect("a count");
        assert_eq!(found, before as u64, "calls of {thread} before {time}");
    }
    let mut methods: BTreeMap<MethodId, Vec<CallRecord>> = BTreeMap::new();
    for call in calls.values() {
        methods.entry(call.method).or_default().push(*call);
    }
    for (&method, of_method) in &mut methods {
        of_method.sort_by_key(|call| call.enter);
        let all = recording
            .calls_of_method(method, 0, usize::MAX)
            .expect("calls");
        assert_eq!(&all, of_method, "calls of method {method}");
        assert_eq!(
            recording.invocations(method).expect("a count"),
            of_method.len() as u64
        );
        for time in times() {
            let before = of_method.iter().filter(|call| call.enter < time).count();
            let found = recording.invocation_at(method, time).expect("a count");
            assert_eq!(found, before as u64, "calls of {method} before {time}");
        }
        let n = of_method.len() as u64 / 2;
        let middle = recording.call_by_invocation(method, n).expect("a call");
        assert_eq!(middle, Some(of_method[n as usize]));
        let none = recording
            .call_by_invocation(method, of_method.len() as u64)
            .expect("none");
        assert_eq!(none, None);
    }
    assert_eq!(recording.invocations(MethodId(9999)).expect("none"), 0);
}

fn compare_variable(
    recording: &Recording,
    model: &Model,
    variable: Variable,
    ranges: &[Range<Timestamp>],
) {
    let writes = model.writes(variable);
    for range in ranges {
        let expected: Vec<_> = writes
            .iter()
            .filter(|w| range.contains(&w.timestamp))
            .copied()
            .collect();
        let rows = |way| recording.writes(variable, range.clone(), way);
        both_ways(
            expected,
            rows,
            &format!("writes of {variable:?} in {range:?}"),
        );
        let last = writes.iter().rfind(|w| w.timestamp <= range.start).copied();
        let found = recording
            .last_write(variable, range.start)
            .expect("a write");
        assert_eq!(found, last, "last write of {variable:?} at {}", range.start);
    }
}

fn compare_objects(recording: &Recording, model: &Model, ranges: &[Range<Timestamp>]) {
    let mut objects: Vec<_> = model
        .variables()
        .into_iter()
        .filter_map(Model::owner)
        .map(|owner| owner.0)
        .collect();
    objects.sort();
    objects.dedup();
    for object in objects {
        for range in ranges {
            for (from, limit) in [(0, usize::MAX), (3, 2)] {
                let at = range.end;
                let found = recording
                    .object_state(object, at, from, limit)
                    .expect("a state");
                let last = model.events.len().saturating_sub(1).min(at.0 as usize);
                let expected = model.object_state(object, last, from, limit);
                assert_eq!(found, expected, "state of {object} at {at} from {from}");
            }
            let mut expected = model.writes_to(object);
            expected.retain(|write| range.contains(&write.timestamp));
            expected.sort_by_key(|write| write.timestamp);
            let found = collected(recording.writes_to(object, range.clone()));
            assert_eq!(found, expected, "writes to {object} in {range:?}");
            let written = model.events.iter().enumerate().any(|(at, event)| {
                let at = Timestamp(at as u64);
                matches!(event.kind, EventKind::Write { variable, .. }
                    if Model::owner(variable).is_some_and(|owner| owner.0 == object))
                    && at > range.start
                    && at <= range.end
            });
            let found = recording
                .written_between(object, range.start, range.end)
                .expect("known");
            assert_eq!(
                found,
                written,
                "{object} written in {range:?} of {:?} with {:?}",
                recording.stats(),
                model.writes_to(object)
            );
        }
        let created = model.events.iter().position(
            |event| matches!(event.kind, EventKind::New { object: new, .. } if new == object),
        );
        let found = recording
            .creation(object)
            .expect("known")
            .map(|c| c.timestamp);
        assert_eq!(found, created.map(|at| Timestamp(at as u64)));
    }
}
