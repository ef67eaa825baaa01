//! Classes that the class path does not have: of loaders of the program's own, in jars inside of jars, made at run time.

use super::*;

/// A class of the scope that a loader of the program's own takes from a folder beside the class path.
#[test]
fn loaders_of_the_programs_own() {
    for jdk in jdks() {
        let jdk = jdk.as_deref();
        let folder = compiled(jdk, &source("Loaders"));
        let places = PARTS.map(|part| {
            let beside = tempfile::Builder::new().prefix("a folder").tempdir();
            let beside = beside.expect("a folder");
            let file = format!("{part}.class");
            let moved = std::fs::rename(folder.path().join(&file), beside.path().join(&file));
            moved.expect("the class file");
            beside
        });
        let [one, other] = places
            .each_ref()
            .map(|place| format!("{}/", place.path().display()));
        loads_alike(jdk, folder.path(), &["Loaders", &one, &other]);
    }
}

/// A program that is packed with its parts into one jar, by a launcher that says where its classes lie.
#[test]
fn jars_inside_of_a_jar() {
    for jdk in jdks() {
        let jdk = jdk.as_deref();
        let folder = compiled(jdk, &source("Loaders"));
        let beside = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(beside.path().join("lib")).expect("a folder");
        let pack = |options: &str, jar: &str, from: &Path, what: &str| {
            let mut tool = tool(jdk, "jar");
            tool.arg(options).arg(beside.path().join(jar));
            let packed = tool.arg("-C").arg(from).arg(what).status();
            assert!(packed.is_ok_and(|status| status.success()), "{jar}");
        };
        for part in PARTS {
            let file = format!("{part}.class");
            pack("cf", &format!("lib/{part}.jar"), folder.path(), &file);
            std::fs::remove_file(folder.path().join(file)).expect("the class file");
        }
        pack("c0f", "all.jar", beside.path(), "lib");
        let all = beside.path().join("all.jar").display().to_string();
        loads_alike(jdk, folder.path(), &["Loaders", &all]);
    }
}

/// Classes that lie in no file: the JVM is asked for them.
#[test]
fn classes_that_are_made_at_run_time() {
    for jdk in jdks() {
        let jdk = jdk.as_deref();
        let folder = compiled(jdk, &source("Made"));
        let [probe, events] = [EngineKind::Probe, EngineKind::Events].map(|engine| {
            record_of(
                jdk,
                folder.path(),
                &["Made"],
                engine,
                (&[], &["Made$Maker"]),
            )
        });
        assert_eq!(probe.printed, events.printed);
        assert_eq!(probe.list.levels, [], "{:?}", probe.notes);
        let stories = [&probe, &events].map(|recorded| told_by_code(&recorded.list));
        differ_nowhere(&stories, "Made", jdk, &probe.notes);
    }
}

/// What `Loaders` loads from elsewhere. Its own loader is none of the scope: the JVM calls it in the middle of instructions.
const PARTS: [&str; 2] = ["Loaders$Part", "Loaders$Scale"];

fn loads_alike(jdk: Option<&Path>, classes: &Path, run: &[&str]) {
    let [probe, events] = [EngineKind::Probe, EngineKind::Events].map(|engine| {
        record_of(
            jdk,
            classes,
            run,
            engine,
            (&[], &["Loaders$Packed", "Loaders$Nowhere"]),
        )
    });
    assert_eq!(probe.printed, events.printed);
    assert_eq!(probe.list.levels, [], "{:?}", probe.notes);
    let stories = [&probe, &events].map(|recorded| told_by_code(&recorded.list));
    differ_nowhere(&stories, "Loaders", jdk, &probe.notes);

    // Nor is it a reason to leave the program to another engine that the first class of the scope lies elsewhere.
    let of_parts = [EngineKind::Auto, EngineKind::Probe]
        .map(|engine| record_of(jdk, classes, run, engine, (&PARTS, &[])));
    let taken = of_parts[0].list.engine.as_ref().map(|(engine, _)| *engine);
    assert_eq!(taken, Some(EngineKind::Probe));
    let stories = of_parts.each_ref().map(|recorded| story(&recorded.list));
    assert!(stories[0].len() > 100, "{:?}", stories[0]);
    assert_eq!(stories[0], stories[1]);
}

/// Which of them an object is of, and a class object, is told by objects that were told before.
#[test]
fn classes_of_one_name() {
    for jdk in jdks() {
        let jdk = jdk.as_deref();
        let folder = compiled(jdk, &program("odd/Twins.java"));
        let twin = compiled(jdk, &program("odd/Twin.java"));
        let file = |of: &tempfile::TempDir| of.path().join("odd/Twin.class");
        std::fs::copy(file(&twin), file(&folder)).expect("a class file");
        let run = |engine| {
            let scope: (&[&str], &[&str]) = (&["odd.Twin*"], &[]);
            record_of(jdk, folder.path(), &["odd.Twins"], engine, scope)
        };
        let (probe, events) = (run(EngineKind::Probe), run(EngineKind::Events));
        let stories = [story(&probe.list), story(&events.list)];
        differ_nowhere(&stories, "odd.Twins", jdk, &probe.notes);
        assert!(
            stories[0]
                .iter()
                .any(|line| line.ends_with("= Some(\"Int(30)\")"))
        );
    }
}

/// A class file is not another one because its instructions are alike.
#[test]
fn classes_of_one_name_that_differ() {
    const FOLD: &str = r#"public class Fold {
        static int count;
        final String mark = "MARK";
        public String tell(int times) { count += times; return mark.repeat(times) + count; }
        public static synchronized String locked() { return "locked MARK"; }
    }"#;
    for jdk in jdks() {
        let jdk = jdk.as_deref();
        let folder = compiled(jdk, &source("Twofold"));
        let folds = ["one", "two"].map(|mark| {
            let text = tempfile::tempdir().expect("a folder");
            let file = text.path().join("Fold.java");
            std::fs::write(&file, FOLD.replace("MARK", mark)).expect("a file");
            compiled(jdk, &file)
        });
        let [one, two] = folds
            .each_ref()
            .map(|fold| fold.path().display().to_string());
        let run = ["Twofold", &one, &two];
        let mut java = tool(jdk, "java");
        let alone = java.arg("-cp").arg(folder.path()).args(run).output();
        let alone = String::from_utf8(alone.expect("it runs").stdout).expect("text");
        let told = record_of(jdk, folder.path(), &run, EngineKind::Probe, (&[], &[]));
        assert_eq!(told.printed, alone);
        assert_eq!(told.list.levels, [], "{:?}", told.notes);
        let story = story(&told.list);
        let same = story
            .iter()
            .position(|line| line.contains(":= Boolean(false)"));
        assert!(same.is_some(), "{story:?}");
        for result in ["oneoneone3", "twotwotwo3", "locked one", "locked two"] {
            let returned = format!("= Some(\"\\\"{result}\\\"\")");
            assert!(
                story.iter().any(|line| line.ends_with(&returned)),
                "{result}: {story:?}"
            );
        }
    }
}
