//! Fills the copy: which columns the stream of events tells, and how.

use std::collections::BTreeMap;

use rusqlite::Connection;
use rusqlite::types::Value;
use serde_json::Value as Json;

use super::around::{self, Call, Method};
use super::classes::Classes;
use super::copy::FOUND;
use super::schema::{Of, SCHEMAS, schema};
use super::values::{Cells, Told, cells, number, result_type, text, variable};

/// Makes all tables of what happened, and of the classes to which it did.
pub(super) fn fill(connection: &Connection, events: &[Json], classes: &Classes) {
    let calls = around::calls(events);
    let fill = Fill {
        connection,
        classes,
    };
    fill.make();
    let methods = fill.calls(&calls);
    fill.classes(&methods);
    for event in events {
        fill.event(event);
    }
    fill.threads(events, &calls);
    fill.functions(&calls);
}

struct Fill<'a> {
    connection: &'a Connection,
    classes: &'a Classes,
}

impl Fill<'_> {
    fn make(&self) {
        for schema in SCHEMAS.iter().filter(|schema| schema.function.is_none()) {
            let columns = schema.all().into_iter().map(|(name, of)| {
                let of = match of {
                    Of::Text => "TEXT",
                    Of::Int => "INTEGER",
                    Of::Real => "REAL",
                };
                format!("\"{name}\" {of}")
            });
            let columns = columns.collect::<Vec<_>>().join(", ");
            self.run(&format!("CREATE TABLE {}({columns})", schema.name));
        }
        self.run(
            "CREATE TABLE related(function TEXT, argument TEXT, found TEXT);
             CREATE TABLE written(form TEXT, variable TEXT)",
        );
    }

    fn run(&self, statements: &str) {
        self.connection.execute_batch(statements).expect(statements);
    }

    /// A row. There may be more cells than columns, and none less.
    fn add(&self, table: &str, mut row: Cells) {
        let columns = schema(table).all().into_iter();
        let row = columns.map(|(name, _)| {
            let cell = row.remove(&name);
            cell.unwrap_or_else(|| panic!("{table} has no {name}"))
        });
        self.insert(table, row.collect());
    }

    fn insert(&self, table: &str, row: Vec<Value>) {
        let marks = vec!["?"; row.len()].join(", ");
        let statement = format!("INSERT INTO {table} VALUES({marks})");
        let row = rusqlite::params_from_iter(row);
        self.connection.execute(&statement, row).expect(&statement);
    }

    /// Calls, their arguments, their methods: the numbers of these.
    fn calls<'a>(&self, calls: &[Call<'a>]) -> BTreeMap<Method<'a>, i64> {
        let mut methods: BTreeMap<Method<'_>, (i64, i64, &Json)> = BTreeMap::new();
        for call in calls {
            let next = methods.len() as i64;
            let method = methods.entry(around::method(call.entered));
            let (id, count, _) = method.or_insert_with(|| (next, 0, &call.entered["line"]));
            *count += 1;
            let parent = call.parent.map(|parent| &calls[parent]);
            self.add("calls", call_row(call, parent, *id));
            let given = call.entered["arguments"].as_array().into_iter().flatten();
            for (position, argument) in (0_i64..).zip(given) {
                let mut row = cells([
                    ("call", call.id.to_owned().into()),
                    ("enter", call.enter.into()),
                    ("position", position.into()),
                    ("name", text(&argument["name"])),
                    ("type", text(&argument["type"])),
                    ("method_id", (*id).into()),
                ]);
                let declared = argument["type"].as_str().unwrap_or_default();
                row.extend(Told::of(argument.get("value"), declared).cells("value"));
                self.add("arguments", row);
            }
        }
        for (method, (id, count, first_line)) in &methods {
            let [class, name, descriptor] = method.map(|word| Value::from(word.to_owned()));
            let row = cells([
                ("id", (*id).into()),
                ("class", class),
                ("name", name),
                ("descriptor", descriptor),
                ("first_line", number(first_line)),
                ("calls", (*count).into()),
            ]);
            self.add("methods", row);
        }
        let methods = methods.into_iter();
        methods.map(|(method, (id, ..))| (method, id)).collect()
    }

    /// Classes, their fields, and the lines of their methods.
    fn classes(&self, called: &BTreeMap<Method<'_>, i64>) {
        let mut next = called.len() as i64;
        for (class_id, class) in (0_i64..).zip(self.classes.ran()) {
            let name = Value::from(class.name.clone());
            let source_file = Value::from(class.source_file.clone());
            self.add(
                "classes",
                cells([
                    ("id", class_id.into()),
                    ("name", name.clone()),
                    ("super", class.above.clone().into()),
                    ("interfaces", class.interfaces.join(",").into()),
                    ("source_file", source_file.clone()),
                    ("in_scope", Value::Integer(1)),
                    ("modifiers", i64::from(class.modifiers).into()),
                ]),
            );
            for field in &class.fields {
                let is_static = field.modifiers & 8 != 0;
                self.add(
                    "fields",
                    cells([
                        ("class_id", class_id.into()),
                        ("class", name.clone()),
                        ("name", field.name.clone().into()),
                        ("type", field.type_name().into()),
                        ("is_static", is_static.into()),
                        ("modifiers", i64::from(field.modifiers).into()),
                    ]),
                );
            }
            for method in &class.methods {
                let it = [&class.name, &method.name, &method.descriptor].map(String::as_str);
                let id = called.get(&it).copied().unwrap_or_else(|| {
                    next += 1;
                    next
                });
                for (start, line) in &method.lines {
                    self.add(
                        "lines",
                        cells([
                            ("method_id", id.into()),
                            ("class", name.clone()),
                            ("method", method.name.clone().into()),
                            ("source_file", source_file.clone()),
                            ("line", i64::from(*line).into()),
                            ("bytecode_index", i64::from(*start).into()),
                        ]),
                    );
                }
            }
        }
    }

    /// An event, and the row of the table of its kind.
    fn event(&self, event: &Json) {
        let Some(kind) = event["kind"].as_str() else {
            return;
        };
        let mut row = place(event);
        let value = match kind {
            "exit" => outcome(&event["exited"]),
            _ => Told::of(event.get("value"), ""),
        };
        // Of the columns of several tables each takes its own.
        let (object, class) = (value.object, value.class.clone());
        row.extend(cells([
            ("kind", kind.to_owned().into()),
            ("variable", text(&event["variable"])),
            ("detail", detail(event)),
            ("found", (kind == FOUND).into()),
            ("to_index", number(&event["to"])),
            ("exception", object.into()),
            ("exception_class", class.clone().into()),
            ("message", message(event).into()),
            ("action", text(&event["action"])),
            ("object_class", class.into()),
            ("reason", text(&event["reason"])),
            ("id", object.into()),
            ("length", number(&event["value"]["length"])),
        ]));
        row.extend(value.cells("value"));
        self.add("events", row.clone());
        match kind {
            // What an object of the JDK was found to hold is no variable's.
            FOUND if event["variable"].is_null() => {}
            "write" | "use" | FOUND => {
                let written = event["variable"].as_str().expect("a variable");
                row.extend(variable(written, self.classes));
                let table = if kind == "use" { "reads" } else { "writes" };
                self.add(table, row);
            }
            "edge" => self.add("edges", row),
            "thrown" | "caught" | "uncaught" => self.add("exceptions", row),
            "monitor" => {
                row.insert("object".to_owned(), object.into());
                self.add("monitors", row);
            }
            "gap" => self.add("gaps", row),
            "new" => {
                assert!(
                    object.is_some(),
                    "a text, which has no number here: {event}"
                );
                self.add("objects", row);
            }
            _ => {}
        }
    }

    /// The threads that made calls.
    fn threads(&self, events: &[Json], calls: &[Call<'_>]) {
        let mut threads: BTreeMap<i64, (&Json, i64, Option<i64>)> = BTreeMap::new();
        for call in calls {
            let name = &call.entered["thread_name"];
            threads.entry(call.thread).or_insert((name, 0, None)).1 += 1;
        }
        for event in events.iter().filter(|event| event["kind"] == "thread_end") {
            let thread = event["call"].as_str().and_then(around::place);
            let thread = thread.and_then(|(thread, _)| threads.get_mut(&thread));
            if let Some((_, _, end)) = thread {
                *end = event["timestamp"].as_i64();
            }
        }
        for (id, (name, count, end)) in threads {
            let row = cells([
                ("id", id.into()),
                ("name", text(name)),
                ("calls", count.into()),
                ("end", end.into()),
            ]);
            self.add("threads", row);
        }
    }

    /// What functions find, for each argument.
    fn functions(&self, calls: &[Call<'_>]) {
        for (function, argument, found) in around::related(calls) {
            let row = [function, argument, found].map(|cell| Value::from(cell.to_owned()));
            self.insert("related", row.to_vec());
        }
        for function in ["ancestors", "children", "descendants"] {
            self.run(&format!(
                "CREATE TABLE {function} AS SELECT r.argument AS of_call, c.* FROM related r JOIN calls c ON c.id = r.found \
                 WHERE r.function = '{function}'"
            ));
        }
        let also = around::by_invocation(calls);
        for written in variables(self.connection) {
            let mut forms = vec![written.clone()];
            if let Some((call, local)) = written.split_once(':') {
                forms.extend(also.get(call).map(|call| format!("{call}:{local}")));
            }
            for form in forms {
                self.insert("written", vec![form.into(), written.clone().into()]);
            }
        }
        self.run(
            "CREATE TABLE history AS SELECT n.form AS of_variable, w.* FROM written n JOIN writes w ON w.variable = n.variable",
        );
    }
}

fn variables(connection: &Connection) -> Vec<String> {
    let statement = "SELECT DISTINCT variable FROM writes ORDER BY 1";
    let mut statement = connection.prepare(statement).expect("writes");
    let names = statement.query_map([], |row| row.get(0)).expect("names");
    names.collect::<Result<_, _>>().expect("names")
}

fn call_row(call: &Call<'_>, parent: Option<&Call<'_>>, method_id: i64) -> Cells {
    let entered = call.entered;
    let [class, name, descriptor] =
        around::method(entered).map(|word| Value::from(word.to_owned()));
    let nothing = Json::Null;
    let exited = call.exited.unwrap_or(&nothing);
    let ended = call.exit.map(|_| {
        let is_unknown = exited["result"]["not_recorded"] == "how this call ended was not seen";
        match (exited.get("exception"), is_unknown) {
            (Some(_), _) => "threw".to_owned(),
            (None, true) => "unknown".to_owned(),
            (None, false) => "returned".to_owned(),
        }
    });
    let exception = Told::of(exited.get("exception"), "");
    let mut row = cells([
        ("id", call.id.to_owned().into()),
        ("thread", call.thread.into()),
        ("number", call.number.into()),
        ("parent", parent.map(|parent| parent.id.to_owned()).into()),
        ("depth", (call.depth as i64).into()),
        ("method_id", method_id.into()),
        ("class", class),
        ("method", name),
        ("descriptor", descriptor),
        ("invocation", call.invocation.into()),
        ("enter", call.enter.into()),
        ("exit", call.exit.into()),
        ("size", call.size.into()),
        ("boundary", entered["boundary"].as_bool().into()),
        (
            "already_running",
            (entered["already_running"] == true).into(),
        ),
        ("call_line", number(&entered["call_site"]["line"])),
        ("ended", ended.into()),
        ("exception", exception.object.into()),
        ("exception_class", exception.class.into()),
    ]);
    row.extend(Told::of(entered.get("receiver"), "").cells("receiver"));
    let of = result_type(entered["descriptor"].as_str().unwrap_or_default());
    row.extend(Told::of(exited.get("result"), of).cells("result"));
    row
}

/// What the end of a call tells: the exception, or else the result.
fn outcome(exited: &Json) -> Told {
    match exited.get("exception") {
        Some(exception) => Told::of(Some(exception), ""),
        None => {
            let descriptor = exited["descriptor"].as_str().unwrap_or_default();
            Told::of(exited.get("result"), result_type(descriptor))
        }
    }
}

/// When and where an event happened.
fn place(event: &Json) -> Cells {
    let call = event["call"].as_str().unwrap_or_default();
    let (thread, of_thread) = around::place(call).expect("each event has a thread");
    let place = &event["place"];
    cells([
        ("timestamp", number(&event["timestamp"])),
        ("thread", thread.into()),
        ("call", (of_thread > 0).then(|| call.to_owned()).into()),
        ("class", text(&place["class"])),
        ("method", text(&place["method"])),
        ("line", number(&place["line"])),
        ("bytecode_index", number(&place["index"])),
    ])
}

fn detail(event: &Json) -> Value {
    let mut told = ["action", "prepared", "reason"].iter();
    let told = told.find_map(|key| event[*key].as_str());
    told.map(str::to_owned).into()
}

/// An exception's message: a text of its own.
fn message(event: &Json) -> Option<String> {
    Told::of(event["value"].get("content"), "").text
}
