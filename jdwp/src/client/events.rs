//! The stream of events of a client.

use std::pin::Pin;
use std::task::{Context, Poll};

use futures_core::Stream;
use tokio::sync::mpsc;

use crate::event::Composite;

/// The events of a connection, in the order in which the JVM sent them; ends with the connection.
///
/// Events wait here without bound so that they never hold up replies: what bounds them is that
/// the JVM's threads are suspended at events. Requests without a suspend policy need a reader that
/// keeps up ([`waiting`](Self::waiting) tells).
#[derive(Debug)]
pub struct EventStream {
    pub(super) receiver: mpsc::UnboundedReceiver<Composite>,
}

impl EventStream {
    /// The next events, or `None` when the connection is over and all were taken
    /// ([`Client::end`](super::Client::end) says why). Can be cancelled without loss.
    pub async fn next(&mut self) -> Option<Composite> {
        self.receiver.recv().await
    }

    /// The next events if they are here already.
    pub fn try_next(&mut self) -> Option<Composite> {
        self.receiver.try_recv().ok()
    }

    /// How many composites wait to be taken.
    pub fn waiting(&self) -> usize {
        self.receiver.len()
    }
}

impl Stream for EventStream {
    type Item = Composite;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Composite>> {
        self.receiver.poll_recv(cx)
    }
}
