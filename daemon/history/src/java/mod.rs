//! A call as a test in Java: what it was given is built as source would build it, the method is called, and what came of it is
//! compared with what was recorded.
//!
//! What it was **given** (`build`) must come from what any source can write: primitives, texts, boxes, constants of enums, arrays,
//! the usual collections, and objects of the scope by the constructor that made them, where that is not private. An object that was
//! changed after it had been constructed cannot be built so, nor can one whose construction hung on something else. What it
//! **yielded** (`check`) need not be built: result or exception, and all that the result, the receiver and the arguments
//! reach, are compared variable by variable, aliasing included.
//!
//! A test must not be wrong. So only calls are written that have a content ([`crate::content`]): of those nothing is missing,
//! nothing else ran, and no code out of the scope looked at the world. What a test could not set up is a reason not to write one: static
//! fields that were read and can change.

mod build;
mod check;
mod literal;
mod reads;

use jhyde_store::records::{CallRecord, MethodRef};
use jhyde_trace::{CallId, ClassInfo, MethodInfo, ObjectId, Outcome, Value};
use rustc_hash::FxHashMap;

use crate::content::{CallContent, Compared, Comparer, Stop};
use crate::error::Result;
use crate::history::History;
use crate::text::{parameters, result, type_name};
use build::Builder;
use literal::{package, source_name};

/// Variables that one test looks at, at most: more is nothing that somebody reads.
const MOST_VARIABLES: usize = 600;
/// In class files (JVMS 4.1, 4.5, 4.6).
const PRIVATE: u32 = 0x0002;
const SYNTHETIC: u32 = 0x1000;

/// A call as a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallTest {
    /// The package of the method's class, in which the test must stand; empty for the unnamed one.
    pub package: String,
    /// The statements of the test, JUnit 4's `Assert` imported. They may use `field(Object, String)`, which reads a field whatever its access.
    pub body: Vec<String>,
    /// What the call was, to be compared with what it was known as.
    pub content: CallContent,
}

/// Whether a call can be written as a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Written {
    /// It can.
    Test(Box<CallTest>),
    /// It cannot: why, in words for people.
    Not(String),
}

impl History {
    /// A call as a test.
    ///
    /// # Errors
    /// When there is no such call or the recording cannot be read.
    pub fn test_of(&self, call: CallId) -> Result<Written> {
        let content = match Comparer::new(self.clone())?.content(call)? {
            Compared::Content(content) => content,
            Compared::Not(why) => return Ok(Written::Not(why)),
        };
        match self.body_of(call) {
            Ok((package, body)) => Ok(Written::Test(Box::new(CallTest {
                package,
                body,
                content,
            }))),
            Err(Stop::Not(why)) => Ok(Written::Not(why)),
            Err(Stop::Failed(error)) => Err(error),
        }
    }

    fn body_of(&self, call: CallId) -> std::result::Result<(String, Vec<String>), Stop> {
        let record = self.record(call)?;
        let (Some(exit), Some(method)) = (record.exit, self.method(record.method)?) else {
            return Err(not("it has not ended"));
        };
        let info = method.method();
        self.can_be_called(&method, &record)?;
        let read = self.statics_read(&record, exit)?;
        let given = self.recording.arguments(&record)?;
        let mut builder = Builder::new(self, record.enter, package(&method.class.name));
        let is_new = info.name == "<init>";
        let receiver = given.receiver.filter(|_| !is_new);
        let receiver = receiver.map(|of| builder.value(of)).transpose()?;
        let mut arguments = Vec::new();
        for (value, descriptor) in given.arguments.iter().zip(parameters(&info.descriptor)) {
            let text = builder.value(*value)?;
            arguments.push(fitting(text, *value, descriptor, &method.class, info)?);
        }
        builder.shares_nothing_with(&read)?;
        let class = source_name(&method.class.name)?;
        let arguments = arguments.join(", ");
        let called = match (&receiver, is_new) {
            (_, true) => format!("new {class}({arguments})"),
            (Some(receiver), _) => format!("{receiver}.{}({arguments})", info.name),
            (None, _) => format!("{class}.{}({arguments})", info.name),
        };
        let outcome = self.recording.outcome(&record)?;
        let roots = given
            .receiver
            .filter(|_| !is_new)
            .into_iter()
            .chain(given.arguments);
        let roots: Vec<ObjectId> = roots.filter_map(Value::object).collect();
        let mut checker = builder.checker(exit);
        match outcome {
            Some(Outcome::Threw(thrown)) => checker.threw(&called, thrown)?,
            Some(Outcome::Returned(_)) if is_new => {
                let made = given
                    .receiver
                    .ok_or_else(|| not("its receiver was not seen"))?;
                checker.line(format!("Object result = {called};"));
                checker.check("result", made)?;
            }
            Some(Outcome::Returned(Some(value))) => {
                checker.line(format!("Object result = {called};"));
                checker.check("result", value)?;
            }
            Some(Outcome::Returned(None)) if result(&info.descriptor) == "V" => {
                checker.line(format!("{called};"));
            }
            _ => return Err(not("how it ended was not seen")),
        }
        for root in roots {
            checker.still(root)?;
        }
        Ok((package(&method.class.name), checker.lines()))
    }

    /// Can a class of the same package call the method so that it is this one that runs?
    fn can_be_called(
        &self,
        method: &MethodRef,
        record: &CallRecord,
    ) -> std::result::Result<(), Stop> {
        let info = method.method();
        if info.name == "<clinit>" {
            return Err(not("a static initialiser cannot be called"));
        }
        if info.modifiers & SYNTHETIC != 0 {
            return Err(not(
                "the compiler made the method, and no source can call it",
            ));
        }
        if info.modifiers & PRIVATE != 0 {
            return Err(not("the method is private"));
        }
        self.can_be_named(&method.class)?;
        if info.name == "<init>" {
            return self.can_be_made(&method.class, record);
        }
        if info.is_static() {
            return Ok(());
        }
        // What is called is what the receiver's class has under this name.
        let receiver = self.recording.arguments(record)?.receiver;
        let receiver = receiver
            .and_then(Value::object)
            .ok_or_else(|| not("its receiver was not seen"))?;
        for class in self.classes_of_object(receiver)? {
            if class.id == method.class.id {
                return Ok(());
            }
            let mut own = class.methods.iter();
            if own.any(|own| own.name == info.name && own.descriptor == info.descriptor) {
                return Err(not(
                    "the receiver's class has another method in its place, which called it",
                ));
            }
        }
        Err(not("the method is an interface's"))
    }

    /// Can an object be made by `new` of just this class, by this call?
    fn can_be_made(&self, class: &ClassInfo, record: &CallRecord) -> std::result::Result<(), Stop> {
        const ABSTRACT: u32 = 0x0400;
        if class.modifiers & ABSTRACT != 0 {
            return Err(not("its class is abstract"));
        }
        let receiver = self.recording.arguments(record)?.receiver;
        let receiver = receiver
            .and_then(Value::object)
            .ok_or_else(|| not("its receiver was not seen"))?;
        let own = self.classes_of_object(receiver)?;
        match own.first() {
            Some(own) if own.id == class.id => Ok(()),
            _ => Err(not("it is the constructor of a super class")),
        }
    }

    /// Can a class of the same package name the class, and make objects of it without an outer one?
    fn can_be_named(&self, class: &ClassInfo) -> std::result::Result<(), Stop> {
        let name = source_name(&class.name)?;
        let mut outer = class.name.as_str();
        loop {
            if let Some(of) = self.class_named(outer)?
                && of.modifiers & PRIVATE != 0
            {
                return Err(Stop::Not(format!("{name} is private")));
            }
            match outer.rsplit_once('$') {
                Some((around, _)) => outer = around,
                None => break,
            }
        }
        let mut fields = class.fields.iter();
        if fields.any(|field| field.name.starts_with("this$")) {
            return Err(Stop::Not(format!(
                "{name} is made within an object of its outer class"
            )));
        }
        Ok(())
    }
}

fn not(why: &str) -> Stop {
    Stop::Not(why.to_owned())
}

/// An argument so that this method is meant and no other of its name.
fn fitting(
    text: String,
    value: Value,
    descriptor: &str,
    class: &ClassInfo,
    method: &MethodInfo,
) -> std::result::Result<String, Stop> {
    let of_the_name = class
        .methods
        .iter()
        .filter(|other| other.name == method.name);
    let is_reference = matches!(value, Value::Object(_) | Value::Null);
    Ok(match is_reference && of_the_name.count() > 1 {
        true => format!("({}) {text}", source_name(&type_name(descriptor))?),
        false => text,
    })
}

/// Names of the test's own variables for objects.
type Names = FxHashMap<ObjectId, String>;
