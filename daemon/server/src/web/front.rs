//! What comes first for every HTTP request of a browser: is it meant for us, and from our own page? Then the page's files,
//! or the gRPC services behind gRPC-web.
//!
//! A page of another site can make a browser send requests here, also under a name of its own that it has led to
//! 127.0.0.1 (DNS rebinding): then Host is that name. A page of another port of this machine sends its Origin. So both are
//! checked before anything else, and no answer allows another site to read it.

use std::sync::Arc;
use std::task::{Context, Poll};

use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, HeaderName, HeaderValue, ORIGIN,
    REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use http::uri::Authority;
use http::{HeaderMap, Method, Request, Response, StatusCode, Uri};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tonic::body::Body;
use tonic::transport::Server;
use tonic_web::GrpcWebLayer;
use tower::{Layer, Service};
use tower_http::catch_panic::CatchPanicLayer;

use super::guests::Guests;
use super::keyed::KeyedLayer;
use super::{Behind, page};
use crate::seen::observed::ObservedLayer;
use crate::serve::{answer_panic, counted, incoming};

/// Names of this machine that nobody else can have: a browser never asks a name server for them.
const HOSTS: [&str; 3] = ["127.0.0.1", "[::1]", "localhost"];

/// Headers that every answer gets. Scripts, styles, pictures and connections come from here or not at all; nothing frames
/// the page; no other site reads or opens it.
const HEADERS: [(HeaderName, &str); 7] = [
    (
        CONTENT_SECURITY_POLICY,
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (X_FRAME_OPTIONS, "DENY"),
    (REFERRER_POLICY, "no-referrer"),
    (
        HeaderName::from_static("cross-origin-opener-policy"),
        "same-origin",
    ),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        "same-origin",
    ),
    (
        HeaderName::from_static("permissions-policy"),
        "camera=(), geolocation=(), microphone=()",
    ),
];

/// Serves browsers at a socket until the daemon stops accepting, and what came by then is answered.
pub(super) fn serve(listener: TcpListener, behind: &Behind, guests: Arc<Guests>) -> JoinHandle<()> {
    let incoming = counted(incoming(listener), Arc::clone(&behind.activity));
    let mut stopped = behind.stopped.clone();
    let mut server = Server::builder()
        .accept_http1(true)
        .layer(FrontLayer)
        .layer(GrpcWebLayer::new())
        .layer(ObservedLayer(Arc::clone(&behind.seen)))
        .layer(CatchPanicLayer::custom(answer_panic))
        .layer(KeyedLayer(guests));
    let serving = server
        .add_routes(behind.routes.clone())
        .serve_with_incoming_shutdown(incoming, async move {
            // An error means that the sender is gone, which is an end, too.
            let _ = stopped.wait_for(|stopped| *stopped).await;
        });
    tokio::spawn(async move {
        if let Err(error) = serving.await {
            tracing::error!(%error, "the page's server ended by an error");
        }
    })
}

/// See the module.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FrontLayer;

impl<S> Layer<S> for FrontLayer {
    type Service = Front<S>;

    fn layer(&self, inner: S) -> Front<S> {
        Front { inner }
    }
}

/// See the module.
#[derive(Clone, Debug)]
pub(crate) struct Front<S> {
    inner: S,
}

type Answering<E> = std::pin::Pin<Box<dyn Future<Output = Result<Response<Body>, E>> + Send>>;

impl<S> Service<Request<Body>> for Front<S>
where
    S: Service<Request<Body>, Response = Response<Body>>,
    S::Error: Send + 'static,
    S::Future: Send + 'static,
{
    type Response = Response<Body>;
    type Error = S::Error;
    type Future = Answering<S::Error>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let answered = match check(request.uri(), request.headers()) {
            Err(refused) => refused,
            Ok(()) if is_grpc(&request) => {
                let answer = self.inner.call(request);
                return Box::pin(async move { Ok(with_headers(answer.await?)) });
            }
            Ok(()) => page::answer(request.method(), request.uri().path(), request.headers()),
        };
        Box::pin(std::future::ready(Ok(with_headers(answered))))
    }
}

fn is_grpc(request: &Request<Body>) -> bool {
    let content_type = request.headers().get(CONTENT_TYPE);
    let is_grpc = |value: &HeaderValue| value.as_bytes().starts_with(b"application/grpc");
    *request.method() == Method::POST && content_type.is_some_and(is_grpc)
}

/// Is the request for us, and from our page, if from a page at all?
#[expect(clippy::result_large_err, reason = "it is the answer, and moved once")]
fn check(uri: &Uri, headers: &HeaderMap) -> Result<(), Response<Body>> {
    let Some(host) = host(uri, headers) else {
        let line = "the request must name one host";
        return Err(page::text(StatusCode::BAD_REQUEST, line));
    };
    if !HOSTS.contains(&host.host().to_ascii_lowercase().as_str()) || host.as_str().contains('@') {
        return Err(page::text(
            StatusCode::MISDIRECTED_REQUEST,
            "this daemon answers to 127.0.0.1, [::1] and localhost alone: open the page under one of these \
             (from another machine through ssh -L)",
        ));
    }
    let mut origins = headers.get_all(ORIGIN).iter();
    let same = |origin: &HeaderValue| {
        let origin = origin.as_bytes().strip_prefix(b"http://");
        origin.is_some_and(|origin| origin.eq_ignore_ascii_case(host.as_str().as_bytes()))
    };
    if !origins.all(same) {
        let line = "other pages than jhyde's own get nothing here";
        return Err(page::text(StatusCode::FORBIDDEN, line));
    }
    Ok(())
}

/// What the request calls this machine: HTTP/1 by Host, HTTP/2 by the authority. Both, or several, must be the same.
fn host(uri: &Uri, headers: &HeaderMap) -> Option<Authority> {
    let named = headers.get_all(HOST).iter();
    let mut all = named.map(|host| Authority::try_from(host.as_bytes()).ok());
    let first = match uri.authority() {
        Some(authority) => authority.clone(),
        None => all.next()??,
    };
    all.all(|other| other.as_ref() == Some(&first))
        .then_some(first)
}

fn with_headers(mut response: Response<Body>) -> Response<Body> {
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers
        .entry(CACHE_CONTROL)
        .or_insert(HeaderValue::from_static("no-store"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(host: &[&str], origin: &[&str]) -> StatusCode {
        let mut headers = HeaderMap::new();
        for (name, values) in [(HOST, host), (ORIGIN, origin)] {
            for value in values {
                headers.append(name.clone(), HeaderValue::from_str(value).unwrap());
            }
        }
        match check(&Uri::from_static("/"), &headers) {
            Ok(()) => StatusCode::OK,
            Err(refused) => refused.status(),
        }
    }

    #[test]
    fn only_names_of_this_machine_are_answered_to() {
        for ours in [
            "127.0.0.1",
            "127.0.0.1:1",
            "[::1]:7",
            "[::1]",
            "localhost",
            "LocalHost:65535",
        ] {
            assert_eq!(asked(&[ours], &[]), StatusCode::OK, "{ours}");
        }
        for other in [
            "evil.example",
            "evil.example:80",
            "127.0.0.1.evil.example",
            "localhost.evil.example:1",
            "127.0.0.2",
            "0.0.0.0",
            "127.1",
            "2130706433",
            "[::ffff:127.0.0.1]",
            "[::]",
            "localhost.",
            "user@localhost",
            "user:127.0.0.1@evil.example",
        ] {
            assert_eq!(
                asked(&[other], &[]),
                StatusCode::MISDIRECTED_REQUEST,
                "{other}"
            );
        }
        for none in [&[][..], &[""], &["localhost", "evil.example"], &["a b"]] {
            assert_eq!(asked(none, &[]), StatusCode::BAD_REQUEST, "{none:?}");
        }
        let both = HeaderMap::from_iter([(HOST, HeaderValue::from_static("evil.example"))]);
        let absolute = Uri::from_static("http://localhost/");
        assert_eq!(
            check(&absolute, &both).unwrap_err().status(),
            StatusCode::BAD_REQUEST
        );
    }

    #[test]
    fn an_origin_must_be_the_host() {
        let at = "localhost:5";
        assert_eq!(asked(&[at], &["http://localhost:5"]), StatusCode::OK);
        for other in [
            "http://localhost:6",
            "http://localhost",
            "https://localhost:5",
            "http://127.0.0.1:5",
            "null",
            "",
            "http://localhost:5/",
            "http://localhost:5.evil.example",
            "http://evil.example",
        ] {
            assert_eq!(asked(&[at], &[other]), StatusCode::FORBIDDEN, "{other}");
        }
        let two = &["http://localhost:5", "http://evil.example"];
        assert_eq!(asked(&[at], two), StatusCode::FORBIDDEN);
    }
}
