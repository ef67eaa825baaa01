//! Source text to show beside what happened: asked class by class when it is first needed, with the values that
//! variables had.
//!
//! Source only helps: where there is none, an answer stands without it, and a word says why.

use std::collections::{HashMap, HashSet};

use jhyde_proto::v1::value::Kind;
use jhyde_proto::v1::{
    Call, Event, ExpandObjectRequest, GetSourceRequest, GetStateRequest, MethodLines, NodeState,
    Place, RowKind, StateRow, StreamEventsRequest, event,
};
use tonic::Code;

use crate::args::SourceArgs;
use crate::client::Client;
use crate::commands::recordings::absolute_paths;
use crate::text::{Listing, ListingLine, ListingValue, compact, mentioned, row_name};

/// Lines of a method that are shown by themselves.
const MOST_LINES: usize = 24;
/// Lines shown on either side of a place.
const AROUND: u32 = 3;
/// How far above its code a method's name may stand: parameters and annotations come between.
const HEADING: u32 = 10;
/// Fields of `this` that are looked at.
const MOST_FIELDS: u32 = 200;

/// The source of a class.
#[derive(Debug)]
struct Text {
    file: String,
    origin: String,
    /// Line 1 first.
    lines: Vec<String>,
    methods: Vec<MethodLines>,
    notes: Vec<String>,
}

/// The place in the recorded classes at which an event happened, and the call whose variables are seen there: a call of
/// a method outside, which has no lines, happens where it was called.
pub fn place_of(event: &Event) -> Option<(&Place, &str)> {
    let place = event.place.as_ref();
    if let Some(place) = place.filter(|place| place.line.is_some()) {
        return Some((place, &event.call));
    }
    called_at(event)
}

/// The same, where the event stands in its call's own list: a nested call happens where it was called.
pub fn place_in_list(event: &Event) -> Option<(&Place, &str)> {
    called_at(event).or_else(|| place_of(event))
}

fn called_at(event: &Event) -> Option<(&Place, &str)> {
    match &event.kind {
        Some(event::Kind::Enter(call) | event::Kind::Exit(call)) if call.id == event.call => {
            Some((call.call_site.as_ref()?, &call.parent))
        }
        _ => None,
    }
}

/// The source of one recording's classes.
#[derive(Debug)]
pub struct Sources {
    client: Client,
    recording: String,
    named: Vec<String>,
    off: bool,
    /// By class; `None` where there is none.
    known: HashMap<String, Option<Text>>,
    /// Why there is none, and warnings, to be said once.
    notes: Vec<String>,
    told: HashSet<String>,
}

impl Sources {
    /// As the command line wants it; what was wanted of a whole session counts where a command says nothing.
    pub fn new(client: &Client, recording: &str, args: &SourceArgs, session: &SourceArgs) -> Self {
        let named = match args.source.is_empty() {
            true => &session.source,
            false => &args.source,
        };
        Self {
            client: client.clone(),
            recording: recording.to_owned(),
            named: absolute_paths(named),
            off: args.no_source || session.no_source,
            known: HashMap::new(),
            notes: Vec::new(),
            told: HashSet::new(),
        }
    }

    /// What is to be said of the source that was asked so far: each once.
    pub fn notes(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notes)
    }

    fn note(&mut self, note: String) {
        if self.told.insert(note.clone()) {
            self.notes.push(note);
        }
    }

    /// The line of code at a place, if there is source.
    pub async fn line(&mut self, place: Option<&Place>) -> Option<String> {
        let place = place?;
        let line = self.code(&place.class, place.line?).await?;
        Some(line.trim().to_owned())
    }

    /// A line of a class's source as it stands there, if there is source.
    pub async fn code(&mut self, class: &str, number: u32) -> Option<String> {
        let text = self.text(class).await?;
        line_of(&text.lines, number).map(ToString::to_string)
    }

    /// A method's lines with the values at the end of the call (now, if it runs), the line marked at which it ended.
    pub async fn of_call(&mut self, call: &Call) -> Option<Listing> {
        if call.boundary {
            return None;
        }
        self.text(&call.class).await?;
        let marked = match call.exit {
            Some(exit) => self.line_at(exit).await,
            None => None,
        };
        let state = self.state(&call.id, None).await;
        let values = self.values(state.as_ref(), &call.method).await;
        let text = self.known.get(&call.class)?.as_ref()?;
        let line = marked.or(call.line)?;
        let is_method = |m: &&MethodLines| m.name == call.method && m.descriptor == call.descriptor;
        let (first, last) = match text.methods.iter().find(is_method) {
            Some(method) => (method.first_line, method.last_line),
            None => (call.line.unwrap_or(line), line),
        };
        let (first, last) = whole_method(text, &call.method, &call.class, first, last);
        let numbers = window(first, last, line);
        Some(listing(text, &numbers, marked, last, &values))
    }

    /// The lines around a place, with the values that variables of a call had at a time, the line marked.
    pub async fn around(&mut self, place: &Place, call: &str, at: u64) -> Option<Listing> {
        let line = place.line?;
        self.text(&place.class).await?;
        let state = self.state(call, Some(at)).await;
        let values = self.values(state.as_ref(), &place.method).await;
        let text = self.known.get(&place.class)?.as_ref()?;
        let is_method =
            |m: &&MethodLines| m.name == place.method && m.descriptor == place.descriptor;
        let method = text.methods.iter().find(is_method);
        let lines = method.map_or((1, u32::MAX), |method| {
            let (first, last) = (method.first_line, method.last_line);
            whole_method(text, &place.method, &place.class, first, last)
        });
        let first = line.saturating_sub(AROUND).max(lines.0).max(1);
        let numbers: Vec<u32> = (first..=line.saturating_add(AROUND).min(lines.1)).collect();
        // What stands below has not happened yet, or, in a loop, with other values.
        Some(listing(text, &numbers, Some(line), line, &values))
    }

    async fn text(&mut self, class: &str) -> Option<&Text> {
        if self.off || class.is_empty() {
            return None;
        }
        if !self.known.contains_key(class) {
            let text = self.ask(class).await;
            if let Some(text) = &text {
                let notes: Vec<String> = text
                    .notes
                    .iter()
                    .map(|note| format!("{}: {note}", text.file))
                    .collect();
                notes.into_iter().for_each(|note| self.note(note));
            }
            self.known.insert(class.to_owned(), text);
        }
        self.known.get(class)?.as_ref()
    }

    async fn ask(&mut self, class: &str) -> Option<Text> {
        let mut request = GetSourceRequest {
            recording: self.recording.clone(),
            class: class.to_owned(),
            source: self.named.clone(),
            ..GetSourceRequest::default()
        };
        let mut whole: Option<Text> = None;
        loop {
            let page = match self.client.history.get_source(request.clone()).await {
                Ok(page) => page.into_inner(),
                // A daemon from before there was source.
                Err(status) if status.code() == Code::Unimplemented => {
                    self.off = true;
                    return None;
                }
                Err(status) => {
                    self.note(status.message().to_owned());
                    return whole;
                }
            };
            let text = whole.get_or_insert_with(|| Text {
                file: page.file,
                origin: page.origin,
                lines: Vec::new(),
                methods: page.methods,
                notes: page.notes,
            });
            text.lines
                .extend(page.lines.into_iter().map(|line| match line.cut {
                    true => line.text + "…",
                    false => line.text,
                }));
            if page.next_line == 0 {
                return whole;
            }
            request.from = page.next_line;
        }
    }

    /// The line of an event.
    async fn line_at(&self, timestamp: u64) -> Option<u32> {
        let request = StreamEventsRequest {
            recording: self.recording.clone(),
            from: Some(timestamp),
            to: Some(timestamp + 1),
            ..StreamEventsRequest::default()
        };
        let events = self.client.history.clone().stream_events(request).await;
        let event = events.ok()?.into_inner().message().await.ok()??;
        event.place?.line
    }

    async fn state(&self, call: &str, to: Option<u64>) -> Option<NodeState> {
        let request = GetStateRequest {
            recording: self.recording.clone(),
            call: call.to_owned(),
            to,
            // Whether something below changed is not asked.
            budget: 1,
            ..GetStateRequest::default()
        };
        let state = self.client.history.clone().get_state(request).await;
        state.ok().map(tonic::Response::into_inner)
    }

    /// Values by name: of locals, and of the fields of `this`.
    async fn values(&self, state: Option<&NodeState>, method: &str) -> Values {
        let mut values = Values {
            // As javac names them.
            in_lambda: method.starts_with("lambda$"),
            ..Values::default()
        };
        let Some(state) = state else {
            return values;
        };
        for row in &state.rows {
            match row.kind() {
                RowKind::Local => values.add(&row_name(row), row),
                RowKind::Return | RowKind::Exception => values.end = shown(&row_name(row), row),
                _ => {}
            }
        }
        let this = state.rows.iter().find(|row| row.kind() == RowKind::This);
        let this = this.and_then(|row| row.end.as_ref()?.kind.as_ref());
        if let Some(Kind::Object(this)) = this {
            let request = ExpandObjectRequest {
                recording: self.recording.clone(),
                object: this.id,
                from: state.from,
                to: state.to,
                page_size: MOST_FIELDS,
                budget: 1,
                ..ExpandObjectRequest::default()
            };
            let fields = self.client.history.clone().expand_object(request).await;
            for row in fields
                .map(|fields| fields.into_inner().rows)
                .unwrap_or_default()
            {
                values.add(&format!("this.{}", row_name(&row)), &row);
            }
        }
        values
    }
}

/// What variables held, by the names that code has for them.
#[derive(Debug, Default)]
struct Values {
    by_name: HashMap<String, ListingValue>,
    /// All names. Of several variables of one name a line's text does not say which it means: none is shown.
    names: HashSet<String>,
    /// They are a lambda's.
    in_lambda: bool,
    /// The result or exception.
    end: Option<ListingValue>,
}

impl Values {
    fn add(&mut self, name: &str, row: &StateRow) {
        if !self.names.insert(name.to_owned()) {
            self.by_name.remove(name);
        } else if let Some(shown) = shown(name, row) {
            self.by_name.insert(name.to_owned(), shown);
        }
    }

    /// The values of what a line of code mentions, in order.
    fn of(&self, line: &str) -> Vec<ListingValue> {
        let mut found: Vec<ListingValue> = Vec::new();
        for name in mentioned(line, self.in_lambda) {
            let field = || self.by_name.get(&format!("this.{name}"));
            let value = self.by_name.get(name).or_else(field);
            if let Some(value) = value.filter(|value| found.iter().all(|f| f.name != value.name)) {
                found.push(value.clone());
            }
        }
        found
    }
}

fn shown(name: &str, row: &StateRow) -> Option<ListingValue> {
    let end = row.end.as_ref()?;
    // That a level does not tell values, the answer says; at each line it would hide the others.
    if matches!(end.kind, Some(Kind::NotRecorded(_))) {
        return None;
    }
    Some(ListingValue {
        name: name.to_owned(),
        value: compact(end),
        changed: row.changed,
    })
}

fn line_of(lines: &[String], number: u32) -> Option<&str> {
    let at = (number as usize).checked_sub(1)?;
    lines.get(at).map(String::as_str)
}

/// From the line with the method's name to its closing brace, as far as that can be told: code alone has neither.
fn whole_method(text: &Text, method: &str, class: &str, first: u32, last: u32) -> (u32, u32) {
    let simple = class.rsplit(['.', '$']).next().unwrap_or(class);
    let name = match method {
        "<init>" => simple,
        name => name,
    };
    let declares = |line: &str| {
        let mut ends = line.match_indices(name).map(|(at, _)| line.split_at(at));
        ends.any(|(before, rest)| {
            let apart =
                !before.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.'));
            let after = rest.get(name.len()..).unwrap_or_default();
            apart && after.trim_start().starts_with('(')
        })
    };
    let highest = first.saturating_sub(HEADING).max(1);
    let mut above = (highest..=first).rev();
    let heading = above.find(|&number| line_of(&text.lines, number).is_some_and(declares));
    let behind = line_of(&text.lines, last.saturating_add(1)).map(str::trim);
    let last = if behind == Some("}") { last + 1 } else { last };
    (heading.unwrap_or(first), last)
}

/// The lines of a method that are shown: all, or its first one and those around the one that matters.
fn window(first: u32, last: u32, line: u32) -> Vec<u32> {
    let (first, last) = (first.min(line), last.max(line));
    if ((last - first) as usize) < MOST_LINES {
        return (first..=last).collect();
    }
    let most = MOST_LINES as u32 - 2;
    let begin = line
        .saturating_sub(most / 2)
        .max(first)
        .min(last - most + 1);
    let mut numbers = vec![first];
    numbers.extend(begin.max(first + 1)..=begin + most - 1);
    if numbers.last() != Some(&last) {
        numbers.push(last);
    }
    numbers
}

/// Values stand at lines up to `valued`.
fn listing(
    text: &Text,
    numbers: &[u32],
    marked: Option<u32>,
    valued: u32,
    values: &Values,
) -> Listing {
    let lines = numbers.iter().filter_map(|&number| {
        let code = line_of(&text.lines, number)?;
        let is_marked = marked == Some(number);
        let mut shown = match number <= valued {
            true => values.of(code),
            false => Vec::new(),
        };
        if is_marked && let Some(end) = &values.end {
            // Where not all fit, it is what one wants to see.
            shown.insert(0, end.clone());
        }
        Some(ListingLine {
            number,
            text: code.to_owned(),
            marked: is_marked,
            values: shown,
        })
    });
    Listing {
        file: text.file.clone(),
        origin: text.origin.clone(),
        lines: lines.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(lines: &[&str]) -> Text {
        Text {
            file: "p/A.java".into(),
            origin: "/src/p/A.java".into(),
            lines: lines.iter().map(|&line| line.to_owned()).collect(),
            methods: Vec::new(),
            notes: Vec::new(),
        }
    }

    #[test]
    fn a_method_has_its_heading_and_its_brace() {
        let code = text(&[
            "class A {",
            "  A(int x) { f(x); }",
            "  @Override int",
            "      f(int a,",
            "        int b) {",
            "    return a;",
            "  }",
            "  int g() { return this.f(1, 2); }",
            "}",
        ]);
        assert_eq!(whole_method(&code, "f", "p.A", 6, 6), (4, 7));
        assert_eq!(whole_method(&code, "g", "p.A", 8, 8), (8, 9));
        assert_eq!(whole_method(&code, "<init>", "p.A", 2, 2), (2, 2));
        assert_eq!(whole_method(&code, "lambda$f$0", "p.A", 6, 6), (6, 7));
        assert_eq!(whole_method(&code, "f", "p.A", 90, 99), (90, 99));
    }

    #[test]
    fn a_long_method_is_shown_where_it_matters() {
        assert_eq!(window(3, 6, 5), [3, 4, 5, 6]);
        for line in [10, 11, 60, 108, 109] {
            let shown = window(10, 109, line);
            assert!(shown.len() <= MOST_LINES, "{shown:?}");
            assert!(shown.contains(&line) && shown.contains(&10) && shown.contains(&109));
            assert!(shown.is_sorted_by(|a, b| a < b), "{shown:?}");
        }
        // A line that is said to lie outside.
        assert!(window(10, 12, 5).contains(&5));
    }

    #[test]
    fn values_stand_at_the_lines_that_mention_them() {
        let value = |name: &str| ListingValue {
            name: name.to_owned(),
            value: "1".to_owned(),
            changed: false,
        };
        let mut values = Values::default();
        for name in ["a", "this.b", "c", "this.c"] {
            values.by_name.insert(name.to_owned(), value(name));
        }
        let names = |line| {
            values
                .of(line)
                .into_iter()
                .map(|v| v.name)
                .collect::<Vec<_>>()
        };
        assert_eq!(names("c = a + b + a;"), ["c", "a", "this.b"]);
        assert_eq!(names("this.c = c;"), ["this.c", "c"]);
        assert_eq!(names("other.b(\"a\"); // c"), Vec::<String>::new());
    }

    #[test]
    fn of_several_variables_of_one_name_none_is_shown() {
        let row = |name: &str, end: Option<i32>| StateRow {
            name: name.into(),
            end: end.map(|n| jhyde_proto::v1::Value {
                kind: Some(Kind::Int(n)),
                ..jhyde_proto::v1::Value::default()
            }),
            ..StateRow::default()
        };
        let mut values = Values::default();
        for (name, end) in [("i", None), ("n", Some(1)), ("i", Some(2)), ("i", Some(3))] {
            values.add(name, &row(name, end));
        }
        let shown: Vec<String> = values.of("i + n").into_iter().map(|v| v.name).collect();
        assert_eq!(shown, ["n"]);
    }
}
