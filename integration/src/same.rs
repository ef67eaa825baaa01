//! Recordings of one program, made comparable: the JVM numbers objects as it likes, and threads come in any order.

use std::collections::HashMap;

use serde_json::{Value, json};

/// What ids of the main thread's calls begin with, among events; `None` where `main` was not called yet.
pub fn main_thread(events: &[Value]) -> Option<String> {
    let mut entered = events.iter().map(|event| &event["entered"]);
    thread_of(entered.find(|call| call["method"] == json!("main"))?)
}

/// What ids of the calls of a call's thread begin with.
pub fn thread_of(call: &Value) -> Option<String> {
    let (thread, _) = call["id"].as_str()?.split_once('.')?;
    Some(format!("{thread}."))
}

/// Without times, which count other threads' events, and without what an event tells of its call's future.
pub fn stable(value: &Value, main: &str) -> Value {
    match value {
        Value::Object(map) => {
            let entries = map.iter().filter_map(|(key, value)| {
                let dropped = [
                    "timestamp",
                    "enter",
                    "exit",
                    "thread",
                    "incomplete",
                    "recording_ended",
                ];
                let dropped = dropped.contains(&key.as_str());
                let mut value = value.clone();
                if key == "entered"
                    && let Some(call) = value.as_object_mut()
                {
                    for later in ["result", "exception", "descendants"] {
                        call.remove(later);
                    }
                }
                (!dropped).then(|| (key.clone(), stable(&value, main)))
            });
            Value::Object(entries.collect())
        }
        Value::Array(items) => items.iter().map(|item| stable(item, main)).collect(),
        Value::String(text) => match text.strip_prefix(main) {
            Some(rest) if rest.starts_with(|c: char| c.is_ascii_digit()) => {
                json!(format!("main.{rest}"))
            }
            _ => value.clone(),
        },
        _ => value.clone(),
    }
}

/// Objects by the order in which they appear: the JVM numbers them as it likes.
#[derive(Debug, Default)]
pub struct Names(HashMap<String, usize>);

impl Names {
    fn of(&mut self, id: &str) -> usize {
        let next = self.0.len() + 1;
        *self.0.entry(id.to_owned()).or_insert(next)
    }

    /// A value with numbers of our own.
    pub fn same(&mut self, value: &Value) -> Value {
        match value {
            Value::Object(map) => {
                let entries = map.iter().map(|(key, value)| {
                    let same = match (key.as_str(), value) {
                        ("object", Value::Number(id)) => json!(self.of(&id.to_string())),
                        _ => self.same(value),
                    };
                    (key.clone(), same)
                });
                Value::Object(entries.collect())
            }
            Value::Array(items) => items.iter().map(|item| self.same(item)).collect(),
            Value::String(text) => json!(self.text(text)),
            _ => value.clone(),
        }
    }

    /// `object#12.size`, `array#3[2]` and `list#7[0]`: the number is one of the JVM's.
    fn text(&mut self, text: &str) -> String {
        // So are hidden classes.
        if let Some((host, _)) = text.split_once("$$Lambda") {
            return format!("{host}$$Lambda");
        }
        if let Some((kind, rest)) = text.split_once('#')
            && !kind.is_empty()
            && kind.bytes().all(|byte| byte.is_ascii_lowercase())
        {
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            let (id, rest) = rest.split_at(digits);
            return format!("{kind}#{}{rest}", self.of(id));
        }
        text.to_owned()
    }
}
