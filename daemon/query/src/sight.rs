//! What may have gone unseen in a part of the history: where nothing was found, that decides between "no" and "cannot
//! be told".

use std::sync::Arc;

use jhyde_store::Error as StoreError;
use jhyde_trace::{
    ClassId, EventKind, Level, Levels, MethodId, RecordingMeta, ThreadId, Timestamp,
};

use crate::error::Result;
use crate::prepared::Ask;

/// What of a span may be hidden, or false.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sight {
    /// Why something may have gone unseen, whatever it is.
    hidden: Option<String>,
    /// What a thread is told to have done from a time to another may be false: a gap says so that reaches back.
    doubted: Vec<(ThreadId, Timestamp, Timestamp)>,
    /// What of it may be false besides, where nobody records any more: a recording that runs is asked each time.
    levels: Option<Arc<Levels>>,
}

impl Sight {
    pub(crate) fn of(ask: &Ask<'_>) -> Result<Self> {
        let mut sight = Self::default();
        let (history, span) = (ask.history, ask.span);
        let recording = history.recording();
        let meta = recording.meta();
        if !meta.state.is_live() {
            sight.levels = Some(recording.levels_or_lowest());
        }
        let mut hide = |why: String| {
            sight.hidden.get_or_insert(why);
        };
        for gap in recording.gaps(Timestamp(0)..recording.end()) {
            history.check()?;
            let gap = match gap {
                Err(ref error @ StoreError::Damaged { from, to, .. }) => {
                    if from < span.until && to >= span.from {
                        let told = error.lost_events();
                        hide(told.unwrap_or_else(|| error.to_string()));
                    }
                    continue;
                }
                gap => gap?,
            };
            let EventKind::Gap { reason, back } = gap.event.kind else {
                continue;
            };
            let (at, call) = (gap.timestamp, gap.event.call);
            if back {
                let begin = match call.is_root() {
                    true => Timestamp(0),
                    false => match recording.call(call) {
                        // It began before, at any time.
                        Err(StoreError::Damaged { .. }) => Timestamp(0),
                        call => call?.enter,
                    },
                };
                if begin < span.until && at >= span.from {
                    sight.doubted.push((call.thread, begin, at));
                    hide(format!(
                        "what is told of call {call} may be false, as {at} shows: {reason}"
                    ));
                }
            } else if span.contains(at) {
                hide(format!(
                    "something was not recorded at {at} in call {call}: {reason}"
                ));
            }
        }
        let levels = recording.levels_or_lowest();
        let (after, to) = (Timestamp(span.from.0.saturating_sub(1)), span.last());
        if let Some(doubted) = levels
            .lowered()
            .find(|s| s.fact.doubted && s.touches(after, to))
        {
            hide(history.in_words(doubted));
        }
        if let Some(lost) = recording.lost_end().filter(|_| span.to_the_end) {
            hide(lost.to_string());
        }
        if span.to_the_end
            && let Some(end) = history.end_note()
        {
            hide(end);
        }
        if meta.was_reached_late() {
            hide(RecordingMeta::REACHED_LATE.to_owned());
        }
        if !meta.is_launched() && !span.from_is_said {
            hide(
                "the JVM was not started by jhyde: what it did before the recording began is not recorded \
                 (--from 0 asks about the recording alone)"
                    .to_owned(),
            );
        }
        Ok(sight)
    }

    /// Is what is told of a thread at a time certain? A recording that runs may come to doubt it while a query runs: it is asked each time.
    pub(crate) fn is_certain(&self, ask: &Ask<'_>, thread: ThreadId, at: Timestamp) -> bool {
        let in_doubt = |&(of, from, to): &(ThreadId, Timestamp, Timestamp)| {
            of == thread && from <= at && at <= to
        };
        let is_doubted = match &self.levels {
            Some(levels) => levels.doubted(at),
            None => ask.history.recording().levels_or_lowest().doubted(at),
        };
        !is_doubted && !self.doubted.iter().any(in_doubt)
    }

    /// May anything that is told be false?
    pub(crate) fn is_doubted(&self, ask: &Ask<'_>) -> bool {
        let levels = ask.history.recording().levels_or_lowest();
        !self.doubted.is_empty() || levels.facts().iter().any(|fact| fact.doubted)
    }

    /// Why something may have gone unseen that is recorded at a level: of a method, or anywhere.
    pub(crate) fn hides(
        &self,
        ask: &Ask<'_>,
        level: Level,
        of: Option<(ClassId, MethodId)>,
    ) -> Option<String> {
        let span = ask.span;
        let levels = ask.history.recording().levels_or_lowest();
        if levels.asked() < level {
            return Some(format!(
                "level {} does not record it: record with level {level}",
                levels.asked()
            ));
        }
        let (after, to) = (Timestamp(span.from.0.saturating_sub(1)), span.last());
        let mut below = levels.below(level);
        let lowered = below.find(|stretch| {
            let is_of = of.is_none_or(|(class, method)| stretch.fact.of.has(class, method));
            is_of && stretch.touches(after, to)
        });
        lowered
            .map(|stretch| ask.history.in_words(stretch))
            .or_else(|| self.hidden.clone())
            .or_else(|| ask.lost())
    }
}
