//! The one place where calls are let through or refused, whatever socket they came by.

use std::sync::{Arc, PoisonError, RwLock};
use std::task::{Context, Poll};

use http::header::AUTHORIZATION;
use http::{HeaderMap, Request, Response};
use rustls::pki_types::CertificateDer;
use tonic::Status;
use tonic::body::Body;
use tonic::transport::server::{TcpConnectInfo, TlsConnectInfo, UdsConnectInfo};
use tower::{Layer, Service};

use super::guarded::{Ending, Guarded, drained, sooner};
use super::limits::Limiter;
use super::named::Looked;
use super::table::{Method, Needs, find};
use super::tokens::{Known, NotLetIn, Standing};
use super::{Caller, Identity, Rights};
use crate::daemon::Daemon;
use crate::error::Kind;
use crate::seen::Seen;
use crate::seen::audit::Said;
use crate::serve::{Info, subject};
use crate::services::status::with_details;

/// What a bearer's header begins with (RFC 6750, 2.1).
const BEARER: &str = "Bearer ";

/// The superuser: whoever cannot trust it cannot trust the machine.
const ROOT: u32 = 0;

/// By what kind of socket a call came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Socket {
    /// A unix socket: the kernel knows who is there.
    Unix,
    /// TCP on loopback.
    Loopback,
    /// TCP that other machines reach, with TLS.
    Network,
}

/// What is allowed to whom besides tokens. Can be changed while the daemon runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Allowed {
    /// Rights of other users whom the kernel lets connect to the unix socket: those of its group.
    pub unix_group: Rights,
    /// Rights of whoever comes over TCP on loopback without a token; none: a token is needed.
    pub insecure_loopback: Rights,
    /// Rights of whoever shows a client certificate, which was verified before.
    pub client_certificate: Rights,
}

/// Who may come in.
#[derive(Debug)]
pub struct Access {
    allowed: RwLock<Allowed>,
    tokens: Arc<Known>,
    daemon: Arc<Daemon>,
    seen: Arc<Seen>,
    limiter: Arc<Limiter>,
}

impl Access {
    /// By these rules to this daemon.
    pub fn new(allowed: Allowed, tokens: Arc<Known>, daemon: Arc<Daemon>) -> Self {
        Self {
            allowed: RwLock::new(allowed),
            tokens,
            daemon,
            seen: Arc::default(),
            limiter: Arc::default(),
        }
    }

    /// Other rules from now on.
    pub fn allow(&self, allowed: Allowed) {
        *self.allowed.write().unwrap_or_else(PoisonError::into_inner) = allowed;
    }

    /// The tokens.
    pub fn tokens(&self) -> &Arc<Known> {
        &self.tokens
    }

    /// How much clients may have; without bounds at first.
    pub fn limiter(&self) -> &Arc<Limiter> {
        &self.limiter
    }

    /// Where calls are counted and written down.
    pub fn seen(&self) -> &Arc<Seen> {
        &self.seen
    }

    /// The daemon that is asked.
    pub fn daemon(&self) -> &Arc<Daemon> {
        &self.daemon
    }

    fn allowed(&self) -> Allowed {
        *self.allowed.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Who asks.
    fn who(&self, socket: Socket, request: &Request<Body>) -> Result<Who, Status> {
        let with_token = |token: &str| match self.tokens.let_in(token) {
            Ok((caller, standing)) => Ok(Who {
                caller,
                standing: Some(standing),
            }),
            Err(why) => Err(not_let_in(&why)),
        };
        match socket {
            Socket::Unix => {
                let peer = request.extensions().get::<Info<UdsConnectInfo>>();
                let peer = peer.and_then(|info| info.of.peer_cred);
                let user = peer.map(|peer| peer.uid());
                Ok(at_unix_socket(user, self.allowed().unix_group).into())
            }
            // A token counts for more than that none is needed: it has a name, and maybe other rights.
            Socket::Loopback | Socket::Network => match bearer(request.headers())? {
                Some(token) => with_token(token),
                None => without_token(self.allowed(), socket, request),
            },
        }
    }
}

/// Who asks over TCP without a token.
fn without_token(allowed: Allowed, socket: Socket, request: &Request<Body>) -> Result<Who, Status> {
    if let Some(certificate) = certificate(request)
        && !allowed.client_certificate.is_empty()
    {
        let name = format!("the certificate '{}'", subject(&certificate));
        let caller = Caller::with_rights(&name, allowed.client_certificate);
        let identity = Identity::Certificate(subject(&certificate));
        return Ok(caller.known_by(identity).into());
    }
    if socket == Socket::Loopback && !allowed.insecure_loopback.is_empty() {
        let name = "who comes over loopback without a token";
        let caller = Caller::with_rights(name, allowed.insecure_loopback);
        return Ok(caller.known_by(Identity::Loopback).into());
    }
    Err(with_details(
        Kind::Unauthenticated,
        "NO_TOKEN",
        None,
        "over TCP a token is needed: make one on the daemon's machine (jhyded token create NAME --rights read), and \
         give it to jhyde with --token-file or in JHYDE_TOKEN, to others as the header 'authorization: Bearer TOKEN'",
    ))
}

/// The certificate that the client at the other end of a connection has shown, if it has.
fn certificate(request: &Request<Body>) -> Option<CertificateDer<'static>> {
    let connection = request.extensions().get::<Info<OverTls>>()?;
    connection.of.peer_certs()?.first().cloned()
}

type OverTls = TlsConnectInfo<TcpConnectInfo>;

/// Lets the connection of a request go on for as long as it likes.
fn begins(request: &Request<Body>) {
    let all = request.extensions();
    if let Some(plain) = all.get::<Info<TcpConnectInfo>>() {
        plain.begins();
    }
    if let Some(tls) = all.get::<Info<OverTls>>() {
        tls.begins();
    }
}

/// Who asks, and until when.
#[derive(Debug)]
struct Who {
    caller: Caller,
    standing: Option<Standing>,
}

impl From<Caller> for Who {
    fn from(caller: Caller) -> Self {
        Self {
            caller,
            standing: None,
        }
    }
}

/// Who is at the other end of a unix socket. Whom its permissions do not let connect is not there.
fn at_unix_socket(user: Option<u32>, group: Rights) -> Caller {
    match user {
        Some(user) if user == ROOT || user == jhyde_proto::folder::user() => {
            Caller::owner().known_by(Identity::Uid(user))
        }
        Some(user) => {
            Caller::with_rights(&format!("user {user}"), group).known_by(Identity::Uid(user))
        }
        None => Caller::with_rights("a user that the system does not tell", Rights::NONE),
    }
}

fn bearer(headers: &HeaderMap) -> Result<Option<&str>, Status> {
    let Some(given) = headers.get(AUTHORIZATION) else {
        return Ok(None);
    };
    let token = given.to_str().ok().and_then(|given| {
        let (scheme, token) = given.split_at_checked(BEARER.len())?;
        scheme.eq_ignore_ascii_case(BEARER).then(|| token.trim())
    });
    token.map(Some).ok_or_else(|| {
        with_details(
            Kind::Unauthenticated,
            "NO_BEARER",
            None,
            "the header 'authorization' must be 'Bearer TOKEN'",
        )
    })
}

fn not_let_in(why: &NotLetIn) -> Status {
    with_details(Kind::Unauthenticated, why.reason(), None, why.to_string())
}

/// Does a caller have what a method needs?
fn check(caller: &Caller, method: &Method) -> Result<(), Status> {
    match method.needs {
        Needs::Nothing => Ok(()),
        Needs::ToBeKnown if !caller.rights.is_empty() => Ok(()),
        Needs::The(right) if caller.rights.has(right) => Ok(()),
        Needs::ToBeTheOwner if caller.is_owner() => Ok(()),
        Needs::The(right) => {
            let has = match caller.rights.is_empty() {
                true => "nothing".to_owned(),
                false => caller.rights.to_string(),
            };
            Err(with_details(
                Kind::PermissionDenied,
                "RIGHT_MISSING",
                None,
                format!(
                    "{} needs the right '{}'; {} has {has}",
                    method.path.trim_start_matches('/'),
                    right.word(),
                    caller.name
                ),
            ))
        }
        Needs::ToBeTheOwner => Err(with_details(
            Kind::PermissionDenied,
            "OVER_TCP",
            None,
            "who may open the page is known at the daemon's unix socket alone: ask there as the daemon's user (jhyde \
             web, without --daemon)",
        )),
        Needs::ToBeKnown => Err(with_details(
            Kind::PermissionDenied,
            "RIGHT_MISSING",
            None,
            format!("{} has no right here", caller.name),
        )),
    }
}

/// See the module.
#[derive(Clone, Debug)]
pub(crate) struct GateLayer {
    pub(crate) socket: Socket,
    pub(crate) access: Arc<Access>,
}

impl<S> Layer<S> for GateLayer {
    type Service = Gate<S>;

    fn layer(&self, inner: S) -> Gate<S> {
        Gate {
            inner,
            gate: self.clone(),
        }
    }
}

/// See the module.
#[derive(Clone, Debug)]
pub(crate) struct Gate<S> {
    inner: S,
    gate: GateLayer,
}

type Answering<E> = std::pin::Pin<Box<dyn Future<Output = Result<Response<Body>, E>> + Send>>;

impl<S> Service<Request<Body>> for Gate<S>
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
        let refused = |status: Status| -> Self::Future {
            Box::pin(std::future::ready(Ok(status.into_http())))
        };
        begins(&request);
        // Looked for first, but told of last: who is not known learns nothing of what there is.
        let method = find(request.uri().path());
        if method.is_some_and(|method| method.needs == Needs::Nothing) {
            return Box::pin(self.inner.call(request));
        }
        let GateLayer { socket, access } = &self.gate;
        let Who { caller, standing } = match access.who(*socket, &request) {
            Ok(who) => who,
            Err(status) => return refused(status),
        };
        let said = request.extensions().get::<Arc<Said>>().cloned();
        if let Some(said) = &said {
            // Told once.
            let _ = said.who.set(caller.identity.clone());
        }
        let Some(method) = method else {
            return refused(Status::unimplemented("the daemon has no such method"));
        };
        if let Err(status) = check(&caller, method) {
            return refused(status);
        }
        let client = (!caller.is_owner()).then_some(&caller.identity);
        let place = match access.limiter.call(client) {
            Ok(place) => place,
            Err(status) => return refused(status),
        };
        // The one that is ready is used; its clone is for the next call.
        let clone = self.inner.clone();
        let mut inner = std::mem::replace(&mut self.inner, clone);
        let access = Arc::clone(access);
        Box::pin(async move {
            let ending = standing.clone().map(until);
            let drained = drained(method, access.daemon.leaving());
            let answering = async {
                if caller.is_restricted() || said.is_some() {
                    let (parts, body) = request.into_parts();
                    let looked = Looked::at(method.names, body).await;
                    if let Some(said) = &said {
                        said.name(looked.recordings(|word| access.daemon.name_of(word)));
                    }
                    let body = match caller.is_restricted() {
                        true => match looked.check(&caller, method.names, &access.daemon) {
                            Ok(body) => body,
                            Err(status) => return Ok(status.into_http()),
                        },
                        false => looked.body,
                    };
                    request = Request::from_parts(parts, body);
                }
                request.extensions_mut().insert(caller);
                inner.call(request).await
            };
            let answer = match ending {
                None => answering.await?,
                Some(ending) => tokio::select! {
                    biased;
                    status = ending => return Ok(status.into_http()),
                    answer = answering => answer?,
                },
            };
            let mut answer = match sooner(standing.map(until), drained) {
                Some(ending) => answer.map(|body| Guarded::until(ending, body)),
                None => answer,
            };
            // Whoever sees the call's end lets go of it: `seen::observed`.
            answer.extensions_mut().insert(Arc::new(place));
            Ok(answer)
        })
    }
}

/// Completes when the token is good for nothing any more.
fn until(mut standing: Standing) -> Ending {
    Box::pin(async move {
        let why = standing.wait_for(Option::is_some).await;
        // A sender that is gone has dropped its token.
        let why = why.ok().and_then(|why| why.clone());
        not_let_in(&why.unwrap_or(NotLetIn::Unknown))
    })
}

#[cfg(test)]
mod tests;
