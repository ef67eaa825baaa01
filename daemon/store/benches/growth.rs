//! Growth: the same kind of history at rising sizes, through the real ingest path. Prints a table of
//! ingest rate, bytes per event, query times and peak memory.
//!
//! `cargo bench -p jhyde-store --bench growth [-- SIZE…]`, sizes in events, default 10^4 to 10^7. Each
//! size runs in a process of its own, so that its peak memory is its own.

#![allow(missing_docs, reason = "a program, not a library")]

use std::process::Command;
use std::time::{Duration, Instant};

use jhyde_store::{Catalogue, Direction, Recording, StoreOptions};
use jhyde_trace::*;

fn main() {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    arguments.retain(|argument| argument != "--bench");
    if let [one, size] = &arguments[..]
        && one == "one"
    {
        return measure(size.parse().expect("a size"));
    }
    let sizes: Vec<u64> = match arguments.is_empty() {
        true => vec![10_000, 100_000, 1_000_000, 10_000_000],
        false => arguments
            .iter()
            .map(|size| size.parse().expect("a size"))
            .collect(),
    };
    for size in sizes {
        let status = Command::new(std::env::current_exe().expect("this program"))
            .args(["one", &size.to_string()])
            .status()
            .expect("a process");
        assert!(status.success(), "size {size} failed");
    }
}

/// splitmix64: the same history each time.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }

    fn below(&mut self, n: u64) -> u64 {
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
    out: Vec<Event>,
}

const TABLE: ObjectId = ObjectId(1);

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
            self.local(6, 2, Value::Int(i as i32));
            self.enter(40, Some(request), vec![Value::Int(i as i32)], 12);
            let letter = Value::Char(97 + self.random.below(26) as u16);
            self.exit(Event::NO_INDEX, Some(letter));
            self.local(15, 3, letter);
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
            let value = self.random.below(10_000) as i32;
            values.push(value);
            self.element(5, array, i, Value::Int(value));
        }
        let mut total = 0i32;
        for i in 1..values.len() {
            self.local(12, 1, Value::Int(i as i32));
            let mut j = i;
            while j > 0 && values[j - 1] > values[j] && i - j < 4 {
                values.swap(j - 1, j);
                self.element(20, array, j as u32, Value::Int(values[j]));
                self.element(24, array, j as u32 - 1, Value::Int(values[j - 1]));
                j -= 1;
                self.local(28, 2, Value::Int(j as i32));
            }
            total = total.wrapping_add(values[i]);
        }
        self.exit(40, Some(Value::Int(total)));
        total
    }

    /// Writes to a table that lives as long as the program: a million slots and a counter.
    fn remember(&mut self, number: u64, total: i32) {
        self.enter(7, Some(TABLE), vec![Value::Int(total)], 33);
        let slot = self.random.below(1_000_000) as u32;
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

/// Feeds `events` events to `sink`, in turns of four threads.
fn generate(events: u64, mut sink: impl FnMut(Event)) {
    let objects = std::cell::Cell::new(2);
    let mut threads: Vec<Program<'_>> = (1..=4)
        .map(|thread| Program {
            thread: ThreadId(thread),
            stack: Vec::new(),
            calls: 0,
            random: Random(thread.into()),
            objects: &objects,
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

fn measure(size: u64) {
    let data = tempfile::tempdir().expect("a folder");
    let catalogue = Catalogue::open(data.path(), StoreOptions::default()).expect("a catalogue");
    let (recording, mut writer) = catalogue
        .create(None, RecordingOptions::default())
        .expect("a recording");
    let class = ClassInfo {
        id: ClassId(5),
        name: "bench.Request".to_owned(),
        source_file: None,
        modifiers: 1,
        super_name: None,
        interfaces: vec![],
        in_scope: true,
        fields: vec![],
        methods: vec![MethodInfo {
            id: MethodId(8),
            name: "fails".to_owned(),
            descriptor: "()V".to_owned(),
            modifiers: 1,
            lines: vec![
                LineEntry { start: 0, line: 80 },
                LineEntry { start: 9, line: 81 },
                LineEntry {
                    start: 12,
                    line: 82,
                },
            ],
            variables: vec![],
            code: vec![],
        }],
    };
    writer.class(class).expect("a class");
    // What the generator itself takes is no part of the rate.
    let begin = Instant::now();
    let mut checksum = 0;
    generate(size, |event| checksum ^= u64::from(event.index));
    let generating = begin.elapsed();
    assert!(checksum < u64::MAX, "the generator is not optimised away");
    let begin = Instant::now();
    generate(size, |event| {
        writer.append(event).expect("the event nests");
    });
    let appended = begin.elapsed();
    let processor = processor_times();
    writer.finish(State::Stopped).expect("finished");
    let ingest = begin.elapsed();
    let peak_ingest = memory("VmHWM");
    let stats = recording.stats().expect("stats");
    println!("\n## {size} events");
    println!(
        "ingest {:.2} M events/s to the disk ({:.2} M/s until the last append; generating alone {:.2} M/s), {:.2} bytes/event, {} calls",
        size as f64 / ingest.as_secs_f64() / 1e6,
        size as f64 / appended.as_secs_f64() / 1e6,
        size as f64 / generating.as_secs_f64() / 1e6,
        stats.bytes_on_disk as f64 / size as f64,
        stats.calls,
    );
    println!("processor seconds per thread: {processor}");
    let id = recording.id().to_owned();
    drop((recording, catalogue));
    let begin = Instant::now();
    let catalogue = Catalogue::open(data.path(), StoreOptions::default()).expect("a catalogue");
    let recording = catalogue.open_recording(&id).expect("opens");
    println!(
        "opened again in {:.1} ms",
        begin.elapsed().as_secs_f64() * 1e3
    );
    println!("\n| query | median ms | p99 ms |\n| --- | --- | --- |");
    ask(&recording, size);
    println!(
        "\npeak RSS {} MB after ingest, {} MB at the end",
        peak_ingest,
        memory("VmHWM")
    );
}

/// Times a query at random places.
fn time(name: &str, mut query: impl FnMut(&mut Random)) {
    let mut random = Random(7);
    let mut times: Vec<Duration> = (0..300)
        .map(|_| {
            let begin = Instant::now();
            query(&mut random);
            begin.elapsed()
        })
        .collect();
    times.sort();
    let at = |part: usize| times[times.len() * part / 100].as_secs_f64() * 1e3;
    println!("| {name} | {:.3} | {:.3} |", at(50), at(99));
}

fn ask(recording: &Recording, size: u64) {
    let calls: Vec<u64> = (1..=4)
        .map(|thread| recording.root(ThreadId(thread)).expect("a thread").calls)
        .collect();
    let any_call = |random: &mut Random| {
        let thread = random.below(4);
        let calls = calls[thread as usize].max(1);
        CallId::new(ThreadId(thread as u32 + 1), 1 + random.below(calls))
    };
    let any_time = |random: &mut Random| Timestamp(random.below(size));
    let range = |at: Timestamp| at..Timestamp(u64::MAX);
    time("event", |random| {
        drop(recording.event(any_time(random)).expect("an event"))
    });
    time("event page of 100", |random| {
        let rows = recording.events(range(any_time(random)), None, Direction::Forward);
        assert!(rows.take(100).all(|row| row.is_ok()));
    });
    time("call", |random| {
        recording.call(any_call(random)).expect("a call");
    });
    time("path to the root", |random| {
        drop(recording.path(any_call(random)).expect("a path"));
    });
    time("tree page: 50 children of main, with values", |random| {
        let thread = ThreadId(random.below(4) as u32 + 1);
        let main = CallId::new(thread, 1);
        let at = recording
            .innermost_call(thread, any_time(random))
            .expect("a call");
        let path = recording.path(at).expect("a path");
        let after = path
            .iter()
            .find(|call| call.parent == main)
            .map(|call| call.id);
        for child in recording.children(main, after, 50).expect("children") {
            recording.arguments(&child).expect("arguments");
            recording.outcome(&child).expect("an outcome");
        }
    });
    time("own events: page of 100 in the middle of main", |random| {
        let main = CallId::new(ThreadId(random.below(4) as u32 + 1), 1);
        let rows = recording.own_events(main, range(any_time(random)), Direction::Forward);
        assert!(rows.take(100).all(|row| row.is_ok()));
    });
    time("innermost call at a time", |random| {
        let thread = ThreadId(random.below(4) as u32 + 1);
        recording
            .innermost_call(thread, any_time(random))
            .expect("a call");
    });
    let hot = Variable::Field {
        object: TABLE,
        field: FieldId(20),
    };
    time("last write of a hot field", |random| {
        recording.last_write(hot, any_time(random)).expect("asked");
    });
    time("last write of one element among a million", |random| {
        let index = random.below(1_000_000) as u32;
        let element = Variable::Element {
            array: ObjectId(2),
            index,
        };
        recording
            .last_write(element, any_time(random))
            .expect("asked");
    });
    time("last write of a local of main", |random| {
        let call = CallId::new(ThreadId(random.below(4) as u32 + 1), 1);
        let local = Variable::Local {
            call,
            local: Local::Named(1),
        };
        recording
            .last_write(local, any_time(random))
            .expect("asked");
    });
    time("history of a field: 100 writes forward", |random| {
        let rows = recording.writes(hot, range(any_time(random)), Direction::Forward);
        assert!(rows.take(100).all(|row| row.is_ok()));
    });
    time("state of a small object", |random| {
        let object = ObjectId(3 + random.below(size / 100));
        recording
            .object_state(object, any_time(random), 0, 50)
            .expect("a state");
    });
    time("state of a page of the large array", |random| {
        let from = random.below(1_000_000) as u32;
        recording
            .object_state(ObjectId(2), any_time(random), from, 50)
            .expect("a state");
    });
    time("was an object written between", |random| {
        let object = ObjectId(3 + random.below(size / 100));
        let at = any_time(random);
        recording
            .written_between(object, at, Timestamp(at.0 + size / 10))
            .expect("known");
    });
    let invocations = recording.invocations(MethodId(5)).expect("known").max(1);
    time("call by invocation", |random| {
        let n = random.below(invocations);
        recording
            .call_by_invocation(MethodId(5), n)
            .expect("a call");
    });
    time("calls of a method: page of 50", |random| {
        let n = random.below(invocations);
        recording
            .calls_of_method(MethodId(5), n, 50)
            .expect("calls");
    });
    time("exceptions: page of 20", |random| {
        let rows = recording.exceptions(range(any_time(random)), Direction::Forward);
        assert!(rows.take(20).all(|row| row.is_ok()));
    });
    time("next 10 calls at a line", |random| {
        recording
            .calls_at_line(ClassId(5), 81, any_time(random), 10)
            .expect("calls");
    });
}

/// A figure of `/proc/self/status` in MB; 0 where there is none.
fn memory(name: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with(name));
    let kilobytes = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
    kilobytes.unwrap_or(0) / 1024
}

/// Processor time of every thread of this process that took some, in seconds: what the stages of
/// the ingest path cost, whatever else the machine is doing.
fn processor_times() -> String {
    let tasks = std::fs::read_dir("/proc/self/task")
        .into_iter()
        .flatten()
        .flatten();
    let mut times: Vec<String> = tasks
        .filter_map(|task| std::fs::read_to_string(task.path().join("stat")).ok())
        .filter_map(|stat| {
            let (name, rest) = stat.split_once('(')?.1.rsplit_once(')')?;
            let fields: Vec<u64> = rest
                .split_whitespace()
                .skip(11)
                .take(2)
                .filter_map(|f| f.parse().ok())
                .collect();
            let ticks: u64 = fields.iter().sum();
            (ticks > 0).then(|| format!("{name} {:.2}", ticks as f64 / 100.0))
        })
        .collect();
    times.sort();
    times.join(", ")
}
