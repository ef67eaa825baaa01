//! Passages: what is found by them is what is found event by event; and what they prove equal is not read.

use std::path::Path;
use std::sync::Arc;

use jhyde_history::History;
use jhyde_integration::{Folder, jdks};
use jhyde_query::compare::rules::Rules;
use jhyde_query::compare::{self, Part, Reading};
use jhyde_store::{Catalogue, Recording, StoreOptions};
use jhyde_trace::{ThreadId, Timestamp};

use crate::{compiled, record, replaced, source};

/// Recordings of a folder, by name.
struct Kept(Catalogue);

impl Kept {
    fn new(data: &Path) -> Self {
        let options = StoreOptions {
            read_only: true,
            ..StoreOptions::default()
        };
        Self(Catalogue::open(data, options).expect("a folder"))
    }

    fn recording(&self, name: &str) -> Arc<Recording> {
        let all = self.0.list();
        let meta = all.iter().find(|meta| meta.name == name);
        let id = &meta.expect("it was recorded").id;
        self.0.open_recording(id).expect("a recording")
    }

    /// Everything that comparing two of them tells, and of how many events of the left one no event was read.
    fn compared(&self, names: [&str; 2], reading: Reading) -> (Vec<Part>, String, u64) {
        let sides = names.map(|name| History::new(self.recording(name)));
        let mut parts = Vec::new();
        let summary =
            compare::compare_by(reading, sides, Rules::defaults(), u64::MAX, &mut |part| {
                parts.push(part);
                Ok(())
            });
        let mut summary = summary.unwrap_or_else(|error| panic!("{names:?}: {error}"));
        let [passed, _] = std::mem::take(&mut summary.passed);
        (parts, format!("{summary:#?}"), passed)
    }

    /// All ways of reading find the same; how many parts.
    fn assert_same(&self, names: [&str; 2]) -> usize {
        let (by_events, told, passed) = self.compared(names, Reading::Events);
        assert_eq!(passed, 0);
        for reading in [Reading::Passages, Reading::Made] {
            let (parts, told_so, _) = self.compared(names, reading);
            assert_eq!(told_so, told, "{names:?} {reading:?}");
            for (at, (one, other)) in parts.iter().zip(&by_events).enumerate() {
                assert_eq!(one, other, "{names:?} {reading:?}, part {at}");
            }
            assert_eq!(parts.len(), by_events.len(), "{names:?} {reading:?}");
        }
        by_events.len()
    }

    /// Events for which a passage stands, of those of a thread.
    fn covered(&self, name: &str, thread: ThreadId) -> u64 {
        let recording = self.recording(name);
        let (mut covered, mut at) = (0, Timestamp(0));
        while let Some(passage) = recording.passage(thread, at) {
            assert!(passage.first >= at && passage.end > passage.first);
            (covered, at) = (covered + u64::from(passage.events), passage.end);
        }
        covered
    }
}

/// Records `Forest` with another condition.
fn forest(folder: &Folder, name: &str, condition: &str, numbers: &str, threads: &str) {
    let jdk = jdks().swap_remove(0);
    let text = replaced(&source("compare", "Forest"), "number < 0", condition);
    let classes = compiled(folder, &jdk, (name, "Forest"), &text);
    let java = ["-cp", &classes, "Forest", numbers, threads].map(str::to_owned);
    let run = folder.launch_whole(&jdk, name, &["--engine", "probe"], &java);
    assert!(run.stderr.contains("recorded"), "{}", run.stderr);
}

#[test]
fn passages_find_what_each_event_does() {
    let folder = Folder::new();
    for (name, condition) in [
        ("right", "number < 0"),
        ("again", "number < -1"),
        ("late", "number == 1941"),
        ("twice", "number == 71 || number == 1003"),
        ("often", "number % 97 == 9"),
    ] {
        forest(&folder, name, condition, "2000", "1");
    }
    forest(&folder, "more", "number < 0", "2100", "1");
    for (name, condition) in [
        ("four", "number < 0"),
        ("four-again", "number < 0"),
        ("four-wrong", "number == 7"),
    ] {
        forest(&folder, name, condition, "2000", "4");
    }
    folder.end_daemon();
    let kept = Kept::new(&folder.data());
    let main = ThreadId(1);
    assert!(kept.covered("right", main) > 100_000);
    for other in ["again", "late", "twice", "often", "more"] {
        kept.assert_same(["right", other]);
        kept.assert_same([other, "right"]);
    }
    for other in ["four-again", "four-wrong", "right"] {
        kept.assert_same(["four", other]);
    }
    // What is equal is hardly read, whoever made the passages.
    for reading in [Reading::Passages, Reading::Made] {
        let (_, _, passed) = kept.compared(["right", "again"], reading);
        let covered = kept.covered("right", main);
        assert!(
            passed > 100_000 && passed <= covered,
            "{reading:?}: {passed} of {covered}"
        );
    }
}

#[test]
fn passages_of_texts_contents_and_exceptions_find_what_each_event_does() {
    let jdk = jdks().swap_remove(0);
    let folder = Folder::new();
    let steps = replaced(&source("compare", "Steps"), "ROUNDS = 5", "ROUNDS = 400");
    let workers = replaced(&source("compare", "Workers"), "WORKERS = 2", "WORKERS = 6");
    let workers = replaced(&workers, "make(number + 1)", "make(number * 40 + 1)");
    for (class, text, old, new) in [
        (
            "Steps",
            &steps,
            "value * 2",
            "(value == 300 ? 3 : value * 2)",
        ),
        ("Workers", &workers, "new Thing(i)", "new Thing(i * 2)"),
    ] {
        let wrong = replaced(text, old, new);
        for engine in ["probe", "events"] {
            for (name, text) in [("right", text), ("again", text), ("wrong", &wrong)] {
                let name = format!("{class}-{engine}-{name}");
                record(&folder, &jdk, (&name, class), text, &["--engine", engine]);
            }
        }
    }
    folder.end_daemon();
    let kept = Kept::new(&folder.data());
    assert!(kept.covered("Steps-probe-right", ThreadId(1)) > 5000);
    for class in ["Steps", "Workers"] {
        for engine in ["probe", "events"] {
            let of = |name: &str| format!("{class}-{engine}-{name}");
            kept.assert_same([&of("right"), &of("again")]);
            assert!(kept.assert_same([&of("right"), &of("wrong")]) > 1);
        }
        let [probe, events] = ["probe", "events"].map(|engine| format!("{class}-{engine}-right"));
        kept.assert_same([&probe, &events]);
    }
}
