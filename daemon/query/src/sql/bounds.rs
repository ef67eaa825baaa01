//! What a table is asked for, out of the values that SQLite has compared its columns with.

use rusqlite::types::ValueRef;

use super::SqlError;
use super::datum::Datum;
use super::table::{Access, Bounds, Table, Type};
use super::world::World;
use crate::error::Result;

/// What names and signs with values ask for; none if no row can be meant.
pub(super) fn bounds_of<'a, T>(
    table: &Table<T>,
    world: &World,
    access: &Access<T>,
    terms: impl Iterator<Item = ((&'a str, &'a str), ValueRef<'a>)>,
) -> Result<Option<Bounds>> {
    let mut bounds = Bounds {
        until: world.span.until.0,
        ..Bounds::default()
    };
    for ((name, sign), value) in terms {
        let is_text = {
            let mut columns = table.columns.iter();
            columns.any(|column| column.name == name && column.of == Type::Text)
        };
        // Nothing is equal to null, or before or behind it.
        if value == ValueRef::Null {
            return Ok(None);
        }
        if let Some(equal) = access.equal.iter().find(|known| **known == name) {
            let found = match is_text {
                true => text(name, value)?,
                false => whole(value).map(Datum::Int),
            };
            let Some(found) = found else {
                return Ok(None);
            };
            bounds.equal.push((equal, found));
            continue;
        }
        let Some((floor, is_whole)) = floor(value) else {
            continue;
        };
        // The first whole number at or behind the value, and the first one behind it.
        let at = match is_whole {
            true => floor,
            false => floor.saturating_add(1),
        };
        let behind = floor.saturating_add(1);
        let clip = |number: i64| u64::try_from(number).unwrap_or(0);
        match sign {
            ">=" => bounds.from = bounds.from.max(clip(at)),
            ">" => bounds.from = bounds.from.max(clip(behind)),
            "<" => bounds.until = bounds.until.min(clip(at)),
            "<=" => bounds.until = bounds.until.min(clip(behind)),
            _ if !is_whole => return Ok(None),
            _ => {
                bounds.from = bounds.from.max(clip(at));
                bounds.until = bounds.until.min(clip(behind));
            }
        }
    }
    Ok(Some(bounds))
}

/// A text that is asked for. Numbers are refused: a call that is written 1.10 without quotes would be 1.1.
fn text(column: &str, value: ValueRef<'_>) -> Result<Option<Datum>> {
    match value {
        ValueRef::Text(bytes) => Ok(std::str::from_utf8(bytes).ok().map(Datum::text)),
        ValueRef::Integer(_) | ValueRef::Real(_) => Err(SqlError::Unquoted {
            column: column.to_owned(),
            number: value.as_i64().ok(),
        }
        .into()),
        _ => Ok(None),
    }
}

/// The whole number that a value is when it is compared with one (SQLite: numeric affinity).
fn whole(value: ValueRef<'_>) -> Option<i64> {
    floor(value)
        .filter(|(_, is_whole)| *is_whole)
        .map(|(floor, _)| floor)
}

/// The greatest whole number that is not above a value, and whether it is the value; none for what is no number.
fn floor(value: ValueRef<'_>) -> Option<(i64, bool)> {
    let number = match value {
        ValueRef::Integer(number) => return Some((number, true)),
        ValueRef::Real(number) => number,
        ValueRef::Text(bytes) => {
            let text = std::str::from_utf8(bytes).ok()?.trim_ascii();
            if let Ok(number) = text.parse::<i64>() {
                return Some((number, true));
            }
            let is_number = |b: u8| b.is_ascii_digit() || b"+-.eE".contains(&b);
            text.bytes()
                .all(is_number)
                .then(|| text.parse::<f64>().ok())
                .flatten()?
        }
        ValueRef::Null | ValueRef::Blob(_) => return None,
    };
    let floor = number.floor();
    // Beyond the ends the conversion takes the nearest end; those are beyond all timestamps and ids, too.
    Some((
        floor as i64,
        floor.total_cmp(&number).is_eq() || floor == number,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_compared_as_sqlite_compares_them() {
        for (value, told) in [
            (ValueRef::Integer(7), Some((7, true))),
            (ValueRef::Real(7.0), Some((7, true))),
            (ValueRef::Real(7.5), Some((7, false))),
            (ValueRef::Real(-0.5), Some((-1, false))),
            (ValueRef::Text(b" 12 "), Some((12, true))),
            (ValueRef::Text(b"1.5e1"), Some((15, true))),
            (ValueRef::Text(b"inf"), None),
            (ValueRef::Text(b"x"), None),
            (ValueRef::Text(b""), None),
            (ValueRef::Real(1e300), Some((i64::MAX, false))),
        ] {
            let is_it = match (floor(value), told) {
                (Some(found), Some(told)) => {
                    found.0 == told.0 && (found.1 == told.1 || told.0 == i64::MAX)
                }
                (found, told) => found.is_none() && told.is_none(),
            };
            assert!(is_it, "{value:?}: {:?}", floor(value));
        }
    }
}
