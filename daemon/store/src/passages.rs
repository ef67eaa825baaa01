//! Passages of what threads did, by which equal stretches of two recordings are told without reading them: see [`jhyde_trace::block::Passage`].

use jhyde_trace::block::{Made, Passage, Site};
use jhyde_trace::{ThreadId, Timestamp};
use rocksdb::{Direction, WriteBatch};

use crate::database::{Database, open_value, sealed_value};
use crate::error::Result;
use crate::families::{self, Family};
use crate::recording::Recording;

/// Adds what was made to a batch.
pub(crate) fn put(db: &Database, batch: &mut WriteBatch, made: Made) -> Result<()> {
    match made {
        Made::Site(number, site) => {
            let family = db.family(families::SITES)?;
            batch.put_cf(family, number.to_be_bytes(), sealed_value(&site));
        }
        Made::Passage(thread, passage) => {
            let family = db.family(families::PASSAGES)?;
            let key = families::passage(thread, passage.first);
            batch.put_cf(family, key, sealed_value(&passage.encode()));
        }
    }
    Ok(())
}

/// Is the value of one of these tables what was written?
pub(crate) fn check(family: Family, value: &[u8]) -> Result<(), String> {
    match family == families::SITES {
        true => open_value::<Site>(value).map(drop),
        false => passage(value).map(drop),
    }
}

fn passage(value: &[u8]) -> Result<Passage, String> {
    let bytes: Vec<u8> = open_value(value)?;
    Passage::decode(&bytes).map_err(|error| error.to_string())
}

impl Recording {
    /// Was it made when there were passages? One that keeps its newest part has none of them all the same.
    pub fn has_passages(&self) -> bool {
        !self.inner.db.lacks(families::PASSAGES)
    }

    /// The first passage of a thread that begins at a time or later. `None` as well where there is none because the recording has no passages
    /// (it was made before there were any, or keeps its newest part), or because they are damaged: they prove what is equal, and without
    /// them that is read.
    pub fn passage(&self, thread: ThreadId, from: Timestamp) -> Option<Passage> {
        let db = &self.inner.db;
        if db.lacks(families::PASSAGES) {
            return None;
        }
        let key = families::passage(thread, from);
        let (key, value) = db
            .nearest_once(families::PASSAGES, &key, Direction::Forward)
            .ok()??;
        if families::u32_at(&key, 0) != Some(thread.0) {
            return None;
        }
        let passage = passage(&value).ok()?;
        (families::u64_at(&key, 4) == Some(passage.first.0)).then_some(passage)
    }

    /// The site that a passage names; `None` where it cannot be read.
    pub fn site(&self, number: u32) -> Option<Site> {
        let db = &self.inner.db;
        if db.lacks(families::SITES) {
            return None;
        }
        let value = db.get(families::SITES, &number.to_be_bytes()).ok()??;
        open_value(&value).ok()
    }
}
