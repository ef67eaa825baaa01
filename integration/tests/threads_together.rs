//! Threads that run code of the scope at the same time, and show what they all write to code out of it. Each write is
//! told once, as what its own thread did; what code out of the scope wrote is told as that, once, too. What is read
//! behind such code is ahead of the events that are on their way from other threads.

use std::collections::BTreeSet;

use jhyde_integration::{Folder, Jdk, jdks};
use serde_json::Value;

/// What `odd.Together` has.
const THREADS: usize = 4;
const TURNS: u64 = 150;

/// A program recorded once.
struct Together {
    events: Vec<Value>,
    jdk: u32,
}

impl Together {
    fn record(jdk: &Jdk) -> Self {
        let folder = Folder::new();
        let classes = jdk.classes("odd").display().to_string();
        let java = ["-cp", &classes, "odd.Together"].map(str::to_owned);
        let options = ["--level", "full", "--include", "odd.*"];
        let run = folder.launch(jdk, "together", &options, &java);
        assert!(run.status.success(), "{}", run.stderr);
        let printed = String::from_utf8_lossy(&run.stdout).into_owned();
        assert_eq!(printed.trim(), "[150, 150, 150, 150]");
        let events = folder.json(&["events", "together", "--all"]);
        let jdk = jdk.major;
        Self { events, jdk }
    }

    /// Values written to a variable, in order, and the method that the recording says wrote each.
    fn writes(&self, variable: &str) -> Vec<(Value, String)> {
        let all = self.events.iter();
        all.filter(|event| event["kind"] == "write" && event["variable"] == variable)
            .map(|event| {
                let method = event["place"]["method"].as_str().unwrap_or_default();
                (event["value"].clone(), method.to_owned())
            })
            .collect()
    }

    /// What is missing, for whoever looks for the reason of a failure.
    fn gaps(&self) -> Vec<String> {
        let gaps = self.events.iter().filter(|event| event["kind"] == "gap");
        gaps.map(Value::to_string).collect()
    }

    /// The numbers of the objects that were written to what goes by this name in the source.
    fn objects(&self, name: &str) -> Vec<u64> {
        let all = self.events.iter();
        all.filter(|event| event["kind"] == "write" && event["name"] == name)
            .filter_map(|event| event["value"]["object"].as_u64())
            .collect()
    }

    fn counts_up(&self, variable: &str, method: &str) {
        let told = self.writes(variable);
        let expected: Vec<_> = (1..=TURNS)
            .map(|turn| (Value::from(turn), method.to_owned()))
            .collect();
        let wrong = told
            .iter()
            .zip(&expected)
            .position(|(told, expected)| told != expected);
        assert!(
            told == expected,
            "JDK {}: {variable} has {} writes instead of {TURNS}; from {wrong:?} on {:?}",
            self.jdk,
            told.len(),
            told.iter()
                .skip(wrong.unwrap_or_default())
                .take(5)
                .collect::<Vec<_>>()
        );
    }
}

#[test]
fn each_write_is_told_once_by_its_own_thread() {
    for jdk in jdks() {
        let run = Together::record(&jdk);
        // Two calls out of the scope that were shown the same array at once cannot be told apart; all else is certain.
        let gap = run.events.iter().find(|event| {
            let reason = event["reason"].as_str().unwrap_or_default();
            event["kind"] == "gap" && !reason.contains("a call in another thread")
        });
        assert_eq!(gap, None, "JDK {}", jdk.major);
        let of = |name: &str| run.objects(name)[0];
        let (shared, rows, cells) = (of("this.shared"), of("this.rows"), of("this.box"));
        for thread in 0..THREADS {
            run.counts_up(&format!("array#{shared}[{thread}]"), "work");
            let field = ["a", "b", "c", "d"][thread];
            run.counts_up(&format!("object#{cells}.{field}"), "count");

            // Objects that the JVM names only when somebody asks for them, and that code out of the scope fills then.
            let put = run.writes(&format!("array#{rows}[{thread}]"));
            assert_eq!(put.len() as u64, TURNS, "{put:?}");
            for (turn, (row, method)) in (1..).zip(&put) {
                assert_eq!(method, "work");
                let told = run.writes(&format!("array#{}[0]", row["object"]));
                let expected = [(turn, "work"), (-turn, "fill")];
                let expected = expected.map(|(value, method)| (value.into(), method.to_owned()));
                let place = format!("JDK {}: row {turn} of {thread}", jdk.major);
                assert_eq!(told, expected, "{place}: {:?}", run.gaps());
            }
        }
    }
}

#[test]
fn what_code_out_of_the_scope_writes_meanwhile_is_told_as_its_own() {
    for jdk in jdks() {
        let run = Together::record(&jdk);
        let parts = run.objects("this.parts")[0];
        for part in 0..2 * THREADS {
            let part = format!("array#{parts}[{part}]");
            run.counts_up(&part, "fill");
        }
        let own = run.objects("own");
        assert_eq!(own.len(), THREADS);
        for array in own {
            for index in 0..3 {
                run.counts_up(&format!("array#{array}[{index}]"), "fill");
            }
        }
    }
}

#[test]
fn an_object_that_is_handed_from_thread_to_thread_is_one() {
    for jdk in jdks() {
        let run = Together::record(&jdk);
        let rows = run.objects("this.rows")[0];
        let put: BTreeSet<u64> = (0..THREADS)
            .flat_map(|thread| run.writes(&format!("array#{rows}[{thread}]")))
            .filter_map(|(row, _)| row["object"].as_u64())
            .collect();
        let taken = run.objects("taken");
        let strangers: Vec<_> = taken
            .iter()
            .filter(|object| !put.contains(object))
            .collect();
        assert_eq!(taken.len() as u64, TURNS * THREADS as u64);
        assert_eq!(
            strangers,
            Vec::<&u64>::new(),
            "JDK {}: taken, and nobody put them",
            jdk.major
        );
    }
}

/// The end of a synchronized method is told by the JVM when it has left the monitor, and the next thread may have told by then that it entered.
#[test]
fn no_two_threads_have_a_monitor() {
    for jdk in jdks() {
        for engine in ["events", "probe"] {
            let folder = Folder::new();
            let classes = jdk.classes("odd").display().to_string();
            let java = ["-cp", &classes, "odd.Owners"].map(str::to_owned);
            let options = ["--engine", engine, "--level", "full"];
            let options = [&options[..], &["--include", "odd.Owners"]].concat();
            let run = folder.launch(&jdk, "owners", &options, &java);
            assert!(run.status.success(), "{}", run.stderr);
            assert_eq!(String::from_utf8_lossy(&run.stdout).trim(), "280");
            let on = format!("JDK {} by {engine}", jdk.major);
            let told = folder.json(&[
                "sql",
                "owners",
                "-c",
                "SELECT timestamp, thread, action, object FROM monitors ORDER BY timestamp",
            ]);
            let rows: Vec<&Value> = told
                .iter()
                .filter(|row| row["action"].is_string())
                .collect();
            // Eight entries in each turn.
            assert_eq!(rows.len(), 2 * 4 * 10 * 8, "{on}");
            let mut owner: (u64, u32) = (0, 0);
            for row in rows {
                let thread = row["thread"].as_u64().expect("a thread");
                assert!(
                    owner.0 == thread || owner.1 == 0,
                    "{on}: {row}, but {owner:?}"
                );
                owner = match row["action"].as_str() {
                    Some("enter") => (thread, owner.1 + 1),
                    _ => (thread, owner.1 - 1),
                };
            }
            assert_eq!(owner.1, 0, "{on}");
        }
    }
}
