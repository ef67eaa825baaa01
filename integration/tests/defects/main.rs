//! Kinds of mistakes that recordings of real programs once had, each by its smallest program (`java/defects`): what is
//! recorded now is what happened, without a gap. Texts with half of a surrogate pair are in `texts`.

mod unseen;

use std::time::{Duration, Instant};

use jhyde_integration::{Folder, Jdk, jdks};
use serde_json::{Value, json};

const NAME: &str = "defect";

/// A recording of one of the programs.
struct Recorded {
    folder: Folder,
    events: Vec<Value>,
    jdk: u32,
}

impl Recorded {
    fn new(jdk: &Jdk, class: &str, more: &[&str]) -> Self {
        let folder = Folder::new();
        let classes = jdk.classes("defects").display().to_string();
        let java = ["-cp".to_owned(), classes, class.to_owned()];
        let mut options = vec!["--level", "full", "--include", class];
        options.extend(more);
        let run = folder.launch(jdk, NAME, &options, &java);
        assert!(run.status.success(), "{}", run.stderr);
        let shown = &folder.json(&["show", NAME])[0];
        assert_eq!(shown["state"], "complete", "{shown}");
        assert_eq!(shown["gaps"], json!([]), "JDK {}", jdk.major);
        let events = folder.json(&["events", NAME]);
        let jdk = jdk.major;
        Self {
            folder,
            events,
            jdk,
        }
    }

    /// The values that were written to a variable of this name, in order.
    fn written(&self, name: &str) -> Vec<Value> {
        let writes = self.events.iter().filter(|event| event["kind"] == "write");
        let of_name = writes.filter(|event| {
            event["name"] == name
                || event["variable"]
                    .as_str()
                    .is_some_and(|variable| variable.ends_with(name))
        });
        of_name.map(|event| event["value"].clone()).collect()
    }

    fn calls(&self, method: &str) -> Vec<Value> {
        let all = self.folder.json(&["tree", NAME, "--all"]);
        let of_name = all.into_iter().filter(|call| call["method"] == method);
        of_name.collect()
    }

    /// Results of the calls of a method.
    fn results(&self, method: &str) -> Vec<Value> {
        let calls = self.calls(method).into_iter();
        calls.map(|call| call["result"].clone()).collect()
    }

    /// The kinds of a call's own events.
    fn kinds(&self, call: &Value) -> Vec<&str> {
        let own = self
            .events
            .iter()
            .filter(|event| event["call"] == call["id"]);
        own.filter_map(|event| event["kind"].as_str()).collect()
    }
}

/// Records a program on each JDK.
fn each(class: &str, more: &[&str], check: impl Fn(&Recorded)) {
    for jdk in jdks() {
        check(&Recorded::new(&jdk, class, more));
    }
}

#[test]
fn arrays_handed_out_inside_an_array_come_back_as_themselves() {
    each("ArrayInArray", &[], |run| {
        assert_eq!(run.written("s"), ["seven", "seven", "seven"]);
        for (round, c) in run.written("c").iter().enumerate() {
            let a = &run.written("a")[round];
            assert_eq!(c["object"], a["object"], "round {round}");
            let variable = format!("array#{}[0]", a["object"]);
            assert_eq!(run.written(&variable), [1, 7], "JDK {}", run.jdk);
        }
        let given: Vec<Value> = run
            .calls("way")
            .iter()
            .map(|c| c["arguments"][0]["value"].clone())
            .collect();
        assert_eq!(given, [7, 7, 7]);
    });
}

#[test]
fn a_call_that_writes_and_then_throws_has_written() {
    each("ArraycopyFails", &[], |run| {
        assert_eq!(run.results("way"), [2, 2, 2, 2]);
        let copies = run.calls("arraycopy");
        assert_eq!(copies.len(), 4);
        for copy in &copies {
            assert_eq!(
                copy["exception"]["class"], "java.lang.ArrayStoreException",
                "{copy}"
            );
            assert_eq!(run.kinds(copy), ["enter", "write", "exit"]);
            let to = &copy["arguments"][2]["value"]["object"];
            assert_eq!(run.written(&format!("array#{to}[0]")), ["a"]);
        }
    });
}

#[test]
fn a_bridge_has_the_arguments_of_what_it_calls() {
    each("BridgeArgs", &[], |run| {
        let compares = run.calls("compare");
        assert_eq!(compares.len(), 2);
        let of = |at: usize| {
            let arguments = compares[at]["arguments"].as_array().expect("a list");
            let objects = arguments.iter().map(|a| a["value"]["object"].clone());
            objects.collect::<Vec<Value>>()
        };
        assert_eq!(of(0), of(1));
        assert!(of(0).iter().all(Value::is_number), "{:?}", of(0));
    });
}

#[test]
fn tables_of_static_initialisers_take_linear_time() {
    for jdk in jdks() {
        let timed = |class: &str, length: usize| -> Duration {
            let began = Instant::now();
            let run = Recorded::new(&jdk, class, &[]);
            let took = began.elapsed();
            let writes = run.events.iter().filter(|e| e["kind"] == "write");
            // Each element, and the table.
            assert_eq!(writes.count(), length + 1);
            took
        };
        let (short, long) = (timed("Table500", 500), timed("Table8000", 8000));
        // Sixteen times the elements: quadratic time would be two hundred times the time.
        assert!(long < short * 16, "{short:?}, {long:?}");
    }
}

#[test]
fn what_leaves_a_static_initialiser_is_another_exception() {
    each("ClinitThrows", &[], |run| {
        assert_eq!(run.written("r"), [0, 2, 7]);
        let caught: Vec<&Value> = run
            .events
            .iter()
            .filter(|event| event["kind"] == "caught")
            .collect();
        assert_eq!(caught.len(), 1, "{caught:?}");
        let told = caught[0].to_string();
        assert!(
            told.contains("java.lang.ExceptionInInitializerError"),
            "{told}"
        );
        let main = &run.calls("main")[0];
        assert_eq!(main["result"], json!({"void": true}));
        assert_eq!(run.calls("println")[0]["arguments"][0]["value"], 7);
        assert_eq!(run.folder.json(&["where", NAME]), Vec::<Value>::new());
    });
}

#[test]
fn an_object_that_is_read_from_a_stream_has_what_was_read() {
    each("S1", &[], |run| {
        let call = &run.calls("readObject")[0];
        let inner = run.events.iter().filter(|event| event["kind"] == "write");
        let inner = inner.filter(|event| event["place"]["method"] == "readObject");
        let written: Vec<Value> = inner.map(|event| event["value"].clone()).collect();
        assert_eq!(written, [6, 7], "{call}");
        assert_eq!(run.written("x"), [6]);
    });
}

#[test]
fn fields_that_other_classes_declare_are_written_too() {
    each("S3", &[], |run| {
        assert_eq!(run.written(".modCount"), [1, 2]);
        assert_eq!(run.written(".x"), [9]);
        assert_eq!(run.written("m"), [2]);
        assert_eq!(run.written("q"), [9]);
    });
}

#[test]
fn classes_of_the_jdk_can_be_in_the_scope() {
    each("Q", &["--include", "java.util.ArrayDeque"], |run| {
        let heads: Vec<Value> = run.written(".head");
        assert!(heads.contains(&json!(1)), "{heads:?}");
        let rows = run.folder.ask(&["state", NAME, "Q.move#0", "--depth", "3"]);
        for text in ["\"a\"", "\"b\"", "\"c\""] {
            assert!(rows.contains(text), "{rows}");
        }
    });
}

#[test]
fn arrays_that_other_objects_hold_are_what_they_are() {
    each("KeptArray", &[], |run| {
        assert_eq!(run.written("r"), [10, 1, 20, 2, 20, 3, 20]);
        assert_eq!(run.written("x"), [-5]);
        assert_eq!(run.written("first"), [1]);
        let hits = run.calls("hit");
        let wrote = hits.iter().map(|hit| run.kinds(hit));
        assert!(
            wrote
                .into_iter()
                .all(|kinds| kinds == ["enter", "write", "exit"])
        );
        // It moved the iterator, and wrote nothing.
        let kinds = run.kinds(&run.calls("next")[0]);
        assert_eq!(kinds, ["enter", "content", "exit"]);
    });
}

#[test]
fn what_is_found_late_is_taken_back_as_far_as_it_reaches() {
    each("Late", &[], |run| {
        assert_eq!(run.written("s"), [2], "JDK {}", run.jdk);
        // What both held when a call began: a known value, or why it is not.
        let held = |call: &str| {
            let words = ["state", NAME, call, "--depth", "1"];
            let state = run.folder.json(&words).remove(0);
            let rows = state["rows"].as_array().expect("rows");
            let row = |name: &str| {
                let row = rows.iter().find(|row| row["name"] == name);
                row.unwrap_or_else(|| panic!("no {name}: {rows:?}")).clone()
            };
            let element = row("Late.a")["children"][0]["start"].clone();
            (element, row("Late.l")["start"]["held"].clone())
        };
        let unseen = |value: &Value| {
            let why = value["not_recorded"].as_str().unwrap_or_default();
            why.contains("was found changed at") || why.contains("may have changed it before")
        };
        // The scope wrote both, and nobody else ran since.
        let (element, list) = held("between#0");
        assert_eq!((&element, &list["items"]), (&json!(1), &json!(["own"])));
        // A library has changed them; the scope reads them behind the third.
        for call in ["between#1", "between#2"] {
            let (element, list) = held(call);
            assert!(
                unseen(&element) && unseen(&list),
                "{call}: {element} {list}"
            );
        }
        let (element, list) = held("between#3");
        assert_eq!(element, 5);
        assert_eq!(list["items"], json!(["own", "poked"]));
        let array = &run.written("Late.a")[0]["object"];
        let history = run
            .folder
            .json(&["history", NAME, &format!("array#{array}[0]")]);
        let values: Vec<&Value> = history
            .iter()
            .filter_map(|write| write.get("value"))
            .collect();
        assert_eq!(values.first(), Some(&&json!(1)));
        assert_eq!(values.last(), Some(&&json!(5)));
        let told = run
            .folder
            .ask(&["history", NAME, &format!("array#{array}[0]")]);
        assert!(
            told.contains("something that was not seen may have changed it"),
            "{told}"
        );
    });
}

#[test]
fn the_last_store_of_a_block_is_one_of_its_variable() {
    each("S2", &[], |run| {
        assert_eq!(run.written("e"), [true, false, false, true]);
        assert_eq!(run.written("n"), [0, 1, 2]);
    });
}

#[test]
fn results_that_follow_from_numbers_are_told() {
    each("MathResult", &[], |run| {
        let root = 7_f64.sqrt();
        assert_eq!(run.results("sqrt"), [root, root, 3.0, 3.0]);
        assert_eq!(run.results("floor"), [9.0]);
        assert_eq!(run.results("prime"), [true, false]);
    });
}

#[test]
fn what_code_out_of_the_scope_makes_begins_in_its_call() {
    each("NewOrder", &[], |run| {
        let makes = run.calls("make");
        assert_eq!(makes.len(), 3);
        for make in &makes {
            let kinds = run.kinds(make);
            assert!(kinds.contains(&"new"), "{kinds:?}");
            assert_eq!(kinds.first(), Some(&"enter"));
        }
    });
}

#[test]
fn new_strings_have_their_texts() {
    each("D5", &[], |run| {
        assert_eq!(run.results("ctor"), ["xy"]);
        for (name, text) in [
            ("s", "xy"),
            ("t", "AB"),
            ("u", "abc"),
            ("c", "abc!"),
            ("d", "q"),
        ] {
            assert_eq!(run.written(name), [text], "JDK {}", run.jdk);
        }
    });
}

#[test]
fn interfaces_have_no_lines_to_miss() {
    each("NoCode", &[], |run| {
        let shown = &run.folder.json(&["show", NAME])[0];
        let notes = shown["notes"].as_array().expect("a list");
        assert!(
            !notes.iter().any(|n| n.to_string().contains("line tables")),
            "{notes:?}"
        );
    });
}

#[test]
fn what_was_changed_unseen_and_is_gone_is_not_known() {
    each("Gone", &[], |run| {
        let given = run.calls("given")[0]["id"].clone();
        let state = |during: &str| -> Vec<Value> {
            let time = run.calls(during)[0]["enter"].to_string();
            let given = given.as_str().expect("an id");
            let all = run
                .folder
                .json(&["state", NAME, given, "--at", &time, "--depth", "1"]);
            let rows = all[0]["rows"].as_array().expect("rows").iter();
            let named = |row: &&Value| ["numbers", "card"].iter().any(|name| row["name"] == *name);
            let inside = rows.filter(named).map(|row| row["end_children"].clone());
            let inside = inside.flat_map(|all| all.as_array().cloned().unwrap_or_default());
            inside.map(|part| part["end"].clone()).collect()
        };
        assert_eq!(state("before"), [1, 2, 1], "JDK {}", run.jdk);
        let after = state("after");
        assert_eq!(after.len(), 3);
        for value in after {
            let why = value["not_recorded"].as_str().unwrap_or_default();
            assert!(why.contains("found gone"), "JDK {}: {value}", run.jdk);
        }
        let list = run.written("list")[0].clone();
        assert!(list["held"]["not_recorded"].is_string(), "{list}");
        let element = format!("array#{}[0]", run.written("numbers")[0]["object"]);
        let told = run.folder.ask(&["history", NAME, &element]);
        assert!(told.contains("found gone at"), "{told}");
    });
}
