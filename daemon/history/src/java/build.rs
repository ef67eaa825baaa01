//! Values that were there at a time, as expressions that make equal ones.

use std::sync::Arc;

use jhyde_store::records::{Arguments, CallRecord};
use jhyde_trace::{ClassInfo, Content, Items, ObjectId, ObjectInfo, Timestamp, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use super::check::Checker;
use super::literal::{box_of, primitive, source_name, text};
use super::{MOST_VARIABLES, Names, PRIVATE, SYNTHETIC, not};
use crate::content::Stop;
use crate::contents::{Contents, Known, Stands};
use crate::history::{History, unless_lost};
use crate::objects::{Cell, Held, OUTSIDE};
use crate::state::{Interval, Notes};

/// Collections that are what their items are, made by their constructors without arguments and filled. Of others it is not recorded what else
/// they go by (a comparator, a capacity).
const FILLED: [&str; 7] = [
    "java.util.ArrayList",
    "java.util.LinkedList",
    "java.util.ArrayDeque",
    "java.util.HashSet",
    "java.util.LinkedHashSet",
    "java.util.HashMap",
    "java.util.LinkedHashMap",
];
/// What `List.of` makes.
const LIST_OF: &str = "java.util.ImmutableCollections$List";

/// Writes down how values are made.
pub(super) struct Builder<'h> {
    history: &'h History,
    at: Timestamp,
    package: String,
    lines: Vec<String>,
    names: Names,
    /// What a constructor made for itself, by the object that it made.
    inner: FxHashMap<ObjectId, ObjectId>,
    /// What is being built.
    open: FxHashSet<ObjectId>,
    left: usize,
}

impl<'h> Builder<'h> {
    /// For a test in a package, of values that were there at a time.
    pub(super) fn new(history: &'h History, at: Timestamp, package: String) -> Self {
        Self {
            history,
            at,
            package,
            lines: Vec::new(),
            names: Names::default(),
            inner: FxHashMap::default(),
            open: FxHashSet::default(),
            left: MOST_VARIABLES,
        }
    }

    /// Goes on with what is there at a later time.
    pub(super) fn checker(self, at: Timestamp) -> Checker<'h> {
        Checker::new(self.history, at, self.lines, self.names)
    }

    /// What was built is nothing that static fields reach: a test would have two of it.
    pub(super) fn shares_nothing_with(&self, statics: &FxHashSet<ObjectId>) -> Result<(), Stop> {
        let mut built = self.names.keys().chain(self.inner.keys());
        match built.any(|object| statics.contains(object)) {
            true => Err(not("it was given an object that a static field holds, too")),
            false => Ok(()),
        }
    }

    fn charge(&mut self, variables: usize) -> Result<(), Stop> {
        self.left = self.left.checked_sub(variables).ok_or_else(|| {
            Stop::Not(format!(
                "what it was given is more than {MOST_VARIABLES} values"
            ))
        })?;
        Ok(())
    }

    /// An expression for a value; objects get names, so that what was one object is one.
    pub(super) fn value(&mut self, value: Value) -> Result<String, Stop> {
        let Some(object) = value.object() else {
            return primitive(value);
        };
        if let Some(name) = self.names.get(&object) {
            return Ok(name.clone());
        }
        let info = info(self.history, object)?;
        if let Some(leaf) = leaf(self.history, object, &info)? {
            return Ok(leaf);
        }
        if self.inner.contains_key(&object) {
            return Err(not(
                "it was given an object that a constructor of another one made for it",
            ));
        }
        if !self.open.insert(object) {
            return Err(not("what it was given goes round in a circle"));
        }
        let (class, expression) = self.made(object, &info)?;
        self.open.remove(&object);
        let name = format!("a{}", self.names.len());
        self.lines.push(format!("{class} {name} = {expression};"));
        self.names.insert(object, name.clone());
        if FILLED.contains(&class.as_str()) {
            self.fill(object, &name)?;
        }
        Ok(name)
    }

    /// The type of an object, and how it is made.
    fn made(&mut self, object: ObjectId, info: &ObjectInfo) -> Result<(String, String), Stop> {
        let class = class_of(self.history, info)?;
        match &info.content {
            Content::Array(length) => {
                let name = source_name(&class.name)?;
                self.charge(*length as usize)?;
                let values = elements(self.history, object, *length, self.at)?;
                let values: Result<Vec<String>, Stop> =
                    values.into_iter().map(|value| self.value(value)).collect();
                let made = format!("new {name} {{{}}}", values?.join(", "));
                Ok((name, made))
            }
            Content::None => match self.history.contents_at(object, self.at)?.as_ref() {
                Contents::Unknown(reason) => Err(Stop::Not(reason.clone())),
                Contents::Known(known) => {
                    let made = self.held(known, &class.name)?;
                    let of = match class.name.starts_with(LIST_OF) {
                        true => "java.util.List".to_owned(),
                        false => source_name(&class.name)?,
                    };
                    Ok((of, made))
                }
                Contents::None => self.constructed(object, &class),
            },
            _ => Err(Stop::Not(format!(
                "{} is nothing that source can build",
                class.name
            ))),
        }
    }

    /// An object of the JDK, before anything is added.
    fn held(&mut self, known: &Known, class: &str) -> Result<String, Stop> {
        if known.items.len() < known.length || known.stands != Stands::Holds {
            return Err(Stop::Not(format!("not all that {class} held is known")));
        }
        self.charge(known.length)?;
        Ok(match (class, &known.items) {
            (of, Items::Elements(_) | Items::Entries(_)) if FILLED.contains(&of) => {
                format!("new {class}()")
            }
            (_, Items::Elements(values)) if class.starts_with(LIST_OF) => {
                let values: Result<Vec<String>, Stop> =
                    values.iter().map(|value| self.value(*value)).collect();
                format!("java.util.List.of({})", values?.join(", "))
            }
            ("java.lang.StringBuilder" | "java.lang.StringBuffer", Items::Text(units)) => {
                format!("new {class}({})", text(units))
            }
            (
                "java.util.concurrent.atomic.AtomicInteger"
                | "java.util.concurrent.atomic.AtomicLong"
                | "java.util.concurrent.atomic.AtomicBoolean",
                Items::Value(value),
            ) => format!("new {class}({})", self.value(*value)?),
            _ => {
                return Err(Stop::Not(format!(
                    "how {class} is built so that it does the same is not known"
                )));
            }
        })
    }

    /// Adds what a collection held.
    fn fill(&mut self, object: ObjectId, name: &str) -> Result<(), Stop> {
        let contents = self.history.contents_at(object, self.at)?;
        let Contents::Known(known) = contents.as_ref() else {
            return Ok(());
        };
        let mut added = Vec::new();
        match &known.items {
            Items::Elements(values) => {
                for value in values {
                    added.push(format!("{name}.add({});", self.value(*value)?));
                }
            }
            Items::Entries(entries) => {
                for (key, value) in entries {
                    let (key, value) = (self.value(*key)?, self.value(*value)?);
                    added.push(format!("{name}.put({key}, {value});"));
                }
            }
            _ => {}
        }
        self.lines.extend(added);
        Ok(())
    }

    /// An object of the scope, by the call of its constructor.
    fn constructed(
        &mut self,
        object: ObjectId,
        class: &Arc<ClassInfo>,
    ) -> Result<(String, String), Stop> {
        let name = source_name(&class.name)?;
        if super::literal::package(&class.name) != self.package {
            const PUBLIC: u32 = 0x0001;
            if class.modifiers & PUBLIC == 0 {
                return Err(Stop::Not(format!(
                    "{name} is not public, and of another package"
                )));
            }
        }
        self.history.can_be_named(class)?;
        let (record, exit, given) = self.constructor(object, class)?;
        // Nothing else went in: it is the same in every run.
        self.history.statics_read(&record, exit)?;
        self.history.is_closed(&record)?;
        let mut whole = Reached::new(self.history, exit, self.at);
        whole.add(object)?;
        if whole.changed {
            return Err(Stop::Not(format!(
                "{name} was changed after it had been constructed"
            )));
        }
        let mut of_arguments = Reached::new(self.history, record.enter, self.at);
        for argument in given.arguments.iter().filter_map(|value| value.object()) {
            of_arguments.add(argument)?;
        }
        if of_arguments.changed {
            return Err(Stop::Not(format!(
                "what {name} was constructed with was changed since"
            )));
        }
        self.charge(whole.objects.len())?;
        for inside in whole.objects.iter().filter(|inside| **inside != object) {
            if of_arguments.objects.contains(inside) || self.history.enum_of(*inside)?.is_some() {
                continue;
            }
            if self.names.contains_key(inside) || self.inner.contains_key(inside) {
                return Err(Stop::Not(format!(
                    "what {name} made for itself is used elsewhere, too"
                )));
            }
            self.inner.insert(*inside, object);
        }
        let arguments = given.arguments.iter().map(|value| self.value(*value));
        let arguments: Result<Vec<String>, Stop> = arguments.collect();
        Ok((
            name.clone(),
            format!("new {name}({})", arguments?.join(", ")),
        ))
    }

    /// The call that constructed an object, of its own class.
    fn constructor(
        &self,
        object: ObjectId,
        class: &ClassInfo,
    ) -> Result<(CallRecord, Timestamp, Arguments), Stop> {
        /// Of calls behind the creation: arguments of the constructor may be made by it, too.
        const MOST: usize = 64;
        let recording = &self.history.recording;
        let unseen = || Stop::Not(format!("who constructed {} was not recorded", class.name));
        let created = recording.creation(object)?.ok_or_else(unseen)?;
        for method in class
            .methods
            .iter()
            .filter(|method| method.name == "<init>")
        {
            // The first call that began behind the creation.
            let behind = recording.invocation_at(method.id, created.timestamp)?;
            for call in recording.calls_of_method(method.id, behind, MOST)? {
                let given = recording.arguments(&call)?;
                if given.receiver != Some(Value::Object(object)) || call.parent != created.call {
                    continue;
                }
                let exit = call.exit.ok_or_else(unseen)?;
                if exit > self.at {
                    return Err(Stop::Not(format!(
                        "{} was still being constructed",
                        class.name
                    )));
                }
                if method.modifiers & (PRIVATE | SYNTHETIC) != 0 {
                    return Err(Stop::Not(format!(
                        "the constructor of {} is private",
                        class.name
                    )));
                }
                let public_or_near = super::literal::package(&class.name) == self.package
                    || method.modifiers & 0x0001 != 0;
                if !public_or_near {
                    return Err(Stop::Not(format!(
                        "the constructor of {} is not public",
                        class.name
                    )));
                }
                return Ok((call, exit, given));
            }
        }
        Err(unseen())
    }
}

/// What an object is.
pub(super) fn info(history: &History, object: ObjectId) -> Result<ObjectInfo, Stop> {
    let info = unless_lost(history.recording.object(object))?;
    info.ok_or_else(|| not("what an object is was not recorded"))
}

/// Its class.
pub(super) fn class_of(history: &History, info: &ObjectInfo) -> Result<Arc<ClassInfo>, Stop> {
    let class = match info.class {
        Some(class) => unless_lost(history.recording.class(class))?,
        None => None,
    };
    class.ok_or_else(|| not("the class of an object was not recorded"))
}

/// An expression for what never changes and has nothing inside; `None` for all else.
pub(super) fn leaf(
    history: &History,
    object: ObjectId,
    info: &ObjectInfo,
) -> Result<Option<String>, Stop> {
    Ok(match &info.content {
        Content::String(cut) | Content::Shown(cut) if cut.is_cut() => {
            return Err(not("a text was longer than what was recorded of it"));
        }
        Content::String(whole) => Some(text(&whole.prefix)),
        Content::Box(held) => {
            let class = box_of(*held).ok_or_else(|| not("what is in a box was not recorded"))?;
            Some(format!("{class}.valueOf({})", primitive(*held)?))
        }
        Content::Class(name) => Some(format!("{}.class", source_name(name)?)),
        Content::Shown(shown) => {
            let class = class_of(history, info)?;
            match class.name.as_str() {
                "java.math.BigInteger" | "java.math.BigDecimal" => {
                    Some(format!("new {}({})", class.name, text(&shown.prefix)))
                }
                other => {
                    return Err(Stop::Not(format!(
                        "{other} is nothing that source can build"
                    )));
                }
            }
        }
        content => match history.enum_of(object)? {
            None => None,
            Some(of) => {
                let shown = history.shown(object, content)?;
                let shown =
                    shown.ok_or_else(|| not("which constant of an enum it is was not recorded"))?;
                let constant = shown.rsplit('.').next().unwrap_or(&shown);
                history.can_be_named(&of)?;
                Some(format!("{}.{constant}", source_name(&of.name)?))
            }
        },
    })
}

/// The elements of an array at a time.
pub(super) fn elements(
    history: &History,
    array: ObjectId,
    length: u32,
    at: Timestamp,
) -> Result<Vec<Value>, Stop> {
    let now = Interval { from: at, to: at };
    let mut notes = Notes::default();
    let limit = (length as usize).saturating_add(1);
    let cells = history.object_cells(array, now, 0, limit, &mut notes)?;
    if cells.cells.len() < length as usize {
        return Err(not("not all elements of an array were recorded"));
    }
    cells.cells.iter().map(held).collect()
}

/// What a variable held.
pub(super) fn held(cell: &Cell) -> Result<Value, Stop> {
    match &cell.end {
        Held::Value(value) if !cell.not_recorded => Ok(*value),
        Held::Unknown(reason) => Err(Stop::Not(format!("{}: {reason}", cell.name))),
        _ => Err(Stop::Not(format!("{} was not recorded", cell.name))),
    }
}

/// The fields of an object that are recorded.
pub(super) fn fields(
    history: &History,
    object: ObjectId,
    interval: Interval,
) -> Result<Vec<Cell>, Stop> {
    let mut notes = Notes::default();
    let cells = history.field_cells(object, interval, 0, MOST_VARIABLES, &mut notes)?;
    if cells.next.is_some() || notes.damaged {
        return Err(not("not all fields of an object were recorded"));
    }
    let is_outside = |cell: &Cell| cell.end == Held::Unknown(OUTSIDE.into());
    Ok(cells
        .cells
        .into_iter()
        .filter(|cell| !is_outside(cell))
        .collect())
}

/// All objects that some reach, and whether anything of them was written between two times.
pub(super) struct Reached<'h> {
    history: &'h History,
    interval: Interval,
    /// Those that can change or hold something.
    pub(super) objects: FxHashSet<ObjectId>,
    pub(super) changed: bool,
}

impl<'h> Reached<'h> {
    /// Written after `from`, and not after `to`; reached at `to`.
    pub(super) fn new(history: &'h History, from: Timestamp, to: Timestamp) -> Self {
        Self {
            history,
            interval: Interval { from, to },
            objects: FxHashSet::default(),
            changed: false,
        }
    }

    /// Adds what an object reaches, itself included.
    pub(super) fn add(&mut self, object: ObjectId) -> Result<(), Stop> {
        let mut next = vec![object];
        while let Some(object) = next.pop() {
            let info = info(self.history, object)?;
            let is_leaf = matches!(
                info.content,
                Content::String(_)
                    | Content::Box(_)
                    | Content::Class(_)
                    | Content::Shown(_)
                    | Content::Enum(_)
            );
            if is_leaf || !self.objects.insert(object) {
                continue;
            }
            if self.objects.len() > MOST_VARIABLES {
                return Err(Stop::Not(format!(
                    "it goes by more than {MOST_VARIABLES} objects"
                )));
            }
            self.inside(object, &info, &mut next)?;
        }
        Ok(())
    }

    fn inside(
        &mut self,
        object: ObjectId,
        info: &ObjectInfo,
        next: &mut Vec<ObjectId>,
    ) -> Result<(), Stop> {
        let history = self.history;
        if let Content::Array(length) = info.content {
            let mut notes = Notes::default();
            let limit = MOST_VARIABLES + 1;
            let cells = history.object_cells(object, self.interval, 0, limit, &mut notes)?;
            if (length as usize) > MOST_VARIABLES {
                return Err(Stop::Not(format!(
                    "an array has more than {MOST_VARIABLES} elements"
                )));
            }
            return self.cells(&cells.cells, next);
        }
        if let Content::Lambda { captured, .. } = &info.content {
            next.extend(captured.iter().filter_map(|value| value.object()));
        }
        let (before, after) = (
            history.contents_at(object, self.interval.from)?,
            history.contents_at(object, self.interval.to)?,
        );
        match after.as_ref() {
            Contents::Unknown(reason) => return Err(Stop::Not(reason.clone())),
            Contents::Known(known) => {
                self.changed |= before != after;
                items(&known.items, &mut |value| next.extend(value.object()));
            }
            Contents::None => {}
        }
        let fields = fields(history, object, self.interval)?;
        self.cells(&fields, next)
    }

    fn cells(&mut self, cells: &[Cell], next: &mut Vec<ObjectId>) -> Result<(), Stop> {
        for cell in cells {
            self.changed |= cell.changed;
            next.extend(held(cell)?.object());
        }
        Ok(())
    }
}

/// All values that are held.
fn items(items: &Items, visit: &mut dyn FnMut(Value)) {
    match items {
        Items::Elements(values) => values.iter().for_each(|value| visit(*value)),
        Items::Entries(entries) => entries.iter().for_each(|(key, value)| {
            visit(*key);
            visit(*value);
        }),
        Items::Value(value) => visit(*value),
        Items::Named(parts) => parts.iter().for_each(|(_, value)| visit(*value)),
        Items::Text(_) | Items::View { .. } => {}
    }
}
