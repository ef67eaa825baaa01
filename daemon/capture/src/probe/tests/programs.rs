//! Programs of one thread, each about a part of the language.

use super::*;

#[test]
fn objects_that_are_met_while_they_are_made() {
    own("Constructs");
    for jdk in jdks() {
        let folder = compiled(jdk.as_deref(), &source("Constructs"));
        let options = RecordingOptions {
            engine: EngineKind::Probe,
            level: Level::Full,
            ..RecordingOptions::default()
        };
        let probe = record_with(options, jdk.as_deref(), folder.path(), &["Constructs"]);
        let messages = probe
            .list
            .objects
            .iter()
            .filter_map(|(_, info)| match &info.content {
                Content::Throwable(thrown) => Some(thrown.message.clone()),
                _ => None,
            });
        let mut messages: Vec<String> = messages
            .map(|message| {
                message.map_or_else(
                    || "none".to_owned(),
                    |text| String::from_utf16_lossy(&text.prefix),
                )
            })
            .collect();
        messages.sort();
        // Those that were thrown and caught, and their causes: not as they were while `Throwable` made them.
        let of = |what: &str| messages.iter().filter(|one| one.starts_with(what)).count();
        assert_eq!((of("quick "), of("slow: cause ")), (3, 4), "{messages:?}");
        // `kept` has none.
        assert_eq!(of("none"), 1, "{messages:?}");
    }
}

#[test]
fn an_exception_that_ends_main_behind_an_initialiser() {
    own("Ended");
    for jdk in jdks() {
        let jdk = jdk.as_deref();
        let folder = compiled(jdk, &source("Ended"));
        let probe = record(jdk, folder.path(), "Ended", EngineKind::Probe);
        let ends = |event: &&Event| matches!(event.kind, EventKind::Uncaught { .. });
        assert_eq!(probe.list.events.iter().filter(ends).count(), 1);
    }
}

#[test]
fn a_merge_sort() {
    agree(&program("fixtures/mergesort/MergeSort.java"), "MergeSort");
}

#[test]
fn fixtures_agree() {
    for name in FIXTURES {
        let (source, main) = fixture(name);
        agree(&source, &main);
    }
}

#[test]
fn objects_and_numbers() {
    own("Shapes");
}

#[test]
fn methods_that_override_others() {
    own("Overrides");
}

#[test]
fn objects_that_are_copied() {
    own("Copies");
    // Threads that copy what the other one writes. Where writes are told, they are what was derived; else what copies hold is derived alone.
    for jdk in jdks() {
        let jdk = jdk.as_deref();
        let folder = compiled(jdk, &source("Copies"));
        for probe_log in [ProbeLog::Auto, ProbeLog::Writes] {
            let told = record_logging(probe_log, jdk, folder.path(), &["Copies", "together"]);
            assert_eq!(told.printed, "8000 8000\n");
            assert_eq!(told.list.levels, [], "{probe_log}: {:?}", told.notes);
        }
    }
}

#[test]
fn methods_of_interfaces_that_lambdas_have() {
    own("Defaults");
}

/// Programs as people write them, many things in few lines: recorded to their end, and they print what they print unrecorded. With `writes`
/// each value that is written was derived as it was.
#[test]
fn ordinary_programs() {
    // From which Java on it can be compiled, with which it is run if there is one (CI demands both), and how many classes are left
    // out: those of proxies.
    for (main, from, left_out) in [
        ("Inventory", 17, 0),
        ("Tree", 17, 0),
        ("Flow", 17, 0),
        ("Below", 17, 0),
        ("Odd", 17, 0),
        ("Shopping", 17, 0),
        ("Mirrors", 17, 2),
        ("Modern", 25, 0),
    ] {
        for jdk in jdks() {
            let jdk = jdk.as_deref();
            if release(jdk) < from {
                continue;
            }
            let folder = compiled(jdk, &source(&format!("ordinary/{main}")));
            let mut java = tool(jdk, "java");
            let alone = java.arg("-cp").arg(folder.path()).arg(main).output();
            let alone = String::from_utf8(alone.expect("it runs").stdout).expect("text");
            for probe_log in [ProbeLog::Auto, ProbeLog::Writes] {
                let told = record_logging(probe_log, jdk, folder.path(), &[main]);
                assert_eq!(told.printed, alone, "{main} with {probe_log}");
                let gaps = told.list.events.iter();
                let gaps: Vec<_> = gaps
                    .filter(|e| matches!(e.kind, EventKind::Gap { .. }))
                    .collect();
                assert!(gaps.is_empty(), "{main} with {probe_log}: {gaps:?}");
                assert_eq!(told.list.levels.len(), left_out, "{main}: {:?}", told.notes);
            }
        }
    }
}

/// Calls by one name and descriptor with something out of the scope between: a lambda, an override, a constructor.
#[test]
fn calls_through_something_of_the_same_name() {
    /// The calls of the scope, and where the scope makes them itself.
    fn calls(told: &Recorded) -> Vec<(String, u32)> {
        let teller = Teller::new(&told.list);
        let events = told.list.events.iter();
        let calls = events.filter_map(|event| match event.kind {
            EventKind::Enter {
                method,
                call_site,
                boundary: false,
                ..
            } => Some((teller.method(method), call_site)),
            _ => None,
        });
        calls.collect()
    }
    for jdk in jdks() {
        let jdk = jdk.as_deref();
        let folder = compiled(jdk, &source("Namesakes"));
        let run = |level, engine, run: &[&str]| {
            let scope: (&[&str], &[&str]) = (&[], &["Namesakes$Outside*"]);
            record_at(level, jdk, folder.path(), run, engine, scope)
        };
        for arguments in [&["Namesakes"][..], &["Namesakes", "overrides"]] {
            let [probe, events] = [EngineKind::Probe, EngineKind::Events]
                .map(|engine| run(Level::Full, engine, arguments));
            assert_eq!(probe.printed, events.printed);
            let stories = [story(&probe.list), story(&events.list)];
            differ_nowhere(&stories, "Namesakes", jdk, &probe.notes);
        }
        // Static initialisers out of the scope that call back end what the probe derives.
        let probe = run(Level::Full, EngineKind::Probe, &["Namesakes"]);
        let all = ["Namesakes", "overrides", "and an initialiser"];
        let both =
            [Level::Full, Level::Calls].map(|level| calls(&run(level, EngineKind::Events, &all)));
        assert_eq!(both[0], both[1]);
        let own = calls(&probe);
        let (same, overridden) = both[0].split_at(own.len());
        assert_eq!(same, own);
        let outside = |method: &str| {
            let call = (format!("Namesakes${method}(I)I"), Event::NO_INDEX);
            overridden.iter().filter(|&one| *one == call).count()
        };
        assert_eq!((outside("Shape.show"), outside("Begun.begin")), (5, 1));
        assert_eq!(
            overridden.len(),
            8,
            "and `sum`, and `begin`: {overridden:?}"
        );
    }
}

/// What code out of the scope extends is recorded, too, where that overrides methods of the scope and where it does not.
#[test]
fn what_is_extended_out_of_the_scope() {
    for jdk in jdks() {
        let jdk = jdk.as_deref();
        let folder = compiled(jdk, &source("Partly"));
        let some: Vec<_> = ["$Job", "$Plain", "$Registry", "$Between", "$Ranked"]
            .into_iter()
            .chain(["$Visitor", "$Counting", "$First", "$Low", "$Other"])
            .map(|name| format!("Partly{name}"))
            .collect();
        let some: Vec<&str> = some.iter().map(String::as_str).collect();
        for scope in [(&[][..], &["Partly$App*"][..]), (&some, &[])] {
            let run = |engine| record_of(jdk, folder.path(), &["Partly"], engine, scope);
            let [probe, events] = [EngineKind::Probe, EngineKind::Events].map(run);
            assert_eq!(probe.printed, events.printed);
            // What code out of the scope writes to fields `probe` tells where the scope reads it next.
            // Where code that nothing of the scope has called makes an object of a class that extends one, `events` does not tell.
            let main_is_in_scope = scope.0.is_empty();
            let by_scope = |line: &String| {
                let made = !main_is_in_scope && line.starts_with("1.0 @4294967295 new ");
                !(made || line.contains(" @4294967295 ") && line.contains(" := "))
            };
            let story = |told: &Recorded| story(&told.list).into_iter().filter(by_scope).collect();
            let stories = [story(&probe), story(&events)];
            differ_nowhere(&stories, "Partly", jdk, &probe.notes);
            assert_eq!(probe.list.levels, [], "{:?}", probe.notes);
            // A superclass's superclass comes before an interface (JVMS 5.4.6).
            let of_top = "enter Partly$Ranked.ranked()I Some(\"Partly$AppTop";
            let is_it = |line: &String| line.contains(of_top) && line.ends_with(" true");
            for story in stories.iter().filter(|_| main_is_in_scope) {
                let at = story.iter().position(is_it).expect("it is called");
                let ended = &story[at + 1];
                assert!(ended.ends_with("= Some(\"Int(7)\")"), "{ended}");
            }
        }
        // A class out of the scope that cannot be initialised: neither is one made nor what its constructor is given worked out.
        let scope = (&[][..], &["Partly$App*"][..]);
        let run = ["Partly", "and what fails"];
        let record = |engine| record_of(jdk, folder.path(), &run, engine, scope);
        let [probe, events] = [EngineKind::Probe, EngineKind::Events].map(record);
        assert_eq!(probe.printed, events.printed);
        assert_eq!(probe.list.levels, [], "{:?}", probe.notes);
        let [told, expected] = [story(&probe.list), story(&events.list)];
        assert!(!told.iter().any(|line| line.contains("AppFails")));
        let thrown =
            "enter java.lang.Integer.parseInt(Ljava/lang/String;)I None [\"\\\"none\\\"\"]";
        let parsed = told.iter().filter(|line| line.contains(thrown));
        assert_eq!(parsed.count(), 1, "{told:#?}");
        // Which exceptions were thrown and caught out of the scope `probe` does not tell.
        let calls = |story: &[String]| story.iter().filter(|line| line.contains(" enter ")).count();
        assert_eq!(calls(&told), calls(&expected));
    }
}

/// What overrides a method of the scope out of it may write anything: reads are told from then on.
#[test]
fn fields_that_overrides_out_of_the_scope_write() {
    for jdk in jdks() {
        let jdk = jdk.as_deref();
        let folder = compiled(jdk, &source("Hooks"));
        let scope = (&["Hooks$Hooked"][..], &[][..]);
        let told = record_of(jdk, folder.path(), &["Hooks"], EngineKind::Probe, scope);
        assert_eq!(told.list.levels, [], "{:?}", told.notes);
        let story = story(&told.list);
        let returned = story
            .iter()
            .filter(|line| line.ends_with("= Some(\"Int(5)\")"));
        assert_eq!((&*told.printed, returned.count()), ("18\n", 0), "{story:?}");
        let returned = story
            .iter()
            .filter(|line| line.ends_with("= Some(\"Int(6)\")"));
        assert_eq!(returned.count(), 3, "{story:?}");
    }
}

/// Which of two objects of one class a constructor out of the scope was called for is not known until it has ended: the recording of
/// the thread ends, with a gap that reaches back, where that was another one, or where nothing tells.
#[test]
fn constructors_that_make_others_first() {
    for jdk in jdks() {
        let jdk = jdk.as_deref();
        let folder = compiled(jdk, &source("Nested"));
        for (run, printed, why) in [
            (
                &["Nested"][..],
                "true\ntrue\n",
                "a constructor made another object than was derived",
            ),
            (
                &["Nested", "throwing"],
                "true\nlatefalse\n",
                "a constructor has made several objects and thrown",
            ),
        ] {
            let scope: (&[&str], &[&str]) = (&[], &["Nested$Outside*"]);
            let told = record_of(jdk, folder.path(), run, EngineKind::Probe, scope);
            assert_eq!(told.printed, printed);
            let gaps = told
                .list
                .events
                .iter()
                .filter_map(|event| match &event.kind {
                    EventKind::Gap { reason, back } => Some((event.call.preorder, reason, *back)),
                    _ => None,
                });
            let gaps: Vec<_> = gaps.collect();
            let says = |gap: &(u64, &String, bool)| gap.1.contains(why) && gap.2;
            assert!(!gaps.is_empty() && gaps.iter().all(says), "{gaps:?}");
        }
    }
}

#[test]
fn what_initialises_classes() {
    own("Begins");
}

#[test]
fn exceptions() {
    own("Throws");
}

/// Objects that code out of the scope has though nobody showed them to it: records' components, what a stream of objects finds, what
/// is in arrays.
#[test]
fn objects_that_nobody_shows() {
    own("Records");
    own("Writes");
    own("Grids");
    own("Fills");
}

/// They are known when they come back, also where the call that they are handed to is what loads its class.
#[test]
fn objects_that_no_variable_holds() {
    own("Temps");
}

#[test]
fn collections_and_lambdas() {
    own("Shop");
}

/// What a collection was told to hold came with texts that are not told again.
#[test]
fn texts_that_are_in_a_collection_first() {
    own("Joins");
}

/// At lower levels it tells what the engine `events` tells at level `full`, without what these levels leave out.
#[test]
fn lower_levels() {
    fn of_calls(event: &Event) -> bool {
        matches!(
            event.kind,
            EventKind::ThreadStart
                | EventKind::ThreadEnd
                | EventKind::Enter { .. }
                | EventKind::Exit { .. }
                | EventKind::Thrown { .. }
                | EventKind::Caught { .. }
                | EventKind::Gap { .. }
        )
    }
    fn of_state(event: &Event) -> bool {
        !matches!(event.kind, EventKind::Use { .. } | EventKind::Edge { .. })
    }
    let levels = [
        (Level::State, of_state as fn(&Event) -> bool),
        (Level::Calls, of_calls),
    ];
    for jdk in jdks() {
        let jdk = jdk.as_deref();
        for main in ["Shop", "Throws"] {
            let folder = compiled(jdk, &source(main));
            let run =
                |level, engine| record_at(level, jdk, folder.path(), &[main], engine, (&[], &[]));
            let mut events = run(Level::Full, EngineKind::Events);
            for (level, tells) in levels {
                let probe = run(level, EngineKind::Probe);
                assert_eq!(probe.printed, events.printed);
                events.list.events.retain(tells);
                let stories = [story(&probe.list), story(&events.list)];
                assert!(stories[0].len() > 100, "{level}: {:?}", stories[0]);
                differ_nowhere(&stories, main, jdk, &probe.notes);
            }
        }
    }
}

/// What a library, and the program itself, do by reflection: values that they wrote are read as they are, objects are one
/// each. Which call wrote what is told by one engine alone.
#[test]
fn reflection() {
    let programs = [
        (source("Reflects"), "Reflects", &["Reflects$Outsider"][..]),
        (
            program("fixtures/fx/Reflective.java"),
            "fx.Reflective",
            &[][..],
        ),
    ];
    for (source, main, out) in programs {
        for jdk in jdks() {
            let jdk = jdk.as_deref();
            let folder = compiled(jdk, &source);
            let [probe, events] = [EngineKind::Probe, EngineKind::Events]
                .map(|engine| record_of(jdk, folder.path(), &[main], engine, (&[], out)));
            assert_eq!(probe.printed, events.printed);
            let stories = [&probe, &events].map(|recorded| told_by_code(&recorded.list));
            differ_nowhere(&stories, main, jdk, &probe.notes);
        }
    }
}

/// What a library has may change in calls of its own, not in what classes of the scope inherit from the JDK; and what is found then is of the type
/// of the elements.
#[test]
fn what_a_library_keeps_is_in_doubt_behind_its_own_calls() {
    for jdk in jdks() {
        let jdk = jdk.as_deref();
        let folder = compiled(jdk, &source("Kept"));
        let options = RecordingOptions {
            engine: EngineKind::Probe,
            level: Level::Full,
            exclude: vec!["Kept$Library".to_owned()],
            ..RecordingOptions::default()
        };
        let probe = record_with(options, jdk, folder.path(), &["Kept"]);
        let methods = probe.list.classes.iter().flat_map(|class| &class.methods);
        let names: FxHashMap<_, _> = methods.map(|m| (m.id, m.name.as_str())).collect();
        let (mut calls, mut doubted, mut found) =
            (FxHashMap::default(), BTreeSet::new(), Vec::new());
        let (mut longs, mut touched) = (BTreeSet::new(), BTreeSet::new());
        for event in &probe.list.events {
            match event.kind {
                EventKind::Enter { method, .. } => _ = calls.insert(event.call, names[&method]),
                EventKind::Write {
                    variable: Variable::Element { array, .. },
                    value: Value::Long(_),
                } => _ = longs.insert(array),
                EventKind::Snapshot {
                    variable: Variable::Element { array, .. },
                    value,
                } => match value {
                    Value::Missing(_) => {
                        let by = calls[&event.call];
                        doubted.insert(by);
                        touched.extend((by == "touch").then_some(array));
                    }
                    value => {
                        longs.extend(matches!(value, Value::Long(_)).then_some(array));
                        found.push(value);
                    }
                },
                _ => {}
            }
        }
        assert_eq!(doubted, BTreeSet::from(["keep", "touch"]));
        // One that it returned, and one that a field of its own holds.
        assert!(
            longs.len() == 2 && longs.is_subset(&touched),
            "{longs:?} of {touched:?}"
        );
        for value in [
            Value::Char(u16::from(b'b')),
            Value::Char(u16::from(b'c')),
            Value::Boolean(false),
            Value::Boolean(true),
            Value::Byte(0),
            Value::Byte(1),
            Value::Short(-301),
            Value::Short(-302),
        ] {
            assert!(found.contains(&value), "{value:?} in {found:?}");
        }
        let is_int = |value: &Value| matches!(value, Value::Int(_));
        assert!(!found.iter().any(is_int), "{found:?}");
    }
}

/// Which call wrote an array that such a function was given is told by one engine alone.
#[test]
fn functions_that_write_arrays() {
    for jdk in jdks() {
        let jdk = jdk.as_deref();
        let folder = compiled(jdk, &source("Sorters"));
        let [probe, events] = [EngineKind::Probe, EngineKind::Events]
            .map(|engine| record(jdk, folder.path(), "Sorters", engine));
        assert_eq!(probe.printed, events.printed);
        let stories = [&probe, &events].map(|recorded| told_by_code(&recorded.list));
        differ_nowhere(&stories, "Sorters", jdk, &probe.notes);
    }
}

#[test]
fn what_is_written_unseen_is_noticed() {
    for jdk in jdks() {
        let jdk = jdk.as_deref();
        let folder = compiled(jdk, &source("Unseen"));
        let probe = record(jdk, folder.path(), "Unseen", EngineKind::Probe);
        assert!(probe.printed.starts_with("120\n"), "{}", probe.printed);
        let gaps = probe.list.events.iter().filter(|event| {
            matches!(&event.kind, EventKind::Gap { reason, back: true } if reason.contains("checksum"))
        });
        assert!(gaps.count() > 0, "{:?}", story(&probe.list).last());
        let notes = probe.notes.join(" ");
        assert!(notes.contains("from @0 to @"), "{notes}");
        // Calls that had ended are not to be trusted either.
        assert_eq!(probe.list.levels, [(0, Level::Calls)]);
    }
}
