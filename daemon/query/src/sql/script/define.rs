//! What defines something: `INCLUDE MODULE a.b`, `CREATE FUNCTION f(a INTEGER) RETURNS TABLE(b TEXT) AS SELECT …`,
//! `CREATE MACRO m(a, b) AS …`. A comment before a name says what it is, for those who look it up.

use super::expand::{Expanded, Macro, Macros, Piece, expand};
use super::token::{Kind, Token, tokens};
use super::{Problem, Source};
use crate::sql::table::Type;

/// So many arguments or columns may there be.
const MOST: usize = 100;

/// An argument or a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::sql) struct Argument {
    pub(in crate::sql) name: String,
    /// None of a macro's arguments, which are texts.
    pub(in crate::sql) of: Option<Type>,
    /// What the comment before it says.
    pub(in crate::sql) doc: String,
}

/// A function that returns a table.
#[derive(Clone, Debug)]
pub(in crate::sql) struct Function {
    pub(in crate::sql) name: String,
    pub(in crate::sql) doc: String,
    pub(in crate::sql) arguments: Vec<Argument>,
    pub(in crate::sql) columns: Vec<Argument>,
    /// The SELECT; its arguments are `$name` in it.
    pub(in crate::sql) body: Expanded,
    /// Where it is defined.
    pub(in crate::sql) source: Source,
    pub(in crate::sql) at: usize,
}

/// What a macro says of itself.
#[derive(Clone, Debug)]
pub(in crate::sql) struct MacroDoc {
    pub(in crate::sql) name: String,
    pub(in crate::sql) doc: String,
    pub(in crate::sql) arguments: Vec<Argument>,
}

/// The words of a definition, one after another.
struct Words<'a> {
    piece: &'a Piece,
    all: Vec<Token>,
    next: usize,
    /// What comments before the last word said.
    doc: String,
}

impl<'a> Words<'a> {
    fn of(piece: &'a Piece) -> Self {
        Self {
            piece,
            all: tokens(piece.text()).collect(),
            next: 0,
            doc: String::new(),
        }
    }

    /// The next word that is not blank; comments before it are its doc.
    fn word(&mut self) -> Option<Token> {
        let text = self.piece.text();
        let mut doc: Vec<&str> = Vec::new();
        while let Some(token) = self.all.get(self.next) {
            self.next += 1;
            match token.kind {
                // A blank line: what stands before it is about something else.
                Kind::Space if token.of(text).matches('\n').count() > 1 => doc.clear(),
                Kind::Space => {}
                Kind::Comment => {
                    let said = token.of(text);
                    let said = said.strip_prefix("--").unwrap_or(said);
                    let said = said
                        .strip_prefix("/*")
                        .map_or(said, |said| said.trim_end_matches("*/"));
                    doc.push(said.trim());
                }
                _ => {
                    self.doc = doc.join(" ");
                    return Some(token.clone());
                }
            }
        }
        None
    }

    fn peek(&mut self) -> Option<Token> {
        let (next, doc) = (self.next, std::mem::take(&mut self.doc));
        let word = self.word();
        (self.next, self.doc) = (next, doc);
        word
    }

    fn problem(&self, at: Option<&Token>, reason: impl Into<String>) -> Problem {
        // Behind the last one where there is none.
        let at = at.map_or_else(
            || self.piece.text().trim_end().len(),
            |token| token.at.start,
        );
        Problem::new(&self.piece.source, self.piece.at.start + at, reason)
    }

    /// A word that must come now.
    fn must(&mut self, word: &str) -> Result<(), Problem> {
        match self.word() {
            Some(token) if token.is(self.piece.text(), word) => Ok(()),
            token => Err(self.problem(token.as_ref(), format!("{word} is expected here"))),
        }
    }

    fn sign(&mut self, kind: Kind, written: &str) -> Result<(), Problem> {
        match self.word() {
            Some(token) if token.kind == kind => Ok(()),
            token => Err(self.problem(token.as_ref(), format!("{written} is expected here"))),
        }
    }

    /// A name, and where it stands.
    fn name(&mut self, what: &str) -> Result<(String, Token), Problem> {
        match self.word() {
            Some(token) if token.kind == Kind::Word && token.of(self.piece.text()).is_ascii() => {
                Ok((token.of(self.piece.text()).to_owned(), token))
            }
            token => Err(self.problem(
                token.as_ref(),
                format!("{what} is expected here: letters, digits and _, a letter first"),
            )),
        }
    }

    /// `(a INTEGER, b TEXT)`, or `(a, b)` without types.
    fn list(&mut self, what: &str, typed: bool) -> Result<Vec<Argument>, Problem> {
        self.sign(Kind::Open, "(")?;
        let mut all: Vec<Argument> = Vec::new();
        if self.peek().is_some_and(|token| token.kind == Kind::Close) {
            self.word();
            return Ok(all);
        }
        loop {
            let (name, token) = self.name(what)?;
            let doc = std::mem::take(&mut self.doc);
            if all
                .iter()
                .any(|known| known.name.eq_ignore_ascii_case(&name))
            {
                return Err(self.problem(Some(&token), format!("{name} stands there twice")));
            }
            if all.len() == MOST {
                return Err(
                    self.problem(Some(&token), format!("at most {MOST} of them can be there"))
                );
            }
            let of = if typed { Some(self.of_type()?) } else { None };
            all.push(Argument { name, of, doc });
            match self.word() {
                Some(token) if token.kind == Kind::Comma => {}
                Some(token) if token.kind == Kind::Close => return Ok(all),
                token => return Err(self.problem(token.as_ref(), ", or ) is expected here")),
            }
        }
    }

    fn of_type(&mut self) -> Result<Type, Problem> {
        let token = self.word();
        let word = token
            .as_ref()
            .map(|token| token.of(self.piece.text()).to_ascii_uppercase());
        match word.as_deref() {
            Some("INTEGER" | "INT") => Ok(Type::Int),
            Some("REAL") => Ok(Type::Real),
            Some("TEXT") => Ok(Type::Text),
            _ => Err(self.problem(
                token.as_ref(),
                "a type is expected here: INTEGER, REAL or TEXT",
            )),
        }
    }

    /// What is left, without the `;`.
    fn rest(&mut self, what: &str) -> Result<Piece, Problem> {
        let Some(first) = self.peek().filter(|token| token.kind != Kind::Semicolon) else {
            return Err(self.problem(None, format!("{what} is expected here")));
        };
        let text = self.piece.text();
        let end = self
            .all
            .last()
            .filter(|token| token.kind == Kind::Semicolon);
        let end = end.map_or(text.len(), |token| token.at.start);
        let base = self.piece.at.start;
        Ok(Piece {
            source: self.piece.source.clone(),
            at: base + first.at.start..base + end,
        })
    }
}

/// The module that is to be included, and where it is named.
pub(super) fn include(piece: &Piece) -> Result<(String, Problem), Problem> {
    let mut words = Words::of(piece);
    words.must("INCLUDE")?;
    words.must("MODULE")?;
    let (mut name, at) = words.name("a module's name")?;
    let place = words.problem(Some(&at), "");
    loop {
        match words.word() {
            None => return Ok((name, place)),
            Some(token) if token.kind == Kind::Semicolon => return Ok((name, place)),
            Some(token) if token.of(piece.text()) == "." => {
                let (part, _) = words.name("a part of a module's name")?;
                name = format!("{name}.{part}");
            }
            token => return Err(words.problem(token.as_ref(), "; is expected here")),
        }
    }
}

/// `CREATE FUNCTION …`.
pub(super) fn function(piece: &Piece, macros: &Macros) -> Result<Function, Problem> {
    let mut words = Words::of(piece);
    words.must("CREATE")?;
    let doc = std::mem::take(&mut words.doc);
    words.must("FUNCTION")?;
    let (name, at) = words.name("a function's name")?;
    let arguments = words.list("an argument's name", true)?;
    words.must("RETURNS")?;
    words.must("TABLE")?;
    let columns = words.list("a column's name", true)?;
    if columns.is_empty() {
        return Err(words.problem(Some(&at), format!("{name} returns no columns")));
    }
    let twice = columns.iter().find(|column| {
        arguments
            .iter()
            .any(|known| known.name.eq_ignore_ascii_case(&column.name))
    });
    if let Some(twice) = twice {
        let reason = format!(
            "{} is an argument and a column: name one of them otherwise",
            twice.name
        );
        return Err(words.problem(Some(&at), reason));
    }
    words.must("AS")?;
    let body = words.rest("a SELECT")?;
    unknown(&body, &arguments)?;
    Ok(Function {
        name,
        doc,
        arguments,
        columns,
        body: expand(&body, macros)?,
        source: piece.source.clone(),
        at: piece.at.start + at.at.start,
    })
}

/// `CREATE MACRO …`: its name, what it stands for, what it says of itself.
pub(super) fn a_macro(piece: &Piece) -> Result<(String, Macro, MacroDoc), Problem> {
    let mut words = Words::of(piece);
    words.must("CREATE")?;
    let doc = std::mem::take(&mut words.doc);
    words.must("MACRO")?;
    let (name, _) = words.name("a macro's name")?;
    let arguments = words.list("an argument's name", false)?;
    words.must("AS")?;
    let body = words.rest("what it stands for")?;
    unknown(&body, &arguments)?;
    let names = arguments.iter().map(|argument| argument.name.clone());
    let defined = Macro {
        arguments: names.collect(),
        body,
    };
    let described = MacroDoc {
        name: name.clone(),
        doc,
        arguments,
    };
    Ok((name, defined, described))
}

/// Is each `$name` of a body an argument? SQLite would take another one for null.
fn unknown(body: &Piece, arguments: &[Argument]) -> Result<(), Problem> {
    let text = body.text();
    for token in tokens(text) {
        if token.kind != Kind::Parameter {
            continue;
        }
        let written = token.of(text);
        let is_known = |name: &str| arguments.iter().any(|argument| argument.name == name);
        if written.strip_prefix('$').is_some_and(is_known) {
            continue;
        }
        let names: Vec<_> = arguments
            .iter()
            .map(|argument| format!("${}", argument.name))
            .collect();
        let reason = match names.is_empty() {
            true => format!("{written} is no argument: there are none"),
            false => format!("{written} is no argument: there are {}", names.join(", ")),
        };
        return Err(Problem::new(
            &body.source,
            body.at.start + token.at.start,
            reason,
        ));
    }
    Ok(())
}
