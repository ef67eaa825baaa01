//! How much of the daemon one client may have, and all together: connections, calls at once, and calls in a second.
//!
//! A client is what is known of it: a token, a certificate, a user at the unix socket; of a connection, over which nothing was
//! said yet, its address. The daemon's own user is bounded by what all together may have.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tonic::Status;

use super::Identity;
use crate::config::settings::Bounds;
use crate::error::Kind;
use crate::services::status::with_details;

/// How many clients are remembered that do nothing just now; then they are forgotten as soon as that changes nothing.
const REMEMBERED: usize = 256;

/// Who is at the other end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Peer {
    /// A user of this machine.
    Uid(u32),
    /// Somebody at this address.
    Ip(IpAddr),
}

/// See the module.
#[derive(Debug, Default)]
pub struct Limiter(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    bounds: Bounds,
    connections: Counts<Peer>,
    calls: Counts<Identity>,
    rate: Bucket,
    rates: HashMap<Identity, Bucket>,
}

/// How many there are at once.
#[derive(Debug)]
struct Counts<K> {
    all: u32,
    by_client: HashMap<K, u32>,
}

impl<K> Default for Counts<K> {
    fn default() -> Self {
        Self {
            all: 0,
            by_client: HashMap::new(),
        }
    }
}

/// What is too much.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TooMuch {
    InAll,
    OfOne,
}

impl<K: Clone + Eq + Hash> Counts<K> {
    /// One more, if that is not too many.
    fn enter(&mut self, client: Option<&K>, in_all: u32, of_one: u32) -> Result<(), TooMuch> {
        if self.all >= in_all {
            return Err(TooMuch::InAll);
        }
        if let Some(client) = client {
            let count = self.by_client.entry(client.clone()).or_default();
            if *count >= of_one {
                return Err(TooMuch::OfOne);
            }
            *count += 1;
        }
        self.all += 1;
        Ok(())
    }

    fn leave(&mut self, client: Option<&K>) {
        self.all = self.all.saturating_sub(1);
        if let Some(client) = client
            && let Some(count) = self.by_client.get_mut(client)
        {
            *count = count.saturating_sub(1);
            if *count == 0 {
                self.by_client.remove(client);
            }
        }
    }
}

/// Calls of the last second, which run out of it evenly.
#[derive(Clone, Copy, Debug)]
struct Bucket {
    taken: f64,
    at: Instant,
}

impl Default for Bucket {
    fn default() -> Self {
        Self {
            taken: 0.0,
            at: Instant::now(),
        }
    }
}

impl Bucket {
    /// How much is in it at a time.
    fn level(&self, rate: u32, now: Instant) -> f64 {
        let since = now.saturating_duration_since(self.at).as_secs_f64();
        (self.taken - since * f64::from(rate)).max(0.0)
    }

    fn is_full(&self, rate: u32, now: Instant) -> bool {
        self.level(rate, now) + 1.0 > f64::from(rate)
    }

    fn take(&mut self, rate: u32, now: Instant) {
        *self = Self {
            taken: self.level(rate, now) + 1.0,
            at: now,
        };
    }
}

impl Limiter {
    /// Within these bounds from now on. What is there already stays.
    pub fn change(&self, bounds: Bounds) {
        self.state().bounds = bounds;
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place for a connection, if there is one; of nobody who is bounded by himself: `None`.
    pub(crate) fn connect(self: &Arc<Self>, peer: Option<Peer>) -> Option<Connected> {
        let mut state = self.state();
        let (in_all, of_one) = (state.bounds.connections, state.bounds.client_connections);
        let entered = state
            .connections
            .enter(peer.as_ref(), in_all.get(), of_one.get());
        drop(state);
        match entered {
            Ok(()) => Some(Connected {
                limiter: Arc::clone(self),
                peer,
            }),
            Err(why) => {
                tracing::warn!(
                    ?peer,
                    setting = match why {
                        TooMuch::InAll => "limits.connections",
                        TooMuch::OfOne => "limits.client_connections",
                    },
                    "closed a connection: there are too many"
                );
                None
            }
        }
    }

    /// A place for a call, if there is one; of nobody who is bounded by himself: `None`.
    pub(crate) fn call(self: &Arc<Self>, client: Option<&Identity>) -> Result<Place, Status> {
        self.call_at(client, Instant::now())
    }

    fn call_at(self: &Arc<Self>, client: Option<&Identity>, now: Instant) -> Result<Place, Status> {
        let mut state = self.state();
        let state = &mut *state;
        let Bounds {
            rate, client_rate, ..
        } = state.bounds;
        if state.rate.is_full(rate.get(), now) {
            return Err(refused("CALLS_TOO_FAST", "limits.rate"));
        }
        if let Some(client) = client {
            if state.rates.len() > REMEMBERED {
                let rates = &mut state.rates;
                rates.retain(|_, bucket| bucket.level(client_rate.get(), now) > 0.0);
            }
            let bucket = state.rates.get(client).copied().unwrap_or_default();
            if bucket.is_full(client_rate.get(), now) {
                return Err(refused("CALLS_TOO_FAST", "limits.client_rate"));
            }
        }
        let (in_all, of_one) = (state.bounds.calls, state.bounds.client_calls);
        let entered = state.calls.enter(client, in_all.get(), of_one.get());
        entered.map_err(|why| match why {
            TooMuch::InAll => refused("TOO_MANY_CALLS", "limits.calls"),
            TooMuch::OfOne => refused("TOO_MANY_CALLS", "limits.client_calls"),
        })?;
        state.rate.take(rate.get(), now);
        if let Some(client) = client {
            let bucket = state.rates.entry(client.clone()).or_default();
            bucket.take(client_rate.get(), now);
        }
        Ok(Place {
            limiter: Arc::clone(self),
            client: client.cloned(),
        })
    }
}

fn refused(reason: &'static str, setting: &str) -> Status {
    let what = match reason {
        "TOO_MANY_CALLS" => "too many calls are under way",
        _ => "calls come too fast",
    };
    with_details(
        Kind::ResourceExhausted,
        reason,
        None,
        format!("{what}: try again in a second (the daemon's setting {setting} is the limit)"),
    )
}

/// A connection that is counted until this is dropped.
#[derive(Debug)]
pub(crate) struct Connected {
    limiter: Arc<Limiter>,
    peer: Option<Peer>,
}

impl Connected {
    /// Is somebody at its other end whom the kernel does not know?
    pub(crate) fn is_from_elsewhere(&self) -> bool {
        matches!(self.peer, Some(Peer::Ip(_)))
    }
}

impl Drop for Connected {
    fn drop(&mut self) {
        self.limiter.state().connections.leave(self.peer.as_ref());
    }
}

/// A call that is counted until this is dropped.
#[derive(Debug)]
pub(crate) struct Place {
    limiter: Arc<Limiter>,
    client: Option<Identity>,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.limiter.state().calls.leave(self.client.as_ref());
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;
    use std::time::Duration;

    use tonic_types::StatusExt as _;

    use super::*;

    fn within(change: impl FnOnce(&mut Bounds)) -> Arc<Limiter> {
        let limiter = Arc::new(Limiter::default());
        let mut bounds = Bounds::default();
        change(&mut bounds);
        limiter.change(bounds);
        limiter
    }

    fn count(count: u32) -> NonZeroU32 {
        NonZeroU32::new(count).unwrap()
    }

    fn word(refused: Result<Place, Status>) -> (String, bool) {
        let status = refused.unwrap_err();
        assert_eq!(status.code(), tonic::Code::ResourceExhausted);
        let details = status.get_error_details();
        let delay = details.retry_info().unwrap().retry_delay;
        assert_eq!(delay, Some(Duration::from_secs(1)));
        let in_all = !status.message().contains("limits.client_");
        (details.error_info().unwrap().reason.clone(), in_all)
    }

    #[test]
    fn each_client_has_its_part_and_all_together_have_theirs() {
        let limiter = within(|bounds| {
            bounds.client_calls = count(2);
            bounds.calls = count(4);
        });
        let (ci, ops) = (Identity::Token("ci".into()), Identity::Token("ops".into()));
        let of = |client: &Identity| limiter.call(Some(client));
        let (first, second) = (of(&ci).unwrap(), of(&ci).unwrap());
        assert_eq!(word(of(&ci)), ("TOO_MANY_CALLS".to_owned(), false));
        let other = of(&ops).unwrap();
        // The owner is bounded by the whole alone.
        let owners = limiter.call(None).unwrap();
        assert_eq!(
            word(limiter.call(None)),
            ("TOO_MANY_CALLS".to_owned(), true)
        );
        drop(first);
        let third = of(&ci).unwrap();
        drop((second, third, other, owners));
        let state = limiter.state();
        assert!(state.calls.all == 0 && state.calls.by_client.is_empty());
    }

    #[test]
    fn who_calls_too_fast_waits() {
        let limiter = within(|bounds| {
            bounds.client_rate = count(5);
            bounds.rate = count(8);
        });
        let (ci, ops) = (Identity::Token("ci".into()), Identity::Token("ops".into()));
        let now = Instant::now();
        let calls = |client: Option<&Identity>, after: u64| {
            limiter.call_at(client, now + Duration::from_millis(after))
        };
        for _ in 0..5 {
            calls(Some(&ci), 0).unwrap();
        }
        let fast = |in_all| ("CALLS_TOO_FAST".to_owned(), in_all);
        assert_eq!(word(calls(Some(&ci), 0)), fast(false));
        for _ in 0..3 {
            calls(Some(&ops), 0).unwrap();
        }
        assert_eq!(word(calls(None, 0)), fast(true));
        // A fifth of a second later there is room for one more, and after a second for five.
        calls(Some(&ci), 210).unwrap();
        for _ in 0..5 {
            calls(Some(&ci), 1500).unwrap();
        }
        assert_eq!(word(calls(Some(&ci), 1500)), fast(false));
    }

    #[test]
    fn a_connection_too_many_gets_no_place() {
        let limiter = within(|bounds| {
            bounds.client_connections = count(1);
            bounds.connections = count(2);
        });
        let peer = |last| Some(Peer::Ip([192, 0, 2, last].into()));
        let one = limiter.connect(peer(1)).unwrap();
        assert!(limiter.connect(peer(1)).is_none());
        let two = limiter.connect(peer(2)).unwrap();
        assert!(limiter.connect(peer(3)).is_none() && limiter.connect(None).is_none());
        drop(one);
        let owners = limiter.connect(None).unwrap();
        drop((two, owners));
        assert!(limiter.state().connections.by_client.is_empty());
    }
}
