//! Ways to a variable as source writes them, from a call: `1.7:this.volume`, `merge#3:c[2]`, `1.7:book.orders[0].price`,
//! `1.7:this.books["OAK"].trades[1]`. What stands in brackets is the index of an array or list, or a key of a map as jhyde shows it.
//!
//! Each step goes on from the object that the variable before it held when the call ended (now, if it runs), which is
//! what one sees when one looks at a call; a variable that was cleared by then, from the object that it held first.

use jhyde_store::records::Direction;
use jhyde_trace::{CallId, Content, ContentKey, ObjectId, Outcome, Timestamp, Value, Variable};

use crate::contents::Naming;
use crate::error::{Error, Result};
use crate::history::History;
use crate::state::Interval;
use crate::variables::number;

/// A step from an object to one of its variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step<'a> {
    Field(&'a str),
    Element(&'a str),
}

/// The local that a way begins with, and its steps; `None` if it has none.
fn taken_apart(way: &str) -> Option<(&str, Vec<Step<'_>>)> {
    let begin = way.find(['.', '['])?;
    let (local, mut rest) = way.split_at(begin);
    let mut steps = Vec::new();
    while !rest.is_empty() {
        if let Some(inside) = rest.strip_prefix('[') {
            let end = quoted(inside);
            let end = end + inside.get(end..)?.find(']')?;
            steps.push(Step::Element(&inside[..end]));
            rest = &inside[end + 1..];
        } else {
            let name = rest.strip_prefix('.')?;
            let end = name.find(['.', '[']).unwrap_or(name.len());
            let (name, behind) = name.split_at(end);
            if name.is_empty() {
                return None;
            }
            steps.push(Step::Field(name));
            rest = behind;
        }
    }
    (!local.is_empty()).then_some((local, steps))
}

/// Where a text or character ends, in bytes, that begins there; 0 where none does.
fn quoted(text: &str) -> usize {
    let Some(quote @ ('"' | '\'')) = text.chars().next() else {
        return 0;
    };
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            c if c == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// A call and the way from it, with a colon in between: a key of a map on it may have others.
pub(crate) fn from_call(text: &str) -> Option<(&str, &str)> {
    let key = [text.find("[\""), text.find("['")]
        .into_iter()
        .flatten()
        .min();
    let colon = text[..key.unwrap_or(text.len())].rfind(':')?;
    Some((&text[..colon], &text[colon + 1..]))
}

impl History {
    /// The variable at the end of a way that begins in a call; `None` if what stands there is no way.
    ///
    /// # Errors
    /// When there is no such variable on it.
    pub(crate) fn resolve_way(
        &self,
        text: &str,
        call: CallId,
        way: &str,
    ) -> Result<Option<Variable>> {
        let Some((local, steps)) = taken_apart(way) else {
            return Ok(None);
        };
        let record = self.record(call)?;
        let end = record.exit.unwrap_or_else(|| self.recording.end());
        let mut seen = format!("{call}:{local}");
        let mut object = match local {
            "this" => self.given(&record)?.receiver.and_then(Value::object),
            "return" | "exception" => match self.recording.outcome(&record)? {
                Some(Outcome::Returned(Some(value)) | Outcome::Threw(value)) => value.object(),
                _ => None,
            },
            _ => {
                let local = self.resolve_local(text, call, local)?;
                self.object_in(local, end)?
            }
        };
        let mut variable = None;
        let last = steps.len() - 1;
        for (at, step) in steps.into_iter().enumerate() {
            let none = |reason: String| Error::NoSuchVariable {
                variable: text.to_owned(),
                reason,
            };
            if let Some(variable) = variable {
                object = self.object_in(variable, end)?;
            }
            let Some(id) = object else {
                return Err(none(format!("{seen} held no object that is recorded")));
            };
            variable = Some(match step {
                Step::Field(name) => self.resolve_field(text, id, name)?,
                Step::Element(index) => match self.named_part(id, index)?.filter(|_| at < last) {
                    Some(part) => part,
                    None => self.element_of(text, id, index)?,
                },
            });
            match step {
                Step::Field(name) => seen.push_str(&format!(".{name}")),
                Step::Element(index) => seen.push_str(&format!("[{index}]")),
            }
        }
        Ok(variable)
    }

    /// What stands in brackets behind an object: an element of an array, or a part of what an object of the JDK holds.
    fn element_of(&self, text: &str, id: ObjectId, index: &str) -> Result<Variable> {
        let is_array = self
            .recording
            .object(id)?
            .is_some_and(|info| matches!(info.content, Content::Array(_)));
        if is_array {
            let form = || Error::VariableForm(text.to_owned());
            return self.resolve_element(text, id, number(index).ok_or_else(form)?);
        }
        let none = |reason: String| Error::NoSuchVariable {
            variable: text.to_owned(),
            reason,
        };
        match self.resolve_content(&format!("object#{id}[{index}]")) {
            Ok(Some(part)) => Ok(part),
            Ok(None) => Err(Error::VariableForm(text.to_owned())),
            Err(Error::NoSuchVariable { reason, .. }) => {
                Err(none(format!("object#{id}: {reason}")))
            }
            Err(Error::VariableForm(_)) => Err(Error::VariableForm(text.to_owned())),
            Err(error) => Err(error),
        }
    }

    /// A part of what has its parts by names, such as an `Optional`: it has no history of its own, and a way may go through it.
    fn named_part(&self, object: ObjectId, index: &str) -> Result<Option<Variable>> {
        let is_named = self.naming_of(object)? == Some(Naming::Names);
        let index = number(index).filter(|_| is_named);
        let key = index.map(ContentKey::Index);
        Ok(key.map(|key| Variable::Content { object, key }))
    }

    /// The object that a variable held at a time, or before it was cleared.
    fn object_in(&self, variable: Variable, at: Timestamp) -> Result<Option<ObjectId>> {
        let range = Timestamp(0)..Timestamp(at.0.saturating_add(1));
        if let Variable::Content { object, key } = variable {
            return match self.part_at(object, key, at)? {
                Ok(Some(part)) => Ok(part.object()),
                Ok(None) => {
                    let held = self.content_writes(object, key, range, Direction::Forward, 1)?;
                    Ok(held.first().and_then(|write| write.value.object()))
                }
                Err(reason) => Err(Error::NoSuchVariable {
                    variable: self.written_form(variable)?,
                    reason: format!("what it held at {at} is not recorded: {reason}"),
                }),
            };
        }
        let last = self.recording.last_write(variable, at)?;
        let told = last.as_ref().map_or(Timestamp(0), |last| last.timestamp);
        let since = Interval { from: told, to: at };
        if let Some(reason) = self.unseen_writes_of(variable, since)? {
            return Err(Error::NoSuchVariable {
                variable: self.written_form(variable)?,
                reason: format!("what it held at {at} is not recorded: {reason}"),
            });
        }
        if let Some(object) = last.and_then(|write| write.value.object()) {
            return Ok(Some(object));
        }
        if let Some((_, bound)) = self.binding(variable)? {
            return Ok(bound.object());
        }
        let mut writes = self.recording.writes(variable, range, Direction::Forward);
        let first = writes.next().transpose()?;
        Ok(first.and_then(|write| write.value.object()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_may_have_colons() {
        let apart = |text| from_call(text).expect("a call");
        assert_eq!(apart("a.B.c#1:this.x"), ("a.B.c#1", "this.x"));
        assert_eq!(apart(r#"1.7:m["a:b"].c"#), ("1.7", r#"m["a:b"].c"#));
        assert_eq!(apart("1.7:m[':']"), ("1.7", "m[':']"));
        assert_eq!(from_call("object#1.x"), None);
    }

    #[test]
    fn ways_are_taken_apart() {
        use Step::{Element, Field};
        assert_eq!(
            taken_apart("this.volume"),
            Some(("this", vec![Field("volume")]))
        );
        assert_eq!(
            taken_apart("book.orders[0].price"),
            Some(("book", vec![Field("orders"), Element("0"), Field("price")]))
        );
        assert_eq!(
            taken_apart("i@4-10[2][3]"),
            Some(("i@4-10", vec![Element("2"), Element("3")]))
        );
        assert_eq!(
            taken_apart(r#"this.books["a].\"b"].trades[Side.BUY][']'].x"#),
            Some((
                "this",
                vec![
                    Field("books"),
                    Element(r#""a].\"b""#),
                    Field("trades"),
                    Element("Side.BUY"),
                    Element("']'"),
                    Field("x")
                ]
            ))
        );
        for none in [
            "this", "", ".a", "a.", "a[1", "a[1]b", "a..b", "a[\"b", "a[\"b]",
        ] {
            assert_eq!(taken_apart(none), None, "{none}");
        }
    }
}
