//! The one place that knows the capture crate's errors and blocking calls.

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use jhyde_capture::{Capture, CaptureError, ConnectError, Connection, FailureKind, Scope, Waiter};
use jhyde_store::Writer;
use jhyde_trace::RecordingOptions;

use crate::error::{Error, JvmFailure};

/// The host of `HOST:PORT`.
///
/// # Errors
/// It is not written so.
pub fn host_of(address: &str) -> Result<&str, Error> {
    match address.rsplit_once(':') {
        Some((host, port)) if !host.is_empty() && port.parse::<u16>().is_ok_and(|p| p > 0) => {
            Ok(host)
        }
        _ => Err(Error::Jvm {
            failure: JvmFailure::Address,
            message: format!(
                "'{address}' is not the address of a JVM; write HOST:PORT, such as localhost:5005"
            ),
        }),
    }
}

/// Somebody ended it before it began.
pub fn abandoned() -> Error {
    Error::Jvm {
        failure: JvmFailure::Cancelled,
        message: "ended before anything was recorded".to_owned(),
    }
}

/// Checks the class patterns of a scope, so that nothing is started for patterns that make no sense.
///
/// # Errors
/// One makes no sense.
pub fn check_patterns(options: &RecordingOptions) -> Result<(), Error> {
    Scope::new(&options.include, &options.exclude)
        .map(drop)
        .map_err(|error| of_capture(&error.into()))
}

/// Connects to a JVM that listens.
///
/// # Errors
/// Nobody there, another debugger, not JDWP, no answer in time.
pub fn attach(address: &str, timeout: Duration) -> Result<Connection, Error> {
    Connection::attach(address, timeout).map_err(|error| of_connect(&error))
}

/// Opens a port to wait for a JVM.
///
/// # Errors
/// It cannot be opened.
pub fn bind(port: u16) -> Result<Waiter, Error> {
    Waiter::bind(port).map_err(|error| of_connect(&error))
}

/// Waits for the JVM.
///
/// # Errors
/// None came in time, the wait was called off, or what came is no JVM.
pub fn accept(
    waiter: &Waiter,
    timeout: Option<Duration>,
    cancelled: &AtomicBool,
) -> Result<Connection, Error> {
    waiter
        .accept(timeout, cancelled)
        .map_err(|error| of_connect(&error))
}

/// Has `program` leave the JVM running should this daemon be killed.
pub fn guard(connection: &mut Connection, program: &Path) {
    if let Err(error) = connection.guarded_by(program) {
        tracing::warn!(%error, "no guard: if jhyded is killed, a thread of the JVM may stay suspended");
    }
}

/// Begins to record.
///
/// # Errors
/// Nothing is recorded, and the JVM runs on.
pub fn record(
    connection: Connection,
    options: RecordingOptions,
    writer: Writer,
) -> Result<Capture<Writer>, Error> {
    jhyde_capture::record(connection, options, writer).map_err(|(_, error)| of_capture(&error))
}

fn of_connect(error: &ConnectError) -> Error {
    let failure = match error {
        ConnectError::Listen { .. } => JvmFailure::Port,
        ConnectError::NobodyCame { .. } => JvmFailure::Timeout,
        other => failure(other.kind(), JvmFailure::Address),
    };
    let mut message = error.to_string();
    if matches!(error, ConnectError::Unreachable { .. }) {
        // HotSpot closes its port for as long as it has a debugger.
        message.push_str(
            " (a JVM that has a debugger already refuses in the same way; detach that one first)",
        );
    }
    Error::Jvm { failure, message }
}

fn of_capture(error: &CaptureError) -> Error {
    let message = error.to_string();
    match error.kind() {
        FailureKind::Storage => Error::System {
            what: "the recording cannot be written",
            source: std::io::Error::other(message),
        },
        kind => Error::Jvm {
            failure: failure(kind, JvmFailure::Pattern),
            message,
        },
    }
}

fn failure(kind: FailureKind, invalid: JvmFailure) -> JvmFailure {
    match kind {
        FailureKind::Invalid => invalid,
        FailureKind::Unavailable | FailureKind::Storage => JvmFailure::Unreachable,
        FailureKind::Timeout => JvmFailure::Timeout,
        FailureKind::NotJdwp => JvmFailure::NotJdwp,
        FailureKind::Busy => JvmFailure::Busy,
        FailureKind::Unsupported => JvmFailure::Unsupported,
        FailureKind::Cancelled => JvmFailure::Cancelled,
    }
}
