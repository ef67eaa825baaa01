//! That a browser has a key, and which calls it may make with it: what the table of all methods ([`crate::access::table`])
//! leaves to the page.
//!
//! Services are reached through gRPC-web, so what is refused here is refused as a gRPC status.

use std::sync::Arc;
use std::task::{Context, Poll};

use http::{HeaderMap, Request, Response};
use tonic::Status;
use tonic::body::Body;
use tower::{Layer, Service};

use super::guests::Guests;
use crate::access::named::Looked;
use crate::access::table::{Page, find};
use crate::access::{Caller, Identity, Right, Rights};
use crate::error::Kind;
use crate::seen::audit::Said;
use crate::services::status::with_details;

/// The header that holds a key.
pub const KEY_HEADER: &str = "x-jhyde-key";

/// What a page may do, of what the table leaves to it: read, answer, stop and detach.
const PAGE: Rights = Rights::NONE
    .and(Right::Read)
    .and(Right::Debug)
    .and(Right::Record);

/// Lets a call through, or says why not.
fn check(guests: &Guests, path: &str, headers: &HeaderMap) -> Result<(), Box<Status>> {
    let page = find(path).map_or(Page::Missing, |method| method.page);
    match page {
        Page::GetsItsKey => return Ok(()),
        Page::Missing => {
            let told = "the page's listener has no such method";
            return Err(Box::new(Status::unimplemented(told)));
        }
        Page::May | Page::MayNot => {}
    }
    let refused = |kind, reason, told: &str| Err(Box::new(with_details(kind, reason, None, told)));
    let Some(key) = headers.get(KEY_HEADER) else {
        return refused(
            Kind::Unauthenticated,
            "NO_KEY",
            "this browser has no key: `jhyde web` opens the page with one",
        );
    };
    if !key.to_str().is_ok_and(|key| guests.knows(key)) {
        return refused(
            Kind::Unauthenticated,
            "WRONG_KEY",
            "this key is not one of the daemon that runs now: it was started anew; `jhyde web` opens the page again",
        );
    }
    if page == Page::MayNot {
        return refused(
            Kind::PermissionDenied,
            "NOT_IN_A_BROWSER",
            "a page may read, answer, stop and detach, and no more: use jhyde in a terminal for this",
        );
    }
    Ok(())
}

/// See the module.
#[derive(Clone, Debug)]
pub(crate) struct KeyedLayer(pub(crate) Arc<Guests>);

impl<S> Layer<S> for KeyedLayer {
    type Service = Keyed<S>;

    fn layer(&self, inner: S) -> Keyed<S> {
        Keyed {
            inner,
            guests: Arc::clone(&self.0),
        }
    }
}

/// See the module.
#[derive(Clone, Debug)]
pub(crate) struct Keyed<S> {
    inner: S,
    guests: Arc<Guests>,
}

type Answering<E> = std::pin::Pin<Box<dyn Future<Output = Result<Response<Body>, E>> + Send>>;

impl<S> Service<Request<Body>> for Keyed<S>
where
    S: Service<Request<Body>, Response = Response<Body>> + Clone + Send + 'static,
    S::Error: Send + 'static,
    S::Future: Send + 'static,
{
    type Response = Response<Body>;
    type Error = S::Error;
    type Future = Answering<S::Error>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut request: Request<Body>) -> Self::Future {
        match check(&self.guests, request.uri().path(), request.headers()) {
            Err(status) => Box::pin(std::future::ready(Ok(status.into_http()))),
            Ok(()) => {
                let page = Caller::with_rights("the page", PAGE).known_by(Identity::Page);
                let said = request.extensions().get::<Arc<Said>>().cloned();
                let names = find(request.uri().path()).map(|method| method.names);
                let (Some(said), Some(names)) = (said, names) else {
                    request.extensions_mut().insert(page);
                    return Box::pin(self.inner.call(request));
                };
                // Told once.
                let _ = said.who.set(page.identity.clone());
                request.extensions_mut().insert(page);
                // The one that is ready is used; its clone is for the next call.
                let clone = self.inner.clone();
                let mut inner = std::mem::replace(&mut self.inner, clone);
                Box::pin(async move {
                    let (parts, body) = request.into_parts();
                    let looked = Looked::at(names, body).await;
                    said.name(looked.recordings(|_| None));
                    inner.call(Request::from_parts(parts, looked.body)).await
                })
            }
        }
    }
}
