//! Standing orders: JVMs that are recorded whenever they are up. Each order has a task of its own, which attaches, waits for the
//! recording's end, and tries again with pauses that grow.

use std::sync::Arc;
use std::time::Duration;

use backon::{BackoffBuilder as _, ExponentialBackoff, ExponentialBuilder};
use jhyde_trace::State;
use tokio::task::JoinHandle;

use super::Daemon;
use super::live::Status;
use super::options::Wanted;
use super::record::AttachRequest;
use crate::error::Error;

/// The pause after the first attempt in vain.
const SHORTEST_PAUSE: Duration = Duration::from_millis(250);
/// What pauses grow to. Some of it is added by chance, so that a machine's orders do not all go at once.
const LONGEST_PAUSE: Duration = Duration::from_secs(15);

/// To record a JVM whenever it is up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// `HOST:PORT`.
    pub address: String,
    /// What its recordings are called, with a number from the second on.
    pub name: String,
    /// How to record.
    pub wanted: Wanted,
}

/// The orders in force. Dropped, none is; recordings that are being made go on.
#[derive(Debug)]
pub struct Standing {
    daemon: Arc<Daemon>,
    followed: Vec<Followed>,
}

#[derive(Debug)]
struct Followed {
    order: Order,
    task: JoinHandle<()>,
}

impl Drop for Followed {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Standing {
    /// None yet.
    pub fn new(daemon: &Arc<Daemon>) -> Self {
        Self {
            daemon: Arc::clone(daemon),
            followed: Vec::new(),
        }
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.followed.is_empty()
    }

    /// These are in force from now on, and no others. One that rests is followed again; recordings that are being made go on
    /// as they were begun.
    pub fn change(&mut self, orders: Vec<Order>) {
        self.followed
            .retain(|one| orders.contains(&one.order) && !one.task.is_finished());
        for order in orders {
            if self.followed.iter().all(|one| one.order != order) {
                let task = follow(Arc::clone(&self.daemon), order.clone());
                self.followed.push(Followed {
                    order,
                    task: tokio::spawn(task),
                });
            }
        }
    }
}

/// Follows an order, until somebody ends a recording of it by hand, or a limit does: the JVM still runs then, and would be
/// recorded anew at once.
async fn follow(daemon: Arc<Daemon>, order: Order) {
    let Order {
        address,
        name,
        wanted,
    } = &order;
    let mut pauses = pauses();
    let mut told = String::new();
    loop {
        let request = AttachRequest {
            address: address.clone(),
            name: name.clone(),
            wanted: wanted.clone(),
        };
        match daemon.attach_next(request).await {
            Ok(live) => {
                tracing::info!(
                    recording = live.name,
                    address,
                    "recorded by a standing order"
                );
                told.clear();
                match after(&live.ended().await) {
                    After::Next => pauses = self::pauses(),
                    After::Pause => {}
                    After::Rest => {
                        tracing::info!(
                            order = name,
                            address,
                            "the recording was ended: the order rests until the configuration is read anew"
                        );
                        return;
                    }
                }
            }
            Err(Error::Stopping) => return,
            Err(error) => {
                // Once, for as long as it stays so: a JVM may be down for days.
                let text = error.to_string();
                if text != told {
                    match error {
                        Error::Jvm { .. } => {
                            tracing::info!(order = name, address, reason = text, "waits for a JVM");
                        }
                        _ => tracing::warn!(
                            order = name,
                            address,
                            reason = text,
                            "a standing order cannot be followed"
                        ),
                    }
                    told = text;
                }
            }
        }
        tokio::time::sleep(pauses.next().unwrap_or(LONGEST_PAUSE)).await;
    }
}

fn pauses() -> ExponentialBackoff {
    ExponentialBuilder::new()
        .with_min_delay(SHORTEST_PAUSE)
        .with_max_delay(LONGEST_PAUSE)
        .with_jitter()
        .without_max_times()
        .build()
}

/// What follows when a recording has ended.
#[derive(Debug, PartialEq, Eq)]
enum After {
    /// The JVM is gone: the next one is waited for, which may come soon.
    Next,
    /// It went wrong, and may again.
    Pause,
    /// Somebody wanted its end.
    Rest,
}

fn after(status: &Status) -> After {
    match status {
        Status::Ended(description) => match description.meta.state {
            State::Complete { .. } | State::ConnectionLost { .. } => After::Next,
            State::Detached | State::Stopped | State::LimitReached { .. } => After::Rest,
            State::Waiting | State::Running | State::Cut | State::Failed { .. } => After::Pause,
        },
        _ => After::Pause,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_to_a_bound_and_never_end() {
        let pauses: Vec<_> = pauses().take(100).collect();
        assert_eq!(pauses.len(), 100);
        assert!(pauses[0] >= SHORTEST_PAUSE && pauses[0] <= SHORTEST_PAUSE * 2);
        assert!(pauses[99] >= LONGEST_PAUSE && pauses[99] <= LONGEST_PAUSE * 2);
    }
}
