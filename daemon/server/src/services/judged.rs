//! What people said about calls, for statements in SQL: sessions, as the query floor wants them.

use std::sync::Arc;

use jhyde_debugging::{Known, Sessions, Source};
use jhyde_history::Error as HistoryError;
use jhyde_query::Result;
use jhyde_query::sql::{JudgedCall, JudgedSession, Judgements};
use jhyde_store::Recording;

/// The sessions of a recording.
#[derive(Debug)]
pub(super) struct SessionsOf {
    sessions: Arc<Sessions>,
    recording: Arc<Recording>,
}

impl SessionsOf {
    pub(super) fn new(sessions: Arc<Sessions>, recording: Arc<Recording>) -> Self {
        Self {
            sessions,
            recording,
        }
    }
}

impl Judgements for SessionsOf {
    fn sessions(&self) -> Result<(Vec<JudgedSession>, Vec<String>)> {
        let (mut all, mut notes) = (Vec::new(), Vec::new());
        let sessions = self.sessions.kept(&self.recording);
        for kept in sessions.map_err(HistoryError::from)? {
            let kept = match kept {
                Ok(kept) => kept,
                Err(error) => {
                    notes.push(error.to_string());
                    continue;
                }
            };
            let answers = &kept.answers;
            let given = answers.pointed().enumerate();
            let given = given.map(|(at, (given, pointed))| JudgedCall {
                call: given.call,
                answer: given.answer.name(),
                value: answers.value(at).map(|value| value.variable.clone()),
                wrong: pointed.map(|of| of.wrong.clone()).unwrap_or_default(),
                known_from: answers
                    .value(at)
                    .map(|value| value.remembered.clone())
                    .filter(|told| !told.is_empty()),
            });
            let known = answers.known().map(|known| JudgedCall {
                call: known.call,
                answer: known.answer.name(),
                value: None,
                wrong: Vec::new(),
                known_from: Some(source(known)),
            });
            all.push(JudgedSession {
                id: kept.id.clone(),
                created_ms: kept.created_ms,
                strategy: kept.strategy.name(),
                restriction: kept.restriction,
                answers: given.chain(known).collect(),
            });
        }
        Ok((all, notes))
    }
}

fn source(known: &Known) -> String {
    match &known.source {
        Source::Equal { to } => format!("the equal call {to}"),
        Source::Recording { recording, call } => {
            format!("the equal call {call} of the recording {recording}")
        }
        Source::Memory { told } => told.clone(),
        Source::Program { by } => format!("the program {by}"),
    }
}
