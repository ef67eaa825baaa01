//! Which gaps a recording has, by call: read once, when a call that differs is first asked about.

use std::ops::Range;
use std::sync::Arc;

use jhyde_store::Recording;
use jhyde_store::records::TimedEvent;
use jhyde_trace::{CallId, EventKind, Timestamp};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::error::Result;

/// Of a recording with more gaps those of a call are looked for each time: some 25 MB.
const MOST: usize = 1 << 18;

/// Something of a call was not recorded.
#[derive(Clone, Debug)]
pub(super) struct CallGap {
    /// Where that was noticed.
    pub(super) at: Timestamp,
    /// What was told before may be false.
    pub(super) back: bool,
    pub(super) reason: Arc<str>,
}

/// See the module.
#[derive(Debug)]
pub(super) enum Gaps {
    Of(FxHashMap<CallId, Vec<CallGap>>),
    /// They are too many, or cannot all be read.
    Many,
}

fn gap(event: TimedEvent, reasons: &mut FxHashSet<Arc<str>>) -> Option<(CallId, CallGap)> {
    let EventKind::Gap { reason, back } = event.event.kind else {
        return None;
    };
    // Most say the same.
    let reason = match reasons.get(reason.as_str()) {
        Some(known) => Arc::clone(known),
        None => {
            let reason: Arc<str> = reason.into();
            reasons.insert(Arc::clone(&reason));
            reason
        }
    };
    let at = event.timestamp;
    Some((event.event.call, CallGap { at, back, reason }))
}

impl Gaps {
    /// Those of a recording; `check` fails when nobody waits for them any more.
    pub(super) fn read(recording: &Recording, check: impl Fn() -> Result<()>) -> Result<Self> {
        let (mut of, mut reasons) = (FxHashMap::<_, Vec<_>>::default(), FxHashSet::default());
        for (count, event) in recording.gaps(Timestamp(0)..recording.end()).enumerate() {
            check()?;
            // What is damaged may be nothing of the calls that are asked about.
            let Ok(event) = event else {
                return Ok(Self::Many);
            };
            if count >= MOST {
                return Ok(Self::Many);
            }
            if let Some((call, gap)) = gap(event, &mut reasons) {
                of.entry(call).or_default().push(gap);
            }
        }
        Ok(Self::Of(of))
    }

    /// Those of a call that lived so long.
    pub(super) fn of(
        &self,
        recording: &Recording,
        call: CallId,
        life: &Range<Timestamp>,
        check: impl Fn() -> Result<()>,
    ) -> Result<Vec<CallGap>> {
        if let Self::Of(known) = self {
            return Ok(known.get(&call).cloned().unwrap_or_default());
        }
        let (mut found, mut reasons) = (Vec::new(), FxHashSet::default());
        for event in recording.gaps(life.clone()) {
            check()?;
            let event = event?;
            if event.event.call == call {
                found.extend(gap(event, &mut reasons).map(|(_, gap)| gap));
            }
        }
        Ok(found)
    }
}
