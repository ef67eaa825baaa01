//! Pointing: which calls can be to blame for what somebody said was wrong.

use jhyde_history::History;
use jhyde_history::error::Result;
use jhyde_history::slice::blame::Blame;
use jhyde_trace::{CallId, Variable};

use crate::answers::Pointed;

/// For values that were wrong when a call ended.
///
/// # Errors
/// When one of them is not there, or the recording cannot be read.
pub fn wrong(history: &History, call: CallId, variables: &[Variable]) -> Result<Pointed> {
    let size = history.recording().call(call)?.size;
    let (blame, _) = history.blame(call, variables)?;
    let forms = variables
        .iter()
        .map(|variable| history.written_form(*variable));
    Ok(Pointed {
        wrong: forms.collect::<Result<_>>()?,
        kept: ranges(&blame, call, size),
        uncut: blame.all,
    })
}

/// For a call that should never have been made so.
///
/// # Errors
/// As [`wrong`].
pub fn inadmissible(history: &History, call: CallId) -> Result<Pointed> {
    let recording = history.recording();
    let blame = history.blame_for_arguments(call)?;
    let path = recording.path(call)?;
    let outermost = match path.first() {
        Some(outermost) => *outermost,
        None => recording.call(call)?,
    };
    let mut kept = ranges(&blame, outermost.id, outermost.size);
    let thread = outermost.id.thread;
    // Nothing was looked for outside of that.
    kept.insert(0, (thread.0, 0, outermost.id.preorder));
    kept.push((thread.0, outermost.id.preorder + outermost.size, u64::MAX));
    let others = recording.thread_ids().into_iter();
    kept.extend(
        others
            .filter(|id| *id != thread)
            .map(|id| (id.0, 0, u64::MAX)),
    );
    Ok(Pointed {
        wrong: Vec::new(),
        kept,
        uncut: blame.all,
    })
}

/// The calls of a subtree that can be to blame, as ranges of numbers.
fn ranges(blame: &Blame, call: CallId, size: u64) -> Vec<(u32, u64, u64)> {
    let mut ranges: Vec<(u32, u64, u64)> = Vec::new();
    for preorder in call.preorder..call.preorder + size {
        if !blame.holds(CallId { preorder, ..call }) {
            continue;
        }
        match ranges.last_mut() {
            Some((_, _, end)) if *end == preorder => *end += 1,
            _ => ranges.push((call.thread.0, preorder, preorder + 1)),
        }
    }
    ranges
}
