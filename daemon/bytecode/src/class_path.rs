//! Finding class files by name: folders, jars (with versioned entries, and what lies in them), `jmod` files, and a JDK's
//! `lib/modules`. Nothing is cached but tables of contents. What the JVM itself loaded may differ:
//! bytes from the JVM are to be preferred where it gives them.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::jar::{Jar, MAX_JAR_BYTES, inside};
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
    /// A jar inside of a jar of more than [`MAX_JAR_BYTES`].
    #[error("{} has {bytes} bytes, at most {MAX_JAR_BYTES} are read of a jar inside of a jar", path.display())]
    JarTooLarge {
        /// Which entry.
        path: PathBuf,
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
    Jar(Jar),
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
            Kind::Jar(Jar::open(path, release)?)
        };
        Ok(Self {
            path: path.to_owned(),
            kind,
        })
    }

    /// Opens what lies in a jar: another jar, which is read into memory, or a folder. Its path is the jar's, `!/` and the
    /// entry, as URLs have it (`shop.jar!/BOOT-INF/lib/money.jar`).
    pub fn open_inside(path: &Path, entry: &str, release: u16) -> Result<Self, ClassPathError> {
        let entry = entry.trim_matches('/');
        Ok(Self {
            path: inside(path, entry),
            kind: Kind::Jar(Jar::open_inside(path, entry, release)?),
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
            Kind::Jar(jar) => jar.read(name, &self.path),
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
            Kind::Jar(jar) => jar.names().map(str::to_owned).collect(),
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
            Ok(file) => read_limited(&path, name, file).map(Some),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(ClassPathError::Io { path, error }),
        }
    }
}

/// The bytes of a class, if they are not too many.
pub(crate) fn read_limited(
    path: &Path,
    name: &str,
    file: impl Read,
) -> Result<Vec<u8>, ClassPathError> {
    let mut bytes = Vec::new();
    file.take(MAX_CLASS_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| ClassPathError::Io {
            path: path.to_owned(),
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
