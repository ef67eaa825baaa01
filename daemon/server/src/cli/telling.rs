//! What is told on a terminal while a recording is made: in whole lines and ever more rarely, since the terminal is
//! the program's.

use std::convert::Infallible;
use std::io::{self, IsTerminal as _, Write as _};
use std::sync::Arc;
use std::time::Duration;

use jhyde_proto::progress::{Progress, advice};
use jhyde_proto::v1;
use jhyde_proto::v1::history_client::HistoryClient;
use jhyde_proto::v1::recordings_client::RecordingsClient;
use jhyde_proto::worked::worked;
use tokio::time::{Instant, interval};
use tonic::transport::Channel;

use super::host::Host;
use crate::daemon::Daemon;
use crate::daemon::record::blocking;
use crate::error::Error;
use crate::services::recordings::recording;

/// How often it is looked whether there is something to tell.
const LOOK: Duration = Duration::from_secs(1);

/// See the module.
pub(super) struct Telling {
    source: Source,
    recording: String,
    /// The recorded process, where it is our child.
    pid: Option<u32>,
}

/// Who knows how the recording goes.
enum Source {
    Own(Arc<Daemon>),
    Other(Channel),
}

impl Telling {
    pub(super) fn new(host: &Host, recording: &str, pid: Option<u32>) -> Self {
        let source = match host {
            Host::Own(own) => Source::Own(Arc::clone(&own.daemon)),
            Host::Other(channel) => Source::Other(channel.clone()),
        };
        Self {
            source,
            recording: recording.to_owned(),
            pid,
        }
    }

    /// Tells until nobody waits for it any more; nothing where nobody sits before a terminal.
    pub(super) async fn go_on(self, quiet: bool) -> Infallible {
        if quiet || !io::stderr().is_terminal() {
            return std::future::pending().await;
        }
        let mut progress = Progress::default();
        let began = Instant::now();
        let mut turns = interval(LOOK);
        loop {
            turns.tick().await;
            // How it ends is told by others.
            let Some(now) = self.now().await else {
                return std::future::pending().await;
            };
            let worked = self.pid.and_then(worked);
            if let Some(news) = progress.news(&now, began.elapsed(), worked) {
                let _ = writeln!(io::stderr(), "jhyded: {}", news.text);
                if news.is_slow {
                    let classes = self.calls_of_classes().await;
                    let advice = advice(&now.options.unwrap_or_default(), classes);
                    let _ = writeln!(io::stderr(), "jhyded: {advice}");
                }
            }
        }
    }

    async fn now(&self) -> Option<v1::Recording> {
        let id = self.recording.clone();
        match &self.source {
            Source::Own(daemon) => {
                let daemon = Arc::clone(daemon);
                let described = blocking(move || daemon.describe(&id)).await.ok()?;
                Some(recording(&described))
            }
            Source::Other(channel) => {
                let request = v1::GetRecordingRequest { recording: id };
                let answer = RecordingsClient::new(channel.clone()).get(request).await;
                answer.ok().map(tonic::Response::into_inner)
            }
        }
    }

    /// How often the methods of each class in scope were called. Nothing where that cannot be told: it only helps.
    async fn calls_of_classes(&self) -> Vec<(String, u64)> {
        let id = self.recording.clone();
        let classes = match &self.source {
            Source::Own(daemon) => {
                let daemon = Arc::clone(daemon);
                let asked = blocking(move || {
                    let history = jhyde_history::History::new(daemon.recording(&id)?);
                    Ok::<_, Error>(history.classes(false).ok())
                });
                let classes = asked.await.ok().flatten();
                let classes = classes.map(|all| all.classes).unwrap_or_default();
                return classes
                    .into_iter()
                    .map(|class| (class.name, class.methods.iter().map(|m| m.calls).sum()))
                    .collect();
            }
            Source::Other(channel) => {
                let request = v1::ListClassesRequest {
                    recording: id,
                    all: false,
                };
                let mut client = HistoryClient::new(channel.clone());
                client.list_classes(request).await.ok()
            }
        };
        let classes = classes.map(|answer| answer.into_inner().classes);
        let classes = classes.unwrap_or_default().into_iter();
        classes
            .map(|class| (class.name, class.methods.iter().map(|m| m.calls).sum()))
            .collect()
    }
}
