//! Finding the daemon: the one that was named, the one of the data folder, the machine's, or a new one (`start`).

mod folder;
mod start;

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jhyde_proto::endpoint::{
    Address, ConnectError, connect_by, connect_trusting, outer_socket_of, runtime_folder,
    socket_of, system_socket,
};
use jhyde_proto::folder::secure;
use jhyde_proto::token::{Bearer, Connection};
use jhyde_proto::trust::Trust;
use tokio::net::UnixStream;

use crate::args::Global;
use crate::error::Error;

pub use folder::data_folder;

/// How long a daemon that runs may take to accept a connection.
const CONNECT_LIMIT: Duration = Duration::from_secs(5);

/// A connection to the daemon that the flags name.
///
/// # Errors
/// When the address is wrong, nobody answers there, or no daemon could be started.
pub async fn reach(global: &Global) -> Result<Connection, Error> {
    if let Some(address) = &global.daemon {
        let address: Address = address.parse()?;
        let bearer = Bearer::find(global.token_file.as_deref())?;
        if bearer.has_token() && address.is_open_to_others() {
            return Err(Error::TokenInTheOpen(address.to_string()));
        }
        let trust = Trust::of_files(global.ca.as_deref(), global.identity.as_deref())?;
        let channel = connect_trusting(&address, &trust, CONNECT_LIMIT).await?;
        return Ok(Connection::new(channel, bearer));
    }
    let home = Home {
        data: data_folder(global.data.as_deref())?,
        machine: machine(global)?,
        may_start: !global.no_start,
    };
    // Said here first: the transport's own errors do not tell what is wrong with a folder or a start.
    home.stream().await?;
    let data = home.data.clone();
    let connect = move || {
        let home = home.clone();
        async move { home.stream().await.map_err(io::Error::other) }
    };
    let channel = connect_by(start::LIMIT, connect).await;
    let channel = channel.map_err(|source| ConnectError::Unreachable {
        address: data.display().to_string(),
        source,
    })?;
    // At the data folder's socket the kernel tells who we are.
    Ok(Connection::new(channel, Bearer::none()))
}

/// Where the machine's daemon listens, if it may be asked: whoever has chosen a folder means that one's.
fn machine(global: &Global) -> Result<Option<PathBuf>, Error> {
    match folder::is_chosen(global.data.as_deref())? {
        true => Ok(None),
        false => Ok(system_socket()),
    }
}

/// A connection to the daemon that the flags name, if one runs: none is started. One that was named must be there. Whether the
/// machine's counts, where there is none of one's own, is for the caller to say.
///
/// # Errors
/// As [`reach`].
pub async fn running_one(
    global: &Global,
    or_the_machines: bool,
) -> Result<Option<Connection>, Error> {
    if global.daemon.is_some() {
        return reach(global).await.map(Some);
    }
    let data = data_folder(global.data.as_deref())?;
    let machine = match or_the_machines {
        true => machine(global)?,
        false => None,
    };
    let runs = data.exists() && running(&data).await?.is_some();
    if !runs && at_machine(machine.as_deref()).await?.is_none() {
        return Ok(None);
    }
    let home = Home {
        data: data.clone(),
        machine,
        may_start: false,
    };
    let connect = move || {
        let home = home.clone();
        async move { home.stream().await.map_err(io::Error::other) }
    };
    let channel = connect_by(CONNECT_LIMIT, connect).await;
    let channel = channel.map_err(|source| ConnectError::Unreachable {
        address: data.display().to_string(),
        source,
    })?;
    Ok(Some(Connection::new(channel, Bearer::none())))
}

/// Where the daemon of a data folder is found, whichever it is: one that records a program ends with it, and who talks
/// to it goes on with the next.
#[derive(Clone, Debug)]
struct Home {
    data: PathBuf,
    /// The socket of the machine's daemon, which is asked where there is none of one's own.
    machine: Option<PathBuf>,
    may_start: bool,
}

impl Home {
    /// A connection to the daemon that runs, or to one that is started now.
    async fn stream(&self) -> Result<UnixStream, Error> {
        secure(&self.data)?;
        if let Some(stream) = running(&self.data).await? {
            return Ok(stream);
        }
        if let Some(stream) = at_machine(self.machine.as_deref()).await? {
            return Ok(stream);
        }
        if !self.may_start {
            return Err(Error::NotRunning {
                data: self.data.clone(),
            });
        }
        start::start(&self.data).await
    }
}

/// A connection to the daemon that serves this folder now; `None` if none does.
async fn running(data: &Path) -> Result<Option<UnixStream>, Error> {
    if let Some(stream) = at(socket_of(data)).await? {
        return Ok(Some(stream));
    }
    // Of a daemon that cannot write in the folder.
    let outer = outer_socket_of(data);
    if !outer.exists() {
        return Ok(None);
    }
    secure(&runtime_folder())?;
    at(outer).await
}

/// A connection to the machine's daemon, if there is one and this user may connect to it.
async fn at_machine(socket: Option<&Path>) -> Result<Option<UnixStream>, Error> {
    let Some(socket) = socket else {
        return Ok(None);
    };
    match at(socket.to_owned()).await {
        Err(Error::Socket { source, .. }) if source.kind() == io::ErrorKind::PermissionDenied => {
            Ok(None)
        }
        other => other,
    }
}

/// A connection to the daemon that listens at this socket.
async fn at(path: PathBuf) -> Result<Option<UnixStream>, Error> {
    match UnixStream::connect(&path).await {
        Ok(stream) => Ok(Some(stream)),
        Err(source) => match source.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused => Ok(None),
            _ => Err(Error::Socket { path, source }),
        },
    }
}
