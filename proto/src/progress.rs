//! What is told of a recording while it is made: how it goes, and how to record less where that takes too long.

use std::time::Duration;

use crate::v1::{Recording, RecordingOptions};
use crate::words::{count, plural};

/// The first word on how a recording goes comes after this, each further one after twice the time.
const FIRST_WORD: Duration = Duration::from_secs(5);
/// How long a recording may take before somebody is told how to record less.
const PATIENCE: Duration = Duration::from_secs(15);
/// Threads that tell fewer events than this in a second are held up by something else than the recording.
const BUSY_RATE: f64 = 2000.0;
/// Where the program has less than this part of the time for itself, it is told how to record less.
const SLOWED: f64 = 10.0;
/// So many classes are named.
const MOST_CLASSES: usize = 3;

/// What is told while a recording is made, in whole lines and ever more rarely: the terminal is the program's.
#[derive(Debug)]
pub struct Progress {
    next: Duration,
    /// When something was told, and how many events there were.
    last: (Duration, u64),
    advised: bool,
}

impl Default for Progress {
    fn default() -> Self {
        Self {
            next: FIRST_WORD,
            last: (Duration::ZERO, 0),
            advised: false,
        }
    }
}

/// How a recording goes.
#[derive(Clone, Debug, PartialEq)]
pub struct News {
    /// For people.
    pub text: String,
    /// It goes so slowly that the person should be told how to record less.
    pub is_slow: bool,
}

impl Progress {
    /// How it goes, if it is time to say so. `running` is how long it has been recorded; `worked` how long
    /// the program's own threads have had a processor, where that can be known.
    pub fn news(
        &mut self,
        recording: &Recording,
        running: Duration,
        worked: Option<Duration>,
    ) -> Option<News> {
        if running < self.next {
            return None;
        }
        self.next = running * 2;
        let (since, events) = self.last;
        self.last = (running, recording.events);
        let seconds = running.saturating_sub(since).as_secs_f64().max(0.001);
        let rate = recording.events.saturating_sub(events) as f64 / seconds;
        let slowdown = worked
            .map(|worked| running.as_secs_f64() / worked.as_secs_f64().max(0.01))
            .filter(|slowdown| rate >= BUSY_RATE && *slowdown >= 1.5);
        let slowed = match slowdown {
            Some(slowdown) => format!(", the program slowed about {slowdown:.0} times"),
            None => String::new(),
        };
        let is_slow = !self.advised
            && running >= PATIENCE
            && rate >= BUSY_RATE
            && slowdown.is_none_or(|slowdown| slowdown >= SLOWED);
        self.advised |= is_slow;
        let text = format!(
            "{}: {} s, {}, {} a second{slowed}",
            recording.name,
            running.as_secs(),
            plural(recording.events, "event"),
            count(rate as u64),
        );
        Some(News { text, is_slow })
    }
}

/// How to record less, for a recording with these options in which these classes were called so often.
pub fn advice(options: &RecordingOptions, mut classes: Vec<(String, u64)>) -> String {
    let total: u64 = classes.iter().map(|(_, calls)| calls).sum();
    classes.sort_by(|a, b| (b.1, &a.0).cmp(&(a.1, &b.0)));
    let costly: Vec<String> = classes
        .iter()
        .take(MOST_CLASSES)
        .filter(|(_, calls)| *calls > 0)
        .map(|(class, calls)| format!("{class} ({} %)", calls.saturating_mul(100) / total.max(1)))
        .collect();
    let fewer = match costly.as_slice() {
        [] => "--include PATTERN records less".to_owned(),
        costly => format!(
            "--include PATTERN or --exclude PATTERN records less (most calls so far: {})",
            costly.join(", ")
        ),
    };
    let depth = options.snapshots.and_then(|limits| limits.depth);
    match options.level.as_str() {
        "calls" if depth == Some(0) => format!("to be faster: {fewer}"),
        "calls" => format!("to be faster: --snapshot-depth 0 does not look into objects; {fewer}"),
        _ => format!("to be faster: --level calls leaves out what happens inside calls; {fewer}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::v1::SnapshotLimits;

    fn recording(events: u64) -> Recording {
        Recording {
            name: "main-2".to_owned(),
            events,
            ..Recording::default()
        }
    }

    #[test]
    fn progress_is_told_rarely_and_advice_once() {
        let mut progress = Progress::default();
        let second = Duration::from_secs(1);
        assert_eq!(progress.news(&recording(9), 4 * second, None), None);
        let news = progress
            .news(&recording(50_000), 5 * second, Some(second / 2))
            .unwrap();
        assert_eq!(
            news.text,
            "main-2: 5 s, 50,000 events, 10,000 a second, the program slowed about 10 times"
        );
        assert!(!news.is_slow, "too early");
        assert_eq!(progress.news(&recording(60_000), 9 * second, None), None);
        let slow = |news: Option<News>| news.unwrap().is_slow;
        // A program that waits for something else is not slow because of us.
        assert!(!slow(progress.news(
            &recording(50_001),
            15 * second,
            Some(second)
        )));
        let worked = Some(second);
        assert!(slow(progress.news(
            &recording(900_000),
            30 * second,
            worked
        )));
        assert!(!slow(progress.news(
            &recording(9_000_000),
            60 * second,
            worked
        )));
    }

    #[test]
    fn advice_names_what_costs_most() {
        let classes = [("a.B", 10), ("a.C", 80), ("a.D", 10), ("a.E", 0)];
        let classes = classes.map(|(name, calls)| (name.to_owned(), calls));
        let options = |level: &str, depth| RecordingOptions {
            level: level.to_owned(),
            snapshots: Some(SnapshotLimits {
                depth: Some(depth),
                ..SnapshotLimits::default()
            }),
            ..RecordingOptions::default()
        };
        let text = advice(&options("full", 3), classes.to_vec());
        assert!(
            text.contains("--level calls") && text.contains("a.C (80 %), a.B (10 %), a.D (10 %)"),
            "{text}"
        );
        let text = advice(&options("calls", 3), Vec::new());
        assert!(text.contains("--snapshot-depth 0") && !text.contains("--level"));
        assert!(!advice(&options("calls", 0), Vec::new()).contains("--snapshot"));
    }
}
