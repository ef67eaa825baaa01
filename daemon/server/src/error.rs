//! What can go wrong in the daemon, and the one place that says what kind of failure each is.
//!
//! [`Kind`] is mapped once to gRPC status codes (`services::status`) and once to exit codes of the
//! binary ([`Kind::exit_code`]).

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use jhyde_trace::State;
use jhyde_trace::meta::UnknownWord;
use thiserror::Error;

/// Something that was asked of the daemon failed. Messages say what happened, to what, and what to do.
#[derive(Debug, Error)]
pub enum Error {
    /// No recording of this id or name.
    #[error("there is no recording '{0}'; `jhyde list` shows those that there are")]
    NoRecording(String),
    /// The name is taken.
    #[error("the name '{0}' is taken by another recording; choose another one, or delete that one first")]
    NameTaken(String),
    /// Not a name for a recording.
    #[error("'{name}' cannot name a recording: {reason}")]
    Name {
        /// The name.
        name: String,
        /// What is wrong with it.
        reason: &'static str,
    },
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
    /// A level or engine that is not built yet.
    #[error("{what} is not built yet; use {instead}")]
    NotYet {
        /// What was asked for.
        what: String,
        /// What works.
        instead: &'static str,
    },
    /// The configuration forbids that host.
    #[error(
        "the host '{0}' may not be attached to; JDWP gives full control of a JVM, so hosts must be \
         listed in the setting attach.hosts of the daemon"
    )]
    Host(String),
    /// The port to wait on cannot be opened.
    #[error("cannot wait on port {port}: {source}")]
    Port {
        /// The port; 0: any.
        port: u16,
        /// Why.
        source: io::Error,
    },
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
        state: String,
    },
    /// The recording has not ended yet.
    #[error("the recording '{0}' is still being made; stop it first")]
    Live(String),
    /// Not closed within the time that was given.
    #[error("the recording '{name}' was asked to end and had not closed after {waited:?}; it goes on closing")]
    Closing {
        /// Its name.
        name: String,
        /// How long it was waited for.
        waited: Duration,
    },
    /// Another daemon serves the data folder.
    #[error("another daemon{} serves the data folder {folder} already; use that one, or name another folder with --data",
        .pid.map(|pid| format!(" (process {pid})")).unwrap_or_default())]
    FolderInUse {
        /// The folder.
        folder: PathBuf,
        /// Its process id, if it told.
        pid: Option<u32>,
    },
    /// The data folder cannot be used.
    #[error("cannot use the data folder {folder}: {source}")]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The daemon is stopping.
    #[error("the daemon is stopping; start it again and repeat")]
    Stopping,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] jhyde_store::Error),
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
}

/// A program does not start.
#[derive(Debug, Error)]
pub enum ProgramError {
    /// No command.
    #[error("no program was named; write it after --, such as: launch -- java -jar app.jar")]
    Missing,
    /// Not a java launcher.
    #[error(
        "'{0}' is not a java program, so the way to record it is unknown; name the java program itself \
         (such as /usr/lib/jvm/…/bin/java), or, for a script that starts java: run `jhyded listen 5005`, then the \
         script with JAVA_TOOL_OPTIONS=-agentlib:jdwp=transport=dt_socket,server=n,suspend=y,address=127.0.0.1:5005"
    )]
    NotJava(String),
    /// The command brings a debugger of its own.
    #[error(
        "the command already loads the debugger agent ('{0}'), and a JVM takes only one; leave that option out, \
         or start the program yourself and use attach"
    )]
    HasAgent(String),
    /// There is no such file.
    #[error("cannot start '{program}': no such program{}", .folder.as_ref().map(|f| format!(", or no folder {}", f.display())).unwrap_or_default())]
    NotFound {
        /// The program.
        program: String,
        /// The folder that it was to run in.
        folder: Option<PathBuf>,
    },
    /// It cannot be run.
    #[error("cannot start '{program}': {source}")]
    CannotRun {
        /// The program.
        program: String,
        /// Why.
        source: io::Error,
    },
    /// It ended before its JVM connected.
    #[error("'{program}' ended with exit code {exit_code} before its JVM connected; nothing was recorded{}",
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
    /// A JVM cannot be reached now.
    Unavailable,
    /// No answer in time.
    DeadlineExceeded,
    /// Not built yet.
    Unimplemented,
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
            Self::NoRecording(_) => Kind::NotFound,
            Self::NameTaken(_) => Kind::AlreadyExists,
            Self::Name { .. } | Self::Word(_) | Self::Argument { .. } => Kind::InvalidArgument,
            Self::NotYet { .. } => Kind::Unimplemented,
            Self::Host(_) => Kind::PermissionDenied,
            Self::Port { .. } | Self::Ended { .. } | Self::Live(_) | Self::FolderInUse { .. } => {
                Kind::FailedPrecondition
            }
            Self::Jvm { failure, .. } => match failure {
                JvmFailure::Address | JvmFailure::Pattern => Kind::InvalidArgument,
                JvmFailure::Unreachable => Kind::Unavailable,
                JvmFailure::Timeout => Kind::DeadlineExceeded,
                JvmFailure::NotJdwp | JvmFailure::Busy | JvmFailure::Unsupported => {
                    Kind::FailedPrecondition
                }
                JvmFailure::Cancelled => Kind::Cancelled,
            },
            Self::Program(error) => match error {
                ProgramError::Missing
                | ProgramError::NotJava(_)
                | ProgramError::HasAgent(_)
                | ProgramError::NotFound { .. } => Kind::InvalidArgument,
                ProgramError::CannotRun { .. } | ProgramError::EndedEarly { .. } => {
                    Kind::FailedPrecondition
                }
            },
            Self::Closing { .. } => Kind::DeadlineExceeded,
            Self::Stopping => Kind::Unavailable,
            Self::Store(error) => crate::store_kind(error),
            Self::Folder { .. } | Self::System { .. } => Kind::Internal,
        }
    }

    /// A stable word for programs: `google.rpc.ErrorInfo.reason`.
    pub fn reason(&self) -> &'static str {
        match self {
            Self::NoRecording(_) => "NO_RECORDING",
            Self::NameTaken(_) => "NAME_TAKEN",
            Self::Name { .. } => "INVALID_NAME",
            Self::Word(_) | Self::Argument { .. } => "INVALID_OPTION",
            Self::NotYet { .. } => "NOT_BUILT_YET",
            Self::Host(_) => "HOST_NOT_ALLOWED",
            Self::Port { .. } => "PORT_UNUSABLE",
            Self::Jvm { failure, .. } => match failure {
                JvmFailure::Address => "INVALID_ADDRESS",
                JvmFailure::Unreachable => "JVM_UNREACHABLE",
                JvmFailure::Timeout => "JVM_TIMEOUT",
                JvmFailure::NotJdwp => "NOT_JDWP",
                JvmFailure::Busy => "JVM_HAS_DEBUGGER",
                JvmFailure::Unsupported => "JVM_UNSUPPORTED",
                JvmFailure::Pattern => "INVALID_PATTERN",
                JvmFailure::Cancelled => "CANCELLED",
            },
            Self::Program(error) => match error {
                ProgramError::Missing => "NO_PROGRAM",
                ProgramError::NotJava(_) => "NOT_JAVA",
                ProgramError::HasAgent(_) => "HAS_AGENT",
                ProgramError::NotFound { .. } => "PROGRAM_NOT_FOUND",
                ProgramError::CannotRun { .. } => "PROGRAM_CANNOT_RUN",
                ProgramError::EndedEarly { .. } => "PROGRAM_ENDED_EARLY",
            },
            Self::Ended { .. } => "RECORDING_ENDED",
            Self::Live(_) => "RECORDING_LIVE",
            Self::Closing { .. } => "RECORDING_CLOSING",
            Self::FolderInUse { .. } => "FOLDER_IN_USE",
            Self::Folder { .. } => "FOLDER_UNUSABLE",
            Self::Stopping => "DAEMON_STOPPING",
            Self::Store(_) => "STORE",
            Self::System { .. } => "SYSTEM",
        }
    }

    /// The field of the request that is wrong, where one is.
    pub fn field(&self) -> Option<&'static str> {
        match self {
            Self::Name { .. } | Self::NameTaken(_) => Some("name"),
            Self::NoRecording(_) => Some("recording"),
            Self::Word(word) if word.what == "level" => Some("options.level"),
            Self::Word(_) => Some("options.engine"),
            Self::Argument { field, .. } => Some(field),
            Self::Host(_) | Self::Jvm { failure: JvmFailure::Address, .. } => Some("address"),
            Self::Jvm { failure: JvmFailure::Pattern, .. } => Some("options.include"),
            Self::Port { .. } => Some("port"),
            Self::Program(_) => Some("command"),
            _ => None,
        }
    }

    /// The recording has ended in this state.
    pub fn ended(name: &str, state: &State) -> Self {
        Self::Ended { name: name.to_owned(), state: format!("{state:?}") }
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
            Self::Program(ProgramError::Missing) => exit::USAGE,
            Self::Program(ProgramError::NotFound { .. }) => exit::NOT_FOUND,
            Self::Program(ProgramError::EndedEarly { exit_code, .. }) => {
                // A program that ends well before it was recorded has not failed; we have.
                u8::try_from(*exit_code).ok().filter(|code| *code != 0).unwrap_or(exit::FAILED)
            }
            Self::Program(_) => exit::CANNOT_RUN,
            Self::FolderInUse { .. } | Self::Port { .. } => exit::SERVING,
            Self::Jvm { failure, .. } => match failure {
                JvmFailure::Address | JvmFailure::Pattern => exit::USAGE,
                JvmFailure::Unreachable | JvmFailure::Timeout | JvmFailure::NotJdwp => exit::NO_JVM,
                JvmFailure::Busy | JvmFailure::Unsupported => exit::JVM_REFUSES,
                JvmFailure::Cancelled => exit::INTERRUPTED,
            },
            other => match other.kind() {
                Kind::InvalidArgument | Kind::AlreadyExists | Kind::PermissionDenied => exit::USAGE,
                Kind::Unimplemented => exit::NOT_YET,
                _ => exit::FAILED,
            },
        }
    }
}
