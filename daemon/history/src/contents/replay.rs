//! What an object held at a time, from the changes that were recorded.

use std::sync::{Arc, Mutex, PoisonError};

use jhyde_store::records::{ContentChange, Direction};
use jhyde_trace::{
    ClassInfo, Content, Given, Held, Items, Missing, ObjectId, Part, Timestamp, Value,
};
use rustc_hash::FxHashMap;

use super::{Contents, Known, Stands};
use crate::error::{Error, Result};
use crate::history::History;
use crate::objects::{self, DAMAGED};
use crate::state::{Interval, Notes};

/// What was found out, for as long as one question takes.
#[derive(Debug, Default)]
pub(crate) struct Cache(Mutex<Inner>);

#[derive(Debug, Default)]
struct Inner {
    contents: FxHashMap<(ObjectId, Timestamp), Arc<Contents>>,
    /// What the changes of an object made up to some times, from which what they made later is worked out. Few of each: questions go along the
    /// calls that ran one in the other.
    replayed: FxHashMap<ObjectId, Vec<(Timestamp, Held)>>,
    /// Items in all of them.
    items: usize,
    /// Names of constants of enums.
    pub(super) constants: FxHashMap<ObjectId, Option<Arc<str>>>,
}

/// So many times are kept of an object.
const MOST_TIMES: usize = 8;
/// The most items that the cache holds.
const MOST_ITEMS: usize = 1 << 20;
/// The most elements of an array that a view of it shows.
const MOST_ELEMENTS: usize = 1 << 16;
/// Views lie on views at most so deep.
const MOST_VIEWS: u32 = 16;
const CHANGED_BEHIND: &str = "what it goes through was changed behind it";
const NOT_SEEN_YET: &str = "it was not seen before that";

impl Cache {
    fn inner(&self) -> std::sync::MutexGuard<'_, Inner> {
        // What another thread left is whole: every entry is put in at once.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn keep(&self, key: (ObjectId, Timestamp), contents: &Arc<Contents>) {
        let size = match contents.as_ref() {
            Contents::Known(known) => known.items.len() + 1,
            Contents::None | Contents::Unknown(_) => 1,
        };
        let mut inner = self.inner();
        inner.make_room(size);
        inner.contents.insert(key, Arc::clone(contents));
    }

    /// What the changes of an object made up to the last time that is known and not behind this one.
    fn replayed(&self, object: ObjectId, at: Timestamp) -> Option<(Timestamp, Held)> {
        let inner = self.inner();
        let known = inner.replayed.get(&object)?.iter();
        let known = known.filter(|(to, _)| *to <= at);
        known.max_by_key(|(to, _)| *to).cloned()
    }

    /// Likewise up to this time, found from what is known of `before`.
    fn keep_replayed(
        &self,
        object: ObjectId,
        before: Option<Timestamp>,
        at: Timestamp,
        held: &Held,
    ) {
        let size = match held {
            Held::Items { items, .. } => items.len() + 1,
            Held::Nothing | Held::Unknown(_) => 1,
        };
        let mut inner = self.inner();
        inner.make_room(size);
        let times = inner.replayed.entry(object).or_default();
        // Whoever asks goes on from there.
        times.retain(|(to, _)| Some(*to) != before && *to != at);
        if times.len() == MOST_TIMES {
            times.remove(0);
        }
        times.push((at, held.clone()));
    }

    /// The name of a constant, worked out once.
    pub(super) fn constant(
        &self,
        object: ObjectId,
        find: impl FnOnce() -> Result<Option<String>>,
    ) -> Result<Option<Arc<str>>> {
        if let Some(known) = self.inner().constants.get(&object) {
            return Ok(known.clone());
        }
        let found: Option<Arc<str>> = find()?.map(Arc::from);
        self.inner().constants.insert(object, found.clone());
        Ok(found)
    }
}

impl Inner {
    /// Another so many items are put in.
    fn make_room(&mut self, size: usize) {
        if self.items + size > MOST_ITEMS {
            self.contents.clear();
            self.replayed.clear();
            self.items = 0;
        }
        self.items += size;
    }
}

impl History {
    /// What an object held at a time.
    pub(crate) fn contents_at(&self, object: ObjectId, at: Timestamp) -> Result<Arc<Contents>> {
        self.resolved(object, at, 0)
    }

    fn resolved(&self, object: ObjectId, at: Timestamp, depth: u32) -> Result<Arc<Contents>> {
        if let Some(known) = self.contents.inner().contents.get(&(object, at)) {
            return Ok(Arc::clone(known));
        }
        self.check()?;
        let replayed = match self.never_holds(object)? {
            true => Ok(None),
            false => self.replayed(object, at),
        };
        let contents = match replayed {
            Err(Error::Store(jhyde_store::Error::Damaged { .. })) => {
                Contents::Unknown(DAMAGED.to_owned())
            }
            held => match self.unless_found_other(object, held?, at)? {
                None => Contents::None,
                Some(Held::Nothing) => Contents::Unknown(NOT_SEEN_YET.to_owned()),
                Some(Held::Unknown(reason)) => Contents::Unknown(reason),
                Some(Held::Items {
                    items: Items::View { of, part },
                    ..
                }) => match self.is_still(object, of, part, at, depth)? {
                    true => self.viewed(of, part, at, depth)?,
                    false => Contents::Unknown(CHANGED_BEHIND.to_owned()),
                },
                Some(Held::Items { items, length }) => Contents::Known(Known {
                    items,
                    length,
                    stands: Stands::Holds,
                }),
            },
        };
        let contents = Arc::new(contents);
        self.contents.keep((object, at), &contents);
        Ok(contents)
    }

    /// Is it an object of which nothing is told but its fields, whatever was cut off? Contents are those of the JDK's own classes.
    pub(crate) fn never_holds(&self, object: ObjectId) -> Result<bool> {
        if !self.recording.may_be_cut_off(object) {
            // What was told of it is there.
            return Ok(false);
        }
        let classes = self.classes_of_object(object)?;
        let is_object = |class: &Arc<ClassInfo>| class.name == "java.lang.Object";
        let mut all = classes.iter();
        let of_scope = all.all(|class| class.in_scope || is_object(class));
        // Else a class above them is not known.
        Ok(of_scope && classes.last().is_some_and(is_object))
    }

    /// Is it not known what the object held at either end of an interval, because that was cut off?
    pub(crate) fn content_is_cut_off(&self, object: ObjectId, interval: Interval) -> Result<bool> {
        if !self.recording.may_be_cut_off(object) || self.never_holds(object)? {
            return Ok(false);
        }
        let mut is_unknown = false;
        for at in [interval.from, interval.to] {
            is_unknown |= matches!(*self.contents_at(object, at)?, Contents::Unknown(_));
        }
        Ok(is_unknown)
    }

    /// Does an iterator over a map or deque go on through what it went through when it was told where it stands?
    fn is_still(
        &self,
        iterator: ObjectId,
        of: ObjectId,
        part: Part,
        at: Timestamp,
        depth: u32,
    ) -> Result<bool> {
        if !matches!(part, Part::Rest { .. }) {
            return Ok(true);
        }
        let range = Timestamp(0)..Timestamp(at.0.saturating_add(1));
        let mut told = self.content_changes(iterator, range, Direction::Backward);
        // What was found behind that time is of that time.
        let since = match told.next() {
            Some(change) => change?.timestamp,
            None => return Ok(true),
        };
        let then = self.resolved(of, since, depth + 1)?;
        let now = self.resolved(of, at, depth + 1)?;
        Ok(match (then.as_ref(), now.as_ref()) {
            (Contents::Known(then), Contents::Known(now)) => same_places(then, now),
            _ => true,
        })
    }

    /// What a view shows of what is behind it at that time.
    fn viewed(&self, of: ObjectId, part: Part, at: Timestamp, depth: u32) -> Result<Contents> {
        if depth == MOST_VIEWS {
            return Ok(Contents::Unknown(
                "it is a view of a view, too often".to_owned(),
            ));
        }
        let behind = match self.array_at(of, at)? {
            Some(array) => Contents::Known(array),
            None => self.resolved(of, at, depth + 1)?.as_ref().clone(),
        };
        Ok(match behind {
            Contents::None => Contents::Unknown("what lies behind it was not recorded".to_owned()),
            Contents::Unknown(reason) => Contents::Unknown(reason),
            Contents::Known(known) => Contents::Known(part_of(known, part)),
        })
    }

    /// The elements of an array at a time; `None` if it is none.
    fn array_at(&self, array: ObjectId, at: Timestamp) -> Result<Option<Known>> {
        let info = crate::history::unless_lost(self.recording.object(array))?;
        let Some(Content::Array(length)) = info.map(|info| info.content) else {
            return Ok(None);
        };
        let when = Interval { from: at, to: at };
        let mut notes = Notes::default();
        let part = self.object_cells(array, when, 0, MOST_ELEMENTS, &mut notes)?;
        let value = |held: objects::Held| match held {
            objects::Held::Value(value) => Some(value),
            // Of a snapshot the first ones are known, and no others.
            _ if self.has_snapshots_only() => None,
            _ if !self.levels().facts().is_empty() => Some(Value::Missing(Missing::Level)),
            _ => Some(Value::Missing(Missing::Unreadable)),
        };
        let elements = part.cells.into_iter().map_while(|cell| value(cell.end));
        Ok(Some(Known {
            items: Items::Elements(elements.collect()),
            length: length as usize,
            stands: Stands::Holds,
        }))
    }

    /// What the recorded changes make at a time; `None` if there are none at any time.
    fn replayed(&self, object: ObjectId, at: Timestamp) -> Result<Option<Held>> {
        if self.has_snapshots_only() {
            return self.found_content(object, at);
        }
        let known = self.contents.replayed(object, at);
        let before = known.as_ref().map(|(to, _)| *to);
        let mut changes: Vec<ContentChange> = Vec::new();
        let from = before.map_or(Timestamp(0), |to| Timestamp(to.0.saturating_add(1)));
        let range = from..Timestamp(at.0.saturating_add(1));
        let back = self.content_changes(object, range, Direction::Backward);
        for change in back {
            let change = change?;
            let is_whole = change.change.is_whole();
            changes.push(change);
            if is_whole {
                break;
            }
        }
        // From a whole on nothing matters that was before.
        let mut held = known.map_or_else(Held::default, |(_, held)| held);
        changes.reverse();
        for change in &changes {
            held.apply(&change.change);
        }
        if !changes.is_empty() {
            self.contents.keep_replayed(object, before, at, &held);
        }
        if before.is_some() || !changes.is_empty() {
            return Ok(Some(held));
        }
        self.found_behind(object, at)
    }

    /// Do all events of a thread in a range only say what was found?
    fn only_found(
        &self,
        range: std::ops::Range<Timestamp>,
        thread: jhyde_trace::ThreadId,
    ) -> Result<bool> {
        for event in self
            .recording
            .events(range, Some(thread), Direction::Forward)
        {
            if !event?.event.kind.is_found() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// What was found of an object directly behind a time, because the event of that time showed it.
    fn found_behind(&self, object: ObjectId, at: Timestamp) -> Result<Option<Held>> {
        let from = Timestamp(at.0.saturating_add(1));
        let range = from..self.recording.end().max(from);
        let ahead = self.content_changes(object, range, Direction::Forward);
        let mut held = Held::default();
        let mut any = false;
        for change in ahead {
            let change = change?;
            any = true;
            let more = held != Held::Nothing;
            let is_found = change.snapshot && change.change.is_whole() != more;
            if !is_found || !self.only_found(from..change.timestamp, change.call.thread)? {
                break;
            }
            held.apply(&change.change);
        }
        Ok(any.then_some(held))
    }

    /// Items of the kind that an object holds, for what does not change with time: those that it held first, as far as is known, else
    /// those of a change to what is not known, as where the beginning of it was cut off. `None` if no content is recorded of it.
    pub(crate) fn kind_of_items(&self, object: ObjectId) -> Result<Option<Items>> {
        let all = Timestamp(0)..self.recording.end();
        let changes = self.content_changes(object, all, Direction::Forward);
        let mut changed = None;
        for change in changes {
            let change = match change {
                Err(jhyde_store::Error::Damaged { .. }) => continue,
                change => change?,
            };
            if let Contents::Known(known) = self.contents_at(object, change.timestamp)?.as_ref() {
                return Ok(Some(known.items.clone()));
            }
            let items = change.change.items().cloned();
            let own = items.filter(|items| !matches!(items, Items::View { .. }));
            changed = changed.or(own);
        }
        Ok(changed)
    }

    /// The objects and arrays whose changes show in what an object holds: itself, and those that it is a view of.
    pub(crate) fn sources(&self, object: ObjectId) -> Result<Vec<ObjectId>> {
        let mut sources = vec![object];
        let mut next = 0;
        while let Some(&source) = sources.get(next) {
            next += 1;
            let all = Timestamp(0)..self.recording.end();
            let changes = self.content_changes(source, all, Direction::Forward);
            let mut cut_off = None;
            for change in changes.take(MOST_VIEWS as usize) {
                let change = match change {
                    // What comes behind it says whether it is a view, too; if nothing does, nobody knows.
                    Err(error) if error.cut_off().is_some() => {
                        cut_off = Some(error);
                        continue;
                    }
                    Err(jhyde_store::Error::Damaged { .. }) => continue,
                    change => change?,
                };
                cut_off = None;
                match change.change.items() {
                    Some(&Items::View { of, .. }) if !sources.contains(&of) => sources.push(of),
                    Some(Items::View { .. }) => {}
                    _ => break,
                }
            }
            if let Some(error) = cut_off {
                return Err(error.into());
            }
        }
        Ok(sources)
    }
}

/// What an iterator gives next, and how much that is.
fn rest(
    items: Items,
    length: usize,
    given: Given,
    index: usize,
    backwards: bool,
) -> (Items, usize) {
    let index = index.min(length);
    let left = if backwards { index } else { length - index };
    fn cut<T: Clone>(all: &[T], index: usize, backwards: bool) -> Vec<T> {
        match backwards {
            // Of what is cut, nobody knows which would be the first.
            true if index > all.len() => Vec::new(),
            true => all[..index].iter().rev().cloned().collect(),
            false => all[index.min(all.len())..].to_vec(),
        }
    }
    let items = match (items, given) {
        (Items::Elements(all), _) => Items::Elements(cut(&all, index, backwards)),
        (Items::Entries(all), Given::Item) => Items::Entries(cut(&all, index, backwards)),
        (Items::Entries(all), given) => {
            let part = |entry: (Value, Value)| match given {
                Given::Key => entry.0,
                _ => entry.1,
            };
            let all = cut(&all, index, backwards);
            Items::Elements(all.into_iter().map(part).collect())
        }
        (other, _) => other,
    };
    (items, left)
}

/// Do two contents have the same elements, or entries with the same keys, in the same places?
fn same_places(one: &Known, other: &Known) -> bool {
    match (&one.items, &other.items) {
        (Items::Entries(one), Items::Entries(other)) => {
            let keys = |entries: &[(Value, Value)]| entries.iter().map(|entry| entry.0).collect();
            let (one, other): (Vec<_>, Vec<_>) = (keys(one), keys(other));
            one == other
        }
        (one, other) => one == other,
    }
}

/// A part of what is held, as a view shows it.
fn part_of(known: Known, part: Part) -> Known {
    let Known {
        items,
        length,
        stands,
    } = known;
    let of_range = |items: Items, from: usize, to: usize| {
        let to = to.min(length);
        let from = from.min(to);
        let cut = |count: usize| from.min(count)..to.min(count);
        let items = match items {
            Items::Elements(values) => Items::Elements(values[cut(values.len())].to_vec()),
            Items::Entries(entries) => Items::Entries(entries[cut(entries.len())].to_vec()),
            other => other,
        };
        (items, to - from)
    };
    let ((items, length), stands) = match (part, items) {
        (Part::Keys, Items::Entries(entries)) => {
            let keys = entries.into_iter().map(|(key, _)| key).collect();
            ((Items::Elements(keys), length), stands)
        }
        (Part::Values, Items::Entries(entries)) => {
            let values = entries.into_iter().map(|(_, value)| value).collect();
            ((Items::Elements(values), length), stands)
        }
        (Part::Reversed, items) => {
            // Of what is cut, the first ones would be the last.
            let all = items.len() == length;
            let items = match items {
                Items::Elements(values) if all => {
                    Items::Elements(values.into_iter().rev().collect())
                }
                Items::Entries(values) if all => Items::Entries(values.into_iter().rev().collect()),
                Items::Entries(_) => Items::Entries(Vec::new()),
                _ => Items::Elements(Vec::new()),
            };
            ((items, length), stands)
        }
        (Part::Range { from, to }, items) => (of_range(items, from as usize, to as usize), stands),
        (
            Part::Rest {
                given,
                index,
                backwards,
            },
            items,
        ) => (
            rest(items, length, given, index as usize, backwards),
            Stands::Next,
        ),
        (Part::At { index }, items) => (of_range(items, index as usize, length), Stands::Next),
        (
            Part::Buffer {
                from,
                to,
                position,
                limit,
            },
            items,
        ) => (
            of_range(items, from as usize, to as usize),
            Stands::Buffer { position, limit },
        ),
        (Part::Same | Part::Entries | Part::Keys | Part::Values, items) => {
            ((items, length), stands)
        }
    };
    Known {
        items,
        length,
        stands,
    }
}
