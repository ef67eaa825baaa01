//! What objects of the JDK hold: told where a call may have changed it ([`Held`]), worked out where it follows
//! ([`crate::contents`]), and unknown where neither is so.
//!
//! Code out of the scope runs beside other threads. What two threads change is unknown for good; what one
//! changes is unknown to the others while its call runs.

use std::rc::Rc;

use jhyde_bytecode::InvokeKind;
use jhyde_trace::{CallId, Change, Event, EventKind, Items, ObjectId, ThreadId, Timestamp, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Deriver;
use super::routine::Callee;
use super::thread::{Outside, Running, Thread};
use super::world::same_value;
use crate::contents::methods::{Touches, touches};
use crate::contents::{Container, Contents, Modelled, Order, Shape, Whole, difference, edit};
use crate::probe::log::{Held, Holds, Object, Raw, Told};
use crate::probe::plan::Lambda;
use crate::program::{Named, Program};

const INSIDE: &str = "the call that may change it has not ended";
const MEANWHILE: &str = "another thread uses it at the same time";
const UNSEEN: &str = "a call may have changed it whose effects were not told";
const THROWN: &str = "a call that may have changed it ended by an exception";
const LIBRARY: &str = "code of a library has it, and may have changed it";
const REFLECTED: &str = "code that uses reflection may have changed it";
const KEPT: &str = "it was given to a method that may be called at any time";

/// What is known of what objects hold.
#[derive(Debug)]
pub(super) struct Holdings {
    pub(super) contents: Contents,
    /// Objects that a running call out of the scope may be changing, and the thread that made it.
    open: FxHashMap<ObjectId, ThreadId>,
    /// Lambdas that run code of the scope.
    tame: FxHashSet<ObjectId>,
    /// The Java version of the JVM.
    version: i32,
    wanted: bool,
}

impl Holdings {
    pub(super) fn new(wanted: bool, version: i32) -> Self {
        Self {
            contents: Contents::new(wanted),
            open: FxHashMap::default(),
            tame: FxHashSet::default(),
            version,
            wanted,
        }
    }
}

impl Deriver {
    /// A call leaves the scope: what other threads know of what it may change is not certain until it ends.
    pub(super) fn contents_leave(&mut self, thread: &Thread, outside: &Outside) {
        if !self.holdings.wanted {
            return;
        }
        let at = outside.call;
        for object in outside.operands.iter().filter_map(|value| value.object()) {
            let by = self.holdings.open.get(&object);
            if by.is_some_and(|by| *by != thread.id) {
                self.lose_content(at, object, MEANWHILE);
            }
        }
        for object in self.may_change(&outside.callee, &outside.operands) {
            let Some(container) = self.holdings.contents.get_mut(object) else {
                // It holds nothing that is told.
                continue;
            };
            if !container.shape.is_immutable() {
                container.touch(u64::from(thread.id.0));
                self.holdings.open.insert(object, thread.id);
            }
        }
    }

    /// Code out of the scope calls back: what it has done by then is not known, unless it is known to do nothing before.
    pub(super) fn contents_at_callback(&mut self, thread: &Thread, method: &str) {
        let Some(Running::Outside(outside)) = thread.stack.last() else {
            return;
        };
        if !self.holdings.wanted || changes_nothing_yet(&outside.callee.named, method) {
            return;
        }
        let at = outside.call;
        for object in self.may_change(&outside.callee, &outside.operands) {
            self.lose_content(at, object, INSIDE);
        }
        if is_library(&outside.callee.named) {
            self.library_ran(at);
        }
    }

    /// A call out of the scope ended by an exception.
    pub(super) fn contents_after_throw(&mut self, thread: &mut Thread) {
        let Some(Running::Outside(outside)) = thread.stack.last() else {
            return;
        };
        if !self.holdings.wanted {
            return;
        }
        let at = outside.call;
        for object in self.may_change(&outside.callee, &outside.operands) {
            self.holdings.open.remove(&object);
            self.lose_content(at, object, THROWN);
        }
        if is_library(&outside.callee.named) {
            self.library_ran(at);
        }
    }

    /// A call out of the scope has returned: what it did to what it was shown.
    pub(super) fn contents_behind(
        &mut self,
        thread: &mut Thread,
        program: &mut Program,
        result: Option<Value>,
    ) {
        let told = std::mem::take(&mut thread.held);
        let Some(Running::Outside(outside)) = thread.stack.last() else {
            return;
        };
        if !self.holdings.wanted {
            return;
        }
        let at = outside.call;
        let named = &outside.callee.named;
        let made = result.and_then(Value::object);
        if named.kind == InvokeKind::Dynamic {
            // What a lambda of the scope changes of what it captured is seen when it runs.
            let wild = |lambda: &Rc<Lambda>| lambda.is_wild;
            let is_wild = outside.open.lambda.as_ref().is_some_and(wild);
            let captured: Vec<_> = objects(&outside.operands).collect();
            for &object in captured.iter().filter(|_| is_wild) {
                self.lose_content(at, object, KEPT);
            }
            match made {
                Some(made) if is_wild => self.holdings.contents.is_wild(made, &captured),
                Some(made) => _ = self.holdings.tame.insert(made),
                None => {}
            }
            self.observe(at, program, told, (&[], None));
            return;
        }
        let receiver = outside.receiver();
        let constructs = named.name == "<init>";
        let changed = self.may_change(&outside.callee, &outside.operands);
        let follows = receiver
            .filter(|receiver| changed.contains(receiver))
            .and_then(|receiver| self.predicted(program, receiver, outside, result));
        let behind = Behind {
            named,
            arguments: outside.arguments(),
            result,
            receiver,
            follows,
        };
        let seen = self.observe(at, program, told, (&changed, Some(behind)));
        for &object in &changed {
            self.holdings.open.remove(&object);
            if !seen.contains(&object) {
                self.lose_content(at, object, UNSEEN);
            }
        }
        if is_library(named) {
            for object in objects(&outside.operands) {
                self.hand_over(object);
            }
            self.library_ran(at);
        }
        let made = made.or(receiver.filter(|_| constructs));
        if let Some(made) = made.filter(|&made| self.reaches_others(program, made)) {
            let shown = objects(&outside.operands).filter(|&object| object != made);
            self.holdings.contents.reaches(made, shown);
        }
    }

    /// A method of the scope returns an object to code out of it.
    pub(super) fn contents_returned(&mut self, thread: &Thread, object: ObjectId) {
        let below = thread.stack.iter().rev().nth(1);
        let to_jdk =
            matches!(below, Some(Running::Outside(outside)) if !is_library(&outside.callee.named));
        if self.holdings.wanted && !to_jdk {
            self.hand_over(object);
        }
    }

    /// What objects hold that came into the scope: arguments of its methods, values of fields.
    pub(super) fn contents_seen(&mut self, thread: &mut Thread, program: &mut Program) {
        let told = std::mem::take(&mut thread.held);
        if !told.is_empty() && self.holdings.wanted {
            let at = thread.current();
            self.observe(at, program, told, (&[], None));
        }
    }

    /// Code that uses reflection runs from here on: what it changes nobody sees.
    pub(super) fn contents_reflected(&mut self, thread: &Thread) {
        if self.holdings.wanted {
            let at = thread.current();
            for object in self.holdings.contents.all() {
                self.lose_content(at, object, REFLECTED);
            }
        }
    }

    /// What such a call may change of what it is shown, and what lies behind that.
    fn may_change(&self, callee: &Callee, operands: &[Value]) -> Vec<ObjectId> {
        let named = &callee.named;
        let receiver = || objects(operands).take(usize::from(named.kind.has_receiver()));
        let contents = &self.holdings.contents;
        let runs = objects(operands)
            .next()
            .filter(|_| named.kind == InvokeKind::Interface);
        if runs.is_some_and(|lambda| self.holdings.tame.contains(&lambda)) {
            // Code of the scope runs, and nothing else.
            return Vec::new();
        }
        let shown: Vec<ObjectId> = objects(operands).collect();
        let behind = contents.behind(&shown);
        if named.kind != InvokeKind::Dynamic && contents.any_wild(&behind) {
            return contents.held_by(&behind);
        }
        let touched: Vec<ObjectId> = match touches(named) {
            _ if only_visits(named) => Vec::new(),
            _ if named.kind == InvokeKind::Dynamic => Vec::new(),
            // What a stream goes through it only reads.
            _ if named.class.starts_with("java.util.stream.") => {
                let skip = usize::from(named.kind.has_receiver());
                objects(operands.get(skip..).unwrap_or_default()).collect()
            }
            Touches::Nothing => receiver()
                .filter(|&object| {
                    let known = self.holdings.contents.get(object);
                    // Of such a map it is not told whether looking at it changes its order.
                    known.is_some_and(|known| known.by_access)
                })
                .collect(),
            Touches::Receiver => receiver().collect(),
            Touches::All => shown,
        };
        contents.behind(&touched)
    }

    /// What follows for the receiver of a call that returned: what it holds now, and how its keys are ordered.
    fn predicted(
        &self,
        program: &Program,
        receiver: ObjectId,
        outside: &Outside,
        result: Option<Value>,
    ) -> Option<Follows> {
        let class = program.name_of(self.heap.class(receiver)?)?;
        let contents = &self.holdings.contents;
        let held = contents.get(receiver).and_then(Container::items);
        let text = |object| self.heap.text(object);
        let (named, arguments) = (&outside.callee.named, outside.arguments());
        let (change, order) = if matches!(&*class, BUILDER | BUFFER) {
            (self.edited(held, named, arguments)?, None)
        } else {
            match contents.modelled(text, &class, named, arguments, receiver) {
                (Modelled::Does(change, yields), order) => {
                    let known = yields.filter(|&yields| crate::mirror::is_known(yields));
                    if known
                        .zip(result)
                        .is_some_and(|(one, other)| !same_value(one, other))
                    {
                        return None;
                    }
                    (change, order)
                }
                (Modelled::Unknown, _) => return None,
            }
        };
        let mut after = match held {
            Some(items) => after_whole(items.clone()),
            None => jhyde_trace::Held::Nothing,
        };
        if let Some(change) = &change {
            after.apply(change);
        }
        match after {
            jhyde_trace::Held::Items { items, .. } => Some(Follows { items, order }),
            _ => None,
        }
    }

    /// What a call made of the text of a builder.
    fn edited(
        &self,
        held: Option<&Items>,
        named: &Named,
        arguments: &[Value],
    ) -> Option<Option<Change>> {
        let text = |value: Value| self.heap.text(value.object()?);
        let whole = |units: &[u16]| Some(Some(Change::Whole(Items::Text(units.into()))));
        match (named.name.as_str(), arguments) {
            ("<init>", [] | [Value::Int(_)]) => whole(&[]),
            ("<init>", [value]) => whole(text(*value)?),
            (name, _) => {
                let Some(Items::Text(held)) = held else {
                    return None;
                };
                let version = self.holdings.version;
                Some(edit(name, arguments, held, version, text)?.change())
            }
        }
    }

    /// Takes in what was told of objects, of which a call may have changed these. Gives those of which it is known what they
    /// hold now.
    fn observe(
        &mut self,
        at: CallId,
        program: &mut Program,
        told: Vec<Held>,
        (changed, behind): (&[ObjectId], Option<Behind<'_>>),
    ) -> Vec<ObjectId> {
        let mut seen = Vec::new();
        for held in told {
            let Some(object) = self.holder(at, program, &held) else {
                // Which one it is cannot be told: what each of them holds is not known from a call on that may change it.
                continue;
            };
            let shape = shape_of(&held);
            let own = behind
                .as_ref()
                .filter(|behind| behind.receiver == Some(object));
            let Some(items) = self.items(at, program, object, held.holds, own) else {
                continue;
            };
            if !self.holdings.contents.knows(object) {
                self.holdings.contents.add(object, Container::new(shape));
            }
            let follows = own.and_then(|own| own.follows.as_ref());
            let order = follows.filter(|follows| follows.items == items);
            let order = order.and_then(|follows| follows.order);
            self.holds(at, object, items, order, !changed.contains(&object));
            seen.push(object);
        }
        let Some(Behind {
            receiver: Some(receiver),
            follows: Some(follows),
            ..
        }) = behind
        else {
            return seen;
        };
        if !seen.contains(&receiver) && self.begins(program, receiver) {
            self.holds(at, receiver, follows.items, follows.order, false);
            seen.push(receiver);
        }
        seen
    }

    /// An object holds something from now on, if its class is one of which that is told. False if not.
    fn begins(&mut self, program: &Program, object: ObjectId) -> bool {
        if self.holdings.contents.knows(object) {
            return true;
        }
        let class = self
            .heap
            .class(object)
            .and_then(|class| program.name_of(class));
        let shape = class.and_then(|class| match &*class {
            BUILDER | BUFFER => Some(Shape::Text),
            class => Shape::of(class),
        });
        if let Some(shape) = shape {
            self.holdings.contents.add(object, Container::new(shape));
        }
        shape.is_some()
    }

    /// The object of which it was told what it holds.
    fn holder(&mut self, at: CallId, program: &mut Program, held: &Held) -> Option<ObjectId> {
        let told = Told::Instance(Rc::clone(&held.class), None);
        let hash = held.hash;
        let reference = Some(Object { hash, told });
        let value = self.reference(program, at, reference).ok()?;
        value.object()
    }

    /// What an object holds, as far as that follows from what was told.
    fn items(
        &mut self,
        at: CallId,
        program: &mut Program,
        object: ObjectId,
        holds: Holds,
        behind: Option<&Behind<'_>>,
    ) -> Option<Items> {
        let before = self
            .holdings
            .contents
            .get(object)
            .and_then(Container::items);
        let follows = behind.and_then(|behind| behind.follows.as_ref());
        Some(match holds {
            Holds::Text(units) => Items::Text(units.into()),
            Holds::Int(value) => Items::Value(Value::Int(value)),
            Holds::Long(value) => Items::Value(Value::Long(value)),
            Holds::Flag(value) => Items::Value(Value::Boolean(value)),
            Holds::Elements(all) => Items::Elements(self.values(at, program, all)?),
            Holds::Entries(all) => {
                let all = self.values(at, program, all)?;
                let pairs = all.chunks_exact(2);
                Items::Entries(pairs.map(|pair| (pair[0], pair[1])).collect())
            }
            Holds::Reference(of) => {
                let empty = of.is_none() && self.is_optional(program, object);
                match self.values(at, program, vec![Raw::Reference(of)])?[..] {
                    [_] if empty => Items::Elements(Vec::new()),
                    [value] if self.is_optional(program, object) => Items::Elements(vec![value]),
                    [value] => Items::Value(value),
                    _ => return None,
                }
            }
            Holds::View(of, part) => {
                let of = self.values(at, program, vec![Raw::Reference(of)])?;
                let of = of.first().copied().and_then(Value::object)?;
                self.holdings.contents.reaches(object, [of]);
                Items::View { of, part }
            }
            Holds::Size { count, place } => match follows {
                Some(follows) if follows.items.len() == count => follows.items.clone(),
                Some(_) => return None,
                None => placed(before?, count, place?, behind?)?,
            },
            Holds::Tail { length, end } => {
                let Some(Items::Text(text)) = before else {
                    return None;
                };
                let grown = length.checked_sub(text.len())?;
                let known = end.len().checked_sub(grown)?;
                let (kept, new) = end.split_at(known);
                let appends = behind.is_some_and(|behind| behind.named.name == "append");
                if !appends || !text.ends_with(kept) {
                    return None;
                }
                Items::Text([text, new].concat().into())
            }
        })
    }

    fn is_optional(&self, program: &Program, object: ObjectId) -> bool {
        let class = self
            .heap
            .class(object)
            .and_then(|class| program.name_of(class));
        class.as_deref() == Some("java.util.Optional")
    }

    /// References; `None` if one of them cannot be told.
    fn values(&mut self, at: CallId, program: &mut Program, all: Vec<Raw>) -> Option<Vec<Value>> {
        let value = |raw| match raw {
            Raw::Reference(reference) => self.reference(program, at, reference).ok(),
            _ => None,
        };
        all.into_iter().map(value).collect()
    }

    /// It is known what an object holds.
    fn holds(
        &mut self,
        at: CallId,
        object: ObjectId,
        items: Items,
        order: Option<Order>,
        snapshot: bool,
    ) {
        let Some(container) = self.holdings.contents.get_mut(object) else {
            // Not so: it was known, or has been added.
            return;
        };
        if container.is_exposed || container.is_shared {
            let reason = if container.is_exposed {
                KEPT
            } else {
                MEANWHILE
            };
            self.lose_content(at, object, reason);
            return;
        }
        container.order = order;
        let change = match container.items() {
            Some(before) => difference(before, items),
            None => Some(Change::Whole(items)),
        };
        let again = change.as_ref().and_then(|change| container.follow(change));
        let now = Timestamp(self.outlet.now());
        self.holdings.contents.told(now);
        self.holdings.contents.was_read(object);
        for (change, snapshot) in [(change, snapshot), (again, true)] {
            if let Some(change) = change {
                self.content_event(at, object, snapshot, change);
            }
        }
    }

    /// It is not known any more what an object holds.
    fn lose_content(&mut self, at: CallId, object: ObjectId, reason: &str) {
        let since = self.holdings.contents.doubtful_since(object);
        let Some(container) = self.holdings.contents.get_mut(object) else {
            // It holds nothing that is told.
            return;
        };
        // A list that shows an array changes with that.
        let of_array = match container.items() {
            Some(Items::View { of, .. }) => self.heap.elements(*of).is_some(),
            _ => false,
        };
        if container.shape.is_immutable() && container.items().is_some() && !of_array {
            return;
        }
        if let Some(change) = container.lose(reason.to_owned(), since) {
            self.content_event(at, object, true, change);
        }
    }

    fn content_event(&mut self, at: CallId, object: ObjectId, snapshot: bool, change: Change) {
        let kind = EventKind::Content {
            object,
            snapshot,
            change,
        };
        self.outlet.event(at, Event::NO_INDEX, kind);
    }

    /// A library has an object, with what it holds.
    fn hand_over(&mut self, object: ObjectId) {
        let (mut open, mut given) = (vec![object], Vec::new());
        while let Some(object) = open.pop() {
            if !given.contains(&object) {
                given.push(object);
                open.extend(self.holdings.contents.give(object));
            }
        }
    }

    /// Code of a library has run: what it has may be another now.
    fn library_ran(&mut self, at: CallId) {
        self.holdings.contents.library_ran();
        for object in self.holdings.contents.all_given() {
            self.lose_content(at, object, LIBRARY);
        }
    }

    /// May an object that a call made change what the call was shown: an iterator, a view, an entry?
    fn reaches_others(&self, program: &Program, made: ObjectId) -> bool {
        let class = self.heap.class(made);
        let Some(class) = class.filter(|&class| !program.is_class_in_scope(class)) else {
            return false;
        };
        let name = program.name_of(class).unwrap_or_default();
        let alone = ["java.lang.", "java.time.", "java.math."];
        let shape = Shape::of(&name);
        let holds_alone = shape.is_some_and(|shape| {
            !matches!(
                shape,
                Shape::View { .. }
                    | Shape::SubList
                    | Shape::Entry { .. }
                    | Shape::Buffer
                    | Shape::Iterator { .. }
                    | Shape::Rest(_)
                    | Shape::SortedPart { .. }
            )
        });
        // Parts of sorted sets are of the class of the whole.
        let may_be_part = matches!(
            &*name,
            "java.util.TreeSet" | "java.util.concurrent.ConcurrentSkipListSet"
        );
        (may_be_part || !holds_alone) && !alone.iter().any(|begins| name.starts_with(begins))
    }
}

/// What is known of a call behind it.
struct Behind<'a> {
    named: &'a Named,
    arguments: &'a [Value],
    result: Option<Value>,
    receiver: Option<ObjectId>,
    /// What its receiver holds, where that follows.
    follows: Option<Follows>,
}

/// What follows for the receiver of a call.
struct Follows {
    items: Items,
    order: Option<Order>,
}

const BUILDER: &str = "java.lang.StringBuilder";
const BUFFER: &str = "java.lang.StringBuffer";

fn objects(operands: &[Value]) -> impl Iterator<Item = ObjectId> {
    operands.iter().filter_map(|value| value.object())
}

fn after_whole(items: Items) -> jhyde_trace::Held {
    let length = items.len();
    jhyde_trace::Held::Items { items, length }
}

fn shape_of(held: &Held) -> Shape {
    match (&*held.class, &held.holds) {
        (BUILDER | BUFFER, _) => Shape::Text,
        ("java.util.RegularEnumSet" | "java.util.JumboEnumSet", _) => Shape::EnumSet,
        (class, Holds::View(..)) => Shape::of(class).unwrap_or(Shape::View {
            of: "c",
            part: Whole::Same,
        }),
        ("java.util.Stack", _) => Shape::Ring,
        // Others are none that the probe class tells of; whatever they are, they may change.
        (class, _) => Shape::of(class).unwrap_or(Shape::Ring),
    }
}

/// What a collection holds whose order no other element changes, when a call has put something there.
fn placed(before: &Items, count: usize, place: usize, behind: &Behind<'_>) -> Option<Items> {
    let (name, arguments) = (behind.named.name.as_str(), behind.arguments);
    let key = *arguments.first()?;
    match before {
        Items::Elements(held) if name == "add" => {
            let mut held = held.clone();
            match count.checked_sub(held.len())? {
                0 if held.get(place) == Some(&key) => {}
                1 if place <= held.len() => held.insert(place, key),
                _ => return None,
            }
            Some(Items::Elements(held))
        }
        Items::Entries(held) => {
            let mut held = held.clone();
            let grown = count.checked_sub(held.len())?;
            let value = match name {
                "put" => *arguments.get(1)?,
                "putIfAbsent" if grown == 1 => *arguments.get(1)?,
                "merge" | "compute" | "computeIfAbsent" => {
                    behind.result.filter(|&result| result != Value::Null)?
                }
                _ => return None,
            };
            match grown {
                0 if held.get(place).is_some_and(|entry| entry.0 == key) => held[place].1 = value,
                1 if place <= held.len() => held.insert(place, (key, value)),
                _ => return None,
            }
            Some(Items::Entries(held))
        }
        _ => None,
    }
}

/// Does a method of a collection only look at what it is called on, although it is given a function?
fn only_visits(named: &Named) -> bool {
    named.class.starts_with("java.util.") && named.name == "forEach"
}

/// Has a call done nothing yet when it calls this method of the scope?
fn changes_nothing_yet(named: &Named, method: &str) -> bool {
    let compares = matches!(method, "hashCode" | "equals");
    let computes = matches!(
        named.name.as_str(),
        "computeIfAbsent" | "computeIfPresent" | "compute" | "merge"
    );
    only_visits(named)
        || named.class.starts_with("java.util.stream.")
        || (named.class.starts_with("java.util.")
            && (compares || computes && method != "compareTo"))
}

/// Is it code of a library, which may keep what it is shown?
fn is_library(named: &Named) -> bool {
    let jdk = ["java.", "javax.", "jdk.", "sun."];
    named.kind != InvokeKind::Dynamic
        && !named.class.ends_with("[]")
        && !jdk.iter().any(|begins| named.class.starts_with(begins))
}
