//! The queries once more, worked out from the raw stream of events by walking over all of it. Shares no code with jhyde. Here is
//! what happened; what is asked of it is in [`calls`], [`values`] and [`judged`].

mod calls;
mod judged;
mod values;

use std::collections::{BTreeMap, HashMap};

use jhyde_integration::Folder;
use serde_json::Value as Json;

/// A call, as the stream tells it.
#[derive(Clone, Debug)]
struct Call {
    enter: u64,
    exit: Option<u64>,
    /// It leaves the scope.
    boundary: bool,
    parent: String,
    /// Its method in full.
    method: String,
    /// Names and values of its arguments.
    arguments: Vec<(String, String)>,
    /// How it ended: its exception or result.
    end: Option<(&'static str, String)>,
}

/// What was written: when, in which call, and what.
#[derive(Clone, Debug)]
struct Write {
    at: u64,
    call: String,
    value: Json,
}

/// All that happened.
#[derive(Debug, Default)]
struct World {
    events: Vec<Json>,
    calls: BTreeMap<String, Call>,
    /// Per event, the call that encloses it.
    enclosing: HashMap<u64, Option<String>>,
    /// Writes by variable, in the order of time.
    writes: BTreeMap<String, Vec<Write>>,
    /// Classes of the objects that are told anywhere, by their numbers.
    classes: BTreeMap<u64, String>,
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
                        boundary: entered["boundary"] == true,
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
            if event["kind"] == "write" {
                let write = Write {
                    at,
                    call: word(&event["call"]),
                    value: event["value"].clone(),
                };
                let of = world.writes.entry(word(&event["variable"]));
                of.or_default().push(write);
            }
            if let (Some(object), Some(class)) = (
                event["value"]["object"].as_u64(),
                event["value"]["class"].as_str(),
            ) {
                world.classes.insert(object, class.to_owned());
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

/// At most so many of a list, spread over it.
fn spread<T>(all: &[T], most: usize) -> impl Iterator<Item = &T> {
    all.iter().step_by(all.len().div_ceil(most).max(1))
}

/// Each query that the stream tells enough for, of at most so many places, methods, fields, arrays and classes.
pub(super) fn check(folder: &Folder, most: usize) {
    let world = World::new(folder.json(&["events", "run"]));
    assert!(world.events.len() > 100);
    calls::check(folder, &world, most);
    values::check(folder, &world, most);
    judged::check(folder, &world, most);
}
