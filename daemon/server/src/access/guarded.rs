//! An answer that ends when the right to it does: streams of a token that is revoked or has expired.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http::HeaderMap;
use http_body::{Body as HttpBody, Frame, SizeHint};
use tonic::Status;
use tonic::body::Body;

/// Completes with the reason once there is one.
pub(super) type Ending = Pin<Box<dyn Future<Output = Status> + Send>>;

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
