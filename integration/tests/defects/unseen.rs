//! What happens where nobody looks: between the callbacks of a call out of the scope, in the JVM's own calls, in native
//! code, and in threads that end.

use jhyde_integration::{Folder, jdks};
use serde_json::{Value, json};

use super::{NAME, Recorded, each};

impl Recorded {
    fn place(&self, wanted: impl Fn(&Value) -> bool) -> usize {
        let place = self.events.iter().position(wanted);
        place.unwrap_or_else(|| panic!("JDK {}: no such event", self.jdk))
    }

    fn of_kind(&self, kind: &str) -> Vec<&Value> {
        let all = self.events.iter();
        all.filter(|event| event["kind"] == kind).collect()
    }
}

#[test]
fn what_is_written_between_callbacks_is_so_for_the_next_one() {
    each("SetAll", &[], |run| {
        assert_eq!(run.written("before"), [0, 1, 3, 6]);
        let array = run.written("a")[0]["object"].clone();
        let (sets, sees) = (run.calls("setAll"), run.calls("see"));
        assert_eq!((sets.len(), sees.len()), (1, 4));
        for (index, value) in [1, 3, 6, 10].into_iter().enumerate() {
            let variable = format!("array#{array}[{index}]");
            assert_eq!(run.written(&variable), [value], "JDK {}", run.jdk);
            let written =
                run.place(|event| event["kind"] == "write" && event["variable"] == variable);
            assert_eq!(run.events[written]["call"], sets[0]["id"]);
            let enters = |nth: usize| {
                let call = &sees[nth]["id"];
                run.place(|event| event["kind"] == "enter" && event["call"] == *call)
            };
            assert!(enters(index) < written);
            assert!(index == 3 || written < enters(index + 1));
        }
    });
}

#[test]
fn what_links_a_call_site_is_over_when_the_call_begins() {
    each("Linked", &["--include", "Linked$*"], |run| {
        assert_eq!(run.results("run"), [15]);
        let links = run.calls("linkCallSite");
        let sites = run.calls("apply");
        assert_eq!(links.len(), 1, "JDK {}", run.jdk);
        let ended = links[0]["exit"].as_u64().expect("it has ended");
        let begun = |call: &Value| call["enter"].as_u64().expect("a time");
        assert!(begun(&run.calls("<clinit>")[0]) < ended);
        assert!(sites.iter().all(|site| ended < begun(site)));
    });
}

#[test]
fn the_call_that_ends_the_program_is_told() {
    each("Exits", &[], |run| {
        let exits = run.calls("exit");
        assert_eq!(exits.len(), 1, "JDK {}", run.jdk);
        assert_eq!(exits[0]["class"], "java.lang.System");
        assert_eq!(exits[0]["arguments"][0]["value"], 0);
    });
}

#[test]
fn the_handler_of_what_nobody_caught_is_followed() {
    each("Handled", &[], |run| {
        assert_eq!(run.written("length"), [7, 7, 7], "JDK {}", run.jdk);
        assert_eq!(run.written("Handled.handled"), [7, 14, 21]);
        assert_eq!(run.of_kind("uncaught").len(), 3);
        for handled in run.calls("handle") {
            assert_eq!(handled["result"], json!({"void": true}), "{handled}");
        }
    });
}

#[test]
fn what_native_code_throws_arrives_where_that_was_called() {
    each("Cloned", &[], |run| {
        assert_eq!(run.results("tried"), ["not Cloned"]);
        let thrown = run.of_kind("thrown");
        assert_eq!(thrown.len(), 1);
        assert_eq!(thrown[0]["call"], run.calls("copy")[0]["id"]);
        let caught = run.of_kind("caught");
        assert_eq!(caught.len(), 1);
        assert_eq!(caught[0]["call"], run.calls("tried")[0]["id"]);
    });
}

#[test]
fn what_class_loaders_throw_among_themselves_is_not_thrown_in_the_scope() {
    each("Probed", &[], |run| {
        assert_eq!(run.results("found"), ["Probed$Sought"]);
        assert_eq!(run.of_kind("thrown"), Vec::<&Value>::new());
        assert_eq!(run.of_kind("caught"), Vec::<&Value>::new());
    });
}

#[test]
fn a_thread_that_was_given_another_name_goes_by_its_number() {
    each("Named", &["--include", "Named$*"], |run| {
        let met = run.calls("met").into_iter();
        let names = met.map(|call| {
            (
                call["arguments"][0]["value"]["content"].clone(),
                call["result"].clone(),
            )
        });
        let own = |name: &str| (json!(name), json!(name));
        let named = |name: &str| (Value::Null, json!(name));
        let expected = [
            own("Thread-0"),
            own("own"),
            named("before"),
            named("behind"),
            own("Thread-0"),
            own("own"),
            named("behind"),
        ];
        assert_eq!(names.collect::<Vec<_>>(), expected, "JDK {}", run.jdk);
    });
    // The probe does not ask for the names of threads that the program makes; which ones it tells are right.
    let options = ["--engine", "probe", "--include", "Named$*"];
    each("Named", &options, |run| {
        let met = run.calls("met");
        assert_eq!(met.len(), 7, "JDK {}", run.jdk);
        for call in met {
            let name = &call["arguments"][0]["value"]["content"];
            assert!(name.is_null() || *name == call["result"], "{call}");
        }
    });
}

/// In the default scope, which goes by class loader, and has no name of a class.
#[test]
fn fields_that_the_jdk_declares_are_told_where_the_scope_names_them() {
    for jdk in jdks() {
        let folder = Folder::new();
        let classes = jdk.classes("defects").display().to_string();
        let java = ["-cp".to_owned(), classes, "Points".to_owned()];
        let run = folder.launch(&jdk, NAME, &["--level", "full"], &java);
        assert!(run.status.success(), "{}", run.stderr);
        let events = folder.json(&["events", NAME]);
        let jdk = jdk.major;
        let run = Recorded {
            folder,
            events,
            jdk,
        };
        assert_eq!(run.written(".x"), [40], "JDK {jdk}");
        assert_eq!(run.written(".y"), [42], "JDK {jdk}");
        assert_eq!(run.written("read"), [40], "JDK {jdk}");
        assert_eq!(run.written("word"), ["seven"], "JDK {jdk}");
        assert_eq!(run.written("number"), [7.0], "JDK {jdk}");
    }
}

/// What nobody saw is never told as unchanged.
#[test]
fn an_element_of_an_array_that_was_not_seen_leaves_a_gap() {
    for jdk in jdks() {
        let folder = Folder::new();
        let classes = jdk.classes("defects").display().to_string();
        let java = ["-cp".to_owned(), classes, "Behind".to_owned()];
        let include = ["--level", "full", "--include", "Behind$Base"];
        let run = folder.launch(&jdk, NAME, &include, &java);
        assert!(run.status.success(), "{}", run.stderr);
        let marks = folder.json(&["tree", NAME, "--all"]);
        let marks: Vec<_> = marks
            .iter()
            .filter(|call| call["method"] == "mark")
            .collect();
        assert_eq!(marks.len(), 2);
        let gaps = folder.json(&["gaps", NAME]);
        let of = |call: &Value| {
            let of = gaps.iter().filter(|gap| gap["call"]["id"] == call["id"]);
            of.count()
        };
        assert_eq!((of(marks[0]), of(marks[1])), (0, 1), "{gaps:?}");
    }
}

/// What an initialiser out of the scope calls, which the read of a field runs, is told in the call that reads.
#[test]
fn initialisers_out_of_the_scope_call_it_back() {
    // The engine `events` leaves a gap where the JVM resolves what the read names.
    let rest = ["Begun$Limits", "Begun$Fails", "Begun$1"];
    let rest = rest.iter().flat_map(|class| ["--exclude", class]);
    let options: Vec<_> = ["--engine", "probe"].into_iter().chain(rest).collect();
    each("Begun", &options, |run| {
        let on = format!("JDK {}", run.jdk);
        assert_eq!(run.results("twice"), [40, 42], "{on}");
        assert_eq!(run.written("first"), [40], "{on}");
        assert_eq!(run.written("second"), [42], "{on}");
        assert_eq!(run.written("failed"), ["no", "less than nothing"], "{on}");
        assert_eq!(run.results("named"), ["another"], "{on}");
        assert_eq!(run.calls("checked").len(), 1, "{on}");
        // Of `Begun$1`, which javac makes for the `switch`; newer ones make none for enums of the same class.
        let switches = usize::from(run.jdk < 21);
        assert_eq!(run.calls("values").len(), switches, "{on}");
        assert_eq!(run.of_kind("caught").len(), 1, "{on}");
        assert_eq!(run.of_kind("gap"), Vec::<&Value>::new(), "{on}");
    });
}

/// A class object is one, whether code names its class or asks for it.
#[test]
fn class_objects_have_one_number() {
    for engine in ["probe", "events"] {
        each("SameClass", &["--engine", engine], |run| {
            let number = |field: &str| {
                let written = run.written(&format!("SameClass.{field}"));
                let [value] = &written[..] else {
                    panic!("{field}: {written:?}");
                };
                value["object"].as_u64().expect("a number")
            };
            let on = format!("{engine}, JDK {}", run.jdk);
            for (one, other) in [("met", "written"), ("listed", "list"), ("early", "later")] {
                assert_eq!(number(one), number(other), "{one}, {other}: {on}");
            }
            assert_ne!(number("met"), number("list"), "{on}");
        });
    }
}
