//! The file of a memory: lines of JSON, sorted, so that versions of it compare and merge line by line.
//!
//! It is only ever replaced as a whole: written beside, made durable, and renamed. Who changes it holds a lock on another
//! file of the folder, and reads it again first, so that two sessions do not lose each other's answers.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::entry::{Entry, VERSION};
use super::{Entries, MemoryError};

/// The file's name in its folder.
pub const FILE: &str = "answers.jsonl";
const LOCK: &str = ".lock";
/// A larger file is not read: some million answers.
const MOST_BYTES: u64 = 512 << 20;

fn failed(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> MemoryError {
    let path = path.to_owned();
    move |source| MemoryError::File { what, path, source }
}

/// Makes the folder and an empty file, where they are not there.
pub(super) fn make(folder: &Path) -> Result<(), MemoryError> {
    fs::create_dir_all(folder).map_err(failed("cannot create", folder))?;
    let path = folder.join(FILE);
    let open = OpenOptions::new().create(true).append(true).open(&path);
    open.map(drop).map_err(failed("cannot write", &path))
}

pub(super) fn is_there(folder: &Path) -> bool {
    folder.join(FILE).is_file()
}

/// The answers of a file.
pub(super) fn read(path: &Path) -> Result<Entries, MemoryError> {
    let file = File::open(path).map_err(failed("cannot read", path))?;
    let bytes = file.metadata().map_err(failed("cannot read", path))?.len();
    let too_large = |bytes| MemoryError::TooLarge {
        path: path.to_owned(),
        bytes,
        limit: MOST_BYTES,
    };
    if bytes > MOST_BYTES {
        return Err(too_large(bytes));
    }
    let mut entries = Entries::new();
    let mut file = BufReader::new(file.take(MOST_BYTES));
    let mut bytes = Vec::new();
    for line in 1.. {
        bytes.clear();
        let read = file.read_until(b'\n', &mut bytes);
        if read.map_err(failed("cannot read", path))? == 0 {
            break;
        }
        let text = String::from_utf8_lossy(&bytes);
        let Some(entry) = understand(path, line, text.trim())? else {
            continue;
        };
        let same = entries.entry(entry.key.clone()).or_default();
        // A union of two versions may have one answer twice.
        if !same.iter().any(|other| other.answer == entry.answer) {
            same.push(entry);
        }
    }
    Ok(entries)
}

fn understand(path: &Path, line: usize, text: &str) -> Result<Option<Entry>, MemoryError> {
    if text.is_empty() {
        return Ok(None);
    }
    let path = || path.to_owned();
    if ["<<<<<<<", "=======", ">>>>>>>", "|||||||"]
        .iter()
        .any(|marker| text.starts_with(marker))
    {
        return Err(MemoryError::Markers { path: path(), line });
    }
    let damaged = |reason: String| MemoryError::Damaged {
        path: path(),
        line,
        reason,
    };
    let value: Value = serde_json::from_str(text)
        .map_err(|error| damaged(format!("it is no line of a memory ({error})")))?;
    match value.get("version").and_then(Value::as_u64) {
        Some(found) if found > u64::from(VERSION) => {
            return Err(MemoryError::Newer {
                path: path(),
                line,
                found,
            });
        }
        Some(1..) => {}
        _ => return Err(damaged("it does not say its version".to_owned())),
    }
    let entry: Entry = serde_json::from_value(value).map_err(|error| damaged(error.to_string()))?;
    let digests = [&entry.key.code, &entry.key.input, &entry.key.outcome];
    let is_digest =
        |text: &&String| text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !digests.iter().all(is_digest) {
        return Err(damaged(
            "a digest is not of 32 hexadecimal digits".to_owned(),
        ));
    }
    Ok(Some(entry))
}

/// Answers as lines.
pub(super) fn lines(folder: &Path, entries: &Entries) -> Result<String, MemoryError> {
    let mut text = String::new();
    for entry in entries.values().flatten() {
        let line = serde_json::to_string(entry).map_err(|error| MemoryError::File {
            what: "cannot write",
            path: folder.join(FILE),
            source: error.into(),
        })?;
        text.push_str(&line);
        text.push('\n');
    }
    Ok(text)
}

/// Changes the file of a folder as it is now, and returns its answers.
pub(super) fn change(
    folder: &Path,
    change: impl FnOnce(&mut Entries),
) -> Result<Entries, MemoryError> {
    let path = folder.join(FILE);
    let _lock = locked(folder)?;
    let mut entries = read(&path)?;
    change(&mut entries);
    entries.retain(|_, same| !same.is_empty());
    entries.values_mut().for_each(|same| same.sort());
    let beside: PathBuf = folder.join(format!("{FILE}.new"));
    let text = lines(folder, &entries)?;
    let write = || -> io::Result<()> {
        let mut file = File::create(&beside)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&beside, &path)?;
        // The rename itself is durable once the folder is.
        File::open(folder)?.sync_all()
    };
    write().map_err(failed("cannot write", &path))?;
    Ok(entries)
}

/// Held as long as the file is open.
fn locked(folder: &Path) -> Result<File, MemoryError> {
    let path = folder.join(LOCK);
    let file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&path);
    let file = file.map_err(failed("cannot create", &path))?;
    file.lock().map_err(failed("cannot lock", &path))?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::super::{Memory, Verdict, tests::entry};
    use super::*;

    /// What is said of a file, and that it stays as it is.
    fn refused(line: &str) -> String {
        let folder = tempfile::tempdir().unwrap();
        let mut memory = Memory::open(folder.path()).unwrap();
        memory.keep(entry("a", Verdict::Valid)).unwrap();
        let path = folder.path().join(FILE);
        let text = fs::read_to_string(&path).unwrap() + line + "\n";
        fs::write(&path, &text).unwrap();
        let error = memory.keep(entry("b", Verdict::Valid)).unwrap_err();
        assert_eq!(fs::read_to_string(&path).unwrap(), text, "nothing is lost");
        assert_eq!(
            Memory::existing(folder.path()).unwrap_err().to_string(),
            error.to_string()
        );
        error.to_string()
    }

    #[test]
    fn damaged_newer_and_half_merged_files_are_named_and_stay() {
        let line = serde_json::to_string(&entry("b", Verdict::Valid)).unwrap();
        assert!(refused(&line[..50]).contains("line 2: it is no line"));
        assert!(refused("<<<<<<< HEAD").contains("line 2: two versions were merged"));
        let newer = line.replace("\"version\":1", "\"version\":7");
        assert!(refused(&newer).contains("line 2: it has version 7"));
        let without = line.replace("\"version\":1,", "");
        assert!(refused(&without).contains("does not say its version"));
        let other = line.replace("\"valid\"", "\"perhaps\"");
        assert!(refused(&other).contains("line 2"), "{}", refused(&other));
        let short = line.replace("\"code\":\"0", "\"code\":\"");
        assert!(refused(&short).contains("32 hexadecimal digits"));
    }

    #[test]
    fn a_file_that_does_not_fit_into_memory_is_refused_by_its_size() {
        let folder = tempfile::tempdir().unwrap();
        let mut memory = Memory::open(folder.path()).unwrap();
        let file = OpenOptions::new()
            .write(true)
            .open(folder.path().join(FILE))
            .unwrap();
        // It takes no room on the disk.
        file.set_len(MOST_BYTES + 1).unwrap();
        let error = memory
            .keep(entry("a", Verdict::Valid))
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("536870913 bytes") && error.contains("several folders"),
            "{error}"
        );
        assert_eq!(
            file.metadata().unwrap().len(),
            MOST_BYTES + 1,
            "nothing was changed"
        );
    }

    #[test]
    fn two_that_keep_at_once_lose_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        std::thread::scope(|scope| {
            for of in ["a", "b", "c", "d"] {
                scope.spawn(move || {
                    let mut memory = Memory::open(path).unwrap();
                    for n in 0..10 {
                        memory
                            .keep(entry(&format!("{of}{n}"), Verdict::Valid))
                            .unwrap();
                    }
                });
            }
        });
        assert_eq!(Memory::existing(path).unwrap().entries().count(), 40);
    }
}
