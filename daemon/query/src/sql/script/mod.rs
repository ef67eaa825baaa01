//! What stands around SQLite's own statements: modules that are included, functions that return tables, and macros.
//!
//! SQLite has none of them. A text is taken apart into statements here; what defines something is kept, and in what is left macros are
//! written out. Functions are not: each becomes a table of SQLite's (`function`), so that it can be used over another table's columns.

mod define;
mod expand;
pub mod fuzzing;
mod idle;
mod token;

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

pub(super) use self::define::{Argument, Function, MacroDoc};
pub(super) use self::expand::Expanded;
use self::expand::{LONGEST, Macros, Piece, expand};
pub(super) use self::idle::Idle;
pub(super) use self::token::word;
use self::token::{Kind, Token, tokens};
use super::library;
use super::place::Position;
use crate::nearest::nearest;

/// A text that somebody wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Source {
    /// The module that it is; none for what the user wrote.
    pub(super) module: Option<&'static str>,
    pub(super) text: Arc<str>,
}

impl Source {
    pub(super) fn user(text: &str) -> Self {
        Self {
            module: None,
            text: text.into(),
        }
    }

    /// Where something of it stands, if the user wrote it.
    pub(super) fn position(&self, at: usize) -> Option<Position> {
        let is_users = self.module.is_none();
        is_users.then(|| Position::of(&self.text, at))
    }

    fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.text, &other.text)
    }
}

/// Something is wrong with a text, there.
#[derive(Clone, Debug)]
pub(super) struct Problem {
    pub(super) source: Source,
    pub(super) at: usize,
    pub(super) reason: String,
}

impl Problem {
    fn new(source: &Source, at: usize, reason: impl Into<String>) -> Self {
        Self {
            source: source.clone(),
            at,
            reason: reason.into(),
        }
    }
}

/// What comes out of a text, in its order.
#[derive(Debug)]
pub(super) enum Step {
    /// A function is to be made known.
    Define(Function),
    /// A statement for SQLite.
    Run(Expanded),
}

/// A text that is gone through, statement by statement.
#[derive(Debug)]
pub(super) struct Script {
    source: Source,
    /// How far it was gone through.
    at: usize,
    macros: Macros,
    /// Functions that are known, in lower case.
    functions: BTreeSet<String>,
    /// Modules that were included.
    included: BTreeSet<&'static str>,
    /// What modules defined and nobody has taken yet.
    waiting: VecDeque<Function>,
    /// What macros say of themselves, of all texts.
    described: Vec<MacroDoc>,
    /// Bytes of all statements and functions so far, with their macros written out.
    written: usize,
}

/// So many bytes may they have: functions are kept until all of the text has run.
const MOST_WRITTEN: usize = 8 * LONGEST;

impl Script {
    pub(super) fn new(text: &str) -> Self {
        Self::of(Source::user(text))
    }

    pub(super) fn of(source: Source) -> Self {
        Self {
            source,
            at: 0,
            macros: Macros::new(),
            functions: BTreeSet::new(),
            included: BTreeSet::new(),
            waiting: VecDeque::new(),
            described: Vec::new(),
            written: 0,
        }
    }

    /// What macros there are.
    pub(super) fn macros(self) -> Vec<MacroDoc> {
        self.described
    }

    /// The next one; none at the end.
    pub(super) fn next(&mut self) -> Result<Option<Step>, Problem> {
        loop {
            if let Some(function) = self.waiting.pop_front() {
                return Ok(Some(Step::Define(function)));
            }
            let Some(piece) = self.statement() else {
                return Ok(None);
            };
            if let Some(step) = self.step(&piece)? {
                return Ok(Some(step));
            }
        }
    }

    /// The next statement with its `;`, and comments before it.
    fn statement(&mut self) -> Option<Piece> {
        let text = self
            .source
            .text
            .get(self.at..)
            .filter(|text| !text.is_empty())?;
        let begin = self.at;
        self.at += token::statement(text);
        Some(Piece {
            source: self.source.clone(),
            at: begin..self.at,
        })
    }

    fn step(&mut self, piece: &Piece) -> Result<Option<Step>, Problem> {
        let text = piece.text();
        let words = tokens(text).filter(|token| !token.is_blank());
        let words: Vec<Token> = words.take(3).collect();
        let is = |at: usize, word: &str| words.get(at).is_some_and(|token| token.is(text, word));
        if is(0, "include") {
            let (name, at) = define::include(piece)?;
            self.include(&name, &at)?;
            return Ok(None);
        }
        if is(0, "create") && is(1, "function") {
            let function = define::function(piece, &self.macros)?;
            self.name_is_free(&function)?;
            self.count(piece, &function.body)?;
            return Ok(Some(Step::Define(function)));
        }
        if is(0, "create") && is(1, "macro") {
            let (name, defined, described) = define::a_macro(piece)?;
            self.macros.insert(name.to_lowercase(), defined);
            self.described.push(described);
            return Ok(None);
        }
        if words.iter().all(|token| token.kind == Kind::Semicolon) {
            return Ok(None);
        }
        let expanded = expand(piece, &self.macros)?;
        self.count(piece, &expanded)?;
        Ok(Some(Step::Run(expanded)))
    }

    /// Counts what was written out for a statement.
    fn count(&mut self, of: &Piece, expanded: &Expanded) -> Result<(), Problem> {
        self.written += expanded.text.len();
        if self.written <= MOST_WRITTEN {
            return Ok(());
        }
        let reason = format!(
            "with their macros written out the statements up to this one have more than {MOST_WRITTEN} bytes"
        );
        Err(Problem::new(&of.source, of.at.start, reason))
    }

    fn name_is_free(&mut self, function: &Function) -> Result<(), Problem> {
        let lower = function.name.to_lowercase();
        let is_table = super::tables::described()
            .iter()
            .any(|table| table.name == lower);
        if is_table || !self.functions.insert(lower) {
            let what = if is_table { "a table" } else { "a function" };
            let reason = format!(
                "there is {what} {} already: take another name",
                function.name
            );
            return Err(Problem::new(&function.source, function.at, reason));
        }
        Ok(())
    }

    /// Takes in what a module defines, and the modules that it includes itself; what was included is not a second time.
    fn include(&mut self, name: &str, at: &Problem) -> Result<(), Problem> {
        let Some(module) = library::MODULES.iter().find(|module| module.name == name) else {
            let names = library::MODULES.iter().map(|module| module.name);
            let known = names.clone().collect::<Vec<_>>().join(", ");
            let alike = alike(name, names);
            let reason = match alike.is_empty() {
                true => format!("there is no module {name}; there are {known}"),
                false => format!("there is no module {name}{alike}"),
            };
            return Err(Problem {
                reason,
                ..at.clone()
            });
        };
        if !self.included.insert(module.name) {
            return Ok(());
        }
        let source = Source {
            module: Some(module.name),
            text: module.text.into(),
        };
        let user = std::mem::replace(&mut self.source, source);
        let was_at = std::mem::take(&mut self.at);
        let mut taken = Ok(());
        while let Some(piece) = self.statement() {
            match self.step(&piece) {
                Ok(None) => {}
                Ok(Some(Step::Define(function))) => self.waiting.push_back(function),
                Ok(Some(Step::Run(_))) => {
                    taken = Err(Problem::new(
                        &piece.source,
                        piece.at.start,
                        "a module only defines",
                    ));
                    break;
                }
                Err(problem) => {
                    taken = Err(problem);
                    break;
                }
            }
        }
        (self.source, self.at) = (user, was_at);
        taken
    }
}

/// `; did you mean …?`, where something is like a name.
fn alike<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> String {
    let alike = nearest(name, known);
    match alike.as_slice() {
        [] => String::new(),
        alike => format!("; did you mean {}?", alike.join(", ")),
    }
}

#[cfg(test)]
mod tests;
