//! The contents of calls, by recording: what was worked out once is kept for the questions to come.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use jhyde_history::History;
use jhyde_history::content::{CallContent, Compared, Comparer};
use jhyde_history::error::Result;
use jhyde_trace::CallId;

/// Contents of calls of recordings that have ended: nothing changes them any more.
#[derive(Debug, Default)]
pub(super) struct Contents(Mutex<HashMap<(String, CallId), Option<CallContent>>>);

/// So many are kept, some 300 bytes each; then all go.
const MOST_KEPT: usize = 50_000;

impl Contents {
    fn kept(&self, key: &(String, CallId)) -> Option<Option<CallContent>> {
        // Every entry is put in at once: what a panic elsewhere left is whole.
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.get(key).cloned()
    }

    fn keep(&self, key: (String, CallId), content: Option<CallContent>) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= MOST_KEPT {
            kept.clear();
        }
        kept.insert(key, content);
    }
}

/// One recording whose calls are compared, for one request.
#[derive(Debug)]
pub(super) struct Side<'a> {
    pub(super) history: History,
    contents: &'a Contents,
    /// Made when the first call is looked at.
    comparer: Mutex<Option<Comparer>>,
}

impl<'a> Side<'a> {
    pub(super) fn new(history: History, contents: &'a Contents) -> Self {
        Self {
            history,
            contents,
            comparer: Mutex::default(),
        }
    }

    /// The content of a call, if it has one.
    pub(super) fn content(&self, call: CallId) -> Result<Option<CallContent>> {
        let recording = self.history.recording();
        let key = (recording.id().to_owned(), call);
        if let Some(known) = self.contents.kept(&key) {
            return Ok(known);
        }
        let ended = !recording.meta().state.is_live();
        let mut comparer = self.comparer.lock().unwrap_or_else(PoisonError::into_inner);
        let comparer = match comparer.as_mut() {
            Some(comparer) => comparer,
            None => comparer.insert(Comparer::new(self.history.clone())?),
        };
        let content = match comparer.content(call)? {
            Compared::Content(content) => Some(content),
            Compared::Not(_) => None,
        };
        if ended {
            self.contents.keep(key, content.clone());
        }
        Ok(content)
    }
}
