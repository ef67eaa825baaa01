//! What is asked of the JVM about an object that is seen for the first time, and how the answers
//! become an [`ObjectInfo`].
//!
//! Object ids of JDWP are never used twice while the connection lasts, so each object is asked about
//! once. The questions go out with the event that showed the object; the thread may run on meanwhile,
//! which is safe for what can never change (class, text, boxed primitive, length). Only if a garbage
//! collection takes the object within that fraction of a millisecond is the answer lost; then the
//! class is said to be unknown.

use jdwp::commands::{array_reference, class_object_reference, object_reference, string_reference};
use jdwp::{PacketId, Tag, TaggedObject};
use jhyde_trace::{ClassId, Content, Text};
use roaring::RoaringTreemap;

use crate::jvm::Link;

/// A question about one object.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ObjectQuestion {
    /// Its class. `created`: a constructor was just entered with it as `this`.
    Type {
        object: jdwp::ObjectId,
        tag: Tag,
        created: bool,
    },
    /// The text of a string.
    Text { object: jdwp::ObjectId },
    /// The length of an array; its class is asked just before.
    Length { object: jdwp::ObjectId },
    /// The primitive in a box of this class.
    Boxed {
        object: jdwp::ObjectId,
        class: ClassId,
    },
    /// The class that a `java.lang.Class` stands for.
    Reflected { object: jdwp::ObjectId },
}

/// Which objects are known.
pub(crate) struct Objects {
    known: RoaringTreemap,
    /// The class `java.lang.String`, once it was met.
    pub(crate) string_class: Option<ClassId>,
    /// The class `java.lang.Class`, once it was met.
    pub(crate) class_class: Option<ClassId>,
    /// The class of an array whose length is still to come.
    pub(crate) array_class: Option<ClassId>,
    /// Longest text kept, in UTF-16 units.
    limit: u32,
}

impl Objects {
    pub(crate) fn new(limit: u32) -> Self {
        Self {
            known: RoaringTreemap::new(),
            string_class: None,
            class_class: None,
            array_class: None,
            limit,
        }
    }

    /// Marks an object as known; false if it was already.
    pub(crate) fn meet(&mut self, object: jdwp::ObjectId) -> bool {
        self.known.insert(object.0)
    }

    /// Has the JVM named this object before?
    pub(crate) fn is_known(&self, object: jdwp::ObjectId) -> bool {
        self.known.contains(object.0)
    }

    /// Queues what is to be asked about an object that was just met for the first time.
    pub(crate) fn ask(
        &self,
        link: &mut Link,
        object: TaggedObject,
        created: bool,
    ) -> Vec<(PacketId, ObjectQuestion)> {
        let tag = object.tag;
        let object = object.id;
        let mut asked = Vec::with_capacity(2);
        let kind = |link: &mut Link| {
            let id = link.send(&object_reference::ReferenceType { object });
            (
                id,
                ObjectQuestion::Type {
                    object,
                    tag,
                    created,
                },
            )
        };
        match tag {
            Tag::STRING => {
                if self.string_class.is_none() {
                    asked.push(kind(link));
                }
                let id = link.send(&string_reference::Value {
                    string: object.into(),
                });
                asked.push((id, ObjectQuestion::Text { object }));
            }
            Tag::ARRAY => {
                asked.push(kind(link));
                let id = link.send(&array_reference::Length {
                    array: object.into(),
                });
                asked.push((id, ObjectQuestion::Length { object }));
            }
            Tag::CLASS_OBJECT => {
                if self.class_class.is_none() {
                    asked.push(kind(link));
                }
                let class_object = object.into();
                let id = link.send(&class_object_reference::ReflectedType { class_object });
                asked.push((id, ObjectQuestion::Reflected { object }));
            }
            _ => asked.push(kind(link)),
        }
        asked
    }

    /// A text of the debuggee, cut at the limit.
    pub(crate) fn text(&self, text: &jdwp::JdwpString) -> Text {
        self.cut(&text.to_utf16())
    }

    /// UTF-16 units, cut at the limit.
    pub(crate) fn cut(&self, units: &[u16]) -> Text {
        let length = u32::try_from(units.len()).unwrap_or(u32::MAX);
        let mut end = units.len().min(self.limit as usize);
        // Do not cut a surrogate pair in half.
        if end < units.len() && end > 0 && (0xD800..0xDC00).contains(&units[end - 1]) {
            end -= 1;
        }
        Text {
            prefix: units[..end].into(),
            length,
        }
    }

    /// The content of a string.
    pub(crate) fn string(&self, text: &jdwp::JdwpString) -> Content {
        Content::String(self.text(text))
    }
}
