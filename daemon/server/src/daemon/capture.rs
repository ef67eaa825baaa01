//! The one place that knows the capture crate's errors and blocking calls.

use std::path::Path;
use std::time::Duration;

use jhyde_capture::{
    Capture, CaptureError, ClassPaths, ConnectError, Connection, Controller, FailureKind, Scope,
    Waiter,
};
use jhyde_trace::echo::shown;
use jhyde_trace::{RecordingOptions, Sink};

use crate::config::Hosts;
use crate::config::settings::Attach;
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
                "'{}' is not the address of a JVM; write HOST:PORT, such as localhost:5005",
                shown(address)
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
/// Nobody there, not allowed, another debugger, not JDWP, no answer in time, or the controller ends it.
pub fn attach(
    address: &str,
    attach: &Attach,
    controller: &Controller,
) -> Result<Connection, Error> {
    let host = host_of(address)?.to_owned();
    let hosts = attach.hosts.clone();
    let allowed = move |target| hosts.allow(&host, target);
    let connected = Connection::attach_where(address, attach.timeout.0, controller, allowed);
    connected.map_err(|error| of_connect(&error))
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
    hosts: &Hosts,
    controller: &Controller,
) -> Result<Connection, Error> {
    waiter
        .accept_where(timeout, controller, |visitor| {
            hosts.allow_visitor(visitor.ip())
        })
        .map_err(|error| of_connect(&error))
}

/// Has `program` leave the JVM running should this daemon be killed.
pub fn guard(connection: &mut Connection, program: &Path) {
    if let Err(error) = connection.guarded_by(program) {
        tracing::warn!(%error, "no guard: if jhyded is killed, a thread of the JVM may stay suspended");
    }
}

/// Where the JVM takes its classes from.
///
/// # Errors
/// The connection broke.
pub fn class_paths(connection: &mut Connection) -> Result<ClassPaths, Error> {
    connection.class_paths().map_err(|error| Error::Jvm {
        failure: JvmFailure::Unreachable,
        message: error.to_string(),
    })
}

/// Begins to record, on this thread.
///
/// # Errors
/// Nothing is recorded, and the JVM runs on.
pub fn begin<S: Sink>(
    connection: Connection,
    options: RecordingOptions,
    sink: S,
) -> Result<Capture<S>, Error> {
    Capture::begin(connection, options, sink).map_err(|(_, error)| of_capture(&error))
}

fn of_connect(error: &ConnectError) -> Error {
    let failure = match error {
        ConnectError::NotAllowed { address, resolved } => {
            return Error::Host {
                address: address.clone(),
                resolved: resolved.clone(),
            };
        }
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
