//! Reads what is neither a list nor a table: enums' maps and sets, bits, texts, single values, buffers.

use jdwp::{ArrayRegion, ObjectId, ReferenceTypeId, Value};
use jhyde_trace::Part;

use super::read::{ReadError, Reader, Told, count, gone, renamed, unknown, view};

impl Reader<'_> {
    pub(super) fn enum_map(
        &mut self,
        object: ObjectId,
        class: ReferenceTypeId,
    ) -> Result<Told, ReadError> {
        let [universe, held] = self.some(object, class, ["keyUniverse", "vals"])?;
        let length = self.length(&held)?;
        let keys = self.elements(&universe, length)?;
        let held = self.elements(&held, length)?;
        let named = self.class("java.util.EnumMap")?;
        let Some(null) = self.layouts.constant(self.link, named, "NULL")? else {
            return renamed();
        };
        let nothing = Value::Object {
            tag: jdwp::Tag::OBJECT,
            id: ObjectId(0),
        };
        let pairs = keys.into_iter().zip(held);
        let entries = pairs.filter(|(_, value)| value.object().is_some());
        let unmask = |value: Value| if same(&value, &null) { nothing } else { value };
        Ok(Told::Entries(
            entries.map(|(key, value)| (key, unmask(value))).collect(),
        ))
    }

    pub(super) fn enum_set(
        &mut self,
        object: ObjectId,
        class: ReferenceTypeId,
    ) -> Result<Told, ReadError> {
        let [universe, elements] = self.some(object, class, ["universe", "elements"])?;
        let length = self.length(&universe)?;
        let universe = self.elements(&universe, length)?;
        let words = match elements {
            Value::Long(bits) => vec![bits],
            array => self.longs(&array)?,
        };
        let held = set_bits(&words).map(|at| universe.get(at).copied());
        match held.collect() {
            Some(all) => Ok(Told::Elements(all)),
            None => gone(),
        }
    }

    pub(super) fn bits(
        &mut self,
        object: ObjectId,
        class: ReferenceTypeId,
    ) -> Result<Told, ReadError> {
        let [words] = self.some(object, class, ["words"])?;
        let words = self.longs(&words)?;
        let number = |at| i32::try_from(at).map_or_else(|_| gone(), |at| Ok(Value::Int(at)));
        let all: Result<_, _> = set_bits(&words).map(number).collect();
        Ok(Told::Elements(all?))
    }

    fn longs(&mut self, array: &Value) -> Result<Vec<i64>, ReadError> {
        let length = self.length(array)?;
        match self.region(array, 0, length)? {
            Some(ArrayRegion::Long(words)) => Ok(words),
            None => Ok(Vec::new()),
            Some(_) => renamed(),
        }
    }

    pub(super) fn text(
        &mut self,
        object: ObjectId,
        class: ReferenceTypeId,
    ) -> Result<Told, ReadError> {
        let [bytes, coder, length] = self.some(object, class, ["value", "coder", "count"])?;
        let (mut length, wide) = (count(&length)?, coder == Value::Byte(1));
        if self.most.is_some() {
            length = self.wanted(length)?;
        }
        let bytes = match self.region(&bytes, 0, if wide { 2 * length } else { length })? {
            Some(ArrayRegion::Byte(bytes)) => bytes,
            None => Vec::new(),
            Some(_) => return renamed(),
        };
        let bytes = bytes.into_iter().map(|byte| byte as u8);
        Ok(Told::Text(if wide {
            let bytes: Vec<u8> = bytes.collect();
            // In the order of the machine that the JVM runs on, which is the same as ours on all that matter.
            let units = bytes.chunks_exact(2);
            units
                .map(|two| u16::from_le_bytes([two[0], two[1]]))
                .collect()
        } else {
            bytes.map(u16::from).collect()
        }))
    }

    pub(super) fn value(
        &mut self,
        object: ObjectId,
        class: ReferenceTypeId,
        field: &str,
    ) -> Result<Told, ReadError> {
        let [value] = self.some(object, class, [field])?;
        let name = self.program.name(self.link, class)?;
        Ok(match (name.rsplit('.').next(), value) {
            (Some("AtomicBoolean"), Value::Int(flag)) => Told::Value(Value::Boolean(flag != 0)),
            // An empty one holds nothing, not null.
            (Some("Optional"), value) => {
                Told::Elements(value.object().map(|_| value).into_iter().collect())
            }
            _ => Told::Value(value),
        })
    }

    pub(super) fn perhaps(
        &mut self,
        object: ObjectId,
        class: ReferenceTypeId,
    ) -> Result<Told, ReadError> {
        let [present, value] = self.some(object, class, ["isPresent", "value"])?;
        let held = (present == Value::Boolean(true)).then_some(value);
        Ok(Told::Elements(held.into_iter().collect()))
    }

    pub(super) fn adder(
        &mut self,
        object: ObjectId,
        class: ReferenceTypeId,
    ) -> Result<Told, ReadError> {
        let [base, cells] = self.some(object, class, ["base", "cells"])?;
        match (base, cells.object()) {
            (base @ Value::Long(_), None) => Ok(Told::Value(base)),
            _ => unknown("several threads add to it"),
        }
    }

    /// Milliseconds since 1970. Of subclasses that count on their own, and of one whose calendar was not worked out
    /// yet, nothing is claimed.
    pub(super) fn moment(
        &mut self,
        object: ObjectId,
        class: ReferenceTypeId,
    ) -> Result<Told, ReadError> {
        let name = self.program.name(self.link, class)?;
        if !matches!(
            name.as_str(),
            "java.util.Date" | "java.sql.Date" | "java.sql.Time"
        ) {
            return unknown("its class has a time of its own");
        }
        let [time, calendar] = self.some(object, class, ["fastTime", "cdate"])?;
        if let Some(calendar) = calendar.object() {
            let class = self.class_of(calendar.id)?;
            let [normal] = self.some(calendar.id, class, ["normalized"])?;
            if normal != Value::Boolean(true) {
                return unknown("its fields were set, and its time not worked out yet");
            }
        }
        match time {
            Value::Long(_) => Ok(Told::Value(time)),
            _ => renamed(),
        }
    }

    pub(super) fn buffer(
        &mut self,
        object: ObjectId,
        class: ReferenceTypeId,
    ) -> Result<Told, ReadError> {
        let names = ["hb", "offset", "capacity", "position", "limit"];
        let [array, offset, capacity, position, limit] = self.some(object, class, names)?;
        let number = |value| count(value).map(|n| u32::try_from(n).unwrap_or(u32::MAX));
        let from = number(&offset)?;
        let part = Part::Buffer {
            from,
            to: from.saturating_add(number(&capacity)?),
            position: number(&position)?,
            limit: number(&limit)?,
        };
        view(&array, part)
    }
}

fn same(one: &Value, other: &Value) -> bool {
    one.object().map(|o| o.id) == other.object().map(|o| o.id)
}

/// The numbers of the bits that are set.
fn set_bits(words: &[i64]) -> impl Iterator<Item = usize> {
    words.iter().enumerate().flat_map(|(at, &word)| {
        (0..64).filter_map(move |bit| (word as u64 >> bit & 1 == 1).then_some(at * 64 + bit))
    })
}
