//! Properties that the calls of a method must have: expressions over what a call was given, what it yielded and what its
//! objects held, evaluated over a recording. No code of the debuggee runs.
//!
//! ```text
//! Discount.off: result <= cents
//! Cart.add: this.pieces == before.this.pieces + many
//! Sorter.sort: a.all(|x| x >= 0) && a.length == before.a.length
//! ```
//!
//! # The language
//!
//! Expressions of [rhai](https://rhai.rs/book), and nothing else of it: no statements, assignments or loops. Names are the arguments (by
//! name, and `arg0`, `arg1` …: as they were given, also where the method assigned to them), `this`, `result`, `exception` (null
//! if the call returned), `null`, and `before`, which has `this` and the arguments as they were when the call began
//! (`before.this.size`). Everything else is as it was when the call ended.
//!
//! - Whole numbers have 64 bits, and do not wrap at 32; a `float` or `double` is its exact value; a `char` is a `'c'`.
//! - Boxes are what is in them, strings are texts: `==` compares them by content. Other objects are compared by identity, a
//!   constant of an enum also with its name (`side == "BUY"`).
//! - `x.field`, `array[2]`, `array.length`, `list[2]`, `map["key"]` (null without one), `x.len()` or `x.size()`, `x in list`,
//!   `x.all(|item| …)`, `x.some(|item| …)`, `x.values()` and `x.keys()` (arrays of rhai, with its `filter`, `map`, `reduce`, …),
//!   `x.text()` of a builder, `class_of(x)`, `message(exception)`.
//! - Values of kinds that cannot be compared (`"a" < 5`, `result == "5"` for an int) are a mistake, never false.
//!
//! # What an evaluation says
//!
//! True and false mean what they say. What looks at a value that is not recorded is *undecided*, whatever it would have been. So is
//! what takes more than [`STEPS`] steps, [`VALUES`] values or [`TIME`]. An expression that makes no sense is refused with the place.

#![forbid(unsafe_code)]

mod language;
mod object;
mod reader;

use std::rc::Rc;
use std::time::Duration;

use jhyde_history::certain::Certain;
use jhyde_history::exact::{Ends, Exact};
use jhyde_history::{Error as HistoryError, History};
use jhyde_store::records::CallRecord;
use jhyde_trace::MethodId;
use rhai::{AST, Dynamic, Engine, EvalAltResult, Position, Scope};
use thiserror::Error;

use object::Before;
use reader::Reader;

/// An evaluation ends undecided after so many steps.
pub const STEPS: u64 = 1_000_000;
/// And after it looked at so many values.
pub const VALUES: usize = 50_000;
/// And after this time.
pub const TIME: Duration = Duration::from_millis(500);
/// A longer property is refused.
pub const LONGEST: usize = 4096;

/// Why there is no such property.
#[derive(Debug, Error)]
pub enum PropertyError {
    /// It is not written right.
    #[error("'{0}' is no property: write METHOD: EXPRESSION, such as Cart.total: result >= 0")]
    Form(String),
    /// It is too long.
    #[error("a property of {0} characters is longer than the {LONGEST} that one may have")]
    Long(usize),
    /// No method of the scope has this name.
    #[error("no recorded method is called '{0}' (jhyde classes lists them)")]
    NoSuchMethod(String),
    /// The expression makes no sense.
    #[error("{told}\n  {text}\n  {:>column$}", '^')]
    Wrong {
        /// The property.
        text: String,
        /// Where in it, from 1.
        column: usize,
        /// What is wrong there.
        told: String,
    },
    /// The recording cannot be read.
    #[error(transparent)]
    History(#[from] HistoryError),
}

/// What an evaluation says of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The call has the property.
    Holds,
    /// It does not.
    Broken,
    /// Nobody can say: why.
    Undecided(String),
    /// The expression makes no sense for this call: why, and where in the expression, from 0.
    Mistaken(String, usize),
}

/// A property, ready to be evaluated over calls of one recording.
#[derive(Debug)]
pub struct Property {
    text: String,
    /// Where its expression begins, in characters.
    begin: usize,
    engine: Engine,
    reader: Rc<Reader>,
    certain: Certain,
    /// The methods that it is about.
    methods: Vec<(MethodId, AST)>,
}

impl Property {
    /// Understands a property of calls of a recording.
    ///
    /// # Errors
    /// [`PropertyError`], with the place where the expression makes no sense.
    pub fn new(history: &History, text: &str) -> Result<Self, PropertyError> {
        let length = text.chars().count();
        if length > LONGEST {
            return Err(PropertyError::Long(length));
        }
        let form = || PropertyError::Form(text.to_owned());
        let (method, expression) = text.split_once(':').ok_or_else(form)?;
        if method.trim().is_empty() || expression.trim().is_empty() {
            return Err(form());
        }
        let reader = Rc::new(Reader::new(history.clone()));
        let mut this = Self {
            text: text.replace(['\n', '\r', '\t'], " "),
            begin: method.chars().count() + 1,
            engine: language::engine(&reader),
            certain: Certain::of(history)?,
            reader,
            methods: Vec::new(),
        };
        let expression: String = this.text.chars().skip(this.begin).collect();
        let mut wrong = None;
        for (id, names) in names(history, method.trim())? {
            let mut scope = Scope::new();
            for name in names {
                scope.push(name, ());
            }
            match this
                .engine
                .compile_expression_with_scope(&scope, &expression)
            {
                Ok(compiled) => this.methods.push((id, compiled)),
                Err(error) => {
                    let column = column(error.position());
                    let told = language::told(&error.to_string(), &scope);
                    wrong.get_or_insert_with(|| this.wrong(column, told));
                }
            }
        }
        // Of several methods of one name some may not have the names that it speaks of.
        match (wrong, this.methods.is_empty()) {
            (Some(wrong), true) => Err(wrong),
            (None, true) => Err(PropertyError::NoSuchMethod(method.trim().to_owned())),
            (_, false) => Ok(this),
        }
    }

    /// The methods that it is about.
    pub fn methods(&self) -> impl Iterator<Item = MethodId> {
        self.methods.iter().map(|(method, _)| *method)
    }

    /// What is wrong with it at a place of its expression.
    pub fn wrong(&self, column: usize, told: String) -> PropertyError {
        PropertyError::Wrong {
            text: self.text.clone(),
            column: self.begin + column + 1,
            told,
        }
    }

    /// Has a call the property? `None` for calls of other methods, and those that have not ended.
    ///
    /// # Errors
    /// When the recording cannot be read; what damage hides is undecided.
    pub fn check(&self, record: &CallRecord) -> Result<Option<Verdict>, HistoryError> {
        let mut methods = self.methods.iter();
        let compiled = methods.find(|(method, _)| *method == record.method);
        let (Some((_, compiled)), Some(exit)) = (compiled, record.exit) else {
            return Ok(None);
        };
        if let Some(doubt) = self.certain.doubt_of_call(record) {
            return Ok(Some(Verdict::Undecided(doubt)));
        }
        let history = self.reader.history();
        let doubt = self.certain.doubt_of_objects(history, record, exit)?;
        self.reader.begin(doubt);
        let ends = Rc::new(history.ends(record)?);
        let mut missing = Vec::new();
        let mut scope = Scope::new();
        scope.push("null", ());
        scope.push(
            "before",
            Before::new(Rc::clone(&self.reader), Rc::clone(&ends), record.enter),
        );
        for (name, value) in named(&ends) {
            let value = match value {
                Exact::Unknown(why) => Err(why),
                Exact::None => Ok(Dynamic::UNIT),
                Exact::Value(value) => match Reader::dynamic(&self.reader, value, exit) {
                    Ok(value) => Ok(value),
                    Err(error) => Err(reader::reason(&error).unwrap_or_else(|| error.to_string())),
                },
            };
            match value {
                Ok(value) => {
                    scope.push_dynamic(name, value);
                }
                Err(why) => missing.push((name, why)),
            }
        }
        let found = self
            .engine
            .eval_ast_with_scope::<Dynamic>(&mut scope, compiled);
        if let Some(error) = self.reader.take_failure() {
            return Err(error);
        }
        Ok(Some(match found {
            Ok(value) => match value.as_bool() {
                Ok(true) => Verdict::Holds,
                Ok(false) => Verdict::Broken,
                Err(kind) => Verdict::Mistaken(
                    format!("it gives {}, not true or false", language::kind(kind)),
                    self.text
                        .chars()
                        .skip(self.begin)
                        .take_while(|c| c.is_whitespace())
                        .count(),
                ),
            },
            Err(error) => judged(&error, &missing),
        }))
    }
}

/// What the end of an evaluation without a value means.
fn judged(error: &EvalAltResult, missing: &[(String, String)]) -> Verdict {
    match error {
        EvalAltResult::ErrorInFunctionCall(_, _, inner, _) => judged(inner, missing),
        error @ EvalAltResult::ErrorTerminated(..) => {
            Verdict::Undecided(reader::reason(error).unwrap_or_default())
        }
        EvalAltResult::ErrorVariableNotFound(name, at) => {
            match missing.iter().find(|(known, _)| known == name) {
                Some((name, why)) => Verdict::Undecided(format!("{name} is not recorded: {why}")),
                None => Verdict::Mistaken(format!("'{name}' is not known"), column(*at)),
            }
        }
        error => {
            let told = language::without_place(&error.to_string());
            Verdict::Mistaken(told, column(error.position()))
        }
    }
}

/// The values that have a name, those of this call that ended.
fn named(ends: &Ends) -> Vec<(String, Exact)> {
    let mut named = vec![
        ("this".to_owned(), ends.receiver.clone()),
        ("result".to_owned(), ends.result.clone()),
        ("exception".to_owned(), ends.exception.clone()),
    ];
    for (position, (name, value)) in ends.arguments.iter().enumerate() {
        let name = name.clone().filter(|name| !is_taken(name));
        let names = name.into_iter().chain([format!("arg{position}")]);
        named.extend(names.map(|name| (name, value.clone())));
    }
    named
}

/// Names that are not an argument's, even if one is called so: that one is `arg0`, ….
fn is_taken(name: &str) -> bool {
    ["this", "result", "exception", "before", "null"].contains(&name)
}

/// The names that an expression about each method of this name may use.
fn names(history: &History, method: &str) -> Result<Vec<(MethodId, Vec<String>)>, HistoryError> {
    let mut found = Vec::new();
    for method in history.methods_in_scope(method)? {
        let info = method.method();
        let is_void = jhyde_history::text::result(&info.descriptor) == "V";
        let mut names: Vec<String> = ["exception", "before", "null"].map(str::to_owned).into();
        names.extend((!info.is_static()).then(|| "this".to_owned()));
        names.extend((!is_void).then(|| "result".to_owned()));
        for (position, name) in history.parameter_names(info).into_iter().enumerate() {
            names.extend(name.filter(|name| !is_taken(name)));
            names.push(format!("arg{position}"));
        }
        found.push((info.id, names));
    }
    Ok(found)
}

/// A column from 0.
fn column(at: Position) -> usize {
    at.position().unwrap_or(1).saturating_sub(1)
}
