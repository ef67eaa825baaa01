//! The client: a handle on a connection that a task of its own drives.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::BytesMut;
use rustc_hash::FxHashMap;
use tokio::net::{TcpStream, ToSocketAddrs};
use tokio::sync::{mpsc, oneshot, watch};

use super::connection::{Connection, Options};
use super::driver::{Driver, Order};
use super::errors::{ConnectError, ConnectionEnd, RequestError};
use super::events::EventStream;
use crate::codec::{IdSizes, Writer};
use crate::command::Command;
use crate::commands::virtual_machine;
use crate::session::{Reply, Session};

/// A connection to a JVM. Cloning gives another handle on the same connection.
///
/// Requests may be made from many tasks at once; each waits for its own reply, whatever order
/// they come in. The connection closes when the last handle is dropped. The JVM then resumes
/// what was suspended and waits for the next debugger; [`dispose`](Self::dispose) does the same
/// politely.
#[derive(Debug, Clone)]
pub struct Client {
    orders: mpsc::UnboundedSender<Order>,
    sizes: IdSizes,
    request_timeout: Option<Duration>,
    events: Arc<Mutex<Option<EventStream>>>,
    end: watch::Receiver<Option<Arc<ConnectionEnd>>>,
}

impl fmt::Debug for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Request { set, command, .. } => write!(f, "Request({set}, {command})"),
            Self::Close => f.write_str("Close"),
        }
    }
}

impl Client {
    /// Connects to a JVM that waits for a debugger (`server=y`), as [`Connection::connect`].
    pub async fn connect<A>(addr: A, options: Options) -> Result<Self, ConnectError>
    where
        A: ToSocketAddrs + fmt::Display,
    {
        Ok(Connection::connect(addr, options).await?.into_client())
    }

    pub(super) fn start(
        stream: TcpStream,
        session: Session,
        request_timeout: Option<Duration>,
    ) -> Self {
        let (order_sender, orders) = mpsc::unbounded_channel();
        let (events, event_receiver) = mpsc::unbounded_channel();
        let (end, end_receiver) = watch::channel(None);
        let sizes = session.id_sizes();
        let waiting = FxHashMap::default();
        tokio::spawn(
            Driver {
                stream,
                session,
                orders,
                events,
                waiting,
                end,
            }
            .run(),
        );
        Self {
            orders: order_sender,
            sizes,
            request_timeout,
            events: Arc::new(Mutex::new(Some(EventStream {
                receiver: event_receiver,
            }))),
            end: end_receiver,
        }
    }

    /// The identifier widths of the JVM.
    pub const fn id_sizes(&self) -> IdSizes {
        self.sizes
    }

    /// Takes the stream of events; `None` if it was taken already.
    pub fn events(&self) -> Option<EventStream> {
        self.events
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
    }

    /// Sends a command and waits for its reply, at most as long as
    /// [`Options::request_timeout`](super::Options). Dropping the future forgets the reply; the
    /// command is sent all the same once this has been polled.
    pub async fn request<C: Command>(&self, command: &C) -> Result<C::Reply, RequestError> {
        self.request_within(command, self.request_timeout).await
    }

    /// As [`request`](Self::request) with a limit of its own; `None` waits for ever, as long as
    /// the connection lives (the invoke commands reply when the invoked method ends).
    pub async fn request_within<C: Command>(
        &self,
        command: &C,
        limit: Option<Duration>,
    ) -> Result<C::Reply, RequestError> {
        let reply = self.start_request(command);
        let reply = match limit {
            None => reply.await,
            Some(after) => match tokio::time::timeout(after, reply).await {
                Ok(reply) => reply,
                Err(_) => {
                    return Err(RequestError::Timeout {
                        command: C::NAME,
                        after,
                    });
                }
            },
        };
        match reply {
            Ok(reply) => Ok(reply.decode::<C>(&self.sizes)?),
            Err(_) => Err(RequestError::Ended {
                command: C::NAME,
                end: self.closed().await,
            }),
        }
    }

    fn start_request<C: Command>(&self, command: &C) -> oneshot::Receiver<Reply> {
        let mut body = BytesMut::new();
        command.encode(&mut Writer::new(&mut body, self.sizes));
        let (reply, receiver) = oneshot::channel();
        let (set, command) = (C::SET, C::COMMAND);
        // Err: the driver has ended; the reply's sender is dropped with the order.
        let _ = self.orders.send(Order::Request {
            set,
            command,
            body: body.freeze(),
            reply,
        });
        receiver
    }

    /// Waits until the connection is over, and says why.
    pub async fn closed(&self) -> Arc<ConnectionEnd> {
        let mut end = self.end.clone();
        match end.wait_for(Option::is_some).await.as_deref() {
            Ok(Some(end)) => end.clone(),
            // The driver is gone without a word: its runtime was shut down.
            _ => Arc::new(ConnectionEnd::ClosedHere),
        }
    }

    /// Why the connection is over, if it is.
    pub fn end(&self) -> Option<Arc<ConnectionEnd>> {
        self.end.borrow().clone()
    }

    /// Writes what is queued and closes the connection, for all handles.
    pub async fn close(&self) -> Arc<ConnectionEnd> {
        // Err: it is closed already.
        let _ = self.orders.send(Order::Close);
        self.closed().await
    }

    /// Asks the JVM to end the debugging ([`virtual_machine::Dispose`]: requests are cancelled,
    /// threads resumed), and closes the connection.
    pub async fn dispose(self) -> Result<(), RequestError> {
        let disposed = self.request(&virtual_machine::Dispose).await;
        self.close().await;
        match disposed {
            // The JVM may close before its reply is out: it is disposed all the same.
            Err(RequestError::Ended { end, .. }) if matches!(*end, ConnectionEnd::ClosedByPeer) => {
                Ok(())
            }
            other => other,
        }
    }
}
