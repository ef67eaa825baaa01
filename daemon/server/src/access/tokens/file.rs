//! The file of tokens. It is replaced as a whole, so that nobody ever reads half of it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, fchown};
use std::path::{Path, PathBuf};

use glob::Pattern;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{Digest, digest, hex, made, now_ms};
use crate::access::Rights;

/// The file of a data folder.
const FILE: &str = "tokens.json";
/// Locked by whoever changes it.
const LOCK: &str = "tokens.lock";
/// The version that is written, and the only one that is read.
const VERSION: u32 = 1;
/// The longest name, in bytes.
const LONGEST_NAME: usize = 100;

/// A file of tokens that is not used.
#[derive(Debug, Error)]
pub enum FileError {
    /// Somebody else may read it.
    #[error(
        "other users can read or write the tokens {}: it is not used; if none of them can have changed it, close it \
         (chmod 600)",
        .0.display()
    )]
    Open(PathBuf),
    /// It is somebody else's.
    #[error("the tokens {} belong to user {owner}, and this is user {user}: they are not used", .path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// Whose it is.
        owner: u32,
        /// Who we are.
        user: u32,
    },
    /// It cannot be read or written.
    #[error("the tokens {} cannot be used: {source}", .path.display())]
    Unusable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It is none.
    #[error("{} is no file of tokens: {reason}; delete it, and make tokens anew", .path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// There is such a token.
    #[error(
        "there is a token '{0}' already; revoke it first (jhyded token revoke), or take another name"
    )]
    Taken(String),
    /// There is none.
    #[error("there is no token '{0}'; jhyded token list shows them")]
    Missing(String),
    /// What it was to be makes no sense.
    #[error("{0}")]
    Nonsense(String),
}

/// What is kept of a token.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// What people call it.
    pub name: String,
    /// SHA-256 of the token, in hexadecimal digits.
    pub sha256: String,
    /// What its bearer may do.
    pub rights: Rights,
    /// With recordings of these names: `*` and `?` as in a shell.
    pub recordings: String,
    /// When it was made, in milliseconds since 1970-01-01 UTC.
    pub created_ms: u64,
    /// From when on it is worth nothing.
    pub expires_ms: u64,
    /// Since when it is worth nothing. It is remembered, to say so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revoked_ms: Option<u64>,
}

impl Entry {
    /// The pattern of names; `None`: all.
    ///
    /// # Errors
    /// It is none.
    pub fn pattern(&self) -> Result<Option<Pattern>, FileError> {
        if self.recordings == "*" {
            return Ok(None);
        }
        Pattern::new(&self.recordings).map(Some).map_err(|error| {
            FileError::Nonsense(format!(
                "'{}' is no pattern of names: {error}; write one such as 'shop-*'",
                self.recordings
            ))
        })
    }

    pub(super) fn digest(&self) -> Option<Digest> {
        let digits = self.sha256.as_bytes();
        if digits.len() != 64 || !digits.is_ascii() {
            return None;
        }
        let mut digest = Digest::default();
        for (byte, pair) in digest.iter_mut().zip(digits.chunks(2)) {
            *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
        }
        Some(digest)
    }

    /// Is it worth something?
    pub fn is_good(&self, now_ms: u64) -> bool {
        self.revoked_ms.is_none() && now_ms < self.expires_ms
    }
}

/// All of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tokens {
    version: u32,
    /// In the order in which they were made.
    pub tokens: Vec<Entry>,
}

/// What tells two states of the file apart without reading it: who closes it to others changes it too, and `ctime` says so.
pub(super) type Mark = Option<(u64, i64, i64, u64)>;

/// The file of a data folder.
#[derive(Clone, Debug)]
pub struct Store {
    path: PathBuf,
    lock: PathBuf,
}

impl Store {
    /// Of this data folder.
    pub fn of(data: &Path) -> Self {
        Self {
            path: data.join(FILE),
            lock: data.join(LOCK),
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn unusable(&self, source: io::Error) -> FileError {
        FileError::Unusable {
            path: self.path.clone(),
            source,
        }
    }

    pub(super) fn mark(&self) -> Mark {
        let found = fs::metadata(&self.path).ok()?;
        Some((found.ino(), found.ctime(), found.ctime_nsec(), found.len()))
    }

    /// What it holds; nothing where there is none.
    ///
    /// # Errors
    /// Others can read it, it is somebody else's, or it is no such file.
    pub fn read(&self) -> Result<Tokens, FileError> {
        let file = match File::open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Tokens::default()),
            Err(error) => return Err(self.unusable(error)),
        };
        // Of the open file: the name may mean another one by now.
        let found = file.metadata().map_err(|error| self.unusable(error))?;
        let user = jhyde_proto::folder::user();
        if found.uid() != user && user != 0 {
            return Err(FileError::Foreign {
                path: self.path.clone(),
                owner: found.uid(),
                user,
            });
        }
        if found.mode() & 0o077 != 0 {
            return Err(FileError::Open(self.path.clone()));
        }
        let malformed = |reason: String| FileError::Malformed {
            path: self.path.clone(),
            reason,
        };
        let text = io::read_to_string(file).map_err(|error| self.unusable(error))?;
        let tokens: Tokens =
            serde_json::from_str(&text).map_err(|error| malformed(error.to_string()))?;
        if tokens.version != VERSION {
            return Err(malformed(format!(
                "its version is {}, and {VERSION} is known",
                tokens.version
            )));
        }
        for entry in &tokens.tokens {
            entry
                .pattern()
                .map_err(|error| malformed(error.to_string()))?;
            if entry.digest().is_none() {
                return Err(malformed(format!("the digest of '{}' is none", entry.name)));
            }
        }
        Ok(tokens)
    }

    /// Makes a token. Only the answer says it.
    ///
    /// # Errors
    /// The name is taken or makes no sense, nothing may be done with it, or the file cannot be used.
    pub fn create(
        &self,
        name: &str,
        rights: Rights,
        recordings: &str,
        expires_ms: u64,
    ) -> Result<String, FileError> {
        let bad_name = name.is_empty()
            || name.len() > LONGEST_NAME
            || name.chars().any(|it| it.is_control() || it.is_whitespace());
        if bad_name {
            return Err(FileError::Nonsense(format!(
                "a token's name has 1 to {LONGEST_NAME} bytes and no spaces"
            )));
        }
        if rights.is_empty() {
            let told = "a token without rights is good for nothing: give --rights read, or more";
            return Err(FileError::Nonsense(told.to_owned()));
        }
        let token = made().map_err(|error| self.unusable(error))?;
        let entry = Entry {
            name: name.to_owned(),
            sha256: hex(&digest(&token)),
            rights,
            recordings: recordings.to_owned(),
            created_ms: now_ms(),
            expires_ms,
            revoked_ms: None,
        };
        entry.pattern()?;
        self.change(|tokens| {
            let now = now_ms();
            let same = |it: &Entry| it.name == name;
            if tokens.iter().any(|it| same(it) && it.is_good(now)) {
                return Err(FileError::Taken(name.to_owned()));
            }
            tokens.retain(|it| !same(it));
            tokens.push(entry);
            Ok(())
        })?;
        Ok(token)
    }

    /// From now on it is worth nothing.
    ///
    /// # Errors
    /// There is none, or the file cannot be used.
    pub fn revoke(&self, name: &str) -> Result<(), FileError> {
        self.change(|tokens| {
            let found = tokens.iter_mut().find(|it| it.name == name);
            let found = found.ok_or_else(|| FileError::Missing(name.to_owned()))?;
            found.revoked_ms.get_or_insert_with(now_ms);
            Ok(())
        })
    }

    fn change(
        &self,
        change: impl FnOnce(&mut Vec<Entry>) -> Result<(), FileError>,
    ) -> Result<(), FileError> {
        let failed = |error| self.unusable(error);
        let private = |options: &mut OpenOptions| options.mode(0o600).clone();
        let lock = private(OpenOptions::new().create(true).append(true))
            .open(&self.lock)
            .map_err(failed)?;
        lock.lock().map_err(failed)?;
        let mut tokens = self.read()?;
        tokens.version = VERSION;
        change(&mut tokens.tokens)?;
        let text = serde_json::to_vec_pretty(&tokens)
            .map_err(|error| self.unusable(io::Error::other(error)))?;
        let new = self.path.with_extension("json.new");
        match fs::remove_file(&new) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
            _ => {}
        }
        let mut file = private(OpenOptions::new().create_new(true).write(true))
            .open(&new)
            .map_err(failed)?;
        // The superuser may make tokens for a daemon that runs as somebody else: the files are the folder's owner's.
        if jhyde_proto::folder::user() == 0
            && let Some(folder) = self.path.parent()
        {
            let owner = fs::metadata(folder).map_err(failed)?;
            for file in [&file, &lock] {
                fchown(file, Some(owner.uid()), Some(owner.gid())).map_err(failed)?;
            }
        }
        file.write_all(&text)
            .and_then(|()| file.sync_all())
            .and_then(|()| fs::rename(&new, &self.path))
            .map_err(failed)
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;
    use crate::access::Right;

    #[test]
    fn a_token_is_told_once_and_kept_as_a_digest() {
        let data = tempfile::tempdir().unwrap();
        let store = Store::of(data.path());
        assert!(store.read().unwrap().tokens.is_empty());
        let rights = Rights::NONE.and(Right::Read);
        let token = store.create("ci", rights, "shop-*", u64::MAX).unwrap();
        assert!(token.starts_with(PREFIX_OF_ALL) && token.len() == PREFIX_OF_ALL.len() + 64);
        let text = fs::read_to_string(store.path()).unwrap();
        assert!(!text.contains(&token) && !text.contains(&token[PREFIX_OF_ALL.len()..]));
        let mode = fs::metadata(store.path()).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let entry = store.read().unwrap().tokens.pop().unwrap();
        assert_eq!(entry.digest(), Some(digest(&token)));
        assert!(entry.is_good(now_ms()));

        let taken = store.create("ci", rights, "*", u64::MAX).unwrap_err();
        assert!(matches!(taken, FileError::Taken(_)), "{taken}");
        store.revoke("ci").unwrap();
        assert!(!store.read().unwrap().tokens[0].is_good(now_ms()));
        // The name is free again.
        let other = store.create("ci", rights, "*", u64::MAX).unwrap();
        assert_ne!(other, token);
        assert_eq!(store.read().unwrap().tokens.len(), 1);
        let missing = store.revoke("none").unwrap_err();
        assert!(matches!(missing, FileError::Missing(_)), "{missing}");
    }

    const PREFIX_OF_ALL: &str = super::super::PREFIX;

    #[test]
    fn what_others_can_read_is_refused() {
        let data = tempfile::tempdir().unwrap();
        let store = Store::of(data.path());
        store.create("a", Rights::ALL, "*", u64::MAX).unwrap();
        for mode in [0o640, 0o604, 0o620] {
            fs::set_permissions(store.path(), fs::Permissions::from_mode(mode)).unwrap();
            let error = store.read().unwrap_err();
            assert!(matches!(error, FileError::Open(_)), "{mode:o}: {error}");
            assert!(store.revoke("a").is_err());
        }
        fs::set_permissions(store.path(), fs::Permissions::from_mode(0o600)).unwrap();
        assert!(store.read().is_ok());
    }

    #[test]
    fn nonsense_is_refused_with_words() {
        let data = tempfile::tempdir().unwrap();
        let store = Store::of(data.path());
        for (name, rights, recordings) in [
            ("", Rights::ALL, "*"),
            ("a b", Rights::ALL, "*"),
            ("a\n", Rights::ALL, "*"),
            ("a", Rights::NONE, "*"),
            ("a", Rights::ALL, "***"),
        ] {
            let refused = store.create(name, rights, recordings, u64::MAX);
            assert!(refused.is_err(), "{name:?} {rights:?} {recordings:?}");
        }
        assert!(store.read().unwrap().tokens.is_empty());
        for text in [
            "",
            "{",
            "{\"version\":2,\"tokens\":[]}",
            "{\"version\":1,\"tokens\":[{}]}",
        ] {
            fs::write(store.path(), text).unwrap();
            fs::set_permissions(store.path(), fs::Permissions::from_mode(0o600)).unwrap();
            let error = store.read().unwrap_err();
            assert!(
                matches!(error, FileError::Malformed { .. }),
                "{text}: {error}"
            );
        }
    }
}
