//! What objects of the JDK hold: lists, sets, maps, queues, builders, atomics, numbers, dates.
//!
//! Their code is not recorded, and their fields are nobody's business but the JDK's. What they hold is what a program
//! works with, so it is recorded as their users see it. Which classes hold data, and in which internal fields, is known
//! by their names (`shapes`); where those fields lie is asked of the JVM (`layout`); they are read while their thread
//! stands still (`read`, `tables`, `single`), and what was read is compared with what was known before
//! (`difference`). Which calls change what is in `methods`, and what the commonest of them do to what is known,
//! without a look at the JVM, in `model`, `maps` and `texts`. When all of that is done is the engine's matter: `events/contents`; how it is told, `recorder/contents`.
//! What can never change is read once: `plain`, `fixed`, `shown`,
//! `dates`, `numbers`.
//!
//! A content that is told is right, or it is unknown: where fields have other names, where there is too much, where
//! another thread may change it meanwhile.

mod dates;
mod difference;
mod fixed;
mod holders;
mod iterators;
mod layout;
mod maps;
pub(crate) mod methods;
mod model;
mod modelled;
mod numbers;
mod plain;
mod queues;
mod read;
mod shapes;
mod shown;
mod single;
mod sorted;
mod tables;
mod texts;

use jhyde_trace::{Change, Held, Items, ObjectId, Timestamp, Value};
use rustc_hash::{FxHashMap, FxHashSet};

pub(crate) use difference::difference;
pub(crate) use fixed::Fixed;
pub(crate) use holders::held_by;
pub(crate) use layout::Layouts;
pub(crate) use maps::Order;
use maps::{Key, model as model_map};
use model::model;
pub(crate) use model::{Modelled, looked_up, moved};
pub(crate) use plain::FixedKind;
pub(crate) use read::{ReadError, Reader, Told, values};
pub(crate) use shapes::{Shape, Table, Whole};
pub(crate) use texts::edit;

/// An object that holds data.
#[derive(Debug)]
pub(crate) struct Container {
    pub(crate) shape: Shape,
    /// What it holds, as far as it was told.
    pub(crate) held: Held,
    /// Looking something up changes its order.
    pub(crate) by_access: bool,
    /// How its keys are ordered, where that is simple.
    pub(crate) order: Option<Order>,
    /// The thread that showed it to a call last.
    toucher: Option<u64>,
    /// Several threads use it.
    pub(crate) is_shared: bool,
    /// Code that nobody sees, or the collector, may change it at any time.
    pub(crate) is_exposed: bool,
    /// A library has it, and may change it whenever it runs.
    pub(crate) is_given: bool,
    /// How often libraries had run when it was read last.
    read_at: u64,
    /// Its number among all readings, when it was read last.
    pub(crate) reading: u64,
    /// Events that had been told by then.
    certain: Timestamp,
    /// It is a part of this map, whose changes show in it.
    pub(crate) part_of: Option<ObjectId>,
    /// How often a call that changes it has called back, and not ended yet.
    pub(crate) called_back: u32,
    /// How often it could not be read.
    refusals: u32,
    /// Items of changes since it was told as a whole.
    spliced: usize,
    /// The map that it hides, a set.
    pub(crate) hides: Option<jdwp::ObjectId>,
    /// How often it was another, or lost.
    pub(crate) changes: u64,
    /// That number of what it goes through, an iterator, when its place was told.
    pub(crate) through: u64,
}

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Contents {
    pub(crate) layouts: Layouts,
    containers: FxHashMap<ObjectId, Container>,
    /// What an object that is no container may change: the list of an iterator, what a lambda captured.
    reach: FxHashMap<ObjectId, Vec<ObjectId>>,
    /// The parts of a sorted map or set that were handed out: what changes it, changes them.
    parts: FxHashMap<ObjectId, Vec<ObjectId>>,
    /// Lambdas that run code out of the scope: what that changes, nobody sees.
    wild: FxHashSet<ObjectId>,
    /// Lambdas that run code of the scope and nothing else: its own calls are seen.
    tame: FxHashSet<ObjectId>,
    /// Objects that the scope made, of which it was told what can never change.
    introduced: FxHashSet<ObjectId>,
    /// Objects that the scope made, that hold something, and that have no name yet by which they could be read.
    /// With the threads that made them.
    nameless: Vec<(u64, ObjectId)>,
    /// What is in boxes that were seen.
    boxes: FxHashMap<ObjectId, Value>,
    /// The maps that sets hide, by the JVM's names, with the sets.
    hidden: FxHashMap<jdwp::ObjectId, ObjectId>,
    /// Sets of which it was not asked yet which map they hide.
    unasked: Vec<ObjectId>,
    /// How often code of libraries has run, or a call was made of which nobody knows what it was shown.
    library_runs: u64,
    /// How often an object was read.
    readings: u64,
    /// Events that have been told.
    now: Timestamp,
    /// Its number when such a call was made last.
    blind_run: u64,
}

/// The most objects that are remembered behind another one.
const MOST_REACHED: usize = 8;
/// A whole is told again when the changes since the last one outweigh it, and are more than this.
const LEAST_REPEATED: usize = 256;

impl Container {
    pub(crate) fn new(shape: Shape) -> Self {
        Self {
            shape,
            held: Held::Nothing,
            by_access: false,
            order: None,
            toucher: None,
            is_shared: false,
            is_exposed: shape == Shape::Table(Table::Weak),
            part_of: None,
            called_back: 0,
            is_given: false,
            read_at: 0,
            reading: 0,
            certain: Timestamp(0),
            refusals: 0,
            spliced: 0,
            hides: None,
            changes: 0,
            through: 0,
        }
    }

    /// What it holds, if that is known.
    pub(crate) fn items(&self) -> Option<&Items> {
        match &self.held {
            Held::Items { items, length } if items.len() == *length => Some(items),
            _ => None,
        }
    }

    /// Does it hold several entries, as far as is known? A single one is an entry itself.
    pub(crate) fn is_map(&self) -> bool {
        let is_entry = matches!(self.shape, Shape::Entry { .. });
        !is_entry && matches!(self.items(), Some(Items::Entries(_)))
    }

    /// Is it worth to try and read it? What could not be read is not tried each time.
    pub(crate) fn wants_reading(&self) -> bool {
        self.items().is_none() && (self.refusals + 1).is_power_of_two()
    }

    /// It cannot be told what it holds, nor what it held since that time. Gives what is to be told.
    pub(crate) fn lose(&mut self, reason: String, since: Option<Timestamp>) -> Option<Change> {
        self.refusals += 1;
        self.changes += 1;
        if matches!(self.held, Held::Unknown(_)) {
            return None;
        }
        let change = Change::Unknown { reason, since };
        self.held.apply(&change);
        Some(change)
    }

    /// Follows a change. Gives the whole, if it is time to tell it again.
    pub(crate) fn follow(&mut self, change: &Change) -> Option<Change> {
        self.held.apply(change);
        self.changes += 1;
        if matches!(change, Change::Whole(_)) {
            self.refusals = 0;
            self.spliced = 0;
            return None;
        }
        self.spliced += change.size().max(1);
        let items = self.items()?;
        if self.spliced > items.len().max(LEAST_REPEATED) && 2 * items.len() <= Change::MAX_ITEMS {
            let whole = Change::Whole(items.clone());
            self.spliced = 0;
            return Some(whole);
        }
        None
    }

    /// A thread shows it to a call.
    pub(crate) fn touch(&mut self, thread: u64) {
        self.is_shared |= self.toucher.is_some_and(|last| last != thread);
        self.toucher = Some(thread);
    }
}

impl Contents {
    /// `wanted`: else nothing is recorded but what can never change.
    pub(crate) fn new(wanted: bool) -> Self {
        let mut contents = Self::default();
        contents.layouts.off = !wanted;
        contents
    }

    pub(crate) fn get(&self, object: ObjectId) -> Option<&Container> {
        self.containers.get(&object)
    }

    pub(crate) fn get_mut(&mut self, object: ObjectId) -> Option<&mut Container> {
        self.containers.get_mut(&object)
    }

    /// How an object holds data; of one that is not known, as one that holds nothing.
    pub(crate) fn shape_of(&self, object: ObjectId) -> Shape {
        self.get(object)
            .map_or(Shape::EmptyElements, |container| container.shape)
    }

    pub(crate) fn knows(&self, object: ObjectId) -> bool {
        self.containers.contains_key(&object)
    }

    pub(crate) fn add(&mut self, object: ObjectId, container: Container) {
        self.readings += 1;
        let (read_at, certain) = (self.library_runs, self.now);
        let container = Container {
            read_at,
            reading: self.readings,
            certain,
            ..container
        };
        match (container.shape, container.hides) {
            (Shape::KeysOf(_), Some(map)) => self.hides(object, map),
            (Shape::KeysOf(_), None) => self.unasked.push(object),
            _ => {}
        }
        self.containers.entry(object).or_insert(container);
        // Those that are gone since go when they are most: memory follows what lives.
        if self.unasked.len() > 2 * self.containers.len() {
            let containers = &self.containers;
            self.unasked.retain(|set| containers.contains_key(set));
        }
    }

    /// A set hides a map.
    pub(crate) fn hides(&mut self, set: ObjectId, map: jdwp::ObjectId) {
        if let Some(container) = self.get_mut(set) {
            container.hides = Some(map);
        }
        self.hidden.insert(map, set);
    }

    /// The sets of which it is not known which map they hide; who takes them asks.
    pub(crate) fn unasked(&mut self) -> Vec<ObjectId> {
        let mut all = std::mem::take(&mut self.unasked);
        all.retain(|&set| self.get(set).is_some_and(|set| set.hides.is_none()));
        all
    }

    /// One of them cannot be asked yet.
    pub(crate) fn ask_later(&mut self, set: ObjectId) {
        self.unasked.push(set);
    }

    /// The set that hides a map, if it is known.
    pub(crate) fn set_around(&self, map: jdwp::ObjectId) -> Option<ObjectId> {
        self.hidden.get(&map).copied()
    }

    /// An object may change these from now on.
    pub(crate) fn reaches(&mut self, object: ObjectId, others: impl IntoIterator<Item = ObjectId>) {
        let mut others = others
            .into_iter()
            .filter(|&other| other != object)
            .peekable();
        if others.peek().is_some() {
            let all = self.reach.entry(object).or_default();
            for other in others {
                if all.len() < MOST_REACHED && !all.contains(&other) {
                    all.push(other);
                }
            }
        }
    }

    /// A part was handed out. Gives one that is to be followed no more, if there are too many.
    pub(crate) fn hands_out(&mut self, whole: ObjectId, part: ObjectId) -> Option<ObjectId> {
        let all = self.parts.entry(whole).or_default();
        if !all.contains(&part) {
            all.push(part);
        }
        (all.len() > MOST_REACHED).then(|| all.remove(0))
    }

    /// Is a part followed: do all changes of its whole show?
    pub(crate) fn follows(&self, part: ObjectId) -> bool {
        self.parts.values().any(|parts| parts.contains(&part))
    }

    /// These objects and what lies behind them, each once.
    pub(crate) fn behind(&self, objects: &[ObjectId]) -> Vec<ObjectId> {
        /// Among so few one is looked for one by one.
        const FEW: usize = 32;
        let mut all: Vec<ObjectId> = Vec::new();
        let mut many = FxHashSet::default();
        let mut open: Vec<ObjectId> = objects.iter().rev().copied().collect();
        while let Some(object) = open.pop() {
            if all.len() == FEW && many.is_empty() {
                many.extend(all.iter().copied());
            }
            let is_known = match all.len() < FEW {
                true => all.contains(&object),
                false => !many.insert(object),
            };
            if is_known {
                continue;
            }
            all.push(object);
            if let Some(Items::View { of, .. }) = self.get(object).and_then(Container::items) {
                open.push(*of);
            }
            open.extend(self.reach.get(&object).into_iter().flatten());
            open.extend(self.parts.get(&object).into_iter().flatten());
        }
        all
    }

    /// Code of a library has run: what it has may be another now.
    pub(crate) fn library_ran(&mut self) {
        self.library_runs += 1;
    }

    /// A call was made of which nobody knows what it was shown: it may have changed anything.
    pub(crate) fn anything_changed(&mut self) {
        self.library_runs += 1;
        self.blind_run = self.library_runs;
    }

    /// A library has an object; gives what can be reached through it.
    pub(crate) fn give(&mut self, object: ObjectId) -> Vec<ObjectId> {
        let mut behind = self.reach.get(&object).cloned().unwrap_or_default();
        if let Some(container) = self.containers.get_mut(&object) {
            // What shows an array changes with that.
            let shows = matches!(container.items(), Some(Items::View { .. }));
            container.is_given = shows || !container.shape.is_immutable();
            match container.items() {
                Some(Items::View { of, .. }) => behind.push(*of),
                Some(items) => behind.extend(items.values().into_iter().filter_map(Value::object)),
                None => {}
            }
        }
        behind
    }

    /// May code that nobody saw have changed it since it was read last?
    pub(crate) fn is_in_doubt(&self, object: ObjectId) -> bool {
        self.get(object).is_some_and(|container| {
            let ran = container.read_at < self.library_runs;
            let blind = container.read_at < self.blind_run && !container.shape.is_immutable();
            container.is_exposed || (container.is_given && ran) || blind
        })
    }

    /// It has been read.
    pub(crate) fn was_read(&mut self, object: ObjectId) {
        self.readings += 1;
        let (runs, now, reading) = (self.library_runs, self.now, self.readings);
        if let Some(container) = self.get_mut(object) {
            container.read_at = runs;
            container.reading = reading;
            container.certain = now;
        }
    }

    /// Since when, if so: an event before that was told when it was read.
    pub(crate) fn doubtful_since(&self, object: ObjectId) -> Option<Timestamp> {
        let container = self.get(object).filter(|_| self.is_in_doubt(object));
        container.map(|container| container.certain)
    }

    /// How often an object was read.
    pub(crate) fn readings(&self) -> u64 {
        self.readings
    }

    /// So many events have been told.
    pub(crate) fn told(&mut self, events: Timestamp) {
        self.now = events;
    }

    /// All that may have been changed since it was read last, in order.
    pub(crate) fn all_given(&self) -> Vec<ObjectId> {
        let all = self.containers.keys().copied();
        let mut all: Vec<ObjectId> = all.filter(|&object| self.is_in_doubt(object)).collect();
        all.sort_unstable();
        all
    }

    /// A lambda runs code out of the scope: it may do so at any time.
    pub(crate) fn is_wild(&mut self, lambda: ObjectId, captured: &[ObjectId]) {
        self.wild.insert(lambda);
        for captured in captured {
            if let Some(container) = self.get_mut(*captured) {
                container.is_exposed = true;
            }
        }
    }

    /// A lambda runs code of the scope.
    pub(crate) fn is_tame(&mut self, lambda: ObjectId) {
        self.tame.insert(lambda);
    }

    /// Does it run code of the scope, and nothing else?
    pub(crate) fn runs_scope(&self, object: ObjectId) -> bool {
        self.tame.contains(&object)
    }

    /// Is such a lambda among these?
    pub(crate) fn any_wild(&self, objects: &[ObjectId]) -> bool {
        objects.iter().any(|object| self.wild.contains(object))
    }

    /// It is to be read as soon as it has a name. Few wait at a time: they get their names where they are kept.
    pub(crate) fn waits_for_name(&mut self, thread: u64, object: ObjectId) {
        /// Those that nobody keeps never get a name.
        const MOST_NAMELESS: usize = 16;
        if self.nameless.len() == MOST_NAMELESS {
            self.nameless.remove(0);
        }
        self.nameless.push((thread, object));
    }

    /// Those of them that a thread made and that have a name now.
    pub(crate) fn named_now(
        &mut self,
        thread: u64,
        has_name: impl Fn(ObjectId) -> bool,
    ) -> Vec<ObjectId> {
        if self.nameless.is_empty() {
            return Vec::new();
        }
        let ready = |(maker, object): &mut (u64, ObjectId)| *maker == thread && has_name(*object);
        let ready = self.nameless.extract_if(.., ready);
        ready.map(|(_, object)| object).collect()
    }

    /// True the first time.
    pub(crate) fn introduce(&mut self, object: ObjectId) -> bool {
        self.introduced.insert(object)
    }

    /// It is gone in the JVM.
    pub(crate) fn forget(&mut self, object: ObjectId) {
        let forgotten = self.containers.remove(&object);
        if let Some(map) = forgotten.and_then(|set| set.hides) {
            self.hidden.remove(&map);
        }
        self.reach.remove(&object);
        self.parts.remove(&object);
        self.boxes.remove(&object);
        self.wild.remove(&object);
        self.tame.remove(&object);
        self.introduced.remove(&object);
    }

    /// A box never changes.
    pub(crate) fn keep_box(&mut self, object: ObjectId, value: Value) {
        self.boxes.insert(object, value);
    }

    /// What is in a box.
    pub(crate) fn boxed(&self, object: ObjectId) -> Option<Value> {
        self.boxes.get(&object).copied()
    }
}
