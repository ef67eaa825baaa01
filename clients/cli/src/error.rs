//! What can go wrong in the client, in one clear line each, and the exit code that says so.

use std::io;
use std::path::PathBuf;

use jhyde_proto::endpoint::ConnectError;
use jhyde_proto::folder::FolderError;
use jhyde_proto::token::TokenError;
use jhyde_proto::trust::TrustError;
use thiserror::Error;
use tonic::{Code, Status};

use crate::jvms::FindError;
use crate::memory::MemoryError;
use tonic_types::StatusExt as _;

/// A command failed. Messages say what happened, to what, and what to do.
#[derive(Debug, Error)]
pub enum Error {
    /// What was typed makes no sense.
    #[error("{0}")]
    Usage(String),
    /// The daemon refused or failed.
    #[error("{}", describe(.0))]
    Daemon(Box<Status>),
    /// No daemon where one was named.
    #[error("{}", not_reached(.0))]
    Connect(#[from] ConnectError),
    /// The token cannot be used.
    #[error(transparent)]
    Token(#[from] TokenError),
    /// TLS cannot be spoken.
    #[error(transparent)]
    Trust(#[from] TrustError),
    /// A token would be sent for all to read.
    #[error(
        "the token is not sent to {0}: what goes there can be read on its way; reach the daemon with TLS \
         (--daemon https://{0}), or through an ssh tunnel (ssh -L 7707:127.0.0.1:7707 HOST, then --daemon 127.0.0.1:7707)"
    )]
    TokenInTheOpen(String),
    /// The data folder is not this user's.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The socket is there, but may not be used.
    #[error("cannot use the daemon's socket {path}: {source}; is the data folder another user's?")]
    Socket {
        /// The socket.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// No daemon runs, and none may be started.
    #[error(
        "no daemon serves {data}; start one (jhyded serve --data {data}) or leave --no-start out"
    )]
    NotRunning {
        /// The data folder.
        data: PathBuf,
    },
    /// The daemon's binary is not there.
    #[error(
        "cannot start a daemon: there is no 'jhyded' beside {beside} or in PATH; install it there, or \
         name it in JHYDE_DAEMON_PROGRAM"
    )]
    NoProgram {
        /// The folder of this binary.
        beside: PathBuf,
    },
    /// The daemon did not come up.
    #[error("the daemon did not start ({what}); its log {log} ends with:\n{tail}")]
    NotStarted {
        /// What was seen: it ended, or it was silent for too long.
        what: String,
        /// Its log.
        log: PathBuf,
        /// The last lines that it wrote.
        tail: String,
    },
    /// A file or folder of the client's own.
    #[error("{what} {path}: {source}")]
    File {
        /// What was tried: `cannot create`.
        what: &'static str,
        /// On what.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The processes of this machine cannot be read.
    #[error(transparent)]
    Jvms(#[from] FindError),
    /// The answers of earlier sessions cannot be used or kept.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// The configuration file cannot be read for the data folder.
    #[error("cannot read the configuration {path}: {reason}; name the data folder with --data")]
    Config {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The program to launch cannot be started.
    #[error("cannot start '{program}': {source}")]
    Program {
        /// As it was typed.
        program: String,
        /// Why not.
        source: io::Error,
    },
    /// Reading the terminal or a pipe, or writing to it.
    #[error("cannot {what}: {source}")]
    Terminal {
        /// `write the output`, `read the input`.
        what: &'static str,
        /// Why not.
        source: io::Error,
    },
    /// The reader of our output went away: not an error to anybody.
    #[error("nobody reads the output any more")]
    Closed,
    /// A signal with this number ended it, behind which it has put in order what it had begun.
    #[error("interrupted: nothing was written")]
    Interrupted(u8),
    /// Something failed, and this says all.
    #[error("{0}")]
    Failed(String),
}

impl From<Status> for Error {
    fn from(status: Status) -> Self {
        Self::Daemon(Box::new(status))
    }
}

impl Error {
    /// Whether nothing more can be read from or shown to whoever asks.
    pub(crate) fn is_of_the_terminal(&self) -> bool {
        matches!(self, Self::Closed | Self::Terminal { .. })
    }

    /// Whether the connection ended before the daemon had answered.
    pub fn is_broken_off(&self) -> bool {
        let Self::Daemon(status) = self else {
            return false;
        };
        is_transport(status)
            && matches!(
                status.code(),
                Code::Unavailable | Code::Cancelled | Code::Unknown | Code::Internal
            )
    }

    /// The exit code (`jhyde help exit-codes`).
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Closed => 0,
            Self::Interrupted(signal) => 128 + signal,
            Self::Usage(_) => 2,
            Self::Daemon(status) => match status.code() {
                Code::InvalidArgument | Code::OutOfRange => 2,
                Code::NotFound => 3,
                Code::AlreadyExists | Code::FailedPrecondition => 4,
                Code::Unavailable | Code::DeadlineExceeded => 5,
                Code::Unimplemented => 6,
                Code::DataLoss => 7,
                _ => 1,
            },
            Self::Connect(ConnectError::Address(_))
            | Self::Token(_)
            | Self::Trust(_)
            | Self::TokenInTheOpen(_) => 2,
            Self::Connect(_)
            | Self::Folder(_)
            | Self::Socket { .. }
            | Self::NotRunning { .. }
            | Self::NoProgram { .. }
            | Self::NotStarted { .. } => 5,
            Self::Program { source, .. } if source.kind() == io::ErrorKind::NotFound => 127,
            Self::Program { .. } => 126,
            Self::Memory(MemoryError::None(_)) => 3,
            Self::Memory(
                MemoryError::Damaged { .. }
                | MemoryError::Markers { .. }
                | MemoryError::Newer { .. },
            ) => 7,
            Self::Memory(_) => 1,
            Self::File { .. }
            | Self::Config { .. }
            | Self::Jvms(_)
            | Self::Terminal { .. }
            | Self::Failed(_) => 1,
        }
    }
}

/// Why a daemon was not reached, and what to do where TLS is why.
fn not_reached(error: &ConnectError) -> String {
    let mut text = with_causes(error);
    // The transport hides the library's error; its words are all that there is.
    let hints = [
        (
            "UnknownIssuer",
            "; who signed its certificate is not trusted here: name the CA's file with --ca",
        ),
        (
            "InvalidContentType",
            "; what answers there does not speak TLS: leave https:// out, or look at the port",
        ),
    ];
    for (word, hint) in hints {
        if text.contains(word) {
            text.push_str(hint);
        }
    }
    text
}

/// An error with what it came from: the transport hides "connection refused" three levels down.
fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let told = error.to_string();
        if !text.contains(&told) {
            text.push_str(": ");
            text.push_str(&told);
        }
        cause = error.source();
    }
    text
}

/// One line from a status and its details.
///
/// The daemon's messages say what to do by themselves; what is added here is what only the details or
/// the code tell.
fn describe(status: &Status) -> String {
    let message = status.message();
    let mut text = if message.is_empty() {
        format!(
            "the daemon answered '{}' without a reason",
            status.code().description()
        )
    } else {
        message.to_owned()
    };
    if let Some(request) = status.get_error_details().bad_request() {
        for violation in &request.field_violations {
            // The server repeats its message as the description where there is one violation.
            if !violation.description.is_empty() && !text.contains(&violation.description) {
                text.push_str(&format!("; {}: {}", violation.field, violation.description));
            }
        }
    }
    match status.code() {
        Code::Unavailable if is_transport(status) => {
            "the daemon went away in the middle of the answer; ask again (it is started anew)"
                .into()
        }
        // Who speaks plain text to a port with TLS meets that.
        Code::Cancelled | Code::Unknown | Code::Internal if is_transport(status) => format!(
            "the connection broke off before there was an answer ({text}); if the daemon speaks TLS there, write \
             --daemon https://HOST:PORT"
        ),
        Code::Unimplemented if message.is_empty() => {
            "this daemon is older than this jhyde and does not know the question".into()
        }
        Code::Internal | Code::Unknown => format!("the daemon failed: {text}"),
        _ => text,
    }
}

/// Made by the transport on this side, not sent by a daemon: those carry no details, and a source.
pub(crate) fn is_transport(status: &Status) -> bool {
    std::error::Error::source(status).is_some()
}

#[cfg(test)]
mod tests {
    use tonic_types::ErrorDetails;

    use super::*;

    #[test]
    fn codes_become_exit_codes() {
        let of = |code| Error::from(Status::new(code, "x")).exit_code();
        assert_eq!(of(Code::InvalidArgument), 2);
        assert_eq!(of(Code::NotFound), 3);
        assert_eq!(of(Code::AlreadyExists), 4);
        assert_eq!(of(Code::FailedPrecondition), 4);
        assert_eq!(of(Code::Unavailable), 5);
        assert_eq!(of(Code::Unimplemented), 6);
        assert_eq!(of(Code::DataLoss), 7);
        assert_eq!(of(Code::Internal), 1);
    }

    #[test]
    fn details_are_told_once() {
        let mut details = ErrorDetails::new();
        details.add_bad_request_violation("call", "write THREAD.NUMBER or method#N");
        let status =
            Status::with_error_details(Code::InvalidArgument, "'x' names no call", details);
        let text = Error::from(status).to_string();
        assert_eq!(
            text,
            "'x' names no call; call: write THREAD.NUMBER or method#N"
        );

        let mut details = ErrorDetails::new();
        details.add_bad_request_violation("call", "'x' names no call");
        let status =
            Status::with_error_details(Code::InvalidArgument, "'x' names no call", details);
        assert_eq!(Error::from(status).to_string(), "'x' names no call");
    }

    #[test]
    fn a_program_that_is_not_there_ends_as_in_a_shell() {
        let error = |kind| Error::Program {
            program: "jav".into(),
            source: io::Error::from(kind),
        };
        assert_eq!(error(io::ErrorKind::NotFound).exit_code(), 127);
        assert_eq!(error(io::ErrorKind::PermissionDenied).exit_code(), 126);
    }
}
