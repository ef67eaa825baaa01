//! Source text that a client sends for a recording, because it was not found where the daemon runs.

use std::collections::BTreeMap;

use jhyde_store::{Error as StoreError, KeptSource, Recording};
use thiserror::Error;

use crate::source::text::decode;
use crate::source::{Fit, SourceName};

/// A longer file is refused.
pub const MOST_BYTES_OF_ONE: usize = 2 << 20;
/// And more in all, for one request.
pub const MOST_BYTES: usize = 32 << 20;

/// A file that was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sent {
    /// Below the folder in which the client found it, with `/`.
    pub path: String,
    /// What is in it.
    pub text: Vec<u8>,
    /// When it was changed last, in milliseconds since 1970-01-01 UTC.
    pub modified_ms: Option<u64>,
}

/// What became of files that were sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// Class, its file, and what a reader should know of the text: by class.
    pub added: Vec<(String, String, Vec<String>)>,
    /// How many files are no class's.
    pub unused: u32,
}

/// A file that is not taken; nothing of the request is.
#[derive(Debug, Error)]
pub enum NotTaken {
    /// It has no name that a source file could have.
    #[error("'{0}' is no path below a folder: it has to name a file with '/', and without '..'")]
    Path(String),
    /// It is too long.
    #[error("{0} is longer than 2 MB, which no source file is: leave it out")]
    TooLong(String),
    /// All of them are.
    #[error("more than 32 MB of source were sent at once: send it in several requests")]
    TooMuch,
    /// The recording cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Sent {
    /// Can it be a source file at all?
    ///
    /// # Errors
    /// [`NotTaken`] says why not.
    pub fn check(&self) -> Result<(), NotTaken> {
        let shown = || self.path.chars().take(200).collect::<String>();
        let is_plain =
            |part: &str| !matches!(part, "" | "." | "..") && !part.contains(['\\', '\0']);
        if !self.path.split('/').all(is_plain) {
            return Err(NotTaken::Path(shown()));
        }
        match self.text.len() > MOST_BYTES_OF_ONE {
            true => Err(NotTaken::TooLong(shown())),
            false => Ok(()),
        }
    }
}

/// Keeps files with a recording that are the source of its classes. Of several for one class the first is taken that has
/// lines wherever the class has code, else the first.
///
/// # Errors
/// [`NotTaken`] says why not.
pub fn add(recording: &Recording, files: &[Sent]) -> Result<Taken, NotTaken> {
    let mut wanted: BTreeMap<String, Vec<(String, Fit)>> = BTreeMap::new();
    for id in recording.classes() {
        let Some(class) = recording.class(id)?.filter(|class| class.in_scope) else {
            continue;
        };
        // A class that says nothing that could be a file's name has no source.
        if let Ok(name) = SourceName::of(&class.name, class.source_file.as_deref()) {
            let of_file = wanted.entry(name.path().to_owned()).or_default();
            of_file.push((class.name.clone(), Fit::of(&class)));
        }
    }
    let mut found: BTreeMap<&str, (KeptSource, bool)> = BTreeMap::new();
    let mut taken = Taken::default();
    for file in files {
        file.check()?;
        let named = suffixes(&file.path).find_map(|name| wanted.get_key_value(name));
        let Some(((name, classes), decoded)) = named.zip(decode(file.text.clone())) else {
            taken.unused += 1;
            continue;
        };
        let fits = classes
            .iter()
            .all(|(_, fit)| fit.misfit(&decoded.text).is_none());
        if found
            .get(name.as_str())
            .is_some_and(|(_, other)| *other || !fits)
        {
            taken.unused += 1;
            continue;
        }
        let source = KeptSource {
            file: name.clone(),
            origin: format!("{}, added later", file.path),
            modified_ms: file.modified_ms,
            notes: decoded.note.into_iter().collect(),
            text: decoded.text.into(),
        };
        if found.insert(name, (source, fits)).is_some() {
            taken.unused += 1;
        }
    }
    for (name, (source, _)) in &found {
        recording.add_source(source)?;
        for (class, fit) in wanted.get(*name).into_iter().flatten() {
            let mut notes = source.notes.clone();
            notes.extend(fit.misfit(&source.text));
            taken.added.push((class.clone(), (*name).to_owned(), notes));
        }
    }
    taken.added.sort();
    Ok(taken)
}

/// The path, and what is left of it folder by folder.
fn suffixes(path: &str) -> impl Iterator<Item = &str> {
    let behind = path
        .match_indices('/')
        .filter_map(|(at, _)| path.get(at + 1..));
    std::iter::once(path).chain(behind)
}
