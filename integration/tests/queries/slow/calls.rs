//! Calls, what they were given and how they ended, threads and exceptions.

use std::collections::{BTreeMap, BTreeSet};

use jhyde_integration::Folder;
use serde_json::Value as Json;

use super::super::ask;
use super::{World, ids, number, spread, word};

/// Calls around events, of methods, in parts of the history.
pub(super) fn check(folder: &Folder, world: &World, most: usize) {
    around_events(folder, world, most);
    let methods: BTreeSet<_> = world.calls.values().map(|call| &call.method).collect();
    let methods: Vec<_> = methods.into_iter().collect();
    assert!(methods.len() > 5);
    for method in spread(&methods, most) {
        of_method(folder, world, method);
        of_method_in_a_part(folder, world, method);
    }
    threads_in_a_part(folder, world);
    exceptions(folder, world);
}

fn around_events(folder: &Folder, world: &World, most: usize) {
    for event in spread(&world.events, most) {
        let at = number(&event["timestamp"]);
        let text = at.to_string();
        let chain = world.chain(at);
        assert_eq!(ids(&ask(folder, &["call-chain", &text]).0), chain, "{at}");
        let innermost: Vec<_> = chain.iter().take(1).cloned().collect();
        assert_eq!(ids(&ask(folder, &["where", &text]).0), innermost, "{at}");
        let Some(of) = chain.first() else { continue };
        for nested in [false, true] {
            let flag: &[&str] = if nested { &["--nested"] } else { &[] };
            let before = world.by_enter(|id, call| {
                call.exit.is_some_and(|exit| exit < at) && world.is_in(id, of, nested)
            });
            let words = [&["pre-calls", &text], flag].concat();
            assert_eq!(ids(&ask(folder, &words).0), before, "{words:?}");
            let behind = world.by_enter(|id, call| call.enter > at && world.is_in(id, of, nested));
            let words = [&["post-calls", &text], flag].concat();
            assert_eq!(ids(&ask(folder, &words).0), behind, "{words:?}");
        }
        let below = world.by_enter(|id, _| world.is_in(id, of, true));
        assert_eq!(ids(&ask(folder, &["call-tree", of]).0), below, "{of}");
    }
}

fn of_method(folder: &Folder, world: &World, method: &str) {
    let calls = world.by_enter(|_, call| call.method == method);
    let (rows, _) = ask(folder, &["called", method]);
    assert_eq!(rows.len(), 1, "{method}");
    assert_eq!(
        (&rows[0]["answer"], number(&rows[0]["count"])),
        (&"yes".into(), calls.len() as u64)
    );
    let enter = |id: &String| world.calls[id].enter;
    assert_eq!(number(&rows[0]["first"]), enter(&calls[0]));
    assert_eq!(number(&rows[0]["last"]), enter(&calls[calls.len() - 1]));
    let (rows, _) = ask(folder, &["argument-history", method]);
    let given = rows
        .iter()
        .map(|row| (word(&row["name"]), row["value"].to_string()));
    let told = calls
        .iter()
        .flat_map(|id| world.calls[id].arguments.clone());
    assert_eq!(
        given.collect::<Vec<_>>(),
        told.collect::<Vec<_>>(),
        "{method}"
    );
    let (rows, _) = ask(folder, &["return-history", method]);
    let ends = rows.iter().map(|row| {
        (
            number(&row["event"]),
            word(&row["how"]),
            row["value"].to_string(),
        )
    });
    let mut told: Vec<_> = calls
        .iter()
        .filter_map(|id| {
            let (how, value) = world.calls[id].end.clone()?;
            Some((world.calls[id].exit?, how.to_owned(), value))
        })
        .collect();
    told.sort();
    assert_eq!(ends.collect::<Vec<_>>(), told, "{method}");
}

/// What calls of a method were given, held and returned in a part of the history, which begins while one of them runs: arguments are
/// those of the calls that begin in it; what is written and returned in it is so whenever its call began.
fn of_method_in_a_part(folder: &Folder, world: &World, method: &str) {
    let calls = world.by_enter(|_, call| call.method == method);
    // The longest of them: it has an inside, if any has.
    let length = |id: &&String| {
        let call = &world.calls[*id];
        call.exit.map_or(0, |exit| exit - call.enter)
    };
    let longest = calls.iter().max_by_key(length).expect("a call");
    let call = &world.calls[longest];
    let Some(exit) = call.exit else { return };
    for (from, to) in [(call.enter + 1, exit), (call.enter + 1, exit + 1)] {
        let is_in = |at: u64| from <= at && at < to;
        let part = [
            "--from".to_owned(),
            from.to_string(),
            "--to".into(),
            to.to_string(),
        ];
        let asked = |query: &str, of: &str| {
            let part = part.iter().map(String::as_str);
            let words: Vec<_> = [query, of].into_iter().chain(part).collect();
            ask(folder, &words).0
        };
        let events =
            |rows: &[Json]| -> Vec<u64> { rows.iter().map(|row| number(&row["event"])).collect() };
        let mut ends: Vec<u64> = calls
            .iter()
            .filter_map(|id| world.calls[id].exit.filter(|exit| is_in(*exit)))
            .collect();
        ends.sort_unstable();
        assert_eq!(
            events(&asked("return-history", method)),
            ends,
            "{method} {part:?}"
        );
        let begun = calls
            .iter()
            .map(|id| &world.calls[id])
            .filter(|call| is_in(call.enter));
        let given: Vec<u64> = begun
            .flat_map(|call| call.arguments.iter().map(|_| call.enter))
            .collect();
        assert_eq!(
            events(&asked("argument-history", method)),
            given,
            "{method} {part:?}"
        );
        // Of one call by its name: it began before.
        assert_eq!(
            asked("argument-history", longest),
            [] as [Json; 0],
            "{longest}"
        );
        // Locals that the calls wrote, by name.
        let mut locals: BTreeMap<String, Vec<(u64, String)>> = BTreeMap::new();
        for event in world.events.iter().filter(|event| event["kind"] == "write") {
            let variable = word(&event["variable"]);
            let Some((_, name)) = variable.split_once(':') else {
                continue;
            };
            let written = locals.entry(name.to_owned()).or_default();
            let at = number(&event["timestamp"]);
            if is_in(at) && calls.contains(&word(&event["call"])) {
                written.push((at, event["value"].to_string()));
            }
        }
        // Two variables of one name have their scopes behind it.
        let plain =
            |(name, written): &(&String, &Vec<_>)| !name.contains('@') && !written.is_empty();
        for (name, written) in locals.iter().filter(plain) {
            let rows = asked("local-history", &format!("{method}:{name}"));
            let told = rows
                .iter()
                .map(|row| (number(&row["event"]), row["value"].to_string()));
            assert_eq!(
                told.collect::<Vec<_>>(),
                *written,
                "{method}:{name} {part:?}"
            );
        }
    }
}

/// The threads of the second half, and how many calls began in it.
fn threads_in_a_part(folder: &Folder, world: &World) {
    let from = world.events.len() as u64 / 2;
    let thread = |id: &str| id.split('.').next().unwrap_or_default().to_owned();
    let mut told: BTreeMap<String, u64> = BTreeMap::new();
    let (all, _) = ask(folder, &["threads"]);
    for row in all
        .iter()
        .filter(|row| row["end"].as_u64().is_none_or(|end| end >= from))
    {
        told.insert(row["id"].to_string(), 0);
    }
    for (id, _) in world.calls.iter().filter(|(_, call)| call.enter >= from) {
        *told.entry(thread(id)).or_default() += 1;
    }
    let (rows, _) = ask(folder, &["threads", "--from", &from.to_string()]);
    let rows = rows
        .iter()
        .map(|row| (row["id"].to_string(), number(&row["calls"])));
    assert_eq!(rows.collect::<BTreeMap<_, _>>(), told);
}

/// An exception on its way through a thread: since when, from which call, and what it ended.
struct Flight {
    thrown: u64,
    call: String,
    ended: Vec<String>,
}

/// By thread and exception: a flight that has ended, how, and the call that caught it.
type Landed = ((String, u64), Flight, String, Option<String>);

/// Where each exception was thrown, which calls it ended, and who caught it.
fn exceptions(folder: &Folder, world: &World) {
    let mut flying: BTreeMap<(String, u64), Flight> = BTreeMap::new();
    let mut told: Vec<Landed> = Vec::new();
    for event in &world.events {
        let (at, id) = (number(&event["timestamp"]), word(&event["call"]));
        let thread = id.split('.').next().unwrap_or_default().to_owned();
        let exited = &event["exited"]["exception"];
        let exception = match event["kind"].as_str() {
            Some("exit") => exited,
            Some("thrown" | "caught" | "uncaught") => &event["value"],
            _ => continue,
        };
        let Some(exception) = exception["object"].as_u64() else {
            continue;
        };
        let key = (thread, exception);
        let begins = || Flight {
            thrown: at,
            call: id.clone(),
            ended: Vec::new(),
        };
        match event["kind"].as_str() {
            Some("thrown") => match flying.get_mut(&key) {
                None => {
                    // The call that has caught it throws it on: it is the flight that it was.
                    let before = told.iter().rposition(|(of, ..)| *of == key);
                    let thrown_on = before.filter(|&at| told[at].3.as_ref() == Some(&id));
                    let flight = thrown_on.map_or_else(begins, |at| told.remove(at).1);
                    flying.insert(key, flight);
                }
                Some(flight) => {
                    // Where it has come to: there it is told again. Elsewhere it is thrown once more.
                    let last = flight.ended.last();
                    let comes_to = last.map_or(&flight.call, |call| &world.calls[call].parent);
                    if *comes_to != id {
                        let gone = std::mem::replace(flight, begins());
                        let fate = "left the recorded calls".to_owned();
                        told.push((key, gone, fate, None));
                    }
                }
            },
            Some("exit") => {
                if let Some(flight) = flying.get_mut(&key) {
                    flight.ended.push(id);
                }
            }
            kind => {
                let flight = flying.remove(&key).unwrap_or_else(begins);
                let by = (kind == Some("caught")).then_some(id);
                let fate = kind.unwrap_or_default().to_owned();
                told.push((key, flight, fate, by));
            }
        }
    }
    let mut gone: Vec<_> = flying.into_iter().collect();
    gone.sort_by_key(|(_, flight)| flight.thrown);
    for (key, flight) in gone {
        let last = flight.ended.last();
        let comes_to = last.map_or(&flight.call, |call| &world.calls[call].parent);
        let runs_on = world.calls.get(comes_to);
        let fate = match runs_on.is_some_and(|call| call.exit.is_none() && !call.boundary) {
            true => "not caught yet",
            false => "left the recorded calls",
        };
        told.push((key, flight, fate.to_owned(), None));
    }
    let told: Vec<_> = told
        .into_iter()
        .map(|(_, flight, fate, by)| (flight.thrown, flight.call, fate, flight.ended, by))
        .collect();
    let (rows, _) = ask(folder, &["where-thrown", "--caught"]);
    let rows = rows.iter().map(|row| {
        let ended = row["ended"].as_array().into_iter().flatten();
        (
            number(&row["thrown"]),
            word(&row["call"]["id"]),
            word(&row["fate"]),
            ended.map(|call| word(&call["id"])).collect::<Vec<_>>(),
            row["caught_by"]["id"].as_str().map(str::to_owned),
        )
    });
    assert_eq!(rows.collect::<Vec<_>>(), told);
}
