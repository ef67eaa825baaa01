//! Recordings made by hand for the tests: events written through the real store into a temporary folder.

#![allow(dead_code, reason = "every test file uses a part of it")]

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use jhyde_history::History;
use jhyde_history::state::StateRow;
use jhyde_history::view::ValueView;
use jhyde_store::{Catalogue, Recording, StoreOptions, Writer};
use jhyde_trace::block::FORMAT_VERSION;
use jhyde_trace::{
    CallId, ClassId, ClassInfo, Content, Event, EventKind, FieldId, FieldInfo, JvmIdentity, Level,
    LineEntry, Local, LocalVariable, MethodId, MethodInfo, ObjectId, ObjectInfo, Outcome,
    RecordingOptions, State, Subject, ThreadId, ThreadInfo, Timestamp, Value, Variable,
};
use tempfile::TempDir;

pub(crate) const STATIC: u32 = 0x8;

/// A recording that is being made.
pub(crate) struct Builder {
    folder: TempDir,
    catalogue: Catalogue,
    recording: Arc<Recording>,
    writer: Writer,
    /// Next preorder number and the running calls of each thread.
    threads: HashMap<ThreadId, (u64, Vec<CallId>)>,
    classes: u32,
    methods: u32,
    fields: u32,
    objects: u64,
}

/// A recording that has been made; its folder goes with it.
pub(crate) struct Made {
    folder: TempDir,
    catalogue: Catalogue,
    pub(crate) recording: Arc<Recording>,
}

impl Made {
    pub(crate) fn history(&self) -> History {
        History::new(Arc::clone(&self.recording))
    }

    /// The same, opened again after an event block was damaged that lies so far in it.
    pub(crate) fn damaged(self, share: f64) -> Self {
        let Self {
            folder,
            catalogue,
            recording,
        } = self;
        let (id, db) = (recording.id().to_owned(), recording.folder().join("db"));
        drop((recording, catalogue));
        damage(&db, share);
        let options = StoreOptions {
            block_events: 64,
            ..StoreOptions::default()
        };
        let catalogue = Catalogue::open(folder.path(), options).expect("opens all the same");
        let recording = catalogue.open_recording(&id).expect("opens all the same");
        Self {
            folder,
            catalogue,
            recording,
        }
    }

    /// The data folder, which nobody holds any more. The recording's name is `test`.
    pub(crate) fn into_folder(self) -> TempDir {
        self.folder
    }
}

/// A method as it is described to [`Builder::class`].
pub(crate) struct Method {
    pub(crate) name: &'static str,
    pub(crate) descriptor: &'static str,
    pub(crate) modifiers: u32,
    /// Name, descriptor, slot, start, length.
    pub(crate) variables: Vec<(&'static str, &'static str, u16, u32, u32)>,
    /// First line; every 4 bytes of code are a line.
    pub(crate) line: u32,
}

pub(crate) fn method(
    name: &'static str,
    descriptor: &'static str,
    modifiers: u32,
    line: u32,
    variables: &[(&'static str, &'static str, u16, u32, u32)],
) -> Method {
    Method {
        name,
        descriptor,
        modifiers,
        variables: variables.to_vec(),
        line,
    }
}

impl Builder {
    pub(crate) fn new(level: Level) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        // Small blocks, so that a few hundred events lie in many of them.
        let options = StoreOptions {
            block_events: 64,
            ..StoreOptions::default()
        };
        let catalogue = Catalogue::open(folder.path(), options).expect("a new data folder");
        let options = RecordingOptions {
            level,
            ..RecordingOptions::default()
        };
        let (recording, mut writer) = catalogue
            .create(Some("test"), options)
            .expect("a new recording");
        writer
            .set_meta(|meta| {
                meta.state = State::Running;
                meta.jvm = Some(JvmIdentity {
                    command: vec!["java".into()],
                    ..JvmIdentity::default()
                });
            })
            .expect("meta can be set");
        Self {
            folder,
            catalogue,
            recording,
            writer,
            threads: HashMap::new(),
            classes: 0,
            methods: 0,
            fields: 0,
            objects: 0,
        }
    }

    pub(crate) fn history(&self) -> History {
        History::new(Arc::clone(&self.recording))
    }

    pub(crate) fn recording(&self) -> &Arc<Recording> {
        &self.recording
    }

    pub(crate) fn finish(self) -> Made {
        self.writer
            .finish(State::Complete { exit_code: Some(0) })
            .expect("can be closed");
        Made {
            folder: self.folder,
            catalogue: self.catalogue,
            recording: self.recording,
        }
    }

    /// The recording when whoever made it went away without closing it.
    pub(crate) fn abandon(self) -> Made {
        drop(self.writer);
        Made {
            folder: self.folder,
            catalogue: self.catalogue,
            recording: self.recording,
        }
    }

    /// From the next event on something is recorded at another level.
    pub(crate) fn level(&mut self, of: Subject, level: Level) {
        let reason = "it was enough".to_owned();
        self.writer.level(of, level, reason).expect("a level");
    }

    pub(crate) fn thread(&mut self, name: &str) -> ThreadId {
        let id = ThreadId(self.threads.len() as u32 + 1);
        self.threads.insert(id, (1, Vec::new()));
        let group = Some("main".to_owned());
        self.writer
            .thread(ThreadInfo {
                id,
                name: name.to_owned(),
                group,
            })
            .expect("a thread");
        self.event(CallId::root(id), Event::NO_INDEX, EventKind::ThreadStart);
        id
    }

    pub(crate) fn end_thread(&mut self, thread: ThreadId) -> Timestamp {
        self.event(CallId::root(thread), Event::NO_INDEX, EventKind::ThreadEnd)
    }

    /// Fields: name, descriptor, modifiers. Returns the ids of class, fields and methods.
    pub(crate) fn class(
        &mut self,
        name: &str,
        super_name: Option<&str>,
        in_scope: bool,
        fields: &[(&str, &str, u32)],
        methods: Vec<Method>,
    ) -> (ClassId, Vec<FieldId>, Vec<MethodId>) {
        let id = ClassId(self.classes);
        self.classes += 1;
        let fields: Vec<_> = fields
            .iter()
            .map(|(name, descriptor, modifiers)| {
                self.fields += 1;
                FieldInfo {
                    id: FieldId(self.fields - 1),
                    name: (*name).to_owned(),
                    descriptor: (*descriptor).to_owned(),
                    modifiers: *modifiers,
                }
            })
            .collect();
        let methods: Vec<_> = methods
            .into_iter()
            .map(|method| {
                self.methods += 1;
                MethodInfo {
                    id: MethodId(self.methods - 1),
                    name: method.name.to_owned(),
                    descriptor: method.descriptor.to_owned(),
                    modifiers: method.modifiers,
                    lines: (0..20)
                        .map(|n| LineEntry {
                            start: n * 4,
                            line: method.line + n,
                        })
                        .collect(),
                    variables: method
                        .variables
                        .into_iter()
                        .map(|(name, descriptor, slot, start, length)| LocalVariable {
                            start,
                            length,
                            slot,
                            name: name.to_owned(),
                            descriptor: descriptor.to_owned(),
                        })
                        .collect(),
                    code: Vec::new(),
                }
            })
            .collect();
        let ids = (
            id,
            fields.iter().map(|field| field.id).collect(),
            methods.iter().map(|method| method.id).collect(),
        );
        let simple = name.rsplit('.').next().unwrap_or(name);
        self.writer
            .class(ClassInfo {
                id,
                name: name.to_owned(),
                source_file: Some(format!("{simple}.java")),
                modifiers: 1,
                super_name: super_name.map(str::to_owned),
                interfaces: Vec::new(),
                in_scope,
                fields,
                methods,
            })
            .expect("a class");
        ids
    }

    /// A class as any other, such as `int[]` or `java.lang.String`.
    pub(crate) fn plain_class(&mut self, name: &str) -> ClassId {
        self.class(name, Some("java.lang.Object"), false, &[], Vec::new())
            .0
    }

    /// An object without the event of its creation.
    pub(crate) fn object(&mut self, class: ClassId, content: Content) -> ObjectId {
        self.objects += 1;
        let id = ObjectId(self.objects);
        self.writer
            .object(
                id,
                ObjectInfo {
                    class: Some(class),
                    content,
                },
            )
            .expect("an object");
        id
    }

    /// An object that the innermost call creates.
    pub(crate) fn create(
        &mut self,
        thread: ThreadId,
        class: ClassId,
        content: Content,
    ) -> ObjectId {
        let length = match content {
            Content::Array(length) => Some(length),
            _ => None,
        };
        let object = self.object(class, content);
        self.here(
            thread,
            0,
            EventKind::New {
                object,
                class,
                length,
            },
        );
        object
    }

    /// An event of the innermost call.
    pub(crate) fn here(&mut self, thread: ThreadId, index: u32, kind: EventKind) -> Timestamp {
        let call = self.current(thread);
        self.event(call, index, kind)
    }

    pub(crate) fn current(&self, thread: ThreadId) -> CallId {
        self.threads[&thread]
            .1
            .last()
            .copied()
            .unwrap_or_else(|| CallId::root(thread))
    }

    pub(crate) fn write(
        &mut self,
        thread: ThreadId,
        index: u32,
        variable: Variable,
        value: Value,
    ) -> Timestamp {
        self.here(thread, index, EventKind::Write { variable, value })
    }

    pub(crate) fn enter(
        &mut self,
        thread: ThreadId,
        method: MethodId,
        receiver: Option<Value>,
        arguments: &[Value],
    ) -> CallId {
        self.enter_any(thread, method, receiver, arguments, false)
    }

    pub(crate) fn enter_any(
        &mut self,
        thread: ThreadId,
        method: MethodId,
        receiver: Option<Value>,
        arguments: &[Value],
        boundary: bool,
    ) -> CallId {
        let (next, stack) = self
            .threads
            .get_mut(&thread)
            .expect("a thread of the builder");
        let call = CallId::new(thread, *next);
        *next += 1;
        stack.push(call);
        self.event(
            call,
            0,
            EventKind::Enter {
                method,
                receiver,
                arguments: arguments.to_vec(),
                call_site: 4,
                boundary,
                already_running: false,
            },
        );
        call
    }

    pub(crate) fn exit(&mut self, thread: ThreadId, outcome: Outcome) -> Timestamp {
        let (_, stack) = self
            .threads
            .get_mut(&thread)
            .expect("a thread of the builder");
        let call = stack.pop().expect("a running call");
        self.event(call, 8, EventKind::Exit { outcome })
    }

    pub(crate) fn leave(&mut self, thread: ThreadId) -> Timestamp {
        self.exit(thread, Outcome::Returned(None))
    }

    pub(crate) fn event(&mut self, call: CallId, index: u32, kind: EventKind) -> Timestamp {
        self.writer
            .append(Event { call, index, kind })
            .expect("an event that fits")
    }
}

pub(crate) fn local(call: CallId, entry: u16) -> Variable {
    Variable::Local {
        call,
        local: Local::Named(entry),
    }
}

/// The reference example of the design, section 5, with the defect, run here and recorded as level `full` would.
pub(crate) struct MergeSort {
    pub(crate) builder: Builder,
    pub(crate) thread: ThreadId,
    /// The array that is sorted.
    pub(crate) array: ObjectId,
    methods: Vec<MethodId>,
    int_array: ClassId,
    heap: HashMap<ObjectId, Vec<i32>>,
}

const SORT_CLASS: &str = "demo.MergeSort";

impl MergeSort {
    /// Records the whole run.
    pub(crate) fn recorded(level: Level, with_rest_loop: bool) -> Self {
        let mut builder = Builder::new(level);
        let ints = "[I";
        let distribute = [
            ("a", ints, 0, 0, 80),
            ("b", ints, 1, 0, 80),
            ("c", ints, 2, 0, 80),
            ("l", "I", 3, 0, 80),
            ("i", "I", 4, 4, 70),
        ];
        let merge = [
            ("a", ints, 0, 0, 80),
            ("la", "I", 1, 0, 80),
            ("ra", "I", 2, 0, 80),
            ("b", ints, 3, 0, 80),
            ("lb", "I", 4, 0, 80),
            ("rb", "I", 5, 0, 80),
            ("c", ints, 6, 0, 80),
            ("lc", "I", 7, 0, 80),
        ];
        let methods = vec![
            method(
                "main",
                "([Ljava/lang/String;)V",
                STATIC,
                10,
                &[
                    ("args", "[Ljava/lang/String;", 0, 0, 80),
                    ("a", ints, 1, 4, 70),
                ],
            ),
            method(
                "sort",
                "([I)V",
                STATIC,
                20,
                &[
                    ("a", ints, 0, 0, 80),
                    ("b", ints, 1, 4, 70),
                    ("c", ints, 2, 4, 70),
                    ("l", "I", 3, 8, 60),
                ],
            ),
            method("distribute", "([I[I[II)V", STATIC, 30, &distribute),
            method("merge", "([III[III[II)V", STATIC, 40, &merge),
        ];
        let (_, _, methods) =
            builder.class(SORT_CLASS, Some("java.lang.Object"), true, &[], methods);
        let int_array = builder.plain_class("int[]");
        let strings = builder.plain_class("java.lang.String[]");
        let thread = builder.thread("main");
        let args = builder.object(strings, Content::Array(0));
        let main = builder.enter(thread, methods[0], None, &[Value::Object(args)]);
        let array = builder.create(thread, int_array, Content::Array(4));
        let mut this = Self {
            builder,
            thread,
            array,
            methods,
            int_array,
            heap: HashMap::from([(array, vec![0; 4])]),
        };
        for (index, value) in [4, 9, 1, 7].into_iter().enumerate() {
            this.store(0, array, index as i32, value);
        }
        this.builder
            .write(thread, 4, local(main, 1), Value::Object(array));
        this.sort(array, with_rest_loop);
        this.builder.leave(thread);
        this.builder.end_thread(thread);
        this
    }

    fn store(&mut self, at: u32, array: ObjectId, index: i32, value: i32) {
        self.heap.get_mut(&array).expect("an array")[index as usize] = value;
        let variable = Variable::Element {
            array,
            index: index as u32,
        };
        self.builder
            .write(self.thread, at, variable, Value::Int(value));
    }

    fn set(&mut self, at: u32, entry: u16, value: i32) {
        let call = self.builder.current(self.thread);
        self.builder
            .write(self.thread, at, local(call, entry), Value::Int(value));
    }

    fn sort(&mut self, a: ObjectId, with_rest_loop: bool) {
        let n = self.heap[&a].len() as i32;
        let call = self
            .builder
            .enter(self.thread, self.methods[1], None, &[Value::Object(a)]);
        let mut parts = [ObjectId(0); 2];
        for (entry, part) in parts.iter_mut().enumerate() {
            *part = self
                .builder
                .create(self.thread, self.int_array, Content::Array(n as u32));
            self.heap.insert(*part, vec![0; n as usize]);
            self.builder.write(
                self.thread,
                4,
                local(call, entry as u16 + 1),
                Value::Object(*part),
            );
        }
        let [b, c] = parts;
        let mut l = 1;
        self.set(8, 3, l);
        while l < n {
            self.distribute(a, b, c, l);
            let mut at = 0;
            let mut from = 0;
            while at < n {
                let la = from;
                let ra = (from + l).min(n / 2);
                self.merge(b, la, ra, c, la, ra, a, at, with_rest_loop);
                from += l;
                at += 2 * l;
            }
            l *= 2;
            self.set(16, 3, l);
        }
        self.builder.leave(self.thread);
    }

    fn distribute(&mut self, a: ObjectId, b: ObjectId, c: ObjectId, l: i32) {
        let arguments = [
            Value::Object(a),
            Value::Object(b),
            Value::Object(c),
            Value::Int(l),
        ];
        self.builder
            .enter(self.thread, self.methods[2], None, &arguments);
        let n = self.heap[&a].len() as i32;
        let (mut i, mut ib, mut ic) = (0, 0, 0);
        self.set(4, 4, i);
        while i < n {
            for _ in 0..l {
                self.store(12, b, ib, self.heap[&a][i as usize]);
                (ib, i) = (ib + 1, i + 1);
                self.set(12, 4, i);
            }
            for _ in 0..l {
                self.store(16, c, ic, self.heap[&a][i as usize]);
                (ic, i) = (ic + 1, i + 1);
                self.set(16, 4, i);
            }
        }
        self.builder.leave(self.thread);
    }

    #[expect(clippy::too_many_arguments, reason = "the example's own signature")]
    fn merge(
        &mut self,
        a: ObjectId,
        mut la: i32,
        ra: i32,
        b: ObjectId,
        mut lb: i32,
        rb: i32,
        c: ObjectId,
        mut lc: i32,
        with_rest_loop: bool,
    ) {
        let int = Value::Int;
        let arguments = [
            Value::Object(a),
            int(la),
            int(ra),
            Value::Object(b),
            int(lb),
            int(rb),
            Value::Object(c),
            int(lc),
        ];
        self.builder
            .enter(self.thread, self.methods[3], None, &arguments);
        while la < ra && lb < rb {
            let (x, y) = (self.heap[&a][la as usize], self.heap[&b][lb as usize]);
            self.store(12, c, lc, x.min(y));
            if x < y {
                la += 1;
                self.set(12, 1, la);
            } else {
                lb += 1;
                self.set(12, 4, lb);
            }
            lc += 1;
            self.set(12, 7, lc);
        }
        while with_rest_loop && la < ra {
            // The defect: it ought to be lc.
            let value = self.heap[&a][la as usize];
            self.store(24, c, lb, value);
            (la, lb) = (la + 1, lb + 1);
            self.set(24, 1, la);
            self.set(24, 4, lb);
        }
        while lb < rb {
            let value = self.heap[&b][lb as usize];
            self.store(32, c, lc, value);
            (lb, lc) = (lb + 1, lc + 1);
            self.set(32, 4, lb);
            self.set(32, 7, lc);
        }
        self.builder.leave(self.thread);
    }
}

/// A call of the first thread.
pub(crate) fn call(number: u64) -> CallId {
    CallId::new(ThreadId(1), number)
}

/// The row of a name.
pub(crate) fn row<'a>(rows: &'a [StateRow], name: &str) -> &'a StateRow {
    rows.iter()
        .find(|row| row.name == name)
        .unwrap_or_else(|| panic!("no row {name}"))
}

/// A value as the views print it.
pub(crate) fn shown(value: Option<&ValueView>) -> String {
    value.map_or_else(|| "-".to_owned(), ToString::to_string)
}

/// Flips a bit in an event block of a database that lies so far in its largest table.
pub(crate) fn damage(db: &Path, share: f64) {
    let mut tables: Vec<_> = std::fs::read_dir(db)
        .expect("the database")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|end| end == "sst"))
        .filter_map(|path| {
            let bytes = std::fs::read(&path).expect("a table");
            let blocks: Vec<_> = bytes
                .windows(3)
                .enumerate()
                .filter(|(_, window)| **window == [b'J', b'B', FORMAT_VERSION])
                .map(|(at, _)| at)
                .collect();
            let middle = *blocks.get(((blocks.len().saturating_sub(1)) as f64 * share) as usize)?;
            Some((blocks.len(), path, bytes, middle))
        })
        .collect();
    tables.sort_by_key(|(blocks, ..)| *blocks);
    let (_, path, mut bytes, middle) = tables.pop().expect("a table with event blocks");
    bytes[middle + 40] ^= 0x10;
    std::fs::write(path, &bytes).expect("damaged");
}
