//! A small Java virtual machine for tests: runs static code that `javac` made and records it as level
//! `full` is to be recorded, every write, use, edge, object, call and exception at its bytecode index.
//!
//! It knows `int` and its smaller kin, references, arrays, fields, exceptions, and calls within the classes
//! that it was given; every other call is one out of the scope, which yields 0 or null. It shares no code
//! with the engines. An instruction that it does not know ends the test.

#![allow(dead_code, reason = "every test file uses a part of it")]

#[path = "machine_instructions.rs"]
mod instructions;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;

use jhyde_bytecode::{ClassFile, Code, CodeAttribute, ExceptionHandler, Method, Operands};
use jhyde_store::Writer;
use jhyde_trace::{
    CallId, ClassId, ClassInfo, Content, Event, EventKind, FieldId, FieldInfo, LineEntry, Local,
    LocalVariable, MethodId, MethodInfo, ObjectId, ObjectInfo, Outcome, ThreadId, ThreadInfo,
    Value, Variable,
};

/// Compiles one source file with any JDK and returns its classes.
pub(crate) fn compile(file_name: &str, source: &str, options: &[&str]) -> Vec<ClassFile> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join(file_name);
    std::fs::write(&path, source).expect("the source can be written");
    let output = Command::new(a_jdk().join("bin/javac"))
        .args(options)
        .arg("-d")
        .arg(folder.path())
        .arg(&path)
        .output()
        .expect("javac starts");
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "javac: {told}");
    let mut classes: Vec<PathBuf> = std::fs::read_dir(folder.path())
        .expect("the folder is there")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "class"))
        .collect();
    classes.sort();
    classes
        .iter()
        .map(|path| {
            ClassFile::parse(std::fs::read(path).expect("a class file")).expect("it parses")
        })
        .collect()
}

/// Any JDK: `JAVA_HOME`, the first of `JHYDE_JDKS`, or one under `/usr/lib/jvm`.
fn a_jdk() -> PathBuf {
    let listed = std::env::var("JHYDE_JDKS").unwrap_or_default();
    let mut homes: Vec<PathBuf> = std::env::var("JAVA_HOME")
        .into_iter()
        .chain(listed.split(':').map(str::to_owned))
        .filter(|home| !home.is_empty())
        .map(PathBuf::from)
        .collect();
    if let Ok(entries) = std::fs::read_dir(Path::new("/usr/lib/jvm")) {
        let mut more: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
        more.sort();
        homes.extend(more);
    }
    homes
        .into_iter()
        .find(|home| home.join("bin/javac").is_file())
        .expect("no JDK found: set JAVA_HOME, or JHYDE_JDKS=/a/jdk:/another")
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Slot {
    Int(i32),
    Reference(Option<ObjectId>),
}

impl Slot {
    fn int(self) -> i32 {
        match self {
            Self::Int(value) => value,
            Self::Reference(_) => panic!("an int was expected"),
        }
    }

    fn object(self) -> Option<ObjectId> {
        match self {
            Self::Reference(object) => object,
            Self::Int(_) => panic!("a reference was expected"),
        }
    }

    fn value(self, descriptor: &str) -> Value {
        match self {
            Self::Reference(None) => Value::Null,
            Self::Reference(Some(object)) => Value::Object(object),
            Self::Int(value) => match descriptor {
                "Z" => Value::Boolean(value != 0),
                "C" => Value::Char(value as u16),
                "B" => Value::Byte(value as i8),
                "S" => Value::Short(value as i16),
                _ => Value::Int(value),
            },
        }
    }

    fn zero(descriptor: &str) -> Self {
        match descriptor.as_bytes() {
            [b'L' | b'[', ..] => Self::Reference(None),
            _ => Self::Int(0),
        }
    }
}

enum Content2 {
    Array(Vec<Slot>),
    Object(HashMap<FieldId, Slot>),
}

struct Known {
    info: MethodInfo,
    code: Option<Rc<(Code, CodeAttribute)>>,
    is_static: bool,
    /// Position of the class that declares it.
    class: usize,
    parameters: Vec<String>,
    result: String,
}

/// The machine: one thread, with the recording that it writes.
pub(crate) struct Machine<'w> {
    writer: &'w mut Writer,
    thread: ThreadId,
    classes: Vec<Rc<ClassFile>>,
    class_ids: HashMap<String, ClassId>,
    methods: HashMap<(String, String, String), usize>,
    known: Vec<Known>,
    fields: HashMap<(String, String), (FieldId, String)>,
    statics: HashMap<FieldId, Slot>,
    heap: HashMap<ObjectId, (String, Content2)>,
    next_call: u64,
    next_object: u64,
}

/// An exception under way.
struct Thrown(ObjectId);

struct Frame {
    call: CallId,
    method: usize,
    locals: Vec<Slot>,
    stack: Vec<Slot>,
}

impl<'w> Machine<'w> {
    /// Describes the classes to the recording and makes a thread.
    pub(crate) fn new(writer: &'w mut Writer, classes: Vec<ClassFile>) -> Self {
        let thread = ThreadId(1);
        writer
            .thread(ThreadInfo {
                id: thread,
                name: "main".to_owned(),
                group: None,
            })
            .expect("a thread");
        let mut machine = Self {
            writer,
            thread,
            classes: classes.into_iter().map(Rc::new).collect(),
            class_ids: HashMap::new(),
            methods: HashMap::new(),
            known: Vec::new(),
            fields: HashMap::new(),
            statics: HashMap::new(),
            heap: HashMap::new(),
            next_call: 1,
            next_object: 1,
        };
        let classes = machine.classes.clone();
        for (position, class) in classes.iter().enumerate() {
            machine.describe(position, class);
        }
        machine.event(
            CallId::root(thread),
            Event::NO_INDEX,
            EventKind::ThreadStart,
        );
        machine
    }

    fn describe(&mut self, position: usize, class: &ClassFile) {
        let id = ClassId(self.class_ids.len() as u32);
        self.class_ids.insert(class.name.clone(), id);
        let mut fields = Vec::new();
        for field in &class.fields {
            let number = FieldId(self.fields.len() as u32);
            let descriptor = field.field_type.descriptor();
            self.fields.insert(
                (class.name.clone(), field.name.clone()),
                (number, descriptor.clone()),
            );
            self.statics.insert(number, Slot::zero(&descriptor));
            fields.push(FieldInfo {
                id: number,
                name: field.name.clone(),
                descriptor,
                modifiers: u32::from(field.access.0),
            });
        }
        let mut methods = Vec::new();
        for method in &class.methods {
            let info = self.described(method);
            let key = (
                class.name.clone(),
                method.name.clone(),
                info.descriptor.clone(),
            );
            self.methods.insert(key, self.known.len());
            methods.push(info.clone());
            let (parameters, result) = types(&info.descriptor);
            self.known.push(Known {
                code: method
                    .code
                    .as_ref()
                    .map(|code| Rc::new((code.decode().expect("javac's code"), code.clone()))),
                class: position,
                is_static: method.access.is_static(),
                parameters,
                result,
                info,
            });
        }
        self.writer
            .class(ClassInfo {
                id,
                name: class.name.replace('/', "."),
                source_file: Some("Test.java".to_owned()),
                modifiers: u32::from(class.access.0),
                super_name: class.super_name.as_ref().map(|s| s.replace('/', ".")),
                interfaces: Vec::new(),
                in_scope: true,
                fields,
                methods,
            })
            .expect("a class");
    }

    fn described(&self, method: &Method) -> MethodInfo {
        let code = method.code.as_ref();
        MethodInfo {
            id: MethodId(self.known.len() as u32),
            name: method.name.clone(),
            descriptor: method.descriptor.descriptor(),
            modifiers: u32::from(method.access.0),
            lines: code
                .map(|code| {
                    let mut lines: Vec<_> = code
                        .lines
                        .iter()
                        .map(|entry| LineEntry {
                            start: entry.start,
                            line: entry.line,
                        })
                        .collect();
                    lines.sort_by_key(|entry| entry.start);
                    lines
                })
                .unwrap_or_default(),
            variables: code
                .map(|code| {
                    code.variables
                        .iter()
                        .map(|entry| LocalVariable {
                            start: entry.start,
                            length: entry.length,
                            slot: entry.slot,
                            name: entry.name.clone(),
                            descriptor: entry.descriptor.clone(),
                        })
                        .collect()
                })
                .unwrap_or_default(),
            code: code.map(|code| code.bytes.clone()).unwrap_or_default(),
        }
    }

    /// Calls a static method of the first class that has it, with ints. What it returned, if it did.
    pub(crate) fn call(&mut self, name: &str, arguments: &[i32]) -> Option<Value> {
        let (key, method) = self
            .methods
            .iter()
            .filter(|((_, known, _), _)| known == name)
            .min_by_key(|(key, _)| (*key).clone())
            .map(|(key, method)| (key.clone(), *method))
            .unwrap_or_else(|| panic!("there is no method {name}"));
        let mut slots: Vec<Slot> = arguments.iter().map(|value| Slot::Int(*value)).collect();
        if key.2.starts_with("([Ljava/lang/String;)") {
            slots = vec![Slot::Reference(None)];
        }
        let root = CallId::root(self.thread);
        let end = self.run(method, &slots, Event::NO_INDEX);
        let _ = root;
        let result = self.known[method].result.clone();
        end.ok().flatten().map(|slot| slot.value(&result))
    }

    fn event(&mut self, call: CallId, index: u32, kind: EventKind) {
        self.writer
            .append(Event { call, index, kind })
            .expect("an event that fits");
    }

    fn class_id(&mut self, name: &str) -> ClassId {
        if let Some(id) = self.class_ids.get(name) {
            return *id;
        }
        let id = ClassId(self.class_ids.len() as u32);
        self.class_ids.insert(name.to_owned(), id);
        self.writer
            .class(ClassInfo {
                id,
                name: readable(name),
                source_file: None,
                modifiers: 1,
                super_name: Some("java.lang.Object".to_owned()),
                interfaces: Vec::new(),
                in_scope: false,
                fields: Vec::new(),
                methods: Vec::new(),
            })
            .expect("a class");
        id
    }

    /// A method out of the scope, as it is first called.
    fn outside(&mut self, class: &str, name: &str, descriptor: &str) -> usize {
        let key = (class.to_owned(), name.to_owned(), descriptor.to_owned());
        if let Some(known) = self.methods.get(&key) {
            return *known;
        }
        let id = self.class_id(class);
        let number = self.known.len();
        let (parameters, result) = types(descriptor);
        let info = MethodInfo {
            id: MethodId(number as u32),
            name: name.to_owned(),
            descriptor: descriptor.to_owned(),
            modifiers: 1,
            lines: Vec::new(),
            variables: Vec::new(),
            code: Vec::new(),
        };
        self.methods.insert(key, number);
        self.known.push(Known {
            info,
            code: None,
            class: 0,
            is_static: true,
            parameters,
            result,
        });
        let methods: Vec<_> = self
            .methods
            .iter()
            .filter(|((of, ..), _)| of == class)
            .map(|(_, number)| self.known[*number].info.clone())
            .collect();
        self.writer
            .class(ClassInfo {
                id,
                name: readable(class),
                source_file: None,
                modifiers: 1,
                super_name: Some("java.lang.Object".to_owned()),
                interfaces: Vec::new(),
                in_scope: false,
                fields: Vec::new(),
                methods,
            })
            .expect("a class");
        number
    }

    fn create(&mut self, class: &str, content: Content2, at: Option<(CallId, u32)>) -> ObjectId {
        let object = ObjectId(self.next_object);
        self.next_object += 1;
        let id = self.class_id(class);
        let length = match &content {
            Content2::Array(elements) => Some(elements.len() as u32),
            Content2::Object(_) => None,
        };
        self.writer
            .object(
                object,
                ObjectInfo {
                    class: Some(id),
                    content: length.map_or(Content::None, Content::Array),
                },
            )
            .expect("an object");
        self.heap.insert(object, (class.to_owned(), content));
        if let Some((call, index)) = at {
            self.event(
                call,
                index,
                EventKind::New {
                    object,
                    class: id,
                    length,
                },
            );
        }
        object
    }

    fn run(
        &mut self,
        method: usize,
        arguments: &[Slot],
        call_site: u32,
    ) -> Result<Option<Slot>, Thrown> {
        let call = CallId::new(self.thread, self.next_call);
        self.next_call += 1;
        let known = &self.known[method];
        let (is_static, parameters, result) = (
            known.is_static,
            known.parameters.clone(),
            known.result.clone(),
        );
        let boundary = known.code.is_none();
        let values = |from: usize| -> Vec<Value> {
            let given = arguments.iter().skip(from).zip(&parameters);
            given.map(|(slot, d)| slot.value(d)).collect()
        };
        let receiver = (!is_static).then(|| arguments[0].value("L"));
        let id = known.info.id;
        self.event(
            call,
            0,
            EventKind::Enter {
                method: id,
                receiver,
                arguments: values(usize::from(!is_static)),
                call_site,
                boundary,
                already_running: false,
            },
        );
        if boundary {
            let slot = (result != "V").then(|| Slot::zero(&result));
            let outcome = Outcome::Returned(slot.map(|slot| slot.value(&result)));
            self.event(call, Event::NO_INDEX, EventKind::Exit { outcome });
            return Ok(slot);
        }
        let both = self.known[method].code.clone().expect("has code");
        let (code, attribute) = &*both;
        let mut locals = arguments.to_vec();
        locals.resize(
            usize::from(attribute.max_locals).max(locals.len()),
            Slot::Int(0),
        );
        let mut frame = Frame {
            call,
            method,
            locals,
            stack: Vec::new(),
        };
        let mut at = 0;
        loop {
            match self.step(&mut frame, code, at) {
                Ok(Next::At(next)) => at = next,
                Ok(Next::Return(slot)) => {
                    let outcome = Outcome::Returned(slot.map(|slot| slot.value(&result)));
                    self.event(call, at, EventKind::Exit { outcome });
                    return Ok(slot);
                }
                Err(Thrown(object)) => {
                    let exception = Value::Object(object);
                    self.event(call, at, EventKind::Thrown { exception });
                    let class = self.heap[&object].0.clone();
                    let handler = attribute.handlers.iter().find(|h| catches(h, at, &class));
                    let Some(handler) = handler else {
                        let outcome = Outcome::Threw(exception);
                        self.event(call, at, EventKind::Exit { outcome });
                        return Err(Thrown(object));
                    };
                    at = handler.handler;
                    self.event(call, at, EventKind::Caught { exception });
                    frame.stack = vec![Slot::Reference(Some(object))];
                }
            }
        }
    }

    fn local(&self, frame: &Frame, slot: u16, at: u32, next: u32) -> (Variable, String) {
        let variables = &self.known[frame.method].info.variables;
        let covers = |index| {
            variables
                .iter()
                .position(|v| v.slot == slot && v.covers(index))
        };
        let entry = covers(next).or_else(|| covers(at));
        let (local, descriptor) = match entry {
            Some(entry) => (
                Local::Named(entry as u16),
                variables[entry].descriptor.clone(),
            ),
            None => (Local::Slot(slot), String::new()),
        };
        let call = frame.call;
        (Variable::Local { call, local }, descriptor)
    }

    fn exception<T>(&mut self, class: &str) -> Result<T, Thrown> {
        let object = self.create(class, Content2::Object(HashMap::new()), None);
        Err(Thrown(object))
    }

    fn element(&mut self, frame: &mut Frame) -> Result<(ObjectId, usize), Thrown> {
        let index = frame.stack.pop().expect("an index").int();
        let Some(array) = frame.stack.pop().expect("an array").object() else {
            return self.exception("java/lang/NullPointerException");
        };
        let Content2::Array(elements) = &self.heap[&array].1 else {
            panic!("no array")
        };
        match usize::try_from(index).ok().filter(|i| *i < elements.len()) {
            Some(index) => Ok((array, index)),
            None => self.exception("java/lang/ArrayIndexOutOfBoundsException"),
        }
    }
}

enum Next {
    At(u32),
    Return(Option<Slot>),
}

fn catches(handler: &ExceptionHandler, at: u32, class: &str) -> bool {
    let kind_fits = match handler.catch_type.as_deref() {
        None | Some("java/lang/Throwable" | "java/lang/Exception") => true,
        Some("java/lang/RuntimeException") => class.starts_with("java/lang/"),
        Some(name) => name == class,
    };
    handler.start <= at && at < handler.end && kind_fits
}

fn types(descriptor: &str) -> (Vec<String>, String) {
    let (parameters, result) = descriptor
        .trim_start_matches('(')
        .split_once(')')
        .expect("a method descriptor");
    let (mut all, mut begin, bytes) = (Vec::new(), 0, parameters.as_bytes());
    while begin < bytes.len() {
        let mut end = begin;
        while bytes[end] == b'[' {
            end += 1;
        }
        if bytes[end] == b'L' {
            end += parameters[end..].find(';').expect("ends");
        }
        all.push(parameters[begin..=end].to_owned());
        begin = end + 1;
    }
    (all, result.to_owned())
}

/// `[I` as `int[]`, `a/B` as `a.B`.
fn readable(name: &str) -> String {
    match name.strip_prefix('[') {
        Some(element) => {
            let element = match element {
                "I" => "int".to_owned(),
                "Z" => "boolean".to_owned(),
                "B" => "byte".to_owned(),
                "C" => "char".to_owned(),
                "S" => "short".to_owned(),
                array if array.starts_with('[') => readable(array),
                class => readable(class.trim_start_matches('L').trim_end_matches(';')),
            };
            format!("{element}[]")
        }
        None => name.replace('/', "."),
    }
}
