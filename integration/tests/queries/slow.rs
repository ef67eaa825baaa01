//! The queries once more, worked out from the raw stream of events by walking over all of it. Shares no code with jhyde.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use jhyde_integration::Folder;
use serde_json::Value as Json;

use super::ask;

/// A call, as the stream tells it.
#[derive(Clone, Debug)]
struct Call {
    enter: u64,
    exit: Option<u64>,
    parent: String,
    /// Its method in full.
    method: String,
    /// Names and values of its arguments.
    arguments: Vec<(String, String)>,
    /// How it ended: its exception or result.
    end: Option<(&'static str, String)>,
}

/// All that happened.
#[derive(Debug, Default)]
struct World {
    events: Vec<Json>,
    calls: BTreeMap<String, Call>,
    /// Per event, the call that encloses it.
    enclosing: HashMap<u64, Option<String>>,
}

fn number(json: &Json) -> u64 {
    json.as_u64().expect("a number")
}

fn word(json: &Json) -> String {
    json.as_str().unwrap_or_default().to_owned()
}

fn full_name(call: &Json) -> String {
    let name = |key: &str| word(&call[key]);
    format!("{}.{}{}", name("class"), name("method"), name("descriptor"))
}

impl World {
    fn new(events: Vec<Json>) -> Self {
        let mut world = Self::default();
        let mut stacks: HashMap<String, Vec<String>> = HashMap::new();
        for event in &events {
            let at = number(&event["timestamp"]);
            let id = word(&event["call"]);
            let thread = id.split('.').next().unwrap_or_default().to_owned();
            let stack = stacks.entry(thread).or_default();
            match event["kind"].as_str() {
                Some("enter") => {
                    let entered = &event["entered"];
                    let parent = stack.last().cloned();
                    world.enclosing.insert(at, parent.clone());
                    stack.push(id.clone());
                    let arguments = entered["arguments"].as_array().expect("arguments").iter();
                    let call = Call {
                        enter: at,
                        exit: None,
                        parent: parent.unwrap_or_default(),
                        method: full_name(entered),
                        arguments: arguments
                            .map(|argument| {
                                (word(&argument["name"]), argument["value"].to_string())
                            })
                            .collect(),
                        end: None,
                    };
                    world.calls.insert(id, call);
                }
                Some("exit") => {
                    assert_eq!(stack.pop().as_ref(), Some(&id), "calls end as they began");
                    world.enclosing.insert(at, stack.last().cloned());
                    let exited = &event["exited"];
                    let call = world.calls.get_mut(&id).expect("it began");
                    call.exit = Some(at);
                    call.end = Some(match exited.get("exception") {
                        Some(exception) => ("threw", exception.to_string()),
                        None => ("returned", exited["result"].to_string()),
                    });
                }
                _ => {
                    world.enclosing.insert(at, stack.last().cloned());
                }
            }
        }
        world.events = events;
        world
    }

    fn chain(&self, at: u64) -> Vec<String> {
        let mut chain = Vec::new();
        let mut next = self.enclosing[&at].clone();
        while let Some(id) = next {
            let parent = self.calls[&id].parent.clone();
            next = (!parent.is_empty()).then_some(parent);
            chain.push(id);
        }
        chain
    }

    /// Is a call inside another, at any depth or directly?
    fn is_in(&self, id: &str, of: &str, nested: bool) -> bool {
        let mut parent = self.calls[id].parent.clone();
        loop {
            if parent == of {
                return true;
            }
            match self.calls.get(&parent) {
                Some(call) if nested => parent = call.parent.clone(),
                _ => return false,
            }
        }
    }

    fn by_enter(&self, wanted: impl Fn(&str, &Call) -> bool) -> Vec<String> {
        let mut found: Vec<_> = self
            .calls
            .iter()
            .filter(|(id, call)| wanted(id, call))
            .collect();
        found.sort_by_key(|(_, call)| call.enter);
        found.into_iter().map(|(id, _)| id.clone()).collect()
    }
}

fn ids(rows: &[Json]) -> Vec<String> {
    rows.iter().map(|row| word(&row["call"]["id"])).collect()
}

/// Every query that the stream tells enough for, at every `step`-th event.
pub(super) fn check(folder: &Folder, step: usize) {
    let world = World::new(folder.json(&["events", "run"]));
    let methods: BTreeSet<_> = world
        .calls
        .values()
        .map(|call| call.method.clone())
        .collect();
    assert!(world.events.len() > 100 && methods.len() > 5);
    around_events(folder, &world, step);
    for method in methods.iter().step_by(step.div_ceil(8)) {
        of_method(folder, &world, method);
        of_method_in_a_part(folder, &world, method);
    }
    threads_in_a_part(folder, &world);
    fields(folder, &world);
    created(folder, &world);
    edges(folder, &world, step);
}

fn around_events(folder: &Folder, world: &World, step: usize) {
    for event in world.events.iter().step_by(step * 7) {
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

/// Fields of objects by their class and name, from the variables that the writes name.
fn fields(folder: &Folder, world: &World) {
    let mut told: BTreeMap<String, Vec<(u64, String)>> = BTreeMap::new();
    for event in world.events.iter().filter(|event| event["kind"] == "write") {
        let variable = word(&event["variable"]);
        let Some(rest) = variable.strip_prefix("object#") else {
            continue;
        };
        let (_, field) = rest.split_once('.').expect("a field");
        // One that a subclass hides is written with its class.
        if field.contains('.') {
            continue;
        }
        let row = (number(&event["timestamp"]), event["value"].to_string());
        told.entry(variable).or_default().push(row);
    }
    assert!(!told.is_empty());
    for (variable, told) in told.iter().take(60) {
        let (rows, _) = ask(folder, &["field-history", variable]);
        let rows = rows
            .iter()
            .map(|row| (number(&row["event"]), row["value"].to_string()));
        assert_eq!(rows.collect::<Vec<_>>(), *told, "{variable}");
        let object = variable.split('.').next().unwrap_or_default();
        let name = variable.rsplit('.').next().unwrap_or_default();
        let (rows, _) = ask(folder, &["object-state", object]);
        let row = rows
            .iter()
            .find(|row| row["name"] == name && row["kind"] == "field");
        let row = row.expect("the field");
        let (at, value) = told.last().expect("a write");
        assert_eq!(
            (number(&row["event"]), row["value"].to_string()),
            (*at, value.clone()),
            "{variable}"
        );
    }
}

fn created(folder: &Folder, world: &World) {
    let mut made: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for event in world.events.iter().filter(|event| event["kind"] == "new") {
        let class = word(&event["value"]["class"]);
        // A text, a box: as JSON it is a value.
        if !class.is_empty() {
            made.entry(class)
                .or_default()
                .push(number(&event["timestamp"]));
        }
    }
    for (class, made) in made.iter().take(12) {
        let (rows, _) = ask(folder, &["instances", class]);
        let of_class = rows
            .iter()
            .filter(|row| row["object"]["class"] == class.as_str());
        let rows: Vec<_> = of_class.filter_map(|row| row["made"].as_u64()).collect();
        assert_eq!(rows, *made, "{class}");
    }
}

/// Each outcome of each condition, by its line.
fn edges(folder: &Folder, world: &World, step: usize) {
    let mut told: BTreeMap<String, BTreeMap<String, u64>> = BTreeMap::new();
    for event in world.events.iter().filter(|event| event["kind"] == "edge") {
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
    assert!(!told.is_empty());
    for (line, ways) in told.iter().step_by(step.div_ceil(16)) {
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
