//! A program whose main method runs when the probe comes: what that does tells nothing, and nothing is told that it may have changed.

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader, Write as _};

use jhyde_trace::{Change, Items, Missing};

use super::attach::attached;
use super::*;

/// What is known of a thing, by its name.
type Known = HashMap<String, i32>;
/// What was known at a moment of a call with this number.
type At = (i32, Known);

/// The names of fields, and the objects that are followed.
struct Things {
    fields: HashMap<u32, String>,
    seen: Option<ObjectId>,
    cells: Option<ObjectId>,
}

impl Things {
    fn of(list: &List) -> Self {
        let fields = list.classes.iter().flat_map(|class| &class.fields);
        let fields: HashMap<u32, String> = fields
            .map(|field| (field.id.0, field.name.clone()))
            .collect();
        let held = |wanted: &str| {
            list.events.iter().find_map(|event| match &event.kind {
                EventKind::Snapshot {
                    variable: Variable::Static { field },
                    value: Value::Object(object),
                } if fields.get(&field.0).is_some_and(|name| name == wanted) => Some(*object),
                _ => None,
            })
        };
        let (seen, cells) = (held("SEEN"), held("CELLS"));
        Self {
            fields,
            seen,
            cells,
        }
    }

    /// What is known behind an event.
    fn follow(&self, event: &EventKind, known: &mut Known) {
        match event {
            EventKind::Snapshot { variable, value } | EventKind::Write { variable, value } => {
                let name = match variable {
                    Variable::Field { field, .. } | Variable::Static { field } => {
                        self.fields.get(&field.0).cloned()
                    }
                    Variable::Element { array, index } if Some(*array) == self.cells => {
                        Some(format!("CELLS[{index}]"))
                    }
                    _ => None,
                };
                match (name, value) {
                    (Some(name), Value::Int(value)) => _ = known.insert(name, *value),
                    (Some(name), Value::Missing(Missing::Unseen)) => _ = known.remove(&name),
                    _ => {}
                }
            }
            EventKind::Content { object, change, .. } if Some(*object) == self.seen => match change
            {
                Change::Whole(Items::Elements(items)) => {
                    known.insert("SEEN".to_owned(), items.len() as i32);
                }
                Change::Unknown { .. } => _ = known.remove("SEEN"),
                other => panic!("{other:?}"),
            },
            _ => {}
        }
    }
}

/// What was known when `after` began and when `look` ended, with the number that those were given.
fn known_at(list: &List) -> (Vec<At>, Vec<At>) {
    let things = Things::of(list);
    let methods: HashMap<_, _> = list
        .classes
        .iter()
        .flat_map(|class| &class.methods)
        .map(|method| (method.id, method.name.as_str()))
        .collect();
    let (mut known, mut looks) = (Known::new(), HashMap::new());
    let (mut after, mut looked) = (Vec::new(), Vec::new());
    for event in &list.events {
        things.follow(&event.kind, &mut known);
        match &event.kind {
            EventKind::Enter {
                method, arguments, ..
            } => match (methods.get(method), arguments.as_slice()) {
                (Some(&"after"), [Value::Int(number)]) => after.push((*number, known.clone())),
                (Some(&"look"), [Value::Int(number)]) => _ = looks.insert(event.call, *number),
                _ => {}
            },
            EventKind::Exit { .. } => {
                if let Some(number) = looks.remove(&event.call) {
                    looked.push((number, known.clone()));
                }
            }
            _ => {}
        }
    }
    (after, looked)
}

#[test]
fn what_calls_change_that_ran_before_is_not_known() {
    for (jdk, how) in jdks()
        .into_iter()
        .flat_map(|jdk| ["alone", "beside"].map(|how| (jdk.clone(), how)))
    {
        let jdk = jdk.as_deref();
        let folder = compiled(jdk, &source("Late"));
        let agent = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:0";
        let mut java = tool(jdk, "java");
        java.args([agent, "-cp"])
            .arg(folder.path())
            .args(["Late", how]);
        java.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut jvm = Jvm(java.spawn().expect("a JVM can be started"));
        let mut input = jvm.0.stdin.take().expect("an input");
        let mut lines = BufReader::new(jvm.0.stdout.take().expect("an output")).lines();
        let mut line = move || lines.next().expect("it prints").expect("text");
        let listens = line();
        let port = listens.rsplit(' ').next().expect("a port").to_owned();
        assert_eq!(line(), "runs");
        for _ in 0..20 {
            line();
        }
        let (ready, rest) = std::sync::mpsc::channel();
        let recorded = attached(&port, move || {
            for _ in 0..600 {
                line();
            }
            ready.send(line).expect("somebody waits");
        });
        let mut line = rest.recv().expect("it printed");
        input.write_all(b"\n").expect("it reads");
        while line() != "ends" {}
        assert!(jvm.0.wait().expect("it ends").success());

        let what = format!("{jdk:?} {how} {:?}", recorded.notes);
        let gap = |event: &&Event| matches!(event.kind, EventKind::Gap { .. });
        let gap = recorded.list.events.iter().find(gap);
        assert!(gap.is_none(), "{what}: {gap:?}");
        let (after, looked) = known_at(&recorded.list);
        assert!(after.len() > 50 && looked.len() > 50, "{what}");
        for (number, known) in after {
            for (name, wrong) in [
                ("count", number),
                ("held", number),
                ("CELLS[0]", number),
                ("SEEN", 1),
            ] {
                assert_ne!(
                    known.get(name),
                    Some(&wrong),
                    "{what}: {name} before after({number})"
                );
            }
        }
        for (number, known) in looked {
            for (name, right) in [
                ("count", number),
                ("held", number),
                ("CELLS[0]", number),
                ("SEEN", 1),
            ] {
                // Beside it, main may write at any time.
                let known = known.get(name);
                let is_right = match how {
                    "alone" => known == Some(&right),
                    _ => known.is_none(),
                };
                assert!(is_right, "{what}: {name} behind look({number}): {known:?}");
            }
        }
    }
}
