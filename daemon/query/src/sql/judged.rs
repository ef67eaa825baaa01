//! What people said about calls, as the tables `sessions` and `answers` have it. Sessions are kept on a floor beside this one: whoever keeps them hands
//! them in.

use std::fmt::Debug;

use jhyde_trace::CallId;

use crate::error::Result;

/// A debugging session as it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JudgedSession {
    /// Its id in its recording.
    pub id: String,
    /// Wall clock at its creation, in milliseconds since 1970-01-01 UTC.
    pub created_ms: u64,
    /// How its questions are chosen, by its word.
    pub strategy: &'static str,
    /// The call whose subtree is searched, if not all is.
    pub restriction: Option<CallId>,
    /// The answers in force: first those that were given, in that order, then those that were known without asking.
    pub answers: Vec<JudgedCall>,
}

/// What was said about a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JudgedCall {
    /// The call.
    pub call: CallId,
    /// The answer, by its word.
    pub answer: &'static str,
    /// The one value that it was about, in its written form.
    pub value: Option<String>,
    /// What was wrong, in written forms: somebody pointed at it.
    pub wrong: Vec<String>,
    /// From where it is known; none where somebody was asked.
    pub known_from: Option<String>,
}

/// Whoever knows the sessions of a recording.
pub trait Judgements: Debug + Send + Sync {
    /// All of them, and, for people, which could not be read and why.
    ///
    /// # Errors
    /// When the recording cannot be read.
    fn sessions(&self) -> Result<(Vec<JudgedSession>, Vec<String>)>;
}
