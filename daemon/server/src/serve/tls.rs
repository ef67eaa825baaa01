//! TLS in front of the server: connections are handed on once both sides have shaken hands.
//!
//! The library that serves takes its certificate once, at the start; here each connection gets the one of its time. Each
//! shakes hands by itself, so that a peer that says nothing holds nobody up.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use rustls::ServerConfig;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;
use tokio_stream::Stream;
use tokio_stream::wrappers::ReceiverStream;

use super::activity::Admitted;
use super::certificates::Tls;
use crate::access::limits::{Limiter, Peer};

/// How long a peer may take to shake hands.
const HANDSHAKE: Duration = Duration::from_secs(10);

/// How long nothing is accepted after the system could not (it has no more files to open, mostly).
const PAUSE: Duration = Duration::from_millis(100);

/// Connections that have shaken hands and wait to be served.
const READY: usize = 64;

/// The connections of a socket that speak TLS, until it stops.
pub(super) fn accepted(
    listener: TcpListener,
    tls: Arc<Tls>,
    limiter: Arc<Limiter>,
    stopped: watch::Receiver<bool>,
) -> impl Stream<Item = io::Result<Admitted<TlsStream<TcpStream>>>> {
    let (ready, connections) = mpsc::channel(READY);
    tokio::spawn(accept(listener, tls, limiter, stopped, ready));
    ReceiverStream::new(connections)
}

type Ready = mpsc::Sender<io::Result<Admitted<TlsStream<TcpStream>>>>;

async fn accept(
    listener: TcpListener,
    tls: Arc<Tls>,
    limiter: Arc<Limiter>,
    mut stopped: watch::Receiver<bool>,
    ready: Ready,
) {
    let stopped = async move {
        // An error means that the sender is gone, which is an end, too.
        let _ = stopped.wait_for(|stopped| *stopped).await;
    };
    tokio::pin!(stopped);
    // What still shakes hands when it stops is let go of.
    let mut shaking = JoinSet::new();
    loop {
        tokio::select! {
            () = &mut stopped => return,
            () = ready.closed() => return,
            Some(_) = shaking.join_next() => {}
            accepted = listener.accept() => match accepted {
                Ok((stream, peer)) => {
                    // Whoever has no place costs no handshake, either.
                    let place = limiter.connect(Some(Peer::Ip(peer.ip().to_canonical())));
                    if let Some(place) = place {
                        let admitted = (stream, place);
                        shaking.spawn(shake_hands(admitted, peer, tls.now(), ready.clone()));
                    }
                }
                Err(error) => {
                    tracing::warn!(%error, "a connection cannot be accepted");
                    sleep(PAUSE).await;
                }
            }
        }
    }
}

async fn shake_hands(
    (stream, place): Admitted<TcpStream>,
    peer: SocketAddr,
    config: Arc<ServerConfig>,
    ready: Ready,
) {
    // Questions are small and answered at once; waiting to fill packets only delays them.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::info!(%peer, %error, "a connection was gone at once");
        return;
    }
    match timeout(HANDSHAKE, TlsAcceptor::from(config).accept(stream)).await {
        // Nobody takes it any more when the server stops.
        Ok(Ok(stream)) => drop(ready.send(Ok((stream, place))).await),
        Ok(Err(error)) if is_no_tls(&error) => tracing::warn!(
            %peer,
            "closed a connection that does not speak TLS; clients write https://HOST:PORT"
        ),
        Ok(Err(error)) => tracing::warn!(%peer, %error, "closed a connection: no TLS with it"),
        Err(_) => tracing::info!(
            %peer, limit = ?HANDSHAKE,
            "closed a connection that did not begin TLS in time"
        ),
    }
}

/// Was what came no TLS at all?
fn is_no_tls(error: &io::Error) -> bool {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref());
    matches!(inner, Some(rustls::Error::InvalidMessage(_)))
}
