//! Who makes the recording of an `attach`, `listen` or `launch`: this process, or the daemon that serves the
//! data folder already.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use jhyde_proto::endpoint::{Address, connect, socket_of};
use jhyde_proto::v1::KeepRequest;
use jhyde_proto::v1::recordings_client::RecordingsClient;
use tokio::time::{Instant, sleep};
use tonic::transport::Channel;

use super::failure::Failure;
use super::say::say;
use super::signals::Signals;
use super::{options, tokens};
use crate::access::gate::Access;
use crate::config::Settings;
use crate::config::settings::Listen;
use crate::daemon::Daemon;
use crate::daemon::record::blocking;
use crate::error::Error;
use crate::serve::{Serving, bind, serve};
use crate::services;

/// How long a daemon that holds the folder may take until it answers at its socket: it may be starting,
/// or ending, in which case the folder becomes ours.
const ANSWER_TIME: Duration = Duration::from_secs(10);
/// Pause between two tries.
const RETRY: Duration = Duration::from_millis(50);

/// How long a recording that is to end may take: a JVM that does not answer is left after some three seconds.
pub(super) const SETTLE_TIME: Duration = Duration::from_millis(4500);

/// See the module.
pub(super) enum Host {
    /// This process. It also serves the data folder's socket, so that others can watch.
    Own(Own),
    /// Another daemon.
    Other(Channel),
}

/// This process as the folder's daemon.
pub(super) struct Own {
    pub(super) daemon: Arc<Daemon>,
    serving: Option<Serving>,
    grace: Duration,
}

impl Host {
    /// Takes the data folder, or finds who has it.
    pub(super) async fn open(settings: &Settings) -> Result<Self, Failure> {
        let until = Instant::now() + ANSWER_TIME;
        loop {
            let given = options(settings);
            let holder = match blocking(move || Daemon::open(given)).await {
                Ok(daemon) => return Own::serve(daemon, settings).await.map(Self::Own),
                Err(Error::Store(holder @ jhyde_store::Error::Locked { .. })) => holder,
                Err(error) => return Err(error.into()),
            };
            let address = Address::Unix(socket_of(&settings.data));
            match connect(&address, ANSWER_TIME).await {
                Ok(channel) => return Ok(Self::Other(channel)),
                Err(reason) if Instant::now() >= until => {
                    return Err(Failure::Silent {
                        holder: Box::new(holder),
                        reason: Box::new(reason),
                    });
                }
                Err(_) => sleep(RETRY).await,
            }
        }
    }

    /// After the recording, where another daemon has made it: it knows its own limits only, and is told those
    /// of the command line. Says what was deleted.
    pub(super) async fn keep(&self, limits: &[String]) {
        let Self::Other(channel) = self else { return };
        if limits.is_empty() {
            return;
        }
        let limits = limits.iter().flat_map(|list| list.split(','));
        let request = KeepRequest {
            limits: limits.map(|limit| limit.trim().to_owned()).collect(),
            dry_run: false,
        };
        match RecordingsClient::new(channel.clone()).keep(request).await {
            Ok(kept) => {
                for gone in kept.into_inner().deleted {
                    say(format_args!("deleted '{}': {}", gone.name, gone.reason));
                }
            }
            Err(status) => say(format_args!(
                "older recordings were not deleted: {}",
                status.message()
            )),
        }
    }

    /// After the recording: lets others finish what they do through this process, and ends.
    pub(super) async fn close(self, signals: &mut Signals) {
        if let Self::Own(own) = self {
            own.close(signals).await;
        }
    }
}

impl Own {
    async fn serve(daemon: Arc<Daemon>, settings: &Settings) -> Result<Self, Failure> {
        let grace = settings.shutdown.grace.0;
        let listen = Listen {
            unix: true,
            unix_path: PathBuf::new(),
            unix_group: String::new(),
            tcp: Vec::new(),
            metrics: String::new(),
            ..settings.listen.clone()
        };
        let serving = match bind(&listen, &settings.data).await {
            Ok(bound) => {
                let access = Access::new(listen.allowed(), tokens(settings), Arc::clone(&daemon));
                access.seen().audit.open(settings.audit.file());
                Some(serve(
                    bound,
                    &services::over(&daemon).await?,
                    Arc::new(access),
                ))
            }
            // A folder that is only read may be served by another daemon, too.
            Err(error) if error.is_taken() => None,
            Err(error) => {
                // Recording works without; only nobody can watch meanwhile.
                tracing::warn!(%error, "cannot be reached by others meanwhile");
                None
            }
        };
        Ok(Self {
            daemon,
            serving,
            grace,
        })
    }

    async fn close(self, signals: &mut Signals) {
        // Recordings that others make through this process would end with it. One that was ended just now
        // is none of them.
        let until = Instant::now() + SETTLE_TIME;
        while self.daemon.live_count() > self.daemon.wanted_count() && Instant::now() < until {
            sleep(RETRY / 10).await;
        }
        let others = self.daemon.wanted_count();
        if others > 0 {
            say(format_args!(
                "{others} recording(s) made through this process go on; it ends with them \
                 (Ctrl-C detaches from them)"
            ));
            while self.daemon.wanted_count() > 0 {
                tokio::select! {
                    () = sleep(RETRY) => {}
                    _ = signals.next() => break,
                }
            }
        }
        if let Some(serving) = &self.serving {
            serving.stop_accepting();
        }
        if self.daemon.stop(self.grace).await > 0 {
            say(format_args!(
                "not all recordings were closed within {:?}",
                self.grace
            ));
        }
        if let Some(serving) = self.serving {
            // Whoever watches has the last message by now or does not read.
            serving.finish(Duration::from_millis(200)).await;
        }
    }
}

/// An error of waiting for a task, or the like, that cannot be anything but a bug.
pub(super) fn bug(what: &'static str) -> Failure {
    Failure::System {
        what,
        source: io::Error::other("bug"),
    }
}
