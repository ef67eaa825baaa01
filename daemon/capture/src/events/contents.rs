//! When contents are read and compared (see [`crate::contents`]): when an object is first seen, before a call that is
//! shown one whose content is not known, behind each call that may have changed one, at callbacks, and when an
//! exception leaves a call. What a call gives back is held against what is known.

use jdwp::{ReferenceTypeId, TaggedObject};
use jhyde_trace::{
    CallId, Change, Content, Event, EventKind, Given, Items, ObjectId, ObjectInfo, Part, Value,
};

use super::Engine;
use super::boundary::Shown;
use crate::arrivals::Place;
use crate::contents::methods::{Touches, touches};
use crate::contents::{
    Container, Key, Modelled, Order, ReadError, Reader, Shape, Table, Told, difference, edit,
    looked_up, model, model_map, moved,
};
use crate::error::CaptureError;
use crate::mirror::{has_name_of_the_jvm, is_known};
use crate::sink::Sink;

/// Where something is told, and of which call.
pub(super) type At = (Place, jdwp::ThreadId, CallId);

/// Longer ones are not read at each callback of the method that changes them, nor to learn the names of elements.
const SHORT: usize = 64;

/// A call that calls back more often (to compare, to visit) is not looked at each time: what it has done so far is
/// unknown until it ends.
const OFTEN: u32 = 4;

const MEANWHILE: &str = "another thread uses it at the same time";
const UNNAMED: &str = "it was changed before the JVM had named it";
const UNSEEN: &str = "the end of a call that may have changed it was not seen";
const INSIDE: &str = "the call that changes it has not ended";
const UNTOLD: &str = "what was added to it is not known";
const HIDDEN: &str = "it goes through a map that nothing else shows";
const PARTS: &str = "there are too many parts of what it is a part of";
const CONTRADICTED: &str =
    "what the call returned contradicts what was known of the content: it was changed unseen";

impl<S: Sink> Engine<S> {
    /// An object of a class out of the scope is seen for the first time, or one of the scope that inherits from such a
    /// class. Objects that it holds are added to those that are still to be observed.
    pub(super) fn first_contents(
        &mut self,
        (place, thread, call): At,
        object: jdwp::ObjectId,
        class: ReferenceTypeId,
        open: &mut Vec<TaggedObject>,
    ) -> Result<(), CaptureError> {
        let shape = self
            .contents
            .layouts
            .shape(&mut self.link, &mut self.structure, class)?;
        let name = self.heap.name(object);
        let Some(shape) = shape.filter(|_| !self.contents.knows(name)) else {
            return Ok(());
        };
        let mut container = Container::new(shape);
        container.touch(thread.0);
        let told = self.read_contents(&mut container, object, class)?;
        let part_of = container.part_of;
        self.contents.add(name, container);
        self.follow_part((place, thread, call), name, part_of);
        match told {
            Ok(told) => {
                let items = self.take_in(place, &told, open);
                self.tell_contents((place, thread, call), name, true, Change::Whole(items));
            }
            Err(reason) => self.lose_contents((place, thread, call), name, &reason),
        }
        Ok(())
    }

    /// Reads an object. The inner error says why that cannot be.
    fn read_contents(
        &mut self,
        container: &mut Container,
        object: jdwp::ObjectId,
        class: ReferenceTypeId,
    ) -> Result<Result<Told, String>, CaptureError> {
        let mut reader = Reader::new(
            &mut self.link,
            &mut self.structure,
            &mut self.contents.layouts,
        );
        let mut told = reader.read(object, class, container.shape);
        if container.shape == Shape::Table(Table::Linked) && told.is_ok() {
            match reader.is_in_order_of_access(object, class) {
                Ok(by_access) => container.by_access = by_access,
                Err(error) => told = Err(error),
            }
        }
        container.part_of = reader.part_of.map(|map| self.heap.name(map));
        match told {
            // A set hides its map, and nobody sees what changes that.
            Ok(Told::View {
                of,
                part: Part::Rest { .. },
            }) if !self.contents.knows(self.heap.name(of.id)) => Ok(Err(HIDDEN.to_owned())),
            Ok(told) => Ok(Ok(told)),
            Err(ReadError::Unknown(reason)) => Ok(Err(reason)),
            Err(ReadError::Link(error)) => Err(error.into()),
        }
    }

    /// What changes a map changes its parts. Of the map that a sorted set hides nobody sees that: until the set itself is
    /// known, the part is looked at whenever it is shown.
    fn follow_part(&mut self, at: At, part: ObjectId, map: Option<ObjectId>) {
        let followed = self.contents.follows(part);
        let Some(container) = self.contents.get_mut(part) else {
            return;
        };
        container.part_of = map;
        let Some(map) = map.filter(|_| !followed) else {
            return;
        };
        if self.contents.knows(map) {
            self.hand_out(at, map, part);
            self.contents.reaches(part, [map]);
        } else if let Some(container) = self.contents.get_mut(part) {
            container.is_exposed = true;
        }
    }

    fn hand_out(&mut self, at: At, whole: ObjectId, part: ObjectId) {
        if let Some(container) = self.contents.get_mut(part) {
            container.is_exposed = false;
        }
        if let Some(dropped) = self.contents.hands_out(whole, part) {
            self.lose_contents(at, dropped, PARTS);
        }
    }

    /// What the JVM told, with our names; what is in it is still to be observed.
    fn take_in(&mut self, place: Place, told: &Told, open: &mut Vec<TaggedObject>) -> Items {
        let mut take = |engine: &mut Self, value: &jdwp::Value| {
            open.extend(value.object());
            engine.value(place, value, false)
        };
        match told {
            Told::Elements(all) => Items::Elements(all.iter().map(|v| take(self, v)).collect()),
            Told::Entries(all) => {
                let entries = all.iter().map(|(k, v)| (take(self, k), take(self, v)));
                Items::Entries(entries.collect())
            }
            Told::Text(units) => Items::Text(units.as_slice().into()),
            Told::Value(value) => Items::Value(take(self, value)),
            Told::View { of, part } => {
                let value = jdwp::Value::Object {
                    tag: of.tag,
                    id: of.id,
                };
                take(self, &value);
                let of = self.heap.name(of.id);
                Items::View { of, part: *part }
            }
        }
    }

    fn tell_contents(&mut self, at: At, object: ObjectId, snapshot: bool, change: Change) {
        let again = self
            .contents
            .get_mut(object)
            .and_then(|container| container.follow(&change));
        self.content_event(at, object, snapshot, change);
        if let Some(whole) = again {
            self.content_event(at, object, true, whole);
        }
    }

    fn lose_contents(&mut self, at: At, object: ObjectId, reason: &str) {
        let back = reason == CONTRADICTED;
        let container = self.contents.get_mut(object);
        let told = container.and_then(|container| container.lose(reason.to_owned(), back));
        if let Some(change) = told {
            self.content_event(at, object, true, change);
        }
    }

    fn content_event(
        &mut self,
        (place, _, call): At,
        object: ObjectId,
        snapshot: bool,
        change: Change,
    ) {
        let index = Event::NO_INDEX;
        let kind = EventKind::Content {
            object,
            snapshot,
            change,
        };
        self.arrivals.event(place, Event { call, index, kind });
    }

    /// Looks at an object, and tells what has changed since it was looked at last. `snapshot`: nobody knows by whom.
    pub(super) fn look_into(
        &mut self,
        at: At,
        object: ObjectId,
        snapshot: bool,
    ) -> Result<(), CaptureError> {
        let (place, thread, _) = at;
        if !self.contents.knows(object) {
            let Some(class) = self.class_of(Value::Object(object))? else {
                return Ok(());
            };
            let layouts = &mut self.contents.layouts;
            let Some(shape) = layouts.shape(&mut self.link, &mut self.structure, class)? else {
                return self.introduce_fixed(place, object, class);
            };
            if self.heap.real(object).is_none() {
                self.contents.waits_for_name(thread.0, object);
                return Ok(());
            }
            self.contents.add(object, Container::new(shape));
        }
        let alone = self.runs_alone(thread);
        let Some(container) = self.contents.get_mut(object) else {
            return Ok(());
        };
        container.touch(thread.0);
        if container.shape.is_immutable() && container.items().is_some() {
            return Ok(());
        }
        if container.is_shared && !alone {
            self.lose_contents(at, object, MEANWHILE);
            return Ok(());
        }
        let Some(real) = self.heap.real(object) else {
            self.lose_contents(at, object, UNNAMED);
            return Ok(());
        };
        let Some(class) = self.class_of(Value::Object(object))? else {
            return Ok(());
        };
        let mut reading = Container::new(container_shape(self, object));
        let told = self.read_contents(&mut reading, real, class)?;
        self.follow_part(at, object, reading.part_of);
        if let Some(container) = self.contents.get_mut(object) {
            container.by_access = reading.by_access;
            // What was read may have been made by what is not modelled: trees, other load factors.
            container.order = container.order.filter(|order| *order == Order::Insertion);
        }
        let told = match told {
            Ok(told) => told,
            Err(reason) => {
                self.lose_contents(at, object, &reason);
                return Ok(());
            }
        };
        self.contents.was_read(object);
        let before = self.contents.get(object).and_then(|c| c.items().cloned());
        if let Some(before) = &before {
            self.tie_held(before, &told);
        }
        let mut open = Vec::new();
        let items = self.take_in(place, &told, &mut open);
        for object in open {
            let value = jdwp::Value::Object {
                tag: object.tag,
                id: object.id,
            };
            self.observe(place, thread, &value)?;
        }
        let change = match before {
            // It holds for what lies behind it as that is now.
            Some(_) if is_rest(&items) => Some(Change::Whole(items)),
            Some(before) => difference(&before, items),
            None => Some(Change::Whole(items)),
        };
        if let Some(change) = change {
            self.tell_contents(at, object, snapshot, change);
        }
        Ok(())
    }

    /// An object that the scope made has a name of the JVM's now: what can never change of it can be read.
    fn introduce_fixed(
        &mut self,
        place: Place,
        object: ObjectId,
        class: ReferenceTypeId,
    ) -> Result<(), CaptureError> {
        let Some(real) = self
            .heap
            .real(object)
            .filter(|_| !has_name_of_the_jvm(object))
        else {
            return Ok(());
        };
        if !self.contents.introduce(object) {
            return Ok(());
        }
        let content = self.fixed_content(place, real, class)?;
        if content != Content::None {
            let class = self.heap.class(object);
            let info = ObjectInfo { class, content };
            self.arrivals.object(place, object, info);
        }
        Ok(())
    }

    /// Objects of the scope that the JVM names here for the first time: they lie where they lay.
    fn tie_held(&mut self, before: &Items, told: &Told) {
        let pairs: Vec<(Value, jdwp::Value)> = match (before, told) {
            (Items::Elements(before), Told::Elements(told)) => {
                before.iter().copied().zip(told.iter().copied()).collect()
            }
            (Items::Entries(before), Told::Entries(told)) => {
                let both = before.iter().zip(told);
                both.flat_map(|(b, t)| [(b.0, t.0), (b.1, t.1)]).collect()
            }
            (Items::Value(before), Told::Value(told)) => vec![(*before, *told)],
            _ => return,
        };
        for (held, told) in pairs {
            if let Some(object) = told.object().filter(|_| self.heap.is_unnamed(held))
                && self.heap.may_be(held, self.heap.reference(object.id))
            {
                self.tie_object(held, object.id);
            }
        }
    }

    /// A thread is about to make a call that is shown these: what is not known of them is looked at.
    pub(super) fn contents_before(
        &mut self,
        place: Place,
        thread: jdwp::ThreadId,
        shown: &[ObjectId],
    ) -> Result<(), CaptureError> {
        let Some(call) = self.threads.get(&thread.0).map(|known| known.current()) else {
            return Ok(());
        };
        let heap = &self.heap;
        let named = |object| heap.real(object).is_some();
        for object in self.contents.named_now(thread.0, named) {
            self.look_into((place, thread, call), object, true)?;
        }
        for object in self.contents.behind(shown) {
            let wanted = match self.contents.get(object) {
                Some(container) => self.contents.is_in_doubt(object) || container.wants_reading(),
                None => self.heap.real(object).is_some(),
            };
            if wanted {
                self.look_into((place, thread, call), object, true)?;
            }
        }
        Ok(())
    }

    /// What the call's result must be, as far as contents tell: an object that has no name yet gets that of the result,
    /// and a contradiction ends what is claimed.
    pub(super) fn check_contents(
        &mut self,
        at: At,
        shown: &Shown,
        told: Option<&jdwp::Value>,
    ) -> Result<(), CaptureError> {
        let (Some(receiver), Some(told)) = (shown.receiver(), told) else {
            return Ok(());
        };
        let Some(foretold) = self.foretold(shown, receiver) else {
            return Ok(());
        };
        if let Some(object) = told.object() {
            self.tie(at.1, foretold, object);
        }
        let real = self.heap.value(told);
        let unnamed = self.heap.is_unnamed(foretold);
        if is_known(foretold) && !unnamed && foretold != real {
            // What an iterator gives, the list behind it has.
            for object in self.contents.behind(&[receiver]) {
                self.lose_contents(at, object, CONTRADICTED);
            }
            self.doubt(at.0, at.2, CONTRADICTED);
        }
        Ok(())
    }

    fn foretold(&self, shown: &Shown, receiver: ObjectId) -> Option<Value> {
        if let Some(step) = self.iterator_step(shown, receiver) {
            let at = step.at as usize;
            return match (self.contents.get(step.of)?.items()?, step.given) {
                (Items::Elements(all), Given::Item) => all.get(at).copied(),
                (Items::Entries(all), Given::Key) => all.get(at).map(|entry| entry.0),
                (Items::Entries(all), Given::Value) => all.get(at).map(|entry| entry.1),
                _ => None,
            };
        }
        let class = self.structure.name_of(self.heap.class(receiver)?)?;
        let held = self.contents.get(receiver)?.items();
        let (named, arguments) = (shown.named(), shown.arguments());
        match self.modelled(&class, shown, receiver).0 {
            Modelled::Does(_, result) => result,
            Modelled::Unknown => looked_up(&class, &named.name, arguments, held?),
        }
    }

    /// What a call does to its receiver, of exactly this class, and how that orders its keys then.
    fn modelled(
        &self,
        class: &str,
        shown: &Shown,
        receiver: ObjectId,
    ) -> (Modelled, Option<Order>) {
        let container = self.contents.get(receiver);
        let (named, arguments) = (shown.named(), shown.arguments());
        let held = container.and_then(Container::items);
        let order = container.and_then(|container| container.order);
        if let (Some(held), Some(order)) = (held, order) {
            let known = |value: Value| self.key(value);
            let name = named.name.as_str();
            let (done, order) = model_map(name, arguments, &named.descriptor, held, order, known);
            return (done, Some(order));
        }
        let done = model(class, &named.name, arguments, &named.descriptor, held);
        let order = match &done {
            Modelled::Does(..) if named.name == "<init>" => Order::constructed(class, arguments),
            _ => None,
        };
        (done, order)
    }

    /// A key, as far as its equality and hash code are specified.
    fn key(&self, value: Value) -> Option<Key<'_>> {
        let object = value.object()?;
        if let Some(text) = self.heap.text(object) {
            return Some(Key::Text(text));
        }
        match self.contents.boxed(object) {
            Some(Value::Int(value)) => Some(Key::Number('I', value.into())),
            Some(Value::Long(value)) => Some(Key::Number('J', value)),
            Some(Value::Short(value)) => Some(Key::Number('S', value.into())),
            Some(Value::Byte(value)) => Some(Key::Number('B', value.into())),
            Some(Value::Char(value)) => Some(Key::Number('C', value.into())),
            Some(Value::Boolean(value)) => Some(Key::Number('Z', value.into())),
            _ => None,
        }
    }

    /// A call out of the scope has returned: what it did to what it was shown.
    pub(super) fn contents_behind(
        &mut self,
        at: At,
        shown: &Shown,
        result: Option<ObjectId>,
    ) -> Result<(), CaptureError> {
        if shown.is_spun() {
            if let Some(made) = result {
                let captured = self.contents.behind(shown.objects());
                if self.runs_outside(made)? {
                    self.contents.is_wild(made, &captured);
                }
                self.contents.reaches(made, captured);
            }
            return Ok(());
        }
        let receiver = shown.receiver();
        let step = receiver.and_then(|iterator| self.iterator_step(shown, iterator));
        if let Some(step) = step {
            self.tell_contents(at, step.iterator, false, Change::Whole(step.after));
        }
        let constructs = shown.named().name == "<init>";
        let may_change = self.may_change(shown);
        let mut all = self.contents.behind(&may_change);
        if self.contents.any_wild(&all) {
            all = self.contents.held_by(&all);
        }
        // What lies behind a view, or an iterator, comes before it.
        for object in all.into_iter().rev() {
            if Some(object) == receiver && self.follow_model(at, shown, object)? {
                continue;
            }
            if self.heap.elements(object).is_some() {
                if !shown.objects().contains(&object) {
                    self.compare(at.0, at.1, at.2, object, false)?;
                }
                continue;
            }
            if let Some(container) = self.contents.get_mut(object) {
                container.called_back = 0;
            }
            let known = self.contents.knows(object);
            let made = constructs && Some(object) == receiver;
            self.look_into(at, object, !known && !made)?;
        }
        for &object in shown.objects() {
            if !self.contents.knows(object) {
                self.look_into(at, object, true)?;
            }
        }
        let made = result.or_else(|| receiver.filter(|_| constructs));
        if let Some(made) = made.filter(|&made| self.reaches_others(made)) {
            let behind = self.contents.behind(shown.objects());
            self.contents.reaches(made, behind.iter().copied());
            let container = self.contents.get(made);
            if container.is_some_and(|made| made.part_of.is_some()) {
                for whole in behind.into_iter().filter(|&whole| whole != made) {
                    if self.contents.get(whole).is_some_and(is_sorted) {
                        self.hand_out(at, whole, made);
                    }
                }
            }
        }
        Ok(())
    }

    /// Is an object a lambda that runs code out of the scope, as far as is known?
    fn runs_outside(&mut self, object: ObjectId) -> Result<bool, CaptureError> {
        let Some(class) = self.class_of(Value::Object(object))? else {
            return Ok(false);
        };
        let name = self.structure.name(&mut self.link, class)?;
        if !name.contains("$$Lambda") {
            return Ok(false);
        }
        let mut reader = Reader::new(
            &mut self.link,
            &mut self.structure,
            &mut self.contents.layouts,
        );
        let runs = reader.runs_code_of(class)?;
        let in_scope = |name: String| self.structure.class_in_scope(0, &name).is_some();
        Ok(!runs.is_some_and(in_scope))
    }

    /// The step of an iterator, if the call is one.
    fn iterator_step(&self, shown: &Shown, iterator: ObjectId) -> Option<Step> {
        let mut iterator = iterator;
        let mut before = self.contents.get(iterator)?.items()?;
        // An iterator of a wrapper's is moved by moving the one behind it.
        while let Items::View {
            of,
            part: Part::Same,
        } = before
        {
            if !self.contents.get(*of)?.shape.is_iterator() {
                return None;
            }
            iterator = *of;
            before = self.contents.get(iterator)?.items()?;
        }
        let after = moved(&shown.named().name, before)?;
        let index = |items: &Items| match items {
            Items::View {
                of,
                part: Part::At { index } | Part::Rest { index, .. },
            } => Some((*of, *index)),
            _ => None,
        };
        let ((of, from), (_, to)) = (index(before)?, index(&after)?);
        Some(Step {
            iterator,
            of,
            given: match after {
                Items::View {
                    part: Part::Rest { given, .. },
                    ..
                } => given,
                _ => Given::Item,
            },
            after,
            at: from.min(to),
        })
    }

    /// What a call may have changed, of what it was shown itself.
    fn may_change(&self, shown: &Shown) -> Vec<ObjectId> {
        let receiver = shown.receiver();
        let by_access = receiver
            .and_then(|receiver| self.contents.get(receiver))
            .is_some_and(|container| container.by_access);
        match touches(shown.named()) {
            Touches::Nothing if by_access => receiver.into_iter().collect(),
            Touches::Nothing => Vec::new(),
            Touches::Receiver => receiver.into_iter().collect(),
            Touches::All => shown.objects().to_vec(),
        }
    }

    /// May an object that a call made change what the call was shown: an iterator, a view, an entry, a stream?
    fn reaches_others(&self, made: ObjectId) -> bool {
        if let Some(container) = self.contents.get(made) {
            return container.part_of.is_some()
                || matches!(
                    container.shape,
                    Shape::View { .. }
                        | Shape::SubList
                        | Shape::Entry { .. }
                        | Shape::Buffer
                        | Shape::Iterator { .. }
                        | Shape::Rest(_)
                );
        }
        let class = self.heap.class(made);
        let class = class.and_then(|class| self.structure.class_of(class));
        class.is_some_and(|class| !class.in_scope && class.box_field.is_none())
    }

    /// Does to what is known of a receiver what its method does. False if that cannot be told.
    fn follow_model(
        &mut self,
        at: At,
        shown: &Shown,
        object: ObjectId,
    ) -> Result<bool, CaptureError> {
        let class = self.heap.class(object);
        let Some(class) = class.and_then(|class| self.structure.name_of(class)) else {
            return Ok(false);
        };
        let container = self.contents.get(object);
        if container.is_some_and(|container| container.is_exposed) {
            return Ok(false);
        }
        let (done, order) = self.modelled(&class, shown, object);
        let Modelled::Does(change, _) = done else {
            return Ok(false);
        };
        if container.is_none() && !self.begin_modelled(object)? {
            return Ok(false);
        }
        if let Some(container) = self.contents.get_mut(object) {
            container.touch(at.1.0);
            container.order = order;
        }
        let Some(change) = change else {
            return Ok(true);
        };
        let fresh = change.items().map(Items::values).unwrap_or_default();
        self.tell_contents(at, object, false, change);
        let unnamed = fresh.iter().any(|&value| self.heap.is_unnamed(value));
        if unnamed && self.runs_alone(at.1) {
            self.name_held(object)?;
        }
        Ok(true)
    }

    /// A plain call has returned, behind which no thread stands still: what it did to a builder.
    pub(super) fn follow_text(&mut self, at: At, shown: &Shown) -> Result<(), CaptureError> {
        let Some(builder) = shown.receiver() else {
            return Ok(());
        };
        let (named, arguments) = (shown.named(), shown.arguments());
        if named.name == "<init>" {
            let empty = Items::Text(Vec::new().into());
            let text = match arguments {
                [] | [Value::Int(_)] => Some(empty),
                [Value::Object(text)] => self.heap.text(*text).map(|text| Items::Text(text.into())),
                _ => None,
            };
            if let (Some(text), true) = (text, self.begin_modelled(builder)?) {
                self.tell_contents(at, builder, false, Change::Whole(text));
            }
            return Ok(());
        }
        if touches(named) == Touches::Nothing {
            return Ok(());
        }
        let Some(Items::Text(held)) = self.contents.get(builder).and_then(Container::items) else {
            return Ok(());
        };
        let heap = &self.heap;
        let text = |value: Value| heap.text(value.object()?);
        match edit(&named.name, arguments, held, self.version, text) {
            Some(edit) => {
                if let Some(change) = edit.change() {
                    self.tell_contents(at, builder, false, change);
                }
            }
            None => self.lose_contents(at, builder, UNTOLD),
        }
        Ok(())
    }

    /// An object that the scope made is constructed: it may hold something from now on.
    fn begin_modelled(&mut self, object: ObjectId) -> Result<bool, CaptureError> {
        let Some(class) = self.class_of(Value::Object(object))? else {
            return Ok(false);
        };
        let layouts = &mut self.contents.layouts;
        let shape = layouts.shape(&mut self.link, &mut self.structure, class)?;
        if let Some(shape) = shape {
            self.contents.add(object, Container::new(shape));
        }
        Ok(shape.is_some())
    }

    /// Learns the JVM's names of what an object holds.
    fn name_held(&mut self, object: ObjectId) -> Result<(), CaptureError> {
        let container = self.contents.get(object);
        let items = container.and_then(|container| container.items().cloned());
        let (Some(items), Some(real)) = (items, self.heap.real(object)) else {
            return Ok(());
        };
        let Some(class) = self.class_of(Value::Object(object))? else {
            return Ok(());
        };
        if items.len() > SHORT {
            return Ok(());
        }
        let mut reading = Container::new(container_shape(self, object));
        if let Ok(told) = self.read_contents(&mut reading, real, class)? {
            self.tie_held(&items, &told);
        }
        Ok(())
    }

    /// A call out of the scope calls back: what it has done so far.
    pub(super) fn contents_at_callback(
        &mut self,
        place: Place,
        thread: jdwp::ThreadId,
    ) -> Result<(), CaptureError> {
        self.contents_of_top(place, thread, true)
    }

    /// A call out of the scope ends by an exception: what it has done before.
    pub(super) fn contents_after_throw(
        &mut self,
        place: Place,
        thread: jdwp::ThreadId,
    ) -> Result<(), CaptureError> {
        self.contents_of_top(place, thread, false)
    }

    fn contents_of_top(
        &mut self,
        place: Place,
        thread: jdwp::ThreadId,
        goes_on: bool,
    ) -> Result<(), CaptureError> {
        let top = self.threads.get(&thread.0).and_then(|t| t.stack.last());
        let Some((call, shown)) = top.and_then(|top| Some((top.call, top.shown.clone()?))) else {
            return Ok(());
        };
        self.contents_shown((place, thread, call), &shown, goes_on)
    }

    /// What a call may have changed that has ended unseen: it is found, or not known.
    pub(super) fn contents_unseen(
        &mut self,
        at: At,
        shown: &Shown,
        suspended: bool,
    ) -> Result<(), CaptureError> {
        for object in self.contents.behind(&self.may_change(shown)) {
            if !self.contents.knows(object) {
                continue;
            }
            match suspended {
                true => self.look_into(at, object, true)?,
                false => self.lose_contents(at, object, UNSEEN),
            }
        }
        Ok(())
    }

    /// What a call that has not returned may have changed so far. `goes_on`: it may change more.
    pub(super) fn contents_shown(
        &mut self,
        at: At,
        shown: &Shown,
        goes_on: bool,
    ) -> Result<(), CaptureError> {
        for object in self.contents.behind(&self.may_change(shown)) {
            let Some(container) = self.contents.get_mut(object) else {
                continue;
            };
            container.called_back = match goes_on {
                true => container.called_back + 1,
                false => 0,
            };
            let often = container.called_back > OFTEN;
            let long = container.items().is_none_or(|items| items.len() > SHORT);
            if goes_on && (long || often) {
                self.lose_contents(at, object, INSIDE);
            } else {
                self.look_into(at, object, false)?;
            }
        }
        Ok(())
    }
}

fn is_rest(items: &Items) -> bool {
    matches!(
        items,
        Items::View {
            part: Part::Rest { .. },
            ..
        }
    )
}

/// A step of an iterator.
struct Step {
    /// Which moved: the one that was called, or one behind it.
    iterator: ObjectId,
    /// Through what it goes.
    of: ObjectId,
    /// Where it stands behind the step.
    after: Items,
    /// The position of the item that it gave.
    at: u32,
    /// What it gave of that.
    given: Given,
}

/// May it be the whole of a sorted part?
fn is_sorted(container: &Container) -> bool {
    matches!(
        container.shape,
        Shape::Tree | Shape::SortedPart { .. } | Shape::KeysOf(_)
    )
}

fn container_shape<S: Sink>(engine: &Engine<S>, object: ObjectId) -> Shape {
    let container = engine.contents.get(object);
    container.map_or(Shape::EmptyElements, |container| container.shape)
}
