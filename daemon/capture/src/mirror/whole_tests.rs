//! Whole programs run by the mirror alone, compared with what a JVM prints; and how fast that is.
//!
//! `cargo test --release -p jhyde-capture --lib whole -- --nocapture` prints instructions a second;
//! `JHYDE_WHOLE=1000000` makes the programs larger.

use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use jhyde_bytecode::{ClassFile, Code, Invoke, MethodDescriptor};
use jhyde_trace::{FieldId, Value};
use rustc_hash::FxHashMap;

use super::things::Body;
use super::{
    Activation, Compiled, Effect, Element, Heap, Step, UNKNOWN, World, execute, initial, narrowed,
};

/// A field of one of the classes.
#[derive(Clone, Debug)]
struct Field {
    id: FieldId,
    descriptor: String,
}

/// A class with what its constants name.
struct Class {
    name: String,
    file: ClassFile,
    fields: Vec<Option<Field>>,
    callees: Vec<Option<usize>>,
}

struct Method {
    class: usize,
    name: String,
    descriptor: MethodDescriptor,
    code: Code,
    compiled: Compiled,
    /// Slots that its parameters take, the receiver among them.
    parameters: Vec<u16>,
}

/// All classes of a program, and the frames that run.
struct Closed {
    classes: Vec<Class>,
    methods: Vec<Method>,
    heap: Heap,
    frame: Activation,
    class: usize,
    told: u64,
}

impl Closed {
    fn read(folder: &Path) -> Self {
        let entries = std::fs::read_dir(folder).expect("the folder of classes");
        let files = entries.map(|entry| entry.expect("an entry").path());
        let mut files: Vec<PathBuf> = files
            .filter(|f| f.extension().is_some_and(|e| e == "class"))
            .collect();
        files.sort();
        let mut ids = FxHashMap::default();
        let mut closed = Self {
            classes: Vec::new(),
            methods: Vec::new(),
            heap: Heap::new(),
            frame: Activation::default(),
            class: 0,
            told: 0,
        };
        for file in files {
            let bytes = std::fs::read(&file).expect("a class file");
            let file = ClassFile::parse(bytes).expect("a class");
            closed.add(file, &mut ids);
        }
        for at in 0..closed.classes.len() {
            closed.resolve(at);
        }
        closed
    }

    fn add(&mut self, file: ClassFile, ids: &mut FxHashMap<(String, String), u32>) {
        let class = self.classes.len();
        for method in &file.methods {
            let Some(code) = &method.code else { continue };
            let code = code.decode().expect("code");
            let is_static = method.access.0 & 8 != 0;
            let slots = method.descriptor.parameter_slots(is_static);
            let receiver = (!is_static).then_some(0);
            self.methods.push(Method {
                class,
                name: method.name.clone(),
                descriptor: method.descriptor.clone(),
                compiled: Compiled::of(&code, Some(&file.constants)),
                code,
                parameters: receiver
                    .into_iter()
                    .chain(slots.map(|(slot, _)| slot))
                    .collect(),
            });
        }
        let count = u16::MAX;
        let fields = (0..count).map(|at| {
            let named = file.constants.field(at).ok()?;
            let next = ids.len() as u32;
            let key = (named.class.to_owned(), named.name.to_owned());
            let id = FieldId(*ids.entry(key).or_insert(next));
            let descriptor = named.descriptor.to_owned();
            Some(Field { id, descriptor })
        });
        let fields = fields.collect();
        self.classes.push(Class {
            name: file.name.clone(),
            fields,
            file,
            callees: Vec::new(),
        });
    }

    fn resolve(&mut self, class: usize) {
        let pool = &self.classes[class].file.constants;
        let callees = (0..u16::MAX).map(|at| {
            let named = pool.method(at).ok()?;
            let descriptor = MethodDescriptor::parse(named.descriptor).ok()?;
            self.methods.iter().position(|method| {
                self.classes[method.class].name == named.class
                    && method.name == named.name
                    && method.descriptor == descriptor
            })
        });
        let callees = callees.collect();
        self.classes[class].callees = callees;
    }

    /// Runs a static method to its end; gives its result and the number of instructions.
    fn run(&mut self, name: &str, argument: i32) -> (Value, u64) {
        let mut method = self
            .methods
            .iter()
            .position(|m| m.name == name)
            .expect("a method");
        self.frame = Activation::entered([(0, Value::Int(argument))]);
        self.class = self.methods[method].class;
        let mut callers: Vec<(usize, u32, Activation)> = Vec::new();
        let (mut at, mut instructions) = (0_u32, 0_u64);
        // The world is what is borrowed while code runs.
        let methods = std::mem::take(&mut self.methods);
        loop {
            let running = &methods[method];
            let Ok((ended, step, ran)) = run(self, &running.compiled, at);
            at = ended;
            // The call or return itself is one, too.
            instructions += ran + 1;
            match step {
                Step::Leaves => {
                    let instruction = &running.code.instructions()[at as usize];
                    if let Some(invoke) = instruction.invoke() {
                        let Some(callee) = self.callee(invoke) else {
                            // `Object.<init>`
                            self.frame.pop();
                            at += 1;
                            continue;
                        };
                        let parameters = &methods[callee].parameters;
                        let from = self.frame.stack.len() - parameters.len();
                        let arguments = self.frame.stack.split_off(from);
                        let slots = parameters.iter().copied().zip(arguments);
                        let frame = Activation::entered(slots);
                        let caller = std::mem::replace(&mut self.frame, frame);
                        callers.push((method, at + 1, caller));
                        (method, at) = (callee, 0);
                    } else {
                        // Stacks hold no type that is smaller than `int`, and none is returned.
                        let returns = running.descriptor.return_type.is_some();
                        let result = returns.then(|| self.frame.pop());
                        let Some((caller, next, frame)) = callers.pop() else {
                            self.methods = methods;
                            return (result.expect("a result"), instructions);
                        };
                        self.frame = frame;
                        (method, at) = (caller, next);
                        if let Some(result) = result {
                            self.frame.push(result);
                        }
                    }
                    self.class = methods[method].class;
                }
                Step::Goes(_) | Step::Open => panic!(
                    "{}: {:?}",
                    running.name,
                    running.code.instructions()[at as usize]
                ),
            }
        }
    }

    fn callee(&self, invoke: Invoke) -> Option<usize> {
        self.classes[self.class].callees[usize::from(invoke.constant)]
    }

    fn field(&self, at: u16) -> &Field {
        let field = &self.classes[self.class].fields[usize::from(at)];
        field.as_ref().expect("a field")
    }
}

/// Runs from an instruction on, as long as that is in this frame. Gives where it ended, how, and how many instructions
/// ran. In a certain world alone: in another one nobody knows where control goes.
fn run<W: World>(
    world: &mut W,
    code: &Compiled,
    mut at: u32,
) -> Result<(u32, Step, u64), W::Error> {
    let mut ran = 0;
    loop {
        match execute(world, code, at, None)? {
            Step::Goes(next) => at = next,
            ended => return Ok((at, ended, ran)),
        }
        ran += 1;
    }
}

impl World for Closed {
    type Error = Infallible;

    const CERTAIN: bool = true;

    fn parts(&mut self) -> Option<(&mut Activation, &mut Heap)> {
        Some((&mut self.frame, &mut self.heap))
    }

    fn tell(&mut self, _: Effect) -> Result<(), Infallible> {
        self.told += 1;
        Ok(())
    }

    fn constant(&mut self, _: u16) -> Result<Value, Infallible> {
        Ok(UNKNOWN)
    }

    fn get_field(&mut self, at: u16, object: Value) -> Result<Value, Infallible> {
        let field = self.field(at);
        let begins = initial(&field.descriptor);
        Ok(object
            .object()
            .map_or(UNKNOWN, |object| self.heap.field(object, field.id, begins)))
    }

    fn get_static(&mut self, at: u16) -> Result<Value, Infallible> {
        let field = self.field(at);
        let begins = initial(&field.descriptor);
        let value = self.heap.static_field(field.id);
        Ok(if super::is_known(value) {
            value
        } else {
            begins
        })
    }

    fn put_field(&mut self, at: u16, object: Value, value: Value) -> Result<bool, Infallible> {
        let field = self.field(at);
        let (id, value) = (field.id, narrowed(value, &field.descriptor));
        let object = object.object();
        object.inspect(|&object| self.heap.set_field(object, id, value));
        Ok(object.is_some())
    }

    fn put_static(&mut self, at: u16, value: Value) -> Result<bool, Infallible> {
        let field = self.field(at);
        let (id, value) = (field.id, narrowed(value, &field.descriptor));
        self.heap.set_static(id, value);
        Ok(true)
    }

    fn create(&mut self, _: u16) -> Result<Value, Infallible> {
        let object = self.heap.create(None, Body::Fields(Vec::new()));
        Ok(Value::Object(object))
    }

    fn create_array(&mut self, element: Element, length: Value) -> Result<Value, Infallible> {
        let Value::Int(length) = length else {
            return Ok(UNKNOWN);
        };
        let element = match element {
            Element::Primitive(primitive) => primitive.name(),
            Element::Class(_) => "java.lang.Object",
        };
        let object = self.heap.create(None, Body::array(element, length));
        Ok(Value::Object(object))
    }

    fn create_nested(&mut self, _: u16, _: &[Value]) -> Result<Value, Infallible> {
        Ok(UNKNOWN)
    }

    fn instance_of(&mut self, _: u16, _: Value) -> Result<Value, Infallible> {
        Ok(UNKNOWN)
    }
}

/// The JDK whose compiler and JVM are asked: the first of `JHYDE_JDKS`, else what is in `PATH`.
fn tool(name: &str) -> Command {
    let jdks = std::env::var("JHYDE_JDKS").unwrap_or_default();
    match jdks.split(':').next().filter(|home| !home.is_empty()) {
        Some(home) => Command::new(Path::new(home).join("bin").join(name)),
        None => Command::new(name),
    }
}

#[test]
fn whole_programs_yield_what_a_jvm_yields() {
    let folder = tempfile::tempdir().expect("a folder");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/mirror/Whole.java");
    let compiled = tool("javac")
        .arg("-d")
        .arg(folder.path())
        .arg(source)
        .status();
    assert!(
        compiled.is_ok_and(|status| status.success()),
        "this needs a JDK: in PATH, or its home in JHYDE_JDKS"
    );
    let size = std::env::var("JHYDE_WHOLE").unwrap_or_else(|_| "20000".to_owned());
    let n: i32 = size.parse().expect("JHYDE_WHOLE is a number");
    let printed = tool("java")
        .arg("-cp")
        .arg(folder.path())
        .args(["Whole", &size])
        .output();
    let printed = String::from_utf8(printed.expect("a JVM").stdout).expect("text");
    let mut printed = printed.lines();
    let programs = [
        ("sort", n),
        ("table", n),
        ("interpreter", n / 8),
        ("numbers", n),
    ];
    for (name, argument) in programs {
        let mut world = Closed::read(folder.path());
        let begun = Instant::now();
        let (result, instructions) = world.run(name, argument);
        let took = begun.elapsed();
        let bits = match result {
            Value::Long(value) => value,
            Value::Double(bits) => bits as i64,
            other => panic!("{name} gave {other:?}"),
        };
        assert_eq!(printed.next(), Some(bits.to_string().as_str()), "{name}");
        println!(
            "{name:12} {instructions:>12} instructions, {:>6.1} million a second, {:.2} effects each",
            instructions as f64 / took.as_secs_f64() / 1e6,
            world.told as f64 / instructions as f64,
        );
    }
}
