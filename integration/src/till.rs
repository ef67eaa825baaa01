//! A shop's till (`java/evidence`) with one defect, and the person who knows it: what several tests of sessions begin with.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::compiled::compile;
use crate::{Folder, Jdk};

/// Where its sources are.
#[must_use]
pub fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("java/evidence")
}

/// Records a program of the till: `main` is its class, the name that of the recording.
///
/// # Panics
///
/// If the program does not end well.
pub fn record(folder: &Folder, jdk: &Jdk, name: &str, main: &str, options: &[&str]) {
    let classes = folder.data().with_file_name("till");
    if !classes.exists() {
        compile(jdk, &sources(), &classes);
    }
    let path = classes.display().to_string();
    let words = ["-cp", &path, main].map(str::to_owned);
    let options = [&["--include", "shop"], options].concat();
    let run = folder.launch(jdk, name, &options, &words);
    assert!(run.status.success(), "{}", run.stderr);
}

/// Who knows the till: `off` is wrong for a full cart, and so are its total and the program.
#[must_use]
pub fn judge(call: &Value) -> &'static str {
    let wrong = match call["method"].as_str() {
        Some("off" | "total") => call["invocation"] == 1,
        Some("main") => true,
        _ => false,
    };
    if wrong { "invalid" } else { "valid" }
}
