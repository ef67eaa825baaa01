//! The service `Daemon`: what the daemon does just now, and its end.

use std::sync::Arc;

use jhyde_debugging::Sessions;
use jhyde_proto::v1;
use tonic::{Request, Response, Status};

use crate::daemon::Daemon;
use crate::daemon::leaving::Phase;
use crate::error::Kind;
use crate::services::status::with_details;

/// See the module.
#[derive(Debug)]
pub struct DaemonService {
    daemon: Arc<Daemon>,
    sessions: Arc<Sessions>,
}

impl DaemonService {
    /// The service over this daemon and its sessions.
    pub fn new(daemon: Arc<Daemon>, sessions: Arc<Sessions>) -> Self {
        Self { daemon, sessions }
    }
}

#[tonic::async_trait]
impl v1::daemon_server::Daemon for DaemonService {
    async fn get_status(
        &self,
        _: Request<v1::GetStatusRequest>,
    ) -> Result<Response<v1::DaemonStatus>, Status> {
        let daemon = &self.daemon;
        Ok(Response::new(v1::DaemonStatus {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            pid: std::process::id(),
            started_ms: daemon.started_ms(),
            data: daemon.options().data.display().to_string(),
            sockets: daemon.sockets(),
            recordings: daemon.live_names(),
            sessions: u64::try_from(self.sessions.held()).unwrap_or(u64::MAX),
            stopping: daemon.leaving().phase() > Phase::Serving,
        }))
    }

    async fn stop(
        &self,
        _: Request<v1::StopDaemonRequest>,
    ) -> Result<Response<v1::StopDaemonResponse>, Status> {
        let recordings = self.daemon.live_names();
        let leaving = self.daemon.leaving();
        if !leaving.ask() {
            return Err(with_details(
                Kind::FailedPrecondition,
                "ENDS_WITH_ITS_PROGRAM",
                None,
                format!(
                    "this daemon (process {}) records a program for the command that it belongs to, and ends with that; \
                     jhyde detach ends the recording and lets the program run on",
                    std::process::id()
                ),
            ));
        }
        tracing::info!("asked to end");
        let not_closed = match leaving.reached(Phase::Closed(0)).await {
            Phase::Closed(left) => u32::try_from(left).unwrap_or(u32::MAX),
            _ => 0,
        };
        Ok(Response::new(v1::StopDaemonResponse {
            recordings,
            not_closed,
        }))
    }
}
