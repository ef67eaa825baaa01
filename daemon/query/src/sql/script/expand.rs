//! A text whose macros are written out, and where each part of it came from: what is wrong with it is said of what somebody wrote.

use std::collections::BTreeMap;
use std::ops::Range;

use super::token::{Kind, Token, tokens, word};
use super::{Problem, Source};
use crate::sql::place::Position;

/// So deep may macros stand in each other.
const DEEPEST: usize = 32;

/// So many macros and their arguments may one statement use, those in them counted.
const MOST: usize = 100_000;

/// So long may a statement become, in bytes: SQLite takes no longer one here.
pub(super) const LONGEST: usize = 1 << 20;

/// `CREATE MACRO name(a, b) AS …`.
#[derive(Clone, Debug)]
pub(super) struct Macro {
    pub(super) arguments: Vec<String>,
    /// What stands behind AS.
    pub(super) body: Piece,
}

/// Macros by their names, in lower case.
pub(super) type Macros = BTreeMap<String, Macro>;

/// A part of what somebody wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) source: Source,
    pub(super) at: Range<usize>,
}

impl Piece {
    pub(super) fn text(&self) -> &str {
        self.source.text.get(self.at.clone()).unwrap_or_default()
    }
}

/// A text that is made of pieces.
#[derive(Clone, Debug)]
pub(in crate::sql) struct Expanded {
    pub(in crate::sql) text: String,
    /// What it was written out of.
    of: Piece,
    /// Where each begins here.
    pieces: Vec<(usize, Piece)>,
    /// How many macros and arguments were written out.
    written: usize,
    /// How many bytes of theirs were gone through for it.
    read: usize,
}

impl Expanded {
    fn of(piece: &Piece) -> Self {
        Self {
            text: String::new(),
            of: piece.clone(),
            pieces: Vec::new(),
            written: 0,
            read: 0,
        }
    }

    /// Where it begins in what the user wrote; none if it is a module's.
    pub(in crate::sql) fn begin(&self) -> Option<Position> {
        let first = tokens(self.of.text()).find(|token| !token.is_blank());
        let first = first.map_or(0, |token| token.at.start);
        self.of.source.position(self.of.at.start + first)
    }

    /// Where the user wrote something of it; none if a module did.
    pub(in crate::sql) fn position(&self, at: usize) -> Option<Position> {
        let (source, at) = self.origin(at)?;
        source.position(at)
    }

    /// Where a name stands first.
    pub(in crate::sql) fn word(&self, name: &str) -> Option<usize> {
        word(&self.text, name)
    }

    /// Does a number stand in it, as it is written in decimal?
    pub(in crate::sql) fn has_number(&self, number: i64) -> bool {
        let number = number.unsigned_abs().to_string();
        let is_it = |token: Token| token.kind == Kind::Number && token.of(&self.text) == number;
        tokens(&self.text).any(is_it)
    }

    /// The parameters of it, with what stands before each of them, and where they are.
    pub(in crate::sql) fn parameters(&self) -> impl Iterator<Item = (&str, &str, usize)> {
        let mut before = "";
        let words = tokens(&self.text).filter(|token| !token.is_blank());
        words.filter_map(move |token| {
            let written = token.of(&self.text);
            let before = std::mem::replace(&mut before, written);
            (token.kind == Kind::Parameter).then_some((before, written, token.at.start))
        })
    }

    /// Where something of it was written.
    pub(in crate::sql) fn origin(&self, at: usize) -> Option<(Source, usize)> {
        let next = self.pieces.partition_point(|(begin, _)| *begin <= at);
        let (begin, piece) = self.pieces.get(next.checked_sub(1)?)?;
        let inside = (at - begin).min(piece.at.len());
        Some((piece.source.clone(), piece.at.start + inside))
    }

    /// One more is written out, so deep in others.
    fn enter(&mut self, depth: usize, source: &Source, at: usize) -> Result<(), Problem> {
        self.written += 1;
        let reason = match (depth > DEEPEST, self.written > MOST) {
            (true, _) => {
                format!("macros stand in each other more than {DEEPEST} deep: does one use itself?")
            }
            (_, true) => format!("with all that they stand for these are more than {MOST} macros"),
            _ => return Ok(()),
        };
        Err(Problem::new(source, at, reason))
    }

    fn push(&mut self, source: &Source, at: Range<usize>) -> Result<(), Problem> {
        let piece = Piece {
            source: source.clone(),
            at,
        };
        if self.text.len() + piece.at.len() > LONGEST {
            let reason = format!("with its macros written out it is longer than {LONGEST} bytes");
            return Err(Problem::new(source, piece.at.start, reason));
        }
        let begin = self.text.len();
        self.text.push_str(piece.text());
        match self.pieces.last_mut() {
            Some((_, last)) if last.source.is(source) && last.at.end == piece.at.start => {
                last.at.end = piece.at.end
            }
            _ => self.pieces.push((begin, piece)),
        }
        Ok(())
    }
}

/// Writes out the macros of a piece of text.
pub(super) fn expand(piece: &Piece, macros: &Macros) -> Result<Expanded, Problem> {
    let mut expanded = Expanded::of(piece);
    write(
        &Spot {
            piece,
            arguments: &BTreeMap::new(),
            depth: 0,
        },
        macros,
        &mut expanded,
    )?;
    Ok(expanded)
}

/// What is being written out: a text, what the macro that it is of was given, and how many macros are around it.
struct Spot<'a> {
    piece: &'a Piece,
    /// What stands for `$name`: the text, and the arguments that hold in that.
    arguments: &'a BTreeMap<&'a str, Argument<'a>>,
    depth: usize,
}

/// A text that was given to a macro, as it stands where the macro is used.
struct Argument<'a> {
    piece: Piece,
    of: &'a Spot<'a>,
}

fn write(spot: &Spot<'_>, macros: &Macros, to: &mut Expanded) -> Result<(), Problem> {
    let (source, base) = (&spot.piece.source, spot.piece.at.start);
    let text = spot.piece.text();
    to.read += text.len();
    if to.read > LONGEST * 8 {
        let reason = format!(
            "its macros and what they are given have more than {} bytes",
            LONGEST * 8
        );
        return Err(Problem::new(source, base, reason));
    }
    let all: Vec<Token> = tokens(text).collect();
    let here = |range: &Range<usize>| base + range.start..base + range.end;
    let mut next = 0;
    while let Some(token) = all.get(next) {
        next += 1;
        if token.kind == Kind::Parameter
            && let Some(argument) = token
                .of(text)
                .strip_prefix('$')
                .and_then(|name| spot.arguments.get(name))
        {
            let depth = spot.depth + 1;
            to.enter(depth, source, base + token.at.start)?;
            // What stands in an argument was written where the macro is used, and its own `$name` is that place's.
            write(
                &Spot {
                    piece: &argument.piece,
                    arguments: argument.of.arguments,
                    depth,
                },
                macros,
                to,
            )?;
            continue;
        }
        let used = token.kind == Kind::Word
            && all.get(next).is_some_and(|token| token.kind == Kind::Bang)
            && all
                .get(next + 1)
                .is_some_and(|token| token.kind == Kind::Open);
        if !used {
            to.push(source, here(&token.at))?;
            continue;
        }
        let name = token.of(text);
        let problem = |reason| Problem::new(source, base + token.at.start, reason);
        let Some(known) = macros.get(&name.to_lowercase()) else {
            return Err(problem(format!(
                "there is no macro {name}{}",
                super::alike(name, macros.keys().map(String::as_str))
            )));
        };
        let (given, behind) = given(text, &all, next + 2).ok_or_else(|| {
            problem(format!(
                "what {name}! is given is not closed: a ) is missing"
            ))
        })?;
        next = behind;
        if given.len() != known.arguments.len() {
            let wanted = known.arguments.join(", ");
            return Err(problem(format!(
                "{name}! takes {} ({wanted}), and is given {}",
                known.arguments.len(),
                given.len()
            )));
        }
        let depth = spot.depth + 1;
        to.enter(depth, source, base + token.at.start)?;
        let arguments = known
            .arguments
            .iter()
            .map(String::as_str)
            .zip(given.into_iter().map(|at| Argument {
                piece: Piece {
                    source: source.clone(),
                    at: here(&at),
                },
                of: spot,
            }));
        let arguments = arguments.collect();
        write(
            &Spot {
                piece: &known.body,
                arguments: &arguments,
                depth,
            },
            macros,
            to,
        )?;
    }
    Ok(())
}

/// What stands between the brackets behind a macro's name, and where it goes on; none if they are not closed.
fn given(text: &str, all: &[Token], first: usize) -> Option<(Vec<Range<usize>>, usize)> {
    let mut parts = Vec::new();
    let mut depth = 0;
    let mut begin = all.get(first)?.at.start;
    for (at, token) in all.iter().enumerate().skip(first) {
        match token.kind {
            Kind::Open => depth += 1,
            Kind::Close if depth == 0 => {
                let last = begin..token.at.start;
                let is_none = parts.is_empty()
                    && text
                        .get(last.clone())
                        .is_some_and(|text| text.trim().is_empty());
                if !is_none {
                    parts.push(last);
                }
                return Some((parts, at + 1));
            }
            Kind::Close => depth -= 1,
            Kind::Comma if depth == 0 => {
                parts.push(begin..token.at.start);
                begin = token.at.end;
            }
            _ => {}
        }
    }
    None
}
