//! `Launch`: a program under the daemon, what it writes as a stream, its exit code last.

use std::ffi::OsString;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use jhyde_proto::v1;
use jhyde_proto::v1::launch_event::Event;
use rustix::process::Signal;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{Child, ChildStdin};
use tokio::sync::{mpsc, watch};
use tokio_stream::wrappers::ReceiverStream;
use tonic::Status;

use super::convert;
use crate::daemon::drain::Drain;
use crate::daemon::launch::{LaunchRequest, Launched, exit_code_of, signal};
use crate::daemon::live::{self, Live};
use crate::daemon::record::blocking;
use crate::daemon::{Daemon, Description};

/// How much is read from the program at a time: a pipe's size on Linux.
const CHUNK: usize = 64 << 10;
/// After the program's end its pipes may still be held open by processes that it started; what they write
/// is passed on as long as they are never silent for longer than this.
const SILENCE: Duration = Duration::from_millis(500);

type Sender = mpsc::Sender<Result<v1::LaunchEvent, Status>>;

/// Starts the program and begins the stream.
pub(super) async fn launch(
    daemon: Arc<Daemon>,
    request: v1::LaunchRequest,
) -> Result<ReceiverStream<Result<v1::LaunchEvent, Status>>, Status> {
    let input = request.input;
    let request = LaunchRequest {
        command: request.command.into_iter().map(OsString::from).collect(),
        name: request.name,
        wanted: convert::wanted(request.options),
        directory: (!request.directory.is_empty()).then(|| request.directory.into()),
        environment: request.environment.into_iter().collect(),
        stdio: [Stdio::piped(), Stdio::piped(), Stdio::piped()],
    };
    // A task of its own: the program is recorded to its end even if the client goes away now.
    let (sender, receiver) = mpsc::channel(4);
    let (answer, answered) = tokio::sync::oneshot::channel();
    tokio::spawn(async move {
        match daemon.launch(request).await {
            Ok(launched) => {
                let _ = answer.send(Ok(()));
                run(daemon, launched, input, sender).await;
            }
            Err(error) => {
                let _ = answer.send(Err(error));
            }
        }
    });
    match answered.await {
        Ok(Ok(())) => Ok(ReceiverStream::new(receiver)),
        Ok(Err(error)) => Err(error.into()),
        Err(_) => Err(Status::internal(
            "the launch ended by a bug of the daemon; see its log",
        )),
    }
}

/// Passes the program's output on until it has ended and its recording is closed.
async fn run(daemon: Arc<Daemon>, launched: Launched, input: Vec<u8>, sender: Sender) {
    let Launched { live, mut child } = launched;
    let started = v1::LaunchEvent {
        event: Some(Event::Started(describe(&live))),
    };
    let _ = sender.send(Ok(started)).await;

    let drain = drain_of(&daemon, &child);
    let (ended, has_ended) = watch::channel(false);
    if let Some(stdin) = child.stdin.take() {
        tokio::spawn(feed(stdin, input));
    }
    let stdout = pump(
        child.stdout.take(),
        Event::Stdout,
        sender.clone(),
        has_ended.clone(),
    );
    let stderr = pump(
        child.stderr.take(),
        Event::Stderr,
        sender.clone(),
        has_ended,
    );
    let wait = async {
        let status = loop {
            tokio::select! {
                status = child.wait() => break status,
                () = live.terminated() => signal(&child, Signal::TERM),
            }
        };
        ended.send_replace(true);
        status.map_or(1, exit_code_of)
    };
    let (exit_code, (), ()) = tokio::join!(wait, stdout, stderr);
    // Processes that the program started may still write there.
    drop(drain);

    let id = live.id.clone();
    let reporting = Arc::clone(&daemon);
    if let Err(error) = blocking(move || reporting.report_exit(&id, exit_code)).await {
        tracing::warn!(recording = live.name, %error, "cannot note the program's exit code");
    }
    let closed = match live.ended().await {
        live::Status::Ended(description) | live::Status::Gone(description) => {
            let mut recording = convert::recording(&description);
            // The recording thread may have closed it before the process was reaped.
            if recording.state() == v1::RecordingState::Complete {
                recording.exit_code = Some(exit_code);
            }
            Some(recording)
        }
        live::Status::Waiting | live::Status::Running => None,
    };
    let last = v1::LaunchEnded {
        exit_code,
        recording: closed,
    };
    let _ = sender
        .send(Ok(v1::LaunchEvent {
            event: Some(Event::Ended(last)),
        }))
        .await;
}

/// Who reads on for the daemon once it has ended.
fn drain_of(daemon: &Daemon, child: &Child) -> Option<Drain> {
    let options = daemon.options();
    let program = options.guard.as_ref()?;
    let (stdout, stderr) = (child.stdout.as_ref()?, child.stderr.as_ref()?);
    let started = Drain::start(program, stdout, stderr);
    started
        .inspect_err(|error| {
            tracing::warn!(%error, "nobody reads on: once jhyded has ended the program cannot write any more");
        })
        .ok()
}

/// The recording as it is now; it may have ended already.
fn describe(live: &Live) -> v1::Recording {
    match (&*live.status().borrow(), live.recording()) {
        (live::Status::Ended(description) | live::Status::Gone(description), _) => {
            convert::recording(description)
        }
        (_, Some(recording)) => convert::recording(&Description {
            meta: recording.meta(),
            stats: recording.stats().ok(),
            unusable: None,
            listen_port: 0,
        }),
        (_, None) => v1::Recording {
            id: live.id.clone(),
            name: live.name.clone(),
            ..v1::Recording::default()
        },
    }
}

/// Gives the program its standard input, which then ends. A program that does not read it is fine.
async fn feed(mut stdin: ChildStdin, input: Vec<u8>) {
    let _ = stdin.write_all(&input).await;
    let _ = stdin.shutdown().await;
}

/// Passes on what the program writes. When the client has gone it is read and dropped, so that the program
/// is never held up; when the client is slow, the program is, as by any slow reader of a pipe.
async fn pump(
    pipe: Option<impl AsyncRead + Unpin>,
    event: fn(Vec<u8>) -> Event,
    sender: Sender,
    mut ended: watch::Receiver<bool>,
) {
    let Some(mut pipe) = pipe else {
        return;
    };
    let mut buffer = vec![0; CHUNK];
    loop {
        let read = tokio::select! {
            read = pipe.read(&mut buffer) => read,
            () = silence_after_end(&mut ended) => return,
        };
        match read {
            Ok(0) | Err(_) => return,
            Ok(length) => {
                let bytes = buffer.get(..length).unwrap_or_default().to_vec();
                let _ = sender
                    .send(Ok(v1::LaunchEvent {
                        event: Some(event(bytes)),
                    }))
                    .await;
            }
        }
    }
}

/// Completes some time after the program has ended.
async fn silence_after_end(ended: &mut watch::Receiver<bool>) {
    if ended.wait_for(|ended| *ended).await.is_ok() {
        tokio::time::sleep(SILENCE).await;
    }
}
