//! Where the level in force is lower than was asked for: what it leaves out is not recorded there, and never shown as
//! unchanged.

mod common;

use common::{Builder, Made, STATIC, local, method};
use jhyde_history::events::EventList;
use jhyde_history::navigate::Step;
use jhyde_history::state::StateRow;
use jhyde_history::view::ValueView;
use jhyde_history::writes::WriteList;
use jhyde_history::{Error, History};
use jhyde_store::records::Direction;
use jhyde_trace::{
    CallId, ClassId, Content, FieldId, Level, ObjectId, Subject, ThreadId, Timestamp, Value,
    Variable,
};
use proptest::prelude::*;

const OUTER: usize = 0;
const INNER: usize = 1;

/// A class with a static field, an instance field, and two methods with a parameter and a local each.
struct Scene {
    builder: Builder,
    thread: ThreadId,
    outer: CallId,
    class: ClassId,
    total: Variable,
    size: Variable,
    object: ObjectId,
    array: ObjectId,
    methods: Vec<jhyde_trace::MethodId>,
}

fn scene(level: Level) -> Scene {
    let mut builder = Builder::new(level);
    let thread = builder.thread("main");
    let variables = [("n", "I", 0, 0, 80), ("x", "I", 1, 4, 70)];
    let methods = vec![
        method("outer", "(I)V", STATIC, 10, &variables),
        method("inner", "(I)V", STATIC, 30, &variables),
    ];
    let declared = [("TOTAL", "I", STATIC), ("size", "I", 0)];
    let (class, fields, methods): (ClassId, Vec<FieldId>, _) =
        builder.class("p.Low", Some("java.lang.Object"), true, &declared, methods);
    let ints = builder.plain_class("int[]");
    let outer = builder.enter(thread, methods[OUTER], None, &[Value::Int(1)]);
    let object = builder.create(thread, class, Content::None);
    let array = builder.create(thread, ints, Content::Array(2));
    Scene {
        total: Variable::Static { field: fields[0] },
        size: Variable::Field {
            object,
            field: fields[1],
        },
        builder,
        thread,
        outer,
        class,
        object,
        array,
        methods,
    }
}

impl Scene {
    fn write(&mut self, variable: Variable, value: i32) -> Timestamp {
        let value = Value::Int(value);
        self.builder.write(self.thread, 8, variable, value)
    }

    fn finish(mut self) -> Made {
        self.builder.leave(self.thread);
        self.builder.end_thread(self.thread);
        self.builder.finish()
    }
}

fn int(value: Option<&ValueView>) -> Option<i32> {
    match value {
        Some(ValueView::Primitive(Value::Int(value))) => Some(*value),
        _ => None,
    }
}

fn why(value: Option<&ValueView>) -> &str {
    match value {
        Some(ValueView::NotRecorded(reason)) => reason,
        other => panic!("it is told: {other:?}"),
    }
}

fn row(rows: &[StateRow], name: &str) -> StateRow {
    let found = rows.iter().find(|row| row.name == name);
    found.unwrap_or_else(|| panic!("no row {name}")).clone()
}

fn notes_of(history: &History, variable: Variable) -> Vec<String> {
    let list = WriteList {
        variable,
        from: None,
        to: None,
        newest_first: false,
    };
    history.writes(&list, 0, "").expect("writes").notes
}

fn says(notes: &[String], text: &str) -> bool {
    notes.iter().any(|note| note.contains(text))
}

#[test]
fn what_was_known_before_a_stretch_at_level_calls_is_not_known_behind_it_until_it_is_seen_again() {
    let mut scene = scene(Level::Full);
    let (outer, thread) = (scene.outer, scene.thread);
    let x = local(outer, 1);
    let element = Variable::Element {
        array: scene.array,
        index: 0,
    };
    let all = [x, scene.total, scene.size, element];
    let mut before = Timestamp(0);
    for variable in all {
        before = scene.write(variable, 7);
    }
    scene.builder.level(Subject::Everything, Level::Calls);
    let inner = scene
        .builder
        .enter(thread, scene.methods[INNER], None, &[Value::Int(4)]);
    let low = scene.builder.leave(thread);
    scene.builder.level(Subject::Everything, Level::State);
    let enter = scene
        .builder
        .enter(thread, scene.methods[INNER], None, &[Value::Int(5)]);
    let behind = scene.builder.leave(thread);
    let mut seen = Timestamp(0);
    for variable in all {
        seen = scene.write(variable, 9);
    }
    let (object, array) = (scene.object, scene.array);
    let (total, size) = (scene.total, scene.size);
    let made = scene.finish();
    let history = made.history();
    let told = "recorded at level calls from @8 to @10: it was enough";
    assert_eq!((before, low), (Timestamp(7), Timestamp(9)));

    let at = |from, to| {
        let state = history.state(outer, Some(from), Some(to), 0);
        state.expect("a state")
    };
    for late in [low, behind] {
        let state = at(before, late);
        assert!(says(&state.notes, told), "{:?}", state.notes);
        for name in ["x", "Low.TOTAL"] {
            let row = row(&state.rows, name);
            assert_eq!(int(row.start.as_ref()), Some(7));
            assert_eq!(why(row.end.as_ref()), told);
            assert!(!row.changed && row.not_recorded, "{row:?}");
        }
        let (page, notes) = history
            .expand(object, before, late, 0, 0, "")
            .expect("an object");
        assert!(says(&notes, told));
        let size = row(&page.rows, "size");
        assert_eq!(int(size.start.as_ref()), Some(7));
        assert_eq!(why(size.end.as_ref()), told);
        assert!(!size.changed && size.not_recorded);
        let (page, _) = history
            .expand(array, before, late, 0, 0, "")
            .expect("an array");
        assert_eq!(why(page.rows[0].end.as_ref()), told);
        assert!(page.rows.iter().all(|row| row.not_recorded));
    }
    // Before the stretch and behind what was seen again nothing is in doubt.
    for (from, to, value) in [(before, before, 7), (seen, seen, 9)] {
        let state = at(from, to);
        assert!(!says(&state.notes, "level"), "{:?}", state.notes);
        for name in ["x", "Low.TOTAL"] {
            let row = row(&state.rows, name);
            assert_eq!(int(row.end.as_ref()), Some(value));
            assert!(!row.not_recorded);
        }
    }
    // A write was seen across it: that is certain.
    let state = at(before, seen);
    assert!(row(&state.rows, "x").changed && !row(&state.rows, "x").not_recorded);

    // What a parameter was given is certain; that it kept it is not, for the code is not known.
    let state = history.state(inner, None, None, 0).expect("a state");
    let n = row(&state.rows, "n");
    assert_eq!(int(n.start.as_ref()), Some(4));
    assert_eq!(why(n.end.as_ref()), told);
    let state = history.state(enter, None, None, 0).expect("a state");
    assert_eq!(int(row(&state.rows, "n").end.as_ref()), Some(5));

    for variable in all {
        let notes = notes_of(&history, variable);
        assert!(says(&notes, told), "{notes:?}");
    }
    let step = |from, direction| history.navigate(from, &Step::Write(size, direction));
    let there = step(behind, Direction::Backward).expect("a write");
    assert!(there.timestamp < before && says(&there.notes, told));
    let there = step(Timestamp(3), Direction::Forward).expect("a write");
    assert!(there.timestamp < before && there.notes.is_empty());
    let none = Step::Write(total, Direction::Backward);
    match history.navigate(Timestamp(4), &none) {
        Err(Error::NoStep { end: None, .. }) => {}
        other => panic!("nothing is in doubt there: {other:?}"),
    }

    let call = history
        .call_named(&outer.to_string(), true)
        .expect("a call");
    assert!(says(&call.lowered, told) && says(&call.lowered, "level state from @10 on"));
    let events = history
        .events(&EventList::of(outer), 0, "")
        .expect("a page");
    assert!(says(&events.notes, told), "{:?}", events.notes);
}

#[test]
fn a_class_at_a_lower_level_leaves_doubt_only_where_it_ran() {
    let mut scene = scene(Level::State);
    let thread = scene.thread;
    let (other, _, methods) = {
        let methods = vec![method("opaque", "()V", STATIC, 50, &[])];
        scene
            .builder
            .class("p.Opaque", Some("java.lang.Object"), true, &[], methods)
    };
    scene.builder.level(Subject::Class(other), Level::Calls);
    let (total, outer) = (scene.total, scene.outer);
    let written = scene.write(total, 7);
    let inner = scene.methods[INNER];
    scene.builder.enter(thread, inner, None, &[Value::Int(4)]);
    let quiet = scene.builder.leave(thread);
    let opaque = scene.builder.enter(thread, methods[0], None, &[]);
    scene.builder.enter(thread, inner, None, &[Value::Int(4)]);
    let again = scene.write(total, 8);
    let inside = scene.builder.leave(thread);
    scene.builder.leave(thread);
    let x = scene.write(local(outer, 1), 3);
    let class = scene.class;
    let made = scene.finish();
    let history = made.history();
    let total = |from, to| {
        let state = history.state(outer, Some(from), Some(to), 0);
        let state = state.expect("a state");
        (row(&state.rows, "Low.TOTAL"), state.notes)
    };
    let (found, notes) = total(written, quiet);
    assert_eq!(int(found.end.as_ref()), Some(7));
    assert!(!found.not_recorded && notes.is_empty(), "{notes:?}");
    let (found, notes) = total(quiet, Timestamp(quiet.0 + 1));
    assert!(found.not_recorded && says(&notes, "class p.Opaque is recorded at level calls"));
    // The one that is not seen is on the stack the whole time.
    let (found, _) = total(again, again);
    assert_eq!(int(found.end.as_ref()), Some(8));
    let (found, _) = total(again, inside);
    assert!(why(found.end.as_ref()).contains("class p.Opaque"));
    // Its caller's locals are its own.
    let state = history.state(outer, Some(written), Some(x), 0);
    let x = row(&state.expect("a state").rows, "x");
    assert!(x.changed && !x.not_recorded);
    let lowered = |call: CallId| {
        let call = history.call_named(&call.to_string(), true);
        call.expect("a call").lowered
    };
    assert!(says(&lowered(opaque), "class p.Opaque is"));
    assert!(lowered(outer).is_empty(), "{class:?} is another");
}

#[test]
fn from_full_to_state_ways_and_uses_are_missing_and_values_are_whole() {
    let mut scene = scene(Level::Full);
    let thread = scene.thread;
    scene.write(scene.total, 7);
    scene.builder.level(Subject::Everything, Level::State);
    let outer = scene.outer;
    let inner = scene.methods[INNER];
    let call = scene.builder.enter(thread, inner, None, &[Value::Int(4)]);
    scene.builder.leave(thread);
    let made = scene.finish();
    let history = made.history();
    for call in [outer, call] {
        let state = history.state(call, None, None, 0).expect("a state");
        assert!(state.rows.iter().all(|row| !row.not_recorded));
        assert!(!says(&state.notes, "level"), "{:?}", state.notes);
        let events = history.events(&EventList::of(call), 0, "").expect("a page");
        assert!(says(&events.notes, "recorded at level state from @5 on"));
    }
}

/// What a program does, and from when on it is watched how.
#[derive(Clone, Debug)]
enum Act {
    Write(usize, i32),
    Call,
    Level(Level),
}

fn any_act() -> impl Strategy<Value = Act> {
    prop_oneof![
        4 => (0..4_usize, 0..100_i32).prop_map(|(variable, value)| Act::Write(variable, value)),
        2 => Just(Act::Call),
        1 => prop_oneof![Just(Level::Calls), Just(Level::State), Just(Level::Full)]
            .prop_map(Act::Level),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    /// Whatever was written unseen: a value that is told is the one that was there, and what is shown as unchanged was
    /// not written. What nobody can have written unseen is told.
    #[test]
    fn nothing_is_told_that_was_not_so(acts in prop::collection::vec(any_act(), 1..30)) {
        let mut scene = scene(Level::Full);
        let outer = scene.outer;
        let variables = [
            local(outer, 1),
            scene.total,
            scene.size,
            Variable::Element { array: scene.array, index: 0 },
        ];
        let mut level = Level::Full;
        let mut held = [None, Some(0), Some(0), Some(0)];
        // Behind each event: what was held, whether it can be known, and how often it was written.
        let first = scene.builder.recording().end().0 - 1;
        let mut known = [true; 4];
        let mut writes = [0_u32; 4];
        let mut truth = vec![(held, known, writes)];
        // Was the level below state at some time since the last event?
        let mut low = false;
        for act in acts {
            match act {
                Act::Write(at, value) => {
                    held[at] = Some(value);
                    writes[at] += 1;
                    if level >= Level::State {
                        scene.write(variables[at], value);
                        known = if low { [false; 4] } else { known };
                        known[at] = true;
                        low = false;
                        truth.push((held, known, writes));
                    }
                }
                Act::Call => {
                    let inner = scene.methods[INNER];
                    scene.builder.enter(scene.thread, inner, None, &[Value::Int(1)]);
                    known = if low { [false; 4] } else { known };
                    low = level == Level::Calls;
                    truth.push((held, known, writes));
                    scene.builder.leave(scene.thread);
                    truth.push((held, known, writes));
                }
                Act::Level(now) => {
                    scene.builder.level(Subject::Everything, now);
                    level = now;
                    low |= level == Level::Calls;
                }
            }
        }
        let (object, array) = (scene.object, scene.array);
        let made = scene.finish();
        let history = made.history();
        let step = (truth.len() / 6).max(1);
        for from in (0..truth.len()).step_by(step) {
            for to in (from..truth.len()).step_by(step) {
                let when = |at: usize| Timestamp(first + at as u64);
                let (start, end) = (when(from), when(to));
                let state = history.state(outer, Some(start), Some(end), 0).expect("a state");
                let inside = |of| history.expand(of, start, end, 0, 0, "").expect("it is there").0;
                let rows = [
                    row(&state.rows, "x"),
                    row(&state.rows, "Low.TOTAL"),
                    row(&inside(object).rows, "size"),
                    inside(array).rows[0].clone(),
                ];
                for (at, row) in rows.iter().enumerate() {
                    for (shown, truth) in [(&row.start, &truth[from]), (&row.end, &truth[to])] {
                        match shown {
                            Some(ValueView::NotRecorded(_)) => prop_assert!(!truth.1[at], "it can be known: {:?}", row),
                            shown => prop_assert_eq!(int(shown.as_ref()), truth.0[at], "{:?}", row),
                        }
                    }
                    let written = truth[from].2[at] != truth[to].2[at];
                    prop_assert!(row.changed || row.not_recorded || !written, "{:?}", row);
                    prop_assert!(!row.changed || written, "{:?}", row);
                }
            }
        }
    }
}
