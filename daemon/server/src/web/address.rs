//! Where the page is: a loopback address, and a port that stays the same for a data folder, so that links live.

use std::hash::Hasher as _;
use std::io;
use std::net::SocketAddr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use thiserror::Error;
use tokio::net::TcpListener;

use crate::config::settings::WebListen;
use crate::serve::ServeError;
use crate::serve::loopback;

/// The file of a data folder that says the port.
const FILE: &str = "web.port";

/// Ports are taken from here: below those that systems give to outgoing connections (from 32768 on), which would be in
/// the way now and then.
const PORTS: std::ops::Range<u16> = 17_000..32_000;

/// So many of them are tried.
const TRIES: u16 = 32;

/// There is no page to be had.
#[derive(Debug, Error)]
pub enum AddressError {
    /// The settings say so.
    #[error(
        "this daemon serves no page, because its setting listen.web is off; set it to 127.0.0.1:0 (environment: \
         JHYDED_LISTEN_WEB), and start the daemon anew"
    )]
    Off,
    /// Nothing is served at all.
    #[error("this daemon serves nobody now: it begins or ends; repeat")]
    NotServing,
    /// The address of the settings cannot be listened at.
    #[error(transparent)]
    Refused(#[from] ServeError),
    /// Somebody else does.
    #[error(
        "the page cannot be served: another program listens at {0}, which the setting listen.web names; end it, or set \
         another address (127.0.0.1:0 takes a free one)"
    )]
    Taken(SocketAddr),
}

/// An open socket for the page.
#[derive(Debug)]
pub(crate) struct Bound {
    pub(crate) listener: TcpListener,
    pub(crate) address: SocketAddr,
    /// What whoever opens the page should know.
    pub(crate) notes: Vec<String>,
}

/// Opens the socket that the settings say; where they leave the port open, at the port of the data folder.
pub(crate) async fn bind(listen: &WebListen, data: &Path) -> Result<Bound, AddressError> {
    let WebListen::At(address) = listen else {
        return Err(AddressError::Off);
    };
    let resolved = loopback("the page", "listen.web", address).await?;
    // Browsers are led to one address.
    let Some(first) = resolved.first().copied() else {
        return Err(AddressError::Off);
    };
    if first.port() != 0 {
        return match TcpListener::bind(first).await {
            Ok(listener) => bound(listener, first, Vec::new()),
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => {
                Err(AddressError::Taken(first))
            }
            Err(source) => Err(failed(first, source)),
        };
    }
    let before = kept(data);
    for port in before.into_iter().chain(candidates(data)) {
        let address = SocketAddr::new(first.ip(), port);
        let Ok(listener) = TcpListener::bind(address).await else {
            continue;
        };
        let mut notes = Vec::new();
        if let Some(before) = before.filter(|before| *before != port) {
            notes.push(format!(
                "port {before}, where the page was before, is taken by another program: links made there do not lead \
                 here; from now on the page is at port {port}"
            ));
        }
        if before != Some(port)
            && let Err(error) = std::fs::write(data.join(FILE), format!("{port}\n"))
        {
            tracing::warn!(%error, "the page's port cannot be kept");
            notes.push(format!(
                "the port cannot be kept in the data folder ({error}): links may not live as long as the recordings"
            ));
        }
        return bound(listener, address, notes);
    }
    let listener = TcpListener::bind(first)
        .await
        .map_err(|source| failed(first, source))?;
    let note = "no port of the usual ones is free: the page is at another port each time, and links do not live";
    bound(listener, first, vec![note.to_owned()])
}

fn bound(
    listener: TcpListener,
    wanted: SocketAddr,
    notes: Vec<String>,
) -> Result<Bound, AddressError> {
    let address = listener.local_addr().map_err(|e| failed(wanted, e))?;
    Ok(Bound {
        listener,
        address,
        notes,
    })
}

fn failed(address: SocketAddr, source: io::Error) -> AddressError {
    let address = address.to_string();
    AddressError::Refused(ServeError::Bind { address, source })
}

/// The port of before. A file that makes no sense is as good as none.
fn kept(data: &Path) -> Option<u16> {
    let text = std::fs::read_to_string(data.join(FILE)).ok()?;
    text.trim().parse().ok().filter(|port| *port != 0)
}

/// Ports for a data folder: the same ones each time, also where nothing can be kept, and for two folders most often
/// different ones.
fn candidates(data: &Path) -> impl Iterator<Item = u16> {
    let mut hasher = rustc_hash::FxHasher::default();
    let path = data.canonicalize().unwrap_or_else(|_| data.to_owned());
    hasher.write(path.as_os_str().as_bytes());
    let count = PORTS.end - PORTS.start;
    let first = (hasher.finish() % u64::from(count)) as u16;
    (0..TRIES).map(move |step| PORTS.start + (first + step) % count)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usual() -> WebListen {
        WebListen::At("127.0.0.1:0".to_owned())
    }

    #[tokio::test]
    async fn the_port_stays_as_long_as_it_is_free() {
        let data = tempfile::tempdir().unwrap();
        let first = bind(&usual(), data.path()).await.unwrap();
        assert!(PORTS.contains(&first.address.port()), "{first:?}");
        assert!(first.address.ip().is_loopback() && first.notes.is_empty());
        // While it is open, the next one gets another port, and says so.
        let second = bind(&usual(), data.path()).await.unwrap();
        assert_ne!(second.address, first.address);
        let note = second.notes.join(" ");
        assert!(note.contains(&first.address.port().to_string()), "{note}");
        drop(first);
        let port = second.address.port();
        drop(second);
        assert_eq!(
            bind(&usual(), data.path()).await.unwrap().address.port(),
            port
        );
        // A file that says nothing is none.
        std::fs::write(data.path().join(FILE), "x").unwrap();
        assert!(bind(&usual(), data.path()).await.unwrap().notes.is_empty());
    }

    #[tokio::test]
    async fn a_named_port_is_had_or_not() {
        let data = tempfile::tempdir().unwrap();
        let taken = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let named = WebListen::At(taken.local_addr().unwrap().to_string());
        let error = bind(&named, data.path()).await.unwrap_err();
        assert!(matches!(error, AddressError::Taken(_)), "{error}");
        drop(taken);
        assert!(bind(&named, data.path()).await.is_ok());
        let off = bind(&WebListen::Off, data.path()).await.unwrap_err();
        assert!(off.to_string().contains("listen.web"), "{off}");
        let outside = WebListen::At("0.0.0.0:0".to_owned());
        let error = bind(&outside, data.path()).await.unwrap_err();
        assert!(error.to_string().contains("loopback"), "{error}");
    }
}
