//! Where a daemon is reached: by its data folder (a unix socket in or for it) or by an address.

use std::env;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hyper_util::rt::TokioIo;
use thiserror::Error;
use tokio::net::UnixStream;
use tonic::transport::{Channel, Endpoint};

use crate::echo::shown;
use crate::folder;
use crate::trust::Trust;

/// What stands before an address that is reached over TLS.
const TLS: &str = "https://";

/// The longest path that fits into a socket address on Linux is 107 bytes; some slack is left.
const LONGEST_SOCKET_PATH: usize = 100;

/// The data folder when nothing else is said: `$JHYDE_DATA`, else `$XDG_DATA_HOME/jhyde`, else
/// `~/.local/share/jhyde`.
pub fn default_data_folder() -> PathBuf {
    if let Some(folder) = env::var_os("JHYDE_DATA").filter(|value| !value.is_empty()) {
        return folder.into();
    }
    if let Some(folder) = env::var_os("XDG_DATA_HOME").filter(|value| !value.is_empty()) {
        return Path::new(&folder).join("jhyde");
    }
    let home = env::var_os("HOME").unwrap_or_else(|| "/".into());
    Path::new(&home).join(".local/share/jhyde")
}

/// The unix socket of the daemon that serves a data folder.
///
/// It lies in the folder itself; where that path would be too long for a socket address, in the
/// user's runtime folder ([`runtime_file`]). Clients and daemon must come to the same answer, so symbolic links are
/// followed.
pub fn socket_of(data: &Path) -> PathBuf {
    let inside = followed(data).join("jhyded.sock");
    if inside.as_os_str().len() <= LONGEST_SOCKET_PATH {
        return inside;
    }
    outer_socket_of(data)
}

/// The socket of a daemon that cannot write in its data folder: read-only media, a full disk.
pub fn outer_socket_of(data: &Path) -> PathBuf {
    runtime_file(data, "sock")
}

/// The unix socket of the machine's own daemon, a service (`deploy/systemd`): where `JHYDE_SYSTEM_SOCKET` says, else
/// `/run/jhyde/jhyded.sock`. Empty: there is none.
pub fn system_socket() -> Option<PathBuf> {
    match env::var_os("JHYDE_SYSTEM_SOCKET") {
        Some(named) => (!named.is_empty()).then(|| named.into()),
        None => Some("/run/jhyde/jhyded.sock".into()),
    }
}

/// A file for a data folder that lies outside it, in the user's runtime folder, under a name made from the data
/// folder's path.
pub fn runtime_file(data: &Path, extension: &str) -> PathBuf {
    let hash = fnv1a(followed(data).as_os_str().as_bytes());
    runtime_folder().join(format!("jhyded-{hash:016x}.{extension}"))
}

/// `$XDG_RUNTIME_DIR`, else a folder of the user's own in `/tmp`. Only [`folder::secure`] makes sure that it is nobody
/// else's.
pub fn runtime_folder() -> PathBuf {
    match env::var_os("XDG_RUNTIME_DIR").filter(|value| !value.is_empty()) {
        Some(runtime) => runtime.into(),
        None => format!("/tmp/jhyde-{}", folder::user()).into(),
    }
}

fn followed(data: &Path) -> PathBuf {
    data.canonicalize()
        .or_else(|_| std::path::absolute(data))
        .unwrap_or_else(|_| data.to_owned())
}

/// FNV-1a, 64 bits: the same in every build of client and daemon, which std's hashers do not promise.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// How a daemon is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// A unix socket.
    Unix(PathBuf),
    /// `host:port`, over plain TCP (loopback).
    Tcp(String),
    /// `host:port`, over TLS; written with `https://` before it.
    Tls(String),
}

/// No daemon could be reached.
#[derive(Debug, Error)]
pub enum ConnectError {
    /// The address is not one.
    #[error("'{}' is not an address of a daemon; write https://HOST:PORT, HOST:PORT or unix:/path/to/socket", shown(.0))]
    Address(String),
    /// Nobody answers there.
    #[error("no daemon answers at {address}: {source}")]
    Unreachable {
        /// Where.
        address: String,
        /// What the transport said.
        source: tonic::transport::Error,
    },
}

impl Address {
    /// Could others read what is sent there? What stays on this machine they could not.
    pub fn is_open_to_others(&self) -> bool {
        match self {
            Self::Unix(_) | Self::Tls(_) => false,
            Self::Tcp(address) => {
                let host = address.rsplit_once(':').map_or("", |(host, _)| host);
                let bare = host.trim_matches(['[', ']']);
                let ip = bare.parse::<std::net::IpAddr>();
                !(bare.eq_ignore_ascii_case("localhost") || ip.is_ok_and(|ip| ip.is_loopback()))
            }
        }
    }
}

impl std::str::FromStr for Address {
    type Err = ConnectError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if let Some(path) = text.strip_prefix("unix:") {
            return Ok(Self::Unix(path.into()));
        }
        let (rest, address): (_, fn(String) -> Self) = match text.strip_prefix(TLS) {
            Some(rest) => (rest.trim_end_matches('/'), Self::Tls),
            None => (text, Self::Tcp),
        };
        match rest.rsplit_once(':') {
            Some((host, port)) if !host.is_empty() && port.parse::<u16>().is_ok() => {
                Ok(address(rest.to_owned()))
            }
            _ => Err(ConnectError::Address(text.to_owned())),
        }
    }
}

impl std::fmt::Display for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
            Self::Tcp(address) => f.write_str(address),
            Self::Tls(address) => write!(f, "{TLS}{address}"),
        }
    }
}

/// Connects to a daemon, waiting at most `timeout` for it to accept.
///
/// # Errors
/// [`ConnectError`] when the address makes no sense or nobody answers there.
pub async fn connect(address: &Address, timeout: Duration) -> Result<Channel, ConnectError> {
    connect_trusting(address, &Trust::default(), timeout).await
}

/// The same; over TLS with daemons that this trusts.
///
/// # Errors
/// As [`connect`]; what cannot be used for TLS is told as of an address where nobody answers.
pub async fn connect_trusting(
    address: &Address,
    trust: &Trust,
    timeout: Duration,
) -> Result<Channel, ConnectError> {
    let unreachable = |source| ConnectError::Unreachable {
        address: address.to_string(),
        source,
    };
    match address {
        Address::Tcp(text) => Endpoint::from_shared(format!("http://{text}"))
            .map(|endpoint| patient(endpoint, timeout))
            .map_err(|_| ConnectError::Address(text.clone()))?
            .connect()
            .await
            .map_err(unreachable),
        Address::Tls(text) => Endpoint::from_shared(format!("{TLS}{text}"))
            .map(|endpoint| patient(endpoint, timeout))
            .map_err(|_| ConnectError::Address(address.to_string()))?
            .tls_config(trust.config())
            .map_err(unreachable)?
            .connect()
            .await
            .map_err(unreachable),
        Address::Unix(path) => {
            let path = path.clone();
            connect_by(timeout, move || UnixStream::connect(path.clone()))
                .await
                .map_err(unreachable)
        }
    }
}

/// Bytes of one answer that may wait for who reads it.
const ANSWER_WINDOW: u32 = 1 << 20;

/// Bytes of all answers that may wait. It is far more than can: the crate h2 lets as many small frames wait as are in proportion to it, and ends the
/// connection where there are more (`too_many_data_frames`). Half of it is that bound, of which a frame takes up to 256; a full window of
/// [`ANSWER_WINDOW`] bytes in frames of 9 takes a fifth.
const CONNECTION_WINDOW: u32 = 256 << 20;

/// Waits so long for a daemon to accept, and lets who reads an answer take its time.
fn patient(endpoint: Endpoint, timeout: Duration) -> Endpoint {
    endpoint
        .connect_timeout(timeout)
        .initial_stream_window_size(ANSWER_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
}

/// A connection by the unix sockets that `open` opens: the first one now, and another whenever one was closed.
///
/// # Errors
/// What `open` says of the first one, or that it takes longer than `timeout`.
pub async fn connect_by<O, F>(
    timeout: Duration,
    open: O,
) -> Result<Channel, tonic::transport::Error>
where
    O: Fn() -> F + Send + 'static,
    F: Future<Output = std::io::Result<UnixStream>> + Send + 'static,
{
    // The URI is required by the transport and used for nothing over a unix socket.
    patient(Endpoint::from_static("http://jhyded"), timeout)
        .connect_with_connector(tower::service_fn(move |_| {
            let opened = open();
            async move { opened.await.map(TokioIo::new) }
        }))
        .await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_socket_path_always_fits_into_an_address() {
        let short = socket_of(Path::new("/data"));
        assert_eq!(short, Path::new("/data/jhyded.sock"));
        let deep = PathBuf::from(format!("/{}", "x/".repeat(90)));
        let other = deep.join("y");
        assert!(socket_of(&deep).as_os_str().len() <= LONGEST_SOCKET_PATH);
        assert_ne!(socket_of(&deep), socket_of(&other));
        assert_eq!(fnv1a(b"a"), 0xaf63_dc4c_8601_ec8c);
    }

    #[test]
    fn addresses_are_read() {
        assert_eq!(
            "unix:/x".parse::<Address>().unwrap(),
            Address::Unix("/x".into())
        );
        assert_eq!(
            "[::1]:80".parse::<Address>().unwrap(),
            Address::Tcp("[::1]:80".into())
        );
        for text in ["https://build.example:7707", "https://build.example:7707/"] {
            let address = text.parse::<Address>().unwrap();
            assert_eq!(address, Address::Tls("build.example:7707".into()));
            assert_eq!(address.to_string(), "https://build.example:7707");
            assert!(!address.is_open_to_others());
        }
        let open = |text: &str| text.parse::<Address>().unwrap().is_open_to_others();
        assert!(!open("[::1]:80") && !open("127.0.0.1:1") && !open("localhost:1"));
        assert!(open("192.0.2.1:1") && open("localhost.example:1") && !open("unix:/x"));
        for bad in [
            "",
            "localhost",
            "https://localhost",
            "https://:80",
            ":80",
            "localhost:99999",
            "localhost:x",
        ] {
            assert!(bad.parse::<Address>().is_err(), "{bad}");
        }
    }
}
