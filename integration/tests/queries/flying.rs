//! Where exceptions land by the facts of an export, against a plain look through all events behind each throw.

use std::collections::{BTreeMap, HashSet};

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

fn flown(event: &Json) -> Flown {
    let call = event["call"].as_str().unwrap_or_default();
    let thread = call.split('.').next().unwrap_or_default();
    let exception = event["value"]["object"].as_u64();
    (thread.to_owned(), exception.expect("an exception"))
}

/// The same by looking at each event behind each throw.
fn looked_for(events: &[Json]) -> BTreeMap<u64, Landing> {
    let mut found = BTreeMap::new();
    // What is on its way is told once, though it arrives in other calls, or is thrown anew.
    let mut flying: HashSet<Flown> = HashSet::new();
    let is_landing = |event: &Json| event["kind"] == "caught" || event["kind"] == "uncaught";
    for (at, event) in events.iter().enumerate() {
        if is_landing(event) {
            flying.remove(&flown(event));
        }
        if event["kind"] != "thrown" || !flying.insert(flown(event)) {
            continue;
        }
        let thrown = flown(event);
        let behind = events[at..].iter();
        let lands = behind
            .filter(|event| is_landing(event))
            .find(|event| flown(event) == thrown);
        let landing = match lands {
            None => "l('', 0)".to_owned(),
            Some(event) if event["kind"] == "uncaught" => "uncaught".to_owned(),
            Some(event) => format!("l('Flying.java', {})", event["place"]["line"]),
        };
        let timestamp = event["timestamp"].as_u64().expect("a number");
        found.insert(timestamp, (thrown.1, landing));
    }
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
