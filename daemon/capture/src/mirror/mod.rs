//! A mirror of what the debuggee computes: operand stacks, locals, and the objects and arrays that
//! code of the scope can see, worked out from the instructions that a thread was seen to reach.
//!
//! JDWP shows no operand stack and reports no write to a local or an array element. But the instructions
//! are known (JVMS chapter 6), and so is what goes into them: arguments are read at entry, results
//! arrive with method exits, fields with their watches. Running each instruction here again gives
//! every value without asking. What cannot be known is [`Value::Missing`] and stays so until an event
//! shows it.
//!
//! Nothing here talks to a JVM. [`activation`] is one frame, [`code`] a method's code as it is run, [`machine`] the
//! interpreter, [`jumps`] where instructions lead, [`heap`] objects, arrays and statics (one of them: [`things`]), [`doubts`] what may have
//! been written there unseen.

pub(crate) mod activation;
pub(crate) mod arithmetic;
pub(crate) mod code;
pub(crate) mod doubts;
pub(crate) mod elements;
pub(crate) mod heap;
#[cfg(test)]
mod heap_tests;
pub(crate) mod jumps;
pub(crate) mod machine;
#[cfg(test)]
mod machine_tests;
mod things;
#[cfg(test)]
mod whole_tests;

use jhyde_trace::{Missing, Value};

pub(crate) use activation::{Activation, Pending, Progress};
pub(crate) use code::{Compiled, Element, Op, number};
pub(crate) use doubts::{Doubted, Doubts};
pub(crate) use elements::Elements;
pub(crate) use heap::{Constant, Heap};
pub(crate) use jumps::{leads, throws};
pub(crate) use machine::{Effect, Step, World, execute};
pub(crate) use things::{Body, Shared, has_name_of_the_jvm};

/// A value that the mirror does not know.
pub(crate) const UNKNOWN: Value = Value::Missing(Missing::Unreadable);

/// A value as it stands on the operand stack: everything smaller is an `int` (JVMS 2.11.1).
pub(crate) fn widened(value: Value) -> Value {
    match value {
        Value::Boolean(value) => Value::Int(i32::from(value)),
        Value::Byte(value) => Value::Int(i32::from(value)),
        Value::Char(value) => Value::Int(i32::from(value)),
        Value::Short(value) => Value::Int(i32::from(value)),
        other => other,
    }
}

/// An `int` of the operand stack as the type of the variable that takes it, given its descriptor.
pub(crate) fn narrowed(value: Value, descriptor: &str) -> Value {
    let Value::Int(number) = value else {
        return value;
    };
    match descriptor.as_bytes().first() {
        Some(b'Z') => Value::Boolean(number & 1 != 0),
        Some(b'B') => Value::Byte(number as i8),
        Some(b'C') => Value::Char(number as u16),
        Some(b'S') => Value::Short(number as i16),
        _ => value,
    }
}

/// The value that a variable of this type has before anything is written to it (JVMS 2.3, 2.4).
pub(crate) fn initial(descriptor: &str) -> Value {
    match descriptor.as_bytes().first() {
        Some(b'J') => Value::Long(0),
        Some(b'F') => Value::Float(0),
        Some(b'D') => Value::Double(0),
        Some(b'L' | b'[') => Value::Null,
        _ => narrowed(Value::Int(0), descriptor),
    }
}

/// What a variable that holds such a value begins with.
pub(crate) fn zero_like(value: Value) -> Value {
    match value {
        Value::Boolean(_) => Value::Boolean(false),
        Value::Byte(_) => Value::Byte(0),
        Value::Char(_) => Value::Char(0),
        Value::Short(_) => Value::Short(0),
        Value::Int(_) => Value::Int(0),
        Value::Long(_) => Value::Long(0),
        Value::Float(_) => Value::Float(0),
        Value::Double(_) => Value::Double(0),
        Value::Null | Value::Object(_) => Value::Null,
        Value::Missing(_) => UNKNOWN,
    }
}

/// Is it known for certain?
pub(crate) fn is_known(value: Value) -> bool {
    !matches!(value, Value::Missing(_))
}
