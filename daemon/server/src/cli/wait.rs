//! `jhyded attach` and `jhyded listen`: one recording, to its end.

use std::io::{self, Write as _};

use jhyde_proto::v1;
use jhyde_proto::v1::RecordingState;
use jhyde_proto::words::{amounts, recorded};

use super::args::{AttachArgs, ListenArgs};
use super::failure::Failure;
use super::host::Host;
use super::say::say;
use super::session::Session;
use super::signals::Signals;
use super::telling::Telling;
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
        Ok(mut session) => {
            let telling = Telling::new(&host, session.id(), None);
            to_the_end(&mut session, telling, &mut signals, args.quiet).await
        }
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
                say(format_args!("waiting on 127.0.0.1:{}", session.port()));
            }
            let begun = tokio::select! {
                begun = session.begun() => begun,
                _ = signals.next() => Err(Failure::Interrupted),
            };
            match begun {
                Ok(()) => {
                    let telling = Telling::new(&host, session.id(), None);
                    to_the_end(&mut session, telling, &mut signals, args.quiet).await
                }
                Err(failure) => {
                    session.detach();
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
async fn to_the_end(
    session: &mut Session,
    telling: Telling,
    signals: &mut Signals,
    quiet: bool,
) -> Result<u8, Failure> {
    tracing::info!(recording = session.name(), "recording");
    let ended = tokio::select! {
        ended = session.ended() => ended,
        never = telling.go_on(quiet) => match never {},
        _ = signals.next() => {
            session.detach();
            // A second signal does not wait for the closing: what is on disk stays readable.
            tokio::select! {
                ended = session.ended() => ended,
                _ = signals.next() => return Err(Failure::Interrupted),
            }
        }
    };
    Ok(report(&ended?, quiet))
}

/// Says how a recording ended, and what is wrong with that, if something is.
pub(super) fn report(recording: &v1::Recording, quiet: bool) -> u8 {
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
        RecordingState::Complete | RecordingState::Detached | RecordingState::Stopped => {
            (false, "")
        }
        _ => (true, "nobody says how it ended"),
    };
    if broken {
        say(format_args!(
            "recording '{name}': {what}: {}; what was recorded until then is readable ({})",
            recording.state_reason,
            amounts(recording)
        ));
        return exit::BROKEN_OFF;
    }
    if recording.calls == 0 {
        // Whoever wanted to see something is told why there is nothing.
        let why = |note: &&String| !note.starts_with("engine: ");
        for note in recording.notes.iter().filter(why) {
            say(format_args!("recording '{name}' has no calls: {note}"));
        }
    }
    if !quiet {
        // Where nobody reads it, nothing is lost.
        let _ = writeln!(io::stderr(), "{}", recorded(recording));
    }
    0
}
