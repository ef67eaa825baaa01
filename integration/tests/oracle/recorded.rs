//! The recording, as `jhyde events --json` tells it.

use std::collections::{HashMap, HashSet};

use serde_json::Value as Json;

use crate::log::class_name;
use crate::{Happened, Stories, Value};

/// The stories that the recording tells: the fixtures are told apart by the calls of `truth.T.begin`, which
/// the recording holds as boundary calls.
pub(crate) fn read(events: &[Json]) -> Stories {
    let mut stories = Stories::new();
    let mut threads: HashMap<u64, String> = HashMap::new();
    let mut fixtures: HashMap<u64, String> = HashMap::new();
    let mut generated: HashSet<String> = HashSet::new();
    let mut arrays: HashMap<u64, Value> = HashMap::new();
    for event in events {
        note_objects(event, &mut arrays);
        let call = event["call"].as_str().unwrap_or_default();
        let thread: u64 = call
            .split('.')
            .next()
            .and_then(|word| word.parse().ok())
            .unwrap_or(0);
        if event["kind"] == "enter" {
            let entered = &event["entered"];
            let name = entered["thread_name"].as_str().unwrap_or_default();
            threads.insert(thread, name.to_owned());
            if entered["class"] == "truth.T" && entered["method"] == "begin" {
                let fixture = entered["arguments"][0]["value"]
                    .as_str()
                    .unwrap_or_default();
                fixtures.insert(thread, fixture.to_owned());
            }
            if is_generated(entered) {
                generated.insert(call.to_owned());
            }
        }
        if generated.contains(call) {
            continue;
        }
        let (Some(name), Some(fixture)) = (threads.get(&thread), fixtures.get(&thread)) else {
            continue;
        };
        if let Some(happened) = happened(event, &arrays) {
            let key = (name.clone(), fixture.clone());
            stories.entry(key).or_default().happened.push(happened);
        }
    }
    stories
}

/// javac wrote it, and the source has no line that could log it.
fn is_generated(call: &Json) -> bool {
    let method = call["method"].as_str().unwrap_or_default();
    let class = call["class"].as_str().unwrap_or_default();
    let last = class.rsplit('$').next().unwrap_or_default();
    let numbered = class.contains('$') && last.chars().all(|c| c.is_ascii_digit());
    call["boundary"] == false
        && (matches!(method, "values" | "$values" | "valueOf")
            || (method == "<clinit>" && numbered))
}

/// What is known of objects by their numbers: variables name only those.
fn note_objects(json: &Json, objects: &mut HashMap<u64, Value>) {
    match json {
        Json::Object(map) => {
            if map.contains_key("object")
                && map.contains_key("class")
                && let object @ Value::Object(id, ..) = value(json)
            {
                objects.insert(id, object);
            }
            map.values().for_each(|inner| note_objects(inner, objects));
        }
        Json::Array(all) => all.iter().for_each(|inner| note_objects(inner, objects)),
        _ => {}
    }
}

fn happened(event: &Json, objects: &HashMap<u64, Value>) -> Option<Happened> {
    let of = |key: &str| value(&event[key]);
    match event["kind"].as_str()? {
        "write" => write(event["variable"].as_str()?, of("value"), objects),
        "enter" if event["entered"]["boundary"] == false => {
            let call = &event["entered"];
            let method = call["method"].as_str()?;
            // javac numbers lambdas as it likes.
            let method = if method.starts_with("lambda$") {
                "lambda$"
            } else {
                method
            };
            let arguments = call["arguments"].as_array()?.iter();
            let arguments = arguments.map(|argument| value(&argument["value"]));
            Some(Happened::Enter(method.to_owned(), arguments.collect()))
        }
        "exit" if event["exited"]["boundary"] == false => {
            let call = &event["exited"];
            match call.get("exception") {
                Some(exception) => Some(Happened::Leave(value(exception))),
                None => Some(Happened::Return(value(&call["result"]))),
            }
        }
        "thrown" => Some(Happened::Throw(of("value"))),
        "caught" => Some(Happened::Catch(of("value"))),
        "new" => Some(Happened::New(of("value"))),
        "edge" => {
            let place = &event["place"];
            let from = format!("{} {} {}", place["class"], place["method"], event["from"]);
            Some(Happened::Edge(from, event["to"].to_string()))
        }
        "monitor" => Some(Happened::Monitor(
            event["action"].as_str()?.to_owned(),
            of("value"),
        )),
        "gap" => Some(Happened::Local(
            "GAP".to_owned(),
            Value::Plain(event["reason"].to_string()),
        )),
        _ => None,
    }
}

/// `1.7:name`, `object#3.field`, `array#3[2]`, `pkg.Cls.FIELD`.
fn write(variable: &str, value: Value, objects: &HashMap<u64, Value>) -> Option<Happened> {
    let object = |number: &str| -> Value {
        let id: u64 = number.parse().unwrap_or(0);
        let unknown = Value::Object(id, "?".to_owned(), None);
        objects.get(&id).cloned().unwrap_or(unknown)
    };
    if let Some(rest) = variable.strip_prefix("array#") {
        let (id, index) = rest.strip_suffix(']')?.split_once('[')?;
        return Some(Happened::Element(object(id), index.parse().ok()?, value));
    }
    if let Some(rest) = variable.strip_prefix("object#") {
        let (id, field) = rest.split_once('.')?;
        let made_by_javac = field.contains('$');
        return (!made_by_javac).then(|| Happened::Field(object(id), field.to_owned(), value));
    }
    if let Some((_, name)) = variable.split_once(':') {
        let name = name.split_once('@').map_or(name, |(name, _)| name);
        let made_by_javac = name.is_empty() || name.contains('$');
        return (!made_by_javac).then(|| Happened::Local(name.to_owned(), value));
    }
    let field = variable.rsplit('.').next()?;
    (!field.contains('$')).then(|| Happened::Static(variable.to_owned(), value))
}

fn value(json: &Json) -> Value {
    match json {
        Json::Null => Value::Plain("null".to_owned()),
        Json::Bool(v) => Value::Plain(v.to_string()),
        Json::String(v) => Value::Plain(format!("text {v}")),
        Json::Number(v) if v.is_f64() => {
            let v = v.as_f64().unwrap_or(f64::NAN);
            Value::Plain(format!("float {:e}", v as f32))
        }
        Json::Number(v) => Value::Plain(v.to_string()),
        Json::Object(map) if map.contains_key("void") => Value::Plain("void".to_owned()),
        Json::Object(map) => {
            let class = map.get("class").and_then(Json::as_str).unwrap_or_default();
            let boxed = matches!(
                class,
                "java.lang.Integer"
                    | "java.lang.Long"
                    | "java.lang.Short"
                    | "java.lang.Byte"
                    | "java.lang.Character"
                    | "java.lang.Boolean"
                    | "java.lang.Float"
                    | "java.lang.Double"
            );
            match (map.get("content"), map.get("object").and_then(Json::as_u64)) {
                (Some(content), _) if boxed => value(content),
                (_, Some(id)) => {
                    let length = map.get("length").and_then(Json::as_u64);
                    Value::Object(id, class_name(class), length)
                }
                _ => Value::Plain(json.to_string()),
            }
        }
        Json::Array(_) => Value::Plain(json.to_string()),
    }
}
