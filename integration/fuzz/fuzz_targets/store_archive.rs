//! Fuzzes an exported file, and the tar in it.
#![no_main]

use std::path::PathBuf;
use std::sync::LazyLock;

/// One folder per process: several run side by side.
static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = std::env::temp_dir().join(format!("jhyde-fuzz-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
});

libfuzzer_sys::fuzz_target!(|data: &[u8]| jhyde_store::fuzzing::decode_archive(data, &FOLDER));
