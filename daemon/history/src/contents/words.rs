//! What objects held, as views: the first of it, some levels deep.

use jhyde_trace::{Content, FieldInfo, Items, ObjectId, Text, Timestamp, Units, Value, Variable};

use super::{Contents, Known, Naming, Stands};
use crate::error::Result;
use crate::history::{History, unless_lost};
use crate::objects::Held;
use crate::state::{Interval, Notes};
use crate::values::{HeldKind, HeldView, ItemView, ObjectView, ValueView};

/// Levels of objects in objects that a value shows.
const DEPTH: u32 = 3;
/// The first items of one object.
const ITEMS: usize = 12;
/// Items of all levels.
const ALL_ITEMS: usize = 60;
/// Units of a text.
const UNITS: usize = 1024;

impl History {
    /// A value with what its object held at a time.
    ///
    /// # Errors
    /// When the recording cannot be read.
    pub fn value_at(&self, value: Value, at: Timestamp) -> Result<ValueView> {
        let mut left = ALL_ITEMS;
        self.deep_value(value, at, 0, &mut left)
    }

    fn deep_value(
        &self,
        value: Value,
        at: Timestamp,
        depth: u32,
        left: &mut usize,
    ) -> Result<ValueView> {
        let mut view = self.value(value)?;
        if let ValueView::Object(object) = &mut view {
            object.held = self.held_in(object, at, depth, left)?.map(Box::new);
            object.shown = object.shown.take().or_else(|| date(object));
        }
        Ok(view)
    }

    /// What an object held, in words; `None` if it goes by its fields alone.
    fn held_in(
        &self,
        object: &ObjectView,
        at: Timestamp,
        depth: u32,
        left: &mut usize,
    ) -> Result<Option<HeldView>> {
        if object.shown.is_some() {
            return Ok(None);
        }
        match &object.content {
            Content::None => {}
            Content::Lambda { captured, .. } => {
                let captured: Vec<_> = captured.iter().map(|&v| (String::new(), v)).collect();
                return self.named(&captured, at, depth, left).map(Some);
            }
            Content::Throwable(thrown) => {
                let parts = self.parts_of_throwable(object.id, thrown, at)?;
                return match parts.as_slice() {
                    [] => Ok(None),
                    parts => self.named(parts, at, depth, left).map(Some),
                };
            }
            _ => return Ok(None),
        }
        match self.contents_at(object.id, at)?.as_ref() {
            Contents::Known(known) => {
                let naming = self.naming(&known.items, &object.class);
                self.known_in_words(known, naming, at, depth, left)
                    .map(Some)
            }
            Contents::Unknown(reason) => Ok(Some(HeldView::Unknown(reason.clone()))),
            Contents::None => match self.components(object.id, at)? {
                Some(components) => self.named(&components, at, depth, left).map(Some),
                None => Ok(None),
            },
        }
    }

    fn known_in_words(
        &self,
        known: &Known,
        naming: Naming,
        at: Timestamp,
        depth: u32,
        left: &mut usize,
    ) -> Result<HeldView> {
        let kind = match (known.stands, naming) {
            (Stands::Next, _) => HeldKind::Next,
            (_, Naming::Positions) => HeldKind::List,
            (_, Naming::Elements) => HeldKind::Set,
            (_, Naming::Keys) => HeldKind::Map,
            (_, Naming::Text | Naming::Names) => HeldKind::Single,
        };
        let mut items = Vec::new();
        let most = match depth < DEPTH {
            true => ITEMS.min(*left),
            false => 0,
        };
        match &known.items {
            Items::Text(units) => {
                let kept: Units = units.get(..UNITS).unwrap_or(units).into();
                return Ok(HeldView::Text(Text {
                    prefix: kept,
                    length: u32::try_from(known.length).unwrap_or(u32::MAX),
                }));
            }
            Items::Named(parts) => return self.named(parts, at, depth, left),
            Items::Elements(values) => {
                *left -= most.min(values.len());
                for &value in values.iter().take(most) {
                    items.push(ItemView {
                        name: String::new(),
                        key: None,
                        value: self.deep_value(value, at, depth + 1, left)?,
                    });
                }
            }
            Items::Entries(entries) => {
                *left -= most.min(entries.len());
                for &(key, value) in entries.iter().take(most) {
                    items.push(ItemView {
                        name: String::new(),
                        key: Some(self.deep_value(key, at, depth + 1, left)?),
                        value: self.deep_value(value, at, depth + 1, left)?,
                    });
                }
            }
            Items::Value(value) => items.push(ItemView {
                name: String::new(),
                key: None,
                value: self.deep_value(*value, at, depth + 1, left)?,
            }),
            Items::View { .. } => {}
        }
        Ok(HeldView::Items {
            kind,
            items,
            length: known.length,
        })
    }

    fn named(
        &self,
        parts: &[(String, Value)],
        at: Timestamp,
        depth: u32,
        left: &mut usize,
    ) -> Result<HeldView> {
        let most = match depth < DEPTH {
            true => ITEMS.min(*left),
            false => 0,
        };
        *left -= most.min(parts.len());
        let items = parts.iter().take(most).map(|(name, value)| {
            Ok(ItemView {
                name: name.clone(),
                key: None,
                value: self.deep_value(*value, at, depth + 1, left)?,
            })
        });
        Ok(HeldView::Items {
            kind: HeldKind::Named,
            items: items.collect::<Result<_>>()?,
            length: parts.len(),
        })
    }

    /// The components of a record of the scope, as its fields; `None` of other objects, and where they are not
    /// recorded.
    fn components(&self, object: ObjectId, at: Timestamp) -> Result<Option<Vec<(String, Value)>>> {
        let class = match unless_lost(self.recording.object(object))?.and_then(|info| info.class) {
            Some(class) => unless_lost(self.recording.class(class))?,
            None => None,
        };
        let is_record = class.is_some_and(|class| {
            class.in_scope && class.super_name.as_deref() == Some("java.lang.Record")
        });
        if !is_record {
            return Ok(None);
        }
        let when = Interval { from: at, to: at };
        let mut notes = Notes::default();
        let cells = self.field_cells(object, when, 0, ITEMS, &mut notes)?;
        let value = |held: Held| match held {
            Held::Value(value) => Some(value),
            Held::Absent | Held::Unknown(_) | Held::Damaged => None,
        };
        let parts = cells
            .cells
            .into_iter()
            .map(|cell| Some((cell.name, value(cell.end)?)));
        Ok(parts.collect())
    }

    /// A lambda whose body the compiler named goes by the place of that body in the source: `Letters.java:28`.
    pub(crate) fn with_place(&self, content: Content) -> Result<Content> {
        let Content::Lambda { method, captured } = content else {
            return Ok(content);
        };
        let method = self.place_of_body(&method)?.unwrap_or(method);
        Ok(Content::Lambda { method, captured })
    }

    fn place_of_body(&self, method: &str) -> Result<Option<String>> {
        let Some((class, name)) = method.rsplit_once('.') else {
            return Ok(None);
        };
        if !name.starts_with("lambda$") {
            return Ok(None);
        }
        let mut places = Vec::new();
        for class in self.recording.classes_named(class) {
            let Some(class) = unless_lost(self.recording.class(class))? else {
                continue;
            };
            let body = class.methods.iter().find(|method| method.name == name);
            let line = body.and_then(|body| body.lines.first());
            if let (Some(file), Some(line)) = (&class.source_file, line) {
                places.push(format!("{file}:{}", line.line));
            }
        }
        places.dedup();
        // Classes of one name that several loaders define may differ.
        Ok(match places.as_slice() {
            [only] => Some(only.clone()),
            _ => None,
        })
    }

    /// How users see an object that never changes: a constant by its name, a number, a date, a path.
    pub(crate) fn shown(&self, object: ObjectId, content: &Content) -> Result<Option<String>> {
        Ok(match content {
            Content::Enum(name) => Some(self.constant_name(object, name)?),
            Content::Shown(text) => Some(text.prefix.to_text_lossy()),
            Content::None => {
                let found = self
                    .contents
                    .constant(object, || self.declared_constant(object));
                found?.map(|name| name.to_string())
            }
            _ => None,
        })
    }

    fn constant_name(&self, object: ObjectId, name: &str) -> Result<String> {
        let class = self.enum_of(object)?;
        let class = class.map_or_else(String::new, |class| class.name.clone());
        let simple = crate::text::simple_name(&class);
        let inner = simple.rsplit('$').next().unwrap_or(simple);
        Ok(match inner {
            "" => name.to_owned(),
            inner => format!("{inner}.{name}"),
        })
    }

    /// The enum of which an object is a constant: its class, or the one above where it has a body of its own.
    pub(crate) fn enum_of(
        &self,
        object: ObjectId,
    ) -> Result<Option<std::sync::Arc<jhyde_trace::ClassInfo>>> {
        let classes = self.classes_of_object(object)?;
        let is_enum = |class: &&std::sync::Arc<jhyde_trace::ClassInfo>| {
            class.super_name.as_deref() == Some("java.lang.Enum")
        };
        Ok(classes.iter().find(is_enum).cloned())
    }

    /// The name of a constant of an enum in scope, by the static field that holds it.
    fn declared_constant(&self, object: ObjectId) -> Result<Option<String>> {
        /// The flag of a field that holds a constant (JVMS 4.5).
        const ENUM: u32 = 0x4000;
        let Some(class) = self.enum_of(object)? else {
            return Ok(None);
        };
        let is_constant = |field: &&FieldInfo| field.is_static() && field.modifiers & ENUM != 0;
        for field in class.fields.iter().filter(is_constant) {
            let variable = Variable::Static { field: field.id };
            let end = Timestamp(self.recording.end().0.saturating_sub(1));
            if let Some(write) = self.recording.last_write(variable, end)?
                && write.value == Value::Object(object)
            {
                return Ok(Some(self.constant_name(object, &field.name)?));
            }
        }
        Ok(None)
    }
}

/// A date with a time in milliseconds, as its users see it.
fn date(object: &ObjectView) -> Option<String> {
    let is_date = matches!(
        object.class.as_str(),
        "java.util.Date" | "java.sql.Date" | "java.sql.Time"
    );
    match object.held.as_deref() {
        Some(HeldView::Items { items, .. }) if is_date => match items.first()?.value {
            ValueView::Primitive(Value::Long(time)) => {
                let class = crate::text::simple_name(&object.class);
                Some(format!("{class}({})", universal_time(time)))
            }
            _ => None,
        },
        _ => None,
    }
}

/// Milliseconds since 1970 as ISO 8601 has them, in universal time.
fn universal_time(time: i64) -> String {
    const DAY: i64 = 86_400_000;
    let (days, rest) = (time.div_euclid(DAY), time.rem_euclid(DAY));
    // Eras of 400 years, which begin in March: the leap day is the last one of a year.
    let days = days + 719_468;
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = 400 * era + year + i64::from(month <= 2);
    let (seconds, milliseconds) = (rest / 1000, rest % 1000);
    let (minutes, seconds) = (seconds / 60, seconds % 60);
    let (hours, minutes) = (minutes / 60, minutes % 60);
    let mut text = format!("{year:04}-{month:02}-{day:02}T{hours:02}:{minutes:02}:{seconds:02}");
    if milliseconds != 0 {
        text += &format!(".{milliseconds:03}");
    }
    text + "Z"
}

#[cfg(test)]
mod tests {
    use super::universal_time;

    #[test]
    fn dates_in_universal_time() {
        assert_eq!(universal_time(0), "1970-01-01T00:00:00Z");
        assert_eq!(universal_time(-1), "1969-12-31T23:59:59.999Z");
        assert_eq!(universal_time(951_782_400_000), "2000-02-29T00:00:00Z");
        assert_eq!(
            universal_time(1_700_000_000_005),
            "2023-11-14T22:13:20.005Z"
        );
        assert_eq!(universal_time(-62_135_596_800_000), "0001-01-01T00:00:00Z");
    }
}
