//! What is told of an object once and for good, because it can never change (see [`crate::contents`]).

use jhyde_trace::{Content, Missing, ObjectId, ObjectInfo, Sink, Text, Throwable, Value};

use crate::arrivals::Ticket;
use crate::contents::{Fixed, ReadError, Reader};
use crate::error::{CaptureError, LinkError};
use crate::program::Named;
use crate::recorder::Recorder;

impl<S: Sink> Recorder<S> {
    /// What can never change of an object of a class: [`Content::None`] if there is nothing, or it is not known.
    pub(crate) fn fixed_content(
        &mut self,
        ticket: Ticket,
        object: jdwp::ObjectId,
        class: jdwp::ReferenceTypeId,
    ) -> Result<Content, CaptureError> {
        let layouts = &mut self.known.contents.layouts;
        let Some(kind) = layouts.fixed(&mut self.jvm.link, &mut self.known.program, class)? else {
            return Ok(Content::None);
        };
        let mut reader = Reader::new(
            &mut self.jvm.link,
            &mut self.known.program,
            &mut self.known.contents.layouts,
        );
        let fixed = match reader.fixed(object, class, kind) {
            Ok(fixed) => fixed,
            Err(ReadError::Link(error)) => return Err(error.into()),
            Err(ReadError::Unknown(_)) => return Ok(Content::None),
        };
        Ok(match fixed {
            Fixed::Enum(name) => Content::Enum(String::from_utf16_lossy(&name)),
            Fixed::Thread(name) => Content::Thread(self.known.objects.cut(&name)),
            Fixed::Shown(text) => Content::Shown(self.known.objects.cut(&text)),
            Fixed::Lambda { method, captured } => {
                let captured = captured
                    .iter()
                    .map(|value| self.value(ticket, value, false));
                let captured = captured.collect();
                Content::Lambda { method, captured }
            }
            Fixed::Throwable {
                message,
                overridden,
                cause,
                suppressed,
            } => {
                let message: Option<Text> = message.map(|text| self.known.objects.cut(&text));
                let cause = self.value(ticket, &cause, false);
                let values = |all: Vec<jdwp::Value>| {
                    all.iter()
                        .map(|value| self.value(ticket, value, false))
                        .collect()
                };
                Content::Throwable(Throwable {
                    message,
                    overridden,
                    cause,
                    suppressed: suppressed.map(values),
                    trace: None,
                })
            }
        })
    }

    /// An exception of which nothing could be read.
    pub(crate) fn bare_throwable() -> Content {
        Content::Throwable(Throwable {
            cause: Value::Missing(Missing::Unreadable),
            ..Throwable::with_message(None)
        })
    }

    /// A call was made that gives a thread another name, if it was made on one: from now on it goes by its number, because
    /// what is told of an object counts for all times.
    pub(crate) fn is_renamed(
        &mut self,
        ticket: Ticket,
        named: &Named,
        on: ObjectId,
    ) -> Result<(), LinkError> {
        if named.name != "setName" || named.descriptor != "(Ljava/lang/String;)V" {
            return Ok(());
        }
        let Some(class) = self.known.heap.class(on) else {
            // Nobody knows what it is, and no name of it was told.
            return Ok(());
        };
        let (program, link) = (&mut self.known.program, &mut self.jvm.link);
        if program.is_subtype(link, class, named.code, "java.lang.Thread")? == Some(true) {
            let (class, content) = (Some(class), Content::None);
            self.outlet
                .object(ticket, on, ObjectInfo { class, content });
        }
        Ok(())
    }

    /// A constant of an enum of the scope is complete.
    pub(crate) fn constant_is_made(
        &mut self,
        ticket: Ticket,
        constant: jdwp::ObjectId,
    ) -> Result<(), CaptureError> {
        let asked = jdwp::commands::object_reference::ReferenceType { object: constant };
        let Ok(kind) = self.jvm.link.request(&asked)? else {
            // It is gone.
            return Ok(());
        };
        let class = self
            .known
            .program
            .class(&mut self.jvm.link, kind.type_id)?
            .id;
        let content = self.fixed_content(ticket, constant, kind.type_id)?;
        if content != Content::None {
            let class = Some(class);
            let info = ObjectInfo { class, content };
            self.outlet
                .object(ticket, self.known.heap.name(constant), info);
        }
        Ok(())
    }
}
