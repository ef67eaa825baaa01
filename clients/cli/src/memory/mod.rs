//! Answers that outlive their recording: kept in a folder of the user's choice, a line of JSON each, so that the folder can
//! be put under version control, edited and merged.
//!
//! The daemon knows nothing of it: it tells the content of the call that is asked, and is told what is remembered of such a
//! call. Nothing is kept unless a folder is named.
//!
//! [`entry`] is one line, `file` reads and writes the folder, and here is what a session does with it.

pub mod entry;
mod file;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use jhyde_proto::v1::CallContent;
use thiserror::Error;

pub use entry::{Entry, Key, Verdict};
pub use file::FILE;

/// Why a memory cannot be used. Nothing of it is changed then.
#[derive(Debug, Error)]
pub enum MemoryError {
    /// The folder or its file cannot be read or written.
    #[error("{what} {path}: {source}")]
    File {
        /// What was tried: `cannot read`.
        what: &'static str,
        /// On what.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// There is no memory in a folder.
    #[error("there is no memory in {0}: jhyde debug RECORDING --memory FOLDER makes one")]
    None(PathBuf),
    /// A line makes no sense.
    #[error("{path}, line {line}: {reason}; nothing was changed: correct the line or delete it")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Counted from 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
    /// Two versions of the file were merged, and somebody has to choose.
    #[error(
        "{path}, line {line}: two versions were merged with conflicts; keep the lines of both sides and delete those that \
         begin with <<<<<<<, ======= or >>>>>>>: what contradicts is shown by jhyde memory list"
    )]
    Markers {
        /// The file.
        path: PathBuf,
        /// Counted from 1.
        line: usize,
    },
    /// A newer program wrote it.
    #[error(
        "{path}, line {line}: it has version {found}, this program knows version {known}: use a newer jhyde; nothing was changed",
        known = entry::VERSION
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Counted from 1.
        line: usize,
        /// Its version.
        found: u64,
    },
    /// It does not fit into the memory that is meant for it.
    #[error(
        "{path} has {bytes} bytes, more than the {limit} that are read: forget what is not needed any more, or use several folders"
    )]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Its size.
        bytes: u64,
        /// What is read at most.
        limit: u64,
    },
}

/// Answers by what they are about. Where there are two for one key, people disagree.
pub type Entries = BTreeMap<Key, Vec<Entry>>;

/// A folder's answers, for one session or command.
#[derive(Debug)]
pub struct Memory {
    folder: PathBuf,
    entries: Entries,
    /// What this session has kept: the call's id, and what of it to take back.
    kept: Vec<(String, Entry)>,
}

impl Memory {
    /// The memory in a folder, which is made if it is not there.
    ///
    /// # Errors
    /// [`MemoryError`] when it cannot be read or made.
    pub fn open(folder: &Path) -> Result<Self, MemoryError> {
        file::make(folder)?;
        Self::read(folder)
    }

    /// The memory that is in a folder.
    ///
    /// # Errors
    /// [`MemoryError::None`] where there is none.
    pub fn existing(folder: &Path) -> Result<Self, MemoryError> {
        match file::is_there(folder) {
            true => Self::read(folder),
            false => Err(MemoryError::None(folder.to_owned())),
        }
    }

    fn read(folder: &Path) -> Result<Self, MemoryError> {
        Ok(Self {
            folder: folder.to_owned(),
            entries: file::read(&folder.join(FILE))?,
            kept: Vec::new(),
        })
    }

    /// All answers.
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.entries.values().flatten()
    }

    /// Is an answer contradicted by another?
    pub fn is_contradicted(&self, entry: &Entry) -> bool {
        let same = self.entries.get(&entry.key);
        same.is_some_and(|same| same.iter().any(|other| other.answer != entry.answer))
    }

    /// The answer for a call with this content, or for the value at the end of a way from it, and who gave it; `None`
    /// where there is none, or two that contradict.
    pub fn recall(&self, content: &CallContent, value: Option<&str>) -> Option<(Verdict, String)> {
        let mut key = Key::from(content);
        key.value = value.map(str::to_owned);
        let same = self.entries.get(&key)?;
        let first = same.first()?;
        let agreed = same.iter().all(|entry| entry.answer == first.answer);
        agreed.then(|| (first.answer, first.told()))
    }

    /// Keeps an answer. It takes the place of those that contradict it: somebody was asked anew.
    ///
    /// # Errors
    /// [`MemoryError`] when the file cannot be changed.
    pub fn keep(&mut self, entry: Entry) -> Result<(), MemoryError> {
        self.kept.push((entry.id.clone(), entry.clone()));
        self.change(|entries| {
            let same = entries.entry(entry.key.clone()).or_default();
            same.retain(|other| other.answer == entry.answer);
            if same.is_empty() {
                same.push(entry);
            }
        })
    }

    /// Forgets what this session kept of a call last.
    ///
    /// # Errors
    /// As [`Memory::keep`].
    pub fn take_back(&mut self, call: &str) -> Result<(), MemoryError> {
        let Some(at) = self.kept.iter().rposition(|(of, _)| of == call) else {
            return Ok(());
        };
        let (_, entry) = self.kept.remove(at);
        self.change(|entries| {
            if let Some(same) = entries.get_mut(&entry.key) {
                same.retain(|other| *other != entry);
            }
        })
    }

    /// Forgets some answers; says how many.
    ///
    /// # Errors
    /// As [`Memory::keep`].
    pub fn forget(&mut self, which: impl Fn(&Entry) -> bool) -> Result<usize, MemoryError> {
        let mut forgotten = 0;
        self.change(|entries| {
            for same in entries.values_mut() {
                let before = same.len();
                same.retain(|entry| !which(entry));
                forgotten += before - same.len();
            }
        })?;
        Ok(forgotten)
    }

    /// Adds the answers of a file, which may be an export; says how many are new.
    ///
    /// # Errors
    /// As [`Memory::keep`]; when the file cannot be read.
    pub fn merge(&mut self, from: &Path) -> Result<usize, MemoryError> {
        let more = file::read(from)?;
        let mut new = 0;
        self.change(|entries| {
            for entry in more.into_values().flatten() {
                let same = entries.entry(entry.key.clone()).or_default();
                if !same.iter().any(|other| other.answer == entry.answer) {
                    same.push(entry);
                    new += 1;
                }
            }
        })?;
        Ok(new)
    }

    /// The answers as lines of a file, one order for all of them.
    ///
    /// # Errors
    /// [`MemoryError::File`] when they cannot be written down, which would be a defect of this program.
    pub fn lines(&self) -> Result<String, MemoryError> {
        file::lines(&self.folder, &self.entries)
    }

    /// Changes what is in the folder now, which another program may have changed since it was read.
    fn change(&mut self, change: impl FnOnce(&mut Entries)) -> Result<(), MemoryError> {
        self.entries = file::change(&self.folder, change)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn entry(input: &str, answer: Verdict) -> Entry {
        let digest = |text: &str| format!("{text:0>32}");
        Entry {
            version: 1,
            key: Key {
                class: "a.B".into(),
                method: "m".into(),
                descriptor: "()V".into(),
                code: digest("1"),
                input: digest(input),
                outcome: digest("3"),
                value: None,
            },
            answer,
            call: "B.m #0".into(),
            recording: "run".into(),
            id: "1.2".into(),
        }
    }

    fn content(entry: &Entry) -> CallContent {
        CallContent {
            class: entry.key.class.clone(),
            method: entry.key.method.clone(),
            descriptor: entry.key.descriptor.clone(),
            code: entry.key.code.clone(),
            body: String::new(),
            input: entry.key.input.clone(),
            outcome: entry.key.outcome.clone(),
        }
    }

    #[test]
    fn what_is_kept_is_there_for_the_next_session_and_taken_back_by_this_one_only() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("memory");
        assert!(matches!(
            Memory::existing(&folder),
            Err(MemoryError::None(_))
        ));
        let mut first = Memory::open(&folder).unwrap();
        let (a, b) = (entry("a", Verdict::Valid), entry("b", Verdict::Invalid));
        first.keep(a.clone()).unwrap();
        first.keep(b.clone()).unwrap();
        let mut second = Memory::existing(&folder).unwrap();
        let told = "answered for B.m #0 [1.2] of run".to_owned();
        assert_eq!(
            second.recall(&content(&a), None),
            Some((Verdict::Valid, told))
        );
        second.take_back("1.2").unwrap();
        assert_eq!(second.entries().count(), 2, "it kept none of them");
        first.take_back("1.2").unwrap();
        second.keep(entry("c", Verdict::Valid)).unwrap();
        let names: Vec<String> = second.entries().map(Entry::name).collect();
        assert_eq!(names, ["000000-000000", "000000-000000"]);
        let third = Memory::existing(&folder).unwrap();
        assert_eq!(third.recall(&content(&b), None), None, "it was taken back");
        assert!(third.recall(&content(&a), None).is_some());
        let mut changed = content(&a);
        changed.code = "2".into();
        assert_eq!(
            third.recall(&changed, None),
            None,
            "a changed method is asked"
        );
    }

    #[test]
    fn merging_is_the_union_and_what_contradicts_is_asked() {
        let folder = tempfile::tempdir().unwrap();
        let (one, other) = (folder.path().join("one"), folder.path().join("other"));
        let mut mine = Memory::open(&one).unwrap();
        let mut theirs = Memory::open(&other).unwrap();
        let valid = entry("a", Verdict::Valid);
        mine.keep(valid.clone()).unwrap();
        mine.keep(entry("b", Verdict::Valid)).unwrap();
        theirs.keep(entry("a", Verdict::Invalid)).unwrap();
        theirs.keep(entry("b", Verdict::Valid)).unwrap();
        theirs.keep(entry("c", Verdict::Valid)).unwrap();
        assert_eq!(mine.merge(&other.join(FILE)).unwrap(), 2);
        assert_eq!(mine.merge(&other.join(FILE)).unwrap(), 0);
        assert_eq!(mine.entries().count(), 4);
        assert!(mine.is_contradicted(&valid));
        assert!(!mine.is_contradicted(&entry("b", Verdict::Valid)));
        assert_eq!(mine.recall(&content(&valid), None), None);
        // Somebody is asked, and says it anew.
        mine.keep(valid.clone()).unwrap();
        assert!(mine.recall(&content(&valid), None).is_some());
        assert_eq!(mine.forget(|entry| entry.call == "B.m #0").unwrap(), 3);
        assert_eq!(Memory::existing(&one).unwrap().entries().count(), 0);
    }

    #[test]
    fn what_is_said_of_one_value_is_not_said_of_the_call() {
        let folder = tempfile::tempdir().unwrap();
        let mut memory = Memory::open(folder.path()).unwrap();
        let of_value = entry("a", Verdict::Right).of_value("this.size".into());
        memory.keep(of_value.clone()).unwrap();
        let memory = Memory::existing(folder.path()).unwrap();
        let told = "answered for this.size of B.m #0 [1.2] of run".to_owned();
        let content = content(&of_value);
        let right = Some((Verdict::Right, told));
        assert_eq!(memory.recall(&content, Some("this.size")), right);
        assert_eq!(memory.recall(&content, Some("result")), None);
        assert_eq!(memory.recall(&content, None), None);
        let line = memory.lines().unwrap();
        assert!(
            line.contains("\"version\":2"),
            "older programs refuse it: {line}"
        );
    }
}
