//! The tokens as a daemon knows them: who comes with which, and when the calls of one must end.

use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard};
use std::time::Duration;

use glob::Pattern;
use subtle::ConstantTimeEq as _;
use thiserror::Error;
use tokio::sync::watch;

use super::file::Mark;
use super::{Digest, Entry, FileError, Store, digest, now_ms};
use crate::access::{Caller, Identity};

/// How often the file is looked at: a revoked token's streams end within a second.
pub const POLL: Duration = Duration::from_millis(250);

/// Why somebody with a token is not let in.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NotLetIn {
    /// It is none of ours.
    #[error("this token is not known here; jhyded token create makes one on the daemon's machine")]
    Unknown,
    /// Somebody took it back.
    #[error("the token '{0}' was revoked; jhyded token create makes another")]
    Revoked(String),
    /// Its time is over.
    #[error("the token '{0}' has expired; jhyded token create makes another")]
    Expired(String),
}

impl NotLetIn {
    /// A stable word for programs.
    pub fn reason(&self) -> &'static str {
        match self {
            Self::Unknown => "TOKEN_UNKNOWN",
            Self::Revoked(_) => "TOKEN_REVOKED",
            Self::Expired(_) => "TOKEN_EXPIRED",
        }
    }
}

/// How many tokens there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// With which one is let in.
    pub good: u32,
    /// Whose time is over.
    pub expired: u32,
    /// That somebody took back.
    pub revoked: u32,
    /// When the next one of the good ones ends, in milliseconds since 1970.
    pub next_end_ms: Option<u64>,
}

/// How a token stands: `None` as long as it is good.
pub type Standing = watch::Receiver<Option<NotLetIn>>;

struct One {
    digest: Digest,
    entry: Entry,
    pattern: Option<Arc<Pattern>>,
    standing: watch::Sender<Option<NotLetIn>>,
}

impl One {
    fn judged(&self, now_ms: u64) -> Option<NotLetIn> {
        if self.entry.revoked_ms.is_some() {
            Some(NotLetIn::Revoked(self.entry.name.clone()))
        } else if now_ms >= self.entry.expires_ms {
            Some(NotLetIn::Expired(self.entry.name.clone()))
        } else {
            None
        }
    }

    fn end(&self, why: Option<NotLetIn>) {
        self.standing.send_if_modified(|standing| {
            let ends = standing.is_none() && why.is_some();
            if ends {
                *standing = why;
            }
            ends
        });
    }
}

/// See the module.
pub struct Known {
    store: Store,
    state: RwLock<State>,
    /// Held by whoever reads the file, so that what was read earlier never takes the place of what was read later; the
    /// file that was no good, if the last one was none: it is not read again for each who comes with a wrong token.
    reading: Mutex<Option<Mark>>,
}

struct State {
    mark: Mark,
    all: Vec<One>,
}

impl State {
    /// The token of this digest. Every one is compared with, and all of it, so that the time that it takes tells nothing.
    fn find(&self, given: &Digest) -> Option<&One> {
        let mut found = None;
        for one in &self.all {
            if bool::from(one.digest.ct_eq(given)) {
                found = Some(one);
            }
        }
        found
    }
}

impl std::fmt::Debug for Known {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Known").field("store", &self.store).finish()
    }
}

impl Known {
    /// The tokens of a file that is not read yet: nobody is let in.
    pub fn unread(store: Store) -> Self {
        let state = RwLock::new(State {
            mark: None,
            all: Vec::new(),
        });
        Self {
            store,
            state,
            reading: Mutex::default(),
        }
    }

    fn state(&self) -> RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Who comes with this token, and how it stands from now on. One that is not known may have been made in this moment:
    /// the file is looked at before it is refused.
    ///
    /// # Errors
    /// Why nobody is let in with it.
    pub fn let_in(&self, token: &str) -> Result<(Caller, Standing), NotLetIn> {
        let given = digest(token);
        let mut state = self.state();
        if state.find(&given).is_none() {
            drop(state);
            self.refresh();
            state = self.state();
        }
        let one = state.find(&given).ok_or(NotLetIn::Unknown)?;
        if let Some(why) = one.judged(now_ms()) {
            return Err(why);
        }
        let name = format!("the token '{}'", one.entry.name);
        let caller = Caller::with_rights(&name, one.entry.rights)
            .known_by(Identity::Token(one.entry.name.clone()))
            .within(one.pattern.clone());
        Ok((caller, one.standing.subscribe()))
    }

    /// Reads the file anew. Of tokens that are no longer good the calls under way end.
    ///
    /// # Errors
    /// It is not to be used; then all is as it was.
    pub fn reload(&self) -> Result<usize, FileError> {
        let mut no_good = self.reading.lock().unwrap_or_else(PoisonError::into_inner);
        self.read(self.store.mark(), &mut no_good)
    }

    /// Reads the file if it is another one than was read last. One that is not to be used is complained of once.
    fn refresh(&self) {
        let mut no_good = self.reading.lock().unwrap_or_else(PoisonError::into_inner);
        let mark = self.store.mark();
        if mark == self.state().mark || *no_good == Some(mark) {
            return;
        }
        match self.read(mark, &mut no_good) {
            Ok(count) => tracing::info!(count, "tokens read anew"),
            Err(error) => tracing::error!(%error, "the tokens are as they were"),
        }
    }

    /// Reads the file, which had this mark before.
    fn read(&self, mark: Mark, no_good: &mut Option<Mark>) -> Result<usize, FileError> {
        *no_good = Some(mark);
        let read = self.store.read()?;
        let mut all = Vec::new();
        for entry in read.tokens {
            // A file with others was refused.
            let Some(digest) = entry.digest() else {
                continue;
            };
            all.push(One {
                digest,
                pattern: entry.pattern()?.map(Arc::new),
                entry,
                standing: watch::Sender::new(None),
            });
        }
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        for old in state.all.drain(..) {
            match all.iter_mut().find(|new| new.digest == old.digest) {
                Some(new) if new.entry == old.entry || new.entry.revoked_ms.is_some() => {
                    new.standing = old.standing;
                }
                // It is gone, or something else by now.
                _ => old.end(Some(NotLetIn::Revoked(old.entry.name.clone()))),
            }
        }
        let count = all.len();
        *state = State { mark, all };
        drop(state);
        *no_good = None;
        self.judge();
        Ok(count)
    }

    /// How many there are, and when the next one ends.
    pub fn count(&self) -> Count {
        let now = now_ms();
        let state = self.state();
        let mut count = Count::default();
        for one in &state.all {
            match one.judged(now) {
                None => {
                    count.good += 1;
                    let ends = one.entry.expires_ms;
                    count.next_end_ms = Some(count.next_end_ms.map_or(ends, |it| it.min(ends)));
                }
                Some(NotLetIn::Expired(_)) => count.expired += 1,
                Some(_) => count.revoked += 1,
            }
        }
        count
    }

    /// Ends the calls of those that are no longer good by now.
    fn judge(&self) {
        let now = now_ms();
        let state = self.state();
        for one in &state.all {
            one.end(one.judged(now));
        }
    }

    /// Looks at the file again and again.
    pub async fn follow(self: Arc<Self>) {
        let mut turns = tokio::time::interval(POLL);
        turns.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            turns.tick().await;
            self.refresh();
            self.judge();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;
    use crate::access::{Right, Rights};

    #[tokio::test(start_paused = true)]
    async fn what_the_file_says_holds_at_once_and_ends_what_is_under_way() {
        let data = tempfile::tempdir().unwrap();
        let store = Store::of(data.path());
        let known = Arc::new(Known::unread(store.clone()));
        let following = tokio::spawn(Arc::clone(&known).follow());
        let rights = Rights::NONE.and(Right::Read);
        let token = store.create("ci", rights, "shop-*", u64::MAX).unwrap();
        let brief = store
            .create("brief", Rights::ALL, "*", now_ms() + 1500)
            .unwrap();
        // Known at once, whether the file was looked at since or not.
        assert!(known.let_in(&brief).is_ok() && known.let_in(&token).is_ok());
        let count = known.count();
        assert_eq!((count.good, count.expired, count.revoked), (2, 0, 0));
        assert!(
            count
                .next_end_ms
                .is_some_and(|ends| ends <= now_ms() + 1500)
        );
        let (caller, mut standing) = known.let_in(&token).unwrap();
        assert!(caller.may_see("shop-1") && !caller.may_see("other"));
        assert!(!caller.is_owner() && !caller.rights.has(Right::Debug));
        let (all, mut briefly) = known.let_in(&brief).unwrap();
        assert!(all.may_see("other"));
        for wrong in ["", "jhyde_", &token[1..], &token.to_uppercase()] {
            assert_eq!(known.let_in(wrong).unwrap_err(), NotLetIn::Unknown);
        }

        store.revoke("ci").unwrap();
        tokio::time::sleep(POLL * 2).await;
        let revoked = NotLetIn::Revoked("ci".to_owned());
        assert_eq!(*standing.borrow_and_update(), Some(revoked.clone()));
        assert_eq!(known.let_in(&token).unwrap_err(), revoked);
        // By the clock on the wall.
        std::thread::sleep(Duration::from_millis(1600));
        assert_eq!(known.let_in(&brief).unwrap_err().reason(), "TOKEN_EXPIRED");
        tokio::time::sleep(POLL * 2).await;
        assert!(briefly.borrow_and_update().is_some());
        let count = known.count();
        let none_is_good = (count.good, count.expired, count.revoked, count.next_end_ms);
        assert_eq!(none_is_good, (0, 1, 1, None));

        // Half a file, or one for all to read, changes nothing.
        let token = store.create("more", rights, "*", u64::MAX).unwrap();
        tokio::time::sleep(POLL * 2).await;
        let (_, standing) = known.let_in(&token).unwrap();
        std::fs::write(store.path(), "{").unwrap();
        assert_eq!(known.let_in("jhyde_").unwrap_err(), NotLetIn::Unknown);
        tokio::time::sleep(POLL * 4).await;
        assert!(known.reload().is_err() && known.let_in(&token).is_ok());
        // One that others can read is used from when it is closed to them.
        let text = r#"{"version":1,"tokens":[]}"#;
        std::fs::write(store.path(), text).unwrap();
        std::fs::set_permissions(store.path(), Permissions::from_mode(0o644)).unwrap();
        tokio::time::sleep(POLL * 4).await;
        assert!(known.let_in(&token).is_ok());
        std::fs::set_permissions(store.path(), Permissions::from_mode(0o600)).unwrap();
        tokio::time::sleep(POLL * 4).await;
        assert_eq!(known.let_in(&token).unwrap_err(), NotLetIn::Unknown);
        assert!(standing.borrow().is_some());
        // No file: no tokens.
        let token = store.create("last", rights, "*", u64::MAX).unwrap();
        let (_, standing) = known.let_in(&token).unwrap();
        std::fs::remove_file(store.path()).unwrap();
        tokio::time::sleep(POLL * 2).await;
        assert_eq!(known.let_in(&token).unwrap_err(), NotLetIn::Unknown);
        assert!(standing.borrow().is_some());
        following.abort();
    }
}
