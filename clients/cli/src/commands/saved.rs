//! `jhyde query save|list|show|delete|import|export|…`: statements in SQL that somebody keeps under a name, with parameters.
//!
//! Each is a file `NAME.sql` in a folder of the user's, or of a project (`--folder`, `JHYDE_QUERIES`), so that it can be edited and put under version
//! control. The daemon knows nothing of them. A comment in its first lines says what it is; its parameters are the `$name` in it.

use std::collections::HashMap;
use std::io::{ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::{env, fs};

use super::answers;
use super::sql::scan::{comment, parameters};
use crate::args::{SavedArgs, SavedCommand};
use crate::error::Error;
use crate::json::{LostQueryJson, SavedJson};
use crate::output::{Look, Output};
use crate::text::{Cell, Table, clean};

/// A text may be so long, in bytes: the daemon takes no longer one.
const LONGEST: u64 = 1 << 20;

/// A statement that is kept.
#[derive(Debug)]
pub(super) struct Saved {
    pub(super) name: String,
    pub(super) text: String,
}

impl Saved {
    /// The one of this name, if it is kept.
    pub(super) fn find(name: &str, folder: Option<&Path>) -> Result<Option<Self>, Error> {
        if !is_name(name) {
            return Ok(None);
        }
        let path = folder_of(folder)?.join(file(name));
        let text = match read(&path) {
            Ok(text) => text,
            Err(Error::File { source, .. }) if source.kind() == ErrorKind::NotFound => {
                return Ok(None);
            }
            Err(error) => return Err(error),
        };
        let name = name.to_owned();
        Ok(Some(Self { name, text }))
    }

    /// What its parameters are, from `name=value`, or values in the order of the parameters.
    pub(super) fn given(&self, words: &[String]) -> Result<HashMap<String, String>, Error> {
        let names = parameters(&self.text);
        let mut given = HashMap::new();
        for word in words {
            let named = word
                .split_once('=')
                .filter(|(name, _)| names.iter().any(|known| known == name));
            let (name, value) = match named {
                Some((name, value)) => (name.to_owned(), value),
                None => match names.iter().find(|name| !given.contains_key(*name)) {
                    Some(name) => (name.clone(), word.as_str()),
                    None => {
                        return Err(Error::Usage(format!(
                            "'{}' is too much: {}",
                            clean(word),
                            self.usage()
                        )));
                    }
                },
            };
            if given.insert(name.clone(), value.to_owned()).is_some() {
                return Err(Error::Usage(format!(
                    "{name} is given twice: {}",
                    self.usage()
                )));
            }
        }
        match names.iter().find(|name| !given.contains_key(*name)) {
            Some(missing) => Err(Error::Usage(format!(
                "{missing} is missing: {}",
                self.usage()
            ))),
            None => Ok(given),
        }
    }

    fn usage(&self) -> String {
        let names = parameters(&self.text)
            .into_iter()
            .map(|name| name.to_uppercase());
        let all: Vec<_> = std::iter::once(format!("jhyde query RECORDING {}", self.name))
            .chain(names)
            .collect();
        all.join(" ")
    }
}

/// Keeps, lists, shows, deletes, takes in or gives out. `built_in` are names that are taken.
///
/// # Errors
/// When a name is none, or is there or is not there; when files cannot be read or written.
pub async fn saved(
    command: &SavedCommand,
    built_in: &[String],
    out: &mut Output,
) -> Result<(), Error> {
    match command {
        SavedCommand::Save {
            name,
            file,
            command,
            args,
        } => {
            let text = match (command, file) {
                (Some(text), _) => text.clone(),
                (None, Some(file)) if file.as_os_str() != "-" => read(file)?,
                (None, _) => standard_input()?,
            };
            keep(name, &text, built_in, args, out)
        }
        SavedCommand::Import { file, name, args } => {
            let stem = file
                .file_stem()
                .map(|stem| stem.to_string_lossy().into_owned());
            let name = name.clone().or(stem).unwrap_or_default();
            keep(&name, &read(file)?, built_in, args, out)
        }
        SavedCommand::List { args } => list(args, out),
        SavedCommand::Show { name, args } => {
            let saved = existing(name, args)?;
            match out.json {
                true => out.object(&json(&saved)),
                false => out.line(
                    saved
                        .text
                        .trim_end()
                        .split('\n')
                        .map(clean)
                        .collect::<Vec<_>>()
                        .join("\n"),
                ),
            }
        }
        SavedCommand::Answers { args } => answers::list(args.folder.as_deref(), out),
        SavedCommand::Answer {
            name,
            csv,
            delete,
            args,
        } => match delete {
            true => answers::delete(name, args.folder.as_deref(), out),
            false => answers::show(name, args.folder.as_deref(), *csv, out).await,
        },
        SavedCommand::Diff { left, right, args } => {
            answers::diff(left, right, args.folder.as_deref(), out)
        }
        SavedCommand::Export { name, file, args } => {
            let saved = existing(name, args)?;
            write(file, lines(&saved.text).as_bytes(), args.force)?;
            out.line(format!(
                "{} is in {}",
                saved.name,
                clean(&file.display().to_string())
            ))
        }
        SavedCommand::Delete { name, args } => {
            let folder = folder_of(args.folder.as_deref())?;
            let path = folder.join(file(name));
            // What is in it need not be readable.
            match is_name(name).then(|| fs::remove_file(&path)) {
                None => return Err(not_kept(name, &folder)),
                Some(Err(error)) if error.kind() == ErrorKind::NotFound => {
                    return Err(not_kept(name, &folder));
                }
                Some(removed) => removed.map_err(failed("delete", &path))?,
            }
            out.line(format!("{name} is deleted"))
        }
    }
}

fn keep(
    name: &str,
    text: &str,
    built_in: &[String],
    args: &SavedArgs,
    out: &mut Output,
) -> Result<(), Error> {
    if !is_name(name) {
        return Err(Error::Usage(format!(
            "'{}' is no name for a query: write letters, digits, - and _, a letter first",
            clean(name)
        )));
    }
    if built_in.iter().any(|known| known == name) {
        return Err(Error::Usage(format!(
            "{name} is a query that comes with jhyde: take another name"
        )));
    }
    if text.trim().is_empty() {
        return Err(Error::Usage(
            "there is nothing to keep: write a SELECT".to_owned(),
        ));
    }
    let folder = folder_of(args.folder.as_deref())?;
    fs::create_dir_all(&folder).map_err(failed("create", &folder))?;
    write(&folder.join(file(name)), lines(text).as_bytes(), args.force)?;
    let saved = Saved {
        name: name.to_owned(),
        text: text.to_owned(),
    };
    out.line(format!("kept: {}", saved.usage()))
}

fn list(args: &SavedArgs, out: &mut Output) -> Result<(), Error> {
    let folder = folder_of(args.folder.as_deref())?;
    let names = names_in(&folder, ".sql")?;
    let mut table = Table::new(&["QUERY", "PARAMETERS", "WHAT"]);
    let mut lost = Vec::new();
    for name in &names {
        let saved = match Saved::find(name, args.folder.as_deref()) {
            Ok(Some(saved)) => saved,
            Ok(None) => continue,
            // The others are listed all the same.
            Err(error) => {
                lost.push((name, error.to_string()));
                continue;
            }
        };
        if out.json {
            out.object(&json(&saved))?;
            continue;
        }
        table.row(vec![
            Cell::with(Look::Strong, saved.name.clone()),
            Cell::new(parameters(&saved.text).join(" ")),
            Cell::new(clean(&comment(&saved.text)).into_owned()),
        ]);
    }
    if out.json {
        return lost.into_iter().try_for_each(|(query, cannot_be_read)| {
            out.object(&LostQueryJson {
                query,
                cannot_be_read,
            })
        });
    }
    if names.is_empty() {
        return nothing(&folder, out);
    }
    listed(table, names.len() - lost.len(), &lost, out)
}

/// Ends a list for people: a table of what can be read, so many rows, and what cannot, by name, and why.
pub(super) fn listed(
    table: Table,
    rows: usize,
    lost: &[(&String, String)],
    out: &mut Output,
) -> Result<(), Error> {
    if rows > 0 {
        table.write(out)?;
    }
    for (name, why) in lost {
        let told = format!("! {name} cannot be read: {}", clean(why));
        out.line(out.paint.text(Look::Hint, told))?;
    }
    Ok(())
}

/// What is kept in a folder, by name; nothing where there is no such folder.
pub(super) fn names_in(folder: &Path, ending: &str) -> Result<Vec<String>, Error> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(failed("read", folder)(error)),
    };
    let mut names = Vec::new();
    for entry in entries {
        let name = entry.map_err(failed("read", folder))?.file_name();
        let name = name.to_string_lossy();
        let name = name.strip_suffix(ending).filter(|name| is_name(name));
        names.extend(name.map(str::to_owned));
    }
    names.sort_unstable();
    Ok(names)
}

fn nothing(folder: &Path, out: &mut Output) -> Result<(), Error> {
    out.line(format!(
        "no queries are kept in {} (jhyde query --list tells those that come with jhyde)",
        clean(&folder.display().to_string())
    ))
}

fn existing(name: &str, args: &SavedArgs) -> Result<Saved, Error> {
    let folder = folder_of(args.folder.as_deref())?;
    Saved::find(name, args.folder.as_deref())?.ok_or_else(|| not_kept(name, &folder))
}

fn not_kept(name: &str, folder: &Path) -> Error {
    Error::Failed(format!(
        "no query '{}' is kept in {}: jhyde query list tells which are",
        clean(name),
        clean(&folder.display().to_string())
    ))
}

fn json(saved: &Saved) -> SavedJson {
    SavedJson {
        query: saved.name.clone(),
        description: comment(&saved.text),
        parameters: parameters(&saved.text),
        statement: saved.text.clone(),
    }
}

/// A name that is a file's, too, on any system, and no other query's.
pub(super) fn is_name(name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    name.len() <= 64
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(is_part)
}

fn file(name: &str) -> String {
    format!("{name}.sql")
}

/// Where queries are kept: where the command line says, or the environment, or beside the user's configuration.
pub(super) fn folder_of(named: Option<&Path>) -> Result<PathBuf, Error> {
    let of = |name: &str| {
        env::var_os(name)
            .filter(|path| !path.is_empty())
            .map(PathBuf::from)
    };
    let own = || {
        of("XDG_CONFIG_HOME")
            .or_else(|| Some(of("HOME")?.join(".config")))
            .map(|folder| folder.join("jhyde/queries"))
    };
    named
        .map(Path::to_owned)
        .or_else(|| of("JHYDE_QUERIES"))
        .or_else(own)
        .ok_or_else(|| Error::Usage("nobody says where queries are kept: name a folder with --folder, or in JHYDE_QUERIES".to_owned()))
}

pub(super) fn failed(what: &'static str, path: &Path) -> impl Fn(std::io::Error) -> Error {
    let path = path.to_owned();
    move |source| Error::File {
        what,
        path: path.clone(),
        source,
    }
}

fn read(path: &Path) -> Result<String, Error> {
    let mut text = String::new();
    let file = fs::File::open(path).map_err(failed("read", path))?;
    file.take(LONGEST + 1)
        .read_to_string(&mut text)
        .map_err(failed("read", path))?;
    short(text)
}

fn standard_input() -> Result<String, Error> {
    let mut text = String::new();
    let input = std::io::stdin().lock();
    input
        .take(LONGEST + 1)
        .read_to_string(&mut text)
        .map_err(failed("read", Path::new("standard input")))?;
    short(text)
}

fn short(text: String) -> Result<String, Error> {
    match text.len() as u64 > LONGEST {
        true => Err(Error::Usage(format!(
            "a statement has at most {LONGEST} bytes, and this is longer"
        ))),
        false => Ok(text),
    }
}

/// A text that ends with its last line.
fn lines(text: &str) -> String {
    format!("{}\n", text.trim_end())
}

/// Writes a file, over one that is there only if somebody says so; whole or not at all.
pub(super) fn write(path: &Path, bytes: &[u8], force: bool) -> Result<(), Error> {
    if !force && path.exists() {
        let path = clean(&path.display().to_string()).into_owned();
        return Err(Error::Failed(format!(
            "{path} is there already: --force writes over it"
        )));
    }
    let beside = path.with_extension(format!("{}.new", std::process::id()));
    let mut file = fs::File::create(&beside).map_err(failed("write", &beside))?;
    let written = file
        .write_all(bytes)
        .and_then(|()| file.sync_all())
        .and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        // It is of no use, and what was written before is there still.
        let _ = fs::remove_file(&beside);
    }
    written.map_err(failed("write", path))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(text: &str, words: &[&str]) -> Result<Vec<(String, String)>, String> {
        let saved = Saved {
            name: "q".to_owned(),
            text: text.to_owned(),
        };
        let words: Vec<_> = words.iter().map(|word| (*word).to_owned()).collect();
        let given = saved.given(&words).map_err(|error| error.to_string())?;
        let mut given: Vec<_> = given.into_iter().collect();
        given.sort();
        Ok(given)
    }

    #[test]
    fn parameters_are_given_in_their_order_or_by_name() {
        let text =
            "SELECT * FROM calls WHERE method = $method AND depth < $depth AND class <> '$no'";
        let told = |method: &str, depth: &str| {
            Ok(vec![
                ("depth".to_owned(), depth.to_owned()),
                ("method".to_owned(), method.to_owned()),
            ])
        };
        assert_eq!(given(text, &["merge", "3"]), told("merge", "3"));
        assert_eq!(given(text, &["depth=3", "merge"]), told("merge", "3"));
        assert_eq!(
            given(text, &["a=b", "3"]),
            told("a=b", "3"),
            "no parameter is called a"
        );
        assert!(given(text, &["merge"]).is_err_and(|said| said == "depth is missing: jhyde query RECORDING q METHOD DEPTH"));
        assert!(given(text, &["1", "2", "3"]).is_err_and(|said| said.contains("'3' is too much")));
        assert!(given(text, &["1", "method=2"]).is_err_and(|said| said.contains("given twice")));
    }

    #[test]
    fn names_are_those_of_files() {
        assert!(
            is_name("hot-methods_2")
                && !is_name("../x")
                && !is_name("")
                && !is_name("a.b")
                && !is_name("1a")
        );
    }
}
