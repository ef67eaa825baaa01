//! Serving: which sockets, the gRPC server over them, and its end.
//!
//! A unix socket, loopback addresses, and others with TLS (`tls`); every call goes through a gate ([`crate::access`]):
//! whoever can speak to the daemon can read recordings and make it control JVMs.

mod activity;
pub mod certificates;
mod listeners;
mod tls;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream, UnixStream};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};
use tokio_stream::wrappers::{TcpListenerStream, UnixListenerStream};
use tokio_stream::{Stream, StreamExt as _};
use tonic::service::Routes;
use tonic::transport::Server;
use tonic::transport::server::Connected;
use tower_http::catch_panic::CatchPanicLayer;

pub use activity::{Activity, Counted, Info};
pub(crate) use certificates::subject;
pub(crate) use listeners::loopback;
pub use listeners::{Bound, Listener, ServeError, bind, bind_besides};

use activity::Admitted;

use crate::access::gate::{Access, GateLayer, Socket};
use crate::access::limits::{Limiter, Peer};
use crate::seen::now::Sight;
use crate::seen::observed::ObservedLayer;
use crate::seen::scraped;
use crate::services::Services;
use crate::web::{Behind, Door};

/// How often a silent connection is asked whether its client is still there.
const KEEPALIVE: Duration = Duration::from_secs(30);

/// A server that runs.
#[derive(Debug)]
pub struct Serving {
    stop: watch::Sender<bool>,
    servers: JoinSet<Result<(), tonic::transport::Error>>,
    activity: Arc<Activity>,
    /// For browsers; has a server of its own once it is open.
    door: Arc<Door>,
    /// Looks after tokens.
    following: JoinHandle<()>,
    /// Servers of metrics; they end when nothing more is accepted.
    _scraped: Vec<JoinHandle<()>>,
    /// Removed at the end.
    socket: Option<PathBuf>,
}

/// Serves these services on all sockets to those who have access, and behind their door.
pub fn serve(bound: Bound, services: &Services, access: Arc<Access>) -> Serving {
    let (stop, _) = watch::channel(false);
    let activity = Arc::new(Activity::default());
    let mut servers = JoinSet::new();
    let mut socket = None;
    let routes = &services.routes;
    access.daemon().served_at(bound.addresses());
    services.door.leads_to(Behind {
        routes: services.web.clone(),
        stopped: stop.subscribe(),
        activity: Arc::clone(&activity),
        seen: Arc::clone(access.seen()),
    });
    let following = Arc::clone(access.tokens());
    let following = match bound.has_tcp() {
        true => tokio::spawn(following.follow()),
        false => tokio::spawn(std::future::ready(())),
    };
    let sight = Sight::new(
        Arc::clone(&access),
        Arc::clone(&activity),
        bound.tls.clone(),
    );
    let sight = Arc::new(sight);
    let scraped = bound.metrics.into_iter().map(|listener| {
        let sight = Arc::clone(&sight);
        scraped::serve(listener, sight, stop.subscribe())
    });
    let scraped = scraped.collect();
    for listener in bound.listeners {
        let gate = |socket| GateLayer {
            socket,
            access: Arc::clone(&access),
        };
        let stopped = stop.subscribe();
        let activity = Arc::clone(&activity);
        match listener {
            Listener::Unix(listener, path, is_ours) => {
                socket = socket.or_else(|| is_ours.then_some(path));
                let owners = Arc::clone(access.limiter());
                let incoming = admitted(UnixListenerStream::new(listener), owners, user_of);
                let gate = gate(Socket::Unix);
                servers.spawn(run(incoming, routes.clone(), gate, stopped, activity));
            }
            Listener::Tcp(listener, address) => {
                let gate = gate(match address.ip().is_loopback() {
                    true => Socket::Loopback,
                    false => Socket::Network,
                });
                match &bound.tls {
                    Some(tls) => {
                        let tls = Arc::clone(tls);
                        let limiter = Arc::clone(access.limiter());
                        let incoming = tls::accepted(listener, tls, limiter, stop.subscribe());
                        servers.spawn(run(incoming, routes.clone(), gate, stopped, activity));
                    }
                    None => {
                        let limiter = Arc::clone(access.limiter());
                        let incoming = admitted(incoming(listener), limiter, host_of);
                        servers.spawn(run(incoming, routes.clone(), gate, stopped, activity));
                    }
                }
            }
        }
    }
    Serving {
        stop,
        servers,
        activity,
        door: Arc::clone(&services.door),
        following,
        _scraped: scraped,
        socket,
    }
}

/// The connections of a TCP socket.
pub(crate) fn incoming(listener: TcpListener) -> impl Stream<Item = io::Result<TcpStream>> {
    TcpListenerStream::new(listener).map(|stream| {
        let stream = stream?;
        // Questions are small and answered at once; waiting to fill packets only delays them.
        stream.set_nodelay(true)?;
        Ok(stream)
    })
}

/// Those of them that there may be; others are closed.
fn admitted<I>(
    incoming: impl Stream<Item = io::Result<I>>,
    limiter: Arc<Limiter>,
    peer: impl Fn(&I) -> Option<Peer>,
) -> impl Stream<Item = io::Result<Admitted<I>>> {
    incoming.filter_map(move |stream| match stream {
        Ok(stream) => {
            let place = limiter.connect(peer(&stream))?;
            Some(Ok((stream, place)))
        }
        Err(error) => Some(Err(error)),
    })
}

/// The user at the other end, unless it is the daemon's own, who is bounded by what all may have.
fn user_of(stream: &UnixStream) -> Option<Peer> {
    let user = stream.peer_cred().ok()?.uid();
    let is_own = user == 0 || user == jhyde_proto::folder::user();
    (!is_own).then_some(Peer::Uid(user))
}

/// The address at the other end. Nobody has none who is still there.
fn host_of(stream: &TcpStream) -> Option<Peer> {
    let address = stream.peer_addr().ok()?;
    Some(Peer::Ip(address.ip().to_canonical()))
}

/// The same connections, counted.
pub(crate) fn counted<I>(
    incoming: impl Stream<Item = io::Result<I>>,
    activity: Arc<Activity>,
) -> impl Stream<Item = io::Result<Counted<I>>> {
    incoming.map(move |stream| stream.map(|stream| activity.count(stream)))
}

async fn run<S, I>(
    incoming: S,
    routes: Routes,
    gate: GateLayer,
    mut stopped: watch::Receiver<bool>,
    activity: Arc<Activity>,
) -> Result<(), tonic::transport::Error>
where
    S: Stream<Item = io::Result<Admitted<I>>>,
    I: tokio::io::AsyncRead + tokio::io::AsyncWrite + Connected + Unpin + Send + 'static,
{
    let counted = incoming.map(move |placed| placed.map(|placed| activity.placed(placed)));
    let observed = ObservedLayer(Arc::clone(gate.access.seen()));
    Server::builder()
        .http2_keepalive_interval(Some(KEEPALIVE))
        .layer(observed)
        .layer(CatchPanicLayer::custom(answer_panic))
        .layer(gate)
        .add_routes(routes)
        .serve_with_incoming_shutdown(counted, async move {
            // An error means that the sender is gone, which is an end, too.
            let _ = stopped.wait_for(|stopped| *stopped).await;
        })
        .await
}

/// A panic in one request is a bug, and answered as one; nothing else is disturbed.
#[expect(
    clippy::needless_pass_by_value,
    reason = "the layer hands the panic over"
)]
pub(crate) fn answer_panic(
    panic: Box<dyn std::any::Any + Send>,
) -> http::Response<tonic::body::Body> {
    let message = panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_default();
    tracing::error!(message, "bug: a request panicked");
    tonic::Status::internal("the daemon met a bug in answering; its log says more").into_http()
}

impl Serving {
    /// Who is connected.
    pub fn activity(&self) -> &Arc<Activity> {
        &self.activity
    }

    /// Takes no new connections and requests; those under way go on.
    pub fn stop_accepting(&self) {
        self.stop.send_replace(true);
        self.door.leads_nowhere();
        if let Some(socket) = &self.socket {
            // Clients that come now shall find nobody, and start a new daemon.
            let _ = std::fs::remove_file(socket);
        }
    }

    /// Waits until all requests are answered, but not longer than `grace`. Says whether they were.
    pub async fn finish(mut self, grace: Duration) -> bool {
        self.stop_accepting();
        let all = async {
            while let Some(ended) = self.servers.join_next().await {
                match ended {
                    Ok(Ok(())) => {}
                    Ok(Err(error)) => tracing::error!(%error, "a server ended by an error"),
                    Err(error) => tracing::error!(%error, "bug: a server panicked"),
                }
            }
            self.door.finish().await;
        };
        tokio::time::timeout(grace, all).await.is_ok()
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.stop_accepting();
        self.following.abort();
    }
}
