use std::io::Write;

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::*;

fn write_zip(path: &Path, prefix: &[u8], entries: &[(&str, &str)]) {
    let mut file = File::create(path).unwrap();
    file.write_all(prefix).unwrap();
    let mut writer = ZipWriter::new(io::Cursor::new(Vec::new()));
    for (name, content) in entries {
        writer
            .start_file(*name, SimpleFileOptions::default())
            .unwrap();
        writer.write_all(content.as_bytes()).unwrap();
    }
    file.write_all(&writer.finish().unwrap().into_inner())
        .unwrap();
}

fn text(path: &ClassPath, name: &str) -> Option<String> {
    let (_, bytes) = path.find(name).unwrap()?;
    Some(String::from_utf8(bytes).unwrap())
}

#[test]
fn folders_and_jars_are_searched_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let at = |part: &str| folder.path().join(part);
    std::fs::create_dir_all(at("classes/p/q")).unwrap();
    std::fs::write(at("classes/p/q/A.class"), "folder A").unwrap();
    std::fs::write(at("classes/p/q/A.txt"), "no class").unwrap();
    std::fs::create_dir(at("lib")).unwrap();
    write_zip(
        &at("lib/b.jar"),
        b"",
        &[("p/q/A.class", "jar A"), ("p/B.class", "jar B")],
    );
    write_zip(
        &at("lib/c.jar"),
        b"",
        &[("p/B.class", "second B"), ("p/C.class", "jar C")],
    );
    let base = folder.path().display();
    let path = ClassPath::parse(&format!("{base}/classes:{base}/none.jar:{base}/lib/*"), 17);
    assert_eq!(path.sources().len(), 3);
    assert_eq!(path.skipped().len(), 1);
    assert!(path.skipped()[0].to_string().contains("none.jar"));
    assert_eq!(text(&path, "p/q/A").as_deref(), Some("folder A"));
    assert_eq!(text(&path, "p/B").as_deref(), Some("jar B"));
    assert_eq!(text(&path, "p/C").as_deref(), Some("jar C"));
    assert_eq!(text(&path, "p/D"), None);
    // A name never leads out of a folder.
    assert_eq!(text(&path, "../classes/p/q/A"), None);
    assert_eq!(path.sources()[0].names().unwrap(), ["p/q/A"]);
    assert_eq!(path.sources()[1].names().unwrap(), ["p/B", "p/q/A"]);
}

#[test]
fn a_multi_release_jar_gives_the_class_of_the_release() {
    let folder = tempfile::tempdir().unwrap();
    let jar = folder.path().join("m.jar");
    let entries = |manifest: &'static str| {
        [
            ("META-INF/MANIFEST.MF", manifest),
            ("A.class", "base"),
            ("META-INF/versions/9/A.class", "nine"),
            ("META-INF/versions/17/A.class", "seventeen"),
            ("META-INF/versions/17/B.class", "only 17"),
            ("META-INF/versions/21/A.class", "twenty-one"),
        ]
    };
    let a = |release| {
        let source = ClassSource::open(&jar, release).unwrap();
        String::from_utf8(source.read("A").unwrap().unwrap()).unwrap()
    };
    write_zip(
        &jar,
        b"",
        &entries("Manifest-Version: 1.0\r\nMulti-Release: true\r\n\r\n"),
    );
    assert_eq!(
        [8, 9, 16, 17, 20, 25].map(a),
        [
            "base",
            "nine",
            "nine",
            "seventeen",
            "seventeen",
            "twenty-one"
        ]
    );
    assert!(
        ClassSource::open(&jar, 11)
            .unwrap()
            .read("B")
            .unwrap()
            .is_none()
    );
    write_zip(
        &jar,
        b"",
        &entries("Manifest-Version: 1.0\r\n\r\nName: x\r\nMulti-Release: true\r\n"),
    );
    assert_eq!(a(25), "base");
}

#[test]
fn a_jmod_has_its_classes_in_a_folder_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let jmod = folder.path().join("m.jmod");
    let entries = [
        ("classes/p/A.class", "A"),
        ("lib/p/B.class", "no class of the module"),
    ];
    write_zip(&jmod, b"JM\x01\x00", &entries);
    let source = ClassSource::open(&jmod, 17).unwrap();
    assert_eq!(source.names().unwrap(), ["p/A"]);
    assert_eq!(source.read("p/A").unwrap().unwrap(), b"A");
}

#[test]
fn jars_and_folders_inside_of_a_jar_are_places() {
    let folder = tempfile::tempdir().unwrap();
    let (inner, outer) = (folder.path().join("i.jar"), folder.path().join("o.jar"));
    write_zip(&inner, b"", &[("p/A.class", "inner")]);
    let bytes = std::fs::read(&inner).unwrap();
    let mut archive = ZipWriter::new(File::create(&outer).unwrap());
    let stored = SimpleFileOptions::default();
    for (name, content) in [
        ("Launcher.class", &b"outer"[..]),
        ("BOOT-INF/classes/p/B.class", b"folder"),
        ("BOOT-INF/lib/i.jar", &bytes),
        ("BOOT-INF/lib/none.jar", b"no zip"),
    ] {
        archive.start_file(name, stored).unwrap();
        archive.write_all(content).unwrap();
    }
    archive.finish().unwrap();
    let open = |entry| ClassSource::open_inside(&outer, entry, 17);
    for (entry, names, name, content) in [
        ("BOOT-INF/lib/i.jar", ["p/A"], "p/A", b"inner".to_vec()),
        ("BOOT-INF/classes/", ["p/B"], "p/B", b"folder".to_vec()),
    ] {
        let source = open(entry).unwrap();
        assert_eq!(source.names().unwrap(), names);
        assert_eq!(source.read(name).unwrap().unwrap(), content);
        let path = format!("{}!/{}", outer.display(), entry.trim_matches('/'));
        assert_eq!(source.path(), Path::new(&path));
    }
    assert!(matches!(
        open("BOOT-INF/lib/none.jar"),
        Err(ClassPathError::Zip { .. })
    ));
    assert!(open("nowhere").unwrap().names().unwrap().is_empty());
}

#[test]
fn what_is_no_class_path_entry_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let jar = folder.path().join("x.jar");
    std::fs::write(&jar, "no zip").unwrap();
    assert!(matches!(
        ClassSource::open(&jar, 17),
        Err(ClassPathError::Zip { .. })
    ));
    assert!(matches!(
        ClassSource::java_home(folder.path()),
        Err(ClassPathError::NoJavaHome { .. })
    ));
}
