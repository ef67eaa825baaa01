//! The JDKs of this machine.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// A JDK: compiler and all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Jdk {
    /// Its home.
    pub home: PathBuf,
    /// 17, 25 …
    pub major: u32,
}

impl Jdk {
    /// The program `java`.
    pub fn java(&self) -> PathBuf {
        self.home.join("bin/java")
    }

    /// Compiles the part `mergesort`, `fixtures`, `workloads` or `jdi` of `integration/java` (once) and
    /// gives the folder of its classes.
    ///
    /// # Panics
    /// When the compiler is missing or refuses.
    pub fn classes(&self, part: &str) -> PathBuf {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let out = cache().join("java").join(self.major.to_string());
        let group = match part {
            "mergesort" | "plugin" => "fixtures",
            "renamed" => "contents",
            part => part,
        };
        let status = Command::new(root.join("java/build.sh"))
            .arg(&self.home)
            .arg(&out)
            .arg(group)
            .status()
            .expect("java/build.sh can be started");
        assert!(status.success(), "java/build.sh {group} failed: {status}");
        out.join(part)
    }
}

/// Where tests keep what they made.
pub(crate) fn cache() -> PathBuf {
    let base = env::var_os("XDG_CACHE_HOME").map_or_else(
        || PathBuf::from(env::var_os("HOME").expect("HOME is set")).join(".cache"),
        PathBuf::from,
    );
    base.join("jhyde")
}

/// The newest JDK of each major version from 17 on: of `JHYDE_JDKS` (homes, by colons) if that is set,
/// else of `JAVA_HOME` and `/usr/lib/jvm`.
///
/// # Panics
/// When there is none: tests need a real JVM.
pub fn jdks() -> Vec<Jdk> {
    let homes: Vec<PathBuf> = match env::var("JHYDE_JDKS") {
        Ok(list) if !list.is_empty() => list.split(':').map(PathBuf::from).collect(),
        _ => {
            let installed = fs::read_dir("/usr/lib/jvm").into_iter().flatten();
            let installed = installed.filter_map(|entry| Some(entry.ok()?.path()));
            let named = env::var_os("JAVA_HOME").map(PathBuf::from);
            named.into_iter().chain(installed).collect()
        }
    };
    let mut found = BTreeMap::new();
    for home in homes {
        if let Some(major) = major_of(&home).filter(|&major| major >= 17) {
            found.entry(major).or_insert(home);
        }
    }
    assert!(
        !found.is_empty(),
        "no JDK from 17 on was found: set JAVA_HOME or JHYDE_JDKS, or apt-get install openjdk-17-jdk-headless"
    );
    let found = found.into_iter();
    found.map(|(major, home)| Jdk { home, major }).collect()
}

fn major_of(home: &Path) -> Option<u32> {
    if !home.join("bin/javac").is_file() {
        return None;
    }
    let release = fs::read_to_string(home.join("release")).ok()?;
    let line = release
        .lines()
        .find(|line| line.starts_with("JAVA_VERSION="))?;
    let version = line.split('"').nth(1)?;
    version.split(['.', '-', '+']).next()?.parse().ok()
}
