//! Statements at a terminal, one after another: with a history that is kept, and names that are completed.

use std::path::PathBuf;

use jhyde_proto::v1::{SqlModule, SqlRequest, SqlTable};
use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::FileHistory;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{CompletionType, Config, Editor, Helper};

use super::scan::is_whole;
use super::tables::tell;
use crate::args::SqlArgs;
use crate::commands::Context;
use crate::error::Error;
use crate::output::Look;
use crate::text::clean;

/// What the prompt itself understands.
const COMMANDS: [(&str, &str); 3] = [
    (
        ".tables",
        "what tables there are; with a name: its columns, and what an index serves",
    ),
    (".help", "this"),
    (".quit", "leave (Ctrl-D, too)"),
];

/// Words of SQL that are completed beside names.
const KEYWORDS: [&str; 29] = [
    "SELECT",
    "DISTINCT",
    "FROM",
    "WHERE",
    "GROUP",
    "ORDER",
    "BY",
    "HAVING",
    "LIMIT",
    "OFFSET",
    "JOIN",
    "LEFT",
    "USING",
    "UNION",
    "ALL",
    "EXCEPT",
    "INTERSECT",
    "WITH",
    "RECURSIVE",
    "VALUES",
    "BETWEEN",
    "LIKE",
    "NULL",
    "DESC",
    "CASE",
    "WHEN",
    "CREATE TEMP VIEW",
    "INCLUDE MODULE",
    "EXPLAIN",
];

/// So many statements are kept.
const KEPT: usize = 1000;

/// Asks for statements, and answers them, until somebody leaves.
pub(super) async fn prompt(
    context: &mut Context,
    request: SqlRequest,
    args: &SqlArgs,
) -> Result<(), Error> {
    let known = super::all_tables(context).await?;
    let modules = super::all_modules(context).await?;
    let config = Config::builder()
        .completion_type(CompletionType::List)
        .auto_add_history(true)
        // What shall not be kept is written behind a space, as in shells.
        .history_ignore_space(true)
        .history_ignore_dups(true)
        .and_then(|config| config.max_history_size(KEPT))
        .map_err(failed)?
        .build();
    let mut editor: Editor<Statements, FileHistory> =
        Editor::with_config(config).map_err(failed)?;
    let schemas = request.others.iter().map(|one| one.schema.clone());
    let schemas = std::iter::once(request.schema.clone()).chain(schemas);
    editor.set_helper(Some(Statements::new(&known, &modules, schemas)));
    let kept = history_file();
    if let Some(file) = &kept {
        // There is none the first time.
        let _ = editor.load_history(file);
    }
    let out = &mut context.out;
    let hint = "a statement ends with ;  (.help: more, Ctrl-D: leave)";
    out.line(out.paint.text(Look::Faint, hint))?;
    let prompt = format!("{}> ", clean(&args.words.join(" ")));
    loop {
        context.out.flush()?;
        let painted = context.out.paint.text(Look::Hint, &prompt);
        let read = tokio::task::block_in_place(|| editor.readline(&(&*prompt, painted.as_str())));
        if let Some(file) = &kept {
            keep(&mut editor, file);
        }
        let line = match read {
            Ok(line) => line,
            Err(ReadlineError::Interrupted) => continue,
            Err(ReadlineError::Eof) => return Ok(()),
            Err(error) => return Err(failed(error)),
        };
        let text = line.trim();
        match text.strip_prefix('.') {
            Some(command) if command_is_the_last(command, &known, context)? => return Ok(()),
            Some(_) => {}
            None if text.trim_end_matches(';').trim().is_empty() => {}
            None => {
                let statement = line.clone();
                let request = SqlRequest {
                    statement,
                    ..request.clone()
                };
                // What is wrong with a statement is said, and the next one may be right. Ctrl-C ends the statement alone: who leaves it
                // ends it in the daemon, too.
                let ran = tokio::select! {
                    biased;
                    _ = tokio::signal::ctrl_c() => {
                        let out = &mut context.out;
                        out.line(out.paint.text(Look::Hint, "interrupted"))
                    }
                    ran = super::run(context, request, super::Form::of(args), &args.keep) => ran,
                };
                match ran {
                    Ok(()) => {}
                    Err(error) if error.is_of_the_terminal() => return Err(error),
                    Err(error) => {
                        let out = &mut context.out;
                        out.line(out.paint.text(Look::Bad, clean(&error.to_string())))?;
                    }
                }
            }
        }
    }
}

/// Does what a command of the prompt says; is it the last one?
fn command_is_the_last(
    command: &str,
    known: &[SqlTable],
    context: &mut Context,
) -> Result<bool, Error> {
    let out = &mut context.out;
    let command = command.trim_end_matches(';').trim();
    let (word, rest) = command
        .split_once(char::is_whitespace)
        .unwrap_or((command, ""));
    match (word, rest.trim()) {
        ("quit" | "exit", _) => return Ok(true),
        ("help", _) => {
            for (command, what) in COMMANDS {
                out.line(format!("{command:8} {what}"))?;
            }
            out.line("SELECT …; asks; Tab completes names, the arrows lead to earlier statements; of what begins with a space nothing is kept".to_owned())?;
        }
        ("tables" | "table", "") => {
            for table in known {
                let name = out.paint.text(Look::Strong, format!("{:14}", head(table)));
                out.line(format!("{name} {}", table.description))?;
            }
        }
        ("tables" | "table", name) => {
            let named: Vec<_> = known
                .iter()
                .filter(|table| table.name == name)
                .cloned()
                .collect();
            match named.is_empty() {
                true => out.line(format!(
                    "there is no table {}: .tables tells which there are",
                    clean(name)
                ))?,
                false => tell(&named, out)?,
            }
        }
        _ => out.line(format!(
            "there is no command .{}: .help tells which there are",
            clean(word)
        ))?,
    }
    Ok(false)
}

fn head(table: &SqlTable) -> String {
    let arguments: Vec<_> = table.arguments.iter().map(|a| a.name.as_str()).collect();
    match arguments.is_empty() {
        true => table.name.clone(),
        false => format!("{}({})", table.name, arguments.join(", ")),
    }
}

fn failed(error: ReadlineError) -> Error {
    let source = match error {
        ReadlineError::Io(error) => error,
        other => std::io::Error::other(other.to_string()),
    };
    Error::Terminal {
        what: "read the input",
        source,
    }
}

/// Where statements are kept; nowhere if nobody says where the user's files are.
fn history_file() -> Option<PathBuf> {
    let of = |name: &str| {
        std::env::var_os(name)
            .filter(|path| !path.is_empty())
            .map(PathBuf::from)
    };
    let state = of("XDG_STATE_HOME").or_else(|| Some(of("HOME")?.join(".local/state")))?;
    Some(state.join("jhyde/sql-history"))
}

/// Keeps the statements for the next time, for their owner's eyes. That they cannot be kept keeps nobody from asking.
fn keep(editor: &mut Editor<Statements, FileHistory>, file: &std::path::Path) {
    use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
    let Some(folder) = file.parent() else { return };
    let mut builder = std::fs::DirBuilder::new();
    let _ = builder.recursive(true).mode(0o700).create(folder);
    let opened = std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .mode(0o600)
        .open(file);
    if opened.is_ok() {
        let _ = editor.append_history(file);
    }
}

/// Completes names, and knows when a statement has come to its end.
#[derive(Debug)]
struct Statements {
    /// Tables, functions, columns, schemas, modules with what they define, and words of SQL, each once.
    names: Vec<String>,
}

impl Statements {
    fn new(
        tables: &[SqlTable],
        modules: &[SqlModule],
        schemas: impl Iterator<Item = String>,
    ) -> Self {
        let functions = tables.iter().map(|table| match table.arguments.is_empty() {
            true => table.name.clone(),
            false => format!("{}(", table.name),
        });
        let columns = tables
            .iter()
            .flat_map(|table| table.columns.iter().map(|column| column.name.clone()));
        let schemas = schemas
            .filter(|schema| !schema.is_empty())
            .map(|schema| format!("{schema}."));
        let defined = modules.iter().flat_map(|module| {
            let definitions = module.definitions.iter();
            definitions.map(|defined| format!("{}(", defined.name))
        });
        let modules = modules.iter().map(|module| module.name.clone());
        let words = KEYWORDS.iter().map(|word| (*word).to_owned());
        let commands = COMMANDS.iter().map(|(command, _)| (*command).to_owned());
        let mut names: Vec<_> = functions
            .chain(columns)
            .chain(schemas)
            .chain(modules)
            .chain(defined)
            .chain(words)
            .chain(commands)
            .collect();
        names.sort_unstable();
        names.dedup();
        Self { names }
    }

    /// Where the completed word begins, and what it may become.
    fn completed(&self, typed: &str) -> (usize, Vec<String>) {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let word = typed.trim_end_matches(is_part).len();
        // With what stands before its dot: the name of a module, `std.loops`, or a command of the prompt.
        let dotted = typed.trim_end_matches(|c| is_part(c) || c == '.').len();
        let whole = self.beginning_with(&typed[dotted..]);
        match whole.is_empty() {
            false => (dotted, whole),
            true => (word, self.beginning_with(&typed[word..])),
        }
    }

    fn beginning_with(&self, typed: &str) -> Vec<String> {
        let lower = typed.to_lowercase();
        let names = self.names.iter().filter(|_| !lower.is_empty());
        let fitting = names.filter(|name| name.to_lowercase().starts_with(&lower));
        fitting.cloned().collect()
    }
}

impl Helper for Statements {}
impl Highlighter for Statements {}

impl Hinter for Statements {
    type Hint = String;
}

impl Validator for Statements {
    fn validate(&self, context: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        let text = context.input().trim();
        Ok(
            match text.is_empty() || text.starts_with('.') || is_whole(text) {
                true => ValidationResult::Valid(None),
                false => ValidationResult::Incomplete,
            },
        )
    }
}

impl Completer for Statements {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        position: usize,
        _: &rustyline::Context<'_>,
    ) -> rustyline::Result<(usize, Vec<String>)> {
        Ok(self.completed(line.get(..position).unwrap_or(line)))
    }
}

#[cfg(test)]
mod tests {
    use jhyde_proto::v1::SqlDefinition;

    use super::*;

    #[test]
    fn names_are_completed_whatever_their_case() {
        let table = SqlTable {
            name: "children".to_owned(),
            ..SqlTable::default()
        };
        let module = SqlModule {
            name: "std.loops".to_owned(),
            definitions: vec![SqlDefinition {
                name: "loops_by_iterations".to_owned(),
                ..SqlDefinition::default()
            }],
            ..SqlModule::default()
        };
        let schemas = ["old".to_owned(), String::new()].into_iter();
        let known = Statements::new(&[table], &[module], schemas);
        assert_eq!(
            known.completed("SELECT * FROM chi"),
            (14, vec!["children".to_owned()])
        );
        assert_eq!(known.completed("sel"), (0, vec!["SELECT".to_owned()]));
        assert_eq!(
            known.completed("SELECT * FROM ol"),
            (14, vec!["old.".to_owned()])
        );
        assert_eq!(
            known.completed("SELECT old.chi"),
            (11, vec!["children".to_owned()])
        );
        assert_eq!(known.completed(".ta"), (0, vec![".tables".to_owned()]));
        assert_eq!(known.completed("SELECT "), (7, Vec::new()));
        let module = "INCLUDE MODULE ".to_owned();
        assert_eq!(
            known.completed("incl"),
            (0, vec!["INCLUDE MODULE".to_owned()])
        );
        for typed in ["st", "std.", "STD.lo"] {
            let completed = known.completed(&(module.clone() + typed));
            assert_eq!(completed, (module.len(), vec!["std.loops".to_owned()]));
        }
        assert_eq!(
            known.completed("SELECT * FROM loops_"),
            (14, vec!["loops_by_iterations(".to_owned()])
        );
    }
}
