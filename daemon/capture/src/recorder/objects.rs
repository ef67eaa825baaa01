//! Answers about objects: class, text, length, boxed primitive, and the fields of objects that were
//! not created in scope.

use jdwp::commands::{
    array_reference, class_object_reference, object_reference, reference_type, string_reference,
};
use jdwp::{Tag, TaggedObject};
use jhyde_trace::{CallId, Content, EventKind, ObjectInfo, Sink, Value, Variable};

use crate::arrivals::Ticket;
use crate::error::CaptureError;
use crate::mirror::{Body, UNKNOWN};
use crate::objects::ObjectQuestion;
use crate::recorder::{Question, Recorder};

impl<S: Sink> Recorder<S> {
    /// Asks about an object if it is seen for the first time. `created`: a constructor was just
    /// entered with it.
    pub(crate) fn meet_object(&mut self, ticket: Ticket, object: TaggedObject, created: bool) {
        self.known.unify_suspected(object.id);
        if object.id.is_null() || !self.known.objects.meet(object.id) {
            return;
        }
        for (id, question) in self.known.objects.ask(&mut self.jvm.link, object, created) {
            self.ask_object(id, ticket, question);
        }
    }

    pub(crate) fn ask_object(
        &mut self,
        id: jdwp::PacketId,
        ticket: Ticket,
        question: ObjectQuestion,
    ) {
        self.questions
            .insert(id.0, (ticket, Question::Object(question)));
        self.outlet.arrivals.question(ticket);
    }

    /// Takes the answer to a question to where it belongs. Nobody waits for other replies.
    pub(crate) fn answer(&mut self, reply: &jdwp::Reply) -> Result<(), CaptureError> {
        match self.questions.remove(&reply.id.0) {
            None => Ok(()),
            Some((ticket, Question::Object(question))) => {
                self.object_answer(ticket, question, reply)
            }
            Some((ticket, Question::Snapshot(variables))) => {
                self.snapshot_answer(ticket, &variables, reply)
            }
        }
    }

    /// An answer about an object. A refusal means that the object is gone: what it was stays unknown.
    fn object_answer(
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
                    .jvm
                    .link
                    .decode::<object_reference::ReferenceType>(reply)
                    .ok();
                self.object_type(ticket, object, tag, created, kind.map(|kind| kind.type_id))?;
            }
            ObjectQuestion::Text { object } => {
                let text = self.jvm.link.decode::<string_reference::Value>(reply).ok();
                let name = self.known.heap.name(object);
                if let Some(text) = &text {
                    let class = self.known.objects.string_class;
                    self.known
                        .heap
                        .keep_text(name, class, || text.to_utf16().into());
                }
                let content = text.map_or(Content::None, |text| self.known.objects.string(&text));
                let info = ObjectInfo {
                    class: self.known.objects.string_class,
                    content,
                };
                self.outlet
                    .object(ticket, self.known.heap.name(object), info);
            }
            ObjectQuestion::Length { object } => {
                let length = self.jvm.link.decode::<array_reference::Length>(reply).ok();
                let length = length.and_then(|length| u32::try_from(length).ok());
                let class = self.known.objects.array_class.take();
                let content = length.map_or(Content::None, Content::Array);
                self.outlet.object(
                    ticket,
                    self.known.heap.name(object),
                    ObjectInfo { class, content },
                );
            }
            ObjectQuestion::Boxed { object, class } => {
                let values = self.jvm.link.decode::<object_reference::GetValues>(reply);
                let value = values
                    .ok()
                    .and_then(|values| values.first().map(|value| self.known.heap.value(value)));
                if let Some(value) = value {
                    self.known
                        .contents
                        .keep_box(self.known.heap.name(object), value);
                }
                let content = value.map_or(Content::None, Content::Box);
                let info = ObjectInfo {
                    class: Some(class),
                    content,
                };
                self.outlet
                    .object(ticket, self.known.heap.name(object), info);
            }
            ObjectQuestion::Reflected { object } => {
                let kind = self
                    .jvm
                    .link
                    .decode::<class_object_reference::ReflectedType>(reply)
                    .ok();
                let content = match kind {
                    Some(kind) => {
                        Content::Class(self.known.program.name(&mut self.jvm.link, kind.type_id)?)
                    }
                    None => Content::None,
                };
                let info = ObjectInfo {
                    class: self.known.objects.class_class,
                    content,
                };
                self.outlet
                    .object(ticket, self.known.heap.name(object), info);
            }
        }
        self.outlet.arrivals.answered(ticket);
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
            Some(class) => Some(self.known.program.class(&mut self.jvm.link, class)?),
            None => None,
        };
        let id = known.as_ref().map(|class| class.id);
        match tag {
            Tag::STRING => self.known.objects.string_class = id,
            Tag::CLASS_OBJECT => self.known.objects.class_class = id,
            Tag::ARRAY => self.known.objects.array_class = id,
            _ => {
                if let Some((class, field)) = known
                    .as_ref()
                    .and_then(|class| Some((class.id, class.box_field?)))
                {
                    let fields = vec![field];
                    let asked = self
                        .jvm
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
                self.outlet
                    .object(ticket, self.known.heap.name(object), info);
                if let Some(class) =
                    known.filter(|_| !self.known.heap.knows(self.known.heap.name(object)))
                {
                    self.begin_object(ticket, object, &class, created);
                }
            }
        }
        Ok(())
    }

    /// Code out of the scope has made an object, whose constructor in the scope a suspended thread enters: it begins in
    /// the call that made it.
    pub(crate) fn begin_created(
        &mut self,
        ticket: Ticket,
        call: CallId,
        object: TaggedObject,
    ) -> Result<(), CaptureError> {
        let object = object.id;
        let name = self.known.heap.name(object);
        if !self.outlet.records_state() || self.known.heap.knows(name) {
            return Ok(());
        }
        let kind = self
            .jvm
            .link
            .request(&object_reference::ReferenceType { object })?;
        let Ok(kind) = kind else {
            // It is gone.
            return Ok(());
        };
        let class = self.known.program.class(&mut self.jvm.link, kind.type_id)?;
        if !class.in_scope || !self.known.objects.meet(object) {
            return Ok(());
        }
        let id = class.id;
        let content = Content::None;
        let class = Some(id);
        self.outlet
            .object(ticket, name, ObjectInfo { class, content });
        self.known
            .heap
            .meet(object, class, Body::Fields(Vec::new()));
        let kind = EventKind::New {
            object: name,
            class: id,
            length: None,
        };
        self.outlet.tell_of(ticket, call, kind);
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
        if !self.outlet.records_state() {
            return;
        }
        if created {
            let (real, class) = (object, class.id);
            let object = self.known.heap.name(real);
            if !self.known.program.is_class_in_scope(class) {
                return;
            }
            self.known
                .heap
                .meet(real, Some(class), Body::Fields(Vec::new()));
            self.outlet.arrivals.beginning(
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
        self.known
            .heap
            .meet(object, Some(class.id), Body::Fields(open));
        let name = self.known.heap.name(object);
        let variables = fields
            .iter()
            .map(|&(field, _)| Variable::Field {
                object: name,
                field,
            })
            .collect();
        let fields = fields.into_iter().map(|(_, jdwp)| jdwp).collect();
        let asked = self
            .jvm
            .link
            .send(&object_reference::GetValues { object, fields });
        self.ask_snapshot(asked, ticket, variables);
    }

    /// Asks for the values of static fields of a class that was just prepared or was there before.
    pub(crate) fn ask_statics(
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
            .jvm
            .link
            .send(&reference_type::GetValues { ref_type, fields });
        self.ask_snapshot(asked, ticket, variables);
    }

    fn ask_snapshot(&mut self, id: jdwp::PacketId, ticket: Ticket, variables: Vec<Variable>) {
        self.questions
            .insert(id.0, (ticket, Question::Snapshot(variables)));
        self.outlet.arrivals.question(ticket);
    }

    /// The values of variables that were there before.
    fn snapshot_answer(
        &mut self,
        ticket: Ticket,
        variables: &[Variable],
        reply: &jdwp::Reply,
    ) -> Result<(), CaptureError> {
        // Both commands answer with the same list of values.
        if let Ok(values) = self.jvm.link.decode::<object_reference::GetValues>(reply) {
            for (&variable, value) in variables.iter().zip(&values) {
                let value = self.value(ticket, value, false);
                self.known.heap.write(variable, value);
                self.outlet
                    .arrivals
                    .beginning(ticket, EventKind::Snapshot { variable, value });
            }
        }
        self.outlet.arrivals.answered(ticket);
        Ok(())
    }

    /// A value that an event or an answer showed; asks about its object if that is new.
    pub(crate) fn value(&mut self, ticket: Ticket, value: &jdwp::Value, created: bool) -> Value {
        if let Some(object) = value.object() {
            self.meet_object(ticket, object, created);
        }
        self.known.heap.value(value)
    }

    /// An exception's class and message, read while the thread stands still.
    pub(crate) fn meet_exception(
        &mut self,
        ticket: Ticket,
        exception: TaggedObject,
    ) -> Result<Value, CaptureError> {
        let object = exception.id;
        self.known.objects.meet(object);
        let kind = self
            .jvm
            .link
            .request(&object_reference::ReferenceType { object })?
            .ok();
        let (class, content) = match kind {
            Some(kind) => {
                let class = self
                    .known
                    .program
                    .class(&mut self.jvm.link, kind.type_id)?
                    .id;
                (
                    Some(class),
                    self.fixed_content(ticket, object, kind.type_id)?,
                )
            }
            None => (None, Content::None),
        };
        let content = match content {
            Content::None => Self::bare_throwable(),
            content => content,
        };
        let info = ObjectInfo { class, content };
        self.outlet
            .object(ticket, self.known.heap.name(object), info);
        Ok(Value::Object(self.known.heap.name(object)))
    }
}
