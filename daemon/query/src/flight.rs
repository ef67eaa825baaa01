//! How far an exception has flown: through the calls that it ended.

use jhyde_store::Recording;
use jhyde_trace::{CallId, Outcome, Timestamp, Value};

/// The call to which an exception has come by a time, from one in which it was seen: the first that it has not ended. Where it is thrown in another
/// one, somebody out of the recorded calls has caught it, and it is thrown once more.
pub(crate) fn arrives(
    recording: &Recording,
    exception: Value,
    seen_in: CallId,
    by: Timestamp,
) -> Result<CallId, jhyde_store::Error> {
    let mut call = seen_in;
    while !call.is_root() {
        let record = recording.call(call)?;
        let is_left = record.exit.is_some_and(|exit| exit < by);
        if !is_left || recording.outcome(&record)? != Some(Outcome::Threw(exception)) {
            break;
        }
        call = record.parent;
    }
    Ok(call)
}
