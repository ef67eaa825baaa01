//! The generated history: four threads of a server-like program, event for event the same each time.

use jhyde_trace::*;

/// splitmix64: the same history each time.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }

    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }
}

/// A thread of the generated program: a server-like loop that handles requests, each with nested
/// calls, a parsing loop, objects, an array sorted in place, a shared map, now and then an exception.
struct Program<'a> {
    thread: ThreadId,
    stack: Vec<u64>,
    calls: u64,
    random: Random,
    objects: &'a std::cell::Cell<u64>,
    /// Also uses and edges, as the level `full` records them.
    full: bool,
    out: Vec<Event>,
}

pub(crate) const TABLE: ObjectId = ObjectId(1);

impl Program<'_> {
    fn call(&self) -> CallId {
        CallId::new(self.thread, self.stack.last().copied().unwrap_or(0))
    }

    fn push(&mut self, index: u32, kind: EventKind) {
        let call = self.call();
        self.out.push(Event { call, index, kind });
    }

    fn enter(&mut self, method: u32, this: Option<ObjectId>, arguments: Vec<Value>, site: u32) {
        self.calls += 1;
        self.stack.push(self.calls);
        self.push(
            0,
            EventKind::Enter {
                method: MethodId(method),
                receiver: this.map(Value::Object),
                arguments,
                call_site: site,
                boundary: method >= 40,
                already_running: false,
            },
        );
    }

    fn exit(&mut self, index: u32, value: Option<Value>) {
        self.push(
            index,
            EventKind::Exit {
                outcome: Outcome::Returned(value),
            },
        );
        self.stack.pop();
    }

    fn local(&mut self, index: u32, at: u16, value: Value) {
        let variable = Variable::Local {
            call: self.call(),
            local: Local::Named(at),
        };
        self.push(index, EventKind::Write { variable, value });
    }

    /// Reads of variables and the condition that they decide, as the level `full` has them before a write.
    fn uses(&mut self, index: u32, variables: &[Variable], edge: Option<(u32, u32)>) {
        if !self.full {
            return;
        }
        for (at, &variable) in variables.iter().enumerate() {
            self.push(index + at as u32, EventKind::Use { variable });
        }
        if let Some((from, to)) = edge {
            self.push(from, EventKind::Edge { from, to });
        }
    }

    fn named(&self, at: u16) -> Variable {
        Variable::Local {
            call: self.call(),
            local: Local::Named(at),
        }
    }

    fn field(&mut self, index: u32, object: ObjectId, field: u32, value: Value) {
        let variable = Variable::Field {
            object,
            field: FieldId(field),
        };
        self.push(index, EventKind::Write { variable, value });
    }

    fn element(&mut self, index: u32, array: ObjectId, at: u32, value: Value) {
        let variable = Variable::Element { array, index: at };
        self.push(index, EventKind::Write { variable, value });
    }

    fn new_object(&mut self, index: u32, class: u32, length: Option<u32>) -> ObjectId {
        self.objects.set(self.objects.get() + 1);
        let object = ObjectId(self.objects.get());
        self.push(
            index,
            EventKind::New {
                object,
                class: ClassId(class),
                length,
            },
        );
        object
    }

    /// One request: some hundred events.
    fn request(&mut self, number: u64) {
        self.enter(2, None, vec![Value::Long(number as i64)], 14);
        let request = self.new_object(3, 5, None);
        self.enter(3, Some(request), vec![Value::Int(number as i32)], 7);
        for (at, field) in [(4, 10), (9, 11), (14, 12)] {
            self.uses(at - 2, &[self.named(0), self.named(1)], None);
            let value = Value::Int(self.random.below(1000) as i32);
            self.field(at, request, field, value);
        }
        self.exit(20, None);
        self.local(11, 1, Value::Object(request));
        self.parse(request);
        let length = 8 + self.random.below(12) as u32;
        let total = self.sort(length);
        self.local(30, 2, Value::Int(total));
        self.remember(number, total);
        if self.random.below(50) == 0 {
            self.fails();
        }
        self.exit(60, Some(Value::Int(total)));
    }

    fn parse(&mut self, request: ObjectId) {
        self.enter(4, Some(request), vec![Value::Object(request)], 18);
        let length = 5 + self.random.below(20);
        for i in 0..length {
            let length = Variable::Field {
                object: request,
                field: FieldId(13),
            };
            self.uses(1, &[self.named(2), self.named(0), length], Some((4, 7)));
            self.local(6, 2, Value::Int(i as i32));
            self.enter(40, Some(request), vec![Value::Int(i as i32)], 12);
            let letter = Value::Char(97 + self.random.below(26) as u16);
            self.exit(Event::NO_INDEX, Some(letter));
            self.local(15, 3, letter);
            let letters = Some((18, if i % 3 == 0 { 21 } else { 30 }));
            self.uses(16, &[self.named(3)], letters);
            if self.random.below(3) == 0 {
                self.enter(5, None, vec![letter], 24);
                self.local(2, 1, Value::Boolean(true));
                self.exit(5, Some(Value::Boolean(true)));
            }
        }
        self.field(50, request, 13, Value::Int(length as i32));
        self.exit(55, None);
    }

    fn sort(&mut self, length: u32) -> i32 {
        let array = self.new_object(22, 6, Some(length));
        self.enter(6, None, vec![Value::Object(array)], 24);
        let mut values: Vec<i32> = Vec::new();
        for i in 0..length {
            self.uses(1, &[self.named(1), self.named(0)], Some((3, 5)));
            let value = self.random.below(10_000) as i32;
            values.push(value);
            self.element(5, array, i, Value::Int(value));
        }
        let mut total = 0i32;
        for i in 1..values.len() {
            self.local(12, 1, Value::Int(i as i32));
            let mut j = i;
            while j > 0 && values[j - 1] > values[j] && i - j < 4 {
                let element = |at: usize| Variable::Element {
                    array,
                    index: at as u32,
                };
                let compared = [self.named(2), element(j - 1), self.named(2), element(j)];
                self.uses(14, &compared, Some((18, 19)));
                values.swap(j - 1, j);
                self.element(20, array, j as u32, Value::Int(values[j]));
                self.element(24, array, j as u32 - 1, Value::Int(values[j - 1]));
                j -= 1;
                self.local(28, 2, Value::Int(j as i32));
            }
            let last = Variable::Element {
                array,
                index: j as u32,
            };
            self.uses(30, &[self.named(3), self.named(1), last], Some((33, 12)));
            self.local(34, 3, Value::Int(total));
            total = total.wrapping_add(values[i]);
        }
        self.exit(40, Some(Value::Int(total)));
        total
    }

    /// Writes to a table that lives as long as the program: a million slots and a counter.
    fn remember(&mut self, number: u64, total: i32) {
        self.enter(7, Some(TABLE), vec![Value::Int(total)], 33);
        let slot = self.random.below(1_000_000) as u32;
        let table = Variable::Element {
            array: ObjectId(2),
            index: slot,
        };
        self.uses(4, &[self.named(0), self.named(1), table], Some((7, 8)));
        self.element(8, ObjectId(2), slot, Value::Int(total));
        self.field(13, TABLE, 20, Value::Long(number as i64));
        let variable = Variable::Static { field: FieldId(30) };
        self.push(
            17,
            EventKind::Write {
                variable,
                value: Value::Int(total),
            },
        );
        self.exit(19, None);
    }

    fn fails(&mut self) {
        self.enter(8, None, vec![Value::Null], 44);
        let exception = Value::Object(self.new_object(4, 7, None));
        self.push(9, EventKind::Thrown { exception });
        self.push(
            9,
            EventKind::Exit {
                outcome: Outcome::Threw(exception),
            },
        );
        self.stack.pop();
        self.push(48, EventKind::Caught { exception });
        self.local(48, 4, exception);
    }
}

/// Feeds `events` events to `sink`, in turns of four threads; with or without what the level `full` adds.
pub(crate) fn generate(events: u64, full: bool, mut sink: impl FnMut(Event)) {
    let objects = std::cell::Cell::new(2);
    let mut threads: Vec<Program<'_>> = (1..=4)
        .map(|thread| Program {
            thread: ThreadId(thread),
            stack: Vec::new(),
            calls: 0,
            random: Random(thread.into()),
            objects: &objects,
            full,
            out: Vec::new(),
        })
        .collect();
    for thread in &mut threads {
        thread.enter(1, None, vec![Value::Null], Event::NO_INDEX);
    }
    let mut made = 0;
    for number in 0.. {
        let turn = number as usize % threads.len();
        let thread = &mut threads[turn];
        thread.local(20, 1, Value::Long(number as i64));
        thread.request(number);
        for event in thread.out.drain(..) {
            sink(event);
            made += 1;
            if made == events {
                return;
            }
        }
    }
}

/// What is known of an object when it is made; of one that was there before, too.
pub(crate) fn described(class: ClassId, length: Option<u32>) -> ObjectInfo {
    ObjectInfo {
        class: Some(class),
        content: length.map_or(Content::None, Content::Array),
    }
}

/// The objects that were there before: the shared map and the large array.
pub(crate) fn first_objects() -> [(ObjectId, ObjectInfo); 2] {
    [
        (TABLE, described(ClassId(4), None)),
        (ObjectId(2), described(ClassId(6), Some(1_000_000))),
    ]
}

/// The program's classes. Line 81 of the request's is asked for: where `fails` throws.
pub(crate) fn classes() -> [ClassInfo; 4] {
    let field = |id: u32, modifiers| FieldInfo {
        id: FieldId(id),
        name: format!("f{id}"),
        descriptor: "J".to_owned(),
        modifiers,
    };
    let class = |id, name: &str, fields| ClassInfo {
        id: ClassId(id),
        name: name.to_owned(),
        source_file: None,
        modifiers: 1,
        super_name: None,
        interfaces: vec![],
        in_scope: true,
        fields,
        methods: vec![],
    };
    let fails = MethodInfo {
        id: MethodId(8),
        name: "fails".to_owned(),
        descriptor: "()V".to_owned(),
        modifiers: 1,
        lines: [(0, 80), (9, 81), (12, 82)]
            .map(|(start, line)| LineEntry { start, line })
            .to_vec(),
        variables: vec![],
        code: vec![],
    };
    let requests = (10..=13).map(|id| field(id, 1)).collect();
    [
        class(4, "bench.Table", vec![field(20, 1), field(30, 9)]),
        ClassInfo {
            methods: vec![fails],
            ..class(5, "bench.Request", requests)
        },
        class(6, "int[]", vec![]),
        class(7, "bench.Failure", vec![]),
    ]
}
