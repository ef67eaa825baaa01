//! The layer around the gates that sees every call from its beginning to its end: how it was answered, and after how long.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Instant;

use bytes::Bytes;
use http::{Request, Response};
use http_body::{Body as HttpBody, Frame, SizeHint};
use tonic::body::Body;
use tonic::{Code, Status};
use tower::{Layer, Service};

use super::Seen;
use super::audit::Said;
use crate::access::limits::Place;
use crate::access::table::{Method, Streams, find};

/// See the module.
#[derive(Clone, Debug)]
pub(crate) struct ObservedLayer(pub(crate) Arc<Seen>);

impl<S> Layer<S> for ObservedLayer {
    type Service = Observed<S>;

    fn layer(&self, inner: S) -> Observed<S> {
        Observed {
            inner,
            seen: Arc::clone(&self.0),
        }
    }
}

/// See the module.
#[derive(Clone, Debug)]
pub(crate) struct Observed<S> {
    inner: S,
    seen: Arc<Seen>,
}

type Answering<E> = Pin<Box<dyn Future<Output = Result<Response<Body>, E>> + Send>>;

impl<S, B> Service<Request<Body>> for Observed<S>
where
    S: Service<Request<Body>, Response = Response<B>>,
    S::Error: Send + 'static,
    S::Future: Send + 'static,
    B: HttpBody<Data = Bytes> + Send + 'static,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    type Response = Response<Body>;
    type Error = S::Error;
    type Future = Answering<S::Error>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut request: Request<Body>) -> Self::Future {
        let method = find(request.uri().path());
        let mut call = Call::begun(Arc::clone(&self.seen), method);
        if let Some(said) = &call.said {
            request.extensions_mut().insert(Arc::clone(said));
        }
        let answering = self.inner.call(request);
        Box::pin(async move {
            let mut answer = answering.await?.map(Body::new);
            call.place = answer.extensions_mut().remove::<Arc<Place>>();
            // What is refused has no body: its status stands where others have their beginning.
            if let Some(status) = Status::from_header_map(answer.headers()) {
                call.ended(&status);
                return Ok(answer);
            }
            if call.streams() {
                call.answered();
                call.begins_to_answer();
            }
            Ok(answer.map(|body| Watched::over(call, body)))
        })
    }
}

/// A call that is under way. Dropped, it has ended: by whoever made it, if nothing else was said.
struct Call {
    seen: Arc<Seen>,
    method: Option<&'static Method>,
    /// What the audit is to say of it; `None`: nothing.
    said: Option<Arc<Said>>,
    /// Its place among those that there may be at once, from its answer's beginning on.
    place: Option<Arc<Place>>,
    began: Instant,
    has_ended: bool,
}

impl Call {
    fn begun(seen: Arc<Seen>, method: Option<&'static Method>) -> Self {
        seen.metrics.under_way.inc();
        let said = seen.audit.is_on_for(method).then(Arc::default);
        Self {
            seen,
            method,
            said,
            place: None,
            began: Instant::now(),
            has_ended: false,
        }
    }

    fn streams(&self) -> bool {
        let streams = self.method.map(|method| method.streams);
        streams.is_some_and(|streams| streams != Streams::No)
    }

    fn answered(&self) {
        let metrics = &self.seen.metrics;
        metrics.answered(self.method, self.began.elapsed());
    }

    /// Streams may go on for long: that they were begun is written down before their end is.
    fn begins_to_answer(&self) {
        if let Some(said) = &self.said {
            self.seen.audit.begun(self.method, said);
        }
    }

    fn ended(mut self, status: &Status) {
        if !self.streams() {
            self.answered();
        }
        self.end(status);
    }

    fn end(&mut self, status: &Status) {
        self.has_ended = true;
        self.place = None;
        // Whoever sees that it has ended does not see it under way.
        self.seen.metrics.under_way.dec();
        self.seen.metrics.ended(self.method, status);
        if let Some(said) = &self.said {
            self.seen.audit.ended(self.method, said, status);
        }
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        if !self.has_ended {
            self.end(&Status::cancelled("nobody waits for the answer any more"));
        }
    }
}

/// The body of an answer, to its end.
struct Watched {
    inner: Body,
    call: Option<Call>,
}

impl Watched {
    fn over(call: Call, inner: Body) -> Body {
        Body::new(Self {
            inner,
            call: Some(call),
        })
    }

    fn ended(&mut self, status: &Status) {
        if let Some(call) = self.call.take() {
            call.ended(status);
        }
    }
}

impl HttpBody for Watched {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let this = &mut *self;
        let frame = ready!(Pin::new(&mut this.inner).poll_frame(cx));
        match &frame {
            Some(Ok(frame)) => {
                if let Some(status) = frame.trailers_ref().and_then(Status::from_header_map) {
                    this.ended(&status);
                }
            }
            Some(Err(status)) => this.ended(status),
            // No gRPC: a gateway, or a request that was none.
            None => this.ended(&Status::new(Code::Unknown, "")),
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}
