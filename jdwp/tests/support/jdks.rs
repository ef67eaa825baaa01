//! Finding JDKs: `JHYDE_JDKS` (a list separated by colons) says which; else `JAVA_HOME`; else all
//! below `/usr/lib/jvm`.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A JDK: a folder with `bin/java` and `bin/javac`.
#[derive(Debug, Clone)]
pub struct Jdk {
    pub home: PathBuf,
    /// The feature version: 17, 25.
    pub feature: i32,
    /// The whole version, as `java -version` says it.
    pub version: String,
}

/// All JDKs to test with, each once; panics if there is none.
pub fn all() -> Vec<Jdk> {
    let homes: Vec<PathBuf> = match (
        std::env::var_os("JHYDE_JDKS"),
        std::env::var_os("JAVA_HOME"),
    ) {
        (Some(list), _) if !list.is_empty() => std::env::split_paths(&list).collect(),
        (_, Some(home)) if !home.is_empty() => vec![home.into()],
        _ => folders(Path::new("/usr/lib/jvm")),
    };
    let mut found: Vec<PathBuf> = homes
        .iter()
        .filter(|home| home.join("bin/java").is_file() && home.join("bin/javac").is_file())
        .filter_map(|home| home.canonicalize().ok())
        .collect();
    found.sort();
    found.dedup();
    assert!(
        !found.is_empty(),
        "these tests need a JDK and none was found (looked at {homes:?}): install one below \
         /usr/lib/jvm, or set JAVA_HOME, or JHYDE_JDKS=HOME:HOME"
    );
    found.into_iter().map(describe).collect()
}

fn folders(parent: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(parent).into_iter().flatten();
    entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect()
}

fn describe(home: PathBuf) -> Jdk {
    let output = Command::new(home.join("bin/java"))
        .arg("-version")
        .output()
        .unwrap_or_else(|error| panic!("cannot run {}: {error}", home.display()));
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let version = text.split('"').nth(1).unwrap_or_default().to_owned();
    let mut numbers = version.split(['.', '-', '_', '+']).map(str::parse);
    let feature = match (numbers.next(), numbers.next()) {
        (Some(Ok(1)), Some(Ok(old))) => old,
        (Some(Ok(feature)), _) => feature,
        _ => panic!("{} has no version that can be read: {text}", home.display()),
    };
    Jdk {
        home,
        feature,
        version,
    }
}
