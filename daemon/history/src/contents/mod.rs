//! What objects of the JDK held at a time: elements, entries, characters, a value.
//!
//! `replay` finds it from the recorded changes, `cells` compares two times, `words` puts it into views, and
//! here are the parts that they share: what is held, views resolved, and how the parts are named.

mod cells;
mod replay;
mod resolve;
mod words;
mod written;

use jhyde_store::records::ContentChange;
use jhyde_trace::{Change, Content, ContentKey, Items, ObjectId, Timestamp, Value};

use crate::error::Result;
use crate::history::History;
pub(crate) use replay::Cache;

/// What an object held at a time, as far as the recording tells it. Views are resolved.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Contents {
    /// Nothing is recorded of what it holds: it is known by its fields.
    None,
    /// These.
    Known(Known),
    /// It is not known: why.
    Unknown(String),
}

/// Items that are known.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Known {
    /// The items or the first of them; never [`Items::View`].
    pub(crate) items: Items,
    /// The number of all.
    pub(crate) length: usize,
    /// How it stands to them.
    pub(crate) stands: Stands,
}

/// How an object stands to the items behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stands {
    /// It holds them.
    Holds,
    /// It gives them next: an iterator.
    Next,
    /// It is a buffer over them, at this position and with this limit.
    Buffer {
        /// `position()`.
        position: u32,
        /// `limit()`.
        limit: u32,
    },
}

/// How the parts of what an object holds are named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Naming {
    /// By position: `list#7[3]`.
    Positions,
    /// By themselves: `set#8["x"]`.
    Elements,
    /// By key: `map#12["k"]`.
    Keys,
    /// Characters are not named one by one: `sb#4`.
    Text,
    /// By names that stand in no variable.
    Names,
}

impl Naming {
    /// The word before the number of such an object.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Positions => "list",
            Self::Elements => "set",
            Self::Keys => "map",
            Self::Text => "sb",
            Self::Names => "object",
        }
    }
}

impl Known {
    /// Whether two times differ: also where not all is known.
    pub(crate) fn value_at(&self, position: usize) -> Option<Value> {
        match &self.items {
            Items::Elements(values) => values.get(position).copied(),
            Items::Value(value) if position == 0 => Some(*value),
            _ => None,
        }
    }
}

impl History {
    /// How the parts of this content of an object of this class are named.
    pub(crate) fn naming(&self, items: &Items, class: &str) -> Naming {
        match items {
            // An empty one; one with a value holds just that.
            Items::Elements(_) if class.starts_with("java.util.Optional") => Naming::Names,
            Items::Elements(_) if is_set(class) => Naming::Elements,
            Items::Elements(_) => Naming::Positions,
            Items::Entries(_) => Naming::Keys,
            Items::Text(_) => Naming::Text,
            Items::Value(_) | Items::Named(_) | Items::View { .. } => Naming::Names,
        }
    }

    /// How the parts of an object's content are named, whatever the time; `None` if it has none.
    pub(crate) fn naming_of(&self, object: ObjectId) -> Result<Option<Naming>> {
        let Some(items) = self.kind_of_items(object)? else {
            return Ok(None);
        };
        let class = self.class_name(object)?;
        Ok(Some(self.naming(&items, &class)))
    }

    /// The name of an object's class; empty if it is not known.
    pub(crate) fn class_name(&self, object: ObjectId) -> Result<String> {
        let classes = self.classes_of_object(object)?;
        Ok(classes
            .first()
            .map(|class| class.name.clone())
            .unwrap_or_default())
    }

    /// Are these one key to a map, or one element to a set? References to equal texts, boxes and other
    /// immutable things are.
    pub(crate) fn is_same_key(&self, one: Value, other: Value) -> Result<bool> {
        if one == other {
            return Ok(true);
        }
        let (Some(one), Some(other)) = (one.object(), other.object()) else {
            return Ok(false);
        };
        let content = |object| -> Result<Content> {
            let info = crate::history::unless_lost(self.recording.object(object))?;
            Ok(info.map_or(Content::None, |info| info.content))
        };
        let content = (content(one)?, content(other)?);
        Ok(match &content {
            (Content::String(one), Content::String(other))
            | (Content::Shown(one), Content::Shown(other)) => one == other && !one.is_cut(),
            (Content::Box(one), Content::Box(other)) => one == other,
            (Content::Class(one), Content::Class(other)) => one == other,
            _ => false,
        })
    }

    /// What a map has for a key, or a set's element that is this one, in items.
    pub(crate) fn for_key(&self, items: &Items, key: Value) -> Result<Option<Value>> {
        match items {
            Items::Entries(entries) => {
                // The same reference is the common case, and costs nothing.
                if let Some(&(_, value)) = entries.iter().find(|(known, _)| *known == key) {
                    return Ok(Some(value));
                }
                for &(known, value) in entries {
                    if self.is_same_key(known, key)? {
                        return Ok(Some(value));
                    }
                }
                Ok(None)
            }
            Items::Elements(values) => {
                if values.contains(&key) {
                    return Ok(Some(key));
                }
                for &known in values {
                    if self.is_same_key(known, key)? {
                        return Ok(Some(known));
                    }
                }
                Ok(None)
            }
            _ => Ok(None),
        }
    }

    /// Did a change write this part, even with an equal value?
    pub(crate) fn is_part_written(&self, change: &ContentChange, key: ContentKey) -> Result<bool> {
        let Change::Splice {
            at,
            removed,
            inserted,
        } = &change.change
        else {
            return Ok(false);
        };
        if change.snapshot {
            return Ok(false);
        }
        Ok(match key {
            ContentKey::All => true,
            // Where as many came as went they took their places.
            ContentKey::Index(index) => {
                let in_place = inserted.len() == *removed as usize;
                in_place && (*at..at.saturating_add(*removed)).contains(&index)
            }
            ContentKey::Key(key) => self.for_key(inserted, key)?.is_some(),
        })
    }

    /// The written form of a part.
    pub(crate) fn content_form(&self, object: ObjectId, key: ContentKey) -> Result<String> {
        let word = self.naming_of(object)?.unwrap_or(Naming::Names).word();
        Ok(match key {
            ContentKey::All => format!("{word}#{object}"),
            ContentKey::Index(index) => format!("{word}#{object}[{index}]"),
            ContentKey::Key(key) => format!("{word}#{object}[{}]", self.key_form(key)?),
        })
    }

    /// How a key stands between brackets: primitives and boxes as their literals, texts quoted, constants by name,
    /// other objects by number.
    pub(crate) fn key_form(&self, key: Value) -> Result<String> {
        let Some(object) = key.object() else {
            return Ok(self.value(key)?.to_string());
        };
        let view = self.value(key)?;
        let crate::view::ValueView::Object(view) = &view else {
            return Ok(format!("object#{object}"));
        };
        Ok(match &view.content {
            Content::Box(value) => self.value(*value)?.to_string(),
            Content::String(text) if text.is_cut() => format!("object#{object}"),
            Content::Shown(text) if text.is_cut() => format!("object#{object}"),
            Content::String(_) | Content::Class(_) => view.to_string(),
            Content::Shown(text) => text.prefix.to_text_lossy(),
            _ if view.shown.is_some() => view.to_string(),
            _ => format!("object#{object}"),
        })
    }

    /// What an object held at a time, by part; `None` if that part was not there.
    pub(crate) fn part_at(
        &self,
        object: ObjectId,
        key: ContentKey,
        at: Timestamp,
    ) -> Result<std::result::Result<Option<Value>, String>> {
        Ok(match self.contents_at(object, at)?.as_ref() {
            Contents::None => Err("it was not seen before that".to_owned()),
            Contents::Unknown(reason) => Err(reason.clone()),
            Contents::Known(known) => match key {
                ContentKey::All => Ok(Some(Value::Object(object))),
                ContentKey::Index(index) => {
                    let index = index as usize;
                    match known.value_at(index) {
                        None if index < known.length => Err(CUT.to_owned()),
                        value => Ok(value),
                    }
                }
                ContentKey::Key(key) => match self.for_key(&known.items, key)? {
                    None if known.items.len() < known.length => Err(CUT.to_owned()),
                    value => Ok(value),
                },
            },
        })
    }
}

pub(crate) const CUT: &str = "only the first items were recorded";

/// Is it a set, as far as its name tells? The order of its elements is its own, so that they go by themselves.
fn is_set(class: &str) -> bool {
    let simple = crate::text::simple_name(class);
    simple.ends_with("Set") || simple.contains("Set$") || simple.contains("$Set")
}
