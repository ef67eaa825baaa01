//! What the names of the constant pool stand for: constants, classes, and objects that are made of them.

use jhyde_bytecode::Constant;
use jhyde_trace::{CallId, ClassId, Content, EventKind, ObjectInfo, Sink, Value};

use super::{Known, Recorder};
use crate::arrivals::Ticket;
use crate::error::CaptureError;
use crate::jvm::classes_named;
use crate::mirror::{self, Body, Element, UNKNOWN};
use crate::program::{Loader, Method, dotted};

impl Known {
    /// What tells the string or class of a constant from others.
    pub(crate) fn constant_at(&self, method: &Method, at: u16) -> Option<mirror::Constant> {
        let pool = method.pool.as_ref()?;
        Some(match pool.get(at).ok()? {
            Constant::String(text) => {
                mirror::Constant::Text(pool.units(*text).unwrap_or_default().into())
            }
            Constant::Class(_) => {
                let name = class_constant(method, at);
                mirror::Constant::Class(self.program.spelling(method.loader, &name))
            }
            _ => return None,
        })
    }

    /// The same, without a word to anybody.
    pub(crate) fn make(&mut self, code: Loader, class: &str, body: Body) -> (Value, ClassId) {
        let id = self.program.class_named(code, class);
        let body = match body {
            Body::Fields(_) if !self.program.is_class_in_scope(id) => Body::Opaque,
            other => other,
        };
        (Value::Object(self.heap.create(Some(id), body)), id)
    }
}

impl<S: Sink> Recorder<S> {
    /// The string or class object that a constant stands for, met now if it is new.
    pub(crate) fn constant(
        &mut self,
        ticket: Ticket,
        method: &Method,
        at: u16,
    ) -> Result<Value, CaptureError> {
        let (name, content) = match self.known.constant_at(method, at) {
            Some(constant) => match &constant {
                mirror::Constant::Text(units) => {
                    let content = Content::String(self.known.objects.cut(units));
                    (constant, content)
                }
                mirror::Constant::Class(_) => {
                    let name = class_constant(method, at);
                    (constant, Content::Class(name))
                }
            },
            None => return Ok(UNKNOWN),
        };
        let class = match &content {
            Content::Class(_) => "java.lang.Class",
            _ => "java.lang.String",
        };
        let class = self.known.program.class_named(0, class);
        let real = match (&content, self.known.heap.known_constant(&name)) {
            (Content::Class(of), None) => self.class_object(of)?,
            _ => None,
        };
        if let Some(real) = real.filter(|&real| self.known.objects.is_known(real)) {
            // It was met otherwise, as by `getClass()`.
            let object = self.known.heap.name(real);
            self.known.heap.is_constant_of(object, name);
            return Ok(Value::Object(object));
        }
        let (object, fresh) = self.known.heap.constant(name, Some(class));
        if fresh {
            self.introduce(ticket, object, Some(class), content);
        }
        if let Some(real) = real {
            self.known.unify_object(Value::Object(object), real);
        }
        Ok(Value::Object(object))
    }

    /// The JVM's name of the class object of the only class that is called so. Which one of several is meant is not asked.
    fn class_object(&mut self, name: &str) -> Result<Option<jdwp::ObjectId>, CaptureError> {
        let link = &mut self.jvm.link;
        let of_name = classes_named(link, name)?;
        let [class] = of_name.as_slice() else {
            return Ok(None);
        };
        let object = self.known.program.class_object(link, class.type_id)?;
        Ok(object.map(jdwp::ObjectId::from))
    }

    /// An object that the scope makes: it has a name of ours until the JVM shows its own.
    pub(crate) fn create(
        &mut self,
        (ticket, call, index): (Ticket, CallId, u32),
        code: Loader,
        class: &str,
        body: Body,
    ) -> Value {
        let length = match &body {
            Body::Array(elements) => u32::try_from(elements.len()).ok(),
            _ => None,
        };
        let (value, id) = self.known.make(code, class, body);
        let Some(object) = value.object() else {
            return value;
        };
        self.introduce(
            ticket,
            object,
            Some(id),
            length.map_or(Content::None, Content::Array),
        );
        let kind = EventKind::New {
            object,
            class: id,
            length,
        };
        self.outlet.tell(ticket, (call, index), kind);
        value
    }

    fn introduce(
        &mut self,
        ticket: Ticket,
        object: jhyde_trace::ObjectId,
        class: Option<ClassId>,
        content: Content,
    ) {
        self.outlet
            .object(ticket, object, ObjectInfo { class, content });
    }

    pub(crate) fn instance_of(
        &mut self,
        object: Value,
        code: Loader,
        class: &str,
    ) -> Result<Value, CaptureError> {
        let known = match object {
            Value::Null => Some(false),
            Value::Object(object) => match self.known.heap.class(object) {
                Some(of) => self
                    .known
                    .program
                    .is_subtype(&mut self.jvm.link, of, code, class)?,
                None => None,
            },
            _ => None,
        };
        Ok(known.map_or(UNKNOWN, |is| Value::Int(i32::from(is))))
    }
}

/// Are the final statics of this class written after all? `System.setOut` and its like do so.
pub(crate) fn is_replaced(class: &str) -> bool {
    class == "java.lang.System"
}

/// The dotted name of a class that a constant names.
pub(crate) fn class_constant(method: &Method, at: u16) -> String {
    let name = method.pool.as_ref().and_then(|pool| pool.class(at).ok());
    name.map_or_else(|| "?".to_owned(), dotted)
}

/// The type of a new array's elements, as in Java source.
pub(crate) fn element_name(method: &Method, element: Element) -> String {
    match element {
        Element::Primitive(primitive) => primitive.name().to_owned(),
        Element::Class(at) => class_constant(method, at),
    }
}
