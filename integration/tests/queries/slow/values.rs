//! Values of locals, fields, elements and objects.

use std::collections::BTreeMap;

use jhyde_integration::Folder;
use serde_json::Value as Json;

use super::super::ask;
use super::{World, Write, number, spread, word};

/// Histories and states of what was written.
pub(super) fn check(folder: &Folder, world: &World, most: usize) {
    locals(folder, world, most);
    fields(folder, world, most);
    fields_of_classes(folder, world, most);
    arrays(folder, world, most);
    created(folder, world, most);
}

/// When, and what: of a list of rows, and of writes.
fn as_rows(rows: &[Json]) -> Vec<(u64, String)> {
    let rows = rows.iter();
    rows.map(|row| (number(&row["event"]), row["value"].to_string()))
        .collect()
}

/// Is a row of one of these writes?
fn is_of(writes: &[Write], row: &Json) -> bool {
    writes.iter().any(|write| row["event"] == write.at)
}

fn as_told(writes: &[Write]) -> Vec<(u64, String)> {
    let writes = writes.iter();
    writes
        .map(|write| (write.at, write.value.to_string()))
        .collect()
}

/// Locals of a call before and after they were written, and all values of one.
fn locals(folder: &Folder, world: &World, most: usize) {
    // Two variables of one name in a call have their scopes behind it.
    let of_calls = world.writes.iter().filter_map(|(variable, writes)| {
        let (_, name) = variable.split_once(':')?;
        (!name.contains('@')).then_some((name, writes))
    });
    let of_calls: Vec<_> = of_calls.collect();
    for (name, writes) in spread(&of_calls, most) {
        let call = &writes[0].call;
        let (rows, _) = ask(folder, &["local-history", &format!("{call}:{name}")]);
        let given = &world.calls[call].arguments;
        // A parameter has a value from the beginning on.
        let begins = given.iter().find(|(of, _)| of == name);
        let begins = begins.map(|(_, value)| (world.calls[call].enter, value.clone()));
        let told: Vec<_> = begins.into_iter().chain(as_told(writes)).collect();
        assert_eq!(as_rows(&rows), told, "{call}:{name}");
        let mut before = given.iter().find(|(of, _)| of == name).map(|one| &*one.1);
        let values: Vec<_> = writes.iter().map(|write| write.value.to_string()).collect();
        for (write, value) in writes.iter().zip(&values).take(3) {
            let (rows, _) = ask(folder, &["locals", &write.at.to_string()]);
            let row = rows.iter().find(|row| row["name"] == *name);
            let row = row.unwrap_or_else(|| panic!("{call}:{name} at {}: {rows:?}", write.at));
            assert_eq!(row["change"], "written", "{row}");
            assert_eq!(row["after"].to_string(), *value, "{row}");
            // In a loop's body it begins anew each time.
            let held = row["before"].to_string();
            assert!(
                row["before"].is_null() || Some(&*held) == before,
                "{row}: {before:?}"
            );
            before = Some(value);
        }
    }
}

/// `object#12` and the name of its field, where no subclass hides it.
fn field_of(variable: &str) -> Option<(&str, &str)> {
    let (object, field) = variable.split_once('.')?;
    (object.starts_with("object#") && !field.contains('.')).then_some((object, field))
}

/// Fields of objects by their own histories, and the objects' states while they were written.
fn fields(folder: &Folder, world: &World, most: usize) {
    let all = world.writes.iter();
    let all = all.filter_map(|(variable, writes)| Some((field_of(variable)?, variable, writes)));
    let all: Vec<_> = all.collect();
    assert!(!all.is_empty());
    for ((object, _), variable, writes) in spread(&all, most) {
        let (mut rows, _) = ask(folder, &["field-history", variable]);
        // Where others may have written it, that is told, and is no event of the stream.
        rows.retain(|row| row["value"]["not_recorded"].is_null() || is_of(writes, row));
        assert_eq!(as_rows(&rows), as_told(writes), "{variable}");
        // Between its first and its last write, and at the end.
        let within = writes[writes.len() / 2].at;
        for at in [Some(within), None] {
            let time = at.map(|at| at.to_string());
            let words = [&["object-state", object][..], &[]].concat();
            let words = match &time {
                Some(time) => [&words[..], &["--at", time]].concat(),
                None => words,
            };
            let (rows, _) = ask(folder, &words);
            let of_object = all.iter().filter(|((of, _), ..)| of == object);
            for ((_, name), variable, writes) in of_object {
                let row = rows.iter().find(|row| row["name"] == *name);
                let row = row.unwrap_or_else(|| panic!("{variable} {at:?}: {rows:?}"));
                let until = writes.iter().rev().find(|w| at.is_none_or(|at| w.at <= at));
                let is_open = !row["value"]["not_recorded"].is_null();
                match until {
                    // Others may have written it since.
                    Some(write) if is_open && row["event"] != write.at => {}
                    Some(write) => {
                        assert_eq!(number(&row["event"]), write.at, "{variable} {at:?}");
                        // What an object holds is shown as it was at the time that is asked about.
                        let same = match (&row["value"]["object"], &write.value["object"]) {
                            (Json::Null, _) => row["value"] == write.value,
                            (told, written) => told == written,
                        };
                        assert!(same, "{variable} {at:?}: {row}, {}", write.value);
                    }
                    None => assert_ne!(row["from"], "written", "{variable} {at:?}: {row}"),
                }
            }
        }
    }
}

/// Fields of all objects of a class, and static ones.
fn fields_of_classes(folder: &Folder, world: &World, most: usize) {
    let mut told: BTreeMap<(String, String), Vec<(u64, String)>> = BTreeMap::new();
    for (variable, writes) in &world.writes {
        let of = match field_of(variable) {
            Some((object, field)) => {
                let object = object.trim_start_matches("object#").parse().ok();
                let class = object.and_then(|object: u64| world.classes.get(&object));
                class.map(|class| (class.clone(), field.to_owned()))
            }
            None if variable.contains(['#', ':']) => None,
            None => variable
                .rsplit_once('.')
                .map(|(class, field)| (class.to_owned(), field.to_owned())),
        };
        if let Some(of) = of {
            told.entry(of).or_default().extend(as_told(writes));
        }
    }
    let told: Vec<_> = told.into_iter().collect();
    let mut compared = 0;
    for ((class, field), told) in spread(&told, most) {
        let mut told = told.clone();
        told.sort_unstable();
        // One that it inherits goes by the class that declares it.
        let Some(rows) = asked(folder, &["field-history", &format!("{class}.{field}")]) else {
            continue;
        };
        compared += 1;
        // Those of subclasses are there, too.
        let own = |row: &&Json| row["object"].is_null() || row["object"]["class"] == *class;
        // What was found in it when it was met is no event of the stream.
        let first = told.first().map_or(0, |first| first.0);
        let found = |row: &&Json| number(&row["event"]) < first;
        let own = rows.iter().filter(own).filter(|row| !found(row));
        let is_told = |row: &&Json| {
            let event = number(&row["event"]);
            row["value"]["not_recorded"].is_null() || told.iter().any(|told| told.0 == event)
        };
        let own: Vec<_> = own.filter(is_told).cloned().collect();
        assert_eq!(as_rows(&own), told, "{class}.{field}");
    }
    assert!(compared > 0);
}

/// The rows of an answer, where there is one.
fn asked(folder: &Folder, words: &[&str]) -> Option<Vec<Json>> {
    let words = [&["query", "run"], words].concat();
    let output = folder.jhyde(&words).arg("--json").output();
    let output = output.expect("jhyde can be started");
    let said = String::from_utf8_lossy(&output.stderr);
    let refused = said.contains("is not in this recording");
    assert!(output.status.success() || refused, "{words:?}: {said}");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let mut rows: Vec<Json> = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    rows.pop().map(|_| rows)
}

/// Elements of arrays: each write, and what the array held behind it.
fn arrays(folder: &Folder, world: &World, most: usize) {
    let mut arrays: BTreeMap<u64, Vec<(u64, u64, String)>> = BTreeMap::new();
    for (variable, writes) in &world.writes {
        let element = variable
            .strip_prefix("array#")
            .and_then(|rest| rest.strip_suffix(']'));
        let Some((array, index)) = element.and_then(|rest| rest.split_once('[')) else {
            continue;
        };
        let parse = |text: &str| text.parse::<u64>().expect("a number");
        let told = as_told(writes).into_iter();
        let told = told.map(|(at, value)| (at, parse(index), value));
        arrays.entry(parse(array)).or_default().extend(told);
    }
    let arrays: Vec<_> = arrays.into_iter().collect();
    for (array, told) in spread(&arrays, most) {
        let mut told = told.clone();
        told.sort_unstable();
        let (mut rows, _) = ask(folder, &["structure-history", &format!("array#{array}")]);
        // What was found in it, or may have been written by others, is no event of the stream.
        let is_told = |row: &Json| told.iter().any(|told| told.0 == number(&row["event"]));
        rows.retain(is_told);
        let written: Vec<_> = rows
            .iter()
            .filter_map(|row| {
                let (event, index) = (number(&row["event"]), row["element"].as_u64()?);
                Some((event, index, row["value"].to_string()))
            })
            .collect();
        assert_eq!(written, told, "array#{array}");
        let mut held: BTreeMap<u64, &str> = BTreeMap::new();
        for ((_, index, value), row) in told.iter().zip(&rows) {
            held.insert(*index, value);
            let elements = row["elements"].as_array().expect("elements");
            for (index, value) in held.range(..elements.len() as u64) {
                let element = usize::try_from(*index).expect("an index");
                let element = &elements[element]["value"];
                // Others may have written it since, as was seen later.
                let is_open = !element["not_recorded"].is_null();
                let shown = element.to_string();
                assert!(is_open || shown == *value, "array#{array}[{index}]: {row}");
            }
        }
    }
}

/// Objects of a class, by the end and by the time when half of them were made.
fn created(folder: &Folder, world: &World, most: usize) {
    let mut made: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for event in world.events.iter().filter(|event| event["kind"] == "new") {
        let class = word(&event["value"]["class"]);
        // A text, a box: as JSON it is a value.
        if !class.is_empty() {
            let of_class = made.entry(class).or_default();
            of_class.push(number(&event["timestamp"]));
        }
    }
    let made: Vec<_> = made.into_iter().collect();
    for (class, made) in spread(&made, most / 2) {
        let half = made[made.len() / 2];
        let asked = |words: &[&str], told: &[u64]| {
            let (rows, _) = ask(folder, words);
            let of_class = rows
                .iter()
                .filter(|row| row["object"]["class"] == class.as_str());
            let rows_made: Vec<_> = of_class.filter_map(|row| row["made"].as_u64()).collect();
            assert_eq!(rows_made, told, "{words:?}");
            rows.len() as u64
        };
        let all = asked(&["instances", class], made);
        let until: Vec<_> = made.iter().copied().filter(|at| *at <= half).collect();
        asked(&["instances", class, "--at", &half.to_string()], &until);
        let (exists, _) = ask(folder, &["exists", class]);
        assert_eq!(
            (&exists[0]["answer"], number(&exists[0]["count"])),
            (&"yes".into(), all),
            "{class}"
        );
    }
}
