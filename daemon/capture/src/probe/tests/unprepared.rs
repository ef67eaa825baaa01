//! Classes that code names and that the JVM does not prepare; static members that are named by such.

use super::*;

/// The JVM initialises the class that declares such a member, and may never prepare the one that names it (JVMS 5.5). What is told
/// is what is told of the program that names the declaring class.
#[test]
fn static_members_named_by_classes_that_are_never_prepared() {
    let text = std::fs::read_to_string(source("Inherited")).expect("a program");
    let plain = text
        .replace("Below.", "Above.")
        .replace("Lowest.", "Above.")
        .replace("Under.", "Last.");
    let beside = tempfile::tempdir().expect("a folder");
    let plain_source = beside.path().join("Inherited.java");
    std::fs::write(&plain_source, plain).expect("a program");
    for jdk in jdks() {
        let jdk = jdk.as_deref();
        let main = "Inherited";
        let folder = compiled(jdk, &source(main));
        let plain = compiled(jdk, &plain_source);
        let told = record(jdk, folder.path(), main, EngineKind::Probe);
        let expected = record(jdk, plain.path(), main, EngineKind::Events);
        assert_eq!(told.printed, expected.printed);
        assert_eq!(told.list.levels, [], "{:?}", told.notes);
        let stories = [story(&told.list), story(&expected.list)];
        let unknown = stories
            .iter()
            .flatten()
            .find(|line| line.contains("Missing"));
        assert_eq!(unknown, None);
        differ_nowhere(&stories, main, jdk, &told.notes);
    }
}

#[test]
fn classes_that_are_never_prepared() {
    for jdk in jdks() {
        let jdk = jdk.as_deref();
        let main = "Unprepared";
        let folder = compiled(jdk, &source(main));
        for run in [&[main][..], &[main, "without a rest"]] {
            let record = |engine| record_of(jdk, folder.path(), run, engine, (&[], &[]));
            let [probe, events] = [EngineKind::Probe, EngineKind::Events].map(record);
            assert_eq!(probe.printed, events.printed);
            let stories = [story(&probe.list), story(&events.list)];
            differ_nowhere(&stories, main, jdk, &probe.notes);
        }
    }
}
