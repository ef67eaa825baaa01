//! What was there when a call had ended, as assertions.

use jhyde_trace::{Content, Items, ObjectId, Timestamp, Value};
use rustc_hash::FxHashSet;

use super::build::{class_of, elements, fields, held, info, leaf};
use super::literal::{primitive, source_name, text};
use super::{MOST_VARIABLES, Names, not};
use crate::content::Stop;
use crate::contents::{Contents, Known, Stands};
use crate::history::History;
use crate::state::Interval;

/// Writes assertions down.
pub(super) struct Checker<'h> {
    history: &'h History,
    at: Timestamp,
    lines: Vec<String>,
    /// The objects that have a name in the test.
    names: Names,
    /// Those of which all that they hold is asserted.
    checked: FxHashSet<ObjectId>,
    left: usize,
}

impl<'h> Checker<'h> {
    pub(super) fn new(
        history: &'h History,
        at: Timestamp,
        lines: Vec<String>,
        names: Names,
    ) -> Self {
        Self {
            history,
            at,
            lines,
            names,
            checked: FxHashSet::default(),
            left: MOST_VARIABLES,
        }
    }

    pub(super) fn line(&mut self, line: String) {
        self.lines.push(line);
    }

    pub(super) fn lines(self) -> Vec<String> {
        self.lines
    }

    /// The call ended by this exception.
    pub(super) fn threw(&mut self, called: &str, thrown: Value) -> Result<(), Stop> {
        let object = thrown
            .object()
            .ok_or_else(|| not("what it threw was not recorded"))?;
        let info = info(self.history, object)?;
        let class = class_of(self.history, &info)?;
        self.line(format!(
            "Throwable thrown = assertThrows(Throwable.class, () -> {called});"
        ));
        self.line(format!(
            "assertEquals(\"{}\", thrown.getClass().getName());",
            class.name
        ));
        // What the JVM says of exceptions of its own is another text in every version.
        let is_own = self.history.recording.creation(object)?.is_some();
        if let (Content::Throwable(told), true) = (&info.content, is_own)
            && !told.overridden
        {
            match &told.message {
                Some(message) if message.is_cut() => {
                    return Err(not("a message was longer than what was recorded of it"));
                }
                Some(message) => {
                    let message = text(&message.prefix);
                    self.line(format!("assertEquals({message}, thrown.getMessage());"));
                }
                None => self.line("assertNull(thrown.getMessage());".to_owned()),
            }
        }
        if !class.in_scope {
            return Ok(());
        }
        self.names.insert(object, "thrown".to_owned());
        self.still(object)
    }

    /// An object that has a name holds what it held when the call had ended.
    pub(super) fn still(&mut self, object: ObjectId) -> Result<(), Stop> {
        match self.names.get(&object) {
            Some(name) if self.checked.insert(object) => {
                let name = name.clone();
                self.inside(&name, object)
            }
            _ => Ok(()),
        }
    }

    /// An expression of type Object is this value.
    pub(super) fn check(&mut self, expression: &str, value: Value) -> Result<(), Stop> {
        self.left = self.left.checked_sub(1).ok_or_else(|| {
            Stop::Not(format!(
                "what it yielded is more than {MOST_VARIABLES} values"
            ))
        })?;
        if value == Value::Null {
            self.line(format!("assertNull({expression});"));
            return Ok(());
        }
        let Some(object) = value.object() else {
            let expected = primitive(value)?;
            self.line(format!("assertEquals({expected}, {expression});"));
            return Ok(());
        };
        if let Some(name) = self.names.get(&object) {
            if name != expression {
                let line = format!("assertSame({name}, {expression});");
                self.line(line);
            }
            return self.still(object);
        }
        let info = info(self.history, object)?;
        if let Some(expected) = leaf(self.history, object, &info)? {
            self.line(format!("assertEquals({expected}, {expression});"));
            return Ok(());
        }
        let name = match expression {
            "result" => "result".to_owned(),
            _ => {
                let name = format!("r{}", self.names.len());
                self.line(format!("Object {name} = {expression};"));
                name
            }
        };
        self.names.insert(object, name);
        self.still(object)
    }

    fn inside(&mut self, name: &str, object: ObjectId) -> Result<(), Stop> {
        let info = info(self.history, object)?;
        let class = class_of(self.history, &info)?;
        match &info.content {
            Content::Array(length) => return self.array(name, &class.name, object, *length),
            Content::None | Content::Throwable(_) => {}
            _ => {
                return Err(Stop::Not(format!(
                    "{} is nothing that a test can look into",
                    class.name
                )));
            }
        }
        let contents = self.history.contents_at(object, self.at)?;
        match contents.as_ref() {
            Contents::Unknown(reason) => return Err(Stop::Not(reason.clone())),
            Contents::Known(known) => self.held(name, &class.name, known)?,
            Contents::None => {
                let line = format!(
                    "assertEquals(\"{}\", {name}.getClass().getName());",
                    class.name
                );
                // What the test made is of the class that it named.
                if name != "thrown" && !name.starts_with('a') {
                    self.line(line);
                }
            }
        }
        let now = Interval {
            from: self.at,
            to: self.at,
        };
        for cell in fields(self.history, object, now)? {
            if cell.name.contains('.') {
                return Err(Stop::Not(format!(
                    "{} has two fields of one name",
                    class.name
                )));
            }
            self.check(&format!("field({name}, \"{}\")", cell.name), held(&cell)?)?;
        }
        Ok(())
    }

    fn array(&mut self, name: &str, class: &str, array: ObjectId, length: u32) -> Result<(), Stop> {
        let values = elements(self.history, array, length, self.at)?;
        self.left = self.left.checked_sub(values.len()).ok_or_else(|| {
            Stop::Not(format!(
                "what it yielded is more than {MOST_VARIABLES} values"
            ))
        })?;
        let source = source_name(class)?;
        if values
            .iter()
            .all(|value| !matches!(value, Value::Object(_) | Value::Null))
            && class.matches("[]").count() == 1
        {
            let expected: Result<Vec<String>, Stop> = values.into_iter().map(primitive).collect();
            let delta = match class {
                "double[]" => ", 0.0",
                "float[]" => ", 0.0f",
                _ => "",
            };
            self.line(format!(
                "assertArrayEquals(new {source} {{{}}}, ({source}) {name}{delta});",
                expected?.join(", ")
            ));
            return Ok(());
        }
        self.line(format!(
            "assertEquals({length}, (({source}) {name}).length);"
        ));
        for (at, value) in values.into_iter().enumerate() {
            self.check(&format!("(({source}) {name})[{at}]"), value)?;
        }
        Ok(())
    }

    /// What an object of the JDK holds.
    fn held(&mut self, name: &str, class: &str, known: &Known) -> Result<(), Stop> {
        let cannot = || Stop::Not(format!("how a test can look into {class} is not known"));
        if known.items.len() < known.length || known.stands != Stands::Holds {
            return Err(cannot());
        }
        match &known.items {
            Items::Text(units) => {
                self.line(format!("assertEquals({}, {name}.toString());", text(units)));
                Ok(())
            }
            Items::Elements(values) if class.starts_with("java.util.Optional") => {
                match values.as_slice() {
                    [] => {
                        self.line(format!("assertEquals(java.util.Optional.empty(), {name});"));
                        Ok(())
                    }
                    _ => Err(cannot()),
                }
            }
            Items::Value(value) if class == "java.util.Optional" => {
                self.check(&format!("((java.util.Optional<?>) {name}).get()"), *value)
            }
            Items::Value(value) => {
                let simple = class
                    .strip_prefix("java.util.concurrent.atomic.")
                    .ok_or_else(cannot)?;
                let source = match simple {
                    "AtomicInteger" | "AtomicLong" | "AtomicBoolean" => class.to_owned(),
                    "AtomicReference" => format!("{class}<?>"),
                    _ => return Err(cannot()),
                };
                self.check(&format!("(Object) (({source}) {name}).get()"), *value)
            }
            Items::Elements(values) => self.collection(name, class, values),
            Items::Entries(entries) => self.map(name, class, entries),
            Items::Named(_) | Items::View { .. } => Err(cannot()),
        }
    }

    fn collection(&mut self, name: &str, class: &str, values: &[Value]) -> Result<(), Stop> {
        let is_hashed = class.contains("Hash") && !class.contains("Linked")
            || class.contains("Immutable") && class.contains("Set");
        let of = "java.util.Collection<?>";
        self.line(format!(
            "assertEquals({}, (({of}) {name}).size());",
            values.len()
        ));
        if is_hashed {
            for value in values {
                let expected = self.key(*value)?;
                self.line(format!("assertTrue((({of}) {name}).contains({expected}));"));
            }
            return Ok(());
        }
        for (at, value) in values.iter().enumerate() {
            self.check(&format!("(({of}) {name}).toArray()[{at}]"), *value)?;
        }
        Ok(())
    }

    fn map(&mut self, name: &str, class: &str, entries: &[(Value, Value)]) -> Result<(), Stop> {
        let is_ordered =
            class.contains("Linked") || class.contains("Tree") || class.contains("Enum");
        let of = "java.util.Map<?, ?>";
        self.line(format!(
            "assertEquals({}, (({of}) {name}).size());",
            entries.len()
        ));
        for (at, (key, value)) in entries.iter().enumerate() {
            let key = self.key(*key)?;
            if is_ordered {
                self.line(format!(
                    "assertEquals({key}, (({of}) {name}).keySet().toArray()[{at}]);"
                ));
            } else {
                self.line(format!("assertTrue((({of}) {name}).containsKey({key}));"));
            }
            self.check(&format!("(({of}) {name}).get({key})"), *value)?;
        }
        Ok(())
    }

    /// A key of a map: what equals it is it.
    fn key(&self, value: Value) -> Result<String, Stop> {
        let Some(object) = value.object() else {
            return primitive(value);
        };
        let expected = leaf(self.history, object, &info(self.history, object)?)?;
        expected.ok_or_else(|| not("a map or set goes by objects that a test cannot name"))
    }
}
