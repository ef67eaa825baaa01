//! What a thread that stands still is asked at once: objects that code of the scope sees for the first
//! time with all that it can see through them, and locals. After that the mirror knows them, and no
//! instruction that reads them needs to ask.

use jdwp::commands::{array_reference, object_reference};
use jdwp::{ArrayRegion, Tag, TaggedObject};
use jhyde_trace::{CallId, Content, EventKind, ObjectInfo, Sink, Variable};

use super::{At, Recorder};
use crate::arrivals::Ticket;
use crate::error::CaptureError;
use crate::mirror::{Body, Elements};

/// The most elements of an array that are kept when it is first seen.
const MOST_ELEMENTS: usize = 1 << 20;

impl<S: Sink> Recorder<S> {
    /// Learns an object that is seen for the first time, and what can be seen through it.
    pub(crate) fn observe(&mut self, at: At, value: &jdwp::Value) -> Result<(), CaptureError> {
        let Some(object) = value.object() else {
            // Not an object.
            return Ok(());
        };
        let (ticket, _, call) = at;
        let mut open = vec![object];
        while let Some(object) = open.pop() {
            self.known.unify_suspected(object.id);
            if object.id.is_null() || self.known.heap.knows(self.known.heap.name(object.id)) {
                continue;
            }
            match object.tag {
                Tag::ARRAY => self.observe_array(ticket, call, object, &mut open)?,
                Tag::OBJECT => self.observe_object(at, object, &mut open)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn begins(&mut self, ticket: Ticket, call: CallId, kind: EventKind) {
        self.outlet.tell_of(ticket, call, kind);
    }

    fn observe_object(
        &mut self,
        (ticket, thread, call): At,
        tagged: TaggedObject,
        open: &mut Vec<TaggedObject>,
    ) -> Result<(), CaptureError> {
        let object = tagged.id;
        let kind = self
            .jvm
            .link
            .request(&object_reference::ReferenceType { object })?;
        let Ok(kind) = kind else {
            // It is gone: nothing of the scope can meet it.
            return Ok(());
        };
        let class = self.known.program.class(&mut self.jvm.link, kind.type_id)?;
        if !class.in_scope {
            self.known.heap.meet(object, Some(class.id), Body::Opaque);
            return self.first_contents((ticket, thread, call), object, kind.type_id, open);
        }
        self.known.objects.meet(object);
        let fields = class.instance_fields.iter().map(|field| field.1).collect();
        let told = self
            .jvm
            .link
            .request(&object_reference::GetValues { object, fields })?
            .unwrap_or_default();
        let name = self.known.heap.name(object);
        let content = self.fixed_content(ticket, object, kind.type_id)?;
        let info = ObjectInfo {
            class: Some(class.id),
            content,
        };
        self.outlet.object(ticket, name, info);
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
        self.known
            .heap
            .meet(object, Some(class.id), Body::Fields(held));
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
            .jvm
            .link
            .ask(&object_reference::ReferenceType { object: array });
        let length = self.jvm.link.ask(&array_reference::Length {
            array: array.into(),
        });
        let kind = self
            .jvm
            .link
            .reply::<object_reference::ReferenceType>(kind)?;
        let length = self.jvm.link.reply::<array_reference::Length>(length)?;
        let (Ok(kind), Ok(length)) = (kind, length) else {
            // It is gone: nothing of the scope can meet it.
            return Ok(());
        };
        let class = self
            .known
            .program
            .class(&mut self.jvm.link, kind.type_id)?
            .id;
        let length = usize::try_from(length).unwrap_or(0);
        self.known.objects.meet(array);
        let name = self.known.heap.name(array);
        let content = u32::try_from(length).map_or(Content::None, Content::Array);
        let info = ObjectInfo {
            class: Some(class),
            content,
        };
        self.outlet.object(ticket, name, info);
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
            self.known.heap.meet(array, Some(class), Body::Opaque);
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
            let read = Elements::read(region, |id| self.known.heap.reference(id));
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
        self.known
            .heap
            .meet(array, Some(class), Body::Array(elements));
        Ok(())
    }
}
