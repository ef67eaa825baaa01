//! What is told on standard error while a recording is made for somebody who waits for its end.

use std::time::{Duration, Instant};

use jhyde_proto::progress::{Progress, advice};
use jhyde_proto::v1::{ListClassesRequest, Recording};
use jhyde_proto::worked::worked;
use tokio_stream::StreamExt as _;

use super::recordings::named;
use crate::client::Client;
use crate::error::Error;

/// See the module.
pub(crate) struct Telling {
    client: Client,
    recording: String,
    /// The recorded process, where this machine runs it for us.
    pid: Option<u32>,
    progress: Progress,
    began: Instant,
}

impl Telling {
    pub(crate) fn new(client: &Client, recording: &str, pid: Option<u32>) -> Self {
        Self {
            client: client.clone(),
            recording: recording.to_owned(),
            pid,
            progress: Progress::default(),
            began: Instant::now(),
        }
    }

    /// Follows the recording to its end and tells lines, ever more rarely.
    ///
    /// # Errors
    /// When the daemon refuses.
    pub(crate) async fn until_the_end(mut self, mut tell: impl FnMut(String)) -> Result<(), Error> {
        let request = named(&self.recording);
        let changes = self.client.recordings.watch(request).await?;
        let mut changes = changes.into_inner();
        while let Some(now) = changes.next().await {
            for line in self.lines(&now?).await {
                tell(line);
            }
        }
        Ok(())
    }

    async fn lines(&mut self, now: &Recording) -> Vec<String> {
        let worked = self.pid.and_then(worked);
        let Some(news) = self.progress.news(now, self.began.elapsed(), worked) else {
            return Vec::new();
        };
        let mut lines = vec![news.text];
        if news.is_slow {
            let options = now.options.clone().unwrap_or_default();
            lines.push(advice(&options, self.costly_classes().await));
        }
        lines
    }

    /// Calls of each class in scope. They only help: without them the advice stands.
    async fn costly_classes(&mut self) -> Vec<(String, u64)> {
        let request = ListClassesRequest {
            recording: self.recording.clone(),
            all: false,
        };
        let asked = self.client.history.list_classes(request);
        let answer = match tokio::time::timeout(Duration::from_secs(2), asked).await {
            Ok(Ok(answer)) => answer.into_inner().classes,
            _ => return Vec::new(),
        };
        let calls = |class: &jhyde_proto::v1::Class| class.methods.iter().map(|m| m.calls).sum();
        answer
            .into_iter()
            .map(|class| (calls(&class), class.name))
            .map(|(calls, name)| (name, calls))
            .collect()
    }
}
