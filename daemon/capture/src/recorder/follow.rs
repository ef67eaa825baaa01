//! What calls do to contents as far as it follows without a look at the JVM: the methods that are modelled, steps of
//! iterators, edits of builders. What a call gives back is held against it.

use jhyde_trace::{Change, Given, Items, ObjectId, Part, Sink, Value};

use super::{At, Known, Recorder, Shown};
use crate::contents::methods::{Touches, touches};
use crate::contents::{Container, Modelled, Order, edit, looked_up, moved};
use crate::error::CaptureError;

const UNTOLD: &str = "what was added to it is not known";
/// A step of an iterator.
pub(crate) struct Step {
    /// Which moved: the one that was called, or one behind it.
    pub(crate) iterator: ObjectId,
    /// Through what it goes.
    of: ObjectId,
    /// Where it stands behind the step.
    pub(crate) after: Items,
    /// The position of the item that it gave.
    at: u32,
    /// What it gave of that.
    given: Given,
}

impl Known {
    pub(crate) fn foretold(&self, shown: &Shown, receiver: ObjectId) -> Option<Value> {
        if let Some(step) = self.iterator_step(shown, receiver) {
            let at = step.at as usize;
            return match (self.contents.get(step.of)?.items()?, step.given) {
                (Items::Elements(all), Given::Item) => all.get(at).copied(),
                (Items::Entries(all), Given::Key) => all.get(at).map(|entry| entry.0),
                (Items::Entries(all), Given::Value) => all.get(at).map(|entry| entry.1),
                _ => None,
            };
        }
        let class = self.program.name_of(self.heap.class(receiver)?)?;
        let held = self.contents.get(receiver)?.items();
        let (named, arguments) = (shown.named(), shown.arguments());
        match self.modelled(&class, shown, receiver).0 {
            Modelled::Does(_, result) => result,
            Modelled::Unknown => looked_up(&class, &named.name, arguments, held?),
        }
    }

    /// What a call does to its receiver, of exactly this class, and how that orders its keys then.
    pub(crate) fn modelled(
        &self,
        class: &str,
        shown: &Shown,
        receiver: ObjectId,
    ) -> (Modelled, Option<Order>) {
        let text = |object| self.heap.text(object);
        let (named, arguments) = (shown.named(), shown.arguments());
        self.contents
            .modelled(text, class, named, arguments, receiver)
    }

    /// The step of an iterator, if the call is one.
    pub(crate) fn iterator_step(&self, shown: &Shown, iterator: ObjectId) -> Option<Step> {
        let mut iterator = iterator;
        let mut before = self.contents.get(iterator)?.items()?;
        // An iterator of a wrapper's is moved by moving the one behind it.
        while let Items::View {
            of,
            part: Part::Same,
        } = before
        {
            if !self.contents.get(*of)?.shape.is_iterator() {
                return None;
            }
            iterator = *of;
            before = self.contents.get(iterator)?.items()?;
        }
        let after = moved(&shown.named().name, before)?;
        let index = |items: &Items| match items {
            Items::View {
                of,
                part: Part::At { index } | Part::Rest { index, .. },
            } => Some((*of, *index)),
            _ => None,
        };
        let ((of, from), (_, to)) = (index(before)?, index(&after)?);
        // One that goes on although what it goes through was changed stands elsewhere in that now.
        let container = self.contents.get(iterator)?;
        let now = self.contents.get(of).map_or(0, |whole| whole.changes);
        if container.shape.outlives_changes() && container.through != now {
            return None;
        }
        Some(Step {
            iterator,
            of,
            given: match after {
                Items::View {
                    part: Part::Rest { given, .. },
                    ..
                } => given,
                _ => Given::Item,
            },
            after,
            at: from.min(to),
        })
    }
}

impl<S: Sink> Recorder<S> {
    /// An intrinsic call has returned, behind which no thread stands still: what it did to a builder.
    pub(crate) fn follow_text(&mut self, at: At, shown: &Shown) -> Result<(), CaptureError> {
        let Some(builder) = shown.receiver() else {
            // A static method edits no builder.
            return Ok(());
        };
        let (named, arguments) = (shown.named(), shown.arguments());
        if named.name == "<init>" {
            let empty = Items::Text(Vec::new().into());
            let text = match arguments {
                [] | [Value::Int(_)] => Some(empty),
                [Value::Object(text)] => self
                    .known
                    .heap
                    .text(*text)
                    .map(|text| Items::Text(text.into())),
                _ => None,
            };
            if let (Some(text), true) = (text, self.begin_modelled(builder)?) {
                self.tell_contents(at, builder, false, Change::Whole(text));
            }
            return Ok(());
        }
        if touches(named) == Touches::Nothing {
            return Ok(());
        }
        let Some(Items::Text(held)) = self.known.contents.get(builder).and_then(Container::items)
        else {
            // What it held is not known: neither is what it holds now.
            return Ok(());
        };
        let heap = &self.known.heap;
        let text = |value: Value| heap.text(value.object()?);
        match edit(&named.name, arguments, held, self.jvm.version, text) {
            Some(edit) => {
                if let Some(change) = edit.change() {
                    self.tell_contents(at, builder, false, change);
                }
            }
            None => self.lose_contents(at, builder, UNTOLD),
        }
        Ok(())
    }

    /// An object that the scope made is constructed: it may hold something from now on.
    pub(crate) fn begin_modelled(&mut self, object: ObjectId) -> Result<bool, CaptureError> {
        let Some(class) = self.class_of(Value::Object(object))? else {
            return Ok(false);
        };
        let layouts = &mut self.known.contents.layouts;
        let shape = layouts.shape(&mut self.jvm.link, &mut self.known.program, class)?;
        if let Some(shape) = shape {
            self.known.contents.add(object, Container::new(shape));
        }
        Ok(shape.is_some())
    }
}
