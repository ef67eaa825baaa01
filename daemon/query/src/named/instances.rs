//! Objects of a class: where they were made, or first met.

use std::collections::VecDeque;
use std::sync::Arc;

use jhyde_store::records::Direction;
use jhyde_trace::{
    CallId, Change, ClassId, ClassInfo, Event, EventKind, ObjectId, Outcome, Timestamp, Value,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::objects::fields;
use crate::answer::{Cell, Row};
use crate::error::Result;
use crate::prepared::Ask;
use crate::span::Span;

/// The classes of a name with their known subclasses and implementations.
#[derive(Debug)]
pub(crate) struct Kinds {
    /// Those that were named.
    pub(crate) named: Vec<Arc<ClassInfo>>,
    all: FxHashSet<ClassId>,
    /// Classes of which it is not known what they extend: they may be some of them.
    unknown: FxHashSet<ClassId>,
    /// `java.lang.Object` was named.
    everything: bool,
}

/// Is it one?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Is {
    Yes,
    No,
    /// It is not recorded what its class extends, or what its class is.
    Unknown,
}

impl Kinds {
    pub(crate) fn of(ask: &Ask<'_>, name: &str) -> Result<Self> {
        let named = ask.classes("class", name)?;
        let recording = ask.history.recording();
        let mut by_super: FxHashMap<String, Vec<ClassId>> = FxHashMap::default();
        let mut roots = Vec::new();
        let asks_for_java = named.iter().any(|class| class.name.starts_with("java."));
        for id in recording.classes() {
            let Some(class) = recording.class(id)? else {
                continue;
            };
            for of in class.super_name.iter().chain(&class.interfaces) {
                by_super.entry(of.clone()).or_default().push(id);
            }
            // Arrays extend nothing that anybody asks for. Classes of `java.` are defined by the JVM's own loader alone
            // (ClassLoader.defineClass refuses them to others), which knows no class of a program.
            let is_open = class.super_name.is_none() && !class.name.ends_with(']');
            if is_open && (asks_for_java || !class.name.starts_with("java.")) {
                roots.push(id);
            }
        }
        let mut all: FxHashSet<ClassId> = FxHashSet::default();
        let mut open: VecDeque<ClassId> = named.iter().map(|class| class.id).collect();
        while let Some(id) = open.pop_front() {
            if all.insert(id)
                && let Some(class) = recording.class(id)?
            {
                open.extend(by_super.get(&class.name).into_iter().flatten());
            }
        }
        let roots = roots.into_iter().filter(|id| !all.contains(id));
        let everything = named.iter().any(|class| class.name == "java.lang.Object");
        Ok(Self {
            everything,
            named,
            unknown: roots.collect(),
            all,
        })
    }

    /// Is an object of this class one?
    pub(crate) fn has(&self, class: Option<ClassId>) -> Is {
        match class {
            _ if self.everything => Is::Yes,
            Some(class) if self.all.contains(&class) => Is::Yes,
            Some(class) if self.unknown.contains(&class) => Is::Unknown,
            Some(_) => Is::No,
            None => Is::Unknown,
        }
    }

    /// Are all that were named recorded classes?
    pub(crate) fn are_in_scope(&self) -> bool {
        self.named.iter().all(|class| class.in_scope)
    }

    /// Is an interface among those that were named?
    pub(crate) fn has_interface(&self) -> bool {
        const INTERFACE: u32 = 0x0200;
        self.named
            .iter()
            .any(|class| class.modifiers & INTERFACE != 0)
    }
}

/// An object that was met for the first time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Met {
    pub(crate) object: ObjectId,
    pub(crate) at: Timestamp,
    pub(crate) call: CallId,
    pub(crate) index: u32,
    /// It was made there.
    pub(crate) made: bool,
    /// It may be of another class: what its class extends is not recorded.
    pub(crate) unsure: bool,
}

/// The objects of some classes, as they were first met in the span: reads all of its events.
pub(crate) fn met(
    ask: &Ask<'_>,
    kinds: &Kinds,
    span: Span,
    each: &mut dyn FnMut(Met) -> Result<()>,
) -> Result<()> {
    /// So many objects of other classes are kept in mind.
    const OTHERS: usize = 1 << 20;
    let mut seen: FxHashSet<ObjectId> = FxHashSet::default();
    let mut others: FxHashSet<ObjectId> = FxHashSet::default();
    let events = ask
        .history
        .recording()
        .events(span.range(), None, Direction::Forward);
    for event in events {
        ask.history.check()?;
        let event = match event {
            Err(jhyde_store::Error::Damaged { .. }) => continue,
            event => event?,
        };
        let made = match event.event.kind {
            EventKind::New { object, .. } => Some(object),
            _ => None,
        };
        let mut objects = Vec::new();
        objects_in(&event.event, &mut objects);
        for object in objects {
            if seen.contains(&object) || others.contains(&object) {
                continue;
            }
            let class = match event.event.kind {
                EventKind::New { class, .. } if made == Some(object) => Some(class),
                _ => ask.class_of(object)?,
            };
            let is = kinds.has(class);
            if is == Is::No {
                if others.len() >= OTHERS {
                    others.clear();
                }
                others.insert(object);
                continue;
            }
            seen.insert(object);
            each(Met {
                object,
                at: event.timestamp,
                call: event.event.call,
                index: event.event.index,
                made: made == Some(object),
                unsure: is == Is::Unknown,
            })?;
        }
    }
    Ok(())
}

/// The objects that an event names.
fn objects_in(event: &Event, objects: &mut Vec<ObjectId>) {
    let mut add = |value: &Value| objects.extend(value.object());
    match &event.kind {
        EventKind::New { object, .. } | EventKind::Monitor { object, .. } => objects.push(*object),
        EventKind::Enter {
            receiver,
            arguments,
            ..
        } => receiver.iter().chain(arguments).for_each(add),
        EventKind::Exit {
            outcome: Outcome::Returned(Some(value)) | Outcome::Threw(value),
        }
        | EventKind::Thrown { exception: value }
        | EventKind::Caught { exception: value }
        | EventKind::Uncaught { exception: value } => add(value),
        EventKind::Write { variable, value } | EventKind::Snapshot { variable, value } => {
            if let jhyde_trace::Variable::Field { object, .. } = variable {
                add(&Value::Object(*object));
            }
            add(value);
        }
        EventKind::Content { object, change, .. } => {
            objects.push(*object);
            if let Change::AsTold(others) = change {
                objects.extend(others.iter().map(|(object, _)| *object));
            }
            if let Some(items) = change.items() {
                objects.extend(items.values().iter().filter_map(|value| value.object()));
            }
        }
        _ => {}
    }
}

/// `instances`.
pub(crate) fn instances(ask: &Ask<'_>, take: &mut dyn FnMut(Row) -> Result<()>) -> Result<()> {
    let kinds = Kinds::of(ask, ask.needed("class"))?;
    let at = ask.time("at")?;
    let span = Span {
        until: Timestamp(at.0 + 1),
        ..ask.span
    };
    met(ask, &kinds, span, &mut |met| {
        if met.unsure {
            return Ok(());
        }
        let (made, call, place) = match met.made {
            true => (
                Cell::Event(met.at),
                ask.call_cell(met.call)?,
                ask.place_cell(met.call, met.index)?,
            ),
            false => (Cell::Null, Cell::Null, Cell::Null),
        };
        take(vec![
            Cell::Value(ask.history.value_at(Value::Object(met.object), at)?),
            made,
            Cell::Event(met.at),
            call,
            place,
            Cell::Fields(fields(ask, met.object, at)?),
        ])
    })?;
    if !kinds.are_in_scope() {
        ask.note(
            "the class is outside the scope: its objects are listed where recorded calls made or met them, and there \
             may be others",
        );
    }
    ask.note_hidden()
}
