//! What is told of an object once and for good, because it can never change (see [`crate::contents`]).

use jhyde_trace::{Content, Missing, ObjectInfo, Sink, Text, Throwable, Value};

use crate::arrivals::Ticket;
use crate::contents::{Fixed, ReadError, Reader};
use crate::error::CaptureError;
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
