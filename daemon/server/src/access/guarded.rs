//! An answer that ends when the right to it does, or the daemon: streams of a token that is revoked or has expired, and
//! whatever streams when the daemon is about to end.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http::HeaderMap;
use http_body::{Body as HttpBody, Frame, SizeHint};
use tonic::Status;
use tonic::body::Body;

use super::table::{Method, Streams};
use crate::daemon::leaving::{Leaving, Phase};
use crate::error::Error;

/// Completes with the reason once there is one.
pub(super) type Ending = Pin<Box<dyn Future<Output = Status> + Send>>;

/// How long what tells of a recording has to tell its last state, once it is closed.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// Completes when a stream of this method must end because the daemon does; `None`: it is no stream, and is answered.
pub(super) fn drained(method: &Method, leaving: &Leaving) -> Option<Ending> {
    let (until, more) = match method.streams {
        Streams::No => return None,
        Streams::Yes => (Phase::Draining, Duration::ZERO),
        Streams::UntilClosed => (Phase::Closed(0), LAST_WORDS),
    };
    let reached = leaving.reached(until);
    Some(Box::pin(async move {
        reached.await;
        tokio::time::sleep(more).await;
        Error::Stopping.into()
    }))
}

/// What comes first of two ends.
pub(super) fn sooner(one: Option<Ending>, other: Option<Ending>) -> Option<Ending> {
    match (one, other) {
        (Some(one), Some(other)) => Some(Box::pin(async move {
            tokio::select! {
                status = one => status,
                status = other => status,
            }
        })),
        (one, other) => one.or(other),
    }
}

/// The body of an answer, until its end or this one.
pub(super) struct Guarded {
    inner: Body,
    ending: Option<Ending>,
}

impl Guarded {
    pub(super) fn until(ending: Ending, inner: Body) -> Body {
        Body::new(Self {
            inner,
            ending: Some(ending),
        })
    }
}

impl HttpBody for Guarded {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let this = &mut *self;
        let Some(ending) = &mut this.ending else {
            return Poll::Ready(None);
        };
        if let Poll::Ready(status) = ending.as_mut().poll(cx) {
            this.ending = None;
            // What was being sent is let go of now, not when the client has read the end.
            this.inner = Body::empty();
            let mut trailers = HeaderMap::new();
            let told = status.add_header(&mut trailers);
            return Poll::Ready(Some(told.map(|()| Frame::trailers(trailers))));
        }
        let frame = ready!(Pin::new(&mut this.inner).poll_frame(cx));
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.ending.is_none() || self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::default()
    }
}

#[cfg(test)]
mod tests {
    use tonic::Code;

    use super::*;
    use crate::access::table::find;

    #[tokio::test]
    async fn streams_end_with_the_daemon_and_those_of_a_recording_when_it_is_closed() {
        let leaving = Leaving::default();
        let of = |path: &str| drained(find(path).unwrap(), &leaving);
        assert!(of("/jhyde.v1.Recordings/Get").is_none());
        let rows = of("/jhyde.v1.Queries/Sql").unwrap();
        let mut watched = of("/jhyde.v1.Recordings/Watch").unwrap();
        leaving.reach(Phase::Draining);
        let status = rows.await;
        assert_eq!(status.code(), Code::Unavailable);
        assert!(status.message().contains("stopping"), "{status}");
        let still = std::future::poll_fn(|cx| Poll::Ready(watched.as_mut().poll(cx).is_pending()));
        assert!(still.await);
        leaving.reach(Phase::Closed(0));
        assert_eq!(watched.await.code(), Code::Unavailable);
    }
}
