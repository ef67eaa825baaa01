//! Finding class files by name: folders, jars (with versioned entries), `jmod` files, and a JDK's
//! `lib/modules`. Nothing is cached but tables of contents. What the JVM itself loaded may differ:
//! bytes from the JVM are to be preferred where it gives them.

use std::collections::{BTreeSet, HashMap};
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use zip::ZipArchive;

use crate::jimage::Jimage;

/// The most bytes that a class file may have here. The format allows more, no compiler makes them.
pub const MAX_CLASS_BYTES: u64 = 64 << 20;

/// Why a class path entry, or a class in it, could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ClassPathError {
    /// The file system says no.
    #[error("{}: {error}", path.display())]
    Io {
        /// Which file.
        path: PathBuf,
        /// What it says.
        error: io::Error,
    },
    /// Not a jar, or a broken one.
    #[error("{} is no readable jar or jmod: {error}", path.display())]
    Zip {
        /// Which file.
        path: PathBuf,
        /// What is wrong.
        error: zip::result::ZipError,
    },
    /// Not a `lib/modules` file, a broken one, or one of an unknown kind.
    #[error("{} is no readable modules file: {what}", path.display())]
    Jimage {
        /// Which file.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// A class of more than [`MAX_CLASS_BYTES`].
    #[error("class {name} has {bytes} bytes, at most {MAX_CLASS_BYTES} are read")]
    TooLarge {
        /// Its name.
        name: String,
        /// Its size.
        bytes: u64,
    },
    /// A folder that is no JDK or JRE.
    #[error("{} has neither lib/modules nor (jre/)lib/rt.jar: not a Java home", path.display())]
    NoJavaHome {
        /// Which folder.
        path: PathBuf,
    },
}

/// One place with class files.
#[derive(Debug)]
pub struct ClassSource {
    path: PathBuf,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Folder,
    Zip {
        archive: Mutex<ZipArchive<BufReader<File>>>,
        /// Class name to the entry that holds it for the release that was asked for.
        entries: HashMap<String, String>,
    },
    Modules(Jimage),
}

impl ClassSource {
    /// Opens a folder, a jar, a `jmod`, or a `modules` file. `release` is the Java release (8, 17,
    /// 25) whose versions are taken from a multi-release jar.
    pub fn open(path: &Path, release: u16) -> Result<Self, ClassPathError> {
        let io = |error| ClassPathError::Io {
            path: path.to_owned(),
            error,
        };
        let kind = if std::fs::metadata(path).map_err(io)?.is_dir() {
            Kind::Folder
        } else if path.file_name().is_some_and(|name| name == "modules") {
            Kind::Modules(Jimage::open(path)?)
        } else {
            open_zip(path, release)?
        };
        Ok(Self {
            path: path.to_owned(),
            kind,
        })
    }

    /// The classes of a JDK or JRE: `lib/modules`, or the `rt.jar` of Java 8.
    pub fn java_home(home: &Path) -> Result<Self, ClassPathError> {
        ["lib/modules", "jre/lib/rt.jar", "lib/rt.jar"]
            .iter()
            .map(|part| home.join(part))
            .find(|path| path.is_file())
            .ok_or_else(|| ClassPathError::NoJavaHome {
                path: home.to_owned(),
            })
            .and_then(|path| Self::open(&path, 8))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The class of this name in internal form (`java/util/Map$Entry`), or `None` if it is not
    /// here. In a `modules` file, module descriptions are named `MODULE/module-info`.
    pub fn read(&self, name: &str) -> Result<Option<Vec<u8>>, ClassPathError> {
        match &self.kind {
            Kind::Folder => self.read_from_folder(name),
            Kind::Modules(image) => image.read(name),
            Kind::Zip { archive, entries } => {
                let Some(entry) = entries.get(name) else {
                    return Ok(None);
                };
                let mut archive = archive.lock().unwrap_or_else(PoisonError::into_inner);
                let file = archive
                    .by_name(entry)
                    .map_err(|error| ClassPathError::Zip {
                        path: self.path.clone(),
                        error,
                    })?;
                self.read_limited(name, file).map(Some)
            }
        }
    }

    /// The names of all classes here, in internal form, sorted.
    pub fn names(&self) -> Result<Vec<String>, ClassPathError> {
        let mut names: Vec<String> = match &self.kind {
            Kind::Folder => {
                let mut names = Vec::new();
                list_folder(&self.path, "", &mut names)?;
                names
            }
            Kind::Zip { entries, .. } => entries.keys().cloned().collect(),
            Kind::Modules(image) => image.names().map(str::to_owned).collect(),
        };
        names.sort_unstable();
        Ok(names)
    }

    fn read_from_folder(&self, name: &str) -> Result<Option<Vec<u8>>, ClassPathError> {
        // A name comes from class files: it must not lead out of the folder.
        if name.split('/').any(|part| matches!(part, "" | "." | "..")) || name.contains('\0') {
            return Ok(None);
        }
        let path = self.path.join(format!("{name}.class"));
        match File::open(&path) {
            Ok(file) => self.read_limited(name, file).map(Some),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(ClassPathError::Io { path, error }),
        }
    }

    fn read_limited(&self, name: &str, file: impl Read) -> Result<Vec<u8>, ClassPathError> {
        let mut bytes = Vec::new();
        file.take(MAX_CLASS_BYTES + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| ClassPathError::Io {
                path: self.path.clone(),
                error,
            })?;
        match bytes.len() as u64 {
            bytes if bytes > MAX_CLASS_BYTES => Err(ClassPathError::TooLarge {
                name: name.to_owned(),
                bytes,
            }),
            _ => Ok(bytes),
        }
    }
}

fn open_zip(path: &Path, release: u16) -> Result<Kind, ClassPathError> {
    let io = |error| ClassPathError::Io {
        path: path.to_owned(),
        error,
    };
    let zip = |error| ClassPathError::Zip {
        path: path.to_owned(),
        error,
    };
    // A jmod is a zip after four bytes of its own; the archive reader finds the start by itself.
    let mut archive =
        ZipArchive::new(BufReader::new(File::open(path).map_err(io)?)).map_err(zip)?;
    let multi_release = release >= 9 && is_multi_release(&mut archive);
    let mut entries: HashMap<String, (u16, String)> = HashMap::new();
    let in_jmod = path
        .extension()
        .is_some_and(|extension| extension == "jmod");
    for entry in archive.file_names() {
        let entry = entry.map_err(zip)?;
        let entry = entry.as_ref();
        let inside = if in_jmod {
            entry.strip_prefix("classes/")
        } else {
            Some(entry)
        };
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
    let entries = entries
        .into_iter()
        .map(|(name, (_, entry))| (name, entry))
        .collect();
    Ok(Kind::Zip {
        archive: Mutex::new(archive),
        entries,
    })
}

fn is_multi_release(archive: &mut ZipArchive<BufReader<File>>) -> bool {
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

fn list_folder(folder: &Path, prefix: &str, names: &mut Vec<String>) -> Result<(), ClassPathError> {
    let io = |error| ClassPathError::Io {
        path: folder.to_owned(),
        error,
    };
    for entry in std::fs::read_dir(folder).map_err(io)? {
        let entry = entry.map_err(io)?;
        let file_name = entry.file_name();
        // Class names are text; a name that is none cannot be asked for.
        let Some(name) = file_name.to_str() else {
            continue;
        };
        // `file_type` does not follow links, so a link to a parent cannot make this endless.
        if entry.file_type().map_err(io)?.is_dir() {
            list_folder(&entry.path(), &format!("{prefix}{name}/"), names)?;
        } else if let Some(class) = name.strip_suffix(".class") {
            names.push(format!("{prefix}{class}"));
        }
    }
    Ok(())
}

/// Places that are searched in order.
#[derive(Debug, Default)]
pub struct ClassPath {
    sources: Vec<ClassSource>,
    /// Entries that could not be opened: like the JVM, a class path goes on without them.
    skipped: Vec<ClassPathError>,
}

impl ClassPath {
    /// Opens what `java -cp` would take: paths separated by `:`, with `folder/*` for all jars of a
    /// folder and an empty path for the current folder. Entries that cannot be read are left out
    /// and listed in [`skipped`](Self::skipped).
    pub fn parse(class_path: &str, release: u16) -> Self {
        let mut opened = Self::default();
        for entry in class_path.split(':') {
            match entry.strip_suffix('*') {
                Some(folder) if folder.is_empty() || folder.ends_with('/') => {
                    opened.add_jars_of(
                        Path::new(if folder.is_empty() { "." } else { folder }),
                        release,
                    );
                }
                _ => opened.add(
                    Path::new(if entry.is_empty() { "." } else { entry }),
                    release,
                ),
            }
        }
        opened
    }

    fn add(&mut self, path: &Path, release: u16) {
        match ClassSource::open(path, release) {
            Ok(source) => self.sources.push(source),
            Err(error) => self.skipped.push(error),
        }
    }

    fn add_jars_of(&mut self, folder: &Path, release: u16) {
        let entries = match std::fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) => {
                self.skipped.push(ClassPathError::Io {
                    path: folder.to_owned(),
                    error,
                });
                return;
            }
        };
        let is_jar = |path: &PathBuf| {
            path.extension()
                .is_some_and(|extension| extension.eq_ignore_ascii_case("jar"))
        };
        let jars: BTreeSet<PathBuf> = entries
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(is_jar)
            .collect();
        for jar in jars {
            self.add(&jar, release);
        }
    }

    /// Adds a place at the end.
    pub fn push(&mut self, source: ClassSource) {
        self.sources.push(source);
    }

    /// Takes the last place away.
    pub fn pop(&mut self) -> Option<ClassSource> {
        self.sources.pop()
    }

    /// The places, in order.
    pub fn sources(&self) -> &[ClassSource] {
        &self.sources
    }

    /// What could not be opened, and why.
    pub fn skipped(&self) -> &[ClassPathError] {
        &self.skipped
    }

    /// The first class of this name (internal form), with the place that has it.
    pub fn find(&self, name: &str) -> Result<Option<(&ClassSource, Vec<u8>)>, ClassPathError> {
        for source in &self.sources {
            if let Some(bytes) = source.read(name)? {
                return Ok(Some((source, bytes)));
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
#[path = "class_path_tests.rs"]
mod tests;
