//! `jhyded attach` and `jhyded listen`: one recording, to its end.

use jhyde_proto::v1;
use jhyde_proto::v1::RecordingState;

use super::args::{AttachArgs, ListenArgs};
use super::failure::Failure;
use super::host::Host;
use super::session::Session;
use super::signals::Signals;
use super::wanted;
use crate::config::Settings;
use crate::daemon::record::{AttachRequest, ListenRequest};
use crate::error::exit;

/// Attaches and waits for the end.
pub(super) async fn attach(settings: Settings, args: AttachArgs) -> Result<u8, Failure> {
    let mut signals = Signals::new()?;
    let host = Host::open(&settings).await?;
    let request = AttachRequest {
        address: args.address,
        name: args.record.name.clone().unwrap_or_default(),
        wanted: wanted(&args.record),
    };
    let began = tokio::select! {
        session = Session::attach(&host, request) => session,
        _ = signals.next() => Err(Failure::Interrupted),
    };
    let result = match began {
        Ok(mut session) => to_the_end(&mut session, &mut signals).await,
        Err(failure) => Err(failure),
    };
    host.close(&mut signals).await;
    result
}

/// Waits for a JVM, and for its end.
pub(super) async fn listen(
    settings: Settings,
    args: ListenArgs,
    verbose: bool,
) -> Result<u8, Failure> {
    let mut signals = Signals::new()?;
    let host = Host::open(&settings).await?;
    let request = ListenRequest {
        port: args.port,
        name: args.record.name.clone().unwrap_or_default(),
        wanted: wanted(&args.record),
        timeout: args.timeout.map(|span| span.0),
        ..ListenRequest::default()
    };
    let result = match Session::listen(&host, request).await {
        Ok(mut session) => {
            if verbose || args.port == 0 {
                // Without it nobody could know which port it is.
                eprintln!("jhyded: waiting on 127.0.0.1:{}", session.port());
            }
            let begun = tokio::select! {
                begun = session.begun() => begun,
                _ = signals.next() => Err(Failure::Interrupted),
            };
            match begun {
                Ok(()) => to_the_end(&mut session, &mut signals).await,
                Err(failure) => {
                    session.detach().await;
                    Err(failure)
                }
            }
        }
        Err(failure) => Err(failure),
    };
    host.close(&mut signals).await;
    result
}

/// Waits for the end of the recording; the first signal detaches.
async fn to_the_end(session: &mut Session, signals: &mut Signals) -> Result<u8, Failure> {
    tracing::info!(recording = session.name(), "recording");
    let ended = tokio::select! {
        ended = session.ended() => ended,
        _ = signals.next() => {
            session.detach().await;
            // A second signal does not wait for the closing: what is on disk stays readable.
            tokio::select! {
                ended = session.ended() => ended,
                _ = signals.next() => return Err(Failure::Interrupted),
            }
        }
    };
    Ok(report(&ended?))
}

/// Says what is wrong with how a recording ended, if something is.
pub(super) fn report(recording: &v1::Recording) -> u8 {
    let name = &recording.name;
    tracing::info!(
        recording = name,
        state = recording.state().as_str_name(),
        events = recording.events,
        calls = recording.calls,
        "ended"
    );
    let (broken, what) = match recording.state() {
        RecordingState::ConnectionLost => (true, "the connection to the JVM broke"),
        RecordingState::Failed => (true, "recording became impossible"),
        RecordingState::Cut => (true, "the recording was cut"),
        _ => (false, ""),
    };
    if broken {
        eprintln!(
            "jhyded: recording '{name}': {what}: {}; what was recorded until then is readable",
            recording.state_reason
        );
        return exit::BROKEN_OFF;
    }
    if recording.calls == 0 {
        // Whoever wanted to see something is told why there is nothing.
        let why = |note: &&String| !note.starts_with("engine: ");
        for note in recording.notes.iter().filter(why) {
            eprintln!("jhyded: recording '{name}' has no calls: {note}");
        }
    }
    0
}
