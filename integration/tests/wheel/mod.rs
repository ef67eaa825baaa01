//! The package that the Python client is handed on as.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use jhyde_integration::Folder;

use crate::tasks::root;
use crate::{environment, succeeded};

/// `pip WORDS` with a folder of its own for what is temporary, which has nothing of the build in it in the end.
fn pip(environment: &Path, folder: &Folder, umask: &str, words: &[&str]) -> Output {
    let scratch = folder.data().with_file_name(format!("tmp-{umask}"));
    fs::create_dir_all(&scratch).expect("a folder");
    let constraints = root().join("clients/python/constraints.txt");
    let output = Command::new("bash")
        .args([
            "-c",
            &format!("umask {umask}; exec timeout 600 \"$@\""),
            "-",
        ])
        .arg(environment.join("pip"))
        .args(["--disable-pip-version-check", "--quiet"])
        .args(words)
        .env("TMPDIR", &scratch)
        .env("PIP_CONSTRAINT", &constraints)
        .env("PIP_BUILD_CONSTRAINT", &constraints)
        .output()
        .expect("bash can be started");
    let left = fs::read_dir(&scratch).expect("it is there");
    let left = left.map(|entry| entry.expect("an entry").file_name());
    let left: Vec<_> = left.map(|name| name.display().to_string()).collect();
    assert!(
        !left.iter().any(|name| name.starts_with("jhyde-wheel-")),
        "{left:?}"
    );
    output
}

#[test]
fn the_wheel_is_the_same_whenever_it_is_built_and_has_the_licences() {
    let (environment, folder) = (environment(), Folder::new());
    let name = format!("jhyde-{}-py3-none-any.whl", env!("CARGO_PKG_VERSION"));
    let package = root().join("clients/python").display().to_string();
    let first = environment.with_file_name("wheel").join(&name);
    let bytes = fs::read(&first).expect("the wheel");
    for umask in ["022", "077"] {
        let into = folder.data().with_file_name(umask);
        let to = into.display().to_string();
        let words = ["wheel", "--no-deps", "--wheel-dir", &to, &package];
        succeeded(&pip(&environment, &folder, umask, &words), "pip wheel");
        let again = fs::read(into.join(&name)).expect("the wheel");
        assert!(again == bytes, "with umask {umask} it is another one");
    }
    let unpacked = folder.data();
    let output = Command::new(environment.join("python"))
        .args(["-m", "zipfile", "-e"])
        .args([&first, &unpacked])
        .output()
        .expect("python can be started");
    succeeded(&output, "zipfile");
    for licence in ["LICENSE-MIT", "LICENSE-APACHE"] {
        let folder = format!("jhyde-{}.dist-info/licenses", env!("CARGO_PKG_VERSION"));
        let packed = fs::read(unpacked.join(folder).join(licence));
        let ours = fs::read(root().join(licence)).expect("the licence");
        assert_eq!(packed.ok(), Some(ours), "{licence}");
    }
}

#[test]
fn what_would_be_half_a_package_is_refused_in_words() {
    let (environment, folder) = (environment(), Folder::new());
    let package = root().join("clients/python").display().to_string();
    let here = folder.data().with_file_name("");
    let there = |name: &str| here.join(name).display().to_string();
    let refused = |output: &Output, part: &str| {
        let said = [output.stdout.as_slice(), &output.stderr].concat();
        let said = String::from_utf8_lossy(&said);
        assert!(!output.status.success(), "{said}");
        assert!(said.contains(part), "{said}");
    };
    let words = ["install", "--no-deps", "--prefix", &there("prefix"), "-e"];
    let output = pip(
        &environment,
        &folder,
        "022",
        &[&words[..], &[&package]].concat(),
    );
    refused(&output, "cannot be installed as editable");

    let words = ["install", "--target", &there("hatchling"), "hatchling"];
    succeeded(&pip(&environment, &folder, "022", &words), "pip install");
    let build = format!(
        "from hatchling.build import build_sdist; build_sdist('{}')",
        there("sdist")
    );
    let output = Command::new(environment.join("python"))
        .args(["-B", "-c", &build])
        .env("PYTHONPATH", there("hatchling"))
        .current_dir(&package)
        .output()
        .expect("python can be started");
    refused(&output, "there is no source distribution");

    // protoc fails, and nothing is left of what it began.
    let output = Command::new("cp")
        .args(["-rL", "--parents", "clients/python", "proto", &there("")])
        .current_dir(root())
        .output()
        .expect("cp can be started");
    succeeded(&output, "cp");
    fs::write(here.join("proto/jhyde/v1/broken.proto"), "message").expect("a file");
    let words = [
        "wheel",
        "--no-deps",
        "--wheel-dir",
        &there("wheel"),
        &there("clients/python"),
    ];
    refused(
        &pip(&environment, &folder, "022", &words),
        "protoc made nothing",
    );
}
