//! Looks at what objects hold, and tells what has changed since it was looked at last.

use jdwp::{ReferenceTypeId, TaggedObject};
use jhyde_trace::{
    Change, Content, EventKind, Given, Items, ObjectId, ObjectInfo, Part, Sink, Timestamp, Value,
};

use super::{At, Recorder};
use crate::arrivals::Ticket;
use crate::contents::methods::changes_nothing;
use crate::contents::{Container, ReadError, Reader, Shape, Table, Told};
use crate::error::CaptureError;
use crate::mirror::has_name_of_the_jvm;

pub(crate) const CONTRADICTED: &str =
    "what the call returned contradicts what was known of the content: it was changed unseen";
const HIDDEN: &str = "it goes through a map that nothing else shows";
const PARTS: &str = "there are too many parts of what it is a part of";
/// What a lambda or method reference runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Runs {
    /// Code of the scope, as far as is known.
    Scope,
    /// A method out of it that changes nothing of what it is shown.
    OnlyReads,
    /// Code out of it of which nobody sees what it changes.
    Outside,
}

impl<S: Sink> Recorder<S> {
    /// An object of a class out of the scope is seen for the first time, or one of the scope that inherits from such a
    /// class. Objects that it holds are added to those that are still to be observed.
    pub(crate) fn first_contents(
        &mut self,
        (ticket, thread, call): At,
        object: jdwp::ObjectId,
        class: ReferenceTypeId,
        open: &mut Vec<TaggedObject>,
    ) -> Result<(), CaptureError> {
        let shape = self.known.contents.layouts.shape(
            &mut self.jvm.link,
            &mut self.known.program,
            class,
        )?;
        let name = self.known.heap.name(object);
        let Some(shape) = shape.filter(|_| !self.known.contents.knows(name)) else {
            // It holds nothing that is told, or that is known.
            return Ok(());
        };
        let mut container = Container::new(shape);
        container.touch(thread.0);
        let told = self.read_contents(&mut container, object, class)?;
        let part_of = container.part_of;
        self.known.contents.add(name, container);
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
    pub(crate) fn read_contents(
        &mut self,
        container: &mut Container,
        object: jdwp::ObjectId,
        class: ReferenceTypeId,
    ) -> Result<Result<Told, String>, CaptureError> {
        let mut reader = Reader::new(
            &mut self.jvm.link,
            &mut self.known.program,
            &mut self.known.contents.layouts,
        );
        let mut told = reader.read(object, class, container.shape);
        if container.shape == Shape::Table(Table::Linked) && told.is_ok() {
            match reader.is_in_order_of_access(object, class) {
                Ok(by_access) => container.by_access = by_access,
                Err(error) => told = Err(error),
            }
        }
        let inner = reader.inner;
        container.part_of = reader.part_of.map(|map| self.known.heap.name(map));
        if let (Shape::KeysOf(_), Some(map)) = (container.shape, inner) {
            container.hides = Some(map);
        }
        match told {
            Ok(Told::View {
                of,
                part: Part::Rest {
                    index, backwards, ..
                },
            }) if !self.known.contents.knows(self.known.heap.name(of.id)) => {
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
        for set in self.known.contents.unasked() {
            let Some(real) = self.known.heap.real(set) else {
                // It is asked when it has a name.
                self.known.contents.ask_later(set);
                continue;
            };
            let (Shape::KeysOf(field), Some(class)) = (
                self.known.contents.shape_of(set),
                self.class_of(Value::Object(set))?,
            ) else {
                // It hides no map, or is gone.
                continue;
            };
            let mut reader = Reader::new(
                &mut self.jvm.link,
                &mut self.known.program,
                &mut self.known.contents.layouts,
            );
            if let Some(hidden) = reader.object_in(real, class, field)? {
                self.known.contents.hides(set, hidden);
            }
        }
        let set = self.known.contents.set_around(map);
        let real = set.and_then(|set| self.known.heap.real(set));
        Ok(real.map(|id| TaggedObject {
            tag: jdwp::Tag::OBJECT,
            id,
        }))
    }

    /// What changes a map changes its parts. Of the map that a sorted set hides nobody sees that: until the set itself is
    /// known, the part is looked at whenever it is shown.
    pub(crate) fn follow_part(&mut self, at: At, part: ObjectId, map: Option<ObjectId>) {
        let followed = self.known.contents.follows(part);
        let Some(container) = self.known.contents.get_mut(part) else {
            // It holds nothing that is told.
            return;
        };
        container.part_of = map;
        let Some(map) = map.filter(|_| !followed) else {
            // It is a part of nothing, or followed already.
            return;
        };
        if self.known.contents.knows(map) {
            self.hand_out(at, map, part);
            self.known.contents.reaches(part, [map]);
        } else if let Some(container) = self.known.contents.get_mut(part) {
            container.is_exposed = true;
        }
    }

    pub(crate) fn hand_out(&mut self, at: At, whole: ObjectId, part: ObjectId) {
        if let Some(container) = self.known.contents.get_mut(part) {
            container.is_exposed = false;
        }
        if let Some(dropped) = self.known.contents.hands_out(whole, part) {
            self.lose_contents(at, dropped, PARTS);
        }
    }

    /// What the JVM told, with our names; what is in it is still to be observed.
    pub(crate) fn take_in(
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
                let of = self.known.heap.name(of.id);
                Items::View { of, part: *part }
            }
        }
    }

    pub(crate) fn tell_contents(
        &mut self,
        at: At,
        object: ObjectId,
        snapshot: bool,
        change: Change,
    ) {
        let through = change.items().and_then(|items| match items {
            Items::View { of, .. } => self.known.contents.get(*of).map(|whole| whole.changes),
            _ => None,
        });
        let again = self.known.contents.get_mut(object).and_then(|container| {
            container.through = through.unwrap_or(container.through);
            container.follow(&change)
        });
        self.content_event(at, object, snapshot, change);
        if let Some(whole) = again {
            self.content_event(at, object, true, whole);
        }
    }

    pub(crate) fn lose_contents(&mut self, at: At, object: ObjectId, reason: &str) {
        let since = match reason {
            // What was told last was false, whenever that was.
            CONTRADICTED => Some(Timestamp(0)),
            _ => self.known.contents.doubtful_since(object),
        };
        let container = self.known.contents.get_mut(object);
        let told = container.and_then(|container| container.lose(reason.to_owned(), since));
        if let Some(change) = told {
            self.content_event(at, object, true, change);
        }
    }

    pub(crate) fn content_event(
        &mut self,
        (ticket, _, call): At,
        object: ObjectId,
        snapshot: bool,
        change: Change,
    ) {
        let kind = EventKind::Content {
            object,
            snapshot,
            change,
        };
        self.outlet.tell_of(ticket, call, kind);
    }

    /// An object that the scope made has a name of the JVM's now: what can never change of it can be read.
    pub(crate) fn introduce_fixed(
        &mut self,
        ticket: Ticket,
        object: ObjectId,
        class: ReferenceTypeId,
    ) -> Result<(), CaptureError> {
        let Some(real) = self
            .known
            .heap
            .real(object)
            .filter(|_| !has_name_of_the_jvm(object))
        else {
            // It has no name yet, or was introduced when the JVM showed it.
            return Ok(());
        };
        if !self.known.contents.introduce(object) {
            return Ok(());
        }
        let content = self.fixed_content(ticket, real, class)?;
        if content != Content::None {
            let class = self.known.heap.class(object);
            let info = ObjectInfo { class, content };
            self.outlet.object(ticket, object, info);
        }
        Ok(())
    }

    /// What an object runs, if it is a lambda.
    pub(crate) fn runs_as_lambda(&mut self, object: ObjectId) -> Result<Runs, CaptureError> {
        let Some(class) = self.class_of(Value::Object(object))? else {
            return Ok(Runs::Scope);
        };
        let name = self.known.program.name(&mut self.jvm.link, class)?;
        if !name.contains("$$Lambda") {
            return Ok(Runs::Scope);
        }
        let mut reader = Reader::new(
            &mut self.jvm.link,
            &mut self.known.program,
            &mut self.known.contents.layouts,
        );
        let Some(runs) = reader.runs_method(class)? else {
            return Ok(Runs::Outside);
        };
        let in_scope = self.known.program.class_in_scope(0, &runs.class).is_some();
        Ok(match in_scope {
            true => Runs::Scope,
            false if changes_nothing(&runs) => Runs::OnlyReads,
            false => Runs::Outside,
        })
    }
}
