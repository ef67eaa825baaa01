//! Looks at what objects hold, and tells what has changed since it was looked at last.

use jdwp::{ReferenceTypeId, TaggedObject};
use jhyde_trace::{
    Change, Content, Event, EventKind, Given, Items, ObjectId, ObjectInfo, Part, Sink, Timestamp,
    Value,
};

use super::{At, CONTRADICTED, HIDDEN, MEANWHILE, PARTS, SHORT, UNNAMED, container_shape, is_rest};
use crate::arrivals::Ticket;
use crate::contents::{Container, Order, ReadError, Reader, Shape, Table, Told, difference};
use crate::error::CaptureError;
use crate::events::Engine;
use crate::mirror::has_name_of_the_jvm;

impl<S: Sink> Engine<S> {
    /// An object of a class out of the scope is seen for the first time, or one of the scope that inherits from such a
    /// class. Objects that it holds are added to those that are still to be observed.
    pub(in crate::events) fn first_contents(
        &mut self,
        (ticket, thread, call): At,
        object: jdwp::ObjectId,
        class: ReferenceTypeId,
        open: &mut Vec<TaggedObject>,
    ) -> Result<(), CaptureError> {
        let shape = self
            .contents
            .layouts
            .shape(&mut self.link, &mut self.program, class)?;
        let name = self.heap.name(object);
        let Some(shape) = shape.filter(|_| !self.contents.knows(name)) else {
            return Ok(());
        };
        let mut container = Container::new(shape);
        container.touch(thread.0);
        let told = self.read_contents(&mut container, object, class)?;
        let part_of = container.part_of;
        self.contents.add(name, container);
        self.follow_part((ticket, thread, call), name, part_of);
        match told {
            Ok(told) => {
                let items = self.take_in(ticket, &told, open);
                self.tell_contents((ticket, thread, call), name, true, Change::Whole(items));
            }
            Err(reason) => self.lose_contents((ticket, thread, call), name, &reason),
        }
        Ok(())
    }

    /// Reads an object. The inner error says why that cannot be.
    pub(super) fn read_contents(
        &mut self,
        container: &mut Container,
        object: jdwp::ObjectId,
        class: ReferenceTypeId,
    ) -> Result<Result<Told, String>, CaptureError> {
        let mut reader = Reader::new(
            &mut self.link,
            &mut self.program,
            &mut self.contents.layouts,
        );
        let mut told = reader.read(object, class, container.shape);
        if container.shape == Shape::Table(Table::Linked) && told.is_ok() {
            match reader.is_in_order_of_access(object, class) {
                Ok(by_access) => container.by_access = by_access,
                Err(error) => told = Err(error),
            }
        }
        let inner = reader.inner;
        container.part_of = reader.part_of.map(|map| self.heap.name(map));
        if let (Shape::KeysOf(_), Some(map)) = (container.shape, inner) {
            container.hides = Some(map);
        }
        match told {
            Ok(Told::View {
                of,
                part: Part::Rest {
                    index, backwards, ..
                },
            }) if !self.contents.knows(self.heap.name(of.id)) => {
                Ok(match self.set_that_hides(of.id)? {
                    Some(set) => Ok(Told::View {
                        of: set,
                        part: Part::Rest {
                            given: Given::Item,
                            index,
                            backwards,
                        },
                    }),
                    None => Err(HIDDEN.to_owned()),
                })
            }
            Ok(told) => Ok(Ok(told)),
            Err(ReadError::Unknown(reason)) => Ok(Err(reason)),
            Err(ReadError::Link(error)) => Err(error.into()),
        }
    }

    /// The set whose elements are the keys of a map that nobody else sees: iterators of sets go through such maps. Sets
    /// that were never read are asked, once each.
    fn set_that_hides(
        &mut self,
        map: jdwp::ObjectId,
    ) -> Result<Option<TaggedObject>, CaptureError> {
        for set in self.contents.unasked() {
            let Some(real) = self.heap.real(set) else {
                self.contents.ask_later(set);
                continue;
            };
            let (Shape::KeysOf(field), Some(class)) = (
                container_shape(self, set),
                self.class_of(Value::Object(set))?,
            ) else {
                continue;
            };
            let mut reader = Reader::new(
                &mut self.link,
                &mut self.program,
                &mut self.contents.layouts,
            );
            if let Some(hidden) = reader.object_in(real, class, field)? {
                self.contents.hides(set, hidden);
            }
        }
        let set = self.contents.set_around(map);
        let real = set.and_then(|set| self.heap.real(set));
        Ok(real.map(|id| TaggedObject {
            tag: jdwp::Tag::OBJECT,
            id,
        }))
    }

    /// What changes a map changes its parts. Of the map that a sorted set hides nobody sees that: until the set itself is
    /// known, the part is looked at whenever it is shown.
    pub(super) fn follow_part(&mut self, at: At, part: ObjectId, map: Option<ObjectId>) {
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

    pub(super) fn hand_out(&mut self, at: At, whole: ObjectId, part: ObjectId) {
        if let Some(container) = self.contents.get_mut(part) {
            container.is_exposed = false;
        }
        if let Some(dropped) = self.contents.hands_out(whole, part) {
            self.lose_contents(at, dropped, PARTS);
        }
    }

    /// What the JVM told, with our names; what is in it is still to be observed.
    pub(super) fn take_in(
        &mut self,
        ticket: Ticket,
        told: &Told,
        open: &mut Vec<TaggedObject>,
    ) -> Items {
        let mut take = |engine: &mut Self, value: &jdwp::Value| {
            open.extend(value.object());
            engine.value(ticket, value, false)
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

    pub(super) fn tell_contents(
        &mut self,
        at: At,
        object: ObjectId,
        snapshot: bool,
        change: Change,
    ) {
        let through = change.items().and_then(|items| match items {
            Items::View { of, .. } => self.contents.get(*of).map(|whole| whole.changes),
            _ => None,
        });
        let again = self.contents.get_mut(object).and_then(|container| {
            container.through = through.unwrap_or(container.through);
            container.follow(&change)
        });
        self.content_event(at, object, snapshot, change);
        if let Some(whole) = again {
            self.content_event(at, object, true, whole);
        }
    }

    pub(in crate::events) fn lose_contents(&mut self, at: At, object: ObjectId, reason: &str) {
        let since = match reason {
            // What was told last was false, whenever that was.
            CONTRADICTED => Some(Timestamp(0)),
            _ => self.contents.doubtful_since(object),
        };
        let container = self.contents.get_mut(object);
        let told = container.and_then(|container| container.lose(reason.to_owned(), since));
        if let Some(change) = told {
            self.content_event(at, object, true, change);
        }
    }

    pub(in crate::events) fn content_event(
        &mut self,
        (ticket, _, call): At,
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
        self.arrivals.event(ticket, Event { call, index, kind });
    }

    /// Looks at an object, and tells what has changed since it was looked at last. `snapshot`: nobody knows by whom.
    pub(in crate::events) fn look_into(
        &mut self,
        at: At,
        object: ObjectId,
        snapshot: bool,
    ) -> Result<(), CaptureError> {
        let (ticket, thread, _) = at;
        if !self.contents.knows(object) {
            let Some(class) = self.class_of(Value::Object(object))? else {
                return Ok(());
            };
            let layouts = &mut self.contents.layouts;
            let Some(shape) = layouts.shape(&mut self.link, &mut self.program, class)? else {
                return self.introduce_fixed(ticket, object, class);
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
        if let Some(map) = reading.hides {
            self.contents.hides(object, map);
        }
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
            self.unify_held(before, &told);
        }
        let mut open = Vec::new();
        let items = self.take_in(ticket, &told, &mut open);
        for object in open {
            let value = jdwp::Value::Object {
                tag: object.tag,
                id: object.id,
            };
            self.observe(ticket, thread, &value)?;
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
    pub(super) fn introduce_fixed(
        &mut self,
        ticket: Ticket,
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
        let content = self.fixed_content(ticket, real, class)?;
        if content != Content::None {
            let class = self.heap.class(object);
            let info = ObjectInfo { class, content };
            self.arrivals.object(ticket, object, info);
        }
        Ok(())
    }

    /// Objects of the scope that the JVM names here for the first time: they lie where they lay.
    pub(super) fn unify_held(&mut self, before: &Items, told: &Told) {
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
                self.unify_object(held, object.id);
            }
        }
    }

    /// Learns the JVM's names of what an object holds.
    pub(super) fn name_held(&mut self, object: ObjectId) -> Result<(), CaptureError> {
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
            self.unify_held(&items, &told);
        }
        Ok(())
    }

    /// Is an object a lambda that runs code out of the scope, as far as is known?
    pub(super) fn runs_outside(&mut self, object: ObjectId) -> Result<bool, CaptureError> {
        let Some(class) = self.class_of(Value::Object(object))? else {
            return Ok(false);
        };
        let name = self.program.name(&mut self.link, class)?;
        if !name.contains("$$Lambda") {
            return Ok(false);
        }
        let mut reader = Reader::new(
            &mut self.link,
            &mut self.program,
            &mut self.contents.layouts,
        );
        let runs = reader.runs_code_of(class)?;
        let in_scope = |name: String| self.program.class_in_scope(0, &name).is_some();
        Ok(!runs.is_some_and(in_scope))
    }
}
