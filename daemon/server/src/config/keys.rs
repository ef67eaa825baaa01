//! The table of all settings.

/// What a setting's value looks like in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One text (or number).
    One,
    /// A list of texts; in the environment they are separated by commas.
    List,
    /// Tables, `[[name]]`; in files alone.
    Tables,
}

/// One setting.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// Its dotted name in a file: `log.format`.
    pub path: &'static str,
    /// One or many.
    pub shape: Shape,
    /// The default as it would be written; `None` where it is worked out at start (the data folder)
    /// or is an empty list.
    pub default: Option<&'static str>,
    /// What it is for.
    pub help: &'static str,
}

impl Key {
    /// Its environment variable: `log.format` is `JHYDED_LOG_FORMAT`.
    pub fn variable(&self) -> String {
        format!(
            "{ENVIRONMENT_PREFIX}{}",
            self.path.to_ascii_uppercase().replace('.', "_")
        )
    }
}

/// Settings, or the beginnings of their names, that are changed by SIGHUP without a restart.
const RELOADED: [&str; 12] = [
    "audit.",
    "limits.",
    "keep",
    "listen.insecure_loopback",
    "listen.tls.",
    "listen.unix_group_rights",
    "log.filter",
    "record.",
    "source.",
    "attach.",
    "shutdown.",
    "watch",
];

impl Key {
    /// Does SIGHUP change it without a restart?
    pub fn reloads(&self) -> bool {
        RELOADED.iter().any(|named| {
            self.path == *named || (named.ends_with('.') && self.path.starts_with(named))
        })
    }
}

/// Settings whose values are paths.
pub(super) const PATHS: [&str; 7] = [
    "data",
    "audit.file",
    "source.path",
    "listen.unix_path",
    "listen.tls.certificate",
    "listen.tls.key",
    "listen.tls.client_ca",
];

/// What the names of all our environment variables begin with.
pub const ENVIRONMENT_PREFIX: &str = "JHYDED_";

const fn one(path: &'static str, default: &'static str, help: &'static str) -> Key {
    Key {
        path,
        shape: Shape::One,
        default: Some(default),
        help,
    }
}

/// All settings, in the order in which `jhyded config show` prints them. To add one, see [`super`].
pub const KEYS: &[Key] = &[
    Key {
        path: "data",
        shape: Shape::One,
        default: None,
        help: "folder that keeps the recordings; one daemon serves one folder",
    },
    one(
        "memory",
        "512MB",
        "memory for recordings and debugging sessions, all together; 64MB at least",
    ),
    Key {
        path: "keep",
        shape: Shape::List,
        default: None,
        help: "how many recordings, how old (30d) and how much of them (20GB) to keep; empty: all",
    },
    one(
        "listen.unix",
        "true",
        "serve a unix socket: the kernel tells who is there, and its owner may do all",
    ),
    one(
        "listen.unix_path",
        "",
        "where that socket is; empty: in the data folder, which nobody else can enter",
    ),
    one(
        "listen.unix_group",
        "",
        "group whose users may connect to it, too (its name or number); empty: only its owner",
    ),
    Key {
        path: "listen.unix_group_rights",
        shape: Shape::List,
        default: Some("read"),
        help: "what they may do: read, debug, record, launch, manage",
    },
    Key {
        path: "listen.tcp",
        shape: Shape::List,
        default: None,
        help: "addresses HOST:PORT to serve besides; others than loopback need TLS; port 0 takes a free one",
    },
    one(
        "listen.tls.certificate",
        "",
        "PEM file of the certificate (and those that lead to its CA) by which these are served with TLS; empty: plain",
    ),
    one(
        "listen.tls.key",
        "",
        "PEM file of its key, which nobody else may be able to read",
    ),
    one(
        "listen.tls.client_ca",
        "",
        "PEM file of the CA whose certificates clients may show instead of a token; empty: a token is needed",
    ),
    Key {
        path: "listen.tls.client_rights",
        shape: Shape::List,
        default: Some("read"),
        help: "what whoever shows such a certificate may do",
    },
    Key {
        path: "listen.insecure_loopback",
        shape: Shape::List,
        default: None,
        help: "rights of any user of this machine over TCP without a token (see jhyded token); empty: a token is needed",
    },
    one(
        "listen.web",
        "127.0.0.1:0",
        "loopback address HOST:PORT of the page, opened when jhyde web asks for it; port 0 takes one and keeps it; off: none",
    ),
    one(
        "listen.metrics",
        "",
        "loopback address HOST:PORT of metrics for Prometheus (/metrics); port 0 takes a free one; empty: none",
    ),
    one(
        "log.filter",
        "warn",
        "what to log: error, warn, info, debug, trace, or target=level,…",
    ),
    one("log.format", "text", "text or json"),
    one(
        "audit.file",
        "",
        "file that a line of JSON is appended to for each call that changes something or reads values; empty: none",
    ),
    one(
        "record.level",
        "full",
        "level for recordings that name none: calls, state or full",
    ),
    one(
        "record.engine",
        "auto",
        "engine for recordings that name none: auto, events or probe",
    ),
    one(
        "record.string_limit",
        "1024",
        "longest text kept of a string, in UTF-16 units",
    ),
    one(
        "record.snapshot_depth",
        "3",
        "level calls: levels of objects that are looked at when a call begins and ends; 0: none",
    ),
    one(
        "record.snapshot_elements",
        "100",
        "the most elements of an array, or items of a collection, in such a snapshot",
    ),
    one(
        "record.snapshot_bytes",
        "2048",
        "the most bytes of values in one such snapshot; a field or an item counts 8",
    ),
    one(
        "record.contents",
        "true",
        "whether what objects of the JDK hold is recorded: true or false",
    ),
    one(
        "record.max_bytes",
        "none",
        "size on disk at which a recording steps down or ends: 500MB, 2GB; none: no limit",
    ),
    one(
        "record.max_duration",
        "none",
        "time after which a recording steps down or ends: 90s, 10m; none: no limit",
    ),
    one(
        "record.max_slowdown",
        "none",
        "how many times as long a program may take, for ten seconds, before its recording steps down or ends: 1.5, 20; none: no limit",
    ),
    one(
        "record.at_limit",
        "lower",
        "what a recording does at a limit: lower (the next lower level) or end",
    ),
    one(
        "record.ring",
        "none",
        "about how much a recording keeps on disk, of its newest part: 500MB, 2GB; none: all",
    ),
    one(
        "record.probe_log",
        "auto",
        "what the engine probe has programs tell: auto, inputs, reads or writes",
    ),
    Key {
        path: "source.path",
        shape: Shape::List,
        default: None,
        help: "folders, jars and zips with source of recorded programs, searched first",
    },
    one(
        "source.keep",
        "32MB",
        "most source text kept in a recording, before it is compressed; 0 keeps none",
    ),
    Key {
        path: "attach.hosts",
        shape: Shape::List,
        default: Some("localhost"),
        help: "whose JVMs may be recorded: names, addresses, networks, with ports: 10.0.0.0/8:5000-5999; '*' is any",
    },
    one(
        "attach.timeout",
        "10s",
        "how long a JVM may take to accept, shake hands and answer",
    ),
    Key {
        path: "watch",
        shape: Shape::Tables,
        default: None,
        help: "JVMs that are recorded whenever they are up: [[watch]] with address, name, and how",
    },
    one("limits.connections", "4096", "connections at once, in all"),
    one(
        "limits.client_connections",
        "2048",
        "connections at once from one address, or of one user but the daemon's own",
    ),
    one("limits.calls", "4096", "calls at once, in all"),
    one(
        "limits.client_calls",
        "2048",
        "calls at once of one client: a token, a certificate, a user but the daemon's own",
    ),
    one("limits.rate", "20000", "calls in a second, in all"),
    one(
        "limits.client_rate",
        "10000",
        "calls in a second of one client",
    ),
    one(
        "limits.answers",
        "256",
        "answers that come in parts at once, in all; each takes a thread, and up to 4 MiB for a client that does not read it",
    ),
    one(
        "limits.unread",
        "10m",
        "how long such an answer waits for a client that takes nothing of it; 0s: for ever",
    ),
    one(
        "shutdown.grace",
        "10s",
        "how long a stopping daemon waits for its recordings to close",
    ),
    one(
        "shutdown.idle",
        "0s",
        "stop after so long without clients and recordings; 0s: never",
    ),
];

/// The setting with this dotted name.
pub fn find(path: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.path == path)
}
