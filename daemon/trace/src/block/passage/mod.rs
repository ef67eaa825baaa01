//! Passages: stretches of what one thread did, each with a digest of it that does not depend on the run.
//!
//! Two recordings are compared event by event ([`crate::Event`]), and most of them is equal. A [`Passage`] stands for some thousand events of a thread,
//! and says all that proves two of them equal without reading the events:
//!
//! - the *digest* of the sequence of events, in which everything that is numbered in a recording goes by local numbers, in the order in which it is met in the passage:
//!   objects, and *sites* (what of an event the program's text decides, with the method that does it). Numbers of the program, characters and
//!   the like stand in it themselves.
//! - the *tables* of what has those numbers. Two passages of one digest are equal if the sites at each place of their tables are each other's, and the
//!   objects likewise: that is for who compares to see, who knows the names and which object is whose.
//! - the calls that end and begin in it.
//!
//! **Where they end.** What a passage ends with is decided by the last 64 events alone, by what is the same in every run and in every version of the code (kinds of events,
//! types, numbers): so that passages of two runs which differed fall into step again. Each has 1,024 to 16,384 events, and 3,000 as a rule; the
//! last one of a thread has as many as are left, from 256 on.
//!
//! **What has none.** Of a stretch in which anything is not recorded (a gap, a value that is missing, a call of which nobody saw how it ended) there is no passage: it is
//! neither equal nor different. Nor where it would take more than 256 bytes
//! and a quarter of a byte per event.
//!
//! Not in them is what takes no part in comparisons: reads, monitors, the loading of classes, what was only found.

mod contents;
mod digest;
mod maker;
mod plan;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

pub use maker::{Made, Passages};

use crate::columns::{DecodeError, Reader, put_varint, unzigzag, zigzag};
use crate::event::Event;
use crate::ids::{MethodId, ObjectId, Timestamp};

/// The format of [`Passage::encode`].
const VERSION: u64 = 1;

/// Some thousand compared events of one thread. See the module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Passage {
    /// Its first compared event.
    pub first: Timestamp,
    /// The first event that may be one of the next passage.
    pub end: Timestamp,
    /// Compared events in it.
    pub events: u32,
    /// Of their sequence.
    pub digest: u128,
    /// Calls that began and ended in it: first those in the call that it begins in; then, once that has ended, those in the
    /// call around it; and so on.
    pub ended: Vec<u64>,
    /// Calls that began in it and run on behind it, the outermost first.
    pub running: Vec<Running>,
    /// Numbers of [`Site`]s.
    pub sites: Vec<u32>,
    /// Objects.
    pub objects: Vec<Met>,
}

/// A call that runs on behind a passage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Running {
    /// Its preorder number.
    pub call: u64,
    /// When it began.
    pub entered: Timestamp,
    /// The site of its beginning.
    pub site: u32,
    /// Calls directly or indirectly in it, and in no other one of these, that began and ended in the passage.
    pub ended: u64,
}

/// An object that a passage is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Met {
    /// The object.
    pub object: ObjectId,
    /// It was made there, and not met before.
    pub born: bool,
    /// It was met first as one that holds something, or is held: that does not tell whose counterpart it is.
    pub held: bool,
    /// Something that it held was taken out.
    pub lost: bool,
}

/// What of an event the program's text decides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Site {
    /// The method of the call in which it happens: of the caller for [`crate::EventKind::Enter`]. `None`: outside of all calls.
    pub method: Option<MethodId>,
    /// That is a call out of the scope.
    pub boundary: bool,
    /// The event, with zeros for all numbers and objects in it.
    pub event: Event,
}

impl Met {
    fn flags(&self) -> u64 {
        u64::from(self.born) | u64::from(self.held) << 1 | u64::from(self.lost) << 2
    }

    /// Is the other one what follows it, of the same kind?
    fn goes_on(&self, other: &Self) -> bool {
        self.object.0.checked_add(1) == Some(other.object.0) && self.flags() == other.flags()
    }
}

impl Passage {
    /// Does a call end in it?
    pub fn has_exits(&self) -> bool {
        self.ended.len() > 1
            || self.ended.iter().any(|&of| of > 0)
            || self.running.iter().any(|of| of.ended > 0)
    }

    /// As bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(64 + 2 * self.sites.len() + 2 * self.objects.len());
        let put = |out: &mut Vec<u8>, number: u64| put_varint(out, number);
        put(&mut out, VERSION);
        put(&mut out, self.first.0);
        put(&mut out, self.end.0.wrapping_sub(self.first.0));
        put(&mut out, self.events.into());
        out.extend_from_slice(&self.digest.to_le_bytes());
        put(&mut out, self.ended.len() as u64);
        self.ended.iter().for_each(|&of| put(&mut out, of));
        put(&mut out, self.running.len() as u64);
        for call in &self.running {
            put(&mut out, call.call);
            put(&mut out, call.entered.0.wrapping_sub(self.first.0));
            put(&mut out, call.site.into());
            put(&mut out, call.ended);
        }
        put(&mut out, self.sites.len() as u64);
        self.sites
            .iter()
            .for_each(|&site| put(&mut out, site.into()));
        put(&mut out, self.objects.len() as u64);
        let mut expected = 0_u64;
        let runs = self.objects.chunk_by(Met::goes_on);
        for (met, length) in runs.filter_map(|run| Some((run.first()?, run.len() as u64))) {
            let more = u64::from(length > 1);
            put(&mut out, zigzag(met.object.0.wrapping_sub(expected)));
            put(&mut out, met.flags() << 1 | more);
            if more == 1 {
                put(&mut out, length);
            }
            expected = met.object.0.wrapping_add(length);
        }
        out
    }

    /// The inverse of [`Passage::encode`].
    ///
    /// # Errors
    /// When the bytes are none.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut input = Reader::new(bytes);
        let version = input.varint()?;
        if version != VERSION {
            let version = u8::try_from(version).unwrap_or(u8::MAX);
            return Err(DecodeError::UnknownVersion(version));
        }
        let first = input.varint()?;
        let end = first.wrapping_add(input.varint()?);
        let events = u32::try_from(input.varint()?).map_err(|_| DecodeError::Invalid("events"))?;
        let digest = input.bytes(16)?.try_into();
        let digest = u128::from_le_bytes(digest.map_err(|_| DecodeError::Cut)?);
        // Each takes a byte at least.
        let count = |input: &mut Reader<'_>| match usize::try_from(input.varint()?) {
            Ok(count) if count <= bytes.len() => Ok(count),
            _ => Err(DecodeError::Invalid("passage")),
        };
        let number = |input: &mut Reader<'_>| {
            u32::try_from(input.varint()?).map_err(|_| DecodeError::Invalid("site"))
        };
        let mut passage = Self {
            first: Timestamp(first),
            end: Timestamp(end),
            events,
            digest,
            ..Self::default()
        };
        for _ in 0..count(&mut input)? {
            passage.ended.push(input.varint()?);
        }
        for _ in 0..count(&mut input)? {
            passage.running.push(Running {
                call: input.varint()?,
                entered: Timestamp(first.wrapping_add(input.varint()?)),
                site: number(&mut input)?,
                ended: input.varint()?,
            });
        }
        for _ in 0..count(&mut input)? {
            passage.sites.push(number(&mut input)?);
        }
        // Runs of them: no more than a passage has.
        let objects = usize::try_from(input.varint()?).unwrap_or(usize::MAX);
        if objects > maker::MOST_OBJECTS {
            return Err(DecodeError::Invalid("objects"));
        }
        let mut expected = 0_u64;
        while passage.objects.len() < objects {
            let object = expected.wrapping_add(unzigzag(input.varint()?));
            let word = input.varint()?;
            let length = if word & 1 == 1 { input.varint()? } else { 1 };
            if length == 0 || length > (objects - passage.objects.len()) as u64 {
                return Err(DecodeError::Invalid("objects"));
            }
            passage.objects.extend((0..length).map(|at| Met {
                object: ObjectId(object.wrapping_add(at)),
                born: word >> 1 & 1 == 1,
                held: word >> 2 & 1 == 1,
                lost: word >> 3 & 1 == 1,
            }));
            expected = object.wrapping_add(length);
        }
        input.finish()?;
        Ok(passage)
    }
}
