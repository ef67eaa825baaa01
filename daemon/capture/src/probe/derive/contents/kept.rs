//! What is known of what objects hold, as it is told, changes and is lost.

use jhyde_trace::{CallId, Change, Event, EventKind, Items, ObjectId, Timestamp, Value};
use rustc_hash::FxHashSet;

use super::super::Deriver;
use super::{KEPT, MEANWHILE};
use crate::contents::{Container, Order, Shape, difference};
use crate::program::Program;

impl Deriver {
    /// It is known what an object holds.
    pub(super) fn holds(
        &mut self,
        at: CallId,
        object: ObjectId,
        items: Items,
        order: Option<Order>,
        snapshot: bool,
    ) {
        let is_racing =
            self.changes_beside(object) || self.holdings.changing.by_another(object, at.thread);
        let Some(container) = self.holdings.contents.get_mut(object) else {
            // Not so: it was known, or has been added.
            return;
        };
        if is_racing {
            self.lose_content(at, object, MEANWHILE);
            return;
        }
        if container.is_exposed {
            self.lose_content(at, object, KEPT);
            return;
        }
        container.order = order;
        let change = match container.items() {
            Some(before) => difference(before, items),
            None => Some(Change::Whole(items)),
        };
        let again = change.as_ref().and_then(|change| container.follow(change));
        let shows_another = matches!(container.items(), Some(Items::View { .. }));
        if shows_another || !container.shape.is_immutable() {
            self.holdings.known.insert(object);
            if container.is_given {
                self.holdings.given.insert(object);
            }
        }
        let now = Timestamp(self.outlet.now());
        self.holdings.contents.told(now);
        self.holdings.contents.was_read(object);
        self.hand_on(object);
        for (change, snapshot) in [(change, snapshot), (again, true)] {
            if let Some(change) = change {
                self.content_event(at, object, snapshot, change);
            }
        }
    }

    /// It is not known any more what an object holds.
    pub(super) fn lose_content(&mut self, at: CallId, object: ObjectId, reason: &str) {
        let since = self.holdings.contents.doubtful_since(object);
        self.lose_content_since(at, object, reason, since);
    }

    /// The same, and since when it may have been another; `None`: it was not before now.
    fn lose_content_since(
        &mut self,
        at: CallId,
        object: ObjectId,
        reason: &str,
        since: Option<Timestamp>,
    ) {
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
            self.holdings.known.remove(&object);
            self.content_event(at, object, true, change);
        }
    }

    pub(super) fn content_event(
        &mut self,
        at: CallId,
        object: ObjectId,
        snapshot: bool,
        change: Change,
    ) {
        let kind = EventKind::Content {
            object,
            snapshot,
            change,
        };
        self.outlet.event(at, Event::NO_INDEX, kind);
    }

    /// A library has an object, with what it holds.
    pub(in crate::probe::derive) fn hand_over(&mut self, object: ObjectId) {
        let (mut open, mut given) = (vec![object], FxHashSet::default());
        while let Some(object) = open.pop() {
            if given.insert(object) {
                if self.expects_others() {
                    self.give_to_others([object]);
                }
                open.extend(self.holdings.contents.give(object));
                if self.holdings.known.contains(&object) {
                    self.holdings.given.insert(object);
                }
            }
        }
    }

    /// What an object holds others have, if they have that.
    fn hand_on(&mut self, object: ObjectId) {
        let container = self.holdings.contents.get(object);
        let Some(items) = container
            .filter(|container| container.is_given)
            .and_then(Container::items)
            .filter(|_| self.expects_others())
        else {
            return;
        };
        let held = items.values().into_iter().filter_map(Value::object);
        let newly: Vec<ObjectId> = held.filter(|&held| !self.heap.is_given(held)).collect();
        for held in newly {
            self.hand_over(held);
        }
    }

    /// Code of a library has run: what it has may be another now.
    pub(super) fn library_ran(&mut self, at: CallId) {
        let reason = self.by_others();
        for object in self.given_in_doubt() {
            self.lose_content(at, object, reason);
        }
    }

    /// Code that nobody sees begins to run: what it has may be another from now on.
    pub(in crate::probe::derive) fn others_run(&mut self, at: CallId) {
        let reason = self.by_others();
        for object in self.given_in_doubt() {
            self.lose_content_since(at, object, reason, None);
        }
    }

    fn given_in_doubt(&mut self) -> Vec<ObjectId> {
        self.holdings.contents.library_ran();
        let mut given: Vec<ObjectId> = std::mem::take(&mut self.holdings.given)
            .into_iter()
            .collect();
        given.retain(|&object| self.holdings.contents.is_in_doubt(object));
        given
    }

    /// May an object that a call made change what the call was shown: an iterator, a view, an entry?
    pub(in crate::probe::derive) fn reaches_others(
        &self,
        program: &Program,
        made: ObjectId,
    ) -> bool {
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
        // These only read the array that they have.
        let only_reads = ["java.io.ByteArrayInputStream", "java.io.CharArrayReader"];
        let reaches = (may_be_part || !holds_alone) && !only_reads.contains(&&*name);
        reaches && !alone.iter().any(|begins| name.starts_with(begins))
    }
}
