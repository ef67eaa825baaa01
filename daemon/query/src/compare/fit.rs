//! Can two recordings be held against each other?

use std::collections::BTreeSet;

use jhyde_history::History;
use jhyde_store::Recording;
use jhyde_trace::Level;
use thiserror::Error;

use super::begins_late;
use crate::error::{Error, Result};

/// Why two recordings cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Unfit {
    /// They are one.
    #[error("a recording is not held against itself: name one of a run that was right")]
    Itself,
    /// One has not ended.
    #[error("{name} still runs: wait until it has ended (jhyde watch {name})")]
    Running {
        /// Its name.
        name: String,
    },
    /// Classes or the end of one cannot be read.
    #[error("{name} is damaged, and nothing is known from it: {reason}")]
    Damaged {
        /// Its name.
        name: String,
        /// What the store said.
        reason: String,
    },
    /// They were recorded at two levels.
    #[error(
        "{own} was recorded at level {level}, {name} at level {its_level}: record one of them again"
    )]
    OtherLevel {
        /// The one.
        own: String,
        /// Its level.
        level: Level,
        /// The other one.
        name: String,
        /// Its level.
        its_level: Level,
    },
    /// They have two scopes.
    #[error(
        "{own} and {name} were recorded with other --include and --exclude: record one of them again"
    )]
    OtherScope {
        /// The one.
        own: String,
        /// The other one.
        name: String,
    },
    /// They are of two programs.
    #[error("{own} and {name} have no recorded class in common: they are of different programs")]
    OtherProgram {
        /// The one.
        own: String,
        /// The other one.
        name: String,
    },
    /// One does not tell how its program began.
    #[error(
        "{name} does not begin with its program: jhyde was attached while calls ran, and which calls of the other one they are is not known; let jhyde \
         start the program (jhyde launch), or attach before it runs (suspend=y)"
    )]
    BeginsLate {
        /// Its name.
        name: String,
    },
}

impl Unfit {
    /// A stable word for programs.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Itself => "INVALID_ARGUMENT",
            Self::Running { .. } => "RUNNING",
            Self::Damaged { .. } => "DAMAGED",
            Self::OtherLevel { .. } => "OTHER_LEVEL",
            Self::OtherScope { .. } => "OTHER_SCOPE",
            Self::OtherProgram { .. } => "OTHER_PROGRAM",
            Self::BeginsLate { .. } => "BEGINS_LATE",
        }
    }
}

/// Are both of one program and recorded alike, and has the other one ended?
///
/// # Errors
/// [`Unfit`]; when a recording cannot be read; when nobody waits for what the other one is asked.
pub fn can_be_held_against(own: &Recording, asked: &History) -> Result<()> {
    let other = asked.recording();
    let (ours, theirs) = (own.meta(), other.meta());
    let (name, own_name) = (theirs.name.clone(), ours.name.clone());
    if own.id() == other.id() {
        return Err(Unfit::Itself.into());
    }
    if theirs.state.is_live() {
        return Err(Unfit::Running { name }.into());
    }
    if let Some(error) = other.lost_classes().or_else(|| other.lost_end()) {
        let reason = error.to_string();
        return Err(Unfit::Damaged { name, reason }.into());
    }
    if ours.options.level != theirs.options.level {
        return Err(Unfit::OtherLevel {
            own: own_name,
            level: ours.options.level,
            name,
            its_level: theirs.options.level,
        }
        .into());
    }
    let scope = |include: &[String], exclude: &[String]| {
        [include, exclude].map(|all| all.iter().cloned().collect::<BTreeSet<_>>())
    };
    if scope(&ours.options.include, &ours.options.exclude)
        != scope(&theirs.options.include, &theirs.options.exclude)
    {
        return Err(Unfit::OtherScope {
            own: own_name,
            name,
        }
        .into());
    }
    let classes = |recording: &Recording| -> Result<BTreeSet<String>> {
        let mut names = BTreeSet::new();
        for class in recording.classes() {
            asked.check()?;
            let class = recording.class(class)?;
            names.extend(class.filter(|c| c.in_scope).map(|c| c.name.clone()));
        }
        Ok(names)
    };
    if classes(own)?.is_disjoint(&classes(other)?) {
        return Err(Unfit::OtherProgram {
            own: own_name,
            name,
        }
        .into());
    }
    Ok(())
}

/// Can these two be compared from their beginnings to their ends?
///
/// # Errors
/// As [`can_be_held_against`], with which of the two it is that cannot.
pub fn fit(sides: [&History; 2]) -> Result<(), (usize, Error)> {
    // What has just begun has nothing of which it could be told what program it is of.
    for (side, history) in sides.into_iter().enumerate() {
        let meta = history.recording().meta();
        if meta.state.is_live() {
            let name = meta.name;
            return Err((side, Unfit::Running { name }.into()));
        }
    }
    for (own, other) in [(0_usize, 1_usize), (1, 0)] {
        can_be_held_against(sides[own].recording(), sides[other])
            .map_err(|error| (other, error))?;
    }
    for (side, history) in sides.into_iter().enumerate() {
        if begins_late(history).map_err(|error| (side, error))? {
            let name = history.recording().meta().name;
            return Err((side, Unfit::BeginsLate { name }.into()));
        }
    }
    Ok(())
}
