//! How long statements in SQL and the named queries take, on recordings of a real program of some 10^6, 10^7 and 10^8 events.
//!
//! `cargo bench -p jhyde-integration --bench sql [-- TIMES …]` after `cargo build --release --workspace --bins`. The program inserts 10,000 numbers into
//! binary search trees, so often; it is recorded by the engine `probe` at level `full` on the first JDK. What looks something up is asked at 200
//! random places, what goes through all once. "History" is the same question asked of the floor below, at the same places: its median and how many times as
//! long SQL takes. "MB more" is how much the process grew at most while it was asked. Prints tables in Markdown.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use jhyde_history::History;
use jhyde_integration::peak::{forget_peak, peak};
use jhyde_integration::{Folder, Jdk, jdks};
use jhyde_query::sql::{Answered, Datum, Limits, Statement, Taker};
use jhyde_query::{Prepared, Request};
use jhyde_store::{Catalogue, Direction, Recording, StoreOptions};
use jhyde_trace::{CallId, ThreadId, Timestamp, Variable};

/// How often a place is chosen.
const PLACES: usize = 200;
/// No more rows of an answer are taken: a page.
const ROWS: usize = 100;

/// SplitMix64 (Steele, Lea and Flood 2014).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % bound.max(1)
    }
}

/// Counts rows.
#[derive(Default)]
struct Counting {
    rows: usize,
    first: Vec<Datum>,
}

impl Taker for Counting {
    fn columns(&mut self, _: &[Answered<'_>]) -> jhyde_query::Result<()> {
        Ok(())
    }

    fn row(&mut self, cells: Vec<Datum>) -> jhyde_query::Result<()> {
        if self.rows == 0 {
            self.first = cells;
        }
        self.rows += 1;
        Ok(())
    }
}

fn ask(history: &History, text: &str) -> Counting {
    let asked = vec![history.clone().into()];
    let statement = Statement::new(asked, text.to_owned(), None, Limits::default());
    let mut counting = Counting::default();
    let ended = statement.and_then(|statement| statement.run(&mut counting));
    ended.unwrap_or_else(|error| panic!("{text}: {error}"));
    counting
}

/// A place in a recording.
struct Place {
    call: CallId,
    at: u64,
    object: i64,
    variable: String,
}

fn places(history: &History) -> Vec<Place> {
    let recording = history.recording();
    let thread = ThreadId(1);
    let calls = recording.root(thread).expect("a thread").calls;
    let mut random = Random(7);
    let place = |_| {
        let at = random.below(recording.end().0);
        let found = |text: String| ask(history, &text).first.into_iter().next();
        let object = found(format!(
            "SELECT id FROM objects WHERE timestamp < {at} ORDER BY timestamp LIMIT 1"
        ));
        let variable = found(format!(
            "SELECT variable FROM writes WHERE timestamp >= {at} AND variable LIKE '%#%.%' LIMIT 1"
        ));
        Place {
            call: CallId::new(thread, 1 + random.below(calls)),
            at,
            object: match object {
                Some(Datum::Int(object)) => object,
                _ => 1,
            },
            variable: match variable {
                Some(Datum::Text(variable)) => variable,
                _ => "object#1.key".to_owned(),
            },
        }
    };
    (0..PLACES).map(place).collect()
}

/// What one kind of question took.
struct Took {
    /// Milliseconds, ascending.
    times: Vec<f64>,
    more: u64,
}

impl Took {
    fn measure(asked: impl Iterator<Item = impl FnOnce()>) -> Self {
        forget_peak();
        let before = peak();
        let mut times: Vec<f64> = asked
            .map(|ask| {
                let begun = Instant::now();
                ask();
                begun.elapsed().as_secs_f64() * 1e3
            })
            .collect();
        times.sort_by(f64::total_cmp);
        Self {
            times,
            more: peak().saturating_sub(before),
        }
    }

    fn part(&self, hundredths: usize) -> f64 {
        let at = (self.times.len() * hundredths / 100).min(self.times.len() - 1);
        self.times[at]
    }
}

/// A statement at a place.
type Text = fn(&Place) -> String;
/// The same question, asked of `History`.
type Peer = fn(&History, &Place);

fn record_of(history: &History, place: &Place) -> jhyde_store::records::CallRecord {
    history.recording().call(place.call).expect("a call")
}

/// What is looked up.
const LOOKUPS: [(&str, Text, Option<Peer>); 13] = [
    (
        "a call, all columns",
        |p| format!("SELECT * FROM calls WHERE id = '{}'", p.call),
        Some(|h, p| drop(h.call(record_of(h, p), true).expect("a call"))),
    ),
    (
        "its caller, by a join",
        |p| {
            format!(
                "SELECT p.id, p.method FROM calls c JOIN calls p ON p.id = c.parent WHERE c.id = '{}'",
                p.call
            )
        },
        Some(|h, p| {
            let parent = record_of(h, p).parent;
            if !parent.is_root() {
                let parent = h.recording().call(parent).expect("a call");
                drop(h.call(parent, false).expect("a call"));
            }
        }),
    ),
    (
        "the calls around it",
        |p| format!("SELECT id, method FROM ancestors('{}')", p.call),
        Some(|h, p| {
            for call in h.recording().path(p.call).expect("a path") {
                drop(h.call(call, false).expect("a call"));
            }
        }),
    ),
    (
        "what it called",
        |p| format!("SELECT id, method FROM children('{}')", p.call),
        Some(|h, p| {
            for call in h.recording().children(p.call, None, 10_000).expect("calls") {
                drop(h.call(call, false).expect("a call"));
            }
        }),
    ),
    (
        "100 calls below it",
        |p| {
            format!(
                "SELECT id, method FROM descendants('{}') LIMIT {ROWS}",
                p.call
            )
        },
        None,
    ),
    (
        "its arguments",
        |p| format!("SELECT * FROM arguments WHERE call = '{}'", p.call),
        Some(|h, p| drop(h.call(record_of(h, p), true).expect("a call"))),
    ),
    (
        "its state at its end",
        |p| format!("SELECT * FROM state('{}')", p.call),
        Some(|h, p| drop(h.state(p.call, None, None, 0).expect("a state"))),
    ),
    (
        "100 of its events",
        |p| {
            format!(
                "SELECT timestamp, kind, line FROM events WHERE call = '{}' LIMIT {ROWS}",
                p.call
            )
        },
        Some(|h, p| {
            let all = Timestamp(0)..h.recording().end();
            let events = h.recording().own_events(p.call, all, Direction::Forward);
            for event in events.take(ROWS) {
                let event = event.expect("an event");
                drop(h.event(event.timestamp, &event.event).expect("an event"));
            }
        }),
    ),
    (
        "100 events from a time on",
        |p| {
            format!(
                "SELECT timestamp, kind, line FROM events WHERE timestamp >= {} LIMIT {ROWS}",
                p.at
            )
        },
        Some(|h, p| {
            let range = Timestamp(p.at)..h.recording().end();
            let events = h.recording().events(range, None, Direction::Forward);
            for event in events.take(ROWS) {
                let event = event.expect("an event");
                drop(h.event(event.timestamp, &event.event).expect("an event"));
            }
        }),
    ),
    (
        "the last write of a field before a time",
        |p| {
            format!(
                "SELECT timestamp, value FROM history('{}') WHERE timestamp <= {} ORDER BY timestamp DESC LIMIT 1",
                p.variable, p.at
            )
        },
        Some(|h, p| {
            let variable: Variable = h.resolve_variable(&p.variable).expect("a variable");
            let write = h.recording().last_write(variable, Timestamp(p.at));
            assert!(write.is_ok(), "asked");
        }),
    ),
    (
        "all values of a field",
        |p| {
            format!(
                "SELECT timestamp, value FROM history('{}') LIMIT {ROWS}",
                p.variable
            )
        },
        None,
    ),
    (
        "an object at a time",
        |p| {
            format!(
                "SELECT variable, value FROM object_state({}, {})",
                p.object, p.at
            )
        },
        None,
    ),
    (
        "the loops of a call",
        |p| format!("SELECT * FROM loops('{}')", p.call),
        None,
    ),
];

/// What goes through all, or is counted from an index.
const SCANS: [(&str, &str); 9] = [
    ("events counted", "SELECT count(*) FROM events"),
    (
        "events by kind",
        "SELECT kind, count(*) FROM events GROUP BY kind",
    ),
    ("writes counted", "SELECT count(*) FROM writes"),
    (
        "the greatest value written",
        "SELECT max(value_int) FROM writes",
    ),
    ("calls, their sizes added", "SELECT sum(size) FROM calls"),
    (
        "calls by method, by the index",
        "SELECT class, name, calls FROM methods ORDER BY calls DESC LIMIT 10",
    ),
    (
        "calls by method, grouped",
        "SELECT method_id, count(*) FROM calls GROUP BY method_id",
    ),
    (
        "objects by class",
        "SELECT object_class, count(*) FROM objects GROUP BY object_class",
    ),
    (
        "ways that were never gone",
        "SELECT class, line, outcome FROM coverage WHERE times = 0",
    ),
];

/// A named query, its parameters at a place.
type Parameters = fn(&Place) -> Vec<(&'static str, String)>;

/// Named queries that look something up.
const NAMED: [(&str, Parameters); 10] = [
    ("where", |p| vec![("event", p.at.to_string())]),
    ("call-chain", |p| vec![("event", p.at.to_string())]),
    ("call-tree", |p| vec![("call", p.call.to_string())]),
    ("pre-calls", |p| vec![("event", p.at.to_string())]),
    ("post-calls", |p| vec![("event", p.at.to_string())]),
    ("locals", |p| vec![("event", p.at.to_string())]),
    ("object-state", |p| {
        vec![("object", p.object.to_string()), ("at", p.at.to_string())]
    }),
    ("local-history", |p| {
        vec![("local", format!("{}:key", p.call))]
    }),
    ("argument-history", |p| vec![("of", p.call.to_string())]),
    ("return-history", |p| vec![("of", p.call.to_string())]),
];

/// Named queries about all: a page of their answers.
const NAMED_ONCE: [(&str, &[(&str, &str)]); 10] = [
    ("threads", &[]),
    ("where-thrown", &[]),
    ("instances", &[("class", "Kernels$Node")]),
    ("field-history", &[("field", "Kernels$Node.left")]),
    ("executed", &[("line", "Kernels$Node:105")]),
    ("called", &[("method", "Kernels.run")]),
    (
        "assigned",
        &[("field", "Kernels$Node.left"), ("value", "null")],
    ),
    ("exists", &[("class", "Kernels$Node")]),
    ("running", &[("thread", "main")]),
    ("exited", &[("thread", "main")]),
];

/// Runs a named query and takes a page; false where the place has nothing of the kind.
fn run_named(
    history: &History,
    name: &str,
    parameters: Vec<(String, String)>,
) -> Result<(), String> {
    let request = Request {
        query: name.to_owned(),
        parameters: parameters.into_iter().collect(),
        from: None,
        to: None,
    };
    let prepared = Prepared::new(history.clone(), &request).map_err(|error| error.to_string())?;
    let mut rows = 0;
    let ran = prepared.run(&mut |_| {
        rows += 1;
        match rows < ROWS {
            true => Ok(()),
            false => Err(jhyde_query::Error::Cancelled),
        }
    });
    match ran {
        Ok(_) | Err(jhyde_query::Error::Cancelled) => Ok(()),
        Err(error) => Err(error.to_string()),
    }
}

fn measure(recording: &Arc<Recording>) {
    let history = History::new(Arc::clone(recording));
    let places = places(&history);
    println!(
        "| looked up | median, ms | 99th percentile, ms | History, median, ms | ratio | MB more |"
    );
    println!("| --- | --- | --- | --- | --- | --- |");
    for (name, text, peer) in LOOKUPS {
        let took = Took::measure(
            places
                .iter()
                .map(|place| || drop(ask(&history, &text(place)))),
        );
        let below = peer.map(|peer| {
            // A question of its own each time, as statements are.
            let ask = |place| move || peer(&History::new(Arc::clone(recording)), place);
            Took::measure(places.iter().map(ask)).part(50)
        });
        let below = below.map_or_else(
            || "| |".to_owned(),
            |below| format!("{below:.3} | {:.1} |", took.part(50) / below),
        );
        println!(
            "| {name} | {:.3} | {:.3} | {below} {:.1} |",
            took.part(50),
            took.part(99),
            took.more as f64 / 1e6
        );
    }
    println!("\n| all | s | events of the recording a second, million | MB more |");
    println!("| --- | --- | --- | --- |");
    for (name, text) in SCANS {
        let took = Took::measure([|| drop(ask(&history, text))].into_iter());
        let seconds = took.part(50) / 1e3;
        println!(
            "| {name} | {seconds:.3} | {:.2} | {:.1} |",
            recording.end().0 as f64 / seconds / 1e6,
            took.more as f64 / 1e6
        );
    }
    println!("\n| named query, {ROWS} rows at most | median, ms | 99th percentile, ms | MB more |");
    println!("| --- | --- | --- | --- |");
    let row = |name: &str, took: &Took, failed: Option<String>| match failed {
        Some(error) => println!("| {name} | {error} | | |"),
        None => println!(
            "| {name} | {:.3} | {:.3} | {:.1} |",
            took.part(50),
            took.part(99),
            took.more as f64 / 1e6
        ),
    };
    for (name, parameters) in NAMED {
        let failed = std::cell::RefCell::new(None);
        let took = Took::measure(places.iter().map(|place| {
            let given = parameters(place).into_iter();
            let given = given
                .map(|(name, value)| (name.to_owned(), value))
                .collect();
            let (history, failed) = (&history, &failed);
            move || {
                if let Err(error) = run_named(history, name, given) {
                    failed.borrow_mut().get_or_insert(error);
                }
            }
        }));
        row(name, &took, failed.into_inner());
    }
    for (name, parameters) in NAMED_ONCE {
        let given = parameters.iter();
        let given = given
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        let failed = std::cell::RefCell::new(None);
        let took = Took::measure(
            [|| {
                if let Err(error) = run_named(&history, name, given) {
                    failed.borrow_mut().get_or_insert(error);
                }
            }]
            .into_iter(),
        );
        row(name, &took, failed.into_inner());
    }
}

fn compiled(jdk: &Jdk, folder: &Path) -> String {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("java/kernels/Kernels.java");
    let mut javac = Command::new(jdk.home.join("bin/javac"));
    let run = javac.arg("-g").arg("-d").arg(folder).arg(source).status();
    assert!(run.is_ok_and(|status| status.success()), "javac failed");
    folder.display().to_string()
}

fn main() {
    let arguments = std::env::args().skip(1).filter(|word| word != "--bench");
    let mut times: Vec<String> = arguments.collect();
    if times.is_empty() {
        times = ["1", "4", "40"].map(str::to_owned).to_vec();
    }
    let jdk = &jdks()[0];
    let classes = tempfile::tempdir().expect("a folder");
    let path = compiled(jdk, classes.path());
    let folder = Folder::new();
    for times in times {
        let words = ["-cp", &path, "Kernels", "tree", &times].map(str::to_owned);
        let name = format!("tree-{times}");
        let options = ["--engine", "probe", "--level", "full"];
        let run = folder.launch(jdk, &name, &options, &words);
        assert!(run.status.success(), "{}", run.stderr);
        let shown = folder.json(&["show", &name]).remove(0);
        assert_eq!(shown["gaps"], serde_json::json!([]), "{shown}");
        // The daemon that was asked last may still hold it.
        let options = StoreOptions {
            read_only: true,
            ..StoreOptions::default()
        };
        let catalogue = Catalogue::open(&folder.data(), options).expect("a folder");
        let id = shown["id"].as_str().expect("an id");
        let recording = catalogue.open_recording(id).expect("a recording");
        println!(
            "\n### {} events, {} calls, {} MB (`Kernels tree {times}`, JDK {})\n",
            shown["events"],
            shown["calls"],
            shown["bytes"].as_u64().unwrap_or(0) / 1_000_000,
            jdk.major
        );
        measure(&recording);
    }
}
