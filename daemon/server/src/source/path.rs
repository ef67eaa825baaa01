//! Where source is looked for, in which order.
//!
//! First what the user named. Then what the recorded program suggests: jars `x-sources.jar` beside those of its class
//! path, folders of its class path and the projects that they were built in, the folder that it ran in. Last, for
//! classes of the JDK, the `src.zip` of a JDK of the same version.

use std::collections::HashSet;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::name::SourceName;
use super::place::{Found, Place, Trouble};

/// What is known of the program whose source is looked for.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// The folder that it ran in, to which the class path's entries are relative.
    pub folder: Option<PathBuf>,
    /// Its class path.
    pub class_path: Vec<String>,
    /// The `java` that ran it, where that is known.
    pub java: Option<PathBuf>,
    /// The version of its JVM: `17.0.15`.
    pub version: String,
}

/// No source of a class.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Missing {
    /// What was found and is not to be shown, and which places could not be searched, in words.
    pub because: Vec<String>,
}

/// The places, opened when they are needed first.
#[derive(Debug, Default)]
pub struct SourcePath {
    places: Vec<Lazy>,
    jdks: Vec<Lazy>,
}

#[derive(Debug)]
struct Lazy {
    path: PathBuf,
    /// The user named it: that it is not there is worth a word.
    named: bool,
    opened: OnceLock<Result<Place, Trouble>>,
}

impl Lazy {
    fn new(path: PathBuf, named: bool) -> Self {
        let opened = OnceLock::new();
        Self {
            path,
            named,
            opened,
        }
    }

    fn find(
        &self,
        name: &SourceName,
        fits: &dyn Fn(&str) -> bool,
        missing: &mut Missing,
    ) -> Option<Found> {
        let found = match self.opened.get_or_init(|| Place::open(&self.path)) {
            Ok(place) => place.find(name, fits),
            Err(trouble) => {
                if self.named {
                    missing.add(trouble);
                }
                return None;
            }
        };
        found.unwrap_or_else(|trouble| {
            missing.add(&trouble);
            None
        })
    }
}

impl Missing {
    fn add(&mut self, trouble: &Trouble) {
        let told = trouble.to_string();
        if !self.because.contains(&told) {
            self.because.push(told);
        }
    }
}

impl SourcePath {
    /// Only what the user named.
    pub fn named(paths: &[PathBuf]) -> Self {
        let places = paths.iter().map(|path| Lazy::new(path.clone(), true));
        Self {
            places: places.collect(),
            jdks: Vec::new(),
        }
    }

    /// What the user named, and what a program suggests.
    pub fn of_program(named: &[PathBuf], program: &Program) -> Self {
        let mut path = Self::named(named).with_jdk(program);
        let mut seen: HashSet<PathBuf> = named.iter().cloned().collect();
        let suggested = suggested(program).into_iter();
        let new = suggested.filter(|path| seen.insert(path.clone()));
        path.places.extend(new.map(|path| Lazy::new(path, false)));
        path
    }

    /// Adds the source of the JDK that ran a program.
    pub fn with_jdk(mut self, program: &Program) -> Self {
        let zips = jdk_homes(program)
            .into_iter()
            .flat_map(|home| [home.join("lib/src.zip"), home.join("src.zip")])
            .filter(|zip| zip.is_file());
        let mut seen = HashSet::new();
        let new =
            zips.filter(|zip| seen.insert(zip.canonicalize().unwrap_or_else(|_| zip.clone())));
        self.jdks = new.map(|zip| Lazy::new(zip, false)).collect();
        self
    }

    /// The text of a file: of the first place in which it `fits`, else of the first that has it.
    ///
    /// # Errors
    /// [`Missing`]: it is nowhere, or what is there is not to be shown.
    pub fn find(&self, name: &SourceName, fits: impl Fn(&str) -> bool) -> Result<Found, Missing> {
        let mut missing = Missing::default();
        let mut first = None;
        let jdks = self.jdks.iter().filter(|_| is_of_jdk(name.path()));
        for place in self.places.iter().chain(jdks) {
            match place.find(name, &fits, &mut missing) {
                Some(found) if fits(&found.text) => return Ok(found),
                Some(found) => first = first.or(Some(found)),
                None => {}
            }
        }
        first.ok_or(missing)
    }
}

/// Is it a file of the JDK's own classes? Others are not looked for in its large archive.
fn is_of_jdk(path: &str) -> bool {
    const PACKAGES: [&str; 8] = [
        "java/",
        "javax/",
        "jdk/",
        "sun/",
        "com/sun/",
        "org/ietf/jgss/",
        "org/w3c/dom/",
        "org/xml/sax/",
    ];
    PACKAGES.iter().any(|package| path.starts_with(package))
}

/// The places that a program suggests.
fn suggested(program: &Program) -> Vec<PathBuf> {
    let absolute = |entry: &str| {
        let path = Path::new(entry);
        match &program.folder {
            _ if path.is_absolute() => Some(path.to_owned()),
            // An empty entry is the folder itself.
            Some(folder) => Some(folder.join(path)),
            None => None,
        }
    };
    let entries: Vec<PathBuf> = program
        .class_path
        .iter()
        .filter_map(|entry| absolute(entry))
        .collect();
    let jars = entries.iter().filter_map(|entry| sources_jar(entry));
    let folders = entries.iter().filter(|entry| entry.is_dir()).cloned();
    let projects = entries.iter().filter_map(|entry| project_of(entry));
    let own = program.folder.clone();
    jars.chain(projects).chain(folders).chain(own).collect()
}

/// `lib/shop-1.2-sources.jar` for `lib/shop-1.2.jar`, if it is there. Gradle keeps each file in a folder of its own,
/// named by its hash, beside the others.
fn sources_jar(jar: &Path) -> Option<PathBuf> {
    let stem = jar.file_name()?.to_str()?.strip_suffix(".jar")?;
    let name = format!("{stem}-sources.jar");
    let folder = jar.parent()?;
    let beside = folder.join(&name);
    if beside.is_file() {
        return Some(beside);
    }
    let own = folder.file_name()?.to_str()?;
    if own.len() < 32 || !own.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let mut others = fs::read_dir(folder.parent()?).ok()?.flatten();
    others.find_map(|other| Some(other.path().join(&name)).filter(|path| path.is_file()))
}

/// The project's folder that a folder of classes, or a jar, was built in, by the names that build tools give.
fn project_of(entry: &Path) -> Option<PathBuf> {
    let mut names = entry.iter().rev().filter_map(|part| part.to_str());
    let built: [Option<&str>; 4] = std::array::from_fn(|_| names.next());
    let up = match built {
        // Maven.
        [Some("classes" | "test-classes"), Some("target"), ..] => 2,
        // Gradle.
        [
            Some("main" | "test"),
            Some(_),
            Some("classes"),
            Some("build"),
        ] => 4,
        // IntelliJ IDEA.
        [Some(_), Some("production" | "test"), Some("out"), _] => 3,
        // A jar.
        [Some(jar), Some("target"), ..] if jar.ends_with(".jar") => 2,
        [Some(jar), Some("libs"), Some("build"), _] if jar.ends_with(".jar") => 3,
        // By hand.
        [Some("classes" | "bin" | "out" | "build" | "target"), ..] => 1,
        _ => return None,
    };
    entry.ancestors().nth(up).map(Path::to_owned)
}

/// Homes of JDKs that may have run a program: where its `java` lies, and those of its very version that are installed
/// here.
fn jdk_homes(program: &Program) -> Vec<PathBuf> {
    let of_java = |java: &Path| {
        let java = on_path(java).canonicalize().ok()?;
        let home = java.parent()?.parent()?;
        // In Java 8 `java` may be that of the JRE inside.
        let outer = home.file_name().is_some_and(|name| name == "jre");
        let home = if outer { home.parent()? } else { home };
        Some(home.to_owned())
    };
    let java = program.java.as_deref().and_then(of_java);
    let set = env::var_os("JAVA_HOME").map(PathBuf::from);
    let folders = [
        "/usr/lib/jvm",
        "/usr/java",
        "/opt/java",
        "/Library/Java/JavaVirtualMachines",
    ];
    let installed = folders
        .iter()
        .filter_map(|folder| fs::read_dir(folder).ok())
        .flatten()
        .flatten()
        .map(|home| home.path());
    let same = set.into_iter().chain(installed);
    let same =
        same.filter(|home| !program.version.is_empty() && is_version(home, &program.version));
    java.into_iter().chain(same).collect()
}

/// A command without a folder is one of those on the search path.
fn on_path(command: &Path) -> PathBuf {
    let path = env::var_os("PATH").unwrap_or_default();
    let alone = command.components().count() == 1;
    let mut found = env::split_paths(&path).map(|folder| folder.join(command));
    let found = found.find(|found| alone && found.is_file());
    found.unwrap_or_else(|| command.to_owned())
}

/// Does a JDK's home say that it is of this version?
fn is_version(home: &Path, version: &str) -> bool {
    let release = fs::read_to_string(home.join("release")).unwrap_or_default();
    let mut lines = release.lines();
    let said = lines.find_map(|line| line.strip_prefix("JAVA_VERSION="));
    said.is_some_and(|said| said.trim_matches('"') == version)
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
