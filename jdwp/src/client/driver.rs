//! The task that owns the socket and moves bytes between it and the session.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use rustc_hash::FxHashMap;
use tokio::net::TcpStream;
use tokio::sync::{mpsc, oneshot, watch};

use super::errors::ConnectionEnd;
use crate::event::Composite;
use crate::packet::PacketId;
use crate::session::{Incoming, Reply, Session};

/// How long a close waits for commands that are queued to be written.
const FLUSH_LIMIT: Duration = Duration::from_secs(2);

/// What the handles ask of the driver.
pub(super) enum Order {
    /// Send a command that is encoded already.
    Request {
        set: u8,
        command: u8,
        body: Bytes,
        /// Dropped without a reply if the connection ends.
        reply: oneshot::Sender<Reply>,
    },
    /// Write what is queued and close.
    Close,
}

pub(super) struct Driver {
    pub(super) stream: TcpStream,
    pub(super) session: Session,
    pub(super) orders: mpsc::UnboundedReceiver<Order>,
    pub(super) events: mpsc::UnboundedSender<Composite>,
    pub(super) waiting: FxHashMap<PacketId, oneshot::Sender<Reply>>,
    pub(super) end: watch::Sender<Option<Arc<ConnectionEnd>>>,
}

impl Driver {
    pub(super) async fn run(mut self) {
        let end = match self.drive().await {
            Ok(()) => {
                // Nobody waits for more than the attempt: the peer may not read at all.
                let _ = tokio::time::timeout(FLUSH_LIMIT, self.flush()).await;
                ConnectionEnd::ClosedHere
            }
            Err(end) => end,
        };
        // Before the requests are dropped: who waits for a reply looks here for the reason.
        self.end.send_replace(Some(Arc::new(end)));
    }

    /// Moves bytes until a handle asks to close, or all are gone.
    async fn drive(&mut self) -> Result<(), ConnectionEnd> {
        // Packets may have arrived together with the end of the handshake.
        self.deliver()?;
        loop {
            let has_outgoing = !self.session.outgoing().is_empty();
            tokio::select! {
                readable = self.stream.readable() => {
                    readable.map_err(|error| self.failed(error))?;
                    self.read()?;
                }
                writable = self.stream.writable(), if has_outgoing => {
                    writable.map_err(|error| self.failed(error))?;
                    self.write()?;
                }
                order = self.orders.recv() => {
                    let Some(order) = order else { return Ok(()) };
                    if !self.take_orders(order) {
                        return Ok(());
                    }
                    self.write()?;
                }
            }
        }
    }

    /// Takes this order and all that wait behind it, so that one write sends them; false if one
    /// of them is to close.
    fn take_orders(&mut self, first: Order) -> bool {
        let mut next = Some(first);
        while let Some(order) = next {
            match order {
                Order::Close => return false,
                Order::Request {
                    set,
                    command,
                    body,
                    reply,
                } => {
                    let id = self.session.send_raw(set, command, &body);
                    self.waiting.insert(id, reply);
                }
            }
            next = self.orders.try_recv().ok();
        }
        true
    }

    fn read(&mut self) -> Result<(), ConnectionEnd> {
        loop {
            let buffer = self.session.receive_buffer();
            buffer.reserve(16 << 10);
            match self.stream.try_read_buf(buffer) {
                Ok(0) => return Err(self.closed()),
                Ok(_) => self.deliver()?,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) => return Err(self.failed(error)),
            }
        }
    }

    /// Hands out all replies and events that are here.
    fn deliver(&mut self) -> Result<(), ConnectionEnd> {
        while let Some(incoming) = self.session.poll()? {
            match incoming {
                Incoming::Reply(reply) => {
                    if let Some(waiter) = self.waiting.remove(&reply.id) {
                        // Err: whoever asked has stopped waiting.
                        let _ = waiter.send(reply);
                    }
                }
                // Err: nobody reads events.
                Incoming::Event(composite) => drop(self.events.send(composite)),
                // The spec has no such commands; as JDI does, leave them.
                Incoming::Command { .. } => {}
            }
        }
        Ok(())
    }

    fn write(&mut self) -> Result<(), ConnectionEnd> {
        while !self.session.outgoing().is_empty() {
            match self.stream.try_write(self.session.outgoing()) {
                Ok(count) => self.session.written(count),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) => return Err(self.failed(error)),
            }
        }
        Ok(())
    }

    async fn flush(&mut self) -> Result<(), ConnectionEnd> {
        while !self.session.outgoing().is_empty() {
            self.stream.writable().await.map_err(ConnectionEnd::Io)?;
            self.write()?;
        }
        Ok(())
    }

    fn closed(&self) -> ConnectionEnd {
        match self.session.partial_packet() {
            Some((arrived, expected)) => ConnectionEnd::ClosedMidPacket { arrived, expected },
            None => ConnectionEnd::ClosedByPeer,
        }
    }

    /// A reset is a close by a JVM that ended with bytes unread.
    fn failed(&self, error: io::Error) -> ConnectionEnd {
        match error.kind() {
            io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe => self.closed(),
            _ => ConnectionEnd::Io(error),
        }
    }
}
