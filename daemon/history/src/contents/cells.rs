//! What an object held at two times, part by part.

use jhyde_store::records::{ContentChange, Direction};
use jhyde_trace::{Change, ContentKey, Items, ObjectId, Timestamp, Value, Variable};
use rustc_hash::FxHashSet;

use super::{CUT, Contents, Known, Naming};
use crate::error::Result;
use crate::history::History;
use crate::objects::{Cell, Cells, Held};
use crate::state::{Interval, RowKind};

impl History {
    /// Did the program change what an object holds in the interval, or was it found changed in it?
    pub(crate) fn content_changed(&self, object: ObjectId, interval: Interval) -> Result<bool> {
        if self.never_holds(object)? {
            return Ok(false);
        }
        let sources = match self.has_snapshots_only() {
            // Nobody saw it change: it was found to be something else, or not.
            true => Vec::new(),
            false => self.sources(object)?,
        };
        for source in sources {
            let from = Timestamp(interval.from.0.saturating_add(1));
            let range = from..Timestamp(interval.to.0.saturating_add(1)).max(from);
            if source != object
                && self
                    .recording
                    .written_between(source, interval.from, interval.to)?
            {
                return Ok(true);
            }
            let changes = self.content_changes(source, range, Direction::Forward);
            for change in changes {
                let change = change?;
                if !change.snapshot && !matches!(change.change, Change::More(_)) {
                    return Ok(true);
                }
            }
        }
        let start = self.contents_at(object, interval.from)?;
        let end = self.contents_at(object, interval.to)?;
        Ok(match (start.as_ref(), end.as_ref()) {
            (Contents::Known(start), Contents::Known(end)) => differ(start, end),
            _ => false,
        })
    }

    /// The parts of what an object holds, from a position on; `None` if no content is recorded of it. The number
    /// of all comes with them.
    pub(crate) fn content_cells(
        &self,
        object: ObjectId,
        interval: Interval,
        from: u32,
        limit: usize,
    ) -> Result<Option<(Cells, u32)>> {
        let start = self.contents_at(object, interval.from)?;
        let end = self.contents_at(object, interval.to)?;
        let shape = match (end.as_ref(), start.as_ref()) {
            (Contents::None, Contents::None) => return Ok(None),
            (Contents::Known(known), _) | (_, Contents::Known(known)) => known,
            // It holds something, and at both times it is not known what.
            _ => return Ok(Some((Cells::default(), 0))),
        };
        let naming = self.naming(&shape.items, &self.class_name(object)?);
        let parts = self.parts(naming, shape, known(&start), known(&end))?;
        let total = u32::try_from(parts.len()).unwrap_or(u32::MAX);
        let written = self.written_in(object, interval)?;
        // What did not exist yet held nothing.
        let created = self.created(object)?;
        let is_new = created.is_some_and(|created| interval.from < created);
        let mut cells = Cells::default();
        for (position, key) in parts.into_iter().enumerate().skip(from as usize) {
            if cells.cells.len() == limit {
                cells.next = u32::try_from(position).ok();
                break;
            }
            let at = |contents: &Contents| self.held_part(contents, key);
            let start = match is_new {
                true => Held::Absent,
                false => at(&start)?,
            };
            let end = at(&end)?;
            let mut changed = matches!(
                (&start, &end),
                (Held::Value(_) | Held::Absent, Held::Value(_) | Held::Absent)
            ) && start != end;
            for change in &written {
                changed = changed || self.is_part_written(change, key)?;
            }
            cells.cells.push(Cell {
                kind: RowKind::Content,
                name: self.part_name(shape, key)?,
                type_name: String::new(),
                variable: Variable::Content { object, key },
                not_recorded: matches!(start, Held::Unknown(_)) || matches!(end, Held::Unknown(_)),
                start,
                end,
                changed,
            });
        }
        Ok(Some((cells, total)))
    }

    /// The changes of an object's own content in an interval.
    fn written_in(&self, object: ObjectId, interval: Interval) -> Result<Vec<ContentChange>> {
        /// More are not told apart by part: what differs between the two times is told all the same.
        const MOST: usize = 1000;
        let from = Timestamp(interval.from.0.saturating_add(1));
        let range = from..Timestamp(interval.to.0.saturating_add(1)).max(from);
        let changes = self.content_changes(object, range, Direction::Forward);
        changes
            .take(MOST)
            .map(|change| Ok(change?))
            .collect::<Result<_>>()
    }

    /// The parts that are there at one of the two times.
    fn parts(
        &self,
        naming: Naming,
        shape: &Known,
        start: Option<&Known>,
        end: Option<&Known>,
    ) -> Result<Vec<ContentKey>> {
        Ok(match naming {
            Naming::Positions => {
                let length = |known: Option<&Known>| known.map_or(0, |known| known.items.len());
                let all = length(start).max(length(end));
                let all = u32::try_from(all).unwrap_or(u32::MAX);
                (0..all).map(ContentKey::Index).collect()
            }
            Naming::Elements | Naming::Keys => {
                let keys = |known: Option<&Known>| known.map(|known| keys(&known.items));
                let mut parts = keys(end).unwrap_or_default();
                let now: FxHashSet<Value> = parts.iter().copied().collect();
                // What is there no more stands behind.
                for key in keys(start).unwrap_or_default() {
                    let is_gone = match end {
                        _ if now.contains(&key) => false,
                        Some(end) => self.for_key(&end.items, key)?.is_none(),
                        None => true,
                    };
                    if is_gone {
                        parts.push(key);
                    }
                }
                parts.into_iter().map(ContentKey::Key).collect()
            }
            Naming::Text => Vec::new(),
            Naming::Names => {
                let all = u32::try_from(shape.items.len()).unwrap_or(u32::MAX);
                (0..all).map(ContentKey::Index).collect()
            }
        })
    }

    fn part_name(&self, shape: &Known, key: ContentKey) -> Result<String> {
        Ok(match (key, &shape.items) {
            (ContentKey::Key(key), _) => format!("[{}]", self.key_form(key)?),
            (ContentKey::Index(index), Items::Named(named)) => named
                .get(index as usize)
                .map(|(name, _)| name.clone())
                .unwrap_or_default(),
            (_, Items::Value(_)) | (ContentKey::All, _) => "value".to_owned(),
            (ContentKey::Index(index), _) => format!("[{index}]"),
        })
    }

    fn held_part(&self, contents: &Contents, key: ContentKey) -> Result<Held> {
        let known = match contents {
            Contents::None => return Ok(Held::Unknown("it was not seen before that".into())),
            Contents::Unknown(reason) => return Ok(Held::Unknown(reason.clone().into())),
            Contents::Known(known) => known,
        };
        let value = match (key, &known.items) {
            (ContentKey::Key(key), items) => self.for_key(items, key)?,
            (ContentKey::Index(index), Items::Named(named)) => {
                named.get(index as usize).map(|(_, value)| *value)
            }
            (ContentKey::Index(index), _) => known.value_at(index as usize),
            (ContentKey::All, _) => None,
        };
        let is_cut = || known.items.len() < known.length;
        Ok(match (value, key) {
            (Some(value), _) => Held::Value(value),
            (None, ContentKey::Index(index)) if (index as usize) < known.length && is_cut() => {
                Held::Unknown(CUT.into())
            }
            (None, ContentKey::Key(_)) if is_cut() => Held::Unknown(CUT.into()),
            (None, _) => Held::Absent,
        })
    }
}

fn known(contents: &Contents) -> Option<&Known> {
    match contents {
        Contents::Known(known) => Some(known),
        Contents::None | Contents::Unknown(_) => None,
    }
}

fn keys(items: &Items) -> Vec<Value> {
    match items {
        Items::Entries(entries) => entries.iter().map(|&(key, _)| key).collect(),
        Items::Elements(values) => values.clone(),
        _ => Vec::new(),
    }
}

/// Do they surely differ? Of what is not recorded nothing is said.
fn differ(start: &Known, end: &Known) -> bool {
    if start.length != end.length || start.stands != end.stands {
        return true;
    }
    let common = start.items.len().min(end.items.len());
    match (&start.items, &end.items) {
        (Items::Elements(one), Items::Elements(other)) => one[..common] != other[..common],
        (Items::Entries(one), Items::Entries(other)) => one[..common] != other[..common],
        (Items::Text(one), Items::Text(other)) => one[..common] != other[..common],
        (one, other) => one != other,
    }
}
