//! From the written form of a content variable to the variable: `list#7[3]`, `map#12["k"]`, `sb#4`.

use jhyde_store::records::Direction;
use jhyde_trace::{Content, ContentKey, Items, ObjectId, Timestamp, Value, Variable};

use super::Naming;
use crate::error::{Error, Result};
use crate::history::History;
use crate::reference::candidates;
use crate::text::is_called;
use crate::variables::number;

/// Words that may stand before the number of any object with content; so may the name of its class.
const WORDS: [&str; 6] = ["list", "set", "map", "sb", "object", "deque"];

impl History {
    /// The content variable that is written so; `None` if the form is another's.
    pub(crate) fn resolve_content(&self, text: &str) -> Result<Option<Variable>> {
        let Some((word, rest)) = text.split_once('#') else {
            return Ok(None);
        };
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (id, part) = rest.split_at(digits);
        let key = match part {
            "" => None,
            part => match part.strip_prefix('[').and_then(|p| p.strip_suffix(']')) {
                Some(key) => Some(key),
                None => return Ok(None),
            },
        };
        let Some(object) = number(id).map(ObjectId) else {
            return Ok(None);
        };
        let is_known = crate::history::unless_lost(self.recording.object(object))?.is_some();
        let fits = WORDS.contains(&word) || is_known && is_called(&self.class_name(object)?, word);
        if !fits || (word == "object" && key.is_none() && self.naming_of(object)?.is_none()) {
            return Ok(None);
        }
        if !is_known {
            return Err(Error::NoSuchObject(object.0));
        }
        let none = |reason: String| Error::NoSuchVariable {
            variable: text.to_owned(),
            reason,
        };
        let naming = self.naming_of(object)?;
        let naming = naming.ok_or_else(|| {
            none("no content of this object is recorded: it goes by its fields".to_owned())
        })?;
        let key = match (key, naming) {
            (None, _) => ContentKey::All,
            (Some(key), Naming::Positions) => {
                let index = number(key).ok_or_else(|| Error::VariableForm(text.to_owned()))?;
                ContentKey::Index(index)
            }
            (Some(key), Naming::Keys | Naming::Elements) => match self
                .key_named(object, text, key)?
            {
                Some(key) => ContentKey::Key(key),
                None => return Err(none(format!("it never held {key}, as far as is recorded"))),
            },
            (Some(_), Naming::Text | Naming::Names) => {
                return Err(none(format!(
                    "its parts have no histories of their own: ask for {}#{object}",
                    naming.word()
                )));
            }
        };
        Ok(Some(Variable::Content { object, key }))
    }

    /// The key or element that an object had which is written so: as it is shown, or by its number, which tells apart those of several
    /// classes that are shown alike (`1` of an `Integer` and of a `Short`).
    fn key_named(&self, object: ObjectId, text: &str, written: &str) -> Result<Option<Value>> {
        let by_number = written.strip_prefix("object#").and_then(number);
        let by_number = by_number.map(|id| Value::Object(ObjectId(id)));
        let mut found: Vec<Value> = Vec::new();
        for source in self.sources(object)? {
            let all = Timestamp(0)..self.recording.end();
            let changes = self.content_changes(source, all, Direction::Forward);
            for change in changes {
                self.check()?;
                let change = match change {
                    Err(jhyde_store::Error::Damaged { .. }) => continue,
                    change => change?,
                };
                let keys: Vec<Value> = match change.change.items() {
                    Some(Items::Entries(entries)) => entries.iter().map(|&(key, _)| key).collect(),
                    Some(Items::Elements(values)) => values.clone(),
                    _ => continue,
                };
                for key in keys {
                    if by_number == Some(key) {
                        return Ok(by_number);
                    }
                    if !self.is_one_of(&found, key)? && self.is_written(key, written)? {
                        found.push(key);
                    }
                }
            }
        }
        if found.len() > 1 {
            let word = self.naming_of(object)?.unwrap_or(Naming::Names).word();
            let keys = found.into_iter().filter_map(Value::object);
            let forms: Vec<_> = keys
                .map(|key| format!("{word}#{object}[object#{key}]"))
                .collect();
            return Err(Error::Ambiguous {
                reference: text.to_owned(),
                candidates: candidates(forms.into_iter()),
            });
        }
        Ok(found.pop())
    }

    /// Is a key written so? Constants may be written with more of their class, or with none of it.
    fn is_written(&self, key: Value, written: &str) -> Result<bool> {
        let form = self.key_form(key)?;
        if form == written {
            return Ok(true);
        }
        let Some(object) = key.object() else {
            return Ok(false);
        };
        let info = crate::history::unless_lost(self.recording.object(object))?;
        let is_constant = info.is_some_and(|info| matches!(info.content, Content::Enum(_)));
        let is_longer = || {
            let class = written.strip_suffix(&form);
            class.is_some_and(|class| class.ends_with(['.', '$']))
        };
        let is_bare = || form.rsplit('.').next() == Some(written);
        Ok(is_constant && (is_longer() || is_bare()))
    }

    fn is_one_of(&self, keys: &[Value], key: Value) -> Result<bool> {
        for &one in keys {
            if one == key || self.is_same_key(one, key)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
