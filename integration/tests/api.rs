//! The API stays what programs were written against.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// Whether the check is content with the proto files of a folder, and what it says.
fn checked(protos: &Path) -> (bool, String) {
    let output = Command::new(root().join("deploy/api.sh"))
        .arg(protos)
        .output()
        .expect("deploy/api.sh can be started");
    assert_ne!(
        output.status.code(),
        Some(3),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said).into_owned();
    (output.status.success(), said)
}

/// A copy of the proto files with a change in one of them.
fn changed(into: &Path, file: &str, old: &str, new: &str) -> PathBuf {
    let from = root().join("proto");
    let copy = into.join("proto");
    fs::create_dir_all(copy.join("jhyde/v1")).expect("a folder");
    fs::copy(from.join("buf.yaml"), copy.join("buf.yaml")).expect("the rules are there");
    for entry in fs::read_dir(from.join("jhyde/v1")).expect("the proto files are there") {
        let entry = entry.expect("an entry");
        let mut text = fs::read_to_string(entry.path()).expect("can be read");
        if entry.file_name() == file {
            assert!(text.contains(old), "{file} has {old:?}");
            text = text.replacen(old, new, 1);
        }
        let to = copy.join("jhyde/v1").join(entry.file_name());
        fs::write(to, text).expect("can be written");
    }
    copy
}

#[test]
fn what_would_break_programs_is_refused_and_what_is_new_is_not() {
    let (is_fine, said) = checked(&root().join("proto"));
    assert!(is_fine, "{said}");
    let bytes = "  uint64 bytes = 14;\n";
    for (new, is_fine, part) in [
        ("  uint64 bytes = 94;\n", false, "field \"14\""),
        ("  uint64 size = 14;\n", false, "name"),
        ("  string bytes = 14;\n", false, "type"),
        ("", false, "deleted"),
        ("  uint64 bytes = 14;\n  uint64 more = 94;\n", true, ""),
        (
            "  uint64 bytes = 14;\n  uint64 moreBytes = 94;\n",
            false,
            "lower_snake_case",
        ),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let protos = changed(folder.path(), "recordings.proto", bytes, new);
        let (met, said) = checked(&protos);
        assert_eq!(met, is_fine, "{new:?}: {said}");
        assert!(said.contains(part), "{new:?}: {said}");
        assert!(
            is_fine || said.contains("recordings.proto:"),
            "{new:?}: {said}"
        );
    }
    let method = "  rpc Seal(GetRecordingRequest) returns (Recording);\n";
    let folder = tempfile::tempdir().expect("a folder");
    let protos = changed(folder.path(), "recordings.proto", method, "");
    let (is_fine, said) = checked(&protos);
    assert!(!is_fine && said.contains("Seal"), "{said}");
}

#[test]
fn a_comparison_that_could_not_be_made_is_not_taken_for_one_that_found_something() {
    let folder = tempfile::tempdir().expect("a folder");
    let protos = changed(folder.path(), "recordings.proto", "", "");
    fs::write(protos.join("released.binpb.gz"), "no image").expect("a file");
    let deploy = folder.path().join("deploy");
    fs::create_dir(&deploy).expect("a folder");
    let script = deploy.join("api.sh");
    fs::copy(root().join("deploy/api.sh"), &script).expect("the script is there");
    let clients = root().join("clients").canonicalize().expect("it is there");
    std::os::unix::fs::symlink(clients, folder.path().join("clients")).expect("a link");
    let output = Command::new(script).output().expect("it can be started");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(4), "{said}");
    assert!(said.contains("could not compare"), "{said}");
    assert!(!said.contains("would break: add"), "{said}");
}
