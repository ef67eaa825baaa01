//! When contents are read and compared (see [`crate::contents`]): when an object is first seen, before a call that is
//! shown one whose content is not known, behind each call that may have changed one, at callbacks, and when an
//! exception leaves a call. What a call gives back is held against what is known.

mod follow;
mod meanwhile;

use jhyde_trace::{Change, Items, ObjectId, Part, Sink, Value};

use super::Engine;
use crate::arrivals::Ticket;
use crate::contents::methods::{Touches, touches, writes_an_entry};
use crate::contents::{Container, Order, Shape, difference, held_by};
use crate::error::CaptureError;
use crate::events::thread::Thread;
use crate::program::Named;
use crate::recorder::{At, Runs, Shown};

/// Longer ones are not read at each callback of the method that changes them, nor to learn the names of elements.
const SHORT: usize = 64;

/// The most objects that are gone through, behind a call that ran a function of the JDK over what they hold, to say what that may have changed.
const MOST_HELD: usize = 1 << 12;

/// A call that calls back more often (to compare, to visit) is not looked at each time: what it has done so far is
/// unknown until it ends.
const OFTEN: u32 = 4;

/// What a concatenation returns.
const TEXT: &str = "Ljava/lang/String;";

const MEANWHILE: &str = "another thread uses it at the same time";
const UNNAMED: &str = "it was changed before the JVM had named it";
const UNSEEN: &str = "the end of a call that may have changed it was not seen";
const INSIDE: &str = "the call that changes it has not ended";

impl<S: Sink> Engine<S> {
    /// A thread is about to make a call that is shown these: what is not known of them is looked at.
    pub(super) fn contents_before(
        &mut self,
        ticket: Ticket,
        thread: &mut Thread,
        shown: &[ObjectId],
    ) -> Result<(), CaptureError> {
        let at = thread.at(ticket);
        let heap = &self.recorder.known.heap;
        let named = |object| heap.real(object).is_some();
        for object in self.recorder.known.contents.named_now(thread.jdwp.0, named) {
            self.look_into(thread, at, object, true)?;
        }
        for object in self.recorder.known.contents.behind(shown) {
            if let Some(container) = self.recorder.known.contents.get_mut(object) {
                container.touch(thread.jdwp.0);
            }
            let wanted = match self.recorder.known.contents.get(object) {
                Some(container) => {
                    self.recorder.known.contents.is_in_doubt(object) || container.wants_reading()
                }
                None => self.recorder.known.heap.real(object).is_some(),
            };
            if wanted {
                self.look_into(thread, at, object, true)?;
            }
        }
        Ok(())
    }

    /// A call out of the scope has returned: what it did to what it was shown.
    pub(super) fn contents_behind(
        &mut self,
        thread: &mut Thread,
        at: At,
        shown: &Shown,
        result: Option<ObjectId>,
    ) -> Result<(), CaptureError> {
        if shown.is_spun() {
            if let Some(made) = result {
                let captured = self.recorder.known.contents.behind(shown.objects());
                match self.recorder.runs_as_lambda(made)? {
                    Runs::Outside => self.recorder.known.contents.is_wild(made, &captured),
                    // A text that was put together is no lambda, and there are many.
                    Runs::Scope if shown.returns != TEXT => {
                        self.recorder.known.contents.is_tame(made);
                    }
                    Runs::Scope | Runs::OnlyReads => {}
                }
                self.recorder.known.contents.reaches(made, captured);
            }
            return Ok(());
        }
        let receiver = shown.receiver();
        let step = receiver.and_then(|iterator| self.recorder.known.iterator_step(shown, iterator));
        if let Some(step) = step {
            self.recorder
                .tell_contents(at, step.iterator, false, Change::Whole(step.after));
        } else if let Some(receiver) = receiver.filter(|_| is_step(&shown.named().name)) {
            // One that goes on although what it goes through was changed.
            for object in self.recorder.known.contents.behind(&[receiver]) {
                let container = self.recorder.known.contents.get(object);
                if container.is_some_and(|container| container.shape.outlives_changes()) {
                    self.look_into(thread, at, object, false)?;
                }
            }
        }
        let constructs = shown.named().name == "<init>";
        let all = self.changed_by(shown);
        // What lies behind a view, or an iterator, comes before it.
        for object in all.into_iter().rev() {
            if Some(object) == receiver && self.follow_model(thread, at, shown, object)? {
                continue;
            }
            if self.recorder.known.heap.elements(object).is_some() {
                if !shown.objects().contains(&object) {
                    self.compare(at.0, thread, at.2, object, false)?;
                }
                continue;
            }
            if let Some(container) = self.recorder.known.contents.get_mut(object) {
                container.called_back = 0;
            }
            let known = self.recorder.known.contents.knows(object);
            let made = constructs && Some(object) == receiver;
            self.look_into(thread, at, object, !known && !made)?;
        }
        for &object in shown.objects() {
            if !self.recorder.known.contents.knows(object) {
                self.look_into(thread, at, object, true)?;
            }
        }
        // A writer may give out what it writes to.
        if let (Some(receiver), Some(text)) = (receiver, result)
            && self.is_builder(text)
            && !self.is_builder(receiver)
        {
            self.recorder.known.contents.reaches(receiver, [text]);
        }
        let made = result.or_else(|| receiver.filter(|_| constructs));
        if let Some(made) = made.filter(|&made| self.reaches_others(made)) {
            let behind = self.recorder.known.contents.behind(shown.objects());
            self.recorder
                .known
                .contents
                .reaches(made, behind.iter().copied());
            let container = self.recorder.known.contents.get(made);
            if container.is_some_and(|made| made.part_of.is_some()) {
                for whole in behind.into_iter().filter(|&whole| whole != made) {
                    if self
                        .recorder
                        .known
                        .contents
                        .get(whole)
                        .is_some_and(is_sorted)
                    {
                        self.recorder.hand_out(at, whole, made);
                    }
                }
            }
        }
        Ok(())
    }

    fn is_builder(&self, object: ObjectId) -> bool {
        let known = &self.recorder.known;
        let class = known.heap.class(object);
        let name = class.and_then(|class| known.program.name_of(class));
        name.is_some_and(|name| {
            matches!(&*name, "java.lang.StringBuilder" | "java.lang.StringBuffer")
        })
    }

    /// What a call may have changed: what it was shown, what lies behind that, and, where it may have run functions of the JDK over it, what
    /// that holds. Of what nobody can name, all is in doubt from here on.
    fn changed_by(&mut self, shown: &Shown) -> Vec<ObjectId> {
        let may_change = self.may_change(shown.named(), shown.receiver(), shown.objects());
        let mut all = self.recorder.known.contents.behind(&may_change);
        if self.recorder.known.contents.any_wild(&all) {
            let known = &self.recorder.known;
            match held_by(&known.contents, &known.heap, &known.program, all, MOST_HELD) {
                Ok(held) => {
                    let kept = |object: &ObjectId| {
                        known.heap.elements(*object).is_some() || known.contents.knows(*object)
                    };
                    all = held.into_iter().filter(kept).collect();
                }
                Err(found) => {
                    all = found;
                    self.anything_changed();
                }
            }
        }
        let contents = &self.recorder.known.contents;
        let mut known = all.iter().filter_map(|&object| contents.get(object));
        if writes_an_entry(shown.named()) && !known.any(Container::is_map) {
            // Of which map it is nobody knows: it came out of a list, of an `Optional`, of a stream.
            self.anything_changed();
        }
        all
    }

    /// What a call may have changed, of what it was shown itself.
    fn may_change(
        &self,
        named: &Named,
        receiver: Option<ObjectId>,
        shown: &[ObjectId],
    ) -> Vec<ObjectId> {
        let by_access = receiver
            .and_then(|receiver| self.recorder.known.contents.get(receiver))
            .is_some_and(|container| container.by_access);
        let runs_scope = |receiver| self.recorder.known.contents.runs_scope(receiver);
        match touches(named) {
            Touches::All if receiver.is_some_and(runs_scope) => Vec::new(),
            Touches::Nothing if by_access => receiver.into_iter().collect(),
            Touches::Nothing => Vec::new(),
            Touches::Receiver => receiver.into_iter().collect(),
            Touches::All => shown.to_vec(),
        }
    }

    /// May an object that a call made change what the call was shown: an iterator, a view, an entry, a stream?
    fn reaches_others(&self, made: ObjectId) -> bool {
        if let Some(container) = self.recorder.known.contents.get(made) {
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
        let class = self.recorder.known.heap.class(made);
        let class = class.and_then(|class| self.recorder.known.program.class_of(class));
        class.is_some_and(|class| {
            !class.in_scope && class.box_field.is_none() && class.name != "java.lang.String"
        })
    }

    /// A call out of the scope calls back: what it has done so far.
    pub(super) fn contents_at_callback(
        &mut self,
        ticket: Ticket,
        thread: &mut Thread,
    ) -> Result<(), CaptureError> {
        self.contents_of_top(ticket, thread, true)
    }

    /// A call out of the scope ends by an exception: what it has done before.
    pub(super) fn contents_after_throw(
        &mut self,
        ticket: Ticket,
        thread: &mut Thread,
    ) -> Result<(), CaptureError> {
        self.contents_of_top(ticket, thread, false)
    }

    fn contents_of_top(
        &mut self,
        ticket: Ticket,
        thread: &mut Thread,
        goes_on: bool,
    ) -> Result<(), CaptureError> {
        let top = thread.stack.last();
        let Some((call, shown)) = top.and_then(|top| Some((top.call, top.shown.clone()?))) else {
            // No call out of the scope was seen to begin: nobody knows what it was shown.
            return Ok(());
        };
        self.contents_shown(thread, (ticket, thread.jdwp, call), &shown, goes_on)
    }

    /// What a call may have changed that has ended unseen: it is found, or not known.
    pub(super) fn contents_unseen(
        &mut self,
        thread: &mut Thread,
        at: At,
        shown: &Shown,
        suspended: bool,
    ) -> Result<(), CaptureError> {
        for object in self.changed_by(shown) {
            if !self.recorder.known.contents.knows(object) {
                continue;
            }
            match suspended {
                true => self.look_into(thread, at, object, true)?,
                false => self.recorder.lose_contents(at, object, UNSEEN),
            }
        }
        Ok(())
    }

    /// What a call that has not returned may have changed so far. `goes_on`: it may change more.
    pub(super) fn contents_shown(
        &mut self,
        thread: &mut Thread,
        at: At,
        shown: &Shown,
        goes_on: bool,
    ) -> Result<(), CaptureError> {
        for object in self.changed_by(shown) {
            let Some(container) = self.recorder.known.contents.get_mut(object) else {
                // It holds nothing that is told.
                continue;
            };
            container.called_back = match goes_on {
                true => container.called_back + 1,
                false => 0,
            };
            let often = container.called_back > OFTEN;
            let long = container.items().is_none_or(|items| items.len() > SHORT);
            if goes_on && (long || often) {
                self.recorder.lose_contents(at, object, INSIDE);
            } else {
                self.look_into(thread, at, object, false)?;
            }
        }
        Ok(())
    }

    /// Looks at an object, and tells what has changed since it was looked at last. `snapshot`: nobody knows by whom.
    pub(in crate::events) fn look_into(
        &mut self,
        thread: &mut Thread,
        at: At,
        object: ObjectId,
        snapshot: bool,
    ) -> Result<(), CaptureError> {
        let ticket = at.0;
        if !self.recorder.known.contents.knows(object) {
            let Some(class) = self.recorder.class_of(Value::Object(object))? else {
                // It is gone, or made by the scope and not named yet: the JVM cannot say what it is.
                return Ok(());
            };
            let layouts = &mut self.recorder.known.contents.layouts;
            let Some(shape) = layouts.shape(
                &mut self.recorder.jvm.link,
                &mut self.recorder.known.program,
                class,
            )?
            else {
                return self.recorder.introduce_fixed(ticket, object, class);
            };
            if self.recorder.known.heap.real(object).is_none() {
                self.recorder
                    .known
                    .contents
                    .waits_for_name(thread.jdwp.0, object);
                return Ok(());
            }
            self.recorder
                .known
                .contents
                .add(object, Container::new(shape));
        }
        let alone = self.threads.are_outside();
        let used = self.is_used_meanwhile(object);
        let Some(container) = self.recorder.known.contents.get_mut(object) else {
            // Not so: it was known, or has been added.
            return Ok(());
        };
        container.touch(thread.jdwp.0);
        if container.shape.is_immutable() && container.items().is_some() {
            return Ok(());
        }
        if used || container.is_shared && !alone {
            self.recorder.lose_contents(at, object, MEANWHILE);
            return Ok(());
        }
        let Some(real) = self.recorder.known.heap.real(object) else {
            self.recorder.lose_contents(at, object, UNNAMED);
            return Ok(());
        };
        let Some(class) = self.recorder.class_of(Value::Object(object))? else {
            // It is gone: nothing of the scope can meet it any more.
            return Ok(());
        };
        let mut reading = Container::new(self.recorder.known.contents.shape_of(object));
        let told = self.recorder.read_contents(&mut reading, real, class)?;
        self.recorder.follow_part(at, object, reading.part_of);
        if let Some(map) = reading.hides {
            self.recorder.known.contents.hides(object, map);
        }
        if let Some(container) = self.recorder.known.contents.get_mut(object) {
            container.by_access = reading.by_access;
            // What was read may have been made by what is not modelled: trees, other load factors.
            container.order = container.order.filter(|order| *order == Order::Insertion);
        }
        let told = match told {
            Ok(told) => told,
            Err(reason) => {
                self.recorder.lose_contents(at, object, &reason);
                return Ok(());
            }
        };
        self.recorder.known.contents.was_read(object);
        let before = self
            .recorder
            .known
            .contents
            .get(object)
            .and_then(|c| c.items().cloned());
        if let Some(before) = &before {
            self.recorder.known.unify_held(before, &told);
        }
        let mut open = Vec::new();
        let items = self.recorder.take_in(ticket, &told, &mut open);
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
            self.recorder.tell_contents(at, object, snapshot, change);
        }
        Ok(())
    }

    /// Learns the JVM's names of what an object holds.
    pub(super) fn name_held(&mut self, object: ObjectId) -> Result<(), CaptureError> {
        let container = self.recorder.known.contents.get(object);
        let items = container.and_then(|container| container.items().cloned());
        let (Some(items), Some(real)) = (items, self.recorder.known.heap.real(object)) else {
            // Nothing is known of it, or it has no name by which it could be read.
            return Ok(());
        };
        let Some(class) = self.recorder.class_of(Value::Object(object))? else {
            // It is gone: nothing of the scope can meet it any more.
            return Ok(());
        };
        if items.len() > SHORT {
            return Ok(());
        }
        let mut reading = Container::new(self.recorder.known.contents.shape_of(object));
        if let Ok(told) = self.recorder.read_contents(&mut reading, real, class)? {
            self.recorder.known.unify_held(&items, &told);
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
