//! How calls stand in a debugging session.

use std::sync::Arc;

use jhyde_debugging::{Asked, Sessions};
use jhyde_history::History;
use jhyde_proto::v1;
use jhyde_trace::CallId;
use tonic::Status;

use crate::services::{debugging, to_proto};

/// The session that a stream of calls tells of.
#[derive(Debug)]
pub(super) struct Told {
    pub(super) sessions: Arc<Sessions>,
    /// Empty: none.
    pub(super) session: String,
}

impl Told {
    pub(super) fn tell(&self, history: &History, calls: &mut [v1::Call]) -> Result<(), Status> {
        tell(&self.sessions, history, &self.session, calls).map(drop)
    }
}

/// Adds to calls how they stand in a session, if one is named. Answers with what all that is suspicious weighs, where its
/// strategy weighs calls.
pub(super) fn tell(
    sessions: &Sessions,
    history: &History,
    session: &str,
    calls: &mut [v1::Call],
) -> Result<Option<f64>, Status> {
    if session.is_empty() {
        return Ok(None);
    }
    let ids: Vec<CallId> = calls
        .iter()
        .map(|call| history.resolve_call(&call.id).map_err(super::status))
        .collect::<Result<_, _>>()?;
    let asked = Asked::new(history.recording(), history.cancelled());
    let (standings, all) = sessions
        .standings(asked, session, &ids)
        .map_err(debugging::status)?;
    for (call, standing) in calls.iter_mut().zip(standings) {
        call.set_classification(to_proto::classification(standing.classification));
        call.suspicious = Some(standing.suspicious);
        call.weight = standing.weight;
    }
    Ok(all)
}
