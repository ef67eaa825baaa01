//! Properties in a session: the calls that do not have one are looked for when it is said, and otherwise when they would be asked.

use std::time::{Duration, Instant};

use jhyde_debugging::{Evidence, Property};
use jhyde_property::{Property as Expression, PropertyError, Verdict};
use jhyde_store::records::CallRecord;
use jhyde_trace::{CallId, Timestamp};
use tonic::Status;

use super::knowledge::Knower;
use crate::services::history::status;
use crate::services::status::invalid;

/// The field of requests that properties are in.
const FIELD: &str = "evidence.properties";
/// So long calls are looked at when properties are said, all of them together.
const LOOKED: Duration = Duration::from_secs(5);
/// So many calls are read at once.
const PAGE: usize = 1000;
/// So many calls are remembered of those that do not have a property: the first to have ended count.
const MOST_BROKEN: usize = 1000;

/// Properties with the calls that do not have them. What is known from before is not looked for again.
pub(super) fn understood(
    knower: &Knower<'_>,
    texts: Vec<String>,
    before: &Evidence,
) -> Result<Vec<Property>, Status> {
    let until = Instant::now() + LOOKED;
    let mut properties: Vec<Property> = Vec::new();
    for text in texts {
        if properties.iter().any(|known| known.text == text) {
            continue;
        }
        let known = before.properties.iter().find(|known| known.text == text);
        properties.push(match known {
            Some(known) => known.clone(),
            None => looked_for(knower, text, until)?,
        });
    }
    Ok(properties)
}

fn looked_for(knower: &Knower<'_>, text: String, until: Instant) -> Result<Property, Status> {
    let expression = Expression::new(knower, &text).map_err(refused)?;
    let mut found = Found::default();
    let mut whole = !knower.recording().meta().state.is_live();
    for method in expression.methods() {
        let mut next = 0;
        loop {
            let calls = knower.recording().calls_of_method(method, next, PAGE);
            let calls = calls.map_err(|error| status(error.into()))?;
            let Some(last) = calls.last() else { break };
            next = last.invocation + 1;
            for call in &calls {
                if knower
                    .cancelled()
                    .load(std::sync::atomic::Ordering::Relaxed)
                {
                    return Err(Status::cancelled("the question was cancelled"));
                }
                found.look(&expression, call)?;
                whole &= Instant::now() < until;
            }
            if !whole && Instant::now() >= until {
                break;
            }
        }
    }
    // What makes sense for no call at all is a slip.
    if let (Some((told, column)), 0) = (&found.mistaken, found.sensible) {
        return Err(refused(expression.wrong(*column, told.clone())));
    }
    found.broken.sort_unstable();
    found.broken.truncate(MOST_BROKEN);
    Ok(Property {
        text,
        broken: found.broken.into_iter().map(|(_, call)| call).collect(),
        looked: found.looked,
        undecided: found.undecided,
        why: found.why,
        whole,
    })
}

#[derive(Default)]
struct Found {
    broken: Vec<(Timestamp, CallId)>,
    looked: u64,
    undecided: u64,
    why: String,
    sensible: u64,
    mistaken: Option<(String, usize)>,
}

impl Found {
    fn look(&mut self, expression: &Expression, call: &CallRecord) -> Result<(), Status> {
        let (Some(verdict), Some(exit)) = (expression.check(call).map_err(status)?, call.exit)
        else {
            return Ok(());
        };
        self.looked += 1;
        let why = match verdict {
            Verdict::Holds => {
                self.sensible += 1;
                return Ok(());
            }
            Verdict::Broken => {
                self.sensible += 1;
                self.broken.push((exit, call.id));
                return Ok(());
            }
            Verdict::Undecided(why) => {
                self.sensible += 1;
                why
            }
            Verdict::Mistaken(told, column) => {
                let why = format!("it makes no sense there: {told}");
                self.mistaken.get_or_insert((told, column));
                why
            }
        };
        self.undecided += 1;
        if self.why.is_empty() {
            self.why = format!("call {}: {why}", call.id);
        }
        Ok(())
    }
}

fn refused(error: PropertyError) -> Status {
    match error {
        PropertyError::History(error) => status(error),
        error => invalid(FIELD, error.to_string()),
    }
}

/// The property that a call does not have, of those that not all calls were looked at for: its position.
pub(super) fn broken_by(
    knower: &Knower<'_>,
    evidence: &Evidence,
    call: CallId,
) -> Result<Option<usize>, jhyde_history::Error> {
    let record = knower.recording().call(call)?;
    for (at, property) in evidence.properties.iter().enumerate() {
        if property.whole || property.broken.contains(&call) {
            continue;
        }
        let expression = match Expression::new(knower, &property.text) {
            Ok(expression) => expression,
            Err(PropertyError::History(error)) => return Err(error),
            // It was understood before; whatever became of it, it says nothing.
            Err(_) => continue,
        };
        if expression.check(&record)? == Some(Verdict::Broken) {
            return Ok(Some(at));
        }
    }
    Ok(None)
}

/// What was found, for people.
pub(super) fn notes(evidence: &Evidence) -> impl Iterator<Item = String> {
    evidence.properties.iter().map(|property| {
        let Property {
            text,
            broken,
            looked,
            undecided,
            why,
            whole,
        } = property;
        let more = if broken.len() == MOST_BROKEN {
            " or more"
        } else {
            ""
        };
        let mut note = format!("{text}: false for {}{more} of {looked} calls", broken.len());
        if *undecided > 0 {
            note.push_str(&format!(", undecided for {undecided} ({why})"));
        }
        if !whole {
            note.push_str("; other calls are looked at when they would be asked");
        }
        note
    })
}
