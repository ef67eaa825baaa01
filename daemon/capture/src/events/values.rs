//! Answers about objects: class, text, length, boxed primitive, and the fields of objects that were
//! not created in scope.

use jdwp::commands::{
    array_reference, class_object_reference, object_reference, reference_type, string_reference,
};
use jdwp::{Tag, TaggedObject};
use jhyde_trace::{Content, Event, EventKind, ObjectInfo, Sink, Variable};

use super::{Engine, Question};
use crate::arrivals::Ticket;
use crate::error::CaptureError;
use crate::mirror::{Body, UNKNOWN};
use crate::objects::ObjectQuestion;

impl<S: Sink> Engine<S> {
    /// Asks about an object if it is seen for the first time. `created`: a constructor was just
    /// entered with it.
    pub(super) fn meet_object(&mut self, ticket: Ticket, object: TaggedObject, created: bool) {
        self.unify_suspected(object.id);
        if object.id.is_null() || !self.objects.meet(object.id) {
            return;
        }
        for (id, question) in self.objects.ask(&mut self.link, object, created) {
            self.ask_object(id, ticket, question);
        }
    }

    pub(super) fn ask_object(
        &mut self,
        id: jdwp::PacketId,
        ticket: Ticket,
        question: ObjectQuestion,
    ) {
        self.questions
            .insert(id.0, Question::Object(ticket, question));
        self.arrivals.question(ticket);
    }

    /// An answer about an object. A refusal means that the object is gone: what it was stays unknown.
    pub(super) fn object_answer(
        &mut self,
        ticket: Ticket,
        question: ObjectQuestion,
        reply: &jdwp::Reply,
    ) -> Result<(), CaptureError> {
        match question {
            ObjectQuestion::Type {
                object,
                tag,
                created,
            } => {
                let kind = self
                    .link
                    .decode::<object_reference::ReferenceType>(reply)
                    .ok();
                self.object_type(ticket, object, tag, created, kind.map(|kind| kind.type_id))?;
            }
            ObjectQuestion::Text { object } => {
                let text = self.link.decode::<string_reference::Value>(reply).ok();
                let name = self.heap.name(object);
                if let Some(text) = &text {
                    let class = self.objects.string_class;
                    self.heap.keep_text(name, class, || text.to_utf16().into());
                }
                let content = text.map_or(Content::None, |text| self.objects.string(&text));
                let info = ObjectInfo {
                    class: self.objects.string_class,
                    content,
                };
                self.arrivals.object(ticket, self.heap.name(object), info);
            }
            ObjectQuestion::Length { object } => {
                let length = self.link.decode::<array_reference::Length>(reply).ok();
                let length = length.and_then(|length| u32::try_from(length).ok());
                let class = self.objects.array_class.take();
                let content = length.map_or(Content::None, Content::Array);
                self.arrivals.object(
                    ticket,
                    self.heap.name(object),
                    ObjectInfo { class, content },
                );
            }
            ObjectQuestion::Boxed { object, class } => {
                let values = self.link.decode::<object_reference::GetValues>(reply);
                let value = values
                    .ok()
                    .and_then(|values| values.first().map(|value| self.heap.value(value)));
                if let Some(value) = value {
                    self.contents.keep_box(self.heap.name(object), value);
                }
                let content = value.map_or(Content::None, Content::Box);
                let info = ObjectInfo {
                    class: Some(class),
                    content,
                };
                self.arrivals.object(ticket, self.heap.name(object), info);
            }
            ObjectQuestion::Reflected { object } => {
                let kind = self
                    .link
                    .decode::<class_object_reference::ReflectedType>(reply)
                    .ok();
                let content = match kind {
                    Some(kind) => Content::Class(self.program.name(&mut self.link, kind.type_id)?),
                    None => Content::None,
                };
                let info = ObjectInfo {
                    class: self.objects.class_class,
                    content,
                };
                self.arrivals.object(ticket, self.heap.name(object), info);
            }
        }
        self.arrivals.answered(ticket);
        Ok(())
    }

    fn object_type(
        &mut self,
        ticket: Ticket,
        object: jdwp::ObjectId,
        tag: Tag,
        created: bool,
        class: Option<jdwp::ReferenceTypeId>,
    ) -> Result<(), CaptureError> {
        let known = match class {
            Some(class) => Some(self.program.class(&mut self.link, class)?),
            None => None,
        };
        let id = known.as_ref().map(|class| class.id);
        match tag {
            Tag::STRING => self.objects.string_class = id,
            Tag::CLASS_OBJECT => self.objects.class_class = id,
            Tag::ARRAY => self.objects.array_class = id,
            _ => {
                if let Some((class, field)) = known
                    .as_ref()
                    .and_then(|class| Some((class.id, class.box_field?)))
                {
                    let fields = vec![field];
                    let asked = self
                        .link
                        .send(&object_reference::GetValues { object, fields });
                    self.ask_object(asked, ticket, ObjectQuestion::Boxed { object, class });
                    return Ok(());
                }
                let content = match class {
                    Some(class) if !created => self.fixed_content(ticket, object, class)?,
                    _ => Content::None,
                };
                let info = ObjectInfo { class: id, content };
                self.arrivals.object(ticket, self.heap.name(object), info);
                if let Some(class) = known.filter(|_| !self.heap.knows(self.heap.name(object))) {
                    self.begin_object(ticket, object, &class, created);
                }
            }
        }
        Ok(())
    }

    /// Code out of the scope has made an object, whose constructor in the scope a suspended thread enters: it begins in
    /// the call that made it.
    pub(super) fn begin_created(
        &mut self,
        ticket: Ticket,
        thread: jdwp::ThreadId,
        object: TaggedObject,
    ) -> Result<(), CaptureError> {
        let (object, call) = (object.id, self.threads.get(&thread.0).map(|t| t.current()));
        let name = self.heap.name(object);
        let Some(call) = call.filter(|_| self.records_state() && !self.heap.knows(name)) else {
            return Ok(());
        };
        let kind = self
            .link
            .request(&object_reference::ReferenceType { object })?;
        let Ok(kind) = kind else { return Ok(()) };
        let class = self.program.class(&mut self.link, kind.type_id)?;
        if !class.in_scope || !self.objects.meet(object) {
            return Ok(());
        }
        let id = class.id;
        let content = Content::None;
        let class = Some(id);
        self.arrivals
            .object(ticket, name, ObjectInfo { class, content });
        self.heap.meet(object, class, Body::Fields(Vec::new()));
        let (length, index) = (None, Event::NO_INDEX);
        let kind = EventKind::New {
            object: name,
            class: id,
            length,
        };
        self.arrivals.event(ticket, Event { call, index, kind });
        Ok(())
    }

    /// Begins the history of an object of the scope: created now, or there before.
    fn begin_object(
        &mut self,
        ticket: Ticket,
        object: jdwp::ObjectId,
        class: &crate::program::Class,
        created: bool,
    ) {
        if !self.records_state() {
            return;
        }
        if created {
            let (real, class) = (object, class.id);
            let object = self.heap.name(real);
            if !self.program.is_class_in_scope(class) {
                return;
            }
            self.heap.meet(real, Some(class), Body::Fields(Vec::new()));
            self.arrivals.beginning(
                ticket,
                EventKind::New {
                    object,
                    class,
                    length: None,
                },
            );
            return;
        }
        let fields: Vec<_> = class
            .instance_fields
            .iter()
            .map(|&(id, jdwp)| (id, jdwp))
            .collect();
        if fields.is_empty() {
            return;
        }
        // Nothing is known of them until the answer is there.
        let open = fields.iter().map(|&(field, _)| (field, UNKNOWN)).collect();
        self.heap.meet(object, Some(class.id), Body::Fields(open));
        let name = self.heap.name(object);
        let variables = fields
            .iter()
            .map(|&(field, _)| Variable::Field {
                object: name,
                field,
            })
            .collect();
        let fields = fields.into_iter().map(|(_, jdwp)| jdwp).collect();
        let asked = self
            .link
            .send(&object_reference::GetValues { object, fields });
        self.ask_snapshot(asked, ticket, variables);
    }

    /// Asks for the values of static fields of a class that was just prepared or was there before.
    pub(super) fn ask_statics(
        &mut self,
        ticket: Ticket,
        ref_type: jdwp::ReferenceTypeId,
        class: &crate::program::Class,
    ) {
        let statics: Vec<_> = class
            .fields
            .iter()
            .filter(|field| field.is_static)
            .collect();
        if statics.is_empty() {
            return;
        }
        let variables = statics
            .iter()
            .map(|field| Variable::Static { field: field.id })
            .collect();
        let fields = statics.iter().map(|field| field.jdwp).collect();
        let asked = self
            .link
            .send(&reference_type::GetValues { ref_type, fields });
        self.ask_snapshot(asked, ticket, variables);
    }

    fn ask_snapshot(&mut self, id: jdwp::PacketId, ticket: Ticket, variables: Vec<Variable>) {
        self.questions
            .insert(id.0, Question::Snapshot(ticket, variables));
        self.arrivals.question(ticket);
    }

    /// The values of variables that were there before.
    pub(super) fn snapshot_answer(
        &mut self,
        ticket: Ticket,
        variables: &[Variable],
        reply: &jdwp::Reply,
    ) -> Result<(), CaptureError> {
        // Both commands answer with the same list of values.
        if let Ok(values) = self.link.decode::<object_reference::GetValues>(reply) {
            for (&variable, value) in variables.iter().zip(&values) {
                let value = self.value(ticket, value, false);
                self.heap.write(variable, value);
                self.arrivals
                    .beginning(ticket, EventKind::Snapshot { variable, value });
            }
        }
        self.arrivals.answered(ticket);
        Ok(())
    }
}
