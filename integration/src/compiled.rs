//! Programs compiled by tests: each text once for each JDK, in the user's cache folder. Compilers took a quarter of the tests' time.

use std::collections::BTreeMap;
use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Jdk;
use crate::jdk::cache;

/// Compiles all sources of a folder into another.
///
/// # Panics
/// When they cannot be compiled.
pub fn compile(jdk: &Jdk, sources: &Path, into: &Path) {
    let mut files: BTreeMap<PathBuf, String> = BTreeMap::new();
    let mut folders = vec![sources.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("the sources are there") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "java") {
                let text = fs::read_to_string(&path).expect("a source");
                files.insert(path, text);
            }
        }
    }
    let mut hasher = DefaultHasher::new();
    let release = fs::read_to_string(jdk.home.join("release")).expect("every JDK has one");
    (&jdk.home, release).hash(&mut hasher);
    for (path, text) in &files {
        let name = path.strip_prefix(sources).expect("it is in the folder");
        (name, text).hash(&mut hasher);
    }
    let kept = cache().join("java/compiled");
    fs::create_dir_all(&kept).expect("a cache folder");
    let classes = kept.join(format!("{:016x}", hasher.finish()));
    if !classes.is_dir() {
        // Another test may compile the same: the one that is there first is kept, whole.
        let made = tempfile::tempdir_in(&kept).expect("a folder");
        javac(jdk, files.keys(), made.path());
        let made = made.keep();
        if fs::rename(&made, &classes).is_err() {
            fs::remove_dir_all(&made).expect("another was first");
        }
    }
    fs::create_dir_all(into).expect("a folder");
    let mut copy = Command::new("cp");
    copy.arg("-R").arg(classes.join(".")).arg(into);
    assert!(copy.status().is_ok_and(|status| status.success()));
}

fn javac<'a>(jdk: &Jdk, files: impl Iterator<Item = &'a PathBuf>, into: &Path) {
    let mut javac = Command::new(jdk.java().with_file_name("javac"));
    // It does not live long enough for its best compiler.
    javac.args(["-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC"]);
    let status = javac.args(["-g", "-d"]).arg(into).args(files).status();
    assert!(status.expect("javac can be started").success());
}
