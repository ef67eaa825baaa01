//! Reads what sorted maps show of themselves: from one key to another, and backwards. Where the borders lie is told by the
//! keys' order, which is known of strings and boxes; keys in an order of the program's own are found by identity.

use std::cmp::Ordering;

use jdwp::{ObjectId, ReferenceTypeId, Value};

use super::read::{ReadError, Reader, Told, gone, renamed, unknown};

/// A key whose order is specified.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum SortKey {
    Text(Vec<u16>),
    Number(i64),
}

/// One end of a part.
struct Border {
    key: Value,
    /// There is none: the part goes to the end of the map.
    open: bool,
    inclusive: bool,
}

impl Reader<'_> {
    /// A part of a `TreeMap`, in its own direction.
    pub(super) fn sorted_part(
        &mut self,
        object: ObjectId,
        class: ReferenceTypeId,
        descending: bool,
    ) -> Result<Told, ReadError> {
        let names = [
            "m",
            "lo",
            "hi",
            "fromStart",
            "toEnd",
            "loInclusive",
            "hiInclusive",
        ];
        let [map, low, high, from_start, to_end, low_in, high_in] =
            self.some(object, class, names)?;
        let Some(map) = map.object() else {
            return gone();
        };
        self.part_of = Some(map.id);
        let map_class = self.class_of(map.id)?;
        let Told::Entries(all) = self.tree(map.id, map_class)? else {
            return gone();
        };
        let yes = |value| match value {
            Value::Boolean(yes) => Ok(yes),
            _ => renamed(),
        };
        let low = Border {
            key: low,
            open: yes(from_start)?,
            inclusive: yes(low_in)?,
        };
        let high = Border {
            key: high,
            open: yes(to_end)?,
            inclusive: yes(high_in)?,
        };
        let mut order = None;
        if !(low.open && high.open) {
            let [comparator] = self.some(map.id, map_class, ["comparator"])?;
            order = self.order(&comparator)?;
        }
        let from = match low.open {
            true => 0,
            false => self.position(&all, &low.key, order, !low.inclusive)?,
        };
        let to = match high.open {
            true => all.len(),
            false => self.position(&all, &high.key, order, high.inclusive)?,
        };
        let mut part = all.get(from..to.max(from)).unwrap_or_default().to_vec();
        if descending {
            part.reverse();
        }
        Ok(Told::Entries(part))
    }

    /// The natural order of keys (`Less`), its reverse (`Greater`), or one of the program's own.
    fn order(&mut self, comparator: &Value) -> Result<Option<Ordering>, ReadError> {
        let Some(comparator) = comparator.object() else {
            return Ok(Some(Ordering::Less));
        };
        let class = self.class_of(comparator.id)?;
        Ok(match self.program.name(self.link, class)?.as_str() {
            "java.util.Comparators$NaturalOrderComparator" => Some(Ordering::Less),
            "java.util.Collections$ReverseComparator" => Some(Ordering::Greater),
            _ => None,
        })
    }

    /// How many entries lie before a key; with the entry of the key itself, if `behind`.
    fn position(
        &mut self,
        all: &[(Value, Value)],
        key: &Value,
        order: Option<Ordering>,
        behind: bool,
    ) -> Result<usize, ReadError> {
        let id = |value: &Value| value.object().map(|object| object.id);
        if let Some(found) = all.iter().position(|entry| id(&entry.0) == id(key)) {
            return Ok(found + usize::from(behind));
        }
        let (Some(order), Some(wanted)) = (order, self.sort_key(key)?) else {
            return unknown("where it begins or ends is decided by the program's own order");
        };
        let (mut from, mut to) = (0, all.len());
        while from < to {
            let middle = from + (to - from) / 2;
            let Some(here) = self.sort_key(&all[middle].0)? else {
                return unknown("where it begins or ends is decided by the program's own order");
            };
            let compared = match order {
                Ordering::Greater => wanted.cmp(&here),
                _ => here.cmp(&wanted),
            };
            let before = compared == Ordering::Less || behind && compared == Ordering::Equal;
            if before {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        Ok(from)
    }

    fn sort_key(&mut self, key: &Value) -> Result<Option<SortKey>, ReadError> {
        let Some(object) = key.object() else {
            return Ok(None);
        };
        if object.tag == jdwp::Tag::STRING {
            return Ok(self.string(key)?.map(SortKey::Text));
        }
        let class = self.class_of(object.id)?;
        let name = self.program.name(self.link, class)?;
        let simple = name.strip_prefix("java.lang.").unwrap_or_default();
        if !matches!(simple, "Integer" | "Long" | "Short" | "Byte" | "Character") {
            return Ok(None);
        }
        let [value] = self.some(object.id, class, ["value"])?;
        Ok(Some(SortKey::Number(match value {
            Value::Int(value) => value.into(),
            Value::Long(value) => value,
            Value::Short(value) => value.into(),
            Value::Byte(value) => value.into(),
            Value::Char(value) => value.into(),
            _ => return renamed(),
        })))
    }
}
