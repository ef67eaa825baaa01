//! One recording that a command makes, in this process or through another daemon, told alike.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use jhyde_capture::Ending;
use jhyde_proto::v1;
use jhyde_proto::v1::RecordingState;
use jhyde_proto::v1::recordings_client::RecordingsClient;
use tonic::Streaming;
use tonic::transport::Channel;

use super::failure::Failure;
use super::host::Host;
use crate::daemon::Daemon;
use crate::daemon::live::{Live, Status};
use crate::daemon::options::Wanted;
use crate::daemon::record::{AttachRequest, ListenRequest, blocking};
use crate::error::{Error, JvmFailure};
use crate::services::recordings::recording;

/// See the module.
pub(super) enum Session {
    /// Made by this process.
    Own(Arc<Daemon>, Arc<Live>),
    /// Made by another daemon.
    Other(Box<Other>),
}

/// A recording that another daemon makes.
pub(super) struct Other {
    client: RecordingsClient<Channel>,
    watch: Streaming<v1::Recording>,
    last: v1::Recording,
}

impl Session {
    /// Attaches; returns when it records.
    pub(super) async fn attach(host: &Host, request: AttachRequest) -> Result<Self, Failure> {
        match host {
            Host::Own(own) => {
                let live = own.daemon.attach(request).await?;
                Ok(Self::Own(Arc::clone(&own.daemon), live))
            }
            Host::Other(channel) => {
                let mut client = RecordingsClient::new(channel.clone());
                let request = v1::AttachRequest {
                    address: request.address,
                    name: request.name,
                    options: Some(of_wanted(request.wanted)),
                };
                let made = client.attach(request).await?.into_inner();
                Self::other(client, made).await
            }
        }
    }

    /// Opens a port that waits for a JVM.
    pub(super) async fn listen(host: &Host, request: ListenRequest) -> Result<Self, Failure> {
        match host {
            Host::Own(own) => {
                let daemon = Arc::clone(&own.daemon);
                let live = blocking(move || daemon.listen(request)).await?;
                Ok(Self::Own(Arc::clone(&own.daemon), live))
            }
            Host::Other(channel) => {
                let mut client = RecordingsClient::new(channel.clone());
                let timeout = request.timeout.unwrap_or(Duration::ZERO);
                let request = v1::ListenRequest {
                    port: u32::from(request.port),
                    name: request.name,
                    options: Some(of_wanted(request.wanted)),
                    timeout_ms: u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX),
                    command: request.command,
                };
                let made = client.listen(request).await?.into_inner();
                Self::other(client, made).await
            }
        }
    }

    async fn other(
        mut client: RecordingsClient<Channel>,
        made: v1::Recording,
    ) -> Result<Self, Failure> {
        let request = v1::GetRecordingRequest {
            recording: made.id.clone(),
        };
        let watch = client.watch(request).await?.into_inner();
        Ok(Self::Other(Box::new(Other {
            client,
            watch,
            last: made,
        })))
    }

    /// The recording's name.
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Own(_, live) => &live.name,
            Self::Other(other) => &other.last.name,
        }
    }

    /// Its id.
    pub(super) fn id(&self) -> &str {
        match self {
            Self::Own(_, live) => &live.id,
            Self::Other(other) => &other.last.id,
        }
    }

    /// The port that waits for the JVM; 0: none.
    pub(super) fn port(&self) -> u16 {
        match self {
            Self::Own(_, live) => live.listen_port.load(Ordering::Relaxed),
            Self::Other(other) => u16::try_from(other.last.listen_port).unwrap_or_default(),
        }
    }

    /// Waits until it records.
    ///
    /// # Errors
    /// It never will: the JVM did not come, or cannot be recorded.
    pub(super) async fn begun(&mut self) -> Result<(), Failure> {
        match self {
            Self::Own(_, live) => match live.begun().await {
                Status::Gone(_) => Err(failure_of(live).into()),
                _ => Ok(()),
            },
            Self::Other(other) => {
                while other.last.state() == RecordingState::Waiting {
                    if !other.next().await? {
                        return Err(super::host::bug(
                            "the daemon said nothing of the recording's end",
                        ));
                    }
                }
                other.check_not_gone()
            }
        }
    }

    /// Waits until it has ended and is closed; says how.
    pub(super) async fn ended(&mut self) -> Result<v1::Recording, Failure> {
        match self {
            Self::Own(_, live) => match live.ended().await {
                Status::Ended(description) => Ok(recording(&description)),
                _ => Err(failure_of(live).into()),
            },
            Self::Other(other) => {
                while other.next().await? {}
                other.check_not_gone()?;
                Ok(other.last.clone())
            }
        }
    }

    /// Asks it to end, leaving the JVM running. Does not wait.
    pub(super) fn detach(&self) {
        match self {
            Self::Own(_, live) => live.request_end(Ending::Detach),
            Self::Other(other) => {
                let request = v1::GetRecordingRequest {
                    recording: other.last.id.clone(),
                };
                let mut client = other.client.clone();
                tokio::spawn(async move {
                    // If it has ended already, that is what was wanted.
                    if let Err(status) = client.detach(request).await {
                        tracing::debug!(%status, "detach");
                    }
                });
            }
        }
    }

    /// Completes when somebody wants the program that was started for it to end.
    pub(super) fn terminated(&self) -> impl Future<Output = ()> + use<> {
        let live = match self {
            Self::Own(_, live) => Some(Arc::clone(live)),
            // Another daemon does not know our child.
            Self::Other(_) => None,
        };
        async move {
            match live {
                Some(live) => live.terminated().await,
                None => std::future::pending().await,
            }
        }
    }

    /// Tells how the program ended.
    pub(super) async fn report_exit(&mut self, exit_code: i32) -> Result<(), Failure> {
        match self {
            Self::Own(daemon, live) => {
                let (daemon, id) = (Arc::clone(daemon), live.id.clone());
                blocking(move || daemon.report_exit(&id, exit_code).map(drop)).await?;
            }
            Self::Other(other) => {
                let recording = other.last.id.clone();
                other
                    .client
                    .report_exit(v1::ReportExitRequest {
                        recording,
                        exit_code,
                    })
                    .await?;
            }
        }
        Ok(())
    }
}

impl Other {
    /// Waits for the next message; `false`: that was the last.
    async fn next(&mut self) -> Result<bool, Failure> {
        match self.watch.message().await? {
            Some(recording) => {
                self.last = recording;
                Ok(true)
            }
            None => Ok(false),
        }
    }

    /// A recording that failed before its JVM came is gone, and its state says why.
    fn check_not_gone(&self) -> Result<(), Failure> {
        let never_began = self
            .last
            .jvm
            .as_ref()
            .is_none_or(|jvm| jvm.version.is_empty());
        if self.last.state() != RecordingState::Failed || !never_began {
            return Ok(());
        }
        Err(Error::Jvm {
            failure: JvmFailure::Unreachable,
            message: self.last.state_reason.clone(),
        }
        .into())
    }
}

fn failure_of(live: &Live) -> Error {
    live.take_failure()
        .unwrap_or_else(crate::daemon::capture::abandoned)
}

fn of_wanted(wanted: Wanted) -> v1::RecordingOptions {
    v1::RecordingOptions {
        level: wanted.level,
        engine: wanted.engine,
        include: wanted.include,
        exclude: wanted.exclude,
        string_limit: wanted.string_limit,
        snapshots: Some(v1::SnapshotLimits {
            depth: wanted.snapshots.depth,
            elements: wanted.snapshots.elements,
            bytes: wanted.snapshots.bytes,
        }),
        no_contents: wanted.no_contents,
        max_bytes: wanted.max_bytes,
        max_duration: wanted.max_duration,
        max_slowdown: wanted.max_slowdown,
        at_limit: wanted.at_limit,
        probe_log: wanted.probe_log,
        ring: wanted.ring,
        source: texts(&wanted.source),
    }
}

/// Paths as the wire has them.
fn texts(paths: &[std::path::PathBuf]) -> Vec<String> {
    let paths = paths.iter();
    paths
        .map(|path| path.to_string_lossy().into_owned())
        .collect()
}
