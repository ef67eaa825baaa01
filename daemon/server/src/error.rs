//! What can go wrong in the daemon, and the one place that says what kind of failure each is.
//!
//! [`Kind`] is mapped once to gRPC status codes (`services::status`); [`Error::exit_code`] maps to the exit
//! codes of the binary.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use jhyde_proto::folder::FolderError;
use jhyde_proto::program::CommandError;
use jhyde_store::Error as StoreError;
use jhyde_trace::echo::shown;
use jhyde_trace::meta::UnknownWord;
use thiserror::Error;

/// Something that was asked of the daemon failed. Messages say what happened, to what, and what to do.
#[derive(Debug, Error)]
pub enum Error {
    /// A level or engine that does not exist.
    #[error(transparent)]
    Word(#[from] UnknownWord),
    /// An option out of its range.
    #[error("{field}: {reason}")]
    Argument {
        /// The field of the request, as in the proto file.
        field: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// The configuration forbids that host.
    #[error(
        "'{}' may not be attached to: it is {resolved}; JDWP gives full control of a JVM, so hosts, networks and ports must \
         be listed in the setting attach.hosts of the daemon",
        shown(.address)
    )]
    Host {
        /// As it was typed.
        address: String,
        /// The addresses that it stands for.
        resolved: String,
    },
    /// The data folder is another user's, or cannot be used.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// A JVM could not be reached, or does not do what is needed.
    #[error("{message}")]
    Jvm {
        /// What kind of failure.
        failure: JvmFailure,
        /// The whole story.
        message: String,
    },
    /// The program to launch does not start.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// The recording has ended already.
    #[error("the recording '{name}' has ended already ({state})")]
    Ended {
        /// Its name.
        name: String,
        /// How.
        state: &'static str,
    },
    /// The recording has not ended yet.
    #[error("the recording '{0}' is still being made; stop it first")]
    Live(String),
    /// Not closed within the time that was given.
    #[error(
        "the recording '{name}' was asked to end and had not closed after {waited:?}; it goes on closing"
    )]
    Closing {
        /// Its name.
        name: String,
        /// How long it was waited for.
        waited: Duration,
    },
    /// The daemon is stopping.
    #[error("the daemon is stopping; start it again and repeat")]
    Stopping,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A thread could not be started, a pipe not be made …
    #[error("{what}: {source}")]
    System {
        /// What was tried.
        what: &'static str,
        /// Why it failed.
        source: io::Error,
    },
}

/// How a JVM failed us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JvmFailure {
    /// The address is not one, or its host has no address.
    Address,
    /// Nobody listens there, or nobody connected.
    Unreachable,
    /// Nobody answered in time.
    Timeout,
    /// Somebody answers, and does not speak JDWP.
    NotJdwp,
    /// Another debugger is attached already.
    Busy,
    /// It lacks an ability that recording needs.
    Unsupported,
    /// A class pattern that makes no sense.
    Pattern,
    /// The wait was ended by somebody.
    Cancelled,
    /// The port to wait on cannot be opened.
    Port,
}

/// A program does not start.
#[derive(Debug, Error)]
pub enum ProgramError {
    /// The command line cannot be recorded.
    #[error(transparent)]
    Command(#[from] CommandError),
    /// There is no such file.
    #[error("cannot start '{}': no such program{}", shown(.program), .folder.as_ref().map(|f| format!(", or no folder {}", shown(&f.to_string_lossy()))).unwrap_or_default())]
    NotFound {
        /// The program.
        program: String,
        /// The folder that it was to run in.
        folder: Option<PathBuf>,
    },
    /// It cannot be run.
    #[error("cannot start '{}': {source}", shown(.program))]
    CannotRun {
        /// The program.
        program: String,
        /// Why.
        source: io::Error,
    },
    /// It ended before its JVM connected.
    #[error("'{}' ended with exit code {exit_code} before its JVM connected; nothing was recorded{}", shown(.program),
        if .stderr.is_empty() { String::new() } else { format!(". It wrote: {stderr}") })]
    EndedEarly {
        /// The program.
        program: String,
        /// As a shell would say it.
        exit_code: i32,
        /// The beginning of what it wrote to its standard error, if that was caught.
        stderr: String,
    },
}

/// The kinds of failure that callers treat differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The request makes no sense, whatever the state.
    InvalidArgument,
    /// What was named is not there.
    NotFound,
    /// The name is taken.
    AlreadyExists,
    /// The state does not allow it.
    FailedPrecondition,
    /// Not allowed by the configuration.
    PermissionDenied,
    /// Nobody knows who asks.
    Unauthenticated,
    /// A JVM cannot be reached now.
    Unavailable,
    /// No answer in time.
    DeadlineExceeded,
    /// Somebody asks for too much at once.
    ResourceExhausted,
    /// Ended by somebody.
    Cancelled,
    /// What was recorded is damaged.
    DataLoss,
    /// Disk full, a bug …
    Internal,
}

impl Error {
    /// What kind of failure it is.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Word(_) | Self::Argument { .. } => Kind::InvalidArgument,
            Self::Host { .. } | Self::Folder(_) => Kind::PermissionDenied,
            Self::Ended { .. } | Self::Live(_) => Kind::FailedPrecondition,
            Self::Jvm { failure, .. } => match failure {
                JvmFailure::Address | JvmFailure::Pattern => Kind::InvalidArgument,
                JvmFailure::Unreachable => Kind::Unavailable,
                JvmFailure::Timeout => Kind::DeadlineExceeded,
                JvmFailure::NotJdwp
                | JvmFailure::Busy
                | JvmFailure::Unsupported
                | JvmFailure::Port => Kind::FailedPrecondition,
                JvmFailure::Cancelled => Kind::Cancelled,
            },
            Self::Program(error) => match error {
                ProgramError::Command(_) | ProgramError::NotFound { .. } => Kind::InvalidArgument,
                ProgramError::CannotRun { .. } | ProgramError::EndedEarly { .. } => {
                    Kind::FailedPrecondition
                }
            },
            Self::Closing { .. } => Kind::DeadlineExceeded,
            Self::Stopping => Kind::Unavailable,
            Self::Store(error) => store_kind(error),
            Self::System { .. } => Kind::Internal,
        }
    }

    /// A stable word for programs: `google.rpc.ErrorInfo.reason`.
    pub fn reason(&self) -> &'static str {
        match self {
            Self::Word(_) | Self::Argument { .. } => "INVALID_OPTION",
            Self::Host { .. } => "HOST_NOT_ALLOWED",
            Self::Folder(_) => "FOLDER_NOT_USABLE",
            Self::Jvm { failure, .. } => match failure {
                JvmFailure::Address => "INVALID_ADDRESS",
                JvmFailure::Unreachable => "JVM_UNREACHABLE",
                JvmFailure::Timeout => "JVM_TIMEOUT",
                JvmFailure::NotJdwp => "NOT_JDWP",
                JvmFailure::Busy => "JVM_HAS_DEBUGGER",
                JvmFailure::Unsupported => "JVM_UNSUPPORTED",
                JvmFailure::Pattern => "INVALID_PATTERN",
                JvmFailure::Cancelled => "CANCELLED",
                JvmFailure::Port => "PORT_UNUSABLE",
            },
            Self::Program(error) => match error {
                ProgramError::Command(CommandError::Missing) => "NO_PROGRAM",
                ProgramError::Command(
                    CommandError::NotJava(_) | CommandError::BuildTool { .. },
                ) => "NOT_JAVA",
                ProgramError::Command(CommandError::HasAgent(_)) => "HAS_AGENT",
                ProgramError::NotFound { .. } => "PROGRAM_NOT_FOUND",
                ProgramError::CannotRun { .. } => "PROGRAM_CANNOT_RUN",
                ProgramError::EndedEarly { .. } => "PROGRAM_ENDED_EARLY",
            },
            Self::Ended { .. } => "RECORDING_ENDED",
            Self::Live(_) => "RECORDING_LIVE",
            Self::Closing { .. } => "RECORDING_CLOSING",
            Self::Stopping => "DAEMON_STOPPING",
            Self::Store(error) => store_reason(error),
            Self::System { .. } => "SYSTEM",
        }
    }

    /// The field of the request that is wrong, where one is.
    pub fn field(&self) -> Option<&'static str> {
        match self {
            Self::Store(StoreError::InvalidName { .. } | StoreError::NameTaken { .. }) => {
                Some("name")
            }
            Self::Store(StoreError::NotFound(_) | StoreError::Ambiguous { .. }) => {
                Some("recording")
            }
            Self::Word(word) if word.what == "level" => Some("options.level"),
            Self::Word(word) if word.what == "action at a limit" => Some("options.at_limit"),
            Self::Word(_) => Some("options.engine"),
            Self::Argument { field, .. } => Some(field),
            Self::Host { .. }
            | Self::Jvm {
                failure: JvmFailure::Address,
                ..
            } => Some("address"),
            Self::Jvm {
                failure: JvmFailure::Pattern,
                ..
            } => Some("options.include"),
            Self::Jvm {
                failure: JvmFailure::Port,
                ..
            } => Some("port"),
            Self::Program(_) => Some("command"),
            _ => None,
        }
    }
}

/// What kind of failure the store met. Public for the services that ask the store directly.
pub fn store_kind(error: &StoreError) -> Kind {
    match error {
        StoreError::NotFound(_)
        | StoreError::NoSuchCall(_)
        | StoreError::NoSuchThread(_)
        | StoreError::NoSuchEvent { .. } => Kind::NotFound,
        StoreError::Ambiguous { .. }
        | StoreError::InvalidName { .. }
        | StoreError::BadArchive { .. } => Kind::InvalidArgument,
        StoreError::NameTaken { .. } => Kind::AlreadyExists,
        StoreError::Locked { .. }
        | StoreError::InUse(_)
        | StoreError::ReadOnly(_)
        | StoreError::UnknownVersion { .. } => Kind::FailedPrecondition,
        StoreError::Damaged { .. }
        | StoreError::DamagedSession { .. }
        | StoreError::Slower { .. } => Kind::DataLoss,
        _ => Kind::Internal,
    }
}

/// A stable word for what the store met.
pub fn store_reason(error: &StoreError) -> &'static str {
    match error {
        StoreError::NotFound(_) => "NO_RECORDING",
        StoreError::NoSuchCall(_) => "NO_CALL",
        StoreError::NoSuchThread(_) => "NO_THREAD",
        StoreError::NoSuchEvent { .. } => "NO_EVENT",
        StoreError::Ambiguous { .. } => "AMBIGUOUS",
        StoreError::InvalidName { .. } => "INVALID_NAME",
        StoreError::NameTaken { .. } => "NAME_TAKEN",
        StoreError::Locked { .. } => "FOLDER_IN_USE",
        StoreError::InUse(_) => "RECORDING_IN_USE",
        StoreError::UnknownVersion { .. } => "UNKNOWN_VERSION",
        StoreError::Damaged { cut_off: true, .. } => "CUT_OFF",
        StoreError::Damaged { .. }
        | StoreError::DamagedSession { .. }
        | StoreError::Slower { .. } => "DAMAGED",
        _ => "STORE",
    }
}

/// Exit codes of `jhyded`, one per kind of failure. `launch` passes the program's own code on.
pub mod exit {
    /// Something unexpected: the disk, the system, a bug.
    pub const FAILED: u8 = 1;
    /// Wrong arguments; the same that clap uses.
    pub const USAGE: u8 = 2;
    /// Wrong configuration.
    pub const CONFIGURATION: u8 = 3;
    /// The data folder or an address to serve is in use or not allowed.
    pub const SERVING: u8 = 4;
    /// No JVM could be reached.
    pub const NO_JVM: u8 = 5;
    /// The JVM cannot be recorded (another debugger, a missing ability).
    pub const JVM_REFUSES: u8 = 6;
    /// The recording broke off; what was recorded is readable.
    pub const BROKEN_OFF: u8 = 7;
    /// Not built yet.
    pub const NOT_YET: u8 = 8;
    /// Ended by Ctrl-C before anything was recorded.
    pub const INTERRUPTED: u8 = 130;
    /// The program cannot be run.
    pub const CANNOT_RUN: u8 = 126;
    /// There is no such program.
    pub const NOT_FOUND: u8 = 127;
}

impl Error {
    /// The exit code of `jhyded` when this ends it.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Program(ProgramError::Command(CommandError::Missing)) => exit::USAGE,
            Self::Program(ProgramError::NotFound { .. }) => exit::NOT_FOUND,
            Self::Program(ProgramError::EndedEarly { exit_code, .. }) => {
                // A program that ends well before it was recorded has not failed; we have.
                u8::try_from(*exit_code)
                    .ok()
                    .filter(|code| *code != 0)
                    .unwrap_or(exit::FAILED)
            }
            Self::Program(_) => exit::CANNOT_RUN,
            Self::Store(StoreError::Locked { .. }) | Self::Folder(_) => exit::SERVING,
            Self::Jvm { failure, .. } => match failure {
                JvmFailure::Address | JvmFailure::Pattern => exit::USAGE,
                JvmFailure::Unreachable | JvmFailure::Timeout | JvmFailure::NotJdwp => exit::NO_JVM,
                JvmFailure::Busy | JvmFailure::Unsupported => exit::JVM_REFUSES,
                JvmFailure::Cancelled => exit::INTERRUPTED,
                JvmFailure::Port => exit::SERVING,
            },
            other => match other.kind() {
                Kind::InvalidArgument
                | Kind::AlreadyExists
                | Kind::PermissionDenied
                | Kind::Unauthenticated => exit::USAGE,
                _ => exit::FAILED,
            },
        }
    }
}
