//! Arrays and objects that a call out of the scope can reach: before it the JVM's names of them are learnt, behind
//! it they are read and compared with the mirror. What is not as it was, was written by the call.

use jdwp::commands::object_reference;
use jdwp::commands::stack_frame::{self, SlotRequest};
use jdwp::{ArrayRegion, Tag, TaggedObject};
use jhyde_trace::{CallId, EventKind, ObjectId, Sink, Value, Variable};

use crate::arrivals::Ticket;
use crate::error::CaptureError;
use crate::events::Engine;
use crate::events::outside::races::Others;
use crate::events::thread::Thread;
use crate::mirror::{Elements, has_name_of_the_jvm, is_known};

/// The most elements of one array that are compared after a boundary call.
const MOST_COMPARED: usize = 1 << 20;

impl<S: Sink> Engine<S> {
    /// Learns the JVM's names of objects that a boundary call is shown, where a local, or an element of an
    /// array, holds one and can be read: arrays are to be compared, and any object may come back later.
    pub(in crate::events) fn name_objects(
        &mut self,
        thread: &mut Thread,
        objects: impl IntoIterator<Item = Value>,
    ) -> Result<(), CaptureError> {
        for value in objects {
            self.name_object(thread, value, 3)?;
            self.name_elements(thread, value)?;
        }
        Ok(())
    }

    /// Learns the JVM's names of what an array holds, while everything still lies where the mirror has it.
    pub(in crate::events) fn name_elements(
        &mut self,
        thread: &mut Thread,
        array: Value,
    ) -> Result<(), CaptureError> {
        let Some(array) = array.object() else {
            // Not an object.
            return Ok(());
        };
        let (Some(elements), Some(real)) = (
            self.recorder.known.heap.elements(array),
            self.recorder.known.heap.likely_real(array),
        ) else {
            // Not an array that is followed, or one that has no name by which it could be read.
            return Ok(());
        };
        let length = elements.len();
        if length <= MOST_COMPARED
            && elements
                .references()
                .any(|held| self.recorder.known.heap.is_unnamed(held))
            && let Some(now) = self.recorder.read_array(real, length)?
        {
            let others = self.others();
            if others.are_outside {
                self.recorder.known.unify_elements(array, &now);
            } else {
                self.suspect_names(thread, &others, array, &now);
            }
        }
        Ok(())
    }

    fn name_object(
        &mut self,
        thread: &mut Thread,
        value: Value,
        depth: u8,
    ) -> Result<(), CaptureError> {
        if depth == 0 || !self.recorder.known.heap.is_unnamed(value) {
            return Ok(());
        }
        if let Some(told) = self.held_by_local(thread, value)? {
            self.unify(thread, value, told);
            return Ok(());
        }
        let Some(holder) = self.recorder.known.heap.holder(value) else {
            // Nothing that can be read holds it.
            return Ok(());
        };
        if let Variable::Element { array: object, .. } | Variable::Field { object, .. } = holder {
            self.name_object(thread, Value::Object(object), depth - 1)?;
        }
        if let Some(told) = self.recorder.read_reference(holder)? {
            let others = self.others();
            if others.are_outside {
                self.unify(thread, value, told);
            } else {
                self.suspect_name(thread, &others, holder, value, told);
            }
        }
        Ok(())
    }

    /// Reads the local of the innermost call that holds this value.
    fn held_by_local(
        &mut self,
        thread: &mut Thread,
        value: Value,
    ) -> Result<Option<TaggedObject>, CaptureError> {
        let Some(frame) = thread.innermost_mut() else {
            return Ok(None);
        };
        let (method, index) = (std::rc::Rc::clone(&frame.method), frame.index);
        let locals = frame
            .mirror
            .as_ref()
            .map_or(&[][..], |mirror| &mirror.locals);
        let slot = locals.iter().position(|&local| local == value);
        let Some(slot) = slot.and_then(|slot| u16::try_from(slot).ok()) else {
            return Ok(None);
        };
        let variable = method.variable_in(slot, index);
        let tag = match variable.and_then(|at| method.variables.get(usize::from(at))) {
            Some(variable) => Tag::of_signature(&variable.descriptor),
            // Without a variable table any slot can be read; with one, only those that it names.
            None if method.variables.is_empty() => Some(Tag::OBJECT),
            None => None,
        };
        let Some(tag) = tag else { return Ok(None) };
        let told = self.ask_local(thread, slot, tag)?;
        Ok(told.and_then(|told| told.object()))
    }

    /// What a boundary call did to an object or array that it could reach. What it was shown itself was looked
    /// at before: an element that has no name since lies where it lay.
    pub(in crate::events) fn compare(
        &mut self,
        ticket: Ticket,
        thread: &mut Thread,
        call: CallId,
        object: ObjectId,
        shown: bool,
    ) -> Result<(), CaptureError> {
        let Some(real) = self.recorder.known.heap.likely_real(object) else {
            // It has no name by which it could be read: it stays in doubt.
            return Ok(());
        };
        if let Some(elements) = self.recorder.known.heap.elements(object) {
            let length = elements.len();
            if length == 0 {
                return Ok(());
            }
            if length > MOST_COMPARED {
                let reason = format!("an array of {length} elements was not compared");
                let kind = EventKind::Gap {
                    reason,
                    back: false,
                };
                self.recorder.outlet.tell_of(ticket, call, kind);
                return Ok(());
            }
            let Some(now) = self.recorder.read_array(real, length)? else {
                // It is gone.
                return Ok(());
            };
            let others = self.others();
            if others.are_outside {
                if shown {
                    self.recorder.known.unify_elements(object, &now);
                }
                for region in &now {
                    self.observe_region(ticket, thread, region)?;
                }
            }
            self.compare_elements(thread, (ticket, call), &others, object, shown, &now)?;
            if others.are_outside {
                self.recorder.known.heap.refreshed(object);
            }
            return Ok(());
        }
        let class = self
            .recorder
            .known
            .heap
            .class(object)
            .and_then(|class| self.recorder.known.program.class_of(class));
        let Some(class) = class.filter(|class| class.in_scope && !class.instance_fields.is_empty())
        else {
            // It has no fields that are followed.
            return Ok(());
        };
        let fields = class.instance_fields.iter().map(|field| field.1).collect();
        let told = self
            .recorder
            .jvm
            .link
            .request(&object_reference::GetValues {
                object: real,
                fields,
            })?;
        let others = self.others();
        let Ok(told) = told else {
            // It is gone.
            return Ok(());
        };
        for (&(field, _), value) in class.instance_fields.iter().zip(&told) {
            let zero = crate::mirror::zero_like(self.recorder.known.heap.value(value));
            let before = self.recorder.known.heap.field(object, field, zero);
            let variable = Variable::Field { object, field };
            self.compare_field(thread, (ticket, call), &others, variable, before, value)?;
        }
        if others.are_outside {
            self.recorder.known.heap.refreshed(object);
        }
        Ok(())
    }

    /// What a boundary call did to a field, which is read behind it.
    pub(in crate::events) fn compare_field(
        &mut self,
        thread: &mut Thread,
        (ticket, call): (Ticket, CallId),
        others: &Others,
        variable: Variable,
        before: Value,
        told: &jdwp::Value,
    ) -> Result<(), CaptureError> {
        if others.are_outside {
            self.observe(ticket, thread, told)?;
            self.recorder.value(ticket, told, false);
        }
        let value = self.recorder.known.heap.value(told);
        if !is_known(before) && others.are_outside {
            // It is known from here on.
            self.recorder.known.heap.write(variable, value);
            let kind = EventKind::Snapshot { variable, value };
            self.recorder.outlet.tell_of(ticket, call, kind);
        }
        if is_known(before) && before != value && !self.recorder.known.heap.is_unnamed(before) {
            self.race(
                thread,
                (ticket, call),
                others,
                variable,
                value,
                told.object(),
            );
        }
        Ok(())
    }

    /// Elements that are not what they were. An object that has a name of ours and one that the JVM's gave
    /// it, because it came back by another way before the two could be unified, is the same one.
    fn compare_elements(
        &mut self,
        thread: &mut Thread,
        (ticket, call): (Ticket, CallId),
        others: &Others,
        array: ObjectId,
        shown: bool,
        now: &[ArrayRegion],
    ) -> Result<(), CaptureError> {
        let mut first = 0_u32;
        for region in now {
            let read = Elements::read(region, |id| self.recorder.known.heap.reference(id));
            let length = u32::try_from(read.len()).unwrap_or(u32::MAX);
            let Some(elements) = self.recorder.known.heap.elements(array) else {
                // Not an array: there are no elements to compare.
                return Ok(());
            };
            let changed: Vec<(u32, Value)> = (0..length)
                .filter_map(|at| {
                    let value = read.get(at)?;
                    (elements.get(first + at) != Some(value)).then_some((first + at, value))
                })
                .collect();
            for (index, value) in changed {
                let variable = Variable::Element { array, index };
                let told = match region {
                    ArrayRegion::Object { elements, .. } => {
                        elements.get((index - first) as usize).copied()
                    }
                    _ => None,
                };
                let before = self
                    .recorder
                    .known
                    .heap
                    .elements(array)
                    .and_then(|e| e.get(index));
                let name = before
                    .and_then(|before| before.object())
                    .and_then(|object| self.recorder.known.heap.doubts.name(object));
                if name.is_some() && name == told.map(|told| told.id) {
                    continue;
                }
                if name.is_none()
                    && let Some(before) =
                        before.filter(|&before| self.recorder.known.heap.is_unnamed(before))
                    && value.object().is_some_and(has_name_of_the_jvm)
                    && self.recorder.known.heap.may_be(before, value)
                    && !self.recorder.are_different_texts(before, value)?
                {
                    if let Some(told) = told.filter(|_| shown && !others.are_outside) {
                        self.suspect_name(thread, others, variable, before, told);
                    }
                    continue;
                }
                self.race(thread, (ticket, call), others, variable, value, told);
            }
            first += length;
        }
        Ok(())
    }

    /// As [`Self::tie_elements`], where other threads may have written since.
    fn suspect_names(
        &mut self,
        thread: &mut Thread,
        others: &Others,
        array: ObjectId,
        now: &[ArrayRegion],
    ) {
        let told = now.iter().flat_map(|region| match region {
            ArrayRegion::Object { elements, .. } => &elements[..],
            _ => &[],
        });
        for (index, &told) in (0_u32..).zip(told) {
            let held = self
                .recorder
                .known
                .heap
                .elements(array)
                .and_then(|e| e.get(index));
            if let Some(held) = held.filter(|&held| self.recorder.known.heap.is_unnamed(held)) {
                let variable = Variable::Element { array, index };
                self.suspect_name(thread, others, variable, held, told);
            }
        }
    }

    /// A local of the innermost frame of a suspended thread, as the JVM holds it.
    pub(in crate::events) fn ask_local(
        &mut self,
        thread: &mut Thread,
        slot: u16,
        tag: Tag,
    ) -> Result<Option<jdwp::Value>, CaptureError> {
        let slot = i32::from(slot);
        let reader = thread.jdwp;
        let told = self.ask_top(thread, |frame| stack_frame::GetValues {
            thread: reader,
            frame,
            slots: vec![SlotRequest { slot, tag }],
        })?;
        let values = told.and_then(Result::ok);
        Ok(values.and_then(|values| values.into_iter().next()))
    }

    /// The mirror held a value that the JVM now shows. If the mirror's is an object of ours without a
    /// name, the two are one.
    pub(in crate::events) fn unify(
        &mut self,
        thread: &mut Thread,
        mirrored: Value,
        told: TaggedObject,
    ) {
        if told.id.is_null() || !self.recorder.known.heap.is_unnamed(mirrored) {
            return;
        }
        if !self.recorder.known.unify_object(mirrored, told.id) {
            // The JVM had named it before: two names for one object, of which the older one stays.
            let real = self.recorder.known.heap.reference(told.id);
            if let Some(mirror) = thread
                .innermost_mut()
                .and_then(|frame| frame.mirror.as_mut())
            {
                mirror.replace(mirrored, real);
            }
        }
    }

    /// See [`Recorder::observe`]. In a thread that has ended nothing is seen for the first time.
    pub(in crate::events) fn observe(
        &mut self,
        ticket: Ticket,
        thread: &mut Thread,
        value: &jdwp::Value,
    ) -> Result<(), CaptureError> {
        match thread.ended {
            true => Ok(()),
            false => self.recorder.observe(thread.at(ticket), value),
        }
    }

    fn observe_region(
        &mut self,
        ticket: Ticket,
        thread: &mut Thread,
        region: &ArrayRegion,
    ) -> Result<(), CaptureError> {
        let ArrayRegion::Object { elements, .. } = region else {
            // Numbers are nothing to look at.
            return Ok(());
        };
        for &object in elements {
            let TaggedObject { tag, id } = object;
            self.observe(ticket, thread, &jdwp::Value::Object { tag, id })?;
            self.recorder.meet_object(ticket, object, false);
        }
        Ok(())
    }
}
