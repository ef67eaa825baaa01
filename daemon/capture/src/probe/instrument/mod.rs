//! Puts into a class's methods what tells what cannot be derived: see [`Tells`].

mod calls;
mod writes;

use jhyde_bytecode::patch::{
    AddConstantError, AddedLocal, Constants, MethodConstant, MethodPatch, Patch, PatchError, Place,
    Snippet,
};
use jhyde_bytecode::{
    ClassFile, Code, CodeError, Constant, ConstantPool, FieldType, Instruction, InvokeKind,
    LocalType, MemberRef, Method, Opcode,
};
use jhyde_trace::MethodId;
use rustc_hash::FxHashMap;
use thiserror::Error;

use super::names::Names;
use super::plan::{Also, MethodPlan, Numbers, Tells};
use crate::program::dotted;

/// Why a class is left as it is.
#[derive(Debug, Error)]
pub(crate) enum InstrumentError {
    #[error("{0}")]
    Patch(#[from] PatchError),
    #[error("{0}")]
    Constant(#[from] AddConstantError),
    #[error("{0}")]
    Code(#[from] CodeError),
    #[error("a constant that it names is none")]
    Pool,
    #[error("there are more places than the log has numbers for")]
    Numbers,
}

/// A class as it is to be, and what its methods tell.
pub(crate) struct Instrumented {
    pub(crate) bytes: Vec<u8>,
    pub(crate) plans: Vec<(MethodId, MethodPlan)>,
}

/// Instruments a class. `ids`: how its methods are called in the recording, by their place in the class; those without are
/// left alone. `probe`: the class that its code is to call. `also`: what it tells besides what it must.
pub(crate) fn instrument(
    class: &ClassFile,
    ids: &[Option<MethodId>],
    names: &mut Names,
    numbers: &mut Numbers,
    probe: &str,
    also: Also,
) -> Result<Instrumented, InstrumentError> {
    let mut patch = Patch::new(class)?;
    let mut plans = Vec::new();
    for (at, (method, id)) in class.methods.iter().zip(ids).enumerate() {
        let (Some(code), Some(id)) = (&method.code, *id) else {
            continue;
        };
        let code = code.decode()?;
        if method.name == "finalize" && code.instructions().len() == 1 {
            // One that does nothing costs its objects nothing; with code in it the JVM would finalize them all.
            continue;
        }
        let number = numbers.method(id).ok_or(InstrumentError::Numbers)?;
        let mut inserter = Inserter {
            class,
            method,
            id,
            names,
            numbers,
            probe,
            also,
            constants: patch.constants(),
            wanted: MethodPatch::new(method),
            log: 0,
            entered: 0,
            scratch: Vec::new(),
            before: None,
            this: None,
            plan: MethodPlan {
                number,
                places: FxHashMap::default(),
                handlers: FxHashMap::default(),
                guarded: None,
                bears: false,
                bears_at_once: false,
                writes: false,
                declaring: FxHashMap::default(),
            },
        };
        inserter.log = inserter
            .wanted
            .add_local(AddedLocal::Kept(FieldType::Object(probe.to_owned())));
        inserter.entered = inserter.wanted.add_local(AddedLocal::Kept(FieldType::Int));
        inserter.entry()?;
        inserter.made(&code)?;
        // That an exception arrives is told before what the handler's first instruction tells.
        inserter.handlers()?;
        let tells_writes = also.writes && !writes::has_subroutines(&code);
        inserter.plan.writes = tells_writes;
        for instruction in code.instructions() {
            if tells_writes {
                inserter.write(instruction)?;
            }
            inserter.instruction(instruction)?;
            inserter.before = Some(instruction.opcode);
        }
        inserter.escape(&code)?;
        let (wanted, plan) = (inserter.wanted, inserter.plan);
        patch.method(at, &wanted)?;
        plans.push((id, plan));
    }
    Ok(Instrumented {
        bytes: patch.finish(),
        plans,
    })
}

/// One method while code is put into it.
struct Inserter<'a, 'c, 'n> {
    class: &'a ClassFile,
    method: &'a Method,
    id: MethodId,
    names: &'n mut Names,
    numbers: &'n mut Numbers,
    /// The class that it calls.
    probe: &'n str,
    also: Also,
    constants: &'a mut Constants<'c>,
    wanted: MethodPatch,
    /// The slot of the thread's log.
    log: u16,
    /// That of how the call was entered.
    entered: u16,
    /// Slots in which operands lie while some of them are told, by their position.
    scratch: Vec<u16>,
    /// The instruction before the one that is looked at.
    before: Option<Opcode>,
    /// In a constructor, from where on there is a `this`.
    this: Option<u32>,
    plan: MethodPlan,
}

type Done = Result<(), InstrumentError>;

impl Inserter<'_, '_, '_> {
    /// A method of the probe class. `LOG` in the descriptor is that class.
    fn calls(&mut self, name: &str, descriptor: &str) -> Result<MethodConstant, InstrumentError> {
        let descriptor = descriptor.replace("LOG", &format!("L{};", self.probe));
        Ok(self
            .constants
            .static_method(self.probe, name, &descriptor)?)
    }

    fn number(&mut self, snippet: Snippet, number: u32) -> Result<Snippet, InstrumentError> {
        Ok(match i16::try_from(number) {
            Ok(short) => snippet.short(short),
            Err(_) => snippet.load_constant(self.constants.int(number as i32)?),
        })
    }

    /// Tells what lies on the stack, and leaves it there. `kind`: its type, as the probe class has it.
    fn tell(
        &mut self,
        name: &str,
        kind: &str,
        place: Option<u32>,
    ) -> Result<Snippet, InstrumentError> {
        let wide = matches!(kind, "J" | "D");
        let copy = if wide { Opcode::Dup2 } else { Opcode::Dup };
        self.tell_of(Snippet::new().op(copy), name, kind, place)
    }

    /// Tells what a snippet has pushed.
    fn tell_of(
        &mut self,
        pushed: Snippet,
        name: &str,
        kind: &str,
        place: Option<u32>,
    ) -> Result<Snippet, InstrumentError> {
        let snippet = pushed.load(LocalType::Reference, self.log);
        let (snippet, numbered) = match place {
            Some(place) => (self.number(snippet, place)?, "I"),
            None => (snippet, ""),
        };
        let method = self.calls(name, &format!("({kind}LOG{numbered})V"))?;
        Ok(snippet.invoke_static(method))
    }

    /// Gives a place its number, and remembers what it tells.
    fn place(&mut self, index: u32, tells: Tells) -> Result<u32, InstrumentError> {
        let number = self
            .numbers
            .place(self.id, index)
            .ok_or(InstrumentError::Numbers)?;
        self.plan.places.insert(index, (number, tells));
        Ok(number)
    }

    /// The method begins.
    fn entry(&mut self) -> Done {
        let initialiser = self.method.name == "<clinit>";
        let name = if initialiser { "initialise" } else { "enter" };
        let begins = self.calls(name, "(I)LOG")?;
        let snippet = self.number(Snippet::new(), self.plan.number)?;
        let entered = self.constants.field(self.probe, "entered", "I")?;
        let snippet = snippet
            .invoke_static(begins)
            .store(LocalType::Reference, self.log)
            .load(LocalType::Reference, self.log)
            .get_field(entered)
            .store(LocalType::Int, self.entered);
        self.wanted.insert(Place::Entry, snippet);
        let is_static = self.method.access.is_static();
        if !is_static && self.method.name != "<init>" {
            let this = Snippet::new().load(LocalType::Reference, 0);
            let told = self.tell_of(this, "argument", OBJECT, None)?;
            self.wanted.insert(Place::Entry, told);
        }
        let parameters: Vec<_> = self
            .method
            .descriptor
            .parameter_slots(is_static)
            .map(|(slot, kind)| (slot, kind_of(&kind.descriptor())))
            .collect();
        for (slot, kind) in parameters {
            let loaded = Snippet::new().load(local(kind), slot);
            let told = self.tell_of(loaded, "argument", kind, None)?;
            self.wanted.insert(Place::Entry, told);
        }
        Ok(())
    }

    /// An object is told as soon as there is one: that code out of the scope makes; or any, where the scope has it first.
    fn made(&mut self, code: &Code) -> Done {
        let Some((index, above)) = self
            .constructed(code)
            .filter(|_| self.method.name == "<init>")
        else {
            return Ok(());
        };
        self.this = Some(index);
        self.plan.bears = self.names.class(&above).is_none();
        let before = code.invokes().filter(|invoke| invoke.index < index);
        self.plan.bears_at_once = above == "java/lang/Object" && before.count() == 1;
        let name = if self.plan.bears { "born" } else { "made" };
        let fresh = self.constants.field(self.probe, "fresh", "Z")?;
        let outside = self.wanted.add_local(AddedLocal::Kept(FieldType::Boolean));
        let kept = Snippet::new()
            .load(LocalType::Reference, self.log)
            .get_field(fresh)
            .store(LocalType::Int, outside);
        self.wanted.insert(Place::Entry, kept);
        let this = Snippet::new()
            .load(LocalType::Reference, 0)
            .load(LocalType::Int, outside);
        let told = self.tell_of(this, name, &format!("{OBJECT}Z"), None)?;
        self.wanted.insert(Place::Before(index), told);
        Ok(())
    }

    fn instruction(&mut self, instruction: &Instruction) -> Done {
        let index = instruction.index;
        let after = Place::After(index);
        match instruction.opcode as u8 {
            // iaload … saload: int, long, float, double, reference, byte, char, short
            load @ 0x2e..=0x35 => {
                let kind = ELEMENTS[usize::from(load - 0x2e)];
                let told = self.tell("read", kind, None)?;
                self.wanted.insert(after, told);
                Ok(())
            }
            // newarray, anewarray, multianewarray
            0xbc | 0xbd | 0xc5 => {
                let told = self.tell("born", OBJECT, None)?;
                self.wanted.insert(after, told);
                Ok(())
            }
            // ldc, ldc_w, ldc2_w
            0x12..=0x14 => self.constant(instruction),
            // getstatic, putstatic, getfield, putfield
            0xb2..=0xb5 => self.field(instruction),
            // monitorenter
            0xc2 => {
                let leaves = self.of_log("leave")?;
                self.wanted.insert(Place::Before(index), leaves);
                let back = self.of_log("back")?;
                self.wanted.insert(after, back);
                Ok(())
            }
            // athrow
            0xbf => {
                let told = self.tell("throwing", THROWABLE, None)?;
                self.wanted.insert(Place::Before(index), told);
                Ok(())
            }
            _ if instruction.opcode.is_return() => {
                let ends = match instruction.opcode {
                    Opcode::Areturn => self.ends("exit", "", OBJECT, false)?,
                    _ => self.ends("exit", "initialised", "", false)?,
                };
                self.wanted.insert(Place::Before(index), ends);
                Ok(())
            }
            _ if instruction.invoke().is_some() => self.call(instruction),
            _ => Ok(()),
        }
    }

    /// Calls what takes the log and nothing else.
    fn of_log(&mut self, name: &str) -> Result<Snippet, InstrumentError> {
        let called = self.calls(name, "(LOG)V")?;
        Ok(Snippet::new()
            .load(LocalType::Reference, self.log)
            .invoke_static(called))
    }

    /// Says that the call ends, with a copy of what lies on the stack of the type `with`, if there is one. `numbered`: and with
    /// the method's number.
    fn ends(
        &mut self,
        name: &str,
        of_initialiser: &str,
        with: &str,
        numbered: bool,
    ) -> Result<Snippet, InstrumentError> {
        let name = match self.method.name == "<clinit>" {
            true => of_initialiser,
            false => name,
        };
        let number = if numbered { "I" } else { "" };
        let called = self.calls(name, &format!("({with}ILOG{number})V"))?;
        let mut snippet = Snippet::new();
        if !with.is_empty() {
            snippet = snippet.op(Opcode::Dup);
        }
        snippet = snippet
            .load(LocalType::Int, self.entered)
            .load(LocalType::Reference, self.log);
        if numbered {
            snippet = self.number(snippet, self.plan.number)?;
        }
        Ok(snippet.invoke_static(called))
    }

    fn pool(&self) -> &ConstantPool {
        &self.class.constants
    }

    fn constant(&mut self, instruction: &Instruction) -> Done {
        let at = instruction.constant().ok_or(InstrumentError::Pool)?;
        let (name, kind, tells) = match self.pool().get(at).map_err(|_| InstrumentError::Pool)? {
            // Several classes may have one name.
            Constant::String(_) | Constant::Class(_) => ("literal", OBJECT, Tells::Literal),
            Constant::Integer(_) | Constant::Float(_) | Constant::Long(_) | Constant::Double(_) => {
                return Ok(());
            }
            Constant::Dynamic(_) => {
                let (_, descriptor) = self
                    .pool()
                    .dynamic_constant(at)
                    .map_err(|_| InstrumentError::Pool)?;
                ("computed", kind_of(descriptor), Tells::Computed)
            }
            _ => ("result", OBJECT, Tells::Value),
        };
        let place = self.place(instruction.index, tells)?;
        let told = self.tell(name, kind, Some(place))?;
        self.wanted.insert(Place::After(instruction.index), told);
        Ok(())
    }

    fn field(&mut self, instruction: &Instruction) -> Done {
        let at = instruction.constant().ok_or(InstrumentError::Pool)?;
        let named = self.pool().field(at).map_err(|_| InstrumentError::Pool)?;
        let (class, name) = (named.class.to_owned(), named.name.to_owned());
        let kind = kind_of(named.descriptor);
        let makes_component = self.makes_component(instruction.opcode, &named);
        let own = self.names.field(&class, &name);
        let is_static = matches!(instruction.opcode, Opcode::GetStatic | Opcode::PutStatic);
        if let Some(field) = own.as_ref().filter(|_| is_static) {
            self.declares(at, &class, &field.class.name);
        }
        let index = instruction.index;
        let reads = matches!(instruction.opcode, Opcode::GetField | Opcode::GetStatic);
        match (reads, own.filter(|_| !makes_component)) {
            (true, Some(field)) => {
                let volatile = field.volatile;
                self.place(index, Tells::Read { volatile })?;
                if volatile {
                    // Who waits for another thread to write it lets it run.
                    let looks = self.of_log("looks")?;
                    self.wanted.insert(Place::Before(index), looks);
                }
                let told = self.tell("read", kind, None)?;
                self.wanted.insert(Place::After(index), told);
            }
            (true, None) => {
                let place = self.place(index, Tells::Value)?;
                let told = self.tell("result", kind, Some(place))?;
                self.wanted.insert(Place::After(index), told);
            }
            (false, Some(_)) => {}
            (false, None) => {
                self.place(index, Tells::Write)?;
                if kind == OBJECT {
                    let told = self.tell("shown", OBJECT, None)?;
                    self.wanted.insert(Place::Before(index), told);
                }
            }
        }
        Ok(())
    }

    /// What a constant names by one class, another declares.
    fn declares(&mut self, constant: u16, named: &str, class: &str) {
        if named != class {
            self.plan.declaring.insert(constant, dotted(class));
        }
    }

    /// Gives this instruction code out of the scope an object that nobody shows it? A record's methods that javac does not write
    /// (`toString`, `equals`, `hashCode`) are linked by `java.lang.runtime.ObjectMethods`, which reads the components and calls the
    /// same methods of them.
    fn makes_component(&self, opcode: Opcode, field: &MemberRef<'_>) -> bool {
        opcode == Opcode::PutField
            && field.class == self.class.name
            && self.class.super_name.as_deref() == Some("java/lang/Record")
            && kind_of(field.descriptor) == OBJECT
    }

    fn handlers(&mut self) -> Done {
        let handlers = self.method.code.as_ref().map(|code| &code.handlers);
        let mut places: Vec<u32> = handlers.into_iter().flatten().map(|h| h.handler).collect();
        places.sort_unstable();
        places.dedup();
        for index in places {
            let place = self
                .numbers
                .place(self.id, index)
                .ok_or(InstrumentError::Numbers)?;
            self.plan.handlers.insert(index, place);
            let arrived = Snippet::new()
                .op(Opcode::Dup)
                .load(LocalType::Int, self.entered);
            let told = self.tell_of(arrived, "caught", &format!("{THROWABLE}I"), Some(place))?;
            self.wanted.insert(Place::Before(index), told);
        }
        Ok(())
    }

    /// What leaves the method by an exception.
    fn escape(&mut self, code: &Code) -> Done {
        let from = match self.method.name == "<init>" {
            true => match self.constructed(code) {
                Some((from, _)) => from,
                None => return Ok(()),
            },
            false => 0,
        };
        self.plan.guarded = Some(from);
        let told = self.ends("escaped", "failed", THROWABLE, true)?;
        self.wanted.on_escape(from, told);
        Ok(())
    }

    /// In a constructor, the instruction behind the call of another one: from there on there is a `this` (JVMS 4.10.1.9). And
    /// the class of that other one.
    fn constructed(&self, code: &Code) -> Option<(u32, String)> {
        let mut open = 0_u32;
        for instruction in code.instructions() {
            if instruction.opcode == Opcode::New {
                open += 1;
            }
            let Some(invoke) = instruction.invoke() else {
                continue;
            };
            let named = self.pool().method(invoke.constant).ok();
            let constructs = |named: &MemberRef<'_>| named.name == "<init>";
            let Some(named) = named.filter(constructs) else {
                continue;
            };
            if invoke.kind != InvokeKind::Special {
                continue;
            }
            match open.checked_sub(1) {
                Some(left) => open = left,
                None => return Some((instruction.next(), named.class.to_owned())),
            }
        }
        None
    }
}

/// The types that the probe class has for what instructions for elements take from arrays and store there, in their order.
const ELEMENTS: [&str; 8] = ["I", "J", "F", "D", OBJECT, "I", "I", "I"];
const OBJECT: &str = "Ljava/lang/Object;";
const THROWABLE: &str = "Ljava/lang/Throwable;";

/// The type that the probe class has for a value of this type.
fn kind_of(descriptor: &str) -> &'static str {
    match descriptor.as_bytes().first() {
        Some(b'J') => "J",
        Some(b'F') => "F",
        Some(b'D') => "D",
        Some(b'L' | b'[') => OBJECT,
        Some(b'V') => "V",
        _ => "I",
    }
}

fn kind_of_result(descriptor: &str) -> String {
    let returns = descriptor.rsplit(')').next().unwrap_or("V");
    kind_of(returns).to_owned()
}

fn local(kind: &str) -> LocalType {
    match kind {
        "I" => LocalType::Int,
        "J" => LocalType::Long,
        "F" => LocalType::Float,
        "D" => LocalType::Double,
        _ => LocalType::Reference,
    }
}
