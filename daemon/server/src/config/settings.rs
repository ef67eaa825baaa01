//! The settings as the daemon uses them, after all layers are merged and every value is checked.

use std::fmt;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use jhyde_trace::{AtLimit, CostLimits, EngineKind, Level, ProbeLog, SnapshotLimits};
use serde::Deserialize;
use serde::de::{Deserializer, Error as _};

use super::hosts::Hosts;
use super::keep::Limits;
use super::units::{ByteSize, Limit, Span, Times, from_text};
use super::watch::Watches;
use crate::access::Rights;
use crate::access::gate::Allowed;

/// Every setting. Field names are the names in the file; [`super::keys::KEYS`] explains each.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Settings {
    /// Folder that keeps the recordings, absolute.
    pub data: PathBuf,
    /// Memory for recordings and debugging sessions, all together; at least [`LEAST_MEMORY`].
    #[serde(deserialize_with = "enough")]
    pub memory: ByteSize,
    /// Which recordings are kept when others come.
    pub keep: Limits,
    /// Where clients connect.
    pub listen: Listen,
    /// What is logged, and how.
    pub log: Log,
    /// Where it is written down who did what.
    pub audit: AuditFile,
    /// What a recording gets that asks for nothing else.
    pub record: Record,
    /// Where source is found, and how much of it is kept.
    pub source: Source,
    /// Which JVMs may be attached to.
    pub attach: Attach,
    /// JVMs that are recorded whenever they are up.
    pub watch: Watches,
    /// How much clients may have of the daemon.
    pub limits: Bounds,
    /// How the daemon ends.
    pub shutdown: Shutdown,
}

/// What the store needs for one recording that is made and one that is asked, with room to work.
pub const LEAST_MEMORY: ByteSize = ByteSize(64_000_000);

fn enough<'de, D: Deserializer<'de>>(deserializer: D) -> Result<ByteSize, D::Error> {
    let memory = ByteSize::deserialize(deserializer)?;
    if memory < LEAST_MEMORY {
        let reason = format!("{memory} is too little: give {LEAST_MEMORY} or more");
        return Err(D::Error::custom(reason));
    }
    Ok(memory)
}

/// Where clients connect.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Listen {
    /// Serve the data folder's unix socket.
    pub unix: bool,
    /// `HOST:PORT`, each; loopback, or with TLS, which is checked when they are bound.
    pub tcp: Vec<String>,
    /// What TLS is served with on all of them.
    pub tls: TlsFiles,
    /// Where that socket is; empty: in the data folder.
    pub unix_path: PathBuf,
    /// The group whose users may connect to it besides, by name or number; empty: none.
    pub unix_group: String,
    /// What they may do.
    pub unix_group_rights: Rights,
    /// What whoever connects over TCP on loopback may do without a token.
    pub insecure_loopback: Rights,
    /// Where the page is served once somebody asks for it.
    #[serde(deserialize_with = "from_text")]
    pub web: WebListen,
    /// `HOST:PORT` on loopback where metrics are served; empty: nowhere.
    pub metrics: String,
}

impl Listen {
    /// What is allowed to whom besides tokens.
    pub fn allowed(&self) -> Allowed {
        let has_group = !self.unix_group.is_empty();
        Allowed {
            unix_group: if has_group {
                self.unix_group_rights
            } else {
                Rights::NONE
            },
            insecure_loopback: self.insecure_loopback,
            client_certificate: match self.tls.client_ca() {
                Some(_) => self.tls.client_rights,
                None => Rights::NONE,
            },
        }
    }
}

/// What TLS is served with; empty paths name nothing.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct TlsFiles {
    /// The certificate, with those between it and its authority behind it.
    pub certificate: PathBuf,
    /// Its key.
    pub key: PathBuf,
    /// Authorities whose certificates clients may show instead of a token.
    pub client_ca: PathBuf,
    /// What a client with such a certificate may do.
    pub client_rights: Rights,
}

impl TlsFiles {
    /// The certificate's file, if one is named.
    pub fn certificate(&self) -> Option<&Path> {
        named(&self.certificate)
    }

    /// The key's file, if one is named.
    pub fn key(&self) -> Option<&Path> {
        named(&self.key)
    }

    /// The file of the clients' authorities, if one is named.
    pub fn client_ca(&self) -> Option<&Path> {
        named(&self.client_ca)
    }
}

fn named(path: &Path) -> Option<&Path> {
    (!path.as_os_str().is_empty()).then_some(path)
}

/// Where the page is served once somebody asks for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WebListen {
    /// Nowhere.
    Off,
    /// `HOST:PORT`, checked to be loopback when it is bound; port 0: the one that the data folder has.
    At(String),
}

/// What names no place for the page.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is neither off nor HOST:PORT, such as 127.0.0.1:0")]
pub struct NoPlace(String);

impl FromStr for WebListen {
    type Err = NoPlace;

    fn from_str(word: &str) -> Result<Self, NoPlace> {
        match word.rsplit_once(':') {
            _ if word == "off" => Ok(Self::Off),
            Some((host, port)) if !host.is_empty() && port.parse::<u16>().is_ok() => {
                Ok(Self::At(word.to_owned()))
            }
            _ => Err(NoPlace(word.to_owned())),
        }
    }
}

/// Where it is written down who did what.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct AuditFile {
    /// The file; empty: nowhere.
    file: PathBuf,
}

impl AuditFile {
    /// The file, if one is named.
    pub fn file(&self) -> Option<&Path> {
        named(&self.file)
    }
}

/// What is logged, and how.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Log {
    /// A filter in the words of tracing-subscriber's `EnvFilter`.
    pub filter: String,
    /// One line per message, for people or for programs.
    #[serde(deserialize_with = "from_text")]
    pub format: LogFormat,
}

/// What a recording gets that asks for nothing else.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Record {
    /// How much is recorded.
    #[serde(deserialize_with = "from_text")]
    pub level: Level,
    /// How it is captured.
    #[serde(deserialize_with = "from_text")]
    pub engine: EngineKind,
    /// Longest text kept of a string, in UTF-16 units.
    pub string_limit: u32,
    /// Levels of objects in a snapshot; 0: there are none.
    pub snapshot_depth: u32,
    /// Elements of one object in a snapshot.
    pub snapshot_elements: u32,
    /// Bytes of values in a snapshot.
    pub snapshot_bytes: u32,
    /// Whether what objects of the JDK hold is recorded.
    pub contents: bool,
    /// The most bytes on disk.
    #[serde(deserialize_with = "from_text")]
    pub max_bytes: Limit<ByteSize>,
    /// The longest time.
    #[serde(deserialize_with = "from_text")]
    pub max_duration: Limit<Span>,
    /// How many times as long the program may take.
    #[serde(deserialize_with = "from_text")]
    pub max_slowdown: Limit<Times>,
    /// What happens at a limit.
    #[serde(deserialize_with = "from_text")]
    pub at_limit: AtLimit,
    /// Only the newest part is kept, of so many bytes.
    #[serde(deserialize_with = "from_text")]
    pub ring: Limit<ByteSize>,
    /// What the engine `probe` has programs tell.
    #[serde(deserialize_with = "from_text")]
    pub probe_log: ProbeLog,
}

impl Record {
    /// What a recording may cost.
    pub fn limits(&self) -> CostLimits {
        CostLimits {
            bytes: self.max_bytes.0.map(|bytes| bytes.0),
            duration_ms: self.max_duration.milliseconds(),
            slowdown_percent: self.max_slowdown.0.map(|times| times.0),
            at_limit: self.at_limit,
            ring: self.ring.0.map(|bytes| bytes.0),
        }
    }

    /// How far snapshots go.
    pub fn snapshots(&self) -> SnapshotLimits {
        SnapshotLimits {
            depth: self.snapshot_depth,
            elements: self.snapshot_elements,
            bytes: self.snapshot_bytes,
        }
    }
}

/// Where source is found, and how much of it is kept.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Source {
    /// Folders, jars and zips that are searched first.
    pub path: Vec<PathBuf>,
    /// Most text that is kept in a recording, before it is compressed.
    pub keep: ByteSize,
}

/// Which JVMs may be attached to.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Attach {
    /// Hosts, networks and ports.
    pub hosts: Hosts,
    /// How long a JVM may take to accept, shake hands and answer.
    pub timeout: Span,
}

/// How much clients may have of the daemon: in all, and each one by itself but for the owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct Bounds {
    /// Connections.
    pub connections: NonZeroU32,
    /// Connections from one address, or of one user.
    pub client_connections: NonZeroU32,
    /// Calls at once.
    pub calls: NonZeroU32,
    /// Calls at once of one client.
    pub client_calls: NonZeroU32,
    /// Calls in a second.
    pub rate: NonZeroU32,
    /// Calls in a second of one client.
    pub client_rate: NonZeroU32,
    /// Answers in parts at once.
    pub answers: NonZeroU32,
    /// How long one of them waits for who takes nothing of it; zero: for ever.
    pub unread: Span,
}

impl Bounds {
    /// How long an answer waits for who takes nothing of it; `None`: for ever.
    pub fn unread(&self) -> Option<Duration> {
        (!self.unread.0.is_zero()).then_some(self.unread.0)
    }
}

/// No bounds.
impl Default for Bounds {
    fn default() -> Self {
        let none = NonZeroU32::MAX;
        Self {
            connections: none,
            client_connections: none,
            calls: none,
            client_calls: none,
            rate: none,
            client_rate: none,
            answers: none,
            unread: Span(Duration::ZERO),
        }
    }
}

/// How the daemon ends.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Shutdown {
    /// How long it waits for its recordings to close.
    pub grace: Span,
    /// It stops by itself after so long without clients and recordings; zero: never.
    pub idle: Span,
}

/// How a log line looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object per line.
    Json,
}

impl fmt::Display for LogFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Text => "text",
            Self::Json => "json",
        })
    }
}

impl FromStr for LogFormat {
    type Err = jhyde_trace::meta::UnknownWord;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        match word {
            "text" => Ok(Self::Text),
            "json" => Ok(Self::Json),
            _ => Err(Self::Err {
                what: "log format",
                word: word.to_owned(),
                known: "text, json",
            }),
        }
    }
}
