//! What a telling program wrote: `java/generated/told/T.java` says how its lines look.

use std::collections::BTreeMap;

use super::event::{Event, Value, class_name};

/// What each thread of each program tells; programs are told apart by the classes of their calls. Keys: package
/// (`g.p12`), thread.
pub type Stories<E> = BTreeMap<(String, String), Vec<E>>;

/// Reads a log.
///
/// # Errors
/// A line that is none, by its text.
pub fn read(text: &str) -> Result<Stories<Event>, String> {
    let mut stories: Stories<Event> = Stories::new();
    let mut packages: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split('\t').collect();
        let [thread, kind, rest @ ..] = words.as_slice() else {
            return Err(format!("no line of a log: {line:?}"));
        };
        let event = event(kind, rest).ok_or_else(|| format!("no line of a log: {line:?}"))?;
        let running = packages.entry((*thread).to_owned()).or_default();
        if let Event::Enter(class, ..) = &event {
            running.push(package_of(class).to_owned());
        }
        let package = running.last().cloned().unwrap_or_default();
        if matches!(event, Event::Return(_) | Event::Leave(_)) {
            running.pop();
        }
        let story = stories.entry((package, (*thread).to_owned())).or_default();
        story.push(event);
    }
    Ok(stories)
}

/// `g.p12` of `g.p12.Main$Inner`.
pub fn package_of(class: &str) -> &str {
    class.rsplit_once('.').map_or("", |(package, _)| package)
}

fn event(kind: &str, rest: &[&str]) -> Option<Event> {
    Some(match (kind, rest) {
        ("enter", [class, method, receiver, arguments @ ..]) => {
            let receiver = Some(value(receiver)?).filter(|value| *value != Value::Void);
            let arguments: Option<Vec<Value>> = arguments.iter().map(|word| value(word)).collect();
            Event::Enter((*class).into(), (*method).into(), receiver, arguments?)
        }
        ("return", [v]) => Event::Return(value(v)?),
        ("leave", [v]) => Event::Leave(value(v)?),
        ("throw", [v]) => Event::Throw(value(v)?),
        ("catch", [v]) => Event::Catch(value(v)?),
        ("local", [name, v]) => Event::Local(Some((*name).into()), value(v)?),
        ("field", [o, name, v]) => Event::Field(value(o)?, (*name).into(), value(v)?),
        ("static", [name, v]) => Event::Static((*name).into(), value(v)?),
        ("element", [o, i, v]) => Event::Element(value(o)?, i.parse().ok()?, value(v)?),
        ("new", [v]) => Event::New(value(v)?),
        ("edge", [place, outcome]) => Event::Edge((*place).into(), (*outcome).into()),
        ("out", [method, v]) => Event::Out((*method).into(), value(v)?),
        ("changed", [write, rest @ ..]) => Event::Changed(Box::new(event(write, rest)?)),
        ("may", [write, rest @ ..]) => Event::May(Box::new(event(write, rest)?)),
        _ => return None,
    })
}

fn value(text: &str) -> Option<Value> {
    let kind = text.get(..1)?;
    let rest = text.get(1..)?;
    Some(match kind {
        "n" => Value::Null,
        "v" => Value::Void,
        "i" | "j" => Value::Whole(rest.parse().ok()?),
        "z" => Value::Truth(rest == "1"),
        "c" => Value::Unit(rest.parse().ok()?),
        "f" => Value::Single(f32::from_bits(u32::from_str_radix(rest, 16).ok()?)),
        "d" => Value::Double(f64::from_bits(u64::from_str_radix(rest, 16).ok()?)),
        "s" => {
            let units = rest.as_bytes().chunks(4);
            let units: Option<Vec<u16>> = units
                .map(|unit| u16::from_str_radix(std::str::from_utf8(unit).ok()?, 16).ok())
                .collect();
            Value::Text(units?)
        }
        "o" => {
            let words: Vec<&str> = rest.split_whitespace().collect();
            let [id, class, length] = words.as_slice() else {
                return None;
            };
            Value::Object(id.parse().ok()?, class_name(class), length.parse().ok())
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_become_events() {
        let text = "main\tenter\tg.p1.Main\trun\tv\ni\tenter\tg.p1.A\tf\to 1 g.p1.A -1\ti3\n\
                    main\tlocal\tx\td7ff8000000000000\nmain\treturn\tj5\n";
        let stories = read(text).expect("a log");
        let main = &stories[&("g.p1".to_owned(), "main".to_owned())];
        assert_eq!(main.len(), 3);
        assert_eq!(main[2], Event::Return(Value::Whole(5)));
        let other = &stories[&("g.p1".to_owned(), "i".to_owned())];
        let this = Value::Object(1, "g.p1.A".into(), None);
        assert_eq!(
            other[0],
            Event::Enter(
                "g.p1.A".into(),
                "f".into(),
                Some(this),
                vec![Value::Whole(3)]
            )
        );
        assert_eq!(value("sd83d0061"), Some(Value::Text(vec![0xd83d, 0x61])));
        assert!(read("main\tnothing").is_err());
    }
}
