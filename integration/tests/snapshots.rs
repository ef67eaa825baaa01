//! Level `calls`: what calls were shown and yielded, when they began and when they ended, compared with what the program
//! itself says (`snap.Log`); what was cut or may have been changed meanwhile is said to be missing.

use jhyde_integration::{Folder, Jdk, jdks};
use serde_json::Value;

const SCOPE: [&str; 8] = [
    "--level",
    "calls",
    "--include",
    "snap",
    "--exclude",
    "snap.Log",
    "--exclude",
    "snap.Writer",
];

/// Records a program of the package `snap`; gives what it printed.
fn recorded(folder: &Folder, jdk: &Jdk, name: &str, main: &str, options: &[&str]) -> String {
    let classes = jdk.classes("snapshots").display().to_string();
    let java = ["-cp".to_owned(), classes, format!("snap.{main}")];
    let options: Vec<&str> = SCOPE.iter().chain(options).copied().collect();
    let run = folder.launch(jdk, name, &options, &java);
    assert!(run.status.success(), "{}", run.stderr);
    String::from_utf8(run.stdout).expect("the program prints UTF-8")
}

/// The variables of a call at its beginning and its end, with what is in them.
fn state(folder: &Folder, name: &str, call: &str) -> Value {
    let words = ["state", name, call, "--no-statics", "--depth", "5"];
    folder.json(&words).remove(0)
}

/// What a path leads to at one of the two times; `None` if no row is there.
fn at<'v>(rows: &'v Value, path: &str, when: &str) -> Option<&'v Value> {
    let rows = rows.as_array()?;
    for row in rows {
        let Some(rest) = path.strip_prefix(row["name"].as_str()?) else {
            continue;
        };
        if rest.is_empty() {
            return row.get(when);
        }
        let rest = match rest.strip_prefix('.') {
            Some(field) => field,
            None if rest.starts_with('[') => rest,
            None => continue,
        };
        for children in ["children", &format!("{when}_children")] {
            if let Some(found) = at(&row[children], rest, when) {
                return Some(found);
            }
        }
    }
    None
}

/// Why a value is not recorded, if so.
fn missing(value: &Value) -> Option<&str> {
    let own = value["not_recorded"].as_str();
    own.or_else(|| value["held"]["not_recorded"].as_str())
}

/// A value as `Log.text` writes it.
fn text(value: &Value) -> String {
    if let Some(object) = value.as_object() {
        let list = |all: Vec<String>| format!("[{}]", all.join(", "));
        if let Some(shown) = object.get("shown").and_then(Value::as_str) {
            return shown.rsplit('.').next().unwrap_or(shown).to_owned();
        }
        if let Some(content) = object.get("content") {
            return text(content);
        }
        let items = value["held"]["items"].as_array();
        let items = || items.into_iter().flatten();
        return match value["held"]["kind"].as_str() {
            Some("list" | "set") => list(items().map(text).collect()),
            Some("map") => {
                let entry =
                    |item: &Value| format!("{}={}", text(&item["key"]), text(&item["value"]));
                list(items().map(entry).collect())
            }
            Some("named") => {
                let part =
                    |item: &Value| format!("{}={}", text(&item["name"]), text(&item["value"]));
                list(items().map(part).collect())
            }
            Some("single") => format!("({})", items().map(text).collect::<String>()),
            Some("text") => text(&value["held"]["text"]),
            _ if object.contains_key("length") => format!("length {}", value["length"]),
            _ => value["class"].as_str().unwrap_or("?").to_owned(),
        };
    }
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[test]
fn what_calls_were_shown_and_yielded_is_what_the_program_says() {
    for jdk in jdks() {
        let folder = Folder::new();
        let said = recorded(&folder, &jdk, "shown", "Shown", &[]);
        let mut states: Vec<(String, Value)> = Vec::new();
        let (mut told, mut wrong) = (0, Vec::new());
        for line in said.lines() {
            let parts: Vec<&str> = line.splitn(4, '|').collect();
            let [call, when, path, expected] = parts[..] else {
                panic!("not a line of the log: {line}");
            };
            if states.last().is_none_or(|(last, _)| last != call) {
                states.push((call.to_owned(), state(&folder, "shown", call)));
            }
            let rows = &states.last().expect("just added").1["rows"];
            let found = at(rows, path, when);
            let fits = match (found, expected.strip_prefix('?')) {
                (Some(value), Some(reason)) => {
                    missing(value).is_some_and(|why| why.contains(reason))
                }
                // What was never looked into has no rows; its object says why.
                (None, Some(reason)) => {
                    let holder = path.rfind(['.', '[']).map(|end| &path[..end]);
                    let holder = holder.and_then(|holder| at(rows, holder, when));
                    holder.is_none_or(|holder| {
                        missing(holder).is_some_and(|why| why.contains(reason))
                    })
                }
                (Some(value), None) => {
                    told += 1;
                    missing(value).is_none() && text(value) == expected
                }
                (None, None) => false,
            };
            if !fits {
                wrong.push(format!("{line}\n  recorded: {found:?}"));
            }
        }
        assert!(wrong.is_empty(), "JDK {}:\n{}", jdk.major, wrong.join("\n"));
        assert!(told > 140, "most is told: {told}");
    }
}

#[test]
fn what_differs_is_marked_as_changed_and_what_is_not_known_is_not() {
    for jdk in jdks() {
        let folder = Folder::new();
        recorded(&folder, &jdk, "shown", "Shown", &[]);
        let marks = |call: &str| state(&folder, "shown", call);
        let fields = marks("fields#0");
        let row = |rows: &Value, name: &str| -> Value {
            let found = rows.as_array().into_iter().flatten();
            let mut found = found.filter(|row| row["name"] == name);
            found
                .next()
                .unwrap_or_else(|| panic!("{name} in {rows}"))
                .clone()
        };
        let boxed = row(&fields["rows"], "box");
        assert_eq!(boxed["changed_below"], true, "{boxed}");
        assert_eq!(row(&boxed["children"], "big")["changed"], true);
        assert_eq!(row(&boxed["children"], "count")["changed"], false);
        let named = row(&fields["rows"], "named");
        assert_eq!(
            (&named["changed"], &named["changed_below"]),
            (&Value::from(false), &Value::from(false)),
            "all of it is known"
        );
        let notes = fields["notes"].to_string();
        assert!(notes.contains("does not record who wrote it"), "{notes}");
        // What changed too deep is not said to be unchanged.
        let deep = marks("deep#0");
        let nested = row(&deep["rows"], "nested");
        assert_eq!(nested["changed_below"], Value::Null, "{nested}");
        let notes = deep["notes"].to_string();
        assert!(notes.contains("3 levels"), "{notes}");
        let long = marks("longOnes#0");
        let tree = row(&long["rows"], "tree");
        assert_eq!(tree["changed_below"], Value::Null, "{tree}");
        assert!(long["notes"].to_string().contains("100 elements"));
    }
}

#[test]
fn in_between_nothing_is_known() {
    for jdk in jdks() {
        let folder = Folder::new();
        recorded(&folder, &jdk, "shown", "Shown", &[]);
        // In the middle of the outer call its object is that of the inner one, and only that call's ends tell of it.
        let outer = folder.json(&["call", "shown", "thrown#0"]).remove(0);
        let inner = folder.json(&["call", "shown", "through#0"]).remove(0);
        let time = |call: &Value, end: &str| call[end].as_u64().expect("a time");
        let looked = |when: u64| {
            let when = when.to_string();
            let words = [
                "state",
                "shown",
                "thrown#0",
                "--no-statics",
                "--depth",
                "2",
                "--at",
                &when,
            ];
            let state = folder.json(&words).remove(0);
            at(&state["rows"], "box.label", "end").cloned()
        };
        assert_eq!(looked(time(&inner, "enter")), Some("box".into()));
        let left = inner["exit"].as_u64().expect("it ended by an exception");
        assert_eq!(looked(left), Some("thrown".into()));
        // The event behind it is the exception's arrival: nobody looked then.
        let behind = looked(left + 1).expect("a row");
        assert!(missing(&behind).is_some(), "{behind}");
        assert_eq!(looked(time(&outer, "exit")), Some("thrown".into()));
        // The thread that changed the object is not said to have done so.
        let first = state(&folder, "shown", "between#0");
        let second = state(&folder, "shown", "between#1");
        assert_eq!(
            at(&first["rows"], "box.big", "end"),
            Some(&(1_u64 << 40).into())
        );
        assert_eq!(at(&second["rows"], "box.big", "start"), Some(&77.into()));
        let variable = second["rows"][1]["children"][0]["variable"].as_str();
        let object = variable
            .expect("a field")
            .split('.')
            .next()
            .expect("its object");
        let history = folder.json(&["history", "shown", &format!("{object}.big")]);
        let values: Vec<&Value> = history.iter().filter_map(|w| w.get("value")).collect();
        assert_eq!(
            values,
            [&Value::from(0), &Value::from(1_u64 << 40), &Value::from(77)]
        );
        let notes = history.last().expect("notes")["notes"].to_string();
        assert!(notes.contains("does not record who wrote them"), "{notes}");
    }
}

#[test]
fn what_other_threads_change_meanwhile_is_right_or_missing() {
    for jdk in jdks() {
        let folder = Folder::new();
        let said = recorded(&folder, &jdk, "meanwhile", "Meanwhile", &[]);
        assert_eq!(said, "looked 60\n", "it is not disturbed");
        let (mut known, mut unknown) = (0, 0);
        for nth in 0..60 {
            let state = state(&folder, "meanwhile", &format!("look#{nth}"));
            for when in ["start", "end"] {
                let own = at(&state["rows"], "own", when).expect("a row");
                assert!(missing(own).is_none(), "only its thread has it: {own}");
                let length = nth + u64::from(when == "end");
                assert_eq!(own["held"]["length"], length);
                for name in ["list", "text", "deque", "hash", "tree", "queue"] {
                    let path = format!("held.{name}");
                    let value = at(&state["rows"], &path, when).expect("a row");
                    if missing(value).is_some() {
                        unknown += 1;
                        continue;
                    }
                    known += 1;
                    assert!(has_been(name, value), "JDK {}: {name} {value}", jdk.major);
                }
            }
        }
        assert!(known > 100, "{known} known, {unknown} not");
    }
}

/// Did a collection of `snap.Meanwhile` ever hold this?
fn has_been(name: &str, value: &Value) -> bool {
    let held = &value["held"];
    let items: Vec<i64> = match held["text"].as_str() {
        Some(text) => text.bytes().map(|digit| i64::from(digit - b'0')).collect(),
        None => {
            let items = held["items"].as_array().expect("items").iter();
            let key = |item: &Value| {
                let key = item.get("key").unwrap_or(item);
                key["content"].as_i64().expect("a number")
            };
            items.map(key).collect()
        }
    };
    // Four of one, or while they are replaced some of the last ones and four of the next.
    let runs = |items: &[i64]| {
        let changes = items.windows(2).filter(|two| two[0] != two[1]).count();
        changes <= 1 && (4..=8).contains(&items.len())
    };
    match name {
        "list" | "text" | "deque" => runs(&items),
        "hash" => matches!(items.len(), 8 | 9) && (0..8).all(|key| items.contains(&key)),
        "tree" => {
            let rest = (0..8).filter(|key| *key != 3 || items.contains(&3));
            items == rest.collect::<Vec<_>>()
        }
        _ => items.len() as u64 == held["length"],
    }
}

#[test]
fn how_far_snapshots_go_can_be_set() {
    for jdk in jdks().into_iter().take(1) {
        let folder = Folder::new();
        recorded(&folder, &jdk, "none", "Shown", &["--snapshot-depth", "0"]);
        let lists = state(&folder, "none", "lists#0");
        let list = at(&lists["rows"], "list", "start").expect("a row");
        assert_eq!(list["held"], Value::Null, "{list}");
        let fields = state(&folder, "none", "fields#0");
        let big = at(&fields["rows"], "box.big", "end").expect("a row");
        assert!(
            missing(big).is_some_and(|why| why.contains("level")),
            "{big}"
        );

        let narrow = [
            "--snapshot-depth",
            "1",
            "--snapshot-elements",
            "2",
            "--snapshot-bytes",
            "64",
        ];
        recorded(&folder, &jdk, "narrow", "Shown", &narrow);
        let lists = state(&folder, "narrow", "lists#0");
        let deque = at(&lists["rows"], "deque", "start").expect("a row");
        assert_eq!(text(deque), "[1, 2]", "of three the first two");
        assert_eq!(deque["held"]["length"], 3);
        let fields = state(&folder, "narrow", "fields#0");
        let big = at(&fields["rows"], "box.big", "start").expect("a row");
        assert!(
            missing(big).is_some_and(|why| why.contains("64 bytes")),
            "{big}"
        );

        let wide = [
            "--snapshot-depth",
            "9",
            "--snapshot-elements",
            "5000",
            "--snapshot-bytes",
            "1000000",
        ];
        recorded(&folder, &jdk, "wide", "Shown", &wide);
        let deep = state(&folder, "wide", "deep#0");
        let label = at(&deep["rows"], "box.next.next.next.label", "end");
        assert_eq!(label, Some(&"unseen".into()));
        let nested = at(&deep["rows"], "nested[0][0][0]", "end").expect("a row");
        assert_eq!(text(nested), "[unseen]");
        let long = state(&folder, "wide", "longOnes#0");
        let tree = at(&long["rows"], "tree", "end").expect("a row");
        assert_eq!(tree["held"]["length"], 3000, "{tree}");

        let shown = folder.json(&["show", "narrow"]).remove(0);
        let limits = serde_json::json!({"depth": 1, "elements": 2, "bytes": 64});
        assert_eq!(shown["snapshots"], limits);
        let options = ["--level", "calls", "--snapshot-depth", "1000"];
        let refused = folder.launch(&jdk, "refused", &options, &["-version".to_owned()]);
        assert!(!refused.status.success());
        assert!(
            refused.stderr.contains("over the limit"),
            "{}",
            refused.stderr
        );
    }
}
