//! Why a command of `jhyded` ends without having done what it was to do.

use std::io;

use thiserror::Error;
use tonic::{Code, Status};
use tonic_types::StatusExt as _;

use crate::access::tokens::FileError;
use crate::config::ConfigError;
use crate::error::{Error, ProgramError, exit};
use crate::serve::ServeError;

/// See the module.
#[derive(Debug, Error)]
pub(super) enum Failure {
    /// The configuration cannot be used.
    #[error(transparent)]
    Config(Box<ConfigError>),
    /// A socket cannot be served.
    #[error(transparent)]
    Serve(Box<ServeError>),
    /// The tokens cannot be used.
    #[error(transparent)]
    Tokens(#[from] FileError),
    /// What was asked of the daemon in this process failed.
    #[error(transparent)]
    Daemon(Box<Error>),
    /// What was asked of the daemon that serves the data folder failed.
    #[error("{}", .0.message())]
    Remote(Box<Status>),
    /// The daemon that serves the data folder cannot be asked.
    #[error("{holder}; and it does not answer: {reason}")]
    Silent {
        /// Who holds the folder.
        holder: Box<jhyde_store::Error>,
        /// Why it cannot be asked.
        reason: Box<jhyde_proto::endpoint::ConnectError>,
    },
    /// Ended by a signal before anything was recorded.
    #[error("ended before anything was recorded")]
    Interrupted,
    /// The system refused.
    #[error("{what}: {source}")]
    System {
        /// What was tried.
        what: &'static str,
        /// Why it failed.
        source: io::Error,
    },
    /// The services cannot be put together.
    #[error("bug: the API's descriptors cannot be read: {0}")]
    Descriptors(#[from] tonic_reflection::server::Error),
}

impl From<Status> for Failure {
    fn from(status: Status) -> Self {
        Self::Remote(Box::new(status))
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Daemon(Box::new(error))
    }
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Self {
        Self::Config(Box::new(error))
    }
}

impl From<ServeError> for Failure {
    fn from(error: ServeError) -> Self {
        Self::Serve(Box::new(error))
    }
}

impl From<ProgramError> for Failure {
    fn from(error: ProgramError) -> Self {
        Error::from(error).into()
    }
}

impl Failure {
    /// The exit code that says it.
    pub(super) fn exit_code(&self) -> u8 {
        match self {
            Self::Config(_) => exit::CONFIGURATION,
            Self::Serve(error) if matches!(**error, ServeError::Tls(_)) => exit::CONFIGURATION,
            Self::Tokens(FileError::Taken(_) | FileError::Missing(_) | FileError::Nonsense(_)) => {
                exit::USAGE
            }
            Self::Tokens(_) => exit::CONFIGURATION,
            Self::Serve(_) | Self::Silent { .. } => exit::SERVING,
            Self::Daemon(error) => error.exit_code(),
            Self::Remote(status) => of_status(status),
            Self::Interrupted => exit::INTERRUPTED,
            Self::System { .. } | Self::Descriptors(_) => exit::FAILED,
        }
    }
}

/// The same codes for a daemon's answer as for an error of this process.
fn of_status(status: &Status) -> u8 {
    let details = status.get_error_details();
    let reason = details.error_info().map_or("", |info| info.reason.as_str());
    match (reason, status.code()) {
        ("JVM_HAS_DEBUGGER" | "JVM_UNSUPPORTED", _) => exit::JVM_REFUSES,
        ("NOT_JDWP" | "JVM_UNREACHABLE" | "JVM_TIMEOUT", _) => exit::NO_JVM,
        ("PORT_UNUSABLE" | "DAEMON_STOPPING", _) => exit::SERVING,
        (_, Code::InvalidArgument | Code::AlreadyExists | Code::PermissionDenied) => exit::USAGE,
        (_, Code::Unimplemented) => exit::NOT_YET,
        (_, Code::Cancelled) => exit::INTERRUPTED,
        _ => exit::FAILED,
    }
}
