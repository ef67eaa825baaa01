//! Level `calls`: what was found at the ends of calls is claimed there, and nowhere else.

mod common;

use std::collections::HashMap;

use common::{Builder, method};
use jhyde_history::view::ValueView;
use jhyde_trace::{
    CallId, Change, Content, Event, EventKind, FieldId, Items, Level, Looked, MethodId, ObjectId,
    Outcome, ThreadId, Timestamp, Value, Variable,
};

/// Numbers that look random and are the same each time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
        (self.0 >> 33) % limit
    }
}

/// A run of two threads, and what was found beside each event.
struct Run {
    builder: Builder,
    threads: [ThreadId; 2],
    method: MethodId,
    field: FieldId,
    /// Objects with one field.
    plain: Vec<ObjectId>,
    lists: Vec<ObjectId>,
    /// What is known at a time: of a plain object its field, of a list its only element.
    known: HashMap<(Timestamp, ObjectId), i32>,
    /// What was told last of each object, where that is not told again; `None`: it is.
    told: Option<HashMap<ObjectId, i32>>,
    end: Timestamp,
}

impl Run {
    fn new(tells_again: bool) -> Self {
        let mut builder = Builder::new(Level::Calls);
        let methods = vec![method("m", "()V", 0, 1, &[("this", "Lp/C;", 0, 0, 40)])];
        let (class, fields, methods) = builder.class(
            "p.C",
            Some("java.lang.Object"),
            true,
            &[("f", "I", 0)],
            methods,
        );
        let list = builder.plain_class("java.util.ArrayList");
        let plain = (0..3).map(|_| builder.object(class, Content::None));
        let plain = plain.collect();
        let lists = (0..3).map(|_| builder.object(list, Content::None));
        let lists = lists.collect();
        let threads = ["one", "two"].map(|name| builder.thread(name));
        Self {
            threads,
            method: methods[0],
            field: fields[0],
            plain,
            lists,
            known: HashMap::new(),
            told: (!tells_again).then(HashMap::new),
            end: Timestamp(0),
            builder,
        }
    }

    /// A snapshot of some objects, in which each holds some number: its times, and what was found.
    fn snapshot(
        &mut self,
        call: CallId,
        index: u32,
        numbers: &mut Numbers,
    ) -> (Vec<Timestamp>, Vec<(ObjectId, i32)>) {
        let (mut times, mut found) = (Vec::new(), Vec::new());
        let mut as_told = Vec::new();
        for object in self.plain.clone().into_iter().chain(self.lists.clone()) {
            if numbers.below(2) == 0 {
                continue;
            }
            let number = numbers.below(4) as i32;
            let value = Value::Int(number);
            found.push((object, number));
            let told = self.told.as_mut();
            if told.is_some_and(|told| told.insert(object, number) == Some(number)) {
                let looked = match self.plain.contains(&object) {
                    true => Looked::Fields,
                    false => Looked::Held,
                };
                as_told.push((object, looked));
                continue;
            }
            let kind = if self.plain.contains(&object) {
                let field = self.field;
                EventKind::Snapshot {
                    variable: Variable::Field { object, field },
                    value,
                }
            } else {
                EventKind::Content {
                    object,
                    snapshot: true,
                    change: Change::Whole(Items::Elements(vec![value])),
                }
            };
            times.push(self.builder.event(call, index, kind));
        }
        if let Some(&(object, _)) = as_told.first() {
            let kind = EventKind::Content {
                object,
                snapshot: true,
                change: Change::AsTold(as_told),
            };
            times.push(self.builder.event(call, index, kind));
        }
        (times, found)
    }

    fn is_known(&mut self, times: Vec<Timestamp>, found: &[(ObjectId, i32)]) {
        for at in times {
            self.end = self.end.max(at);
            self.known
                .extend(found.iter().map(|&(object, number)| ((at, object), number)));
        }
    }

    fn enter(&mut self, thread: ThreadId, numbers: &mut Numbers) {
        let this = Some(Value::Object(self.plain[0]));
        let call = self.builder.enter(thread, self.method, this, &[]);
        let enter = self.builder.recording().call(call).expect("a call").enter;
        let (mut times, found) = self.snapshot(call, Event::AT_ENTER, numbers);
        times.push(enter);
        self.is_known(times, &found);
    }

    fn exit(&mut self, thread: ThreadId, numbers: &mut Numbers) {
        let call = self.builder.current(thread);
        let (mut times, found) = self.snapshot(call, Event::NO_INDEX, numbers);
        times.push(self.builder.exit(thread, Outcome::Returned(None)));
        self.is_known(times, &found);
    }
}

#[test]
fn what_was_found_at_the_ends_of_calls_is_claimed_there_and_nowhere_else() {
    for seed in 0..24 {
        let mut numbers = Numbers(seed);
        let mut run = Run::new(seed % 2 == 0);
        let mut depths = [0_u32; 2];
        for _ in 0..40 {
            let at = numbers.below(2) as usize;
            let thread = run.threads[at];
            if depths[at] > 0 && numbers.below(2) == 0 {
                run.exit(thread, &mut numbers);
                depths[at] -= 1;
            } else {
                run.enter(thread, &mut numbers);
                depths[at] += 1;
            }
        }
        let history = run.builder.history();
        for at in (0..=run.end.0).map(Timestamp) {
            for &object in &run.lists {
                let shown = history.value_at(Value::Object(object), at);
                let shown = shown.expect("a list").to_string();
                match run.known.get(&(at, object)) {
                    Some(number) => assert!(
                        shown.ends_with(&format!("[{number}]")),
                        "seed {seed}, at {at}: {shown} is [{number}]"
                    ),
                    None => assert!(!shown.ends_with(']'), "seed {seed}, at {at}: {shown}"),
                }
            }
            for &object in &run.plain {
                let (page, _) = history.expand(object, at, at, 0, 0, "").expect("fields");
                let row = &page.rows[0];
                match run.known.get(&(at, object)) {
                    Some(&number) => {
                        let value = Some(ValueView::Primitive(Value::Int(number)));
                        assert_eq!(row.end, value, "seed {seed}, at {at}");
                        assert!(!row.not_recorded);
                    }
                    None => assert!(
                        row.not_recorded && matches!(row.end, Some(ValueView::NotRecorded(_))),
                        "seed {seed}, at {at}: {:?}",
                        row.end
                    ),
                }
            }
        }
    }
}

#[test]
fn changed_is_what_was_found_to_differ() {
    let mut run = Run::new(true);
    let thread = run.threads[0];
    let this = run.plain[0];
    let call = run
        .builder
        .enter(thread, run.method, Some(Value::Object(this)), &[]);
    let variable = Variable::Field {
        object: this,
        field: run.field,
    };
    let found = |number| EventKind::Snapshot {
        variable,
        value: Value::Int(number),
    };
    run.builder.event(call, Event::AT_ENTER, found(1));
    run.builder.event(call, Event::NO_INDEX, found(2));
    run.builder.exit(thread, Outcome::Returned(None));
    let history = run.builder.history();
    let state = history.state(call, None, None, 0).expect("a state");
    let this = common::row(&state.rows, "this");
    assert!(this.changed_below && !this.changed);
    let told = state.notes.iter().any(|note| note.contains("who wrote it"));
    assert!(told, "{:?}", state.notes);
    let result = history.result(call).expect("its result");
    assert_eq!(result.objects.len(), 1);
    assert!(result.objects[0].rows[0].changed);
}

#[test]
fn of_an_array_only_the_elements_that_were_looked_at_are_known() {
    let mut run = Run::new(false);
    let thread = run.threads[0];
    let this = run.plain[0];
    let ints = run.builder.plain_class("int[]");
    let array = run.builder.object(ints, Content::Array(3));
    let call = run
        .builder
        .enter(thread, run.method, Some(Value::Object(array)), &[]);
    let element = |index, value| EventKind::Snapshot {
        variable: Variable::Element { array, index },
        value: Value::Int(value),
    };
    for index in 0..3 {
        let kind = element(index, 5);
        run.builder.event(call, Event::AT_ENTER, kind);
    }
    let named = |count| EventKind::Content {
        object: array,
        snapshot: true,
        change: Change::AsTold(vec![(array, Looked::Elements(count))]),
    };
    run.builder.event(call, Event::NO_INDEX, element(0, 7));
    run.builder.event(call, Event::NO_INDEX, named(2));
    run.builder.exit(thread, Outcome::Returned(None));
    let never = run
        .builder
        .enter(thread, run.method, Some(Value::Object(this)), &[]);
    // Of an object of which nothing was told before, as where that was cut off.
    let lost = EventKind::Content {
        object: this,
        snapshot: true,
        change: Change::AsTold(vec![(this, Looked::Fields)]),
    };
    run.builder.event(never, Event::AT_ENTER, lost);
    let recording = run.builder.recording();
    let enter = |call| recording.call(call).expect("a call").enter;
    let (begin, lost_at) = (enter(call), enter(never));
    let end = recording.call(call).expect("a call").exit.expect("its end");
    let history = run.builder.history();
    let (page, _) = history
        .expand(array, begin, end, 0, 0, "")
        .expect("elements");
    let ints = |number| Some(ValueView::Primitive(Value::Int(number)));
    let rows: Vec<_> = page.rows.iter().collect();
    assert_eq!((&rows[0].start, &rows[0].end), (&ints(5), &ints(7)));
    assert_eq!((&rows[1].start, &rows[1].end), (&ints(5), &ints(5)));
    assert_eq!(rows[2].start, ints(5));
    let not_recorded = |of: &Option<ValueView>| match of {
        Some(ValueView::NotRecorded(why)) => why.to_string(),
        other => panic!("it is known: {other:?}"),
    };
    assert!(not_recorded(&rows[2].end).contains("bytes"));
    let (page, _) = history
        .expand(this, lost_at, lost_at, 0, 0, "")
        .expect("fields");
    assert!(not_recorded(&page.rows[0].end).contains("told last"));
}
