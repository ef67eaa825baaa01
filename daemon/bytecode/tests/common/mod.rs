//! Finding JDKs and running their tools. Tests that need a JDK fail without one.
#![allow(dead_code, unreachable_pub, reason = "each test file uses a part")]

pub mod patching;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The JDKs to test with: those that `JHYDE_JDKS` lists (separated by colons), else `JAVA_HOME`,
/// else all under `/usr/lib/jvm`, each once. Panics if there is none.
pub fn jdks() -> Vec<PathBuf> {
    let listed = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let candidates: Vec<PathBuf> = if let Some(list) = listed("JHYDE_JDKS") {
        list.split(':').map(PathBuf::from).collect()
    } else if let Some(home) = listed("JAVA_HOME") {
        vec![PathBuf::from(home)]
    } else {
        let entries = std::fs::read_dir("/usr/lib/jvm").into_iter().flatten();
        let mut homes: Vec<_> = entries
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|home| home.join("bin/javac").is_file())
            .collect();
        homes.sort();
        homes
    };
    // Distributions link several names to one JDK.
    let mut found = BTreeMap::new();
    for home in candidates {
        let javac = home.join("bin/javac");
        assert!(
            javac.is_file(),
            "{} is no JDK: it has no bin/javac",
            home.display()
        );
        found.entry(javac.canonicalize().unwrap()).or_insert(home);
    }
    assert!(
        !found.is_empty(),
        "no JDK found: set JAVA_HOME, or JHYDE_JDKS=/a/jdk:/another"
    );
    found.into_values().collect()
}

/// Runs a tool of a JDK and returns what it prints; panics if it fails.
pub fn run(jdk: &Path, tool: &str, arguments: &[&str]) -> String {
    let mut command = Command::new(jdk.join("bin").join(tool));
    // The tool's texts must not depend on the user's language.
    for property in [
        "user.language=en",
        "file.encoding=UTF-8",
        "stdout.encoding=UTF-8",
    ] {
        let prefix = if tool == "java" { "-D" } else { "-J-D" };
        command.arg(format!("{prefix}{property}"));
    }
    let output = command.args(arguments).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(
        output.status.success(),
        "{tool} failed: {}",
        text(&output.stderr)
    );
    text(&output.stdout)
}

/// Compiles one source file into a folder.
pub fn javac(jdk: &Path, file_name: &str, source: &str, into: &Path, options: &[&str]) {
    let path = into.join(file_name);
    std::fs::write(&path, source).unwrap();
    let (path, into) = (path.display().to_string(), into.display().to_string());
    let mut arguments = vec!["-encoding", "UTF-8", "-d", &into];
    arguments.extend(options);
    arguments.push(&path);
    run(jdk, "javac", &arguments);
}
