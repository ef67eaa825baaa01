//! Objects of a class: where they were made, or first met.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use jhyde_trace::block::ShapeKind;
use jhyde_trace::{
    Block, CallId, Change, ClassId, ClassInfo, Event, EventKind, ObjectId, Outcome, Timestamp,
    Value, Variable,
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

/// The objects of some classes, as they were first met in the span: looks into all of its blocks.
pub(crate) fn met(
    ask: &Ask<'_>,
    kinds: &Kinds,
    span: Span,
    each: &mut dyn FnMut(Met) -> Result<()>,
) -> Result<()> {
    let recording = ask.history.recording();
    let mut known = ObjectSet::default();
    let mut objects = Vec::new();
    for block in recording.blocks(span.range()) {
        ask.history.check()?;
        let Some(block) = ask.readable(block)? else {
            continue;
        };
        // Events are made only of those that name an object for the first time, or may.
        let (references, shapes) = (block.references(), block.shape_kinds());
        let names_new = |at: usize, known: &ObjectSet| {
            let owner = match shapes.get(block.shape_number(at)) {
                Some(ShapeKind::Content | ShapeKind::OtherWrite) => return true,
                Some(ShapeKind::New(_) | ShapeKind::Field(_) | ShapeKind::Element) => {
                    Some(block.owner(at))
                }
                _ => None,
            };
            let mut named = references.of(at).chain(owner);
            named.any(|object| !known.contains(object))
        };
        for at in positions(&block, &span.range()) {
            if !names_new(at, &known) {
                continue;
            }
            let Some(event) = recording.told(&block, at) else {
                continue;
            };
            let made = match event.kind {
                EventKind::New { object, .. } => Some(object),
                _ => None,
            };
            objects.clear();
            objects_in(&event, &mut objects);
            for object in objects.drain(..) {
                if !known.insert(object) {
                    continue;
                }
                let class = match event.kind {
                    EventKind::New { class, .. } if made == Some(object) => Some(class),
                    _ => ask.class_of(object)?,
                };
                let is = kinds.has(class);
                if is != Is::No {
                    each(Met {
                        object,
                        at: block.timestamp(at),
                        call: event.call,
                        index: event.index,
                        made: made == Some(object),
                        unsure: is == Is::Unknown,
                    })?;
                }
            }
        }
    }
    Ok(())
}

/// The positions of a block in a stretch of time.
fn positions(block: &Block, range: &Range<Timestamp>) -> Range<usize> {
    let position = |at: Timestamp| {
        let at = at.0.saturating_sub(block.first().0);
        usize::try_from(at).map_or(block.len(), |at| at.min(block.len()))
    };
    position(range.start)..position(range.end)
}

/// Objects, a bit each: they are numbered in the order in which they were met.
#[derive(Debug, Default)]
struct ObjectSet {
    /// By the numbers above the lowest twelve bits.
    pages: FxHashMap<u64, Box<[u64; 64]>>,
}

impl ObjectSet {
    /// The page of an object, the word there, and its bit.
    fn place(object: ObjectId) -> (u64, usize, u64) {
        let low = object.0 & 0xfff;
        (object.0 >> 12, (low / 64) as usize, 1 << (low % 64))
    }

    fn contains(&self, object: ObjectId) -> bool {
        let (page, word, bit) = Self::place(object);
        self.pages
            .get(&page)
            .is_some_and(|page| page[word] & bit != 0)
    }

    /// Was it not there yet?
    fn insert(&mut self, object: ObjectId) -> bool {
        let (page, word, bit) = Self::place(object);
        let page = self.pages.entry(page).or_insert_with(|| Box::new([0; 64]));
        let is_new = page[word] & bit == 0;
        page[word] |= bit;
        is_new
    }
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
            let owner = match variable {
                Variable::Field { object, .. } | Variable::Content { object, .. } => Some(*object),
                Variable::Element { array, .. } => Some(*array),
                _ => None,
            };
            owner.map(Value::Object).iter().for_each(&mut add);
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
    let mut unsure = 0_u64;
    met(ask, &kinds, span, &mut |met| {
        if met.unsure {
            unsure += 1;
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
    if unsure > 0 {
        ask.note(format!(
            "{unsure} objects more may be some: what their classes extend is not recorded (lambdas, classes outside the scope)"
        ));
    }
    if !kinds.are_in_scope() {
        ask.note(
            "the class is outside the scope: its objects are listed where recorded calls made or met them, and there \
             may be others",
        );
    }
    ask.note_hidden()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_is_new_once() {
        let mut known = ObjectSet::default();
        for object in [0, 1, 63, 64, 4095, 4096, u64::MAX].map(ObjectId) {
            assert!(!known.contains(object));
            assert!(known.insert(object));
            assert!(known.contains(object) && !known.insert(object));
        }
        assert!(!known.contains(ObjectId(2)));
    }
}
