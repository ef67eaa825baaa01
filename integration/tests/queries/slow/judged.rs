//! What is answered by yes and no, with how often, the first and the last time.

use std::collections::{BTreeMap, BTreeSet};

use jhyde_integration::Folder;
use serde_json::{Value as Json, json};

use super::super::ask;
use super::{World, number, spread, word};

/// Conditions, values that fields were given, exceptions that were caught, threads.
pub(super) fn check(folder: &Folder, world: &World, most: usize) {
    edges(folder, world, most);
    assigned(folder, world, most);
    caught(folder, world);
    threads(folder, world);
}

/// The first row of an answer: how often, the first and the last time.
fn counted(folder: &Folder, words: &[&str]) -> (Json, u64, Json, Json) {
    let (rows, _) = ask(folder, words);
    let row = rows.first().expect("a row");
    (
        row["answer"].clone(),
        number(&row["count"]),
        row["first"].clone(),
        row["last"].clone(),
    )
}

/// Fields of one object, by each of the first values that it was given.
fn assigned(folder: &Folder, world: &World, most: usize) {
    let of_objects = world
        .writes
        .iter()
        .filter(|(variable, _)| variable.starts_with("object#"));
    let of_objects: Vec<_> = of_objects.collect();
    for (variable, writes) in spread(&of_objects, most) {
        // A number, true, false, null: what is a text or a character the value does not say.
        let plain = |value: &Json| value.is_i64() || value.is_boolean() || value.is_null();
        let mut times: BTreeMap<String, Vec<u64>> = BTreeMap::new();
        for write in writes.iter().filter(|write| plain(&write.value)) {
            let of_value = times.entry(write.value.to_string());
            of_value.or_default().push(write.at);
        }
        for (value, times) in times.iter().take(2) {
            let told = (
                json!("yes"),
                times.len() as u64,
                json!(times[0]),
                json!(times[times.len() - 1]),
            );
            let words = ["assigned", variable, value];
            assert_eq!(counted(folder, &words), told, "{words:?}");
        }
    }
}

/// Exceptions of the JDK: what extends them out of the scope is not recorded, so they are counted by their own class.
fn caught(folder: &Folder, world: &World) {
    let mut told: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for event in world
        .events
        .iter()
        .filter(|event| event["kind"] == "caught")
    {
        let class = word(&event["value"]["class"]);
        let of_class = told.entry(class).or_default();
        of_class.push(number(&event["timestamp"]));
    }
    let of_scope: BTreeSet<_> = world
        .calls
        .values()
        .filter(|call| call.method.contains(".<init>("))
        .filter_map(|call| call.method.split(".<init>").next())
        .collect();
    for (class, times) in told.iter().filter(|(class, _)| class.starts_with("java.")) {
        let (answer, count, first, last) = counted(folder, &["caught", class]);
        assert_eq!(answer, "yes", "{class}");
        // Classes of the scope may extend it.
        let is_all = told
            .keys()
            .all(|other| other == class || !of_scope.contains(&**other));
        if is_all {
            let times = (
                times.len() as u64,
                json!(times[0]),
                json!(times[times.len() - 1]),
            );
            assert_eq!((count, first, last), times, "{class}");
        } else {
            assert!(count >= times.len() as u64, "{class}");
        }
    }
}

/// Each thread, before it began, while it ran, and behind its end.
fn threads(folder: &Folder, world: &World) {
    let (rows, _) = ask(folder, &["threads"]);
    let mut spans: BTreeMap<String, (u64, Option<u64>, u64)> = BTreeMap::new();
    for event in &world.events {
        let at = number(&event["timestamp"]);
        let id = word(&event["call"]);
        let thread = id.split('.').next().unwrap_or_default().to_owned();
        let span = spans.entry(thread).or_insert((at, None, at));
        match event["kind"] == "thread_end" {
            true => span.1 = Some(at),
            false => span.2 = at,
        }
    }
    spans.remove("");
    assert_eq!(rows.len(), spans.len(), "{rows:?}");
    for (thread, (first, end, last)) in &spans {
        let row = rows
            .iter()
            .find(|row| row["id"].as_u64() == thread.parse().ok());
        let row = row.unwrap_or_else(|| panic!("thread {thread}: {rows:?}"));
        // What was found in statics before is no event of the stream, and is told of the thread that met their class.
        let start = number(&row["start"]);
        assert!(start <= *first, "{row}");
        assert_eq!(row["end"].as_u64(), *end, "{row}");
        let calls = world.calls.keys();
        let calls = calls.filter(|id| id.split('.').next() == Some(thread));
        assert_eq!(row["calls"].as_u64(), Some(calls.count() as u64), "{row}");
        let Some(end) = *end else { continue };
        for (at, runs, has_ended) in [
            (start.checked_sub(1), "no", "no"),
            (Some(start), "yes", "no"),
            (Some(*last), "yes", "no"),
            (Some(end), "no", "yes"),
        ] {
            let Some(at) = at.map(|at| at.to_string()) else {
                continue;
            };
            let running = ["running", thread, "--at", &at];
            assert_eq!(counted(folder, &running).0, runs, "{running:?}");
            let exited = ["exited", thread, "--at", &at];
            assert_eq!(counted(folder, &exited).0, has_ended, "{exited:?}");
        }
    }
}

/// Each outcome of each condition, by its line.
fn edges(folder: &Folder, world: &World, most: usize) {
    let mut told: BTreeMap<String, BTreeMap<String, u64>> = BTreeMap::new();
    let has_line = |event: &&Json| event["kind"] == "edge" && event["place"]["line"].is_u64();
    for event in world.events.iter().filter(has_line) {
        let place = &event["place"];
        let line = format!("{}:{}", word(&place["class"]), place["line"]);
        let way = format!(
            "{} {} {} {}",
            word(&place["method"]),
            word(&place["descriptor"]),
            event["from"],
            event["to"]
        );
        *told.entry(line).or_default().entry(way).or_default() += 1;
    }
    // Some libraries are compiled without lines.
    let told: Vec<_> = told.into_iter().collect();
    for (line, ways) in spread(&told, most) {
        let (rows, _) = ask(folder, &["executed", line]);
        let counts = rows
            .iter()
            .filter(|row| word(&row["what"]).contains("the condition at"));
        let mut counts: Vec<_> = counts
            .map(|row| number(&row["count"]))
            .filter(|n| *n > 0)
            .collect();
        // Jumps back that nothing decides are edges, too, and no conditions.
        let asked: String = rows.iter().map(|row| word(&row["what"]) + "\n").collect();
        let is_condition = |way: &&String| {
            let from = way.split(' ').nth(2).unwrap_or_default();
            asked.contains(&format!("the condition at index {from} led"))
        };
        let told = ways.iter().filter(|(way, _)| is_condition(way));
        let mut told: Vec<_> = told.map(|(_, count)| *count).collect();
        counts.sort_unstable();
        told.sort_unstable();
        assert_eq!(counts, told, "{line}: {rows:?}");
        assert!(rows.iter().any(|row| row["answer"] == "yes"), "{line}");
    }
}
