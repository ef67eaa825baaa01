//! The signals that end a command, or are passed on.

use std::io;

use tokio::signal::unix::{Signal as Stream, SignalKind, signal};

use super::failure::Failure;

/// A signal that came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Came {
    /// SIGINT: Ctrl-C.
    Interrupt,
    /// SIGTERM.
    Terminate,
    /// SIGHUP: the terminal went away.
    Hangup,
}

/// Listens from its making on; the default actions no longer happen.
pub(super) struct Signals {
    interrupt: Stream,
    terminate: Stream,
    hangup: Stream,
    /// Ctrl-\ in a terminal reaches the recorded program, too, which prints its threads; it must not end us.
    quit: Stream,
}

impl Signals {
    pub(super) fn new() -> Result<Self, Failure> {
        let open = |kind| {
            signal(kind).map_err(|source: io::Error| Failure::System {
                what: "cannot handle signals",
                source,
            })
        };
        Ok(Self {
            interrupt: open(SignalKind::interrupt())?,
            terminate: open(SignalKind::terminate())?,
            hangup: open(SignalKind::hangup())?,
            quit: open(SignalKind::quit())?,
        })
    }

    /// The next one.
    pub(super) async fn next(&mut self) -> Came {
        loop {
            tokio::select! {
                Some(()) = self.interrupt.recv() => return Came::Interrupt,
                Some(()) = self.terminate.recv() => return Came::Terminate,
                Some(()) = self.hangup.recv() => return Came::Hangup,
                Some(()) = self.quit.recv() => {}
                else => std::future::pending().await,
            }
        }
    }
}
