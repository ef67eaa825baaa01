//! What a recording may cost: somebody looks now and then how large it is and how long it takes, and has the engine
//! record less, or ends it.
//!
//! Each limit counts by itself. It is reached at so much, and again at twice as much, three times as much, and so on: what
//! is recorded less costs less, and what is still too much is lowered again. The limit of slowness is reached by each stretch
//! of time in which the program was too slow.

use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use jhyde_capture::{Controller, STRETCH};
use jhyde_store::Recording;
use jhyde_trace::{AtLimit, CostLimits};

use crate::config::units::{ByteSize, Span, Times};

/// How often somebody looks. A recording of some MB a second goes over its limit by a part of one.
const LOOKS: Duration = Duration::from_millis(50);

/// A limit, and how often it was reached.
struct Limit {
    option: &'static str,
    /// As people write it.
    shown: String,
    most: u64,
    reached: u64,
}

impl Limit {
    fn new(option: &'static str, shown: String, most: u64) -> Self {
        Self {
            option,
            shown,
            most: most.max(1),
            reached: 0,
        }
    }

    /// Says that the limit is reached once more, if it is.
    fn look(&mut self, now: u64) -> Option<String> {
        let times = now / self.most;
        if times <= self.reached {
            return None;
        }
        self.reached = times;
        let Self { option, shown, .. } = self;
        Some(match times {
            1 => format!("{option} {shown} was reached"),
            times => format!("{option} {shown} was reached {times} times over"),
        })
    }
}

/// Says that the program was too slow in a stretch of time, if it was: both numbers in percent of its own time.
fn too_slow(most: u64, slowness: Option<u64>) -> Option<String> {
    let slowness = slowness.filter(|slowness| *slowness >= most)?;
    let (most, seconds) = (Times(most), STRETCH.as_secs());
    // Whole numbers say enough where they are large.
    let times = Times(if slowness < 1000 {
        slowness
    } else {
        slowness / 100 * 100
    });
    Some(format!(
        "--max-slowdown {most} was reached: for {seconds} s it took at least {times} times as long as by itself"
    ))
}

/// Looks until it is dropped.
pub(super) struct Watching {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Watching {
    fn drop(&mut self) {
        // The thread ends when nobody can send any more.
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            // A panic there is a bug that has been told; the recording is none the worse.
            let _ = thread.join();
        }
    }
}

/// Watches what a recording costs, from now on; nothing where it has no limits.
///
/// # Errors
/// No thread can be started.
pub(super) fn watch(
    recording: Arc<Recording>,
    limits: CostLimits,
    controller: Controller,
) -> std::io::Result<Option<Watching>> {
    let begun = Instant::now();
    let size = limits.bytes.map(|most| {
        let shown = ByteSize(most).to_string();
        Limit::new("--max-bytes", shown, most)
    });
    let time = limits.duration_ms.map(|most| {
        let shown = Span(Duration::from_millis(most)).to_string();
        Limit::new("--max-duration", shown, most)
    });
    if size.is_none() && time.is_none() && limits.slowdown_percent.is_none() {
        return Ok(None);
    }
    let (stop, stopped) = mpsc::channel::<()>();
    let (mut size, mut time) = (size, time);
    let look = move || {
        while stopped.recv_timeout(LOOKS) == Err(RecvTimeoutError::Timeout) {
            let took = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
            let reached = [
                size.as_mut()
                    .and_then(|limit| limit.look(recording.bytes_on_disk())),
                time.as_mut().and_then(|limit| limit.look(took)),
                limits
                    .slowdown_percent
                    .and_then(|most| too_slow(most, controller.take_slowness())),
            ];
            for reason in reached.into_iter().flatten() {
                tracing::info!(recording = recording.id(), reason, "a limit");
                match limits.at_limit {
                    AtLimit::Lower => controller.lower(reason),
                    AtLimit::End => controller.end_at_limit(reason),
                }
            }
        }
    };
    let thread = std::thread::Builder::new()
        .name("limits".to_owned())
        .spawn(look)?;
    Ok(Some(Watching {
        stop: Some(stop),
        thread: Some(thread),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_too_slow_from_the_limit_on() {
        assert_eq!(too_slow(150, None), None);
        assert_eq!(too_slow(150, Some(149)), None);
        let said = too_slow(150, Some(150)).expect("it is reached");
        assert!(
            said.contains("--max-slowdown 1.5 was reached") && said.contains("10 s"),
            "{said}"
        );
        let said = too_slow(2000, Some(3167)).expect("it is reached");
        assert!(
            said.ends_with("at least 31 times as long as by itself"),
            "{said}"
        );
    }

    #[test]
    fn a_limit_is_reached_at_so_much_and_at_twice_as_much_and_once_each() {
        let mut limit = Limit::new("--max-bytes", "1KB".to_owned(), 1000);
        let mut told = [999, 1000, 1500, 1999, 2000, 1900, 2100, 5000]
            .into_iter()
            .filter_map(|now| limit.look(now));
        assert_eq!(told.next().as_deref(), Some("--max-bytes 1KB was reached"));
        let next = told.next();
        assert_eq!(
            next.as_deref(),
            Some("--max-bytes 1KB was reached 2 times over")
        );
        let next = told.next();
        assert_eq!(
            next.as_deref(),
            Some("--max-bytes 1KB was reached 5 times over")
        );
        assert_eq!(told.next(), None);
    }
}
