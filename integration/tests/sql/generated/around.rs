//! The calls of a recording, as the order of its events alone tells them: what jhyde says of calls, which of them are in which,
//! how many, and how deep, is not looked at.

use std::collections::HashMap;

use serde_json::Value as Json;

/// A call.
#[derive(Debug)]
pub(super) struct Call<'a> {
    pub(super) id: &'a str,
    pub(super) thread: i64,
    /// Which one of its thread, from 1.
    pub(super) number: i64,
    /// The call around it, by its place among all.
    pub(super) parent: Option<usize>,
    pub(super) depth: usize,
    /// Which one of its method, from 0.
    pub(super) invocation: i64,
    pub(super) enter: i64,
    pub(super) exit: Option<i64>,
    /// Calls in it, itself counted.
    pub(super) size: i64,
    /// What its beginning and its end tell.
    pub(super) entered: &'a Json,
    pub(super) exited: Option<&'a Json>,
}

/// A method, as events name it: class, name, descriptor.
pub(super) type Method<'a> = [&'a str; 3];

pub(super) fn method(entered: &Json) -> Method<'_> {
    ["class", "method", "descriptor"].map(|key| entered[key].as_str().unwrap_or_default())
}

/// The thread of a call, and its number there: 0 stands for no call.
pub(super) fn place(call: &str) -> Option<(i64, i64)> {
    let (thread, number) = call.split_once('.')?;
    Some((thread.parse().ok()?, number.parse().ok()?))
}

/// All calls, in the order in which they begin.
pub(super) fn calls(events: &[Json]) -> Vec<Call<'_>> {
    let mut all: Vec<Call<'_>> = Vec::new();
    let mut running: HashMap<i64, Vec<usize>> = HashMap::new();
    let mut of_thread: HashMap<i64, i64> = HashMap::new();
    let mut of_method: HashMap<Method<'_>, i64> = HashMap::new();
    for event in events {
        let at = event["timestamp"].as_i64();
        let (Some(at), Some(id)) = (at, event["call"].as_str()) else {
            continue;
        };
        let (thread, _) = place(id).expect("a call's id");
        let stack = running.entry(thread).or_default();
        match event["kind"].as_str() {
            Some("enter") => {
                for around in stack.iter() {
                    all[*around].size += 1;
                }
                let number = of_thread.entry(thread).or_default();
                *number += 1;
                let invocation = of_method.entry(method(&event["entered"])).or_default();
                all.push(Call {
                    id,
                    thread,
                    number: *number,
                    parent: stack.last().copied(),
                    depth: stack.len(),
                    invocation: *invocation,
                    enter: at,
                    exit: None,
                    size: 1,
                    entered: &event["entered"],
                    exited: None,
                });
                *invocation += 1;
                stack.push(all.len() - 1);
            }
            Some("exit") => {
                let ended = stack.pop().expect("what ends has begun");
                let call = &mut all[ended];
                assert_eq!(call.id, id, "the innermost call ends first: {event}");
                call.exit = Some(at);
                call.exited = Some(&event["exited"]);
            }
            _ => {}
        }
    }
    all
}

/// What the functions say of calls around calls: the function, what it is given, and a call that it finds.
pub(super) fn related<'a>(calls: &[Call<'a>]) -> Vec<(&'static str, &'a str, &'a str)> {
    let mut found = Vec::new();
    for call in calls {
        let mut around = call.parent;
        found.extend(around.map(|parent| ("children", calls[parent].id, call.id)));
        while let Some(outer) = around {
            found.push(("descendants", calls[outer].id, call.id));
            found.push(("ancestors", call.id, calls[outer].id));
            around = calls[outer].parent;
        }
    }
    found
}

/// How calls are also written, by their numbers among those of their methods: `merge#2`. Only where one method has the name, and where
/// it is none that variables begin with.
pub(super) fn by_invocation<'a>(calls: &[Call<'a>]) -> HashMap<&'a str, String> {
    let mut named: HashMap<String, Vec<&'a str>> = HashMap::new();
    for call in calls {
        let [_, name, _] = method(call.entered);
        let written = format!("{name}#{}", call.invocation);
        named.entry(written).or_default().push(call.id);
    }
    let is_clear = |written: &str| {
        !["object#", "array#"]
            .iter()
            .any(|word| written.starts_with(word))
    };
    let one = named
        .into_iter()
        .filter(|(written, calls)| calls.len() == 1 && is_clear(written));
    one.map(|(written, calls)| (calls[0], written)).collect()
}
