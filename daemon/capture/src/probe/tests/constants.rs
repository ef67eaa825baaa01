//! What no instruction writes: static fields that a class file gives their values.

use super::*;

/// What static fields were found to hold first.
fn found(list: &List) -> BTreeMap<String, String> {
    let mut teller = Teller::new(list);
    let mut all = BTreeMap::new();
    for event in &list.events {
        if let EventKind::Snapshot { variable, value } = &event.kind
            && matches!(variable, Variable::Static { .. })
        {
            let held = teller.value(value);
            all.entry(teller.variable(variable)).or_insert(held);
        }
    }
    all
}

/// The class as its readers meet it: they were compiled when its fields were no constants.
const HELD: &str = r#"class Held {
    static final int SIZE = 12;
    static final char LETTER = 'h';
    static final String TEXT = "held";
    static int unset;
}"#;

#[test]
fn constants_of_classes() {
    const CONSTANTS: [&str; 12] = [
        "Constants$Kind.WEIGHT",
        "Constants.DOUBLE",
        "Constants.FINE",
        "Constants.FLOAT",
        "Constants.LETTER",
        "Constants.LONG",
        "Constants.SHORT",
        "Constants.SMALL",
        "Constants.YES",
        "Held.LETTER",
        "Held.SIZE",
        "Held.TEXT",
    ];
    for jdk in jdks() {
        let jdk = jdk.as_deref();
        let folder = compiled(jdk, &source("Constants"));
        let file = folder.path().join("Held.java");
        std::fs::write(&file, HELD).expect("a file");
        let again = compiled(jdk, &file);
        let moved = std::fs::copy(
            again.path().join("Held.class"),
            folder.path().join("Held.class"),
        );
        moved.expect("a class file");
        let [probe, events] = [EngineKind::Probe, EngineKind::Events]
            .map(|engine| record(jdk, folder.path(), "Constants", engine));
        assert!(probe.printed.contains("\n16\n"), "{}", probe.printed);
        assert_eq!(probe.printed, events.printed);
        let stories = [story(&probe.list), story(&events.list)];
        differ_nowhere(&stories, "Constants", jdk, &probe.notes);
        let [mut told, mut expected] = [&probe, &events].map(|recorded| found(&recorded.list));
        told.retain(|name, _| !name.starts_with("java."));
        expected.retain(|name, _| CONSTANTS.contains(&name.as_str()));
        assert_eq!(expected.len(), CONSTANTS.len(), "{expected:?}");
        assert_eq!(told, expected, "{:?}", probe.notes);
    }
}
