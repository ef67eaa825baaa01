//! Arrays and objects that a call out of the scope can reach: before it the JVM's names of them are learnt, behind
//! it they are read and compared with the mirror. What is not as it was, was written by the call.

use jdwp::commands::{array_reference, object_reference, reference_type, string_reference};
use jhyde_trace::{CallId, Event, EventKind, ObjectId, Sink, Value, Variable};

use crate::arrivals::Ticket;
use crate::error::CaptureError;
use crate::events::Engine;
use crate::events::outside::races::Others;
use crate::mirror::{Elements, has_name_of_the_jvm, is_known};

/// The most elements of one array that are compared after a boundary call.
const MOST_COMPARED: usize = 1 << 20;

impl<S: Sink> Engine<S> {
    /// Learns the JVM's names of objects that a boundary call is shown, where a local, or an element of an
    /// array, holds one and can be read: arrays are to be compared, and any object may come back later.
    pub(in crate::events) fn name_objects(
        &mut self,
        thread: jdwp::ThreadId,
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
        thread: jdwp::ThreadId,
        array: Value,
    ) -> Result<(), CaptureError> {
        let Some(array) = array.object() else {
            return Ok(());
        };
        let (Some(elements), Some(real)) =
            (self.heap.elements(array), self.heap.likely_real(array))
        else {
            return Ok(());
        };
        let length = elements.len();
        if length <= MOST_COMPARED
            && elements.references().any(|held| self.heap.is_unnamed(held))
            && let Some(now) = self.read_array(real, length)?
        {
            let others = self.others(thread);
            if others.are_outside {
                self.unify_elements(array, &now);
            } else {
                self.suspect_names(thread, &others, array, &now);
            }
        }
        Ok(())
    }

    fn name_object(
        &mut self,
        thread: jdwp::ThreadId,
        value: Value,
        depth: u8,
    ) -> Result<(), CaptureError> {
        if depth == 0 || !self.heap.is_unnamed(value) {
            return Ok(());
        }
        if let Some(told) = self.held_by_local(thread, value)? {
            self.unify(thread, value, told);
            return Ok(());
        }
        let Some(holder) = self.heap.holder(value) else {
            return Ok(());
        };
        if let Variable::Element { array: object, .. } | Variable::Field { object, .. } = holder {
            self.name_object(thread, Value::Object(object), depth - 1)?;
        }
        if let Some(told) = self.read_reference(holder)? {
            let others = self.others(thread);
            if others.are_outside {
                self.unify(thread, value, told);
            } else {
                self.suspect_name(thread, &others, holder, value, told);
            }
        }
        Ok(())
    }

    /// The object that an element, field or static field holds in the JVM.
    fn read_reference(
        &mut self,
        variable: Variable,
    ) -> Result<Option<jdwp::TaggedObject>, CaptureError> {
        let told = match variable {
            Variable::Element { array, index } => {
                let Some(real) = self.heap.likely_real(array) else {
                    return Ok(None);
                };
                let told = self.link.request(&array_reference::GetValues {
                    array: real.into(),
                    first_index: i32::try_from(index).unwrap_or(i32::MAX),
                    length: 1,
                })?;
                return Ok(match told {
                    Ok(jdwp::ArrayRegion::Object { elements, .. }) => elements.first().copied(),
                    _ => None,
                });
            }
            Variable::Field { object, field } => {
                let real = self.heap.likely_real(object);
                let (Some(object), Some((_, field))) = (real, self.program.real_field(field))
                else {
                    return Ok(None);
                };
                let fields = vec![field];
                self.link
                    .request(&object_reference::GetValues { object, fields })?
            }
            Variable::Static { field } => {
                let Some((ref_type, field)) = self.program.real_field(field) else {
                    return Ok(None);
                };
                let fields = vec![field];
                self.link
                    .request(&reference_type::GetValues { ref_type, fields })?
            }
            _ => return Ok(None),
        };
        Ok(told.ok().and_then(|values| values.first()?.object()))
    }

    /// Reads the local of the innermost call that holds this value.
    fn held_by_local(
        &mut self,
        thread: jdwp::ThreadId,
        value: Value,
    ) -> Result<Option<jdwp::TaggedObject>, CaptureError> {
        let Some(frame) = self.innermost(thread) else {
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
        let covers = |v: &&jhyde_trace::LocalVariable| v.slot == slot && v.covers(index);
        let tag = match method.variables.iter().find(covers) {
            Some(variable) => jdwp::Tag::of_signature(&variable.descriptor),
            // Without a variable table any slot can be read; with one, only those that it names.
            None if method.variables.is_empty() => Some(jdwp::Tag::OBJECT),
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
        thread: jdwp::ThreadId,
        call: CallId,
        object: ObjectId,
        shown: bool,
    ) -> Result<(), CaptureError> {
        let Some(real) = self.heap.likely_real(object) else {
            return Ok(());
        };
        if let Some(elements) = self.heap.elements(object) {
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
                let index = Event::NO_INDEX;
                self.arrivals.event(ticket, Event { call, index, kind });
                return Ok(());
            }
            let Some(now) = self.read_array(real, length)? else {
                return Ok(());
            };
            let others = self.others(thread);
            if others.are_outside {
                if shown {
                    self.unify_elements(object, &now);
                }
                for region in &now {
                    self.observe_region(ticket, thread, region)?;
                }
            }
            self.compare_elements((ticket, thread, call), &others, object, shown, &now)?;
            if others.are_outside {
                self.heap.refreshed(object);
            }
            return Ok(());
        }
        let class = self
            .heap
            .class(object)
            .and_then(|class| self.program.class_of(class));
        let Some(class) = class.filter(|class| class.in_scope && !class.instance_fields.is_empty())
        else {
            return Ok(());
        };
        let fields = class.instance_fields.iter().map(|field| field.1).collect();
        let told = self.link.request(&object_reference::GetValues {
            object: real,
            fields,
        })?;
        let others = self.others(thread);
        let Ok(told) = told else { return Ok(()) };
        for (&(field, _), value) in class.instance_fields.iter().zip(&told) {
            let zero = crate::mirror::zero_like(self.heap.value(value));
            let before = self.heap.field(object, field, zero);
            let variable = Variable::Field { object, field };
            self.compare_field((ticket, thread, call), &others, variable, before, value)?;
        }
        if others.are_outside {
            self.heap.refreshed(object);
        }
        Ok(())
    }

    /// What a boundary call did to a field, which is read behind it.
    pub(in crate::events) fn compare_field(
        &mut self,
        (ticket, thread, call): (Ticket, jdwp::ThreadId, CallId),
        others: &Others,
        variable: Variable,
        before: Value,
        told: &jdwp::Value,
    ) -> Result<(), CaptureError> {
        if others.are_outside {
            self.observe(ticket, thread, told)?;
            self.value(ticket, told, false);
        }
        let value = self.heap.value(told);
        if !is_known(before) && others.are_outside {
            // It is known from here on.
            self.heap.write(variable, value);
            let kind = EventKind::Snapshot { variable, value };
            let index = Event::NO_INDEX;
            self.arrivals.event(ticket, Event { call, index, kind });
        }
        if is_known(before) && before != value && !self.heap.is_unnamed(before) {
            let at = (ticket, thread, call);
            self.race(at, others, variable, value, told.object());
        }
        Ok(())
    }

    /// Objects of the scope that the JVM names here for the first time, by the elements that hold them.
    fn unify_elements(&mut self, array: ObjectId, now: &[jdwp::ArrayRegion]) {
        let mut index = 0_u32;
        for region in now {
            let jdwp::ArrayRegion::Object { elements, .. } = region else {
                return;
            };
            for told in elements {
                let held = self.heap.elements(array).and_then(|e| e.get(index));
                if let Some(held) = held.filter(|&held| self.heap.is_unnamed(held))
                    && !told.id.is_null()
                    && self.heap.may_be(held, self.heap.reference(told.id))
                {
                    self.unify_object(held, told.id);
                }
                index += 1;
            }
        }
    }

    /// Elements that are not what they were. An object that has a name of ours and one that the JVM's gave
    /// it, because it came back by another way before the two could be unified, is the same one.
    fn compare_elements(
        &mut self,
        (ticket, thread, call): (Ticket, jdwp::ThreadId, CallId),
        others: &Others,
        array: ObjectId,
        shown: bool,
        now: &[jdwp::ArrayRegion],
    ) -> Result<(), CaptureError> {
        let mut first = 0_u32;
        for region in now {
            let read = Elements::read(region, |id| self.heap.reference(id));
            let length = u32::try_from(read.len()).unwrap_or(u32::MAX);
            let Some(elements) = self.heap.elements(array) else {
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
                    jdwp::ArrayRegion::Object { elements, .. } => {
                        elements.get((index - first) as usize).copied()
                    }
                    _ => None,
                };
                let before = self.heap.elements(array).and_then(|e| e.get(index));
                let name = before
                    .and_then(|before| before.object())
                    .and_then(|object| self.heap.doubts.name(object));
                if name.is_some() && name == told.map(|told| told.id) {
                    continue;
                }
                if name.is_none()
                    && let Some(before) = before.filter(|&before| self.heap.is_unnamed(before))
                    && value.object().is_some_and(has_name_of_the_jvm)
                    && self.heap.may_be(before, value)
                    && !self.are_different_texts(before, value)?
                {
                    if let Some(told) = told.filter(|_| shown && !others.are_outside) {
                        self.suspect_name(thread, others, variable, before, told);
                    }
                    continue;
                }
                self.race((ticket, thread, call), others, variable, value, told);
            }
            first += length;
        }
        Ok(())
    }

    /// A string constant without a name of the JVM's, and a string that has one: are they surely two?
    fn are_different_texts(&mut self, constant: Value, told: Value) -> Result<bool, CaptureError> {
        let real = told.object().and_then(|object| self.heap.real(object));
        let text = constant
            .object()
            .and_then(|object| self.heap.constant_text(object));
        let (Some(text), Some(string)) = (text, real) else {
            return Ok(false);
        };
        let told = self.link.request(&string_reference::Value {
            string: string.into(),
        })?;
        Ok(told.is_ok_and(|told| *told.to_utf16() != *text))
    }

    /// As [`Self::tie_elements`], where other threads may have written since.
    fn suspect_names(
        &mut self,
        thread: jdwp::ThreadId,
        others: &Others,
        array: ObjectId,
        now: &[jdwp::ArrayRegion],
    ) {
        let told = now.iter().flat_map(|region| match region {
            jdwp::ArrayRegion::Object { elements, .. } => &elements[..],
            _ => &[],
        });
        for (index, &told) in (0_u32..).zip(told) {
            let held = self.heap.elements(array).and_then(|e| e.get(index));
            if let Some(held) = held.filter(|&held| self.heap.is_unnamed(held)) {
                let variable = Variable::Element { array, index };
                self.suspect_name(thread, others, variable, held, told);
            }
        }
    }

    /// All elements of an array, in pieces.
    pub(in crate::events) fn read_array(
        &mut self,
        array: jdwp::ObjectId,
        length: usize,
    ) -> Result<Option<Vec<jdwp::ArrayRegion>>, CaptureError> {
        const PIECE: usize = 1 << 16;
        let mut pieces = Vec::new();
        let mut first = 0;
        while first < length {
            let count = PIECE.min(length - first);
            let told = self.link.request(&array_reference::GetValues {
                array: array.into(),
                first_index: i32::try_from(first).unwrap_or(i32::MAX),
                length: i32::try_from(count).unwrap_or(i32::MAX),
            })?;
            let Ok(region) = told else { return Ok(None) };
            pieces.push(region);
            first += count;
        }
        Ok(Some(pieces))
    }
}
