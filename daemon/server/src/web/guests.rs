//! Tickets and keys: who may look at the page.
//!
//! Both are 256 bits from the system's generator. Only digests are kept, so that neither a dump of the memory nor the time
//! that a comparison takes tells any. A ticket is worth something once and for a minute, a key until the daemon ends.

use std::collections::{HashMap, HashSet, VecDeque};
use std::io;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use thiserror::Error;
use tokio::sync::Notify;
use tokio::time::Instant;

use crate::access::tokens::{Digest, digest, random_hex};

/// For how long a ticket is worth something.
pub const TICKET_TIME: Duration = Duration::from_secs(60);

/// So many tickets that are worth nothing any more are remembered, to say why.
const REMEMBERED: usize = 1000;

/// Why a ticket is worth nothing. Run `jhyde web` for another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum TicketError {
    /// It was never one of this daemon's, or long ago.
    #[error(
        "this is no ticket of the daemon that runs now; `jhyde web` opens the page with another"
    )]
    Unknown,
    /// Somebody came in with it.
    #[error(
        "this ticket was used: each lets one browser in, once; `jhyde web` opens the page with another"
    )]
    Used,
    /// Nobody came in time.
    #[error(
        "this ticket is too old: it was worth something for a minute; `jhyde web` opens the page with another"
    )]
    Expired,
}

/// The tickets and keys of a daemon.
#[derive(Debug, Default)]
pub struct Guests {
    state: Mutex<State>,
    /// A ticket was redeemed.
    changed: Notify,
}

#[derive(Debug, Default)]
struct State {
    tickets: HashMap<Digest, Ticket>,
    /// The oldest first.
    order: VecDeque<Digest>,
    keys: HashSet<Digest>,
}

#[derive(Clone, Copy, Debug)]
struct Ticket {
    until: Instant,
    used: bool,
}

impl Guests {
    /// A new ticket.
    ///
    /// # Errors
    /// The system has no random bits to give.
    pub fn ticket(&self) -> io::Result<String> {
        let ticket = random_hex()?;
        let mut state = self.state();
        state.forget_old();
        let print = digest(&ticket);
        let until = Instant::now() + TICKET_TIME;
        state.tickets.insert(print, Ticket { until, used: false });
        state.order.push_back(print);
        Ok(ticket)
    }

    /// Takes a ticket for a new key.
    ///
    /// # Errors
    /// Why the ticket is worth nothing; or, inside, the system has no random bits to give.
    pub fn redeem(&self, ticket: &str) -> io::Result<Result<String, TicketError>> {
        let key = random_hex()?;
        let mut state = self.state();
        let Some(known) = state.tickets.get_mut(&digest(ticket)) else {
            return Ok(Err(TicketError::Unknown));
        };
        if known.used {
            return Ok(Err(TicketError::Used));
        }
        if known.until <= Instant::now() {
            return Ok(Err(TicketError::Expired));
        }
        known.used = true;
        state.keys.insert(digest(&key));
        drop(state);
        self.changed.notify_waiters();
        Ok(Ok(key))
    }

    /// Waits until a ticket is redeemed, or worth nothing. Says whether it was redeemed; `None` for what is none.
    pub async fn redeemed(&self, ticket: &str) -> Option<bool> {
        let print = digest(ticket);
        loop {
            // Asked for before the ticket is looked at, so that none is missed.
            let mut changed = std::pin::pin!(self.changed.notified());
            changed.as_mut().enable();
            let known = *self.state().tickets.get(&print)?;
            if known.used || known.until <= Instant::now() {
                return Some(known.used);
            }
            let _ = tokio::time::timeout_at(known.until, changed).await;
        }
    }

    /// Is this a key of ours?
    pub fn knows(&self, key: &str) -> bool {
        self.state().keys.contains(&digest(key))
    }

    /// Every step leaves the tables whole: a panic elsewhere leaves them usable.
    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn forget_old(&mut self) {
        while self.order.len() >= REMEMBERED {
            let Some(oldest) = self.order.pop_front() else {
                return;
            };
            self.tickets.remove(&oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_ticket_is_worth_something_once_and_for_a_minute() {
        let guests = Guests::default();
        let (one, two) = (guests.ticket().unwrap(), guests.ticket().unwrap());
        assert_eq!((one.len(), one == two), (64, false));
        let key = guests.redeem(&one).unwrap().unwrap();
        assert!(guests.knows(&key));
        assert!(!guests.knows(&one) && !guests.knows(&two) && !guests.knows(""));
        assert_eq!(guests.redeem(&one).unwrap(), Err(TicketError::Used));
        assert_eq!(guests.redeem(&key).unwrap(), Err(TicketError::Unknown));
        tokio::time::advance(TICKET_TIME).await;
        assert_eq!(guests.redeem(&two).unwrap(), Err(TicketError::Expired));
        // Keys have no such end.
        assert!(guests.knows(&key));
        assert!(!Guests::default().knows(&key));
    }

    #[tokio::test(start_paused = true)]
    async fn who_waits_for_a_ticket_hears_of_its_end() {
        let guests = std::sync::Arc::new(Guests::default());
        let (used, late) = (guests.ticket().unwrap(), guests.ticket().unwrap());
        let wait = |ticket: &str| {
            let (guests, ticket) = (std::sync::Arc::clone(&guests), ticket.to_owned());
            tokio::spawn(async move { guests.redeemed(&ticket).await })
        };
        let (waits, waits_long) = (wait(&used), wait(&late));
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert!(!waits.is_finished());
        guests.redeem(&used).unwrap().unwrap();
        assert_eq!(waits.await.unwrap(), Some(true));
        assert!(!waits_long.is_finished());
        assert_eq!(waits_long.await.unwrap(), Some(false));
        assert_eq!(guests.redeemed("none").await, None);
    }

    #[test]
    fn tickets_are_not_remembered_without_end() {
        let guests = Guests::default();
        let first = guests.ticket().unwrap();
        for _ in 0..REMEMBERED {
            guests.ticket().unwrap();
        }
        assert_eq!(guests.redeem(&first).unwrap(), Err(TicketError::Unknown));
        assert!(guests.state().tickets.len() <= REMEMBERED);
    }
}
