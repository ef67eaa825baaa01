//! What the service manager is told (sd_notify(3)): a datagram of a few lines to the socket that it names.
//!
//! Written by hand: the crates for it block where nobody reads the socket, which must not hold the daemon up, or do not know
//! sockets without a file.

use std::ffi::{OsStr, OsString};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use std::{env, io};

/// Names the socket.
const SOCKET: &str = "NOTIFY_SOCKET";
/// Says how often to ping, in microseconds.
const WATCHDOG: &str = "WATCHDOG_USEC";
/// Says who is to ping, where not everybody is.
const WATCHDOG_PID: &str = "WATCHDOG_PID";

/// Variables that are meant for the daemon, and not for programs that it starts.
pub const VARIABLES: [&str; 3] = [SOCKET, WATCHDOG, WATCHDOG_PID];

/// Does this process speak to a manager itself?
static SPOKEN_TO: AtomicBool = AtomicBool::new(false);

/// The manager, if there is one.
#[derive(Debug)]
pub struct Manager {
    socket: Option<OsString>,
    watchdog: Option<Duration>,
    complained: AtomicBool,
}

impl Manager {
    /// The one that the environment tells of.
    pub fn of_environment() -> Self {
        let socket = env::var_os(SOCKET).filter(|socket| !socket.is_empty());
        let for_us = match env::var(WATCHDOG_PID) {
            Ok(pid) => pid.parse() == Ok(std::process::id()),
            Err(_) => true,
        };
        let micros = env::var(WATCHDOG).ok().filter(|_| for_us);
        let micros = micros.and_then(|micros| micros.parse().ok());
        SPOKEN_TO.store(socket.is_some(), Ordering::Relaxed);
        Self::at(socket, micros.map(Duration::from_micros))
    }

    /// One that listens there and wants to be pinged so often.
    pub(super) fn at(socket: Option<OsString>, watchdog: Option<Duration>) -> Self {
        Self {
            watchdog: watchdog.filter(|watchdog| !watchdog.is_zero() && socket.is_some()),
            socket,
            complained: AtomicBool::new(false),
        }
    }

    /// Within which time it wants to be pinged, if it does.
    pub(super) fn watchdog(&self) -> Option<Duration> {
        self.watchdog
    }

    /// How far the daemon is, in words for people.
    ///
    /// Says whether it was told: one that is behind takes nothing for a while.
    pub fn status(&self, status: &str) -> bool {
        self.tell(&format!("STATUS={status}\n"))
    }

    /// The daemon serves.
    pub fn ready(&self, status: &str) {
        self.tell(&format!("READY=1\nSTATUS={status}\n"));
    }

    /// The daemon is about to end.
    pub fn stopping(&self, status: &str) {
        self.tell(&format!("STOPPING=1\nSTATUS={status}\n"));
    }

    /// The daemon gets on.
    pub(super) fn ping(&self) {
        self.tell("WATCHDOG=1\n");
    }

    /// What cannot be told is nobody's loss but the manager's.
    /// Says whether it was told, or nobody is to be.
    fn tell(&self, lines: &str) -> bool {
        let Some(socket) = &self.socket else {
            return true;
        };
        let sent = send(socket, lines.as_bytes());
        let told = sent.is_ok();
        match sent {
            Ok(()) => self.complained.store(false, Ordering::Relaxed),
            Err(error) if !self.complained.swap(true, Ordering::Relaxed) => tracing::warn!(
                socket = %socket.to_string_lossy(), %error,
                "the service manager cannot be told anything (NOTIFY_SOCKET)"
            ),
            Err(_) => {}
        }
        told
    }
}

fn send(socket: &OsStr, bytes: &[u8]) -> io::Result<()> {
    let address = match socket.as_bytes() {
        [b'@', name @ ..] => SocketAddr::from_abstract_name(name)?,
        _ => SocketAddr::from_pathname(socket)?,
    };
    let sender = UnixDatagram::unbound()?;
    sender.set_nonblocking(true)?;
    sender.send_to_addr(bytes, &address).map(drop)
}

/// Lets a program that is started know nothing of a manager that speaks to this process.
pub fn keep_from(program: &mut tokio::process::Command) {
    if SPOKEN_TO.load(Ordering::Relaxed) {
        for variable in VARIABLES {
            program.env_remove(variable);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_hears_by_a_file_or_a_name_and_nobody_waits_for_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notify");
        let by_file = UnixDatagram::bind(&path).unwrap();
        let name = format!("jhyde-test-{}", std::process::id());
        let address = SocketAddr::from_abstract_name(&name).unwrap();
        let by_name = UnixDatagram::bind_addr(&address).unwrap();
        for (socket, manager) in [
            (by_file, path.into_os_string()),
            (by_name, format!("@{name}").into()),
        ] {
            let manager = Manager::at(Some(manager), None);
            manager.ready("serving");
            let mut bytes = [0; 100];
            let length = socket.recv(&mut bytes).unwrap();
            assert_eq!(&bytes[..length], b"READY=1\nSTATUS=serving\n");
            // Nobody reads: the queue is full at some time.
            (0..10_000).for_each(|_| manager.ping());
        }
        for nobody in ["", "/none/notify", "@", "relative"] {
            Manager::at(Some(nobody.into()), None).stopping("x");
        }
        Manager::at(None, Some(Duration::from_secs(1))).ping();
    }
}
