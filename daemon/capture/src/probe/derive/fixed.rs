//! What never changes of an object: the name of an enum's constant, the message of an exception, the text of a number or a
//! date, what a lambda runs.

use jdwp::ReferenceTypeId;
use jhyde_trace::{CallId, ClassId, Content, Missing, ObjectId, Throwable, Value};

use super::Deriver;
use super::outlet::cut;
use super::running::{Outside, Running};
use super::thread::Thread;
use crate::probe::log::{Fixed, LongText, Object, Reference, Told};
use crate::program::{Class, Program};

impl Deriver {
    /// An object is met of which it was told, perhaps, what never changes.
    pub(super) fn introduce_fixed(
        &mut self,
        program: &mut Program,
        call: CallId,
        value: Value,
        told: &Object,
    ) {
        let object = value.object();
        if let Some((object, class)) = object.and_then(|o| Some((o, self.heap.class(o)?))) {
            self.tell_fixed(program, call, object, class, &told.told);
        }
    }

    /// Tells what never changes of an object, the first time.
    pub(super) fn tell_fixed(
        &mut self,
        program: &mut Program,
        call: CallId,
        object: ObjectId,
        class: ClassId,
        told: &Told,
    ) {
        let Told::Instance(_, Some(fixed)) = told else {
            return;
        };
        if self.unfinished.contains(&object) || !self.fixed.insert(object) {
            return;
        }
        let limit = self.limit;
        let cut = |text: &LongText| cut(&text.units, text.length, limit);
        let content = match &**fixed {
            Fixed::Enum(name) => Content::Enum(String::from_utf16_lossy(&name.units)),
            Fixed::Thread(name) => Content::Thread(cut(name)),
            Fixed::Shown(text) => Content::Shown(cut(text)),
            Fixed::Thrown { message, cause } => Content::Throwable(Throwable {
                overridden: overrides(program, class, message.is_some()),
                cause: self.cause(program, call, cause),
                ..Throwable::with_message(message.as_ref().map(cut))
            }),
        };
        self.outlet.object(object, Some(class), content);
    }

    /// A thread may get another name: which one it has at what time is not told.
    pub(super) fn is_renamed(&mut self, program: &Program, outside: &Outside) {
        let named = &outside.callee.named;
        if named.name != "setName" || named.descriptor != "(Ljava/lang/String;)V" {
            return;
        }
        let class = |object| Some((object, self.heap.class(object)?));
        let Some((thread, class)) = outside.receiver().and_then(class) else {
            return;
        };
        let known = program.class_of(class).filter(|class| class.in_scope);
        let above = known.and_then(|class| first_outside(program, &class));
        let above = above.and_then(|class| Some(&*program.classes.get(&class)?.name));
        let name = program.name_of(class);
        if above.or(name.as_deref()) == Some("java.lang.Thread") {
            self.fixed.insert(thread);
            self.outlet.object(thread, Some(class), Content::None);
        }
    }

    fn cause(&mut self, program: &mut Program, call: CallId, cause: &Reference) -> Value {
        self.reference(program, call, cause.clone())
            .unwrap_or(Value::Missing(Missing::Unreadable))
    }

    /// A call out of the scope has returned that made an object of which is known, without that it was told, what never
    /// changes of it: a constant of an enum, a lambda.
    pub(super) fn introduce_made(&mut self, thread: &Thread, result: Option<Value>) {
        let Some(Running::Outside(outside)) = thread.stack.last() else {
            return;
        };
        let named = &outside.callee.named;
        if named.class == "java.lang.Enum" && named.name == "<init>" {
            let name = outside.arguments().first().copied().and_then(Value::object);
            let name = name.and_then(|name| self.heap.text(name));
            if let (Some(constant), Some(name)) = (outside.receiver(), name) {
                let content = Content::Enum(String::from_utf16_lossy(name));
                self.introduces(constant, content);
            }
        } else if let Some(lambda) = &outside.open.lambda {
            let captured = outside.operands.clone();
            let method = lambda.method.clone();
            if let Some(made) = result.and_then(Value::object) {
                self.introduces(made, Content::Lambda { method, captured });
            }
        }
    }

    fn introduces(&mut self, object: ObjectId, content: Content) {
        if self.fixed.insert(object) {
            let class = self.heap.class(object);
            self.outlet.object(object, class, content);
        }
    }
}

/// May `getMessage()` of an exception give something else than the message that it was made with? `has_message`: it was made
/// with one.
fn overrides(program: &Program, class: ClassId, has_message: bool) -> bool {
    let name = program.name_of(class).unwrap_or_default();
    let above = program.class_of(class).filter(|class| class.in_scope);
    let Some(known) = above else {
        return !gives_its_message(&name, has_message);
    };
    let of_scope = program.inherited(&known, "getMessage", "()Ljava/lang/String;");
    let outside = first_outside(program, &known);
    let outside = outside.and_then(|class| program.classes.get(&class));
    let gives_it = outside.is_some_and(|class| gives_its_message(&class.name, has_message));
    of_scope.is_some() || !gives_it
}

/// The class out of the scope that a class of the scope inherits from.
fn first_outside(program: &Program, class: &Class) -> Option<ReferenceTypeId> {
    let mut above = *class.above.first()?;
    while let Some(next) = program.classes.get(&above).filter(|class| class.in_scope) {
        above = *next.above.first()?;
    }
    Some(above)
}

/// Those of the JDK that leave `getMessage` as it is, as far as they are known by their names.
fn gives_its_message(class: &str, has_message: bool) -> bool {
    let simple = class
        .strip_prefix("java.lang.")
        .filter(|simple| !simple.contains('.'));
    match simple {
        // It works something out where it was made without one.
        Some("NullPointerException") => has_message,
        Some(_) => true,
        None => matches!(
            class,
            "java.io.IOException"
                | "java.io.UncheckedIOException"
                | "java.io.FileNotFoundException"
                | "java.io.EOFException"
                | "java.time.DateTimeException"
                | "java.util.ConcurrentModificationException"
                | "java.util.EmptyStackException"
                | "java.util.InputMismatchException"
                | "java.util.NoSuchElementException"
                | "java.util.concurrent.CancellationException"
                | "java.util.concurrent.CompletionException"
                | "java.util.concurrent.ExecutionException"
                | "java.util.concurrent.TimeoutException"
        ),
    }
}
