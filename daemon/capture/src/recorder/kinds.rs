//! What can be looked at in objects that a snapshot meets, asked once for each: class, length, fields of the scope, how it
//! holds data. What is new is introduced to the recording.

use std::rc::Rc;

use jdwp::commands::{array_reference, object_reference};
use jdwp::{ReferenceTypeId, Tag, TaggedObject};
use jhyde_trace::{Content, FieldId, ObjectInfo, Sink};
use rustc_hash::FxHashMap;

use crate::arrivals::Ticket;
use crate::contents::Shape;
use crate::error::CaptureError;
use crate::objects::ObjectQuestion;
use crate::recorder::Recorder;

/// Kinds of so many objects are remembered.
const MOST_KINDS: usize = 1 << 16;

/// What can be looked at in an object.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    /// Nothing, or it was told once and for good.
    Leaf,
    Array {
        length: usize,
        width: usize,
    },
    Object(Rc<Made>),
    /// The JVM refused to tell.
    Gone,
}

/// How the objects of a class are looked at.
#[derive(Debug)]
pub(crate) struct Made {
    pub(crate) class: ReferenceTypeId,
    /// Fields of the scope.
    pub(crate) fields: Vec<(FieldId, jdwp::FieldId)>,
    /// How it holds data, if it does.
    pub(crate) shape: Option<Shape>,
}

/// What is known of objects and classes for good.
#[derive(Debug, Default)]
pub(crate) struct Kinds {
    pub(crate) objects: FxHashMap<u64, Kind>,
    classes: FxHashMap<ReferenceTypeId, Kind>,
}

impl<S: Sink> Recorder<S> {
    /// What can be looked at in each of these objects. What is new is introduced: class, and what can never change.
    pub(crate) fn kinds(
        &mut self,
        ticket: Ticket,
        objects: &[TaggedObject],
        created: Option<jdwp::ObjectId>,
    ) -> Result<Vec<Kind>, CaptureError> {
        if self.known.kinds.objects.len() > MOST_KINDS {
            self.known.kinds.objects.clear();
        }
        let mut asked = Vec::new();
        for &tagged in objects {
            let object = tagged.id;
            if self.known.kinds.objects.contains_key(&object.0) {
                continue;
            }
            match tagged.tag {
                Tag::STRING | Tag::CLASS_OBJECT => {
                    self.meet_object(ticket, tagged, false);
                    self.known.kinds.objects.insert(object.0, Kind::Leaf);
                }
                tag => {
                    let class = object_reference::ReferenceType { object };
                    let class = self.jvm.link.ask(&class);
                    let array = object.into();
                    let length = (tag == Tag::ARRAY)
                        .then(|| self.jvm.link.ask(&array_reference::Length { array }));
                    asked.push((object, class, length));
                }
            }
        }
        for (object, class, length) in asked {
            let class = self
                .jvm
                .link
                .reply::<object_reference::ReferenceType>(class)?;
            let length = match length {
                Some(length) => Some(self.jvm.link.reply::<array_reference::Length>(length)?),
                None => None,
            };
            let kind = match (class, length) {
                (Ok(class), None) => {
                    self.introduce_shown(ticket, object, class.type_id, created)?
                }
                (Ok(class), Some(Ok(length))) => {
                    self.introduce_array(ticket, object, class.type_id, length)?
                }
                _ => Kind::Gone,
            };
            self.known.kinds.objects.insert(object.0, kind);
        }
        let kind = |object: &TaggedObject| self.known.kinds.objects.get(&object.id.0).cloned();
        Ok(objects
            .iter()
            .map(|object| kind(object).unwrap_or(Kind::Gone))
            .collect())
    }

    fn introduce_array(
        &mut self,
        ticket: Ticket,
        array: jdwp::ObjectId,
        class: ReferenceTypeId,
        length: i32,
    ) -> Result<Kind, CaptureError> {
        let class = self.known.program.class(&mut self.jvm.link, class)?;
        let length = u32::try_from(length).unwrap_or(0);
        if self.known.objects.meet(array) {
            let info = ObjectInfo {
                class: Some(class.id),
                content: Content::Array(length),
            };
            self.outlet
                .object(ticket, self.known.heap.name(array), info);
        }
        Ok(Kind::Array {
            length: length as usize,
            width: width_of(&class.name),
        })
    }

    fn introduce_shown(
        &mut self,
        ticket: Ticket,
        object: jdwp::ObjectId,
        class: ReferenceTypeId,
        created: Option<jdwp::ObjectId>,
    ) -> Result<Kind, CaptureError> {
        let known = self.known.program.class(&mut self.jvm.link, class)?;
        if self.known.objects.meet(object) {
            if let Some(field) = known.box_field {
                let fields = vec![field];
                let asked = object_reference::GetValues { object, fields };
                let asked = self.jvm.link.send(&asked);
                let class = known.id;
                self.ask_object(asked, ticket, ObjectQuestion::Boxed { object, class });
                return Ok(Kind::Leaf);
            }
            let content = match created == Some(object) {
                true => Content::None,
                false => self.fixed_content(ticket, object, class)?,
            };
            let info = ObjectInfo {
                class: Some(known.id),
                content,
            };
            self.outlet
                .object(ticket, self.known.heap.name(object), info);
        }
        if let Some(kind) = self.known.kinds.classes.get(&class) {
            return Ok(kind.clone());
        }
        let layouts = &mut self.known.contents.layouts;
        let shape = layouts.shape(&mut self.jvm.link, &mut self.known.program, class)?;
        let fields = known.instance_fields.clone();
        let kind = match shape.is_none() && fields.is_empty() {
            true => Kind::Leaf,
            false => Kind::Object(Rc::new(Made {
                class,
                fields,
                shape,
            })),
        };
        self.known.kinds.classes.insert(class, kind.clone());
        Ok(kind)
    }
}

/// The bytes of an element of arrays of this class.
fn width_of(class: &str) -> usize {
    match class.strip_suffix("[]") {
        Some("boolean" | "byte") => 1,
        Some("char" | "short") => 2,
        Some("int" | "float") => 4,
        _ => 8,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_count_what_the_jvm_stores() {
        let widths = ["byte[]", "char[]", "int[]", "long[]", "int[][]", "a.B[]"].map(width_of);
        assert_eq!(widths, [1, 2, 4, 8, 8, 8]);
    }
}
