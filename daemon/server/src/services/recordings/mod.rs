//! The service `Recordings`: making and keeping recordings.

mod added;
mod archive;
mod convert;
mod keeping;
mod launch;
mod watch;

use std::sync::Arc;
use std::time::Duration;

use jhyde_capture::Ending;
use jhyde_proto::v1;
use jhyde_proto::v1::recordings_server::Recordings;
use jhyde_trace::RecordingMeta;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Response, Status, Streaming};

use crate::access::{Caller, caller};
use crate::daemon::Daemon;
use crate::daemon::live;
use crate::daemon::record::{AttachRequest, ListenRequest, blocking};
use crate::error::Kind;
use crate::services::parts::Answer;
use crate::services::status::{invalid, with_details};

pub use convert::recording;

/// Recordings per page when nothing is said, and at most.
const PAGE: (usize, usize) = (100, 1000);

/// See the module.
#[derive(Debug)]
pub struct RecordingsService {
    daemon: Arc<Daemon>,
}

impl RecordingsService {
    /// The service over this daemon.
    pub fn new(daemon: Arc<Daemon>) -> Self {
        Self { daemon }
    }

    async fn described(&self, id: String) -> Result<Response<v1::Recording>, Status> {
        let daemon = Arc::clone(&self.daemon);
        let description = blocking(move || daemon.describe(&id)).await?;
        Ok(Response::new(recording(&description)))
    }

    /// What a live recording is now, or was at its end.
    async fn of_live(&self, live: &live::Live) -> Result<Response<v1::Recording>, Status> {
        let status = live.status().borrow().clone();
        match status {
            live::Status::Ended(description) | live::Status::Gone(description) => {
                Ok(Response::new(recording(&description)))
            }
            live::Status::Waiting | live::Status::Running => self.described(live.id.clone()).await,
        }
    }

    async fn end(
        &self,
        request: Request<v1::GetRecordingRequest>,
        ending: Ending,
    ) -> Result<Response<v1::Recording>, Status> {
        let name = named(request.into_inner().recording)?;
        let description = self.daemon.end(&name, ending).await?;
        Ok(Response::new(recording(&description)))
    }
}

#[tonic::async_trait]
impl Recordings for RecordingsService {
    async fn attach(
        &self,
        request: Request<v1::AttachRequest>,
    ) -> Result<Response<v1::Recording>, Status> {
        let caller = caller(&request);
        let request = request.into_inner();
        may_name_source(&caller, request.options.as_ref())?;
        let request = AttachRequest {
            address: request.address,
            name: request.name,
            wanted: convert::wanted(request.options),
        };
        // Dropped with the request: a client that goes away leaves no recording behind.
        let live = self.daemon.attach(request).await?;
        self.of_live(&live).await
    }

    async fn listen(
        &self,
        request: Request<v1::ListenRequest>,
    ) -> Result<Response<v1::Recording>, Status> {
        let caller = caller(&request);
        let request = request.into_inner();
        may_name_source(&caller, request.options.as_ref())?;
        let port = u16::try_from(request.port).map_err(|_| {
            invalid(
                "port",
                format!("{} is not a port; use 0 to 65535", request.port),
            )
        })?;
        let program = convert::program_of(&request.command);
        let request = ListenRequest {
            port,
            name: request.name,
            wanted: convert::wanted(request.options),
            timeout: (request.timeout_ms > 0).then(|| Duration::from_millis(request.timeout_ms)),
            command: request.command,
            program,
        };
        let daemon = Arc::clone(&self.daemon);
        let live = blocking(move || daemon.listen(request)).await?;
        self.of_live(&live).await
    }

    type LaunchStream = ReceiverStream<Result<v1::LaunchEvent, Status>>;

    async fn launch(
        &self,
        request: Request<v1::LaunchRequest>,
    ) -> Result<Response<Self::LaunchStream>, Status> {
        launch::launch(Arc::clone(&self.daemon), request.into_inner())
            .await
            .map(Response::new)
    }

    async fn list(
        &self,
        request: Request<v1::ListRecordingsRequest>,
    ) -> Result<Response<v1::ListRecordingsResponse>, Status> {
        let caller = caller(&request);
        let request = request.into_inner();
        let size = match request.page_size as usize {
            0 => PAGE.0,
            size if size <= PAGE.1 => size,
            size => {
                return Err(invalid(
                    "page_size",
                    format!("{size} is over the limit of {}", PAGE.1),
                ));
            }
        };
        let after = convert::list_token(&request.page_token)?;
        let daemon = Arc::clone(&self.daemon);
        let response = blocking(move || {
            let mut rest: Vec<Listed> = daemon
                .list()
                .into_iter()
                .map(|meta| Listed::Readable(Box::new(meta)))
                .collect();
            if caller.is_restricted() {
                rest.retain(
                    |listed| matches!(listed, Listed::Readable(meta) if caller.may_see(&meta.name)),
                );
            } else {
                let unreadable = daemon.unreadable().into_iter();
                rest.extend(unreadable.map(|(id, why)| Listed::Unreadable(id, why)));
            }
            rest.sort_by(|a, b| b.place().cmp(&a.place()));
            if let Some((created_ms, id)) = &after {
                rest.retain(|listed| listed.place() < (*created_ms, id.as_str()));
            }
            let next = (rest.len() > size).then(|| rest.get(size - 1)).flatten();
            let next = next.map(|listed| convert::list_token_of(listed.place()));
            let next_page_token = next.unwrap_or_default();
            rest.truncate(size);
            let described = |listed| match listed {
                Listed::Readable(meta) => recording(&daemon.describe_meta(*meta)),
                Listed::Unreadable(id, why) => convert::unreadable(id, why),
            };
            let recordings = rest.into_iter().map(described).collect();
            Ok(v1::ListRecordingsResponse {
                recordings,
                next_page_token,
            })
        })
        .await?;
        Ok(Response::new(response))
    }

    async fn get(
        &self,
        request: Request<v1::GetRecordingRequest>,
    ) -> Result<Response<v1::Recording>, Status> {
        self.described(named(request.into_inner().recording)?).await
    }

    type WatchStream = ReceiverStream<Result<v1::Recording, Status>>;

    async fn watch(
        &self,
        request: Request<v1::GetRecordingRequest>,
    ) -> Result<Response<Self::WatchStream>, Status> {
        let name = named(request.into_inner().recording)?;
        watch::watch(Arc::clone(&self.daemon), name)
            .await
            .map(Response::new)
    }

    async fn stop(
        &self,
        request: Request<v1::GetRecordingRequest>,
    ) -> Result<Response<v1::Recording>, Status> {
        self.end(request, Ending::Stop).await
    }

    async fn detach(
        &self,
        request: Request<v1::GetRecordingRequest>,
    ) -> Result<Response<v1::Recording>, Status> {
        self.end(request, Ending::Detach).await
    }

    async fn report_exit(
        &self,
        request: Request<v1::ReportExitRequest>,
    ) -> Result<Response<v1::Recording>, Status> {
        let request = request.into_inner();
        let name = named(request.recording)?;
        let daemon = Arc::clone(&self.daemon);
        let description = blocking(move || daemon.report_exit(&name, request.exit_code)).await?;
        Ok(Response::new(recording(&description)))
    }

    async fn delete(
        &self,
        request: Request<v1::GetRecordingRequest>,
    ) -> Result<Response<v1::DeleteRecordingResponse>, Status> {
        let name = named(request.into_inner().recording)?;
        let daemon = Arc::clone(&self.daemon);
        let bytes = blocking(move || daemon.delete(&name)).await?;
        Ok(Response::new(v1::DeleteRecordingResponse { bytes }))
    }

    type ExportStream = Answer<v1::ExportChunk>;

    async fn export(
        &self,
        request: Request<v1::GetRecordingRequest>,
    ) -> Result<Response<Self::ExportStream>, Status> {
        let name = named(request.into_inner().recording)?;
        let file = archive::export(Arc::clone(&self.daemon), name)?;
        Ok(Response::new(file))
    }

    async fn import(
        &self,
        request: Request<Streaming<v1::ImportChunk>>,
    ) -> Result<Response<v1::Recording>, Status> {
        archive::import(Arc::clone(&self.daemon), request.into_inner()).await
    }

    async fn add_source(
        &self,
        request: Request<Streaming<v1::AddSourceRequest>>,
    ) -> Result<Response<v1::AddSourceResponse>, Status> {
        added::add_source(Arc::clone(&self.daemon), request.into_inner()).await
    }

    type CheckStream = Answer<v1::CheckEvent>;

    async fn check(
        &self,
        request: Request<v1::GetRecordingRequest>,
    ) -> Result<Response<Self::CheckStream>, Status> {
        let name = named(request.into_inner().recording)?;
        let events = keeping::check(Arc::clone(&self.daemon), name)?;
        Ok(Response::new(events))
    }

    async fn inspect(
        &self,
        request: Request<v1::GetRecordingRequest>,
    ) -> Result<Response<v1::InspectResponse>, Status> {
        let name = named(request.into_inner().recording)?;
        let daemon = Arc::clone(&self.daemon);
        let inspected = blocking(move || keeping::inspect(&daemon, &name)).await?;
        Ok(Response::new(inspected))
    }

    async fn seal(
        &self,
        request: Request<v1::GetRecordingRequest>,
    ) -> Result<Response<v1::Recording>, Status> {
        let name = named(request.into_inner().recording)?;
        let daemon = Arc::clone(&self.daemon);
        let sealed = blocking(move || daemon.seal(&name)).await?;
        Ok(Response::new(recording(&sealed)))
    }

    async fn keep(
        &self,
        request: Request<v1::KeepRequest>,
    ) -> Result<Response<v1::KeepResponse>, Status> {
        let daemon = Arc::clone(&self.daemon);
        keeping::keep(daemon, request.into_inner())
            .await
            .map(Response::new)
    }
}

/// Source of the daemon's machine is read for those alone who can open its files anyway.
fn may_name_source(caller: &Caller, options: Option<&v1::RecordingOptions>) -> Result<(), Status> {
    let names_some = options.is_some_and(|options| !options.source.is_empty());
    if names_some && !caller.may_name_files() {
        return Err(with_details(
            Kind::PermissionDenied,
            "SOURCE_OVER_TCP",
            Some("options.source"),
            "source on the daemon's machine can be named by its user alone, at its unix socket, and with the right \
             'launch'; send it afterwards (jhyde source add)",
        ));
    }
    Ok(())
}

/// What a list holds.
enum Listed {
    Readable(Box<RecordingMeta>),
    /// Id, and why.
    Unreadable(String, String),
}

impl Listed {
    /// Lists go backwards by it: newest first, and the id orders those of one millisecond.
    fn place(&self) -> (u64, &str) {
        match self {
            Self::Readable(meta) => (meta.created_ms, &meta.id),
            Self::Unreadable(id, _) => (0, id),
        }
    }
}

/// The request's recording, which must be named.
fn named(recording: String) -> Result<String, Status> {
    if recording.is_empty() {
        return Err(invalid(
            "recording",
            "no recording is named; give its id or name",
        ));
    }
    Ok(recording)
}
