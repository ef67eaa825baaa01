//! How many blocks a question has to read: told by the directory and the indexes, before any is read.

use std::collections::BTreeSet;
use std::ops::{Range, RangeInclusive};

use jhyde_trace::{CallId, ClassId, FieldId, MethodId, ObjectId, ThreadId, Timestamp, Variable};

use super::events::Wanted;
use crate::error::Result;
use crate::index::{Key, local_call};
use crate::recording::Recording;
use crate::records::Direction;
use crate::view::View;

/// What blocks of events are looked up by.
#[derive(Clone, Copy, Debug)]
pub enum Lookup {
    /// Time alone.
    Time,
    /// Events of a thread.
    Thread(ThreadId),
    /// Own events of a call.
    Call(CallId),
    /// Enters of a method.
    Method(MethodId),
    /// What calls of a method do.
    Inside(MethodId),
    /// Writes of a variable.
    Variable(Variable),
    /// Writes of fields or elements of an object.
    PartsOf(ObjectId),
    /// What refers to an object.
    References(ObjectId),
    /// Changes of what an object of the JDK holds.
    Content(ObjectId),
    /// The creation of an object.
    Creation(ObjectId),
    /// Writes of a field, of any object.
    Field(FieldId),
    /// Creations of objects of a class.
    Class(ClassId),
    /// Exceptions that were thrown, caught, or ended a thread.
    Exceptions,
    /// Gaps.
    Gaps,
}

impl Recording {
    /// How many blocks of events there are that can be read.
    pub fn blocks_in_all(&self) -> u64 {
        let view = self.view();
        u64::from(view.blocks() - view.cut().min(view.blocks()))
    }

    /// How many blocks are read at most for what is looked up, each in a stretch of time, a block that several lead to once. Nothing is
    /// read for it but what leads to blocks, and where a call began; where a part of an index is damaged all of its blocks count, as they
    /// are read then.
    pub fn blocks_of(&self, lookups: &[(Lookup, Range<Timestamp>)]) -> Result<u64> {
        let view = self.view();
        let mut all = BTreeSet::new();
        for (lookup, range) in lookups {
            let Some((range, first)) = view.clip(range, Direction::Forward) else {
                continue;
            };
            if let Some(last) = view.locate(range.end - 1) {
                self.lead_to(&view, *lookup, first..=last, &mut all)?;
            }
        }
        // What was cut off is one for who looks, and is not read.
        Ok(all.range(view.cut()..).count() as u64)
    }

    fn lead_to(
        &self,
        view: &View,
        lookup: Lookup,
        wanted: RangeInclusive<u32>,
        all: &mut BTreeSet<u32>,
    ) -> Result<()> {
        let (first, last) = (*wanted.start(), *wanted.end());
        let with = |keys: Range<Key>| match view.has_index_of(keys.start) {
            true => view.blocks_among(keys, first, last),
            false => Ok((first..=last).collect()),
        };
        let only = |key: Key| key..key.next();
        match lookup {
            Lookup::Time => all.extend(wanted),
            Lookup::Variable(variable) => {
                let life = match local_call(variable) {
                    Some(call) => Some(view.blocks_of_life(call)?),
                    None => None,
                };
                // Where the call began is looked into first; one that ended there has no entries of its own, nor has its end.
                all.extend(life.as_ref().map(|life| *life.start()));
                match Key::of_variable(variable) {
                    Some(key) if life.as_ref().is_none_or(|life| life.start() != life.end()) => {
                        all.extend(with(only(key))?);
                    }
                    Some(_) => {}
                    None => all.extend(life.map(|life| *life.end())),
                }
            }
            Lookup::PartsOf(object) => {
                all.extend(with(match self.is_array(object)? {
                    true => only(Key::of_array(object)),
                    false => Key::of_object(object, 0)..Key::of_object(object, u32::MAX).next(),
                })?);
            }
            Lookup::References(object) => all.extend(with(only(Key::of_references(object)))?),
            Lookup::Content(object) => all.extend(with(only(Key::of_content(object)))?),
            Lookup::Creation(object) => all.extend(with(only(Key::of_creation(object)))?),
            Lookup::Field(field) => all.extend(with(only(Key::of_field(field)))?),
            Lookup::Class(class) => all.extend(with(only(Key::of_class(class)))?),
            Lookup::Method(method) => {
                let mut ordinals = view.method_blocks(method, 0);
                let mut before = None;
                while let Some(ordinal) = ordinals().transpose()?.filter(|at| *at <= last) {
                    // Those that are still in memory have no index: all of them are gone through.
                    match ordinal < first && ordinal < view.persisted {
                        true => before = Some(ordinal),
                        false => all.extend(Some(ordinal)),
                    }
                }
                // The last one before tells how many calls there were by then.
                all.extend(before);
            }
            Lookup::Inside(method) => {
                let blocks = view.blocks_of_method(method, first)?;
                all.extend(blocks.into_iter().filter(|block| *block <= last));
            }
            Lookup::Call(call) => {
                let life = view.blocks_of_life(call)?;
                all.insert(*life.start());
                if life.start() != life.end() {
                    let wanted = first..=last.min(*life.end());
                    walk(wanted, all, |from| {
                        view.block_of_call(call, from, Direction::Forward)
                    })?;
                }
            }
            Lookup::Thread(thread) => walk(wanted, all, |from| {
                view.block_of_thread(thread, from, Direction::Forward)
            })?,
            Lookup::Exceptions => walk(wanted, all, |from| {
                Ok(view.block_with(Wanted::Exceptions, from, Direction::Forward))
            })?,
            Lookup::Gaps => walk(wanted, all, |from| {
                Ok(view.block_with(Wanted::Gaps, from, Direction::Forward))
            })?,
        }
        Ok(())
    }
}

impl View {
    /// From the block in which a call began to that in which it ended. One that did both in one block has no entries of its own.
    pub(super) fn blocks_of_life(&self, call: CallId) -> Result<RangeInclusive<u32>> {
        let life = self.life(call)?;
        let block = |at: u64| self.locate(at).ok_or_else(|| self.no_such(at));
        Ok(block(life.start)?..=block(life.end.saturating_sub(1))?)
    }
}

/// From block to block.
fn walk(
    wanted: RangeInclusive<u32>,
    all: &mut BTreeSet<u32>,
    next: impl Fn(u32) -> Result<Option<u32>>,
) -> Result<()> {
    let mut from = *wanted.start();
    while let Some(found) = next(from)?.filter(|found| found <= wanted.end()) {
        all.insert(found);
        from = found + 1;
    }
    Ok(())
}
