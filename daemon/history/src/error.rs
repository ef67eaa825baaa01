//! Why a question cannot be answered.

use jhyde_trace::echo::shown;
use jhyde_trace::{CallId, Timestamp};
use thiserror::Error;

/// The result of a question.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a question cannot be answered.
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// The recording could not be read, or has no such call, thread or event.
    #[error(transparent)]
    Store(#[from] jhyde_store::Error),
    /// Something that should name a call does not.
    #[error(
        "'{}' does not name a call; write THREAD.NUMBER (1.7) or METHOD#INVOCATION (merge#3, \
         MergeSort.merge#3, pkg.MergeSort.merge(II)V#3)",
        shown(.0)
    )]
    CallForm(String),
    /// No method that was called has this name.
    #[error(
        "no call of a method '{}' was recorded; `jhyde classes RECORDING --methods` (ListClasses) lists the methods",
        shown(.0)
    )]
    NoSuchMethod(String),
    /// The method has fewer calls.
    #[error(
        "there is no call {}: {} was called {calls} times so far, counted from 0",
        shown(.reference),
        shown(.method)
    )]
    NoSuchInvocation {
        /// What was asked for.
        reference: String,
        /// The method.
        method: String,
        /// How often it was called.
        calls: u64,
    },
    /// Several things have the name.
    #[error("'{}' may be any of: {}. Write the one that is meant", shown(.reference), .candidates.join(", "))]
    Ambiguous {
        /// What was asked for.
        reference: String,
        /// What it may be, each as it can be written.
        candidates: Vec<String>,
    },
    /// The root of a thread was given where a call is needed.
    #[error(
        "{0} is the root above the calls of its thread and no call itself; its calls count from 1"
    )]
    Root(CallId),
    /// Something that should name a variable does not.
    #[error(
        "'{}' does not name a variable; write CALL:local, CALL:this.field, CALL:return, CALL:exception, \
         object#12.field, array#3[2] or pkg.Cls.FIELD; `jhyde state RECORDING CALL` lists a call's variables",
        shown(.0)
    )]
    VariableForm(String),
    /// There is no such variable.
    #[error("there is no variable '{}': {reason}", shown(.variable))]
    NoSuchVariable {
        /// What was asked for.
        variable: String,
        /// What is not there.
        reason: String,
    },
    /// There is no such object.
    #[error("there is no object {0} in this recording")]
    NoSuchObject(u64),
    /// An interval that makes no sense.
    #[error("the interval from {from} to {to} makes no sense here: {reason}")]
    Interval {
        /// Its beginning.
        from: Timestamp,
        /// Its end.
        to: Timestamp,
        /// What is wrong with it.
        reason: String,
    },
    /// A page that is too long.
    #[error("a page of {0} rows is too long: ask for at most {max}", max = crate::page::MOST_ROWS)]
    PageSize(u32),
    /// A page token that is none, or belongs to another request.
    #[error(
        "the page token does not belong to this request: send the next_page_token of the answer before, \
         with everything else unchanged"
    )]
    PageToken,
    /// A search that would take too long.
    #[error("a budget of {0} variables is too much: ask for at most 1000000")]
    Budget(u32),
    /// A page that is to begin where the list has no place.
    #[error("the list cannot begin there: {0}")]
    Start(String),
    /// There is no class of this name.
    #[error(
        "no class '{}' was recorded; `jhyde classes RECORDING` (ListClasses) lists those that were",
        shown(.0)
    )]
    NoSuchClass(String),
    /// Something that should name a row with others inside does not.
    #[error(
        "'{}' does not name a row of an event list: loops and iterations are named as the list's rows say, \
         such as loop@120@7 or iteration@120@7@3",
        shown(.0)
    )]
    RowForm(String),
    /// There is no such row in an event list, or it has nothing inside.
    #[error(
        "there is no row '{}' with others inside in this call's event list: `jhyde events RECORDING CALL` (ListEvents) lists \
         its loops and iterations",
        shown(.0)
    )]
    NoSuchRow(String),
    /// Whoever asked does not wait for the answer any more.
    #[error("the question was cancelled")]
    Cancelled,
    /// The recording ended before a call did.
    #[error(
        "call {call} had not ended when the recording ended, so what it covers as a whole is not known: ask about a \
         call inside it{}", .end.as_ref().map(|end| format!("; {end}")).unwrap_or_default()
    )]
    Unended {
        /// The call.
        call: CallId,
        /// Why the recording ended, if it does not hold the whole run.
        end: Option<String>,
    },
    /// A recording at a level that has no events to follow a value by.
    #[error(
        "what a value came from is told at level full, and this is a recording at level {level}: record the program with --level full"
    )]
    NoSlice {
        /// The level.
        level: String,
    },
    /// A variable has no value that came from anywhere.
    #[error("what '{variable}' had at {at} came from nowhere that is recorded: {reason}")]
    NoValue {
        /// The variable.
        variable: String,
        /// The time.
        at: Timestamp,
        /// Why.
        reason: String,
    },
    /// A step that leads nowhere.
    #[error("from {from} there is no {what}{}", .end.as_ref().map(|end| format!("; {end}")).unwrap_or_default())]
    NoStep {
        /// Where it was asked for.
        from: Timestamp,
        /// What is not there.
        what: String,
        /// Why it may be missing: the recording does not hold the whole run.
        end: Option<String>,
    },
}

/// Whose mistake an [`enum@Error`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// What was named is not there.
    NotFound,
    /// What was asked is not written right.
    Invalid,
    /// What was asked is not there to be told.
    Impossible,
    /// Nobody's: whoever asked went away.
    Cancelled,
    /// The store's; ask its error.
    Store,
}

impl Error {
    /// Whose mistake it is.
    pub fn fault(&self) -> Fault {
        match self {
            Self::Store(_) => Fault::Store,
            Self::Cancelled => Fault::Cancelled,
            Self::Unended { .. } | Self::NoSlice { .. } => Fault::Impossible,
            Self::NoSuchMethod(_)
            | Self::NoSuchInvocation { .. }
            | Self::NoSuchVariable { .. }
            | Self::NoValue { .. }
            | Self::NoSuchObject(_)
            | Self::NoSuchClass(_)
            | Self::Root(_)
            | Self::NoSuchRow(_)
            | Self::NoStep { .. } => Fault::NotFound,
            Self::CallForm(_)
            | Self::Ambiguous { .. }
            | Self::VariableForm(_)
            | Self::RowForm(_)
            | Self::Interval { .. }
            | Self::PageSize(_)
            | Self::Start(_)
            | Self::Budget(_)
            | Self::PageToken => Fault::Invalid,
        }
    }
}
