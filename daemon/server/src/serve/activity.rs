//! Who is connected, and since when nobody is.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};
use tonic::transport::server::Connected as Tells;

use crate::access::limits::Connected;

/// How long the first request of a connection may take to be there: its headers, to their end.
const FIRST_REQUEST: Duration = Duration::from_secs(10);

/// A connection that has its place.
pub(super) type Admitted<I> = (I, Connected);

/// Counts connections.
#[derive(Debug)]
pub struct Activity(Mutex<State>);

#[derive(Debug)]
struct State {
    connections: usize,
    /// When the last connection ended, or the daemon began.
    since: Instant,
}

impl Default for Activity {
    fn default() -> Self {
        Self(Mutex::new(State {
            connections: 0,
            since: Instant::now(),
        }))
    }
}

impl Activity {
    /// A connection that is counted until it is dropped.
    pub fn count<I>(self: &Arc<Self>, stream: I) -> Counted<I> {
        self.change(1);
        Counted {
            stream,
            _leaves: Leaves(Arc::clone(self)),
            _place: None,
            begun: Arc::default(),
            deadline: None,
        }
    }

    /// The same, with its place among those that there may be.
    pub(super) fn placed<I>(self: &Arc<Self>, (stream, place): Admitted<I>) -> Counted<I> {
        // A user of this machine is known, and bounded otherwise.
        let deadline = place.is_from_elsewhere();
        Counted {
            _place: Some(place),
            deadline: deadline.then(|| Box::pin(sleep(FIRST_REQUEST))),
            ..self.count(stream)
        }
    }

    /// For how long nobody has been connected.
    pub fn idle_for(&self) -> Duration {
        let state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if state.connections > 0 {
            Duration::ZERO
        } else {
            state.since.elapsed()
        }
    }

    /// How many are connected.
    pub fn connections(&self) -> usize {
        let state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.connections
    }

    fn change(&self, by: isize) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.connections = state.connections.saturating_add_signed(by);
        state.since = Instant::now();
    }
}

/// See [`Activity::count`].
#[derive(Debug)]
pub struct Counted<I> {
    stream: I,
    _leaves: Leaves,
    _place: Option<Connected>,
    begun: Arc<AtomicBool>,
    /// When it is closed if there was no request; `None`: never, or there was one.
    deadline: Option<Pin<Box<Sleep>>>,
}

/// What a request's extensions say of its connection.
#[derive(Clone, Debug)]
pub struct Info<T> {
    /// Who is at its other end, as the transport tells it.
    pub(crate) of: T,
    begun: Arc<AtomicBool>,
}

impl<T> Info<T> {
    /// There was a request: it may be silent from now on.
    pub(crate) fn begins(&self) {
        self.begun.store(true, Ordering::Relaxed);
    }
}

/// Tells that a connection has ended.
#[derive(Debug)]
struct Leaves(Arc<Activity>);

impl Drop for Leaves {
    fn drop(&mut self) {
        self.0.change(-1);
    }
}

impl<I: Tells> Tells for Counted<I> {
    type ConnectInfo = Info<I::ConnectInfo>;

    fn connect_info(&self) -> Self::ConnectInfo {
        Info {
            of: self.stream.connect_info(),
            begun: Arc::clone(&self.begun),
        }
    }
}

impl<I: AsyncRead + Unpin> AsyncRead for Counted<I> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.begun.load(Ordering::Relaxed) {
            self.deadline = None;
        }
        if let Some(deadline) = &mut self.deadline
            && deadline.as_mut().poll(cx).is_ready()
        {
            tracing::info!(limit = ?FIRST_REQUEST, "closed a connection: there was no whole request in time");
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl<I: AsyncWrite + Unpin> AsyncWrite for Counted<I> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn idle_time_begins_when_the_last_one_leaves() {
        let activity = Arc::new(Activity::default());
        tokio::time::advance(Duration::from_secs(5)).await;
        assert_eq!(activity.idle_for(), Duration::from_secs(5));
        let (one, two) = (activity.count(()), activity.count(()));
        tokio::time::advance(Duration::from_secs(5)).await;
        drop(one);
        assert_eq!(activity.connections(), 1);
        assert_eq!(activity.idle_for(), Duration::ZERO);
        tokio::time::advance(Duration::from_secs(5)).await;
        drop(two);
        tokio::time::advance(Duration::from_secs(3)).await;
        assert_eq!(activity.idle_for(), Duration::from_secs(3));
    }
}
