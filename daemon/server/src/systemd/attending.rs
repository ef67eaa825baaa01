//! Telling the manager from time to time that the daemon gets on, and what it does.
//!
//! A ping says two things: that the runtime runs tasks, for this is one; and that no recording has been waiting long for the
//! store. What waits there longer than half of the manager's patience gets no ping, and with no more of them the manager
//! ends the daemon: its guards let the programs run on.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{MissedTickBehavior, interval};

use super::Manager;
use crate::daemon::Daemon;
use crate::daemon::leaving::Phase;
use crate::daemon::tally::Tally;

/// How often the status is looked at.
const LOOKS: Duration = Duration::from_secs(1);
/// The shortest time between two pings.
const SHORTEST: Duration = Duration::from_millis(10);

/// What a daemon does just now, in words for people: no names, which are others' words.
pub fn status(daemon: &Daemon) -> String {
    let sockets = daemon.sockets().len();
    let recordings = daemon.live_count();
    match daemon.leaving().phase() >= Phase::Draining {
        true => format!("ending: {recordings} recordings are being closed"),
        false => format!("serving at {sockets} sockets, {recordings} recordings are being made"),
    }
}

/// Goes on until it is aborted.
pub async fn attend(manager: Arc<Manager>, daemon: Arc<Daemon>) {
    let status_told = tell_status(&manager, &daemon);
    let pinging = ping(&manager, daemon.tally());
    tokio::join!(status_told, pinging);
}

async fn tell_status(manager: &Manager, daemon: &Daemon) {
    let mut turns = turns(LOOKS);
    let mut told = status(daemon);
    loop {
        turns.tick().await;
        let now = status(daemon);
        if now != told && manager.status(&now) {
            told = now;
        }
    }
}

async fn ping(manager: &Manager, tally: &Tally) {
    let Some(patience) = manager.watchdog() else {
        return;
    };
    let mut turns = turns((patience / 4).max(SHORTEST));
    let mut stands = false;
    loop {
        turns.tick().await;
        let waiting = tally.waiting();
        if waiting <= patience / 2 {
            stands = false;
            manager.ping();
        } else if !stands {
            stands = true;
            tracing::error!(
                ?waiting,
                "the store does not take what is recorded: the service manager's watchdog is not pinged"
            );
        }
    }
}

fn turns(pace: Duration) -> tokio::time::Interval {
    let mut turns = interval(pace);
    turns.set_missed_tick_behavior(MissedTickBehavior::Delay);
    turns
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixDatagram;
    use std::sync::mpsc;

    use super::*;
    use crate::daemon::tally::tests::stands_until;

    #[tokio::test(flavor = "multi_thread")]
    async fn a_store_that_takes_nothing_is_not_pinged_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notify");
        let socket = UnixDatagram::bind(&path).unwrap();
        let pinged = |within: Duration| {
            let mut bytes = [0; 100];
            socket.set_read_timeout(Some(within)).unwrap();
            socket
                .recv(&mut bytes)
                .is_ok_and(|length| bytes[..length] == *b"WATCHDOG=1\n")
        };
        let patience = Duration::from_millis(200);
        let manager = Manager::at(Some(path.into_os_string()), Some(patience));
        let tally = Arc::new(Tally::default());
        let pinging = {
            let tally = Arc::clone(&tally);
            tokio::spawn(async move { ping(&manager, &tally).await })
        };
        let long = Duration::from_secs(10);
        assert!(pinged(long) && pinged(long));
        let (take, takes) = mpsc::channel();
        let recording = stands_until(&tally, takes);
        while tally.waiting() <= patience / 2 {
            std::thread::sleep(Duration::from_millis(1));
        }
        // One may be on its way, and some wait to be read.
        std::thread::sleep(patience);
        while pinged(Duration::from_millis(1)) {}
        assert!(!pinged(patience * 3));
        take.send(()).unwrap();
        recording.join().unwrap();
        assert!(pinged(long));
        pinging.abort();
    }
}
