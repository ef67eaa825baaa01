//! What a recording tells of generated programs, as `jhyde events --json` prints it.

use std::collections::{BTreeMap, HashMap};

use serde_json::Value as Json;

use super::event::{Event, Value, class_name};
use super::log::{Stories, package_of};
use super::program::Program;

/// An event of the recording.
#[derive(Clone, Debug)]
pub struct Seen {
    /// What happened.
    pub event: Event,
    /// The call that it happened in (of an enter and exit: the call itself).
    pub call: String,
    /// Was it told of a call out of the program?
    pub outside: bool,
    /// Its number and line, for people.
    pub place: String,
}

/// All that a recording tells.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    /// By package and thread.
    pub stories: Stories<Seen>,
    /// Calls with a gap, and its reason.
    pub gaps: BTreeMap<String, String>,
    /// Package of each gap's call, and reason: what is counted.
    pub gap_reasons: Vec<(String, String)>,
}

#[derive(Clone, Debug, Default)]
struct Call {
    package: String,
    class: String,
    method: String,
    boundary: bool,
    /// javac wrote it, and the source has no line that could tell of it.
    generated: bool,
    bridge: bool,
    thread: String,
}

struct Reader<'a> {
    programs: HashMap<&'a str, &'a Program>,
    calls: HashMap<String, Call>,
    objects: HashMap<u64, Value>,
    done: Recording,
}

/// Reads what `jhyde events` printed.
pub fn read(events: &[Json], programs: &[Program]) -> Recording {
    let mut reader = Reader {
        programs: programs
            .iter()
            .map(|one| (one.package.as_str(), one))
            .collect(),
        calls: HashMap::new(),
        objects: HashMap::new(),
        done: Recording::default(),
    };
    // Variables name objects by numbers alone, sometimes before a value says more of them.
    for event in events {
        note_objects(event, &mut reader.objects);
    }
    for event in events {
        reader.event(event);
    }
    reader.done
}

impl Reader<'_> {
    fn event(&mut self, event: &Json) {
        let id = event["call"].as_str().unwrap_or_default().to_owned();
        if event["kind"] == "enter" {
            self.enter(&id, &event["entered"]);
        }
        let Some(call) = self.calls.get(&id).cloned() else {
            return;
        };
        if event["kind"] == "gap" {
            let reason = event["reason"].as_str().unwrap_or_default().to_owned();
            let reasons = &mut self.done.gap_reasons;
            reasons.push((call.package, reason.clone()));
            self.done.gaps.insert(id, reason);
            return;
        }
        // Told before it was known that it may be false.
        let mut lowered = event["entered"]["lowered"].as_array().into_iter().flatten();
        if let Some(note) = lowered.find_map(Json::as_str) {
            self.done
                .gaps
                .entry(id.clone())
                .or_insert_with(|| note.to_owned());
        }
        // What passes through code that javac wrote is thrown all the same.
        let silent = (call.generated || call.bridge) && event["kind"] != "thrown";
        if !self.programs.contains_key(call.package.as_str()) || silent {
            return;
        }
        let Some(happened) = self.happened(event, &call) else {
            return;
        };
        let line = &event["place"]["line"];
        let seen = Seen {
            event: happened,
            call: id,
            outside: call.boundary,
            place: format!("event {}, line {line}", event["timestamp"]),
        };
        let key = (call.package, call.thread);
        self.done.stories.entry(key).or_default().push(seen);
    }

    fn enter(&mut self, id: &str, entered: &Json) {
        let word = |key: &str| entered[key].as_str().unwrap_or_default().to_owned();
        let (class, method) = (word("class"), word("method"));
        let boundary = entered["boundary"] == true;
        // A call out of the program belongs to the program that calls.
        let package = if boundary {
            let parent = self.calls.get(&word("parent"));
            parent.map(|call| call.package.clone()).unwrap_or_default()
        } else {
            package_of(&class).to_owned()
        };
        let program = self.programs.get(package.as_str());
        let bridge = (class.clone(), method.clone(), word("descriptor"));
        let call = Call {
            generated: !boundary && program.is_some_and(|one| is_generated(one, &class, &method)),
            bridge: program.is_some_and(|one| one.bridges.contains(&bridge)),
            thread: word("thread_name"),
            package,
            class,
            method,
            boundary,
        };
        self.calls.insert(id.to_owned(), call);
    }

    fn happened(&self, event: &Json, call: &Call) -> Option<Event> {
        let of = |key: &str| value(&event[key]);
        match event["kind"].as_str()? {
            "write" => self.write(event["variable"].as_str()?, of("value")),
            "enter" if !call.boundary => {
                let entered = &event["entered"];
                let arguments = entered["arguments"].as_array()?.iter();
                let arguments = arguments.map(|argument| value(&argument["value"]));
                let receiver = entered.get("receiver").map(value);
                let method = if call.method.starts_with("lambda$") {
                    "lambda$"
                } else {
                    &call.method
                };
                let class = class_name(&call.class);
                Some(Event::Enter(
                    class,
                    method.into(),
                    receiver,
                    arguments.collect(),
                ))
            }
            "exit" => {
                let exited = &event["exited"];
                let ended = match exited.get("exception") {
                    Some(exception) => Event::Leave(value(exception)),
                    None => Event::Return(value(&exited["result"])),
                };
                match ended {
                    Event::Return(v) if call.boundary => {
                        Some(Event::Out(format!("{}.{}", call.class, call.method), v))
                    }
                    _ if call.boundary => None,
                    ended => Some(ended),
                }
            }
            "thrown" => Some(Event::Throw(of("value"))),
            "caught" => Some(Event::Catch(of("value"))),
            "new" => Some(Event::New(of("value"))),
            "edge" => self.edge(event, call),
            _ => None,
        }
    }

    fn edge(&self, event: &Json, call: &Call) -> Option<Event> {
        let program = self.programs.get(call.package.as_str())?;
        let method = match call.method.strip_prefix("lambda$") {
            Some(rest) => rest.split('$').next().unwrap_or_default(),
            None => &call.method,
        };
        if program
            .untold_edges
            .contains(&format!("{}.{method}", call.class))
        {
            return None;
        }
        // The entry of a method has no place that it comes from.
        let from = event["from"].as_u64()?;
        let place = format!("{}.{}@{from}", call.class, call.method);
        Some(Event::Edge(place, event["to"].to_string()))
    }

    /// `1.7:name`, `object#3.field`, `array#3[2]`, `pkg.Cls.FIELD`. What has a `$` in its name is javac's own.
    fn write(&self, variable: &str, value: Value) -> Option<Event> {
        let object = |number: &str| {
            let id: u64 = number.parse().unwrap_or(0);
            let unknown = || Value::Object(id, "?".to_owned(), None);
            self.objects.get(&id).cloned().unwrap_or_else(unknown)
        };
        if let Some(rest) = variable.strip_prefix("array#") {
            let (id, index) = rest.strip_suffix(']')?.split_once('[')?;
            return Some(Event::Element(object(id), index.parse().ok()?, value));
        }
        if let Some(rest) = variable.strip_prefix("object#") {
            let (id, field) = rest.split_once('.')?;
            let field = field.rsplit('.').next()?;
            return (!field.contains('$'))
                .then(|| Event::Field(object(id), field.to_owned(), value));
        }
        // What an object of the JDK holds: no statement of the program writes it.
        if variable.contains('#') {
            return None;
        }
        if let Some((_, name)) = variable.split_once(':') {
            let name = name.split_once('@').map_or(name, |(name, _)| name);
            let named = !name.is_empty() && !name.contains('$');
            return Some(Event::Local(named.then(|| name.to_owned()), value));
        }
        let field = variable.rsplit('.').next()?;
        (!field.contains('$')).then(|| Event::Static(variable.to_owned(), value))
    }
}

fn is_generated(program: &Program, class: &str, method: &str) -> bool {
    let last = class.rsplit('$').next().unwrap_or_default();
    let numbered = class.contains('$') && last.chars().all(|c| c.is_ascii_digit());
    let listed = program.generated.contains(&format!("{class}.{method}"));
    method.starts_with("access$")
        || matches!(method, "$values" | "$deserializeLambda$")
        || listed
        || (method == "<clinit>" && numbered)
}

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

const BOXES: [&str; 8] = [
    "java.lang.Integer",
    "java.lang.Long",
    "java.lang.Short",
    "java.lang.Byte",
    "java.lang.Character",
    "java.lang.Boolean",
    "java.lang.Float",
    "java.lang.Double",
];

/// As `jhyde help json` says.
fn value(json: &Json) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(v) => Value::Truth(*v),
        Json::String(v) => Value::Text(v.encode_utf16().collect()),
        Json::Number(v) => match v.as_i64() {
            Some(whole) => Value::Whole(whole),
            None => Value::Double(v.as_f64().unwrap_or(f64::NAN)),
        },
        Json::Object(map) => {
            let class = map.get("class").and_then(Json::as_str).unwrap_or_default();
            if let Some(reason) = map.get("not_recorded").and_then(Json::as_str) {
                return Value::NotRecorded(reason.to_owned());
            }
            if map.contains_key("void") {
                return Value::Void;
            }
            if let Some(unit) = map.get("char").and_then(Json::as_u64) {
                return Value::Unit(unit as u16);
            }
            // A text with half of a surrogate pair.
            if let Some(units) = map.get("units").and_then(Json::as_array) {
                let units = units.iter().filter_map(Json::as_u64);
                return Value::Text(units.map(|unit| unit as u16).collect());
            }
            match (map.get("content"), map.get("object").and_then(Json::as_u64)) {
                (Some(content), _) if BOXES.contains(&class) => value(content),
                (_, Some(id)) => {
                    let length = map.get("length").and_then(Json::as_u64);
                    Value::Object(id, class_name(class), length)
                }
                _ => Value::NotRecorded(format!("a form that nobody told us of: {json}")),
            }
        }
        Json::Array(_) => Value::NotRecorded(format!("a form that nobody told us of: {json}")),
    }
}
