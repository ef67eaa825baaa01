//! What is looked up when somebody scrapes.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::fs::statvfs;

use super::{Metrics, Seen};
use crate::access::gate::Access;
use crate::daemon::words;
use crate::serve::Activity;
use crate::serve::certificates::Tls;

/// How long what the data folder takes is believed: to find out, all of it is walked over.
const DISK_BELIEVED: Duration = Duration::from_secs(15);

/// Bytes of a block that `stat` counts in.
const BLOCK: u64 = 512;

/// All that is looked at.
#[derive(Debug)]
pub(crate) struct Sight {
    access: Arc<Access>,
    activity: Arc<Activity>,
    tls: Option<Arc<Tls>>,
    /// What the folder took, and when. Held while somebody scrapes, so that it is one at a time.
    disk: Mutex<Option<(Instant, u64)>>,
}

impl Sight {
    pub(crate) fn new(access: Arc<Access>, activity: Arc<Activity>, tls: Option<Arc<Tls>>) -> Self {
        Self {
            access,
            activity,
            tls,
            disk: Mutex::default(),
        }
    }

    /// All metrics as text, as they stand now. Looks at the disk.
    pub(crate) fn text(&self) -> String {
        let mut disk = self.disk.lock().unwrap_or_else(PoisonError::into_inner);
        let Seen { metrics, audit } = &**self.access.seen();
        let daemon = self.access.daemon();
        let options = daemon.options();

        let tally = daemon.tally();
        let (lines, lost) = audit.count();
        for (counter, count) in [
            (&metrics.events, tally.events()),
            (&metrics.told, tally.burden().told()),
            (&metrics.stops, tally.burden().stops()),
            (&metrics.audit_lines, lines),
            (&metrics.audit_lost, lost),
        ] {
            counter.inc_by(count.saturating_sub(counter.get()));
        }
        for (counter, time) in [
            (&metrics.store_wait, tally.waited()),
            (&metrics.standstill, tally.burden().time()),
        ] {
            counter.inc_by((time.as_secs_f64() - counter.get()).max(0.0));
        }
        metrics
            .connections
            .set(signed(self.activity.connections() as u64));
        metrics.answers.set(signed(daemon.answers() as u64));
        metrics.started.set(seconds(daemon.started_ms()));

        metrics.recordings.reset();
        for state in words::STATES {
            metrics.recordings.with_label_values(&[*state]).set(0);
        }
        for meta in daemon.list() {
            let state = words::state(&meta.state);
            metrics.recordings.with_label_values(&[state]).inc();
        }

        metrics.memory.set(signed(resident().unwrap_or(0)));
        metrics.memory_bound.set(signed(options.memory_bytes));
        let used = match *disk {
            Some((when, used)) if when.elapsed() < DISK_BELIEVED => used,
            _ => disk.insert((Instant::now(), used(&options.data))).1,
        };
        metrics.disk_used.set(signed(used));
        match statvfs(&options.data) {
            Ok(found) => {
                let free = found.f_bavail.saturating_mul(found.f_frsize);
                metrics.disk_free.set(signed(free));
            }
            Err(error) => tracing::debug!(%error, "cannot tell what is free on the disk"),
        }
        self.ends(metrics);
        metrics.text()
    }

    /// Of certificates and tokens.
    fn ends(&self, metrics: &Metrics) {
        if let Some(tls) = &self.tls {
            let (server, authority) = tls.ends();
            metrics.certificates.reset();
            let ends = |which, ends| {
                let certificate = metrics.certificates.with_label_values(&[which]);
                certificate.set(ends);
            };
            ends("server", server);
            if let Some(authority) = authority {
                ends("client_ca", authority);
            }
        }
        let count = self.access.tokens().count();
        for (state, count) in [
            ("good", count.good),
            ("expired", count.expired),
            ("revoked", count.revoked),
        ] {
            metrics.tokens.with_label_values(&[state]).set(count.into());
        }
        metrics.next_token.reset();
        if let Some(ends) = count.next_end_ms {
            metrics
                .next_token
                .with_label_values::<&str>(&[])
                .set(signed(ends / 1000));
        }
    }
}

fn signed(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

fn seconds(ms: u64) -> f64 {
    Duration::from_millis(ms).as_secs_f64()
}

/// Bytes of memory that the process has (proc(5), `VmRSS`).
fn resident() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: u64 = line.trim().trim_end_matches("kB").trim_end().parse().ok()?;
    kib.checked_mul(1024)
}

/// Bytes on disk of a folder and all in it. What goes meanwhile is not counted.
fn used(folder: &Path) -> u64 {
    let mut folders = vec![folder.to_owned()];
    let mut bytes = 0_u64;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            // Of a link itself, not of what it leads to.
            let Ok(found) = entry.metadata() else {
                continue;
            };
            bytes = bytes.saturating_add(found.blocks().saturating_mul(BLOCK));
            if found.is_dir() {
                folders.push(entry.path());
            }
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_takes_what_is_in_it_and_the_process_some_memory() {
        let folder = tempfile::tempdir().unwrap();
        let below = folder.path().join("a/b");
        fs::create_dir_all(&below).unwrap();
        let before = used(folder.path());
        fs::write(below.join("c"), vec![1; 100_000]).unwrap();
        std::os::unix::fs::symlink("/", below.join("all")).unwrap();
        let more = used(folder.path()) - before;
        assert!((100_000..200_000).contains(&more), "{more}");
        assert!(resident().is_some_and(|bytes| bytes > 1 << 20));
    }
}
