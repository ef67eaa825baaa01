//! When contents are read and compared (see [`crate::contents`]): when an object is first seen, before a call that is
//! shown one whose content is not known, behind each call that may have changed one, at callbacks, and when an
//! exception leaves a call. What a call gives back is held against what is known.

mod follow;
mod look;

use jhyde_trace::{CallId, Change, Items, ObjectId, Part, Sink};

use super::Engine;
use super::outside::shown::Shown;
use crate::arrivals::Ticket;
use crate::contents::methods::{Touches, touches};
use crate::contents::{Container, Shape};
use crate::error::CaptureError;

/// Where something is told, and of which call.
pub(in crate::events) type At = (Ticket, jdwp::ThreadId, CallId);

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
    /// A thread is about to make a call that is shown these: what is not known of them is looked at.
    pub(super) fn contents_before(
        &mut self,
        ticket: Ticket,
        thread: jdwp::ThreadId,
        shown: &[ObjectId],
    ) -> Result<(), CaptureError> {
        let Some(call) = self.threads.get(&thread.0).map(|known| known.current()) else {
            return Ok(());
        };
        let heap = &self.heap;
        let named = |object| heap.real(object).is_some();
        for object in self.contents.named_now(thread.0, named) {
            self.look_into((ticket, thread, call), object, true)?;
        }
        for object in self.contents.behind(shown) {
            let wanted = match self.contents.get(object) {
                Some(container) => self.contents.is_in_doubt(object) || container.wants_reading(),
                None => self.heap.real(object).is_some(),
            };
            if wanted {
                self.look_into((ticket, thread, call), object, true)?;
            }
        }
        Ok(())
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
        } else if let Some(receiver) = receiver.filter(|_| is_step(&shown.named().name)) {
            // One that goes on although what it goes through was changed.
            for object in self.contents.behind(&[receiver]) {
                let container = self.contents.get(object);
                if container.is_some_and(|container| container.shape.outlives_changes()) {
                    self.look_into(at, object, false)?;
                }
            }
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
        let class = class.and_then(|class| self.program.class_of(class));
        class.is_some_and(|class| !class.in_scope && class.box_field.is_none())
    }

    /// A call out of the scope calls back: what it has done so far.
    pub(super) fn contents_at_callback(
        &mut self,
        ticket: Ticket,
        thread: jdwp::ThreadId,
    ) -> Result<(), CaptureError> {
        self.contents_of_top(ticket, thread, true)
    }

    /// A call out of the scope ends by an exception: what it has done before.
    pub(super) fn contents_after_throw(
        &mut self,
        ticket: Ticket,
        thread: jdwp::ThreadId,
    ) -> Result<(), CaptureError> {
        self.contents_of_top(ticket, thread, false)
    }

    fn contents_of_top(
        &mut self,
        ticket: Ticket,
        thread: jdwp::ThreadId,
        goes_on: bool,
    ) -> Result<(), CaptureError> {
        let top = self.threads.get(&thread.0).and_then(|t| t.stack.last());
        let Some((call, shown)) = top.and_then(|top| Some((top.call, top.shown.clone()?))) else {
            return Ok(());
        };
        self.contents_shown((ticket, thread, call), &shown, goes_on)
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

/// Does it move an iterator on?
fn is_step(name: &str) -> bool {
    matches!(name, "next" | "nextElement")
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
