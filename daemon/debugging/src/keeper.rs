//! Where sessions are between two changes: with their recording, or, where that is open for reading only, in memory.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use jhyde_store::{Error, Recording};
use rustc_hash::FxHashMap;

/// Sessions by their ids, encoded.
type Encoded = BTreeMap<String, Vec<u8>>;

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Keeper {
    /// Those that could not be written, by recording. A session takes some bytes per answer.
    unwritten: Mutex<FxHashMap<String, Encoded>>,
}

impl Keeper {
    /// Keeps a session.
    pub(crate) fn put(&self, recording: &Recording, id: &str, bytes: Vec<u8>) -> Result<(), Error> {
        match recording.put_session(id, &bytes) {
            Err(Error::ReadOnly(_)) => {
                let mut unwritten = self.unwritten();
                let sessions = unwritten.entry(recording.id().to_owned()).or_default();
                sessions.insert(id.to_owned(), bytes);
                Ok(())
            }
            written => written,
        }
    }

    /// A session's bytes: what was changed since, where it could not be written.
    pub(crate) fn get(&self, recording: &Recording, id: &str) -> Result<Option<Vec<u8>>, Error> {
        let unwritten = self
            .unwritten()
            .get(recording.id())
            .and_then(|all| all.get(id).cloned());
        match unwritten {
            Some(bytes) => Ok(Some(bytes)),
            None => recording.session(id),
        }
    }

    /// The ids of all sessions, sorted.
    pub(crate) fn ids(&self, recording: &Recording) -> Result<Vec<String>, Error> {
        let mut ids = recording.sessions()?;
        if let Some(unwritten) = self.unwritten().get(recording.id()) {
            ids.extend(unwritten.keys().cloned());
            ids.sort();
            ids.dedup();
        }
        Ok(ids)
    }

    /// Deletes a session; it need not be there.
    pub(crate) fn delete(&self, recording: &Recording, id: &str) -> Result<(), Error> {
        let taken = self
            .unwritten()
            .get_mut(recording.id())
            .and_then(|all| all.remove(id));
        // One that is only in memory is gone; of one that is written as well, only what was not.
        match recording.delete_session(id) {
            Err(Error::ReadOnly(_)) if taken.is_some() && recording.session(id)?.is_none() => {
                Ok(())
            }
            deleted => deleted,
        }
    }

    /// Is its last change only in memory?
    pub(crate) fn is_unwritten(&self, recording: &Recording, id: &str) -> bool {
        let unwritten = self.unwritten();
        unwritten
            .get(recording.id())
            .is_some_and(|all| all.contains_key(id))
    }

    /// Drops what is only in memory of a recording that is deleted.
    pub(crate) fn forget(&self, recording: &str) {
        self.unwritten().remove(recording);
    }

    /// Maps of bytes are whole at any time: a panic elsewhere leaves them usable.
    fn unwritten(&self) -> MutexGuard<'_, FxHashMap<String, Encoded>> {
        self.unwritten
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
