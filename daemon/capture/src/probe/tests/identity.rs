//! Objects that have one identity hash.

use super::*;

/// All objects have the same hash: each but the first is told apart by what the probe keeps of it.
const ONE_HASH: [&str; 2] = ["-XX:+UnlockExperimentalVMOptions", "-XX:hashCode=2"];

#[test]
fn objects_of_one_hash_are_told_apart() {
    let jdk = newest_jdk();
    let jdk = jdk.as_deref();
    for main in [
        "Shapes",
        "Shop",
        "Throws",
        "Begins",
        "Overrides",
        "Constants",
        "ClassObjects",
    ] {
        let folder = compiled(jdk, &source(main));
        let [one, two] = ONE_HASH;
        let probe = record_of(
            jdk,
            folder.path(),
            &[one, two, main],
            EngineKind::Probe,
            (&[], &[]),
        );
        let events = record(jdk, folder.path(), main, EngineKind::Events);
        assert_eq!(probe.printed, events.printed);
        assert_eq!(probe.list.levels, [], "{main}: {:?}", probe.notes);
        let stories = [story(&probe.list), story(&events.list)];
        differ_nowhere(&stories, main, jdk, &probe.notes);
    }
}

/// Some hundred thousand objects: by chance some have the hash of another; with the address as hash very many do, of which most
/// are gone.
#[test]
fn very_many_objects_are_told_apart() {
    const BY_ADDRESS: [&str; 4] = [
        "-XX:+UnlockExperimentalVMOptions",
        "-XX:hashCode=4",
        "-XX:+UseSerialGC",
        "-Xmn4m",
    ];
    let jdk = newest_jdk();
    let jdk = jdk.as_deref();
    let folder = compiled(jdk, &source("Many"));
    for options in [&[][..], &BY_ADDRESS] {
        let run = [options, &["Many", "200000"]].concat();
        let options = RecordingOptions {
            engine: EngineKind::Probe,
            level: Level::State,
            contents: false,
            ..RecordingOptions::default()
        };
        let probe = record_with(options, jdk, folder.path(), &run);
        // Each value that was read is in the checksum, and says which object it is of.
        assert_eq!(probe.list.levels, [], "{run:?}: {:?}", probe.notes);
        let mut sums = probe
            .list
            .events
            .iter()
            .filter_map(|event| match event.kind {
                EventKind::Write {
                    variable: Variable::Static { .. },
                    value: Value::Long(sum),
                } => Some(sum.to_string()),
                _ => None,
            });
        assert_eq!(sums.next_back().as_deref(), Some(probe.printed.trim()));
        let mut made: Vec<ObjectId> = probe
            .list
            .events
            .iter()
            .filter_map(|event| match event.kind {
                EventKind::New { object, .. } => Some(object),
                _ => None,
            })
            .collect();
        made.sort_unstable();
        made.dedup();
        assert!(made.len() >= 400_000, "{}", made.len());
    }
}

/// Which method the code of a proxy calls the engine `events` does not know: it cannot see the handler. The array that it makes for it is
/// the one that the handler has.
#[test]
fn what_a_proxy_hands_on_is_one_object() {
    for jdk in jdks() {
        let jdk = jdk.as_deref();
        let folder = compiled(jdk, &source("Proxied"));
        let Recorded { list, notes, .. } =
            record(jdk, folder.path(), "Proxied", EngineKind::Events);
        let methods = list.classes.iter().flat_map(|class| &class.methods);
        let handler = methods.clone().find(|m| m.name.starts_with("lambda$main"));
        let handler = handler.expect("it is recorded").id;
        let mut made = BTreeSet::new();
        let mut handled = 0;
        for event in &list.events {
            match &event.kind {
                EventKind::New { object, .. } => drop(made.insert(*object)),
                EventKind::Enter {
                    method, arguments, ..
                } if *method == handler => {
                    let Some(Value::Object(handed)) = arguments.last() else {
                        panic!("{jdk:?}: {arguments:?}");
                    };
                    assert!(made.contains(handed), "{jdk:?}: {handed:?} {notes:?}");
                    handled += 1;
                }
                _ => {}
            }
        }
        assert_eq!(handled, 3, "{jdk:?}: {notes:?}");
    }
}
