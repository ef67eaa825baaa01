//! State and variable histories of random programs against a model that looks at every event for every question.

mod common;

use std::collections::{BTreeMap, BTreeSet};

use common::{Builder, STATIC, local, method};
use jhyde_history::page::{Place, Start, Wanted};
use jhyde_history::state::StateRow;
use jhyde_history::tree::{CallList, Walked};
use jhyde_history::view::ValueView;
use jhyde_history::writes::WriteList;
use jhyde_trace::{
    CallId, Content, EventKind, FieldId, Level, Missing, ObjectId, Outcome, Timestamp, Value,
    Variable,
};
use proptest::prelude::*;

/// One step of a random program; numbers are taken modulo what there is.
#[derive(Clone, Copy, Debug)]
enum Op {
    /// Create a node in this thread.
    New(usize),
    /// See a node that was made elsewhere, with a value.
    Meet(usize, i32),
    /// Find a node's value to be this, when something that nobody saw may have changed it.
    Find(usize, usize, i32),
    /// Write `next` of a node: 0 is null.
    Link(usize, usize, usize),
    /// Write `value` of a node.
    Set(usize, usize, i32),
    /// Write the static field.
    Static(usize, usize),
    /// Write the parameter (0) or the local (1).
    Local(usize, usize, usize),
    Enter(usize, usize),
    Exit(usize),
}

fn ops() -> impl Strategy<Value = Vec<Op>> {
    let n = 0_usize..8;
    let t = 0_usize..2;
    let op = prop_oneof![
        2 => t.clone().prop_map(Op::New),
        1 => (t.clone(), -3_i32..3).prop_map(|(t, v)| Op::Meet(t, v)),
        1 => (t.clone(), n.clone(), -3_i32..3).prop_map(|(t, a, v)| Op::Find(t, a, v)),
        4 => (t.clone(), n.clone(), n.clone()).prop_map(|(t, a, b)| Op::Link(t, a, b)),
        3 => (t.clone(), n.clone(), -3_i32..3).prop_map(|(t, a, v)| Op::Set(t, a, v)),
        1 => (t.clone(), n.clone()).prop_map(|(t, a)| Op::Static(t, a)),
        3 => (t.clone(), 0_usize..2, n.clone()).prop_map(|(t, l, a)| Op::Local(t, l, a)),
        4 => (t.clone(), n).prop_map(|(t, a)| Op::Enter(t, a)),
        3 => t.prop_map(Op::Exit),
    ];
    prop::collection::vec(op, 1..120)
}

/// What a variable got and when.
#[derive(Clone, Copy, Debug)]
struct Got {
    at: u64,
    value: Value,
    snapshot: bool,
    call: CallId,
}

#[derive(Default)]
struct Model {
    got: BTreeMap<Variable, Vec<Got>>,
    created: BTreeMap<ObjectId, u64>,
    /// When code out of the scope, which calls all of these, came to run: it calls, and is returned to.
    outside: Vec<u64>,
    /// Enter, exit and the argument of each call.
    calls: BTreeMap<CallId, (u64, Option<u64>, Value)>,
}

/// What the model does not know, and nobody can.
const UNKNOWN: Value = Value::Missing(Missing::Unreadable);

/// `None`: it was not there or not assigned.
type Held = Option<Value>;

impl Model {
    fn note(
        &mut self,
        at: Timestamp,
        call: CallId,
        variable: Variable,
        value: Value,
        snapshot: bool,
    ) {
        self.got.entry(variable).or_default().push(Got {
            at: at.0,
            value,
            snapshot,
            call,
        });
    }

    fn held(&self, variable: Variable, at: u64, default: Value) -> Held {
        let all = self.got.get(&variable).map_or(&[][..], Vec::as_slice);
        // What is found to be another next was changed by nobody knows whom, and when.
        let unless_found = |told: u64, value: Value| {
            let next = all.iter().find(|got| got.at > at);
            let other = next.is_some_and(|next| next.snapshot && next.value != value);
            let ran = self.outside.iter().any(|ran| (told + 1..=at).contains(ran));
            if ran && other { UNKNOWN } else { value }
        };
        if let Some(last) = all.iter().rfind(|got| got.at <= at) {
            return Some(unless_found(last.at, last.value));
        }
        match variable {
            Variable::Field { object, .. } => match self.created.get(&object) {
                Some(created) => (*created <= at).then(|| unless_found(*created, default)),
                None => all
                    .first()
                    .filter(|first| first.snapshot)
                    .map(|first| first.value),
            },
            Variable::Local { call, .. } if variable == local(call, 0) => Some(self.calls[&call].2),
            _ => None,
        }
    }

    /// Is the last that was told by `to` found between the two times, and another than was told by `from`?
    fn found_late(&self, variable: Variable, from: u64, to: u64, default: Value) -> bool {
        let all = self.got.get(&variable).map_or(&[][..], Vec::as_slice);
        let last = |at| all.iter().rfind(move |got| got.at <= at);
        let made = match variable {
            Variable::Field { object, .. } => self.created.get(&object).is_some_and(|c| *c <= from),
            _ => false,
        };
        let before = last(from)
            .map(|got| got.value)
            .or_else(|| made.then_some(default));
        last(to).is_some_and(|got| {
            got.snapshot && got.at > from && before.is_some_and(|before| before != got.value)
        })
    }

    fn changed(&self, variable: Variable, from: u64, to: u64) -> bool {
        let all = self.got.get(&variable).map_or(&[][..], Vec::as_slice);
        all.iter()
            .any(|got| !got.snapshot && from < got.at && got.at <= to)
    }

    /// Was anything written that is reachable from the value at the end?
    fn changed_below(&self, value: Held, fields: &[FieldId], from: u64, to: u64) -> bool {
        let mut todo: Vec<_> = value.and_then(Value::object).into_iter().collect();
        let mut seen = BTreeSet::new();
        while let Some(object) = todo.pop() {
            if !seen.insert(object) {
                continue;
            }
            for field in fields {
                let variable = Variable::Field {
                    object,
                    field: *field,
                };
                if self.changed(variable, from, to) {
                    return true;
                }
                todo.extend(self.held(variable, to, Value::Null).and_then(Value::object));
            }
        }
        false
    }
}

fn plain(view: Option<&ValueView>) -> Result<Held, TestCaseError> {
    Ok(match view {
        None => None,
        Some(ValueView::Primitive(value)) => Some(*value),
        Some(ValueView::Null) => Some(Value::Null),
        Some(ValueView::Object(object)) => Some(Value::Object(object.id)),
        Some(ValueView::NotRecorded(_)) => Some(UNKNOWN),
        Some(other) => {
            return Err(TestCaseError::fail(format!(
                "all is recorded, and it says {other}"
            )));
        }
    })
}

fn check(
    row: &StateRow,
    model: &Model,
    variable: Variable,
    default: Value,
    fields: &[FieldId],
    from: u64,
    to: u64,
) -> Result<(), TestCaseError> {
    let (start, end) = (
        model.held(variable, from, default),
        model.held(variable, to, default),
    );
    prop_assert_eq!(
        plain(row.start.as_ref())?,
        start,
        "{} at {}",
        row.name,
        from
    );
    prop_assert_eq!(plain(row.end.as_ref())?, end, "{} at {}", row.name, to);
    let changed = model.changed(variable, from, to);
    prop_assert_eq!(row.changed, changed, "{}", row.name);
    let below = !changed && start == end && model.changed_below(end, fields, from, to);
    prop_assert_eq!(
        row.changed_below,
        below,
        "{} between {} and {}",
        row.name,
        from,
        to
    );
    prop_assert!(!row.budget_ended);
    let late = model.found_late(variable, from, to, default);
    prop_assert_eq!(row.not_recorded, late, "{}", row.name);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn states_and_histories_are_those_of_all_events(
        ops in ops(),
        finished in any::<bool>(),
        picks in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), any::<prop::sample::Index>()), 1..6),
    ) {
        let mut builder = Builder::new(Level::Full);
        let node = "Lp/Node;";
        let (class, fields, methods) = builder.class(
            "p.Node",
            Some("java.lang.Object"),
            true,
            &[("next", node, 0), ("value", "I", 0), ("TOP", node, STATIC)],
            vec![method("walk", "(Lp/Node;)V", STATIC, 1, &[("n", node, 0, 0, 80), ("m", node, 1, 4, 70)])],
        );
        let (next, value, top) = (fields[0], fields[1], fields[2]);
        let threads = [builder.thread("one"), builder.thread("two")];
        let mut model = Model::default();
        let mut nodes: Vec<ObjectId> = Vec::new();
        let node_at = |nodes: &[ObjectId], at: usize| match at {
            0 => Value::Null,
            _ if nodes.is_empty() => Value::Null,
            at => Value::Object(nodes[at % nodes.len()]),
        };
        for op in ops {
            match op {
                Op::New(t) => {
                    let object = builder.create(threads[t], class, Content::None);
                    model.created.insert(object, builder.recording().end().0 - 1);
                    nodes.push(object);
                }
                Op::Meet(t, held) => {
                    let object = builder.object(class, Content::None);
                    let call = builder.current(threads[t]);
                    for (field, value) in [(next, node_at(&nodes, held.unsigned_abs() as usize)), (value, Value::Int(held))] {
                        let variable = Variable::Field { object, field };
                        let at = builder.here(threads[t], 0, EventKind::Snapshot { variable, value });
                        model.note(at, call, variable, value, true);
                    }
                    nodes.push(object);
                }
                Op::Find(t, a, held) => {
                    let Some(object) = node_at(&nodes, a + 1).object() else { continue };
                    let (variable, value) = (Variable::Field { object, field: value }, Value::Int(held));
                    let call = builder.current(threads[t]);
                    let at = builder.here(threads[t], 0, EventKind::Snapshot { variable, value });
                    model.note(at, call, variable, value, true);
                }
                Op::Link(t, a, b) => {
                    let Some(object) = node_at(&nodes, a + 1).object() else { continue };
                    let (variable, value) = (Variable::Field { object, field: next }, node_at(&nodes, b));
                    let call = builder.current(threads[t]);
                    let at = builder.write(threads[t], 4, variable, value);
                    model.note(at, call, variable, value, false);
                }
                Op::Set(t, a, held) => {
                    let Some(object) = node_at(&nodes, a + 1).object() else { continue };
                    let variable = Variable::Field { object, field: value };
                    let call = builder.current(threads[t]);
                    let at = builder.write(threads[t], 4, variable, Value::Int(held));
                    model.note(at, call, variable, Value::Int(held), false);
                }
                Op::Static(t, a) => {
                    let (variable, value) = (Variable::Static { field: top }, node_at(&nodes, a));
                    let call = builder.current(threads[t]);
                    let at = builder.write(threads[t], 4, variable, value);
                    model.note(at, call, variable, value, false);
                }
                Op::Local(t, entry, a) => {
                    let call = builder.current(threads[t]);
                    if call.is_root() {
                        continue;
                    }
                    let (variable, value) = (local(call, entry as u16), node_at(&nodes, a));
                    let at = builder.write(threads[t], 4, variable, value);
                    model.note(at, call, variable, value, false);
                }
                Op::Enter(t, a) => {
                    let argument = node_at(&nodes, a);
                    let call = builder.enter(threads[t], methods[0], None, &[argument]);
                    model.calls.insert(call, (builder.recording().end().0 - 1, None, argument));
                }
                Op::Exit(t) => {
                    let call = builder.current(threads[t]);
                    if !call.is_root() {
                        let at = builder.exit(threads[t], Outcome::Returned(None));
                        if builder.current(threads[t]).is_root() {
                            model.outside.push(at.0);
                        }
                        model.calls.get_mut(&call).expect("was entered").1 = Some(at.0);
                    }
                }
            }
        }
        let end = builder.recording().end().0;
        let (history, _folder) = if finished {
            let made = builder.finish();
            (made.history(), Ok(made))
        } else {
            (builder.history(), Err(builder))
        };

        let calls: Vec<_> = model.calls.iter().map(|(call, span)| (*call, *span)).collect();
        for (which, one, two) in &picks {
            // The state of some call in some interval of its life.
            if !calls.is_empty() {
                let (call, (enter, exit, _)) = calls[which.index(calls.len())];
                let last = exit.unwrap_or(end - 1);
                let life = (last - enter + 1) as usize;
                let (a, b) = (enter + one.index(life) as u64, enter + two.index(life) as u64);
                let (from, to) = (a.min(b), a.max(b));
                let state = history.state(call, Some(Timestamp(from)), Some(Timestamp(to)), 0).expect("a state");
                let row = |name: &str| state.rows.iter().find(|row| row.name == name);
                for (entry, name) in [(0, "n"), (1, "m")] {
                    let row = row(name).expect("every local has a row");
                    check(row, &model, local(call, entry), Value::Null, &fields[..2], from, to)?;
                }
                match row("Node.TOP") {
                    Some(row) if model.held(Variable::Static { field: top }, to, Value::Null).is_some() => {
                        // Before its first write the field has the default of a class that was initialised some time.
                        if model.held(Variable::Static { field: top }, from, Value::Null).is_some() {
                            check(row, &model, Variable::Static { field: top }, Value::Null, &fields[..2], from, to)?;
                        } else {
                            prop_assert!(row.changed);
                        }
                    }
                    Some(row) => prop_assert_eq!(plain(row.end.as_ref())?, Some(Value::Null)),
                    None => return Err(TestCaseError::fail("the class is in use: its statics have rows")),
                }
            }
            // The inside of some object.
            if !nodes.is_empty() {
                let object = nodes[which.index(nodes.len())];
                let (a, b) = (one.index(end as usize) as u64, two.index(end as usize) as u64);
                let (from, to) = (a.min(b), a.max(b));
                let (page, notes) = history.expand(object, Timestamp(from), Timestamp(to), 0, 0, "").expect("fields");
                prop_assert!(notes.is_empty());
                prop_assert_eq!(page.rows.len(), 2);
                for (row, (field, default)) in page.rows.iter().zip([(next, Value::Null), (value, Value::Int(0))]) {
                    check(row, &model, Variable::Field { object, field }, default, &fields[..2], from, to)?;
                }
            }
        }

        let (which, one, _) = &picks[0];
        // The tree, from every call both ways, down to some depth, with and without a method's name.
        let everything = history.calls(&CallList::default(), false, 10_000, "").expect("a page").rows;
        let methods = ["", "f"];
        for (max_depth, method, size) in [(0, 0, 3), (2, 0, 2), (1, 0, 1), (0, 1, 2)] {
            let method = (!methods[method].is_empty()).then(|| everything.first().map(|call| call.method.clone())).flatten();
            let list = CallList { max_depth, method, ..CallList::default() };
            if everything.is_empty() {
                break;
            }
            let all: Vec<_> = history.walk(&list, None).expect("a walk").map(|call| match call.expect("a call") {
                Walked::Call(record) => record,
                Walked::Missing(note) => panic!("{note}"),
            }).collect();
            let place_of = |id: CallId| everything.iter().position(|call| call.record.id == id).expect("its place");
            for (place, call) in everything.iter().enumerate().skip(which.index(3)).step_by(3) {
                let mut row = call.record;
                while max_depth > 0 && row.depth > max_depth {
                    row = history.recording().call(row.parent).expect("a parent");
                }
                let at = all.partition_point(|call| call.id.pack() < row.id.pack());
                for (backward, index) in [(false, false), (true, false), (false, true), (true, true)] {
                    let at_place = match index {
                        true => Place::Index(place as u64),
                        false => Place::Call(call.record.id),
                    };
                    let wanted = Wanted { token: "", start: Some(Start { at: at_place, backward }) };
                    let page = history.calls(&list, false, size, wanted).expect("a page");
                    let (from, to) = match backward {
                        false => (at, all.len().min(at + size as usize)),
                        true => (at.saturating_sub(size as usize), at),
                    };
                    let rows: Vec<_> = page.rows.iter().map(|row| row.record.id).collect();
                    let expected: Vec<_> = all[from..to].iter().map(|call| call.id).collect();
                    prop_assert_eq!(&rows, &expected, "{:?} at {} {}", &list, call.record.id, backward);
                    prop_assert_eq!(page.places as usize, everything.len());
                    if let Some(first) = rows.first() {
                        prop_assert_eq!(page.place as usize, place_of(*first));
                    }
                    prop_assert_eq!(page.next.is_some(), to < all.len());
                    prop_assert!(page.previous.is_some() || from == 0);
                    if let Some(next) = &page.next {
                        let on = history.calls(&list, false, size, next).expect("a page");
                        prop_assert_eq!(on.rows[0].record.id, all[to].id);
                    }
                    if let Some(previous) = &page.previous {
                        let back = history.calls(&list, false, size, previous).expect("a page");
                        let before = from.checked_sub(1).map(|before| all[before].id);
                        prop_assert_eq!(back.rows.last().map(|row| row.record.id), before);
                    }
                }
            }
        }

        // Every variable's history, both ways, in pages of every size.
        for (variable, got) in &model.got {
            let bound = match variable {
                Variable::Local { call, .. } if *variable == local(*call, 0) => {
                    let (enter, _, argument) = model.calls[call];
                    Some((enter, argument, *call))
                }
                _ => None,
            };
            let mut expected: Vec<_> = bound.into_iter().collect();
            expected.extend(got.iter().map(|got| (got.at, got.value, got.call)));
            for (newest_first, page_size) in [(false, 0), (true, 0), (false, 2), (true, 3)] {
                let list = WriteList { variable: *variable, from: None, to: None, newest_first };
                let (mut seen, mut token) = (Vec::new(), String::new());
                loop {
                    let writes = history.writes(&list, page_size, &token).expect("a page");
                    for row in &writes.page.rows {
                        let call = row.call.as_ref().map(|call| call.record.id);
                        seen.push((row.timestamp.0, plain(Some(&row.value))?, call));
                    }
                    match writes.page.next {
                        Some(next) => token = next,
                        None => break,
                    }
                }
                let mut expected: Vec<_> = expected
                    .iter()
                    .map(|(at, value, call)| (*at, Some(*value), (!call.is_root()).then_some(*call)))
                    .collect();
                if newest_first {
                    expected.reverse();
                }
                prop_assert_eq!(&seen, &expected, "{:?}", variable);
                // From a time on, and from there back.
                let time = Timestamp(one.index(end as usize) as u64);
                let at = expected.partition_point(|(at, ..)| match newest_first {
                    true => *at > time.0,
                    false => *at < time.0,
                });
                let size = page_size.max(1);
                for backward in [false, true] {
                    let start = Some(Start { at: Place::Time(time), backward });
                    let wanted = Wanted { token: "", start };
                    let writes = history.writes(&list, size, wanted).expect("a page");
                    let rows: Vec<_> = writes.page.rows.iter().map(|row| row.timestamp.0).collect();
                    let expected: Vec<_> = expected.iter().map(|(at, ..)| *at).collect();
                    let (from, to) = match backward {
                        false => (at, expected.len().min(at + size as usize)),
                        true => (at.saturating_sub(size as usize), at),
                    };
                    prop_assert_eq!(&rows, &expected[from..to], "{:?} {}", variable, backward);
                    prop_assert_eq!(writes.page.previous.is_some(), from > 0 && !expected.is_empty());
                    prop_assert_eq!(writes.page.next.is_some(), to < expected.len());
                    let mut ends = [writes.first, writes.last].map(|at| at.map(|at| at.0));
                    if newest_first {
                        ends.reverse();
                    }
                    prop_assert_eq!(ends, [expected.first().copied(), expected.last().copied()]);
                    if let (true, Some(next)) = (backward, &writes.page.next) {
                        let on = history.writes(&list, size, next).expect("a page").page.rows;
                        prop_assert_eq!(on[0].timestamp.0, expected[to]);
                    }
                    if let Some(previous) = &writes.page.previous {
                        let back = history.writes(&list, size, previous).expect("a page").page.rows;
                        prop_assert_eq!(back.last().map(|row| row.timestamp.0), Some(expected[from - 1]));
                    }
                }
            }
            let written = history.written_form(*variable).expect("every variable can be written");
            prop_assert_eq!(history.resolve_variable(&written).expect("and read"), *variable);
        }
    }
}
