//! Where exceptions land by the facts of an export, against an account of its own of what each exception ends.

use std::collections::{BTreeMap, HashMap};

use jhyde_integration::{Folder, jdks};
use serde_json::Value as Json;

/// An exception of a thread.
type Flown = (String, u64);

/// A throw that is told: which exception, and its landing as a term.
type Landing = (u64, String);

/// The throws of an export, by their timestamps.
fn exported(folder: &Folder) -> BTreeMap<u64, Landing> {
    let file = folder.data().join("run.pl");
    let path = file.display().to_string();
    folder.ask(&["export", "--jel", "run", &path]);
    let text = std::fs::read_to_string(&file).expect("facts");
    let mut lines = text.lines();
    let mut found = BTreeMap::new();
    while let Some(line) = lines.next() {
        let Some((_, term)) = line.split_once(", exception(") else {
            continue;
        };
        // l(PLACE), o('Flying$Trouble', NUMBER), 'MESSAGE', LANDING)).
        let (_, exception) = term.split_once("o(").expect("an exception");
        let (of, rest) = exception.split_once("), '").expect("a message");
        let number = of
            .rsplit_once(' ')
            .and_then(|(_, number)| number.parse().ok());
        let (_, landing) = rest.split_once("', ").expect("a landing behind it");
        let landing = landing.strip_suffix(")).").expect("the end of the fact");
        let at = lines.next().and_then(|line| line.strip_prefix("at("));
        let at = at.and_then(|rest| rest.strip_suffix(").")?.split_once(", ")?.1.parse().ok());
        let landing = (number.expect("its number"), landing.to_owned());
        found.insert(at.expect("its event"), landing);
    }
    found
}

fn thread_of(event: &Json) -> String {
    let call = event["call"].as_str().unwrap_or_default();
    call.split('.').next().unwrap_or_default().to_owned()
}

fn flown(event: &Json) -> Flown {
    let exception = event["value"]["object"].as_u64();
    (thread_of(event), exception.expect("an exception"))
}

/// An exception on its way: when it was thrown, and the call that it has come to.
struct Flight {
    thrown: u64,
    call: String,
}

/// The same by following each exception through the calls that it ends: where it is thrown in another call than it has come to, nobody who is
/// recorded has caught it before.
fn looked_for(events: &[Json]) -> BTreeMap<u64, Landing> {
    let nowhere = || "l('', 0)".to_owned();
    let mut found = BTreeMap::new();
    let mut flying: HashMap<Flown, Flight> = HashMap::new();
    let mut running: HashMap<String, Vec<String>> = HashMap::new();
    for event in events {
        let call = event["call"].as_str().unwrap_or_default().to_owned();
        let calls = running.entry(thread_of(event)).or_default();
        match event["kind"].as_str().expect("a kind") {
            "enter" => calls.push(call),
            "exit" => {
                assert_eq!(
                    calls.pop().as_ref(),
                    Some(&call),
                    "the innermost ends first"
                );
                let around = calls.last().cloned();
                let left_by = event["exited"]["exception"]["object"].as_u64();
                let left_by = left_by.map(|exception| (thread_of(event), exception));
                if let Some(flight) = left_by.and_then(|of| flying.get_mut(&of))
                    && flight.call == call
                {
                    flight.call = around.unwrap_or_default();
                }
            }
            "thrown" => {
                let of = flown(event);
                if flying.get(&of).is_some_and(|flight| flight.call == call) {
                    continue;
                }
                let thrown = event["timestamp"].as_u64().expect("a number");
                let before = flying.insert(of.clone(), Flight { thrown, call });
                found.extend(before.map(|before| (before.thrown, (of.1, nowhere()))));
            }
            kind @ ("caught" | "uncaught") => {
                let of = flown(event);
                let landing = match kind {
                    "caught" => format!("l('Flying.java', {})", event["place"]["line"]),
                    _ => kind.to_owned(),
                };
                let flight = flying.remove(&of);
                found.extend(flight.map(|flight| (flight.thrown, (of.1, landing))));
            }
            _ => {}
        }
    }
    let rest = flying.into_iter();
    found.extend(rest.map(|(of, flight)| (flight.thrown, (of.1, nowhere()))));
    found
}

#[test]
fn exceptions_land_where_a_plain_look_finds_them() {
    let jdk = &jdks()[0];
    for (seed, engine) in [("1", "probe"), ("2", "probe"), ("3", "events")] {
        let folder = Folder::new();
        let path = jdk.classes("queries").display().to_string();
        let words = ["-cp", &path, "Flying", seed, "300"].map(str::to_owned);
        let options = [
            "--engine",
            engine,
            "--level",
            "state",
            "--include",
            "Flying*",
        ];
        let run = folder.launch(jdk, "run", &options, &words);
        assert!(run.status.success(), "{}", run.stderr);
        let events = folder.json(&["events", "run"]);
        let (told, plain) = (exported(&folder), looked_for(&events));
        assert_eq!(told, plain, "seed {seed} by {engine}");
        let of = |landing: &str| plain.values().filter(|(_, at)| at == landing).count();
        let (nowhere, uncaught) = (of("l('', 0)"), of("uncaught"));
        let caught = plain.len() - nowhere - uncaught;
        assert!(
            nowhere > 200 && caught > 200 && uncaught == 3,
            "{nowhere} {caught} {uncaught}"
        );
    }
}
