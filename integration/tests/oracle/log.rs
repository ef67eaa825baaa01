//! The program's own log: `java/oracle/truth/T.java` says how its lines look.

use std::collections::HashMap;

use crate::{Happened, Stories, Value};

/// The stories that the log tells, without those that are to be ignored.
pub(crate) fn read(text: &str) -> Stories {
    let mut stories = Stories::new();
    let mut current: HashMap<String, String> = HashMap::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split('\t').collect();
        let [thread, kind, rest @ ..] = words.as_slice() else {
            panic!("no line of a log: {line:?}");
        };
        if *kind == "fixture" {
            current.insert((*thread).to_owned(), rest[0].to_owned());
            let key = ((*thread).to_owned(), rest[0].to_owned());
            stories.entry(key).or_default().checks = rest[1].to_owned();
            continue;
        }
        let fixture = current.get(*thread).cloned().unwrap_or_default();
        let story = stories.entry(((*thread).to_owned(), fixture)).or_default();
        story.happened.push(happened(kind, rest));
    }
    stories.retain(|_, story| !story.checks.contains('i'));
    stories
}

fn happened(kind: &str, rest: &[&str]) -> Happened {
    match (kind, rest) {
        ("local", [name, v]) => Happened::Local((*name).to_owned(), value(v)),
        ("field", [object, name, v]) => {
            Happened::Field(value(object), (*name).to_owned(), value(v))
        }
        ("static", [name, v]) => Happened::Static((*name).to_owned(), value(v)),
        ("element", [array, index, v]) => {
            Happened::Element(value(array), index.parse().expect("an index"), value(v))
        }
        ("enter", [method, arguments @ ..]) => Happened::Enter(
            (*method).to_owned(),
            arguments.iter().map(|v| value(v)).collect(),
        ),
        ("return", ["void"]) => Happened::Return(Value::Plain("void".into())),
        ("return", [v]) => Happened::Return(value(v)),
        ("leave", [v]) => Happened::Leave(value(v)),
        ("throw", [v]) => Happened::Throw(value(v)),
        ("catch", [v]) => Happened::Catch(value(v)),
        ("new", [v]) => Happened::New(value(v)),
        ("monitor", [action, object]) => Happened::Monitor((*action).to_owned(), value(object)),
        ("edge", [name, outcome]) => Happened::Edge((*name).to_owned(), (*outcome).to_owned()),
        _ => panic!("no line of a log: {kind} {rest:?}"),
    }
}

fn value(text: &str) -> Value {
    let (kind, rest) = text.split_at(1);
    let plain = match kind {
        "n" => "null".to_owned(),
        "i" | "j" => rest.to_owned(),
        "z" => (rest == "1").to_string(),
        "c" => {
            let unit: u32 = rest.parse().expect("a char");
            format!("text {}", char::from_u32(unit).expect("no half of a pair"))
        }
        "s" => format!("text {rest}"),
        "f" => {
            let bits = u32::from_str_radix(rest, 16).expect("bits");
            number(f64::from(f32::from_bits(bits)))
        }
        "d" => number(f64::from_bits(u64::from_str_radix(rest, 16).expect("bits"))),
        _ => {
            let words: Vec<&str> = rest.split_whitespace().collect();
            let [id, class, length] = words.as_slice() else {
                panic!("no value: {text:?}");
            };
            return Value::Object(
                id.parse().expect("a number"),
                class_name(class),
                length.parse().ok(),
            );
        }
    };
    Value::Plain(plain)
}

/// JSON has words, not numbers, for what is not finite.
fn number(v: f64) -> String {
    if v.is_nan() {
        "text NaN".to_owned()
    } else if v.is_infinite() {
        format!("text {}Infinity", if v > 0.0 { "" } else { "-" })
    } else {
        // As f32: both sides may have widened a float.
        format!("float {:e}", v as f32)
    }
}

/// Hidden classes are numbered by the JVM, and each side reads the number another way.
pub(crate) fn class_name(name: &str) -> String {
    match name.split_once("$$Lambda") {
        Some((host, _)) => format!("{host}$$Lambda"),
        None => name.to_owned(),
    }
}
