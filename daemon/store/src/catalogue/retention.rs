//! Retention: which recordings must go so that the rest is within what is to be kept.
//!
//! Only the decision is made here, from what is known of each recording; so it can be shown before anything is
//! deleted. The oldest go first. A recording that is being made or that somebody uses never
//! goes; it counts among what is kept.

use std::fmt;

use jhyde_trace::RecordingMeta;

use crate::error::Error;

/// What is to be kept. Every limit that is given counts; without any, everything stays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Keep {
    /// Recordings that ended at most this many milliseconds ago.
    pub age_ms: Option<u64>,
    /// At most this many recordings.
    pub count: Option<u64>,
    /// At most this many bytes on disk, of all recordings together.
    pub bytes: Option<u64>,
}

/// A recording, as retention sees it.
#[derive(Clone, Debug)]
pub(crate) struct Subject {
    pub(crate) meta: RecordingMeta,
    pub(crate) in_use: bool,
    pub(crate) bytes: u64,
}

/// Why a recording goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// It ended too long ago.
    Age {
        /// How long ago, in milliseconds.
        ended_ago_ms: u64,
        /// How long it might have been.
        limit_ms: u64,
    },
    /// There are too many, and it is the oldest.
    Count {
        /// How many there are with it, the younger ones and those in use.
        there_are: u64,
        /// How many there might be.
        limit: u64,
    },
    /// They take too much room, and it is the oldest.
    Bytes {
        /// Bytes on disk of it, the younger ones and those in use.
        they_take: u64,
        /// How many it might be.
        limit: u64,
    },
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Age {
                ended_ago_ms,
                limit_ms,
            } => write!(
                f,
                "it ended {} s ago, {} s are kept",
                ended_ago_ms / 1000,
                limit_ms / 1000
            ),
            Self::Count { there_are, limit } => {
                write!(f, "it is the oldest of {there_are}, {limit} are kept")
            }
            Self::Bytes { they_take, limit } => write!(
                f,
                "it is the oldest of those that take {they_take} bytes, {limit} are kept"
            ),
        }
    }
}

/// A recording that goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Removal {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Bytes on disk.
    pub bytes: u64,
    /// Why it goes.
    pub reason: Reason,
}

/// What [`crate::Catalogue::plan_retention`] found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RetentionPlan {
    /// Recordings that go, the oldest first.
    pub remove: Vec<Removal>,
    /// Recordings that would go if they were not in use or still being made, the oldest first.
    pub spared: Vec<Removal>,
    /// Recordings that stay, those spared among them.
    pub kept: u64,
    /// Their bytes on disk.
    pub kept_bytes: u64,
}

/// What [`crate::Catalogue::apply_retention`] did.
#[derive(Clone, Debug, Default)]
pub struct RetentionReport {
    /// Recordings that are gone.
    pub deleted: Vec<Removal>,
    /// Recordings that should be gone and are not, and why.
    pub failed: Vec<(Removal, Error)>,
}

/// When it ended or, if it was cut, began: milliseconds since 1970-01-01 UTC. Where the clock jumped back
/// during the run, the later of both. What is still being made is younger than everything.
fn age_of(meta: &RecordingMeta) -> u64 {
    if meta.state.is_live() {
        return u64::MAX;
    }
    meta.ended_ms.unwrap_or(0).max(meta.created_ms)
}

/// Decides which recordings go.
pub(crate) fn plan(mut subjects: Vec<Subject>, keep: &Keep, now_ms: u64) -> RetentionPlan {
    subjects.sort_by(|a, b| {
        let key = |s: &Subject| (age_of(&s.meta), s.meta.created_ms);
        (key(a), &a.meta.id).cmp(&(key(b), &b.meta.id))
    });
    let mut plan = RetentionPlan {
        kept: subjects.len() as u64,
        kept_bytes: subjects.iter().map(|s| s.bytes).sum(),
        ..RetentionPlan::default()
    };
    for subject in subjects {
        let meta = &subject.meta;
        // A clock that was set back makes recordings of the future: they are new, not old.
        let ended_ago_ms = now_ms.saturating_sub(age_of(meta));
        let too_old = keep.age_ms.filter(|limit| ended_ago_ms > *limit);
        let too_many = keep.count.filter(|limit| plan.kept > *limit);
        let too_much = keep.bytes.filter(|limit| plan.kept_bytes > *limit);
        let reason = if let Some(limit_ms) = too_old {
            Reason::Age {
                ended_ago_ms,
                limit_ms,
            }
        } else if let Some(limit) = too_many {
            let there_are = plan.kept;
            Reason::Count { there_are, limit }
        } else if let Some(limit) = too_much {
            let they_take = plan.kept_bytes;
            Reason::Bytes { they_take, limit }
        } else {
            continue;
        };
        let removal = Removal {
            id: meta.id.clone(),
            name: meta.name.clone(),
            bytes: subject.bytes,
            reason,
        };
        if subject.in_use || meta.state.is_live() {
            plan.spared.push(removal);
        } else {
            plan.kept -= 1;
            plan.kept_bytes -= subject.bytes;
            plan.remove.push(removal);
        }
    }
    plan
}

#[cfg(test)]
mod tests {
    use jhyde_trace::{RecordingOptions, State};

    use super::*;

    fn subject(id: &str, ended_ms: u64, bytes: u64) -> Subject {
        let meta = RecordingMeta {
            id: id.to_owned(),
            name: id.to_uppercase(),
            created_ms: ended_ms - 10,
            ended_ms: Some(ended_ms),
            jvm: None,
            options: RecordingOptions::default(),
            state: State::Stopped,
            notes: Vec::new(),
        };
        Subject {
            meta,
            in_use: false,
            bytes,
        }
    }

    fn three() -> Vec<Subject> {
        vec![
            subject("new", 3000, 30),
            subject("old", 1000, 10),
            subject("mid", 2000, 20),
        ]
    }

    fn ids(removals: &[Removal]) -> Vec<&str> {
        removals.iter().map(|removal| removal.id.as_str()).collect()
    }

    #[test]
    fn without_limits_everything_stays() {
        let plan = plan(three(), &Keep::default(), u64::MAX);
        assert_eq!((plan.remove.len(), plan.kept, plan.kept_bytes), (0, 3, 60));
    }

    #[test]
    fn each_limit_takes_the_oldest_and_says_why() {
        let age = Keep {
            age_ms: Some(1500),
            ..Keep::default()
        };
        let by_age = plan(three(), &age, 3000);
        assert_eq!(ids(&by_age.remove), ["old"]);
        assert_eq!(
            by_age.remove[0].reason.to_string(),
            "it ended 2 s ago, 1 s are kept"
        );
        let count = Keep {
            count: Some(1),
            ..Keep::default()
        };
        let by_count = plan(three(), &count, 3000);
        assert_eq!(ids(&by_count.remove), ["old", "mid"]);
        assert_eq!((by_count.kept, by_count.kept_bytes), (1, 30));
        assert_eq!(
            by_count.remove[0].reason,
            Reason::Count {
                there_are: 3,
                limit: 1
            }
        );
        let bytes = Keep {
            bytes: Some(49),
            ..Keep::default()
        };
        assert_eq!(ids(&plan(three(), &bytes, 3000).remove), ["old", "mid"]);
        let bytes = Keep {
            bytes: Some(50),
            ..Keep::default()
        };
        assert_eq!(ids(&plan(three(), &bytes, 3000).remove), ["old"]);
    }

    #[test]
    fn what_is_in_use_or_running_is_spared_and_counts() {
        let mut subjects = three();
        subjects[1].in_use = true;
        subjects[2].meta.state = State::Running;
        subjects[2].meta.ended_ms = None;
        let keep = Keep {
            count: Some(0),
            ..Keep::default()
        };
        let plan = plan(subjects, &keep, 3000);
        assert_eq!(ids(&plan.spared), ["old", "mid"]);
        assert_eq!(ids(&plan.remove), ["new"]);
        assert_eq!(plan.kept, 2);
    }

    #[test]
    fn a_clock_that_was_set_back_makes_nothing_old() {
        let keep = Keep {
            age_ms: Some(0),
            ..Keep::default()
        };
        assert_eq!(ids(&plan(three(), &keep, 0).remove), [""; 0]);
    }
}
