//! Level `full` against programs that say themselves what they do (`java/oracle`): every write to locals,
//! fields, statics and elements with value, object identity and order, every call with arguments and end; and,
//! where a fixture says so, every outcome of every condition, every object made, every throw and catch.
//!
//! The log is written by the program, outside the recorded scope, and read by `log.rs`; the recording is read
//! by `recorded.rs` through `jhyde events --json`. Neither shares code with jhyde. What the source cannot name
//! is left out on both sides: variables that javac makes (without a name, or with a `$` in it), the enum
//! methods and the classes that it generates.

mod log;
mod recorded;

use std::collections::{BTreeMap, HashMap};

use jhyde_integration::{Folder, Jdk, jdks};

/// What happened, in words that both sides can say. Objects are numbered by each side in its own way.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Value {
    /// Everything that is equal when its text is equal.
    Plain(String),
    /// Number, class, length (of arrays).
    Object(u64, String, Option<u64>),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Happened {
    Local(String, Value),
    Field(Value, String, Value),
    Static(String, Value),
    Element(Value, u64, Value),
    /// Method and arguments.
    Enter(String, Vec<Value>),
    Return(Value),
    Leave(Value),
    Throw(Value),
    Catch(Value),
    New(Value),
    /// Enter, exit, wait, notified.
    Monitor(String, Value),
    /// The condition's name, and how it came out.
    Edge(String, String),
}

/// What happened in one fixture, in one thread.
#[derive(Clone, Debug, Default)]
pub(crate) struct Story {
    pub(crate) checks: String,
    pub(crate) happened: Vec<Happened>,
}

/// By thread and fixture.
pub(crate) type Stories = BTreeMap<(String, String), Story>;

/// The two sides' numbers of one object: one to one, over the whole run.
#[derive(Default)]
struct Same {
    ours: HashMap<u64, u64>,
    theirs: HashMap<u64, u64>,
}

impl Same {
    fn value(&mut self, told: &Value, seen: &Value) -> bool {
        match (told, seen) {
            (Value::Plain(a), Value::Plain(b)) => a == b,
            (Value::Object(a, class, length), Value::Object(b, seen_class, seen_length)) => {
                class == seen_class
                    && (length.is_none() || length == seen_length)
                    && *self.ours.entry(*a).or_insert(*b) == *b
                    && *self.theirs.entry(*b).or_insert(*a) == *a
            }
            _ => false,
        }
    }

    fn values(&mut self, told: &[Value], seen: &[Value]) -> bool {
        told.len() == seen.len() && told.iter().zip(seen).all(|(a, b)| self.value(a, b))
    }

    fn event(&mut self, told: &Happened, seen: &Happened) -> bool {
        use Happened::*;
        match (told, seen) {
            (Local(a, v), Local(b, w))
            | (Static(a, v), Static(b, w))
            | (Monitor(a, v), Monitor(b, w)) => a == b && self.value(v, w),
            (Field(o, a, v), Field(p, b, w)) => a == b && self.value(o, p) && self.value(v, w),
            (Element(o, a, v), Element(p, b, w)) => a == b && self.value(o, p) && self.value(v, w),
            // A log without arguments says nothing of them.
            (Enter(a, v), Enter(b, w)) => a == b && (v.is_empty() || self.values(v, w)),
            (Return(v), Return(w))
            | (Leave(v), Leave(w))
            | (Throw(v), Throw(w))
            | (Catch(v), Catch(w))
            | (New(v), New(w)) => self.value(v, w),
            _ => false,
        }
    }
}

fn is_edge(one: &&Happened) -> bool {
    matches!(one, Happened::Edge(..))
}

fn is_new(one: &&Happened) -> bool {
    matches!(one, Happened::New(_))
}

/// In order and without a gap; `None` if all is well.
fn compare_order(same: &mut Same, checks: &str, told: &Story, seen: &Story) -> Option<String> {
    let relevant = |one: &&Happened| match one {
        Happened::Edge(..) | Happened::New(_) => false,
        Happened::Throw(_) | Happened::Catch(_) => checks.contains('t'),
        Happened::Monitor(..) => checks.contains('m'),
        _ => true,
    };
    let told: Vec<_> = told.happened.iter().filter(relevant).collect();
    let seen: Vec<_> = seen.happened.iter().filter(relevant).collect();
    for at in 0..told.len().max(seen.len()) {
        let ok = match (told.get(at), seen.get(at)) {
            (Some(told), Some(seen)) => same.event(told, seen),
            _ => false,
        };
        if !ok {
            let from = at.saturating_sub(2);
            let near = |all: &[&Happened]| {
                let rest = all.iter().enumerate().skip(from).take(5);
                rest.map(|(n, one)| format!("      {n}: {one:?}\n"))
                    .collect::<String>()
            };
            let (told, seen) = (near(&told), near(&seen));
            return Some(format!(
                "from event {at} on\n    told:\n{told}    recorded:\n{seen}"
            ));
        }
    }
    None
}

/// The outcomes of conditions: a recorded edge has bytecode indexes, a told one a name and an outcome, and
/// each stands for exactly one of the other.
fn compare_edges(told: &Story, seen: &Story) -> Option<String> {
    let told: Vec<_> = told.happened.iter().filter(is_edge).collect();
    let seen: Vec<_> = seen.happened.iter().filter(is_edge).collect();
    let (mut there, mut back) = (HashMap::new(), HashMap::new());
    let fits = told.len() == seen.len()
        && told.iter().zip(&seen).all(|(a, b)| {
            *there.entry(*a).or_insert(*b) == *b && *back.entry(*b).or_insert(*a) == *a
        });
    (!fits).then(|| format!("edges\n    told: {told:?}\n    recorded: {seen:?}"))
}

/// Objects of the fixtures' classes and arrays, in any order: a fixture tells of an object when it has it.
fn compare_new(same: &mut Same, told: &Story, seen: &Story) -> Option<String> {
    let made = |story: &Story| {
        let all = story.happened.iter().filter(is_new);
        let mut all: Vec<_> = all.filter_map(shape).collect();
        all.sort();
        all
    };
    let (a, b) = (made(told), made(seen));
    if a != b {
        return Some(format!("new objects\n    told: {a:?}\n    recorded: {b:?}"));
    }
    // Each that was told of must be one of those.
    for one in told.happened.iter().filter(is_new) {
        let Happened::New(Value::Object(id, ..)) = one else {
            continue;
        };
        if let Some(ours) = same.ours.get(id) {
            let found = seen
                .happened
                .iter()
                .any(|one| matches!(one, Happened::New(Value::Object(n, ..)) if n == ours));
            if !found {
                return Some(format!("{one:?} is {ours} elsewhere and was not new"));
            }
        }
    }
    None
}

fn shape(one: &Happened) -> Option<(String, Option<u64>)> {
    match one {
        Happened::New(Value::Object(_, class, length))
            if class.starts_with("fl.") || class.ends_with("[]") =>
        {
            Some((class.clone(), *length))
        }
        _ => None,
    }
}

fn check(jdk: &Jdk) {
    let folder = Folder::new();
    let log = tempfile::NamedTempFile::new().expect("a temporary file");
    let mut arguments = vec![
        "-cp".to_owned(),
        jdk.classes("oracle").display().to_string(),
        "fl.Oracle".to_owned(),
        log.path().display().to_string(),
    ];
    if jdk.major >= 25 {
        arguments.push("fl.Later".to_owned());
    }
    let options = ["--level", "full", "--include", "fl.*"];
    let run = folder.launch(jdk, "oracle", &options, &arguments);
    assert!(run.status.success(), "{}", run.stderr);
    let told = log::read(&std::fs::read_to_string(log.path()).expect("the log"));
    let seen = recorded::read(&folder.json(&["events", "oracle"]));
    assert!(told.len() >= 40, "only {} fixtures ran", told.len());
    let mut same = Same::default();
    let mut wrong = Vec::new();
    for (name, told) in &told {
        let nothing = Story::default();
        let seen = seen.get(name).unwrap_or(&nothing);
        let mut found = vec![compare_order(&mut same, &told.checks, told, seen)];
        if told.checks.contains('e') {
            found.push(compare_edges(told, seen));
        }
        if told.checks.contains('n') {
            found.push(compare_new(&mut same, told, seen));
        }
        for difference in found.into_iter().flatten() {
            wrong.push(format!("\"{}\" (thread {}): {difference}", name.1, name.0));
        }
    }
    assert!(
        wrong.is_empty(),
        "JDK {}: {} of {} fixtures are recorded wrongly\n{}",
        jdk.major,
        wrong.len(),
        told.len(),
        wrong.join("\n")
    );
}

#[test]
fn recordings_are_what_the_programs_say_of_themselves() {
    for jdk in jdks() {
        check(&jdk);
    }
}
