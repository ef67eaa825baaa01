//! The values that the judge says are wrong, as variables of the recording.

use jhyde_history::History;
use jhyde_store::Recording;
use jhyde_trace::{CallId, Content, ObjectId, Outcome, Value, Variable};

use crate::corpus::Case;

/// What a wrong call left wrong, as far as a variable of the recording stands for it: not where the program printed, and not what
/// collections of the JDK hold.
pub(crate) fn wrong_of(history: &History, case: &Case, call: CallId) -> Vec<Variable> {
    let ways = case.differences.get(&call).into_iter().flatten();
    ways.filter_map(|way| variable(history, call, way))
        .collect()
}

/// The wrong call nearest to the outermost one of which it can be said what is wrong, the last to end: what somebody knows who
/// has seen the program fail.
pub(crate) fn failure(history: &History, case: &Case) -> Option<CallId> {
    let depth = |call: CallId| history.recording().call(call).expect("a call").depth;
    let wrong = case.wrong.iter().filter(|(_, wrong)| **wrong);
    let mut calls: Vec<_> = wrong
        .map(|(call, _)| (depth(*call), std::cmp::Reverse(*call)))
        .collect();
    calls.sort();
    let calls = calls.into_iter().map(|(_, std::cmp::Reverse(call))| call);
    let mut known = calls.filter(|call| !wrong_of(history, case, *call).is_empty());
    known.next()
}

/// Is the value that a variable had when the call ended among those that are wrong? An object is wrong where anything in it is.
pub(crate) fn is_wrong(history: &History, case: &Case, call: CallId, asked: Variable) -> bool {
    wrong_of(history, case, call).contains(&asked)
}

/// `this.heap[3].time`, `argument0[2]`, `result.left`, `COUNT`.
fn variable(history: &History, call: CallId, way: &str) -> Option<Variable> {
    let recording = history.recording();
    let end = way.find(['.', '[']).unwrap_or(way.len());
    let (root, mut rest) = way.split_at(end);
    let record = recording.call(call).expect("a call");
    let given = recording.arguments(&record).expect("can be read");
    let outcome = recording.outcome(&record).expect("can be read");
    let argument = root.strip_prefix("argument").and_then(|n| n.parse().ok());
    let (mut variable, mut value) = match (root, outcome) {
        ("result", Some(Outcome::Returned(value))) => (Some(Variable::Return { call }), value),
        ("exception", Some(Outcome::Threw(thrown))) => {
            (Some(Variable::Exception { call }), Some(thrown))
        }
        // It should have thrown, or should not: its end is wrong.
        ("exception", _) => return Some(Variable::Return { call }),
        ("output" | "result", _) => return None,
        ("this", _) => (None, given.receiver),
        _ => match argument {
            Some(position) => {
                let value: Option<&Value> = given.arguments.get::<usize>(position);
                (None, value.copied())
            }
            None => {
                let field = static_named(history, call, root)?;
                let last = recording.last_write(field, record.exit?);
                (Some(field), last.expect("can be read").map(|w| w.value))
            }
        },
    };
    let exit = record.exit?;
    while !rest.is_empty() {
        let object = value?.object()?;
        let (step, behind) = next(rest)?;
        let found = inside(recording, history, object, step)?;
        let last = recording.last_write(found, exit).expect("can be read");
        value = last.map(|last| last.value);
        variable = Some(found);
        rest = behind;
    }
    variable
}

fn static_named(history: &History, call: CallId, name: &str) -> Option<Variable> {
    let record = history.recording().call(call).expect("a call");
    let method = history
        .recording()
        .method(record.method)
        .expect("can be read")?;
    let own = method.class.name.as_str();
    let outer = own.split('$').next().unwrap_or(own);
    let named = |class: &str| history.resolve_variable(&format!("{class}.{name}")).ok();
    named(own).or_else(|| named(outer))
}

enum Step<'a> {
    Field(&'a str),
    Element(i32),
}

fn next(rest: &str) -> Option<(Step<'_>, &str)> {
    if let Some(inside) = rest.strip_prefix('[') {
        let (index, behind) = inside.split_once(']')?;
        return Some((Step::Element(index.parse().ok()?), behind));
    }
    let name = rest.strip_prefix('.')?;
    let end = name.find(['.', '[']).unwrap_or(name.len());
    let (name, behind) = name.split_at(end);
    Some((Step::Field(name), behind))
}

fn inside(
    recording: &Recording,
    history: &History,
    object: ObjectId,
    step: Step<'_>,
) -> Option<Variable> {
    let info = recording.object(object).expect("can be read")?;
    let is_array = matches!(info.content, Content::Array(_));
    let form = match step {
        Step::Field(name) if !is_array => format!("object#{object}.{name}"),
        Step::Element(index) if is_array => format!("array#{object}[{index}]"),
        _ => return None,
    };
    history.resolve_variable(&form).ok()
}
