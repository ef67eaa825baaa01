//! Opening the sockets that are served, and refusing those that must not be.

use std::fs::{self, Permissions};
use std::io;
use std::net::SocketAddr;
use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _, chown};
use std::os::unix::net::UnixStream as StdUnixStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jhyde_proto::endpoint::{outer_socket_of, runtime_folder, socket_of};
use jhyde_proto::folder;
use thiserror::Error;
use tokio::net::{TcpListener, UnixListener, UnixSocket, lookup_host};

use super::certificates::{self, Tls, TlsError};
use crate::config::settings::Listen;
use crate::systemd::Given;

/// Connections that may wait to be accepted.
const BACKLOG: u32 = 1024;

/// A socket cannot be served.
#[derive(Debug, Error)]
pub enum ServeError {
    /// Not an address.
    #[error("cannot serve '{address}': {reason}; write HOST:PORT, such as 127.0.0.1:7707")]
    Address {
        /// As it was written.
        address: String,
        /// What is wrong.
        reason: String,
    },
    /// An address that others could reach, and no TLS.
    #[error(
        "refusing to serve {address} in plain text: {resolved} is not a loopback address, and what goes there can be read \
         and changed on its way. Write where its certificate is (docs/service.md says how to make one):\n\n\
         [listen]\n\
         tcp = [\"{address}\"]\n\
         tls.certificate = \"/etc/jhyde/tls/server.crt\"\n\
         tls.key = \"/etc/jhyde/tls/server.key\"\n\n\
         or serve this machine alone (tcp = [\"127.0.0.1:{}\"]), and reach it through an ssh tunnel (ssh -L)",
        resolved.port()
    )]
    NeedsTls {
        /// As it was written.
        address: String,
        /// What it stands for.
        resolved: SocketAddr,
    },
    /// An address that others could reach, for what is this machine's alone.
    #[error(
        "refusing to serve {what} at {address}: {resolved} is not a loopback address, and others could read what is said \
         there; write {setting} = \"127.0.0.1:{}\", and reach it through an ssh tunnel (ssh -L)",
        resolved.port()
    )]
    NotLoopback {
        /// What was to be served.
        what: &'static str,
        /// The setting that names the address.
        setting: &'static str,
        /// As it was written.
        address: String,
        /// What it stands for.
        resolved: SocketAddr,
    },
    /// TLS cannot be served.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// The system refused.
    #[error("cannot serve {address}: {source}")]
    Bind {
        /// Where.
        address: String,
        /// Why.
        source: io::Error,
    },
    /// The service manager gave something that nobody can connect to.
    #[error(
        "file {number}, which the service manager gave (LISTEN_FDS), is no unix or TCP socket that listens: {source}"
    )]
    Given {
        /// Its number.
        number: usize,
        /// What was found.
        source: io::Error,
    },
    /// There is no such group.
    #[error(
        "there is no group '{0}' on this machine; the setting listen.unix_group names one, or a group's number"
    )]
    Group(String),
    /// Neither a unix socket nor an address.
    #[error("nothing to serve: listen.unix is false and listen.tcp is empty")]
    Nothing,
}

impl ServeError {
    /// Does somebody else serve there already?
    pub fn is_taken(&self) -> bool {
        matches!(self, Self::Bind { source, .. } if source.kind() == io::ErrorKind::AddrInUse)
    }
}

/// An open socket.
#[derive(Debug)]
pub enum Listener {
    /// A unix socket and its path; whether its file is ours, to be removed in the end.
    Unix(UnixListener, PathBuf, bool),
    /// A TCP socket and its address, with the true port.
    Tcp(TcpListener, SocketAddr),
}

/// All open sockets.
#[derive(Debug, Default)]
pub struct Bound {
    /// One per address.
    pub listeners: Vec<Listener>,
    /// What TCP is served with; `None`: plain, on loopback alone.
    pub tls: Option<Arc<Tls>>,
    /// Where metrics are served, on loopback.
    pub metrics: Vec<TcpListener>,
}

impl Bound {
    /// Is any of them TCP?
    pub fn has_tcp(&self) -> bool {
        let is_tcp = |listener: &Listener| matches!(listener, Listener::Tcp(..));
        self.listeners.iter().any(is_tcp)
    }

    /// Is this address served already?
    fn has(&self, wanted: SocketAddr) -> bool {
        let is_it =
            |listener: &Listener| matches!(listener, Listener::Tcp(_, there) if *there == wanted);
        self.listeners.iter().any(is_it)
    }

    /// Where clients connect, as they write it.
    pub fn addresses(&self) -> Vec<String> {
        self.listeners
            .iter()
            .map(|listener| match listener {
                Listener::Unix(_, path, _) => format!("unix:{}", path.display()),
                Listener::Tcp(_, address) if self.tls.is_some() => format!("https://{address}"),
                Listener::Tcp(_, address) => address.to_string(),
            })
            .collect()
    }
}

/// Opens all sockets. A socket file at which nobody answers is nobody's any more, and replaced.
///
/// # Errors
/// [`ServeError`]; then none is left open.
pub async fn bind(listen: &Listen, data: &Path) -> Result<Bound, ServeError> {
    bind_besides(Given::default(), listen, data).await
}

/// The same, besides those that are open already. A unix socket among these stands for the one of the settings.
///
/// # Errors
/// As [`bind`].
pub async fn bind_besides(given: Given, listen: &Listen, data: &Path) -> Result<Bound, ServeError> {
    let mut bound = Bound::default();
    if !listen.tcp.is_empty() || !given.tcp.is_empty() {
        let tls = certificates::read(&listen.tls)?;
        bound.tls = tls.map(|read| Arc::new(Tls::new(read)));
    }
    let serves_unix = listen.unix && given.unix.is_empty();
    take_given(given, &mut bound)?;
    for address in &listen.tcp {
        for resolved in resolved(address).await? {
            check_tls(&bound, address, resolved)?;
            if !bound.has(resolved) {
                let (listener, resolved) = bind_tcp(address, resolved).await?;
                bound.listeners.push(Listener::Tcp(listener, resolved));
            }
        }
    }
    if !listen.metrics.is_empty() {
        let address = &listen.metrics;
        for resolved in loopback("metrics", "listen.metrics", address).await? {
            let (listener, _) = bind_tcp(address, resolved).await?;
            bound.metrics.push(listener);
        }
    }
    if serves_unix {
        let group = group_of(&listen.unix_group)?;
        bound
            .listeners
            .push(bind_for(data, &listen.unix_path, group)?);
    }
    if bound.listeners.is_empty() {
        return Err(ServeError::Nothing);
    }
    Ok(bound)
}

/// What goes to others than this machine goes by TLS.
fn check_tls(bound: &Bound, address: &str, resolved: SocketAddr) -> Result<(), ServeError> {
    if bound.tls.is_none() && !resolved.ip().is_loopback() {
        return Err(ServeError::NeedsTls {
            address: address.to_owned(),
            resolved,
        });
    }
    Ok(())
}

/// Serves what was given, by the rules for all.
fn take_given(given: Given, bound: &mut Bound) -> Result<(), ServeError> {
    let failed = |source| ServeError::Bind {
        address: "the sockets that the service manager gave".to_owned(),
        source,
    };
    let given = given.unblocked().map_err(failed)?;
    for (listener, path) in given.unix {
        let listener = UnixListener::from_std(listener).map_err(failed)?;
        bound.listeners.push(Listener::Unix(listener, path, false));
    }
    for listener in given.tcp {
        let listener = TcpListener::from_std(listener).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        check_tls(bound, &address.to_string(), address)?;
        bound.listeners.push(Listener::Tcp(listener, address));
    }
    Ok(())
}

/// Opens a TCP socket; says its true port.
async fn bind_tcp(
    address: &str,
    resolved: SocketAddr,
) -> Result<(TcpListener, SocketAddr), ServeError> {
    let failed = |source| ServeError::Bind {
        address: address.to_owned(),
        source,
    };
    let listener = TcpListener::bind(resolved).await.map_err(failed)?;
    let resolved = listener.local_addr().map_err(failed)?;
    Ok((listener, resolved))
}

/// What an address stands for where something is served; all of it must be loopback.
pub(crate) async fn loopback(
    what: &'static str,
    setting: &'static str,
    address: &str,
) -> Result<Vec<SocketAddr>, ServeError> {
    let all = resolved(address).await?;
    let outside = all.iter().find(|resolved| !resolved.ip().is_loopback());
    if let Some(outside) = outside {
        return Err(ServeError::NotLoopback {
            what,
            setting,
            address: address.to_owned(),
            resolved: *outside,
        });
    }
    Ok(all)
}

/// What an address stands for.
async fn resolved(address: &str) -> Result<Vec<SocketAddr>, ServeError> {
    let invalid = |reason: String| ServeError::Address {
        address: address.to_owned(),
        reason,
    };
    let resolved: Vec<_> = lookup_host(address)
        .await
        .map_err(|error| invalid(error.to_string()))?
        .collect();
    // One port for all of them is wanted, which port 0 would not give.
    match resolved.first() {
        Some(first) if first.port() == 0 => Ok(vec![*first]),
        Some(_) => Ok(resolved),
        None => Err(invalid("the host has no address".to_owned())),
    }
}

/// A group's number.
fn group_of(name: &str) -> Result<Option<u32>, ServeError> {
    if name.is_empty() {
        return Ok(None);
    }
    if let Ok(number) = name.parse() {
        return Ok(Some(number));
    }
    let found = uzers::get_group_by_name(name);
    let found = found.ok_or_else(|| ServeError::Group(name.to_owned()))?;
    Ok(Some(found.gid()))
}

/// The socket that was named; else the data folder's, or the one outside where nothing can be written in the folder.
fn bind_for(data: &Path, named: &Path, group: Option<u32>) -> Result<Listener, ServeError> {
    let failed = |path: &Path, source| ServeError::Bind {
        address: format!("unix:{}", path.display()),
        source,
    };
    if !named.as_os_str().is_empty() {
        let listener = bind_unix(named, group).map_err(|source| failed(named, source))?;
        return Ok(Listener::Unix(listener, named.to_owned(), true));
    }
    let (path, outer) = (socket_of(data), outer_socket_of(data));
    if path != outer {
        match bind_unix(&path, group) {
            Ok(listener) => return Ok(Listener::Unix(listener, path, true)),
            Err(error) if !cannot_write(&error) => return Err(failed(&path, error)),
            Err(_) => {}
        }
    }
    folder::make(&runtime_folder())
        .map_err(io::Error::other)
        .and_then(|()| bind_unix(&outer, group))
        .map_err(|source| failed(&outer, source))
        .map(|listener| Listener::Unix(listener, outer.clone(), true))
}

fn cannot_write(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::PermissionDenied
            | io::ErrorKind::ReadOnlyFilesystem
            | io::ErrorKind::StorageFull
            | io::ErrorKind::QuotaExceeded
    )
}

fn bind_unix(path: &Path, group: Option<u32>) -> io::Result<UnixListener> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.file_type().is_socket() => {
            // A folder that is only read has no lock that would say so.
            if StdUnixStream::connect(path).is_ok() {
                return Err(io::Error::new(
                    io::ErrorKind::AddrInUse,
                    "another daemon serves it already",
                ));
            }
            fs::remove_file(path)?;
        }
        Ok(_) => {
            return Err(io::Error::new(
                io::ErrorKind::AlreadyExists,
                "there is a file of that name that is not a socket",
            ));
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    let socket = UnixSocket::new_stream()?;
    socket.bind(path)?;
    // Before anybody can connect: only this user may, and the group.
    let mode = if group.is_some() { 0o660 } else { 0o600 };
    if group.is_some() {
        chown(path, None, group)?;
    }
    fs::set_permissions(path, Permissions::from_mode(mode))?;
    socket.listen(BACKLOG)
}
