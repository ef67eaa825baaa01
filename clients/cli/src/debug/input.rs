//! Where lines come from: a terminal with an editor, or a pipe.

use std::io::{self, IsTerminal as _};

use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::MemHistory;
use rustyline::validate::Validator;
use rustyline::{CompletionType, Config, Editor, Helper};
use tokio::io::{AsyncBufReadExt as _, BufReader, Lines, Stdin};

use super::STRATEGIES;
use super::entry::WORDS;
use crate::error::Error;
use crate::output::{Look, Output};

/// Lines, one at a time.
pub(super) enum Input {
    /// A person at a terminal.
    Terminal(Box<Editor<Words, MemHistory>>),
    /// A file or program.
    Pipe(Lines<BufReader<Stdin>>),
}

/// What came.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    Text(String),
    /// Ctrl-C.
    Interrupted,
    /// The end: Ctrl-D, or the pipe's.
    End,
}

fn failed(source: io::Error) -> Error {
    Error::Terminal {
        what: "read the input",
        source,
    }
}

/// Lines from standard input, whatever it is.
pub(super) fn piped() -> Lines<BufReader<Stdin>> {
    BufReader::new(tokio::io::stdin()).lines()
}

impl Input {
    /// The editor if a person sits at both ends, else plain lines.
    pub(super) fn choose() -> Result<Self, Error> {
        if !(io::stdin().is_terminal() && io::stdout().is_terminal()) {
            return Ok(Self::Pipe(piped()));
        }
        let config = Config::builder()
            .completion_type(CompletionType::List)
            .auto_add_history(true)
            .build();
        // What was recorded may be secret: what is typed about it is kept nowhere.
        let mut editor = Editor::with_history(config, MemHistory::new()).map_err(readline)?;
        editor.set_helper(Some(Words));
        Ok(Self::Terminal(Box::new(editor)))
    }

    pub(super) fn is_terminal(&self) -> bool {
        matches!(self, Self::Terminal(_))
    }

    /// The next line. A pipe's lines are shown behind the prompt, so that a transcript can be read.
    pub(super) async fn line(&mut self, prompt: &str, out: &mut Output) -> Result<Line, Error> {
        match self {
            Self::Terminal(editor) => {
                out.flush()?;
                let painted = out.paint.text(Look::Hint, prompt);
                let read =
                    tokio::task::block_in_place(|| editor.readline(&(prompt, painted.as_str())));
                match read {
                    Ok(line) => Ok(Line::Text(line)),
                    Err(ReadlineError::Eof) => Ok(Line::End),
                    Err(ReadlineError::Interrupted) => Ok(Line::Interrupted),
                    Err(error) => Err(readline(error)),
                }
            }
            Self::Pipe(lines) => {
                out.prompt(out.paint.text(Look::Hint, prompt))?;
                let line = lines.next_line().await.map_err(failed)?;
                out.line(line.as_deref().map(crate::text::clean).unwrap_or_default())?;
                Ok(line.map_or(Line::End, Line::Text))
            }
        }
    }
}

fn readline(error: ReadlineError) -> Error {
    failed(match error {
        ReadlineError::Io(error) => error,
        other => io::Error::other(other.to_string()),
    })
}

/// Completes commands and strategies.
#[derive(Debug)]
pub(super) struct Words;

impl Helper for Words {}
impl Highlighter for Words {}
impl Validator for Words {}

impl Hinter for Words {
    type Hint = String;
}

impl Completer for Words {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        position: usize,
        _: &rustyline::Context<'_>,
    ) -> rustyline::Result<(usize, Vec<String>)> {
        Ok(complete(line.get(..position).unwrap_or(line)))
    }
}

/// Where the completed word begins, and what it may become.
fn complete(typed: &str) -> (usize, Vec<String>) {
    let start = typed.rfind(' ').map_or(0, |space| space + 1);
    let word = typed.get(start..).unwrap_or_default();
    let known: &[&str] = match typed.split_whitespace().next() {
        Some("strategy") if start > 0 => &STRATEGIES,
        _ if start == 0 => &WORDS,
        _ => &[],
    };
    let fitting = known
        .iter()
        .filter(|known| known.starts_with(word))
        .map(|known| (*known).to_owned());
    (start, fitting.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn completion_knows_commands_and_strategies() {
        assert_eq!(complete("inv"), (0, vec!["invalid".to_owned()]));
        assert_eq!(complete("strategy to"), (9, vec!["top-down".to_owned()]));
        assert_eq!(complete("tree va").1.len(), 0);
        assert_eq!(complete("").1.len(), WORDS.len());
    }
}
