//! What a program tells and what its recording tells, side by side, in order. What both tell has to be equal; what
//! the recording says it does not know is counted; where a gap stands in a running call, what is missing is excused.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::event::{Event, Value};
use super::javap::Compiled;
use super::recorded::Seen;

/// Why a value is not shown that was told before a checksum failed.
const DOUBTED: &str = "what was told of it may be false";

/// How a recording's side is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Level `full`: edges are there.
    pub edges: bool,
    /// Compiled with a table of variables: locals have names.
    pub names: bool,
    /// What code outside wrote is told in the call that wrote it.
    pub changes: bool,
}

/// The first thing that is not told alike.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The thread.
    pub thread: String,
    /// What kind of difference: kind of what was told, kind of what was recorded.
    pub kind: String,
    /// For people: what is around it, on both sides.
    pub text: String,
    /// The reason of a gap that excuses it.
    pub excused: Option<String>,
    /// There the recording tells nothing more.
    pub ended: bool,
}

/// What was compared in one thread of one program.
#[derive(Clone, Debug, Default)]
pub struct Compared {
    /// The first difference.
    pub difference: Option<Difference>,
    /// Values that both sides were asked for.
    pub values: usize,
    /// Values that the recording says it does not know, by reason.
    pub not_recorded: BTreeMap<String, usize>,
    /// Events that were told alike.
    pub events: usize,
}

/// The two sides' numbers of objects, and their places of conditions: one to one over a program's run.
#[derive(Debug, Default)]
pub struct Same {
    ours: HashMap<u64, u64>,
    theirs: HashMap<u64, u64>,
    /// Place in the recording, and with its target: place in the source, and its outcome.
    places: HashMap<String, String>,
    outcomes: HashMap<(String, String), String>,
    targets: HashMap<(String, String), String>,
    /// Places in the source that some place in the recording stands for.
    found: BTreeSet<String>,
    /// Jumps back to the beginning of a loop that depend on nothing.
    back: BTreeSet<String>,
    /// The recorded program's classes.
    compiled: Option<Compiled>,
    /// What code outside put somewhere may be met first as the holder of a variable, without its class.
    unnamed: bool,
}

impl Same {
    /// For a program of these classes.
    pub fn of(compiled: Compiled) -> Self {
        Self {
            compiled: Some(compiled),
            ..Self::default()
        }
    }
}

/// Compares one thread's two stories.
pub fn compare(
    thread: &str,
    rules: Rules,
    same: &mut Same,
    told: &[Event],
    seen: &[Seen],
    gaps: &BTreeMap<String, String>,
) -> Compared {
    same.unnamed = !rules.changes;
    let mut run = Run {
        rules,
        same,
        told: told
            .iter()
            .filter(|one| rules.edges || !matches!(one, Event::Edge(..)))
            .filter(|one| !matches!(one, Event::New(_)))
            .collect(),
        seen: seen
            .iter()
            .filter(|one| !matches!(one.event, Event::New(_)))
            .collect(),
        at: 0,
        next: 0,
        stack: Vec::new(),
        thrown: None,
        written: Vec::new(),
        done: Compared::default(),
    };
    let mut wrong = run.all().err();
    if wrong.is_none() {
        wrong = made(told, seen);
    }
    if let Some((kind, text)) = wrong {
        let excused = run.stack.iter().rev().find_map(|call| gaps.get(call));
        run.done.difference = Some(Difference {
            thread: thread.to_owned(),
            kind,
            text,
            excused: excused.cloned(),
            ended: run.next >= run.seen.len(),
        });
    }
    run.done
}

/// Objects and arrays made, by class and length, in any order: a program tells of an object when it has it, so not of
/// one whose constructor, or an argument of it, threw.
fn made(told: &[Event], seen: &[Seen]) -> Option<(String, String)> {
    let mut balance: BTreeMap<String, i64> = BTreeMap::new();
    let mut classes = BTreeSet::new();
    let mut count = |event: &Event, by: i64| {
        let Event::New(Value::Object(_, class, length)) = event else {
            return;
        };
        // Arrays that javac makes for calls with any number of arguments are not in the source.
        if by > 0 {
            classes.insert(class.clone());
        }
        let of_any_number = ["java.lang.Object[]", "java.lang.Integer[]"];
        if classes.contains(class) && !of_any_number.contains(&class.as_str()) {
            *balance.entry(format!("{class} {length:?}")).or_default() += by;
        }
    };
    told.iter().for_each(|one| count(one, 1));
    seen.iter().for_each(|one| count(&one.event, -1));
    let mut never_had: BTreeMap<String, i64> = BTreeMap::new();
    for at in (0..seen.len()).filter(|at| may_be_never_had(seen, *at)) {
        if let Event::New(Value::Object(_, class, length)) = &seen[at].event {
            *never_had.entry(format!("{class} {length:?}")).or_default() += 1;
        }
    }
    let too_many = |made: &str, count: i64| {
        let excused = never_had.get(made).copied().unwrap_or(0);
        count < -excused && !may_be_of_a_call(made)
    };
    balance.retain(|made, count| *count > 0 || too_many(made, *count));
    (!balance.is_empty()).then(|| {
        (
            "new".to_owned(),
            format!("objects made (told minus recorded): {balance:?}"),
        )
    })
}

/// Can javac have made it for a call with any number of arguments, or for an enum's `values`? No source tells of such
/// arrays. Those of numbers and texts it never makes here.
fn may_be_of_a_call(made: &str) -> bool {
    let Some((element, _)) = made.split_once("[]") else {
        return false;
    };
    let one_dimension = made.matches("[]").count() == 1;
    !(one_dimension && (!element.contains('.') || element == "java.lang.String"))
}

/// May an exception have taken away what was made there, before its constructor returned or its elements were there? The
/// instruction `new` runs before the arguments of the constructor (JLS 15.9.4).
fn may_be_never_had(seen: &[Seen], at: usize) -> bool {
    let Event::New(made @ Value::Object(..)) = &seen[at].event else {
        return false;
    };
    let after = &seen[at + 1..];
    let thrown =
        |event: &Event| matches!(event, Event::Throw(_) | Event::Catch(_) | Event::Leave(_));
    let stopped = after
        .iter()
        .any(|one| one.call == seen[at].call && thrown(&one.event));
    // The constructor of its own class is the first that has it; `super(…)` runs inside.
    let constructor = after.iter().position(|one| {
        matches!(&one.event, Event::Enter(_, name, Some(this), _) if name == "<init>" && this == made)
    });
    let returned = constructor.is_some_and(|begun| {
        after[begun..]
            .iter()
            .any(|one| one.call == after[begun].call && matches!(one.event, Event::Return(_)))
    });
    stopped && !returned
}

struct Run<'a> {
    rules: Rules,
    same: &'a mut Same,
    told: Vec<&'a Event>,
    seen: Vec<&'a Seen>,
    at: usize,
    next: usize,
    stack: Vec<String>,
    /// What was thrown last: javac's `finally` throws it again.
    thrown: Option<Value>,
    /// What the recording says that code outside wrote, and nobody told of yet.
    written: Vec<(usize, Event)>,
    done: Compared,
}

type Wrong = (String, String);

impl Run<'_> {
    fn all(&mut self) -> Result<(), Wrong> {
        while self.at < self.told.len() {
            let told = self.told[self.at];
            match told {
                Event::Changed(what) => self.changed(what, self.rules.changes)?,
                Event::May(what) => self.changed(what, false)?,
                Event::Out(..) => self.out(told)?,
                _ => self.one(told)?,
            }
            self.at += 1;
            self.done.events += 1;
        }
        self.rules.names = true;
        self.pass_over(None);
        match self.seen.get(self.next) {
            Some(more) => Err(self.wrong("nothing more", more.event.kind())),
            None => self.nothing_left(),
        }
    }

    /// Goes over what nobody tells: results of calls that the source does not show, writes by code outside,
    /// variables that javac makes.
    fn pass_over(&mut self, expected: Option<&Event>) {
        while let Some(&seen) = self.seen.get(self.next) {
            let passed = match &seen.event {
                Event::Out(..) => !matches!(expected, Some(Event::Out(..))),
                Event::Local(None, v) => match expected {
                    Some(Event::Local(_, told)) if !self.rules.names => {
                        !self.same.fits(told, v, true)
                    }
                    // Without names, it may be what is told next.
                    None => self.rules.names,
                    _ => true,
                },
                Event::Element(..) | Event::Field(..) | Event::Static(..) if seen.outside => {
                    self.written.push((self.next, seen.event.clone()));
                    true
                }
                Event::Edge(from, to) => self.is_back(expected, from, to),
                // A `finally` catches and throws again, where the source has neither.
                Event::Throw(v) => {
                    !matches!(expected, Some(Event::Throw(_))) && self.thrown.as_ref() == Some(v)
                }
                Event::Catch(v) => {
                    !matches!(expected, Some(Event::Catch(_))) && self.thrown.as_ref() == Some(v)
                }
                Event::Element(array, ..) => self.is_of_a_call(expected, array),
                _ => false,
            };
            if !passed {
                return;
            }
            self.next += 1;
        }
    }

    /// Is this edge a loop's way back, which no condition decides? It is followed by the loop's condition, which has
    /// been met before; javac lets other jumps lead there as well, so nothing in the source stands for it.
    fn is_back(&mut self, expected: Option<&Event>, from: &str, to: &str) -> bool {
        let index = from
            .rsplit_once('@')
            .and_then(|(_, at)| at.parse::<u64>().ok());
        let backward = index.is_some_and(|index| to.parse::<u64>().is_ok_and(|to| to < index));
        if !backward || self.same.places.contains_key(from) {
            return false;
        }
        let back = self.same.back.contains(from)
            || match expected {
                Some(Event::Edge(place, _)) => self.same.found.contains(place),
                _ => true,
            };
        if back {
            self.same.back.insert(from.to_owned());
        }
        back
    }

    /// Is it an array that javac makes for a call with any number of arguments? No source tells of it, nor holds it.
    fn is_of_a_call(&self, expected: Option<&Event>, array: &Value) -> bool {
        let Value::Object(id, class, _) = array else {
            return false;
        };
        // It came from outside, in a field that was read.
        if class == "?" && !self.rules.changes {
            return false;
        }
        // Code outside has just put it somewhere, of which is told next.
        let put = self.written.iter().any(|(_, event)| {
            let (Event::Field(.., v) | Event::Static(_, v) | Event::Element(.., v)) = event else {
                return false;
            };
            matches!(v, Value::Object(held, ..) if held == id)
        });
        let met = put || self.same.theirs.contains_key(id);
        !met && match expected {
            Some(Event::Element(Value::Object(told, ..), ..)) => self.same.ours.contains_key(told),
            _ => true,
        }
    }

    fn one(&mut self, told: &Event) -> Result<(), Wrong> {
        self.pass_over(Some(told));
        let Some(&seen) = self.seen.get(self.next) else {
            return Err(self.wrong(told.kind(), "nothing more"));
        };
        if matches!(seen.event, Event::Enter(..)) {
            self.stack.push(seen.call.clone());
        }
        if !self.event(told, &seen.event) {
            return Err(self.wrong(told.kind(), seen.event.kind()));
        }
        match &seen.event {
            Event::Return(_) | Event::Leave(_) => {
                self.stack.pop();
            }
            Event::Throw(v) => self.thrown = Some(v.clone()),
            _ => {}
        }
        self.next += 1;
        Ok(())
    }

    /// The result of a call out of the program: the next one of that name.
    fn out(&mut self, told: &Event) -> Result<(), Wrong> {
        let Event::Out(method, expected) = told else {
            return Ok(());
        };
        loop {
            self.pass_over(Some(told));
            match self.seen.get(self.next).map(|seen| &seen.event) {
                Some(Event::Out(name, v)) => {
                    let found = name == method;
                    let v = v.clone();
                    if found && !self.value(expected, &v) {
                        return Err(self.wrong("out", "out"));
                    }
                    self.next += 1;
                    if found {
                        return Ok(());
                    }
                }
                other => {
                    let kind = other.map_or("nothing more", Event::kind);
                    return Err(self.wrong("out", kind));
                }
            }
        }
    }

    /// What code outside wrote: the last such write of the variable that the recording has.
    fn changed(&mut self, what: &Event, must: bool) -> Result<(), Wrong> {
        let mut last = None;
        loop {
            self.pass_over(None);
            let written = std::mem::take(&mut self.written);
            for (number, event) in written {
                if self.same.variable(what, &event) {
                    last = Some(event);
                } else {
                    self.written.push((number, event));
                }
            }
            // A variable of javac's may stand before the write that is looked for.
            let next = self.seen.get(self.next).map(|seen| &seen.event);
            if last.is_some() || !must || !matches!(next, Some(Event::Local(None, _))) {
                break;
            }
            self.next += 1;
        }
        match last {
            Some(event) if self.event(what, &event) => Ok(()),
            Some(_) => Err(self.wrong("changed", "changed")),
            None if must => Err(self.wrong("changed", "nothing")),
            None => Ok(()),
        }
    }

    /// A write that code outside is said to have done, and did not do.
    /// One that the recording itself doubts is none that it claims.
    fn nothing_left(&mut self) -> Result<(), Wrong> {
        let doubted = |event: &Event| match event {
            Event::Element(.., Value::NotRecorded(why))
            | Event::Field(.., Value::NotRecorded(why))
            | Event::Static(_, Value::NotRecorded(why)) => why.starts_with(DOUBTED),
            _ => false,
        };
        let claimed = self.written.iter().find(|(_, event)| !doubted(event));
        let Some((number, event)) = claimed.cloned() else {
            return Ok(());
        };
        self.next = number;
        self.at = self.told.len();
        let text = format!("a write by code outside: {}", event.display());
        let (kind, around) = self.wrong("nothing", "changed");
        Err((kind, format!("{text}\n{around}")))
    }

    fn event(&mut self, told: &Event, seen: &Event) -> bool {
        use Event::*;
        match (told, seen) {
            (Local(a, v), Local(b, w)) => {
                let loose = b.is_none();
                (loose || a == b) && self.loosely(v, w, loose)
            }
            (Static(a, v), Static(b, w)) => a == b && self.value(v, w),
            (Field(o, a, v), Field(p, b, w)) => a == b && self.value(o, p) && self.value(v, w),
            (Element(o, a, v), Element(p, b, w)) => a == b && self.value(o, p) && self.value(v, w),
            (Enter(class, method, this, told), Enter(seen_class, seen_method, that, seen)) => {
                // What javac passes besides (outer objects, captured values) stands before or behind.
                let loose = !self.rules.names;
                let fits = |from: &usize| {
                    let pairs = told.iter().zip(&seen[*from..]);
                    pairs.into_iter().all(|(v, w)| self.same.fits(v, w, loose))
                };
                let last = seen.len().checked_sub(told.len());
                let from = last.map(|last| (0..=last).rev().find(fits).unwrap_or(last));
                class == seen_class
                    && method == seen_method
                    && from.is_some_and(|from| {
                        let all = told.iter().zip(&seen[from..]);
                        all.fold(true, |well, (v, w)| self.loosely(v, w, loose) && well)
                    })
                    && match (this, that) {
                        (Some(this), Some(that)) => self.value(this, that),
                        _ => true,
                    }
            }
            (Return(v), Return(w))
            | (Leave(v), Leave(w))
            | (Throw(v), Throw(w))
            | (Catch(v), Catch(w)) => self.value(v, w),
            (Edge(place, outcome), Edge(from, to)) => self.same.edge(place, outcome, from, to),
            _ => false,
        }
    }

    fn value(&mut self, told: &Value, seen: &Value) -> bool {
        self.loosely(told, seen, false)
    }

    fn loosely(&mut self, told: &Value, seen: &Value, loose: bool) -> bool {
        self.done.values += 1;
        if let Value::NotRecorded(reason) = seen {
            *self.done.not_recorded.entry(reason.clone()).or_default() += 1;
            return true;
        }
        // The JVM named it, and nobody asked for its class.
        if let (Value::Object(id, class, length), Value::Object(seen_id, seen_class, _)) =
            (told, seen)
            && matches!(seen_class.as_str(), "" | "?")
        {
            let reason = "the class of an object".to_owned();
            *self.done.not_recorded.entry(reason).or_default() += 1;
            let named = Value::Object(*seen_id, class.clone(), *length);
            return self
                .same
                .value(&Value::Object(*id, class.clone(), *length), &named, loose);
        }
        self.same.value(told, seen, loose)
    }

    fn wrong(&self, told: &str, seen: &str) -> Wrong {
        let near = |lines: Vec<String>, at: usize| {
            let from = at.saturating_sub(3);
            let rest = lines.into_iter().enumerate().skip(from).take(5);
            rest.map(|(n, line)| format!("    {}{n}: {line}\n", if n == at { "> " } else { "  " }))
                .collect::<String>()
        };
        let told_lines = self.told.iter().map(|one| one.display()).collect();
        let seen_lines = self.seen.iter().map(|one| {
            let outside = if one.outside {
                " (by code outside)"
            } else {
                ""
            };
            format!(
                "{}{outside} [{} {}]",
                one.event.display(),
                one.call,
                one.place
            )
        });
        let text = format!(
            "  told:\n{}  recorded:\n{}",
            near(told_lines, self.at),
            near(seen_lines.collect(), self.next)
        );
        (format!("{told}/{seen}"), text)
    }
}

impl Same {
    /// Equal, without learning which objects are the same.
    fn fits(&self, told: &Value, seen: &Value, loose: bool) -> bool {
        match (told, seen) {
            // Nobody asked for its class.
            (Value::Object(a, ..), Value::Object(b, class, _))
                if matches!(class.as_str(), "" | "?") =>
            {
                self.ours.get(a).is_none_or(|ours| ours == b)
                    && self.theirs.get(b).is_none_or(|theirs| theirs == a)
            }
            (Value::Object(a, ..), Value::Object(b, ..)) => {
                match (self.ours.get(a), self.theirs.get(b)) {
                    (None, None) => self.plain(told, seen, loose),
                    (ours, theirs) => ours == Some(b) && theirs == Some(a),
                }
            }
            (_, Value::NotRecorded(_)) => true,
            _ => self.plain(told, seen, loose),
        }
    }

    fn value(&mut self, told: &Value, seen: &Value, loose: bool) -> bool {
        if let (Value::Object(a, ..), Value::Object(b, ..)) = (told, seen) {
            return self.plain(told, seen, loose)
                && *self.ours.entry(*a).or_insert(*b) == *b
                && *self.theirs.entry(*b).or_insert(*a) == *a;
        }
        self.plain(told, seen, loose)
    }

    fn plain(&self, told: &Value, seen: &Value, loose: bool) -> bool {
        use Value::*;
        match (told, seen) {
            // Nothing that is shown has said what it is: variables name objects by their numbers alone.
            (Object(..), Object(_, seen_class, _)) if self.unnamed && seen_class == "?" => true,
            (Object(_, class, length), Object(_, seen_class, seen_length)) => {
                class == seen_class && (length.is_none() || length == seen_length)
            }
            (Single(a), Double(b)) => same_bits(f64::from(*a), f64::from(*b as f32)),
            (Double(a), Double(b)) => same_bits(*a, *b),
            (Single(a), Text(_)) => text_is(seen, not_finite(f64::from(*a))),
            (Double(a), Text(_)) => text_is(seen, not_finite(*a)),
            (Unit(a), Text(units)) => units.as_slice() == [*a],
            (Truth(a), Whole(b)) if loose => i64::from(*a) == *b,
            (Unit(a), Whole(b)) if loose => i64::from(*a) == *b,
            _ => told == seen,
        }
    }

    fn edge(&mut self, place: &str, outcome: &str, from: &str, to: &str) -> bool {
        // A `finally` block stands several times in the code, so places in the recording may share one of the source.
        self.found.insert(place.to_owned());
        let known = self
            .places
            .entry(from.into())
            .or_insert_with(|| place.into());
        if known != place {
            return false;
        }
        let target = (from.to_owned(), to.to_owned());
        let back = (from.to_owned(), outcome.to_owned());
        let outcome_before = self
            .outcomes
            .entry(target)
            .or_insert_with(|| outcome.into());
        let as_before = outcome_before == outcome;
        if self.targets.entry(back).or_insert_with(|| to.into()) != to {
            return false;
        }
        // Where `continue` is all that a condition decides, and what comes next anyway, javac branches to the next
        // instruction: one edge for both outcomes.
        as_before
            || self
                .compiled
                .as_ref()
                .is_some_and(|code| code.always_goes_on(from))
    }

    /// Is it the same variable?
    fn variable(&self, told: &Event, seen: &Event) -> bool {
        use Event::*;
        match (told, seen) {
            (Element(o, i, _), Element(p, j, _)) => i == j && self.fits(o, p, false),
            (Field(o, a, _), Field(p, b, _)) => a == b && self.fits(o, p, false),
            (Static(a, _), Static(b, _)) => a == b,
            _ => false,
        }
    }
}

fn same_bits(a: f64, b: f64) -> bool {
    (a.is_nan() && b.is_nan()) || a.to_bits() == b.to_bits()
}

/// JSON has words, not numbers, for what is not finite.
fn not_finite(v: f64) -> Option<&'static str> {
    match v {
        v if v.is_nan() => Some("NaN"),
        f64::INFINITY => Some("Infinity"),
        f64::NEG_INFINITY => Some("-Infinity"),
        _ => None,
    }
}

fn text_is(value: &Value, text: Option<&str>) -> bool {
    let Value::Text(units) = value else {
        return false;
    };
    text.is_some_and(|text| text.encode_utf16().eq(units.iter().copied()))
}

#[cfg(test)]
mod tests;
