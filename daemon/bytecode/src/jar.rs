//! One jar or `jmod`: in a file, inside of another jar, or only a folder of one, as programs have it that are packed with all
//! their libraries into one file.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufReader, Cursor, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use zip::ZipArchive;

use crate::class_path::{ClassPathError, read_limited};

/// The most bytes that a jar inside of a jar may have, which is read into memory whole.
pub const MAX_JAR_BYTES: u64 = 512 << 20;

/// See the module.
#[derive(Debug)]
pub(crate) struct Jar {
    archive: Mutex<ZipArchive<Source>>,
    /// Class name to the entry that holds it for the release that was asked for.
    entries: HashMap<String, String>,
}

/// Where the bytes of an archive lie.
#[derive(Debug)]
enum Source {
    File(BufReader<File>),
    Memory(Cursor<Vec<u8>>),
}

impl Read for Source {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        match self {
            Self::File(file) => file.read(into),
            Self::Memory(bytes) => bytes.read(into),
        }
    }
}

impl Seek for Source {
    fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
        match self {
            Self::File(file) => file.seek(to),
            Self::Memory(bytes) => bytes.seek(to),
        }
    }
}

impl Jar {
    /// A jar or `jmod` of the file system.
    pub(crate) fn open(path: &Path, release: u16) -> Result<Self, ClassPathError> {
        let in_jmod = path
            .extension()
            .is_some_and(|extension| extension == "jmod");
        let folder = if in_jmod { "classes/" } else { "" };
        Self::new(path, file(path)?, folder, release)
    }

    /// What an entry of a jar is: a jar, or else a folder.
    pub(crate) fn open_inside(
        path: &Path,
        entry: &str,
        release: u16,
    ) -> Result<Self, ClassPathError> {
        let outer = file(path)?;
        let mut archive = ZipArchive::new(outer).map_err(|error| broken(path, error))?;
        let Ok(inner) = archive.by_name(entry) else {
            return Self::new(path, file(path)?, &format!("{entry}/"), release);
        };
        let place = inside(path, entry);
        let mut bytes = Vec::new();
        let read = inner.take(MAX_JAR_BYTES + 1).read_to_end(&mut bytes);
        read.map_err(|error| ClassPathError::Io {
            path: place.clone(),
            error,
        })?;
        if bytes.len() as u64 > MAX_JAR_BYTES {
            let bytes = bytes.len() as u64;
            return Err(ClassPathError::JarTooLarge { path: place, bytes });
        }
        Self::new(&place, Source::Memory(Cursor::new(bytes)), "", release)
    }

    /// The classes that lie in this folder of the archive.
    fn new(
        path: &Path,
        source: Source,
        folder: &str,
        release: u16,
    ) -> Result<Self, ClassPathError> {
        // A jmod is a zip after four bytes of its own; the archive reader finds the start by itself.
        let mut archive = ZipArchive::new(source).map_err(|error| broken(path, error))?;
        let multi_release = release >= 9 && is_multi_release(&mut archive);
        let mut entries: HashMap<String, (u16, String)> = HashMap::new();
        for entry in archive.file_names() {
            let entry = entry.map_err(|error| broken(path, error))?;
            let entry = entry.as_ref();
            let inside = entry.strip_prefix(folder);
            let Some(name) = inside.and_then(|inside| inside.strip_suffix(".class")) else {
                continue;
            };
            let (version, name) = match name.strip_prefix("META-INF/versions/") {
                None => (0, name),
                Some(versioned) => match versioned.split_once('/') {
                    Some((version, name)) => match version.parse() {
                        Ok(version) if multi_release && (9..=release).contains(&version) => {
                            (version, name)
                        }
                        _ => continue,
                    },
                    None => continue,
                },
            };
            match entries.get(name) {
                Some((better, _)) if *better >= version => {}
                _ => {
                    entries.insert(name.to_owned(), (version, entry.to_owned()));
                }
            }
        }
        let entries = entries.into_iter();
        Ok(Self {
            archive: Mutex::new(archive),
            entries: entries.map(|(name, (_, entry))| (name, entry)).collect(),
        })
    }

    /// The names of its classes, in internal form.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.keys().map(String::as_str)
    }

    /// A class's bytes. The path is for errors.
    pub(crate) fn read(&self, name: &str, path: &Path) -> Result<Option<Vec<u8>>, ClassPathError> {
        let Some(entry) = self.entries.get(name) else {
            return Ok(None);
        };
        let mut archive = self.archive.lock().unwrap_or_else(PoisonError::into_inner);
        let file = archive
            .by_name(entry)
            .map_err(|error| broken(path, error))?;
        read_limited(path, name, file).map(Some)
    }
}

/// How an entry of a jar is called: as URLs have it.
pub(crate) fn inside(path: &Path, entry: &str) -> PathBuf {
    let mut inside = path.as_os_str().to_owned();
    inside.push("!/");
    inside.push(entry);
    inside.into()
}

fn file(path: &Path) -> Result<Source, ClassPathError> {
    let opened = File::open(path).map_err(|error| ClassPathError::Io {
        path: path.to_owned(),
        error,
    })?;
    Ok(Source::File(BufReader::new(opened)))
}

fn broken(path: &Path, error: zip::result::ZipError) -> ClassPathError {
    ClassPathError::Zip {
        path: path.to_owned(),
        error,
    }
}

fn is_multi_release(archive: &mut ZipArchive<Source>) -> bool {
    let mut manifest = String::new();
    let read = archive
        .by_name("META-INF/MANIFEST.MF")
        .ok()
        .and_then(|file| file.take(1 << 20).read_to_string(&mut manifest).ok());
    // Only the main section counts, which an empty line ends.
    read.is_some()
        && manifest
            .lines()
            .take_while(|line| !line.is_empty())
            .filter_map(|line| line.split_once(':'))
            .any(|(key, value)| {
                key.eq_ignore_ascii_case("Multi-Release")
                    && value.trim().eq_ignore_ascii_case("true")
            })
}
