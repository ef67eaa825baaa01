//! Objects of the JDK that a snapshot has read before. Reading one takes several questions, each of which follows from the
//! answer to the one before. Those of last time are asked again all at once, with those of all other objects of a level:
//! where the JVM says the same to each, what was read is what would be read now.

use jdwp::{ObjectId, PacketId};

use super::kept::Kept;
use crate::contents::{Shape, Told};
use crate::error::LinkError;
use crate::jvm::{Heard, Link};

/// Twice as many bytes of answers are kept.
const MOST: usize = 1 << 25;

/// What was read of objects, by their names.
pub(in crate::events) struct Readings(Kept<Reading>);

impl Default for Readings {
    fn default() -> Self {
        Self(Kept::new(MOST))
    }
}

/// What was read of an object.
pub(in crate::events) struct Reading {
    pub(in crate::events) told: Told,
    /// How many items there are, where not all were read.
    pub(in crate::events) total: Option<usize>,
    /// The object behind it that nobody else sees.
    pub(in crate::events) inner: Option<ObjectId>,
    /// The most items that were wanted.
    pub(in crate::events) most: usize,
    pub(in crate::events) heard: Heard,
}

/// What was read of an object before and is asked again.
pub(in crate::events) struct Again {
    reading: Reading,
    asked: Vec<PacketId>,
}

impl Readings {
    /// Asks again what was asked of an object before, if that can tell its first items.
    pub(in crate::events) fn ask(
        &mut self,
        link: &mut Link,
        object: jhyde_trace::ObjectId,
        shape: Shape,
        most: usize,
    ) -> Option<Again> {
        let reading = self.0.take(object).filter(|reading| reading.fits(most))?;
        let asked = match shape.is_immutable() {
            true => Vec::new(),
            false => link.ask_again(&reading.heard),
        };
        Some(Again { reading, asked })
    }

    pub(in crate::events) fn keep(&mut self, object: jhyde_trace::ObjectId, reading: Reading) {
        let size = reading.size();
        self.0.put(object, reading, size);
    }
}

impl Again {
    /// What was read, if that is what would be read now. So many items are wanted by now at most.
    pub(in crate::events) fn confirmed(
        self,
        link: &mut Link,
        most: usize,
    ) -> Result<Option<Reading>, LinkError> {
        let Self { reading, asked } = self;
        let same = asked.is_empty() || link.says_again(&reading.heard, asked)?;
        Ok(Some(reading).filter(|reading| same && reading.fits(most)))
    }
}

impl Reading {
    /// Would so many items have been read if so many had been wanted?
    fn fits(&self, most: usize) -> bool {
        most == self.most || (self.total.is_none() && self.items() <= most)
    }

    fn items(&self) -> usize {
        match &self.told {
            Told::Elements(all) => all.len(),
            Told::Entries(all) => all.len(),
            Told::Text(units) => units.len(),
            Told::Value(_) | Told::View { .. } => 0,
        }
    }

    /// About how many bytes it takes.
    fn size(&self) -> usize {
        let told = self.items() * size_of::<(jdwp::Value, jdwp::Value)>();
        size_of::<Self>() + self.heard.size() + told
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_cut_counts_for_the_same_room_only() {
        let told = || Told::Elements(vec![jdwp::Value::Int(1); 3]);
        let reading = |total, most| Reading {
            told: told(),
            total,
            inner: None,
            most,
            heard: Heard::default(),
        };
        assert!(
            [3, 4, 100]
                .into_iter()
                .all(|most| reading(None, 100).fits(most))
        );
        assert!(!reading(None, 100).fits(2));
        assert!(reading(Some(9), 3).fits(3));
        assert!(
            ![2, 4, 9]
                .into_iter()
                .any(|most| reading(Some(9), 3).fits(most))
        );
    }
}
