//! What was asked about objects and what the JVM said to it, so that all of it can be asked again at once: where it says
//! the same again, whoever worked something out of the answers need not ask one after the other.

use std::any::Any;

use jdwp::commands::{array_reference, object_reference, string_reference};
use jdwp::{Command, ErrorCode, PacketId, Reply};

use super::Link;
use crate::error::LinkError;

/// Questions and answers, in order.
#[derive(Debug, Default)]
pub(crate) struct Heard(Vec<Exchange>);

#[derive(Debug)]
struct Exchange {
    /// By which the answer comes, where it is not here.
    id: PacketId,
    question: Question,
    /// To the last byte; `None`: it was not waited for.
    said: Option<(ErrorCode, Box<[u8]>)>,
}

/// A question whose answer may be another the next time.
#[derive(Clone, Debug)]
enum Question {
    Fields(object_reference::GetValues),
    Kind(object_reference::ReferenceType),
    Elements(array_reference::GetValues),
    Length(array_reference::Length),
    Text(string_reference::Value),
}

impl Question {
    fn of<C: Command>(command: &C) -> Option<Self> {
        let command = command as &dyn Any;
        if let Some(fields) = command.downcast_ref() {
            Some(Self::Fields(object_reference::GetValues::clone(fields)))
        } else if let Some(kind) = command.downcast_ref() {
            Some(Self::Kind(object_reference::ReferenceType::clone(kind)))
        } else if let Some(elements) = command.downcast_ref() {
            Some(Self::Elements(array_reference::GetValues::clone(elements)))
        } else if let Some(length) = command.downcast_ref() {
            Some(Self::Length(array_reference::Length::clone(length)))
        } else {
            let text: &string_reference::Value = command.downcast_ref()?;
            Some(Self::Text(text.clone()))
        }
    }
}

impl Heard {
    /// About how many bytes it takes.
    pub(crate) fn size(&self) -> usize {
        let said = |exchange: &Exchange| exchange.said.as_ref().map_or(0, |(_, body)| body.len());
        self.0
            .iter()
            .map(|of| size_of::<Exchange>() + said(of))
            .sum()
    }

    /// A question was sent.
    pub(super) fn note<C: Command>(&mut self, id: PacketId, command: &C) {
        if let Some(question) = Question::of(command) {
            let said = None;
            self.0.push(Exchange { id, question, said });
        }
    }

    /// An answer is here.
    pub(super) fn hear(&mut self, reply: &Reply) {
        let asked = self.0.iter_mut().rev().find(|asked| asked.id == reply.id);
        if let Some(asked) = asked {
            asked.said = Some((reply.error, reply.body.as_ref().into()));
        }
    }
}

impl Link {
    /// Queues all questions again.
    pub(crate) fn ask_again(&mut self, heard: &Heard) -> Vec<PacketId> {
        let all = heard.0.iter();
        all.map(|asked| match &asked.question {
            Question::Fields(asked) => self.ask(asked),
            Question::Kind(asked) => self.ask(asked),
            Question::Elements(asked) => self.ask(asked),
            Question::Length(asked) => self.ask(asked),
            Question::Text(asked) => self.ask(asked),
        })
        .collect()
    }

    /// Waits for the answers. Does the JVM say what it said before?
    pub(crate) fn says_again(
        &mut self,
        heard: &Heard,
        asked: Vec<PacketId>,
    ) -> Result<bool, LinkError> {
        let mut same = true;
        for (before, id) in heard.0.iter().zip(asked) {
            let now = self.raw_reply(id, "what it was asked before")?;
            same &= before
                .said
                .as_ref()
                .is_some_and(|(error, body)| *error == now.error && **body == *now.body);
        }
        Ok(same)
    }
}

#[cfg(test)]
mod tests {
    use jdwp::ObjectId;

    use super::*;

    #[test]
    fn what_is_said_of_objects_is_heard_and_nothing_else() {
        let mut heard = Heard::default();
        let object = ObjectId(7);
        heard.note(PacketId(1), &object_reference::ReferenceType { object });
        heard.note(PacketId(2), &jdwp::commands::virtual_machine::AllThreads);
        let fields = Vec::new();
        heard.note(PacketId(3), &object_reference::GetValues { object, fields });
        let reply = |id, byte: u8| Reply {
            id: PacketId(id),
            command: (9, 2),
            error: ErrorCode::NONE,
            body: vec![byte].into(),
        };
        heard.hear(&reply(3, 5));
        heard.hear(&reply(2, 6));
        let kinds: Vec<_> = heard
            .0
            .iter()
            .map(|asked| (asked.id.0, &asked.said))
            .collect();
        assert_eq!(kinds.len(), 2);
        assert_eq!(kinds[0], (1, &None));
        assert_eq!(kinds[1].1.as_ref().map(|said| &*said.1), Some(&[5][..]));
    }
}
