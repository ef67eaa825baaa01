//! The expression language: an engine of rhai with nothing in it that does not end, changes something or reaches outside.

use std::rc::Rc;

use rhai::packages::{
    ArithmeticPackage, BasicArrayPackage, BasicMathPackage, BasicStringPackage, LogicPackage,
    MoreStringPackage, Package as _,
};
use rhai::{
    Array, Dynamic, Engine, FLOAT, FnPtr, INT, ImmutableString, NativeCallContext,
    OptimizationLevel, Scope, Token,
};

use crate::object::{Before, Object};
use crate::reader::{Found, Reader, mistake};

/// How deep expressions may be nested.
const DEPTH: usize = 64;
/// The longest text or array that an expression may make.
const LARGEST: usize = 1 << 20;

/// An engine over a reader's values.
pub(crate) fn engine(reader: &Rc<Reader>) -> Engine {
    let mut engine = Engine::new_raw();
    // Not the core package: it can sleep.
    LogicPackage::new().register_into_engine(&mut engine);
    ArithmeticPackage::new().register_into_engine(&mut engine);
    BasicMathPackage::new().register_into_engine(&mut engine);
    BasicStringPackage::new().register_into_engine(&mut engine);
    MoreStringPackage::new().register_into_engine(&mut engine);
    BasicArrayPackage::new().register_into_engine(&mut engine);
    engine
        .set_optimization_level(OptimizationLevel::None)
        .set_strict_variables(true)
        .set_fast_operators(false)
        .set_max_expr_depths(DEPTH, DEPTH)
        .set_max_call_levels(16)
        .set_max_string_size(LARGEST)
        .set_max_array_size(LARGEST)
        .set_max_map_size(1000)
        .disable_symbol("eval");
    let watched = Rc::clone(reader);
    // rhai counts anew in every function that a function is handed: so its own limit bounds no walk in a walk.
    engine.on_progress(move |_| watched.step().err().map(Dynamic::from));
    // To rhai `this` is something of functions, and null is nothing.
    #[allow(deprecated)] // It is not: the attribute says that it may change.
    engine.on_parse_token(|token, _, _| match token {
        Token::Reserved(word) if ["this", "null"].contains(&word.as_str()) => {
            Token::Identifier(word)
        }
        token => token,
    });
    objects(&mut engine);
    comparisons(&mut engine);
    engine
}

/// What one can ask of objects.
fn objects(engine: &mut Engine) {
    engine
        .register_type_with_name::<Object>("object")
        .register_type_with_name::<Before>("before")
        .register_indexer_get(|before: &mut Before, name: ImmutableString| before.named(&name))
        .register_indexer_get(|object: &mut Object, name: ImmutableString| object.named(&name))
        .register_indexer_get(|object: &mut Object, index: INT| object.item(index))
        .register_get("length", |object: &mut Object| {
            object.length_or_field("length")
        })
        .register_fn("len", Object::length)
        .register_fn("size", Object::length)
        .register_fn("values", Object::values)
        .register_fn("keys", Object::keys)
        .register_fn("text", Object::text)
        .register_fn("message", Object::message)
        .register_fn("class_of", |object: &mut Object| object.class())
        .register_fn("contains", contains)
        .register_fn(
            "all",
            |context: NativeCallContext<'_>, object: &mut Object, holds: FnPtr| -> Found<bool> {
                for value in object.values()? {
                    if !holds.call_within_context::<bool>(&context, (value,))? {
                        return Ok(false);
                    }
                }
                Ok(true)
            },
        )
        .register_fn(
            "some",
            |context: NativeCallContext<'_>, object: &mut Object, holds: FnPtr| -> Found<bool> {
                for value in object.values()? {
                    if holds.call_within_context::<bool>(&context, (value,))? {
                        return Ok(true);
                    }
                }
                Ok(false)
            },
        );
}

fn contains(context: NativeCallContext<'_>, object: &mut Object, wanted: Dynamic) -> Found<bool> {
    for value in object.values()? {
        let same = context.call_native_fn::<bool>("==", (value, wanted.clone()))?;
        if same {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Comparisons of what cannot be compared are a mistake: rhai takes them for false.
fn comparisons(engine: &mut Engine) {
    macro_rules! refused {
        ($one:ty, $other:ty, $($operator:literal),+) => {
            $(
                engine.register_fn($operator, |one: $one, other: $other| -> Found<bool> {
                    cannot(&Dynamic::from(one), &Dynamic::from(other))
                });
            )+
        };
    }
    macro_rules! unlike {
        ($one:ty, $other:ty) => {
            refused!($one, $other, "==", "!=", "<", "<=", ">", ">=");
            refused!($other, $one, "==", "!=", "<", "<=", ">", ">=");
        };
    }
    macro_rules! unordered {
        ($one:ty, $other:ty) => {
            refused!($one, $other, "<", "<=", ">", ">=");
            refused!($other, $one, "<", "<=", ">", ">=");
        };
    }
    unlike!(INT, bool);
    unlike!(INT, ImmutableString);
    unlike!(INT, char);
    unlike!(INT, Object);
    unlike!(FLOAT, bool);
    unlike!(FLOAT, ImmutableString);
    unlike!(FLOAT, char);
    unlike!(FLOAT, Object);
    unlike!(bool, ImmutableString);
    unlike!(bool, char);
    unlike!(bool, Object);
    unlike!(char, Object);
    unlike!(Array, INT);
    unlike!(Array, FLOAT);
    unlike!(Array, bool);
    unlike!(Array, char);
    unlike!(Array, ImmutableString);
    unlike!(Array, Object);
    unordered!(Array, ());
    // Null is like nothing but null, and comes neither before nor behind anything.
    unordered!(INT, ());
    unordered!(FLOAT, ());
    unordered!(bool, ());
    unordered!(char, ());
    unordered!(ImmutableString, ());
    unordered!(Object, ());
    unordered!(Object, ImmutableString);
    refused!(Object, Object, "<", "<=", ">", ">=");
    refused!((), (), "<", "<=", ">", ">=");
    engine
        .register_fn("==", |one: Object, other: Object| one.id == other.id)
        .register_fn("!=", |one: Object, other: Object| one.id != other.id)
        .register_fn("==", |_: Object, (): ()| false)
        .register_fn("!=", |_: Object, (): ()| true)
        .register_fn("==", |(): (), _: Object| false)
        .register_fn("!=", |(): (), _: Object| true)
        .register_fn("==", |one: Object, name: ImmutableString| {
            one.is_named(&name)
        })
        .register_fn("!=", |one: Object, name: ImmutableString| {
            one.is_named(&name).map(|same| !same)
        })
        .register_fn("==", |name: ImmutableString, one: Object| {
            one.is_named(&name)
        })
        .register_fn("!=", |name: ImmutableString, one: Object| {
            one.is_named(&name).map(|same| !same)
        });
}

fn cannot(one: &Dynamic, other: &Dynamic) -> Found<bool> {
    mistake(format!(
        "{} and {} cannot be compared",
        kind(one.type_name()),
        kind(other.type_name())
    ))
}

/// A kind of values, as people call it.
pub(crate) fn kind(name: &str) -> &str {
    match name {
        "i64" => "a whole number",
        "f64" => "a number",
        "bool" => "true or false",
        "char" => "a character",
        "string" | "&str" => "a text",
        "()" => "null",
        "array" => "an array",
        name if name.ends_with("Object") => "an object",
        name if name.ends_with("ImmutableString") => "a text",
        name => name,
    }
}

/// What rhai says is wrong, without the place, which is shown by itself.
pub(crate) fn without_place(said: &str) -> String {
    let end = said.find(" (line ").unwrap_or(said.len());
    let said = said.get(..end).unwrap_or(said);
    said.strip_prefix("Runtime error: ")
        .unwrap_or(said)
        .to_owned()
}

/// What is wrong with an expression, with the names that there are where one is unknown.
pub(crate) fn told(said: &str, names: &Scope<'_>) -> String {
    let said = without_place(said);
    match said.strip_prefix("Undefined variable: ") {
        Some(name) => {
            let names: Vec<&str> = names.iter().map(|(name, ..)| name).collect();
            format!("'{name}' is not known; there are {}", names.join(", "))
        }
        None => said,
    }
}
