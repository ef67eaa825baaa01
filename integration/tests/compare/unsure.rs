//! What cannot be told is neither equal nor different: ends of the JVM and of recordings, damage, levels that were lowered, threads
//! that ran on, objects that nobody saw being made.

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use jhyde_integration::cut::cut;
use jhyde_integration::{Folder, jdks};
use jhyde_trace::block::FORMAT_VERSION;
use serde_json::Value as Json;

use crate::{Compared, both, compiled, line, line_of, record, replaced, source};

#[test]
fn what_comes_behind_an_exit_of_the_jvm_is_unknown() {
    let (folder, text) = both("Leaving", ("leave(false)", "leave(true)"), &[]);
    let compared = Compared::new(&folder, &["right", "wrong", "--all"]);
    let first = compared.of("divergence")[0];
    assert_eq!(first["effect"], "argument", "{first}");
    assert_eq!(line(first, "right"), Some(line_of(&text, "leave(true)")));
    // That `number(2)` and what follows was left out is not said: the JVM had no time for it.
    assert!(compared.alone("left").is_empty(), "{:?}", compared.parts);
    assert!(compared.number("unknown") > 0);
    assert!(
        compared.notes().contains("ended was not seen"),
        "{}",
        compared.notes()
    );

    // Two runs that both leave there: the calls that never ended are not called equal.
    record(
        &folder,
        &jdks().swap_remove(0),
        ("again", "Leaving"),
        &text,
        &[],
    );
    let same = Compared::new(&folder, &["wrong", "again", "--all"]);
    assert_eq!(same.number("differences"), 0, "{:?}", same.parts);
    // main, inside, leave, exit.
    assert_eq!(same.number("unknown_calls"), 4, "{}", same.footer());
}

#[test]
fn a_thread_that_ran_at_the_end_did_not_end() {
    let jdk = jdks().swap_remove(0);
    let folder = Folder::new();
    let text = source("compare", "Workers");
    let endless = replaced(
        &text,
        "make(number + 1);",
        "make(number + 1); if (number == 1) { Object o = new Object(); synchronized (o) { try { READY.countDown(); o.wait(); } catch (InterruptedException e) { make(9); } } }",
    );
    let endless = replaced(
        &endless,
        "static void make",
        "static final java.util.concurrent.CountDownLatch READY = new java.util.concurrent.CountDownLatch(1);\n    static void make",
    );
    let endless = replaced(
        &endless,
        "worker.start();",
        "worker.setDaemon(true); worker.start();",
    );
    let endless = replaced(
        &endless,
        "worker.join();",
        "if (number == 1) READY.await(); else worker.join();",
    );
    for name in ["one", "two"] {
        record(&folder, &jdk, (name, "Workers"), &endless, &[]);
    }
    let compared = Compared::new(&folder, &["one", "two", "--all"]);
    assert_eq!(compared.number("differences"), 0, "{:?}", compared.parts);
    // The calls of the thread that waited have no end, and that is what is said of them.
    assert!(
        compared.number("unknown_calls") >= 2,
        "{}",
        compared.footer()
    );
}

#[test]
fn threads_without_a_counterpart_are_named() {
    let (folder, _) = both("Workers", ("WORKERS = 2", "WORKERS = 3"), &[]);
    let compared = Compared::new(&folder, &["right", "wrong", "--all"]);
    let names = |of: &str| compared.footer()[of].clone();
    assert_eq!(names("only_left"), serde_json::json!([]));
    assert_eq!(names("only_right"), serde_json::json!(["worker-2"]));
    let threads: Vec<&str> = compared
        .of("threads")
        .iter()
        .filter_map(|of| of["name"].as_str())
        .collect();
    assert_eq!(threads, ["main", "worker-0", "worker-1"]);
    let told = folder.ask(&["compare", "right", "wrong"]);
    assert!(told.contains("thread worker-2: only right"), "{told}");
}

#[test]
fn of_very_many_threads_those_are_named_of_which_something_is_told() {
    let jdk = jdks().swap_remove(0);
    let folder = Folder::new();
    let text = replaced(
        &source("compare", "Workers"),
        "WORKERS = 2",
        "WORKERS = 1100",
    );
    let right = replaced(&text, "make(number + 1)", "make(number == 1050 ? 1 : 1)");
    let wrong = replaced(&text, "make(number + 1)", "make(number == 1050 ? 2 : 1)");
    for (name, text) in [("right", &right), ("wrong", &wrong)] {
        record(
            &folder,
            &jdk,
            (name, "Workers"),
            text,
            &["--engine", "probe", "--level", "state"],
        );
    }
    let compared = Compared::new(&folder, &["right", "wrong", "--all"]);
    let threads = compared.of("threads");
    // `main` and 999 workers, and behind them the one that differs.
    assert_eq!(threads.len(), 1001, "{}", compared.footer());
    assert_eq!(threads[1000]["name"], "worker-1050");
    let note = "100 more pairs of threads were compared, of which nothing is told";
    assert!(compared.notes().contains(note), "{}", compared.notes());
}

#[test]
fn objects_of_other_threads_are_each_others_by_birth() {
    let jdk = jdks().swap_remove(0);
    let folder = Folder::new();
    let text = source("compare", "Workers");
    // The first worker makes one more, which nobody uses: what the others made is found again by who made it.
    let more = replaced(
        &text,
        "make(number + 1);",
        "if (number == 0) { new Thing(99); } make(number + 1);",
    );
    let swapped = replaced(&text, "sum += use(thing);", "sum += use(THINGS.get(0));");
    for (name, text) in [("right", &text), ("more", &more), ("swapped", &swapped)] {
        record(&folder, &jdk, (name, "Workers"), text, &[]);
    }
    let compared = Compared::new(&folder, &["right", "more", "--all"]);
    let objects = compared.differences("object");
    assert_eq!(objects.len(), 1, "{:?}", compared.parts);
    assert!(
        compared.differences("argument").is_empty(),
        "{:?}",
        compared.parts
    );
    // Another one than the same run's is told to be another one, though both are of one class.
    let compared = Compared::new(&folder, &["right", "swapped", "--all"]);
    let arguments = compared.differences("argument");
    assert!(!arguments.is_empty(), "{:?}", compared.parts);
}

#[test]
fn contents_are_compared_of_objects_that_are_each_others() {
    // `reverse` is given the same list, and leaves another one behind.
    let old = "order.add(word.length());";
    let (folder, _) = both("Steps", (old, "order.add(word.length() / 2 * 2);"), &[]);
    let compared = Compared::new(&folder, &["right", "wrong", "--all"]);
    let contents: Vec<&Json> = compared
        .of("difference")
        .into_iter()
        .filter(|of| of["what"] == "content")
        .collect();
    assert!(!contents.is_empty(), "{:?}", compared.parts);
    assert!(contents.iter().all(|of| of["only"].is_null()));
    // The map was filled alike in both.
    assert!(
        contents
            .iter()
            .all(|of| of["left"]["event"]["value"]["class"] != "java.util.HashMap")
    );
}

#[test]
fn one_that_was_cut_is_compared_up_to_there() {
    let jdk = jdks().swap_remove(0);
    let folder = Folder::new();
    let classes = jdk.classes("fixtures").display().to_string();
    let java = |count: &str| ["-cp", &classes, "fx.Steady", count].map(str::to_owned);
    let whole = folder.launch(&jdk, "whole", &["--include", "fx.*"], &java("2000"));
    assert!(whole.stderr.contains("recorded"), "{}", whole.stderr);
    cut(&folder, &jdk, "cut", "2000");
    for words in [["whole", "cut"], ["cut", "whole"]] {
        let compared = Compared::new(&folder, &[&words[..], &["--all"]].concat());
        assert_eq!(compared.number("differences"), 0, "{:?}", compared.parts);
        assert!(compared.number("equal_calls") > 0);
        assert!(compared.number("unknown") > 0);
        assert!(
            compared.notes().contains("the recording was cut"),
            "{}",
            compared.notes()
        );
    }
}

#[test]
fn which_thread_initialises_a_class_is_no_difference() {
    let change = ("static final int FIRST = 0;", "static final int FIRST = 1;");
    let (folder, _) = both("Initialised", change, &[]);
    let compared = Compared::new(&folder, &["right", "wrong", "--all"]);
    for side in ["left", "right"] {
        let alone = compared.alone(side);
        assert!(alone.is_empty(), "{side} {alone:?}: {:?}", compared.parts);
    }
    assert!(
        compared.notes().contains("static initialiser"),
        "{}",
        compared.notes()
    );
    assert!(compared.number("unknown") >= 2, "{}", compared.footer());
}

/// Spoils an event block in the middle of a recording.
fn spoil(folder: &Folder, name: &str) {
    let id = folder.json(&["show", name])[0]["id"].clone();
    let id = id.as_str().expect("an id");
    folder.end_daemon();
    let db = folder.data().join("recordings").join(id).join("db");
    let tables = fs::read_dir(db).expect("the database").flatten();
    let tables = tables
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|end| end == "sst"));
    let mut is_spoiled = false;
    for table in tables {
        let mut bytes = fs::read(&table).expect("a file");
        let blocks: Vec<usize> = bytes
            .windows(3)
            .enumerate()
            .filter(|(_, window)| **window == [b'J', b'B', FORMAT_VERSION])
            .map(|(at, _)| at)
            .collect();
        // One in the middle, behind its head.
        if blocks.len() > 4 {
            bytes[blocks[blocks.len() / 2] + 200] ^= 0x10;
            fs::write(&table, bytes).expect("spoiled");
            is_spoiled = true;
            break;
        }
    }
    assert!(is_spoiled);
}

/// What is told of two runs of a program, at the end, and then of them when one was damaged, whole.
fn with_damage(text: &str) -> (Json, Vec<Json>) {
    let jdk = jdks().swap_remove(0);
    let folder = Folder::new();
    let options = ["--engine", "probe"];
    for name in ["right", "spoiled"] {
        record(&folder, &jdk, (name, "Steps"), text, &options);
    }
    let compare = || -> Vec<Json> {
        let output = folder
            .jhyde(&["compare", "right", "spoiled", "--all", "--json"])
            .output()
            .expect("jhyde can be started");
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(!told.contains("\"part\":\"divergence\""), "{told}");
        told.lines()
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .collect()
    };
    let whole = compare().pop().expect("a footer");
    spoil(&folder, "spoiled");
    (whole, compare())
}

#[test]
fn what_damage_hides_is_neither_equal_nor_different() {
    let text = replaced(&source("compare", "Steps"), "ROUNDS = 5", "ROUNDS = 20000");
    // A clock is read in each round: it shows another time, which is ignored, and so all events are read.
    let text = replaced(&text, "sum += round;", "System.nanoTime(); sum += round;");
    let (_, parts) = with_damage(&text);
    let footer = parts.last().expect("a footer");
    assert_eq!(footer["differences"], 0, "{footer}");
    assert_eq!(footer["unknown"], 1, "{footer}");
    assert!(footer["equal_calls"].as_u64() > Some(0), "{footer}");
    assert!(footer["unknown_calls"].as_u64() > Some(0), "{footer}");
    let notes = footer["notes"].to_string();
    assert!(notes.contains("are damaged: thread main"), "{notes}");
}

#[test]
fn damage_hides_nothing_of_what_passages_prove_equal() {
    let text = replaced(&source("compare", "Steps"), "ROUNDS = 5", "ROUNDS = 20000");
    let (whole, parts) = with_damage(&text);
    let footer = parts.last().expect("a footer");
    // What is printed at the end is longer than what is kept of a text: that is not known either way.
    assert_eq!(footer, &whole);
    assert_eq!(footer["differences"], 0, "{footer}");
    assert!(!footer["notes"].to_string().contains("damaged"), "{footer}");
    assert_eq!(footer["left_events"], footer["right_events"], "{footer}");
    assert!(footer["equal_calls"].as_u64() > Some(40_000), "{footer}");
}

#[test]
fn a_deep_recursion_is_compared_in_time() {
    let jdk = jdks().swap_remove(0);
    let folder = Folder::new();
    let text = replaced(
        &source("compare", "Steps"),
        "static int spin() {",
        "static int down(int n) { return n == 0 ? 0 : down(n - 1) + 1; }\n    static int spin() { down(3000);",
    );
    let changed = replaced(&text, "n == 0 ? 0", "n == 0 ? 1");
    record(&folder, &jdk, ("right", "Steps"), &text, &[]);
    record(&folder, &jdk, ("again", "Steps"), &text, &[]);
    record(&folder, &jdk, ("wrong", "Steps"), &changed, &[]);
    let began = Instant::now();
    Compared::new(&folder, &["right", "again", "--all"]).assert_equal();
    let compared = Compared::new(&folder, &["right", "wrong", "--all"]);
    assert!(
        began.elapsed() < Duration::from_secs(60),
        "{:?}",
        began.elapsed()
    );
    assert_eq!(compared.differences("result").len(), 3001);
}

/// The processor time of a process so far, in hundredths of a second.
fn worked(id: &str) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).expect("it lives");
    let (_, fields) = stat.rsplit_once(')').expect("its name");
    let times = fields.split_whitespace().skip(11).take(2);
    times.filter_map(|time| time.parse::<u64>().ok()).sum()
}

#[test]
fn a_client_that_leaves_ends_the_comparison() {
    let jdk = jdks().swap_remove(0);
    let folder = Folder::new();
    let text = replaced(&source("compare", "Steps"), "i < 5", "i < 2000000");
    let changed = replaced(&text, "mixed * 31 + i", "mixed * 37 + i");
    for (name, text) in [("right", &text), ("wrong", &changed)] {
        let classes = compiled(&folder, &jdk, (name, "Steps"), text);
        let java = ["-cp".to_owned(), classes, "Steps".to_owned()];
        let run = folder.launch(&jdk, name, &["--engine", "auto"], &java);
        assert!(run.status.success(), "{}", run.stderr);
    }
    folder.ask(&["list"]);
    let lock = fs::read_to_string(folder.data().join("lock")).expect("a daemon runs");
    let id = lock.split_whitespace().next().expect("its number");
    let mut compare: Command = folder.jhyde(&["compare", "right", "wrong", "--all", "--json"]);
    let begun = worked(id);
    assert!(
        compare
            .output()
            .expect("jhyde can be started")
            .status
            .success()
    );
    let whole = worked(id) - begun;
    let begun = worked(id);
    let client = compare.stdout(Stdio::null()).spawn();
    let mut client = client.expect("jhyde can be started");
    while worked(id) - begun < 50 {
        assert!(
            client.try_wait().expect("its state").is_none(),
            "it ended before"
        );
        std::thread::sleep(Duration::from_millis(10));
    }
    client.kill().expect("it can be killed");
    client.wait().expect("it is dead");
    std::thread::sleep(Duration::from_secs(1));
    let before = worked(id);
    std::thread::sleep(Duration::from_secs(2));
    assert!(worked(id) - before < 40, "it works for nobody");
    // Nor was there nothing left to do.
    let done = worked(id) - begun;
    assert!(2 * done < whole, "{done} of {whole} hundredths of a second");
}
