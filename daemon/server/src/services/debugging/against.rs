//! A recording held against another one: whether the two can be compared, and which calls are known from the beginning on.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use jhyde_debugging::{Against, Known};
use jhyde_history::History;
use jhyde_history::error::Result as HistoryResult;
use jhyde_query::Error;
use jhyde_query::compare::fit::{self, Unfit};
use jhyde_store::Recording;
use jhyde_trace::{CallId, Timestamp};
use tonic::Status;

use super::contents::Side;
use super::knowledge::{Knower, valid};
use crate::error::Kind;
use crate::services::history::status;
use crate::services::queries::status as query_status;
use crate::services::status::{invalid, with_details};

/// So long calls are looked up at the beginning, some hundreds of them; of the others those that would be asked.
const LONGEST: Duration = Duration::from_secs(2);
/// So long where it is known already where the runs go apart.
const SHORT: Duration = Duration::from_millis(500);
/// And no more once so many calls in a row did not agree, behind one that yielded something else: the runs have gone
/// apart.
const MOST_APART: usize = 200;

/// What is known from another recording at the beginning of a session.
pub(super) fn begin(knower: &Knower<'_>, other: History) -> Result<(Against, Vec<Known>), Status> {
    can_be_held_against(knower.recording(), &other, "against")?;
    let meta = other.recording().meta();
    let other = knower.side(other);
    let (known, differ) = look_up(knower, &other, &meta.name).map_err(status)?;
    let against = Against {
        id: meta.id,
        name: meta.name,
        differ,
    };
    Ok((against, known))
}

/// Are both of one program, and recorded alike? `field` names the other one in the request.
pub(super) fn can_be_held_against(
    own: &Recording,
    other: &History,
    field: &str,
) -> Result<(), Status> {
    fit::can_be_held_against(own, other).map_err(|error| no_fit(error, field))
}

/// Why two recordings, of which this field names one, cannot be held against each other.
pub(in crate::services) fn no_fit(error: Error, field: &str) -> Status {
    match error {
        Error::Unfit(of) => unfit(&of, field, of.to_string()),
        other => query_status(other),
    }
}

/// Why they do not fit, of which this is told.
pub(in crate::services) fn unfit(of: &Unfit, field: &str, told: String) -> Status {
    match of {
        Unfit::Itself => invalid(field, told),
        Unfit::Damaged { .. } => with_details(Kind::DataLoss, of.word(), Some(field), told),
        _ => with_details(Kind::FailedPrecondition, of.word(), Some(field), told),
    }
}

/// What was found so far by looking calls up.
struct Found<'a, 'k> {
    knower: &'a Knower<'k>,
    other: &'a Side<'k>,
    name: &'a str,
    known: BTreeMap<CallId, Known>,
    /// With their ends.
    differ: BTreeSet<(Timestamp, CallId)>,
}

/// What looking one call up told.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Told {
    /// It is known valid.
    Known,
    /// It was given the same there and yielded the same, by other code.
    Agrees,
    /// It was given the same there and yielded something else.
    Differs,
    /// No call there was given the same.
    Apart,
    /// It has no content.
    Nothing,
}

impl Found<'_, '_> {
    fn look_up(&mut self, call: CallId, exit: Timestamp) -> HistoryResult<Told> {
        let Some(content) = self.knower.content(call)? else {
            return Ok(Told::Nothing);
        };
        Ok(match self.knower.there(self.other, call, &content)? {
            Some(there) if there.is_equal => {
                let known = valid(call, self.name, there.call);
                self.known.insert(call, known);
                Told::Known
            }
            Some(there) if there.differs => {
                self.differ.insert((exit, call));
                Told::Differs
            }
            Some(_) => Told::Agrees,
            None => Told::Apart,
        })
    }

    /// Halves the calls of a call until the first is found that does not agree, and goes on in that one. What a call
    /// changed mostly stays changed, so that all behind the first one differ, too; where that is not so a later one
    /// may be found, which does no harm.
    fn halve(&mut self, root: CallId) -> HistoryResult<()> {
        /// Of more calls the first.
        const MOST_CHILDREN: usize = 100_000;
        let recording = self.knower.recording();
        let mut parent = root;
        loop {
            let children = recording.children(parent, None, MOST_CHILDREN)?;
            let ended = children.into_iter().filter(|child| !child.boundary);
            let ended: Vec<(CallId, Timestamp)> = ended
                .filter_map(|child| Some((child.id, child.exit?)))
                .collect();
            let (mut low, mut high) = (0, ended.len());
            let mut first = None;
            while low < high {
                let middle = low + (high - low) / 2;
                let (call, exit) = ended[middle];
                match self.look_up(call, exit)? {
                    Told::Known | Told::Agrees => low = middle + 1,
                    told => {
                        high = middle;
                        first = Some((call, told));
                    }
                }
            }
            match first {
                Some((call, Told::Differs | Told::Nothing)) => parent = call,
                // It was given something else, so who called it is to blame; or all agree.
                _ => return Ok(()),
            }
        }
    }

    /// Looks calls up in the order in which they began: below one that is known valid nothing is left to look at.
    fn walk(&mut self) -> HistoryResult<()> {
        let began = Instant::now();
        let longest = if self.differ.is_empty() {
            LONGEST
        } else {
            SHORT
        };
        let recording = self.knower.recording();
        let roots = recording.thread_ids().into_iter().map(CallId::root);
        // Calls whose children are looked at, and the child that was looked at last.
        let mut open: Vec<(CallId, Option<CallId>)> = roots.map(|root| (root, None)).collect();
        open.reverse();
        let mut apart = 0;
        while let Some((parent, last)) = open.last_mut() {
            let child = match recording.children(*parent, *last, 1) {
                // What damage hides is asked.
                Err(jhyde_store::Error::Damaged { .. }) => None,
                children => children?.pop(),
            };
            let Some(child) = child else {
                open.pop();
                continue;
            };
            *last = Some(child.id);
            let mut inside = child.size > 1;
            if let Some(exit) = child.exit.filter(|_| !child.boundary) {
                apart += 1;
                let is_apart = !self.differ.is_empty() && apart > MOST_APART;
                if began.elapsed() > longest || is_apart {
                    break;
                }
                if self.look_up(child.id, exit)? == Told::Known {
                    inside = false;
                    apart = 0;
                }
            }
            if inside {
                open.push((child.id, None));
            }
        }
        Ok(())
    }
}

/// Looks calls up: first where the two runs go apart, then one by one from the beginning.
fn look_up<'k>(
    knower: &Knower<'k>,
    other: &Side<'k>,
    name: &str,
) -> HistoryResult<(Vec<Known>, Vec<CallId>)> {
    let mut found = Found {
        knower,
        other,
        name,
        known: BTreeMap::new(),
        differ: BTreeSet::new(),
    };
    for thread in knower.recording().thread_ids() {
        match found.halve(CallId::root(thread)) {
            // What damage hides is asked.
            Err(jhyde_history::Error::Store(jhyde_store::Error::Damaged { .. })) => {}
            halved => halved?,
        }
    }
    found.walk()?;
    let differ = found.differ.into_iter().map(|(_, call)| call).collect();
    Ok((found.known.into_values().collect(), differ))
}
