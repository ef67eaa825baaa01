//! Declarative debugging: the search for the buggy call by questions about calls (design, section 5).
//!
//! In reading order:
//! - [`tree`]: the computation tree that is searched, as a trait over whoever has it, and the compact
//!   copy of it that a search works on;
//! - [`answers`]: what was said about calls, with undo and redo;
//! - [`known`]: answers that nobody was asked for;
//! - [`pointing`]: which calls can be to blame for what was pointed at, and [`values`]: asking about one value of a call;
//! - [`evidence`]: what was said of many calls at once, and [`passing`]: what runs that passed tell;
//! - [`suspicious`]: the suspicious set that follows from tree and answers, and how the search ends;
//! - [`strategy`], [`coverage`] and [`adaptive`]: which call is asked next;
//! - [`recorded`]: what the calls of a recording covered, and [`covered`]: what one of them did, entity by entity;
//! - [`statistics`]: how the calls stand;
//! - [`session`]: all of it together, and the part of it that is kept on disk;
//! - [`sessions`]: the sessions of a recording in its store.
//!
//! Nothing here knows of gRPC, or of what a call's state looks like: whoever asks a person shows
//! the call by means of `jhyde-history`, of which only slices are used here.

#![forbid(unsafe_code)]

mod belief;
mod bits;
mod keeper;
mod sets;
mod shelf;
mod weights;

pub mod adaptive;
pub mod answers;
pub mod coverage;
pub mod covered;
pub mod evidence;
pub mod known;
pub mod passing;
pub mod pointing;
pub mod recorded;
pub mod session;
pub mod sessions;
pub mod statistics;
pub mod strategy;
pub mod suspicious;
pub mod tree;
pub mod values;

pub use adaptive::Choice;
pub use answers::{Answer, Answers, Given, OneValue, Pointed};
pub use coverage::{Coverage, Entities};
pub use covered::{CallCoverage, CoverageError};
pub use evidence::{Changed, ChangedMethod, Evidence, Property, TrustedJar};
pub use known::{Against, Knowing, Knowledge, Known, Source};
pub use passing::{Passing, PassingRun, Ran};
pub use recorded::{RecordedCoverage, Stopped};
pub use session::{AnswerError, Kept, Progress, Session, SessionError};
pub use sessions::{Asked, Sessions, Standing, View};
pub use statistics::{ClassCounts, Statistics};
pub use strategy::Strategy;
pub use suspicious::{Classification, Suspicious};
pub use tree::{CallFacts, ComputationTree, Forest};
pub use values::{AskedValue, Verdict};
