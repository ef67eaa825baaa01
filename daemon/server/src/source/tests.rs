//! Where source is found, and what is not read.

use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::{Duration, Instant};

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::*;
use crate::source::text::MOST_BYTES;

fn write(path: &Path, text: impl AsRef<[u8]>) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn zip(path: &Path, entries: &[(&str, &str)]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let mut zip = ZipWriter::new(fs::File::create(path).unwrap());
    for (name, text) in entries {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    zip.finish().unwrap();
}

fn name(class: &str, file: &str) -> SourceName {
    SourceName::of(class, Some(file)).unwrap()
}

fn order() -> SourceName {
    name("shop.Order", "Order.java")
}

/// What is found among these places: the text, or why there is none.
fn find(path: &SourcePath, name: &SourceName) -> Result<String, String> {
    let found = path.find(name, |_| true);
    found
        .map(|found| found.text)
        .map_err(|missing| missing.because.join("; "))
}

fn named(path: &Path) -> SourcePath {
    SourcePath::named(&[path.to_owned()])
}

#[test]
fn a_folder_and_the_usual_ones_in_it() {
    let folder = tempfile::tempdir().unwrap();
    for usual in [
        "",
        "src",
        "src/main/java",
        "src/test/java",
        "src/main/kotlin",
    ] {
        let file = folder.path().join(usual).join("shop/Order.java");
        write(&file, usual);
        assert_eq!(find(&named(folder.path()), &order()).as_deref(), Ok(usual));
        let found = named(folder.path()).find(&order(), |_| true).unwrap();
        assert!(found.origin.ends_with("shop/Order.java") && found.modified_ms.is_some());
        fs::remove_file(file).unwrap();
    }
    assert_eq!(find(&named(folder.path()), &order()), Err(String::new()));
}

#[test]
fn archives_with_and_without_folders_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let jar = folder.path().join("x.jar");
    zip(
        &jar,
        &[
            ("deep/down/shop/Order.java", "deep"),
            ("java.base/shop/Order.java", "module"),
            ("workshop/Order.java", "another package"),
            ("../../shop/Other.java", "its name is only a name"),
            ("shop/Order.class", "\u{1}"),
        ],
    );
    assert_eq!(find(&named(&jar), &order()).as_deref(), Ok("module"));
    let other = name("shop.Other", "Other.java");
    assert!(find(&named(&jar), &other).is_ok());
    assert_eq!(
        find(&named(&jar), &name("Order", "None.java")),
        Err(String::new())
    );
}

#[test]
fn what_a_program_suggests() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let program = |class_path: &[&str]| Program {
        folder: Some(root.clone()),
        class_path: class_path.iter().map(|&entry| entry.to_owned()).collect(),
        ..Program::default()
    };
    let found =
        |class_path: &[&str]| find(&SourcePath::of_program(&[], &program(class_path)), &order());
    zip(&root.join("lib/shop-1.2.jar"), &[("shop/Order.class", "x")]);
    assert!(found(&["lib/shop-1.2.jar"]).is_err());
    zip(
        &root.join("lib/shop-1.2-sources.jar"),
        &[("shop/Order.java", "beside")],
    );
    assert_eq!(found(&["lib/shop-1.2.jar"]).as_deref(), Ok("beside"));

    let hash = |digit: &str| digit.repeat(40);
    let gradle = format!("cache/{}/shop.jar", hash("a"));
    zip(&root.join(&gradle), &[]);
    zip(
        &root.join(format!("cache/{}/shop-sources.jar", hash("b"))),
        &[("shop/Order.java", "gradle")],
    );
    assert_eq!(found(&[&gradle]).as_deref(), Ok("gradle"));

    for (classes, source) in [
        ("a/target/classes", "a/src/main/java"),
        ("b/target/test-classes", "b/src/test/java"),
        ("c/build/classes/java/main", "c/src/main/java"),
        ("d/out/production/d", "d/src"),
        ("e/bin", "e/src"),
        ("f/classes", "f"),
        ("g", "g"),
    ] {
        fs::create_dir_all(root.join(classes)).unwrap();
        assert!(found(&[classes]).is_err(), "{classes}");
        write(&root.join(source).join("shop/Order.java"), classes);
        assert_eq!(found(&[classes]).as_deref(), Ok(classes));
    }
    // The folder that it ran in.
    write(&root.join("src/main/java/shop/Order.java"), "own");
    assert_eq!(found(&[]).as_deref(), Ok("own"));
    // What the user named comes first.
    write(&root.join("mine/shop/Order.java"), "mine");
    let first = SourcePath::of_program(&[root.join("mine")], &program(&[]));
    assert_eq!(find(&first, &order()).as_deref(), Ok("mine"));
}

#[test]
fn the_jdks_own_source_is_for_its_own_classes() {
    let home = tempfile::tempdir().unwrap();
    let java = home.path().join("bin/java");
    write(&java, "");
    zip(
        &home.path().join("lib/src.zip"),
        &[
            ("java.base/java/util/Map.java", "map"),
            ("x/shop/Order.java", "no"),
        ],
    );
    let program = Program {
        java: Some(java),
        ..Program::default()
    };
    let path = SourcePath::of_program(&[], &program);
    let map = SourceName::of("java.util.Map$Entry", None).unwrap();
    assert_eq!(find(&path, &map).as_deref(), Ok("map"));
    assert!(find(&path, &order()).is_err());
    // Another JDK's source is another source.
    write(
        &home.path().join("release"),
        "X=1\nJAVA_VERSION=\"17.0.15\"\n",
    );
    assert!(is_version(home.path(), "17.0.15") && !is_version(home.path(), "17.0.1"));
}

#[test]
fn of_several_the_one_that_fits_the_class_is_taken() {
    let folder = tempfile::tempdir().unwrap();
    let (old, new) = (folder.path().join("old"), folder.path().join("new"));
    write(&old.join("shop/Order.java"), "old");
    write(&new.join("src/shop/Order.java"), "also old");
    write(&new.join("test/shop/Order.java"), "new");
    let path = SourcePath::named(&[old, new]);
    let text = |fits: &str| path.find(&order(), |text| text == fits).unwrap().text;
    assert_eq!(
        (text("new").as_str(), text("none").as_str()),
        ("new", "old")
    );
}

#[test]
fn links_that_lead_out_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (inside, outside) = (folder.path().join("inside"), folder.path().join("outside"));
    write(&outside.join("shop/Order.java"), "secret");
    write(&inside.join("kept/Order.java"), "kept");
    fs::create_dir_all(inside.join("shop")).unwrap();
    let refused = |what: &str| {
        let told = find(&named(&inside), &order()).unwrap_err();
        assert!(told.contains("leads out"), "{what}: {told}");
    };
    let file = inside.join("shop/Order.java");
    symlink(outside.join("shop/Order.java"), &file).unwrap();
    refused("a file");
    fs::remove_file(&file).unwrap();
    symlink("../../outside/shop/Order.java", &file).unwrap();
    refused("a file by a relative way");
    fs::remove_file(&file).unwrap();
    symlink("../kept/Order.java", &file).unwrap();
    assert_eq!(find(&named(&inside), &order()).as_deref(), Ok("kept"));
    fs::remove_dir_all(inside.join("shop")).unwrap();
    symlink(outside.join("shop"), inside.join("shop")).unwrap();
    refused("a package");
    fs::remove_file(inside.join("shop")).unwrap();
    symlink(&outside, inside.join("src")).unwrap();
    refused("a source folder");
    symlink("src", inside.join("loop")).unwrap();
    fs::remove_file(inside.join("src")).unwrap();
    symlink("loop", inside.join("src")).unwrap();
    assert!(find(&named(&inside), &order()).is_err(), "a link to itself");
    // The place itself may be a link: it was named.
    symlink(&outside, folder.path().join("named")).unwrap();
    let place = named(&folder.path().join("named"));
    assert_eq!(find(&place, &order()).as_deref(), Ok("secret"));
}

#[test]
fn what_is_no_source_is_said_and_not_shown() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("shop/Order.java");
    let because = || find(&named(folder.path()), &order()).unwrap_err();
    write(&file, b"\xca\xfe\xba\xbe\0\0");
    assert!(because().contains("is not text"), "{}", because());
    fs::File::create(&file)
        .unwrap()
        .set_len(MOST_BYTES + 1)
        .unwrap();
    assert!(because().contains("larger than 8 MB"), "{}", because());
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    assert!(because().contains("is no file"), "{}", because());
    fs::remove_dir(&file).unwrap();
    // Nobody writes into it: who opened it as a file would wait for ever.
    let made = std::process::Command::new("mkfifo")
        .arg(&file)
        .status()
        .unwrap();
    assert!(made.success());
    let begun = Instant::now();
    assert!(because().contains("is no file"), "{}", because());
    assert!(begun.elapsed() < Duration::from_secs(5));
    let place = named(&folder.path().join("not there"));
    assert!(find(&place, &order()).unwrap_err().contains("not there"));
    // An empty file is a source without lines.
    fs::remove_file(&file).unwrap();
    write(&file, "");
    assert_eq!(find(&named(folder.path()), &order()).as_deref(), Ok(""));
}

#[test]
fn archives_that_are_broken_or_bombs_are_said() {
    let folder = tempfile::tempdir().unwrap();
    let jar = folder.path().join("x.jar");
    let because = || find(&named(&jar), &order()).unwrap_err();
    write(&jar, "PK\u{3}\u{4} and nothing behind");
    assert!(
        because().contains("is no readable jar or zip"),
        "{}",
        because()
    );
    let many = "a".repeat(MOST_BYTES as usize + 1);
    zip(&jar, &[("shop/Order.java", &many)]);
    assert!(fs::metadata(&jar).unwrap().len() < 100_000);
    assert!(because().contains("larger than 8 MB"), "{}", because());
    let mut writer = ZipWriter::new(fs::File::create(&jar).unwrap());
    let options = SimpleFileOptions::default();
    writer
        .add_symlink("shop/Order.java", "/etc/passwd", options)
        .unwrap();
    writer.finish().unwrap();
    assert!(because().contains("is no file"), "{}", because());
    // Cut in the middle.
    zip(&jar, &[("shop/Order.java", "class Order {}")]);
    let whole = fs::read(&jar).unwrap();
    for length in 0..whole.len() {
        fs::write(&jar, &whole[..length]).unwrap();
        assert!(find(&named(&jar), &order()).is_err(), "{length} bytes");
    }
}

#[test]
fn a_megabyte_in_a_line_is_text() {
    let folder = tempfile::tempdir().unwrap();
    write(&folder.path().join("shop/Order.java"), "x".repeat(1 << 20));
    let text = find(&named(folder.path()), &order()).unwrap();
    assert_eq!(text.len(), 1 << 20);
}
