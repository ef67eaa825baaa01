//! Finding the daemon: the one that was named, the one of the data folder, or a new one (`start`).

mod folder;
mod start;

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jhyde_proto::endpoint::{Address, connect, outer_socket_of, runtime_folder, socket_of};
use jhyde_proto::folder::secure;
use tonic::transport::Channel;

use crate::args::Global;
use crate::error::Error;

pub use folder::data_folder;

/// How long a daemon that runs may take to accept a connection.
const CONNECT_LIMIT: Duration = Duration::from_secs(5);

/// A connection to the daemon that the flags name.
///
/// # Errors
/// When the address is wrong, nobody answers there, or no daemon could be started.
pub async fn reach(global: &Global) -> Result<Channel, Error> {
    if let Some(address) = &global.daemon {
        let address: Address = address.parse()?;
        return Ok(connect(&address, CONNECT_LIMIT).await?);
    }
    let data = data_folder(global.data.as_deref())?;
    secure(&data)?;
    if let Some(channel) = running(&data).await? {
        return Ok(channel);
    }
    if global.no_start {
        return Err(Error::NotRunning { data });
    }
    start::start(&data).await
}

/// The daemon that serves this folder now; `None` if none does.
async fn running(data: &Path) -> Result<Option<Channel>, Error> {
    if let Some(channel) = at(socket_of(data)).await? {
        return Ok(Some(channel));
    }
    // Of a daemon that cannot write in the folder.
    let outer = outer_socket_of(data);
    if !outer.exists() {
        return Ok(None);
    }
    secure(&runtime_folder())?;
    at(outer).await
}

/// The daemon that listens at this socket.
async fn at(path: PathBuf) -> Result<Option<Channel>, Error> {
    // Asked here first: the transport's own error does not tell "nobody there" from "not allowed".
    match tokio::net::UnixStream::connect(&path).await {
        Ok(probe) => drop(probe),
        Err(source) => {
            return match source.kind() {
                io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused => Ok(None),
                _ => Err(Error::Socket { path, source }),
            };
        }
    }
    // A daemon that ends between the two connections is one that is not there.
    Ok(connect(&Address::Unix(path), CONNECT_LIMIT).await.ok())
}
