//! One place that may have source files: a folder, or a jar or zip. What a class names is looked for in it, and
//! nothing that lies outside is ever read.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, ErrorKind, Read};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::UNIX_EPOCH;

use rustix::fs::OFlags;
use thiserror::Error;
use zip::ZipArchive;

use super::name::SourceName;
use super::text::{self, MOST_BYTES};

/// Where source lies under a project's folder.
const USUAL: [&str; 14] = [
    "",
    "src/main/java",
    "src/test/java",
    "src",
    "src/java",
    "src/test",
    "test",
    "tests",
    "java",
    "src/main/kotlin",
    "src/test/kotlin",
    "src/main/scala",
    "src/main/groovy",
    "src/it/java",
];

/// More entries than any JDK's source has; an archive with more is not searched.
const MOST_ENTRIES: usize = 500_000;

/// Text that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The whole text.
    pub text: String,
    /// Where, in words for people.
    pub origin: String,
    /// When the file (or the archive) was changed last, in milliseconds since 1970-01-01 UTC.
    pub modified_ms: Option<u64>,
    /// What a reader should know.
    pub notes: Vec<String>,
}

/// There is something, and it is not to be shown.
#[derive(Debug, Error)]
pub enum Trouble {
    /// A link that leads out of the place.
    #[error("{file} is a link that leads out of {place}: it was not read", file = .file.display(), place = .place.display())]
    LeadsOut {
        /// What was found.
        file: PathBuf,
        /// Where it should stay.
        place: PathBuf,
    },
    /// Not text.
    #[error("{0} is not text")]
    NotText(String),
    /// Too large.
    #[error("{0} is larger than {most} MB, which is the most that is read", most = MOST_BYTES >> 20)]
    TooLarge(String),
    /// Not a file.
    #[error("{0} is no file")]
    NoFile(String),
    /// It cannot be read.
    #[error("{what} cannot be read: {source}")]
    Unreadable {
        /// What.
        what: String,
        /// Why.
        source: io::Error,
    },
    /// An archive that is none.
    #[error("{path} is no readable jar or zip: {reason}", path = .path.display())]
    Archive {
        /// Which.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
}

/// See the module.
#[derive(Debug)]
pub struct Place {
    /// With all links followed.
    root: PathBuf,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Folder,
    Archive {
        archive: Mutex<ZipArchive<BufReader<File>>>,
        /// Names of entries by the name of their file.
        entries: HashMap<String, Vec<String>>,
        modified_ms: Option<u64>,
    },
}

impl Place {
    /// Opens a folder, a jar or a zip.
    ///
    /// # Errors
    /// It is not there, or neither.
    pub fn open(path: &Path) -> Result<Self, Trouble> {
        let unreadable = |source| Trouble::Unreadable {
            what: path.display().to_string(),
            source,
        };
        let root = path.canonicalize().map_err(unreadable)?;
        let about = fs::metadata(&root).map_err(unreadable)?;
        let kind = if about.is_dir() {
            Kind::Folder
        } else if about.is_file() {
            open_archive(&root)?
        } else {
            return Err(Trouble::NoFile(path.display().to_string()));
        };
        Ok(Self { root, kind })
    }

    /// The text of a file, if it is here. Of several in one place, the first that `fits`, else the first.
    ///
    /// # Errors
    /// [`Trouble`]: something of that name is here, and is not to be shown.
    pub fn find(
        &self,
        name: &SourceName,
        fits: &dyn Fn(&str) -> bool,
    ) -> Result<Option<Found>, Trouble> {
        let mut first = None;
        let mut trouble = None;
        let candidates: Vec<Candidate<'_>> = match &self.kind {
            Kind::Folder => {
                let files = USUAL
                    .iter()
                    .map(|usual| self.root.join(usual).join(name.path()));
                files.map(Candidate::File).collect()
            }
            Kind::Archive { entries, .. } => {
                of_archive(entries, name).map(Candidate::Entry).collect()
            }
        };
        for candidate in candidates {
            match self.read(&candidate) {
                Ok(Some(found)) if fits(&found.text) => return Ok(Some(found)),
                Ok(Some(found)) => first = first.or(Some(found)),
                Ok(None) => {}
                Err(error) => trouble = trouble.or(Some(error)),
            }
        }
        match (first, trouble) {
            (None, Some(trouble)) => Err(trouble),
            (first, _) => Ok(first),
        }
    }

    fn read(&self, candidate: &Candidate<'_>) -> Result<Option<Found>, Trouble> {
        match (candidate, &self.kind) {
            (Candidate::File(path), _) => self.read_file(path),
            (
                Candidate::Entry(entry),
                Kind::Archive {
                    archive,
                    modified_ms,
                    ..
                },
            ) => self.read_entry(archive, entry, *modified_ms).map(Some),
            (Candidate::Entry(_), Kind::Folder) => Ok(None),
        }
    }

    fn read_file(&self, path: &Path) -> Result<Option<Found>, Trouble> {
        let origin = path.display().to_string();
        let unreadable = |source: io::Error| match source.kind() {
            ErrorKind::NotFound | ErrorKind::NotADirectory => Ok(None),
            _ => Err(Trouble::Unreadable {
                what: origin.clone(),
                source,
            }),
        };
        let real = match path.canonicalize() {
            Ok(real) => real,
            Err(error) => return unreadable(error),
        };
        if !real.starts_with(&self.root) {
            return Err(Trouble::LeadsOut {
                file: path.to_owned(),
                place: self.root.clone(),
            });
        }
        // A pipe of that name must not hold us up, nor a link that was put there just now be followed.
        let flags = OFlags::NONBLOCK | OFlags::NOFOLLOW;
        let opened = OpenOptions::new()
            .read(true)
            .custom_flags(flags.bits().cast_signed())
            .open(&real);
        let file = match opened {
            Ok(file) => file,
            Err(error) => return unreadable(error),
        };
        let about = match file.metadata() {
            Ok(about) => about,
            Err(error) => return unreadable(error),
        };
        if !about.is_file() {
            return Err(Trouble::NoFile(origin));
        }
        let modified_ms = milliseconds(&about);
        decoded(file, origin, modified_ms).map(Some)
    }

    fn read_entry(
        &self,
        archive: &Mutex<ZipArchive<BufReader<File>>>,
        entry: &str,
        modified_ms: Option<u64>,
    ) -> Result<Found, Trouble> {
        let mut archive = archive.lock().unwrap_or_else(PoisonError::into_inner);
        let file = archive.by_name(entry).map_err(|error| Trouble::Archive {
            path: self.root.clone(),
            reason: error.to_string(),
        })?;
        let origin = format!("{} in {}", entry.escape_debug(), self.root.display());
        if !file.is_file() {
            return Err(Trouble::NoFile(origin));
        }
        decoded(file, origin, modified_ms)
    }
}

enum Candidate<'a> {
    File(PathBuf),
    Entry(&'a str),
}

/// The entries that may be the file: the path itself, or the path in some folder (`java.base/java/util/Map.java`,
/// `src/main/java/…`), the least deep first.
fn of_archive<'a>(
    entries: &'a HashMap<String, Vec<String>>,
    name: &SourceName,
) -> impl Iterator<Item = &'a str> {
    let same_file = entries.get(name.file()).into_iter().flatten();
    let mut fitting: Vec<&str> = same_file
        .filter(|entry| {
            let before = entry.strip_suffix(name.path());
            before.is_some_and(|before| before.is_empty() || before.ends_with('/'))
        })
        .map(String::as_str)
        .collect();
    fitting.sort_by_key(|entry| (entry.matches('/').count(), entry.len(), *entry));
    fitting.into_iter()
}

fn open_archive(path: &Path) -> Result<Kind, Trouble> {
    let broken = |reason: String| Trouble::Archive {
        path: path.to_owned(),
        reason,
    };
    let file = File::open(path).map_err(|source| Trouble::Unreadable {
        what: path.display().to_string(),
        source,
    })?;
    let modified_ms = file.metadata().ok().as_ref().and_then(milliseconds);
    let archive =
        ZipArchive::new(BufReader::new(file)).map_err(|error| broken(error.to_string()))?;
    if archive.len() > MOST_ENTRIES {
        return Err(broken(format!("it has {} entries", archive.len())));
    }
    let mut entries: HashMap<String, Vec<String>> = HashMap::new();
    for entry in archive.file_names() {
        // A name that is not text is not what a class names.
        let Ok(entry) = entry else { continue };
        let entry = entry.as_ref();
        let file = entry.rsplit('/').next().unwrap_or(entry);
        // The folders' own entries have none.
        if !file.is_empty() && !file.ends_with(".class") {
            entries
                .entry(file.to_owned())
                .or_default()
                .push(entry.to_owned());
        }
    }
    Ok(Kind::Archive {
        archive: Mutex::new(archive),
        entries,
        modified_ms,
    })
}

fn milliseconds(about: &fs::Metadata) -> Option<u64> {
    let since = about.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    u64::try_from(since.as_millis()).ok()
}

fn decoded(file: impl Read, origin: String, modified_ms: Option<u64>) -> Result<Found, Trouble> {
    let mut bytes = Vec::new();
    let read = file.take(MOST_BYTES + 1).read_to_end(&mut bytes);
    if let Err(source) = read {
        return Err(Trouble::Unreadable {
            what: origin,
            source,
        });
    }
    if bytes.len() as u64 > MOST_BYTES {
        return Err(Trouble::TooLarge(origin));
    }
    match text::decode(bytes) {
        Some(decoded) => Ok(Found {
            text: decoded.text,
            origin,
            modified_ms,
            notes: decoded.note.into_iter().collect(),
        }),
        None => Err(Trouble::NotText(origin)),
    }
}
