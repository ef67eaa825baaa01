//! What a thread that stands still is asked at once: objects that code of the scope sees for the first
//! time with all that it can see through them, and locals. After that the mirror knows them, and no
//! instruction that reads them needs to ask.

use jdwp::commands::stack_frame::{self, SlotRequest};
use jdwp::commands::{array_reference, object_reference};
use jdwp::{ArrayRegion, Tag, TaggedObject};
use jhyde_trace::{CallId, Content, Event, EventKind, ObjectInfo, Sink, Value, Variable};

use crate::arrivals::Ticket;
use crate::error::CaptureError;
use crate::events::Engine;
use crate::events::contents::At;
use crate::mirror::{Body, Elements};

/// The most elements of an array that are kept when it is first seen.
const MOST_ELEMENTS: usize = 1 << 20;

impl<S: Sink> Engine<S> {
    /// Learns an object that is seen for the first time, and what can be seen through it.
    pub(in crate::events) fn observe(
        &mut self,
        ticket: Ticket,
        thread: jdwp::ThreadId,
        value: &jdwp::Value,
    ) -> Result<(), CaptureError> {
        let Some(object) = value.object() else {
            return Ok(());
        };
        let Some(call) = self.threads.get(&thread.0).map(|known| known.current()) else {
            return Ok(());
        };
        let mut open = vec![object];
        while let Some(object) = open.pop() {
            self.unify_suspected(object.id);
            if object.id.is_null() || self.heap.knows(self.heap.name(object.id)) {
                continue;
            }
            match object.tag {
                Tag::ARRAY => self.observe_array(ticket, call, object, &mut open)?,
                Tag::OBJECT => self.observe_object((ticket, thread, call), object, &mut open)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn begins(&mut self, ticket: Ticket, call: CallId, kind: EventKind) {
        let index = Event::NO_INDEX;
        self.arrivals.event(ticket, Event { call, index, kind });
    }

    pub(in crate::events) fn observe_region(
        &mut self,
        ticket: Ticket,
        thread: jdwp::ThreadId,
        region: &ArrayRegion,
    ) -> Result<(), CaptureError> {
        if let ArrayRegion::Object {
            elements: values, ..
        } = region
        {
            for &object in values {
                let value = jdwp::Value::Object {
                    tag: object.tag,
                    id: object.id,
                };
                self.observe(ticket, thread, &value)?;
                self.meet_object(ticket, object, false);
            }
        }
        Ok(())
    }

    fn observe_object(
        &mut self,
        (ticket, thread, call): At,
        tagged: TaggedObject,
        open: &mut Vec<TaggedObject>,
    ) -> Result<(), CaptureError> {
        let object = tagged.id;
        let kind = self
            .link
            .request(&object_reference::ReferenceType { object })?;
        let Ok(kind) = kind else {
            return Ok(());
        };
        let class = self.program.class(&mut self.link, kind.type_id)?;
        if !class.in_scope {
            self.heap.meet(object, Some(class.id), Body::Opaque);
            return self.first_contents((ticket, thread, call), object, kind.type_id, open);
        }
        self.objects.meet(object);
        let fields = class.instance_fields.iter().map(|field| field.1).collect();
        let told = self
            .link
            .request(&object_reference::GetValues { object, fields })?
            .unwrap_or_default();
        let name = self.heap.name(object);
        let content = self.fixed_content(ticket, object, kind.type_id)?;
        let info = ObjectInfo {
            class: Some(class.id),
            content,
        };
        self.arrivals.object(ticket, name, info);
        let mut held = Vec::with_capacity(told.len());
        for (&(field, _), value) in class.instance_fields.iter().zip(&told) {
            open.extend(value.object());
            let value = self.value(ticket, value, false);
            held.push((field, value));
            let variable = Variable::Field {
                object: name,
                field,
            };
            self.begins(ticket, call, EventKind::Snapshot { variable, value });
        }
        self.heap.meet(object, Some(class.id), Body::Fields(held));
        self.first_contents((ticket, thread, call), object, kind.type_id, open)
    }

    fn observe_array(
        &mut self,
        ticket: Ticket,
        call: CallId,
        tagged: TaggedObject,
        open: &mut Vec<TaggedObject>,
    ) -> Result<(), CaptureError> {
        let array = tagged.id;
        let kind = self
            .link
            .ask(&object_reference::ReferenceType { object: array });
        let length = self.link.ask(&array_reference::Length {
            array: array.into(),
        });
        let kind = self.link.reply::<object_reference::ReferenceType>(kind)?;
        let length = self.link.reply::<array_reference::Length>(length)?;
        let (Ok(kind), Ok(length)) = (kind, length) else {
            return Ok(());
        };
        let class = self.program.class(&mut self.link, kind.type_id)?.id;
        let length = usize::try_from(length).unwrap_or(0);
        self.objects.meet(array);
        let name = self.heap.name(array);
        let content = u32::try_from(length).map_or(Content::None, Content::Array);
        let info = ObjectInfo {
            class: Some(class),
            content,
        };
        self.arrivals.object(ticket, name, info);
        if length > MOST_ELEMENTS {
            let reason = format!("the {length} elements of an array were not read");
            self.begins(
                ticket,
                call,
                EventKind::Gap {
                    reason,
                    back: false,
                },
            );
            self.heap.meet(array, Some(class), Body::Opaque);
            return Ok(());
        }
        let pieces = self.read_array(array, length)?.unwrap_or_default();
        let mut first = 0_u32;
        let mut all: Option<Elements> = None;
        for region in &pieces {
            if let ArrayRegion::Object {
                elements: values, ..
            } = region
            {
                for &object in values {
                    open.push(object);
                    self.meet_object(ticket, object, false);
                }
            }
            let read = Elements::read(region, |id| self.heap.reference(id));
            let count = u32::try_from(read.len()).unwrap_or(u32::MAX);
            for at in 0..count {
                let value = read.get(at).unwrap_or(crate::mirror::UNKNOWN);
                let variable = Variable::Element {
                    array: name,
                    index: first + at,
                };
                self.begins(ticket, call, EventKind::Snapshot { variable, value });
            }
            first += count;
            match &mut all {
                None => all = Some(read),
                Some(all) => all.append(&read),
            }
        }
        let elements = all.unwrap_or_else(|| Elements::new(b'L', 0));
        self.heap.meet(array, Some(class), Body::Array(elements));
        Ok(())
    }

    /// A local of the innermost frame of a suspended thread, as the JVM holds it.
    pub(in crate::events) fn ask_local(
        &mut self,
        thread: jdwp::ThreadId,
        slot: u16,
        tag: Tag,
    ) -> Result<Option<jdwp::Value>, CaptureError> {
        let frames = self.stack_top(thread)?;
        let Some(frame) = frames else { return Ok(None) };
        let slots = vec![SlotRequest {
            slot: i32::from(slot),
            tag,
        }];
        let told = self.link.request(&stack_frame::GetValues {
            thread,
            frame,
            slots,
        })?;
        Ok(told.ok().and_then(|values| values.into_iter().next()))
    }

    /// The mirror held a value that the JVM now shows. If the mirror's is an object of ours without a
    /// name, the two are one.
    pub(in crate::events) fn unify(
        &mut self,
        thread: jdwp::ThreadId,
        mirrored: Value,
        told: TaggedObject,
    ) {
        if told.id.is_null() || !self.heap.is_unnamed(mirrored) {
            return;
        }
        if !self.unify_object(mirrored, told.id) {
            // The JVM had named it before: two names for one object, of which the older one stays.
            let real = self.heap.reference(told.id);
            if let Some(mirror) = self
                .innermost(thread)
                .and_then(|frame| frame.mirror.as_mut())
            {
                mirror.replace(mirrored, real);
            }
        }
    }

    pub(in crate::events) fn unify_object(
        &mut self,
        mirrored: Value,
        real: jdwp::ObjectId,
    ) -> bool {
        let Some(object) = mirrored.object() else {
            return false;
        };
        if self.objects.is_known(real) {
            return false;
        }
        let unified = self.heap.unify(object, real);
        if unified {
            self.objects.meet(real);
        }
        unified
    }
}
