//! Source text that is kept with a recording, so that it can be shown later and elsewhere: each text once, whichever
//! classes have it.
//!
//! Here: the way in, a [`SourceKeeper`] beside the [`crate::Writer`], and the way out, [`Recording::source`]. Where
//! source is found, and whether it fits the class, is none of the store's business.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, PoisonError};

use jhyde_trace::ClassId;
use rocksdb::WriteBatch;
use serde::{Deserialize, Serialize};

use crate::database::{Database, open_value, sealed_value};
use crate::error::{Error, Result};
use crate::families::{self, Family};
use crate::recording::Recording;
use crate::state::Inner;

/// The source of a class as it was found while the class was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptSource {
    /// Its file, as the class names it: `org/shop/Order.java`.
    pub file: String,
    /// Where it was found, in words for people: a path, or a jar and an entry.
    pub origin: String,
    /// When the file was changed last, in milliseconds since 1970-01-01 UTC, if that was to be had.
    pub modified_ms: Option<u64>,
    /// What a reader should know of the text, apart from its age.
    pub notes: Vec<String>,
    /// The whole text.
    pub text: Arc<str>,
}

/// Was there room for a text?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceRoom {
    /// It is kept.
    Kept,
    /// With it, the texts would be more than is to be kept.
    Full,
}

/// A value of the table of classes.
#[derive(Debug, Serialize, Deserialize)]
struct OfClass {
    text: u32,
    file: String,
    origin: String,
    modified_ms: Option<u64>,
    notes: Vec<String>,
}

/// Shut when the recording is closed: from then on its database must not change.
#[derive(Clone, Debug, Default)]
pub(crate) struct SourceGate(Arc<Mutex<bool>>);

impl SourceGate {
    pub(crate) fn close(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
    }
}

/// Keeps source text in a recording that is being made. See [`crate::Writer::source_keeper`].
#[derive(Debug)]
pub struct SourceKeeper {
    inner: Arc<Inner>,
    gate: SourceGate,
    /// The texts that are kept, by a hash: whether two are equal, the texts themselves say.
    known: HashMap<u64, Vec<u32>>,
    hasher: RandomState,
    next: u32,
    room: u64,
}

impl SourceKeeper {
    pub(crate) fn new(inner: Arc<Inner>, gate: SourceGate, most_bytes: u64) -> Self {
        Self {
            inner,
            gate,
            known: HashMap::new(),
            hasher: RandomState::new(),
            next: 0,
            room: most_bytes,
        }
    }

    /// Keeps the source of a class. A text that is kept already takes no room.
    ///
    /// # Errors
    /// [`Error::Closed`] when the recording has been closed, else the disk's.
    pub fn keep(&mut self, class: ClassId, source: &KeptSource) -> Result<SourceRoom> {
        let gate = self.gate.clone();
        // Held while it is written, so that closing waits for it.
        let closed = gate.0.lock().unwrap_or_else(PoisonError::into_inner);
        if *closed {
            return Err(Error::Closed {
                recording: self.inner.id.clone(),
                reason: "its writer has ended".to_owned(),
            });
        }
        let db = &self.inner.db;
        let hash = self.hasher.hash_one(&*source.text);
        let equal = self.known.get(&hash).into_iter().flatten().copied();
        let mut batch = WriteBatch::default();
        let text = match find_equal(db, equal, &source.text)? {
            Some(number) => number,
            None => {
                let bytes = source.text.len() as u64;
                let Some(room) = self.room.checked_sub(bytes) else {
                    return Ok(SourceRoom::Full);
                };
                let number = self.next;
                let value = sealed_value(&&*source.text);
                batch.put_cf(
                    db.family(families::SOURCE_TEXTS)?,
                    number.to_be_bytes(),
                    value,
                );
                (self.room, self.next) = (room, number + 1);
                self.known.entry(hash).or_default().push(number);
                number
            }
        };
        let of_class = OfClass {
            text,
            file: source.file.clone(),
            origin: source.origin.clone(),
            modified_ms: source.modified_ms,
            notes: source.notes.clone(),
        };
        let family = db.family(families::CLASS_SOURCES)?;
        batch.put_cf(family, families::class(class), sealed_value(&of_class));
        db.write(batch)?;
        Ok(SourceRoom::Kept)
    }
}

fn find_equal(
    db: &Database,
    mut among: impl Iterator<Item = u32>,
    text: &str,
) -> Result<Option<u32>> {
    among
        .find_map(|number| match read_text(db, number) {
            Ok(kept) if kept == text => Some(Ok(number)),
            Ok(_) => None,
            Err(error) => Some(Err(error)),
        })
        .transpose()
}

fn read_text(db: &Database, number: u32) -> Result<String> {
    let damaged = |reason: String| db.damaged(format!("source text {number}"), reason);
    let value = db.get(families::SOURCE_TEXTS, &number.to_be_bytes())?;
    let value = value.ok_or_else(|| damaged("it is not there".to_owned()))?;
    open_value(&value).map_err(damaged)
}

/// Does a value of either table read as what it should be?
pub(crate) fn check(family: Family, value: &[u8]) -> Result<(), String> {
    if family == families::SOURCE_TEXTS {
        open_value::<String>(value).map(drop)
    } else {
        open_value::<OfClass>(value).map(drop)
    }
}

impl Recording {
    /// The source of a class as it was kept; `None` where none was.
    pub fn source(&self, class: ClassId) -> Result<Option<KeptSource>> {
        let db = &self.inner.db;
        if db.lacks(families::CLASS_SOURCES) {
            return Ok(None);
        }
        let Some(value) = db.get(families::CLASS_SOURCES, &families::class(class))? else {
            return Ok(None);
        };
        let of_class: OfClass = open_value(&value)
            .map_err(|reason| db.damaged(format!("source of class {class:?}"), reason))?;
        Ok(Some(KeptSource {
            text: read_text(db, of_class.text)?.into(),
            file: of_class.file,
            origin: of_class.origin,
            modified_ms: of_class.modified_ms,
            notes: of_class.notes,
        }))
    }
}
