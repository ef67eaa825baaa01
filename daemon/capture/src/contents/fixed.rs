//! What can never change of an object: a constant's name, a number, a thread's name, what a lambda runs, an exception.

use jdwp::commands::{class_type, method, reference_type, thread_reference};
use jdwp::{ObjectId, ReferenceTypeId, Value};
use jhyde_bytecode::{Code, ConstantPool};

use super::plain::FixedKind;
use super::read::{ReadError, Reader, Told, gone, renamed, unknown};
use crate::program::{Named, dotted};

/// What was read.
#[derive(Debug)]
pub(crate) enum Fixed {
    Enum(Vec<u16>),
    Thread(Vec<u16>),
    Shown(Vec<u16>),
    Lambda {
        method: String,
        captured: Vec<Value>,
    },
    Throwable {
        message: Option<Vec<u16>>,
        overridden: bool,
        cause: Value,
        suppressed: Option<Vec<Value>>,
    },
}

impl Reader<'_> {
    /// What an object of a class is for good.
    pub(crate) fn fixed(
        &mut self,
        object: ObjectId,
        class: ReferenceTypeId,
        kind: FixedKind,
    ) -> Result<Fixed, ReadError> {
        match kind {
            FixedKind::Enum => {
                let [name] = self.some(object, class, ["name"])?;
                self.string(&name)?
                    .map_or_else(gone, |name| Ok(Fixed::Enum(name)))
            }
            FixedKind::Thread => {
                let thread = jdwp::ThreadId(object.0);
                let told = self.link.request(&thread_reference::Name { thread })?;
                match told.map(|name| name.to_utf16().to_vec()) {
                    Err(_) => gone(),
                    // Its constructor may be about to name it.
                    Ok(name) if name.is_empty() => unknown("the thread has no name yet"),
                    Ok(name) => Ok(Fixed::Thread(name)),
                }
            }
            FixedKind::Shown(plain) => Ok(Fixed::Shown(self.shown(object, class, plain)?)),
            FixedKind::Lambda => self.lambda(object, class),
            FixedKind::Throwable => self.throwable(object, class),
        }
    }

    fn throwable(&mut self, object: ObjectId, class: ReferenceTypeId) -> Result<Fixed, ReadError> {
        let names = ["detailMessage", "cause", "suppressedExceptions"];
        let [message, cause, suppressed] = self.some(object, class, names)?;
        let message = self.string(&message)?;
        let descriptor = "()Ljava/lang/String;";
        let declares = self
            .program
            .selected(self.link, class, "getMessage", descriptor)?;
        let overridden = match declares {
            Some(selected) => {
                let name = self.program.name(self.link, selected.key.0)?;
                // This one gives what it was made with; only without that it works something out.
                let gives_it = name == "java.lang.NullPointerException" && message.is_some();
                name != "java.lang.Throwable" && !gives_it
            }
            None => true,
        };
        // One whose cause was never set refers to itself.
        let itself = cause.object().is_some_and(|cause| cause.id == object);
        let cause = if itself {
            Value::Object {
                tag: jdwp::Tag::OBJECT,
                id: ObjectId(0),
            }
        } else {
            cause
        };
        let suppressed = match suppressed.object() {
            None => Some(Vec::new()),
            Some(list) => {
                let class = self.class_of(list.id)?;
                let shape = self.layouts.shape(self.link, self.program, class)?;
                let told = shape.map(|shape| self.read(list.id, class, shape));
                match told.transpose()? {
                    Some(Told::Elements(all)) => Some(all),
                    _ => None,
                }
            }
        };
        Ok(Fixed::Throwable {
            message,
            overridden,
            cause,
            suppressed,
        })
    }

    /// A class that HotSpot spins for a call site: its one method loads what was captured and calls the lambda's body.
    fn lambda(&mut self, object: ObjectId, class: ReferenceTypeId) -> Result<Fixed, ReadError> {
        let fields = self
            .link
            .request(&reference_type::Fields { ref_type: class })?;
        let fields = fields.unwrap_or_default();
        let held: Vec<_> = fields
            .iter()
            .filter(|field| field.mod_bits & 0x0008 == 0)
            .collect();
        // JVMs list fields in an order of their own; their names are `arg$1`, `arg$2`, ….
        let mut captured = Vec::new();
        for nth in 1..=held.len() {
            let name = format!("arg${nth}");
            let [value] = self.some(object, class, [name.as_str()])?;
            captured.push(value);
        }
        let Named {
            class: of, name, ..
        } = self.body_of(class)?;
        let method = format!("{of}.{name}");
        Ok(Fixed::Lambda { method, captured })
    }

    /// What a lambda of a class runs; none where that cannot be told.
    pub(crate) fn runs_method(
        &mut self,
        class: ReferenceTypeId,
    ) -> Result<Option<Named>, crate::error::LinkError> {
        if let Some(known) = self.layouts.runs.get(&class) {
            return Ok(known.clone());
        }
        let runs = match self.body_of(class) {
            Ok(body) => Some(body),
            Err(ReadError::Unknown(_)) => None,
            Err(ReadError::Link(error)) => return Err(error),
        };
        self.layouts.runs.insert(class, runs.clone());
        Ok(runs)
    }

    fn body_of(&mut self, class: ReferenceTypeId) -> Result<Named, ReadError> {
        let asked = reference_type::Methods { ref_type: class };
        let methods = self.link.request(&asked)?.unwrap_or_default();
        let pool = self
            .link
            .request(&reference_type::ConstantPool { ref_type: class })?;
        let Some(pool) = pool
            .ok()
            .and_then(|pool| ConstantPool::parse(pool.count as u16, &pool.bytes).ok())
        else {
            return renamed();
        };
        let mut bodies = Vec::new();
        for declared in methods {
            let name = declared.name.to_string_lossy();
            if name.starts_with('<') || declared.mod_bits & 0x0400 != 0 || name == "writeReplace" {
                continue;
            }
            let code = self.link.request(&method::Bytecodes {
                ref_type: class,
                method: declared.method,
            })?;
            let code = code.ok().and_then(|code| Code::decode(&code).ok());
            let Some(code) = code else { return renamed() };
            // Arguments are unboxed before it, and its result is boxed behind it.
            let calls: Vec<_> = code
                .invokes()
                .filter_map(|invoke| Some((invoke.kind, pool.method(invoke.constant).ok()?)))
                .map(|(kind, named)| Named {
                    class: dotted(named.class),
                    name: named.name.to_owned(),
                    descriptor: named.descriptor.to_owned(),
                    kind,
                    code: 0,
                })
                .collect();
            let boxing = |call: &&Named| !is_boxing(&call.class, &call.name);
            let only: Vec<_> = calls.iter().filter(boxing).collect();
            match (only.as_slice(), calls.as_slice()) {
                ([body], _) => bodies.push((*body).clone()),
                ([], [body]) => bodies.push(body.clone()),
                _ => return unknown("what it runs cannot be told"),
            }
        }
        bodies.dedup();
        match bodies.as_slice() {
            [body] => Ok(body.clone()),
            _ => unknown("what it runs cannot be told"),
        }
    }
}

fn is_boxing(class: &str, name: &str) -> bool {
    let boxes = [
        "Integer",
        "Long",
        "Short",
        "Byte",
        "Character",
        "Boolean",
        "Float",
        "Double",
    ];
    let is_box = class
        .strip_prefix("java.lang.")
        .is_some_and(|simple| boxes.contains(&simple) || simple == "Number");
    is_box && (name == "valueOf" || name.ends_with("Value"))
}

impl super::Layouts {
    /// What of the objects of a class can never change, if there is something.
    pub(crate) fn fixed(
        &mut self,
        link: &mut crate::jvm::Link,
        program: &mut crate::program::Program,
        class: ReferenceTypeId,
    ) -> Result<Option<FixedKind>, crate::error::LinkError> {
        if let Some(&known) = self.fixed.get(&class) {
            return Ok(known);
        }
        let mut found = None;
        let mut at = class;
        loop {
            let known = program.class(link, at)?;
            if known.name.ends_with("[]") {
                break;
            }
            found = FixedKind::of(&known.name).filter(|_| !known.in_scope);
            let above = link.request(&class_type::Superclass { class: at })?;
            match above {
                Ok(above) if found.is_none() && !above.is_null() => at = above,
                _ => break,
            }
        }
        self.fixed.insert(class, found);
        Ok(found)
    }
}
