//! Where Prometheus scrapes: an HTTP server on loopback that answers `GET /metrics`, and to nobody for long.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{ALLOW, CONTENT_TYPE, HeaderValue};
use http::{Method, Request, Response, StatusCode};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use super::now::Sight;

/// How long a request may take to come.
const HEADERS: Duration = Duration::from_secs(10);
/// How long a connection may last: scraping is done again and again, by new ones if need be.
const CONNECTION: Duration = Duration::from_secs(300);
/// Connections at once. Those who scrape are few.
const CONNECTIONS: usize = 16;
/// How long nothing is accepted after the system could not.
const PAUSE: Duration = Duration::from_millis(100);
/// Prometheus's text format.
const TEXT_FORMAT: HeaderValue =
    HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");

/// Serves the metrics at this socket until the daemon stops.
pub(crate) fn serve(
    listener: TcpListener,
    sight: Arc<Sight>,
    mut stopped: watch::Receiver<bool>,
) -> JoinHandle<()> {
    tokio::spawn(async move {
        let places = Arc::new(Semaphore::new(CONNECTIONS));
        let accepting = async {
            loop {
                // It is never closed.
                let Ok(place) = Arc::clone(&places).acquire_owned().await else {
                    return;
                };
                match listener.accept().await {
                    Ok((stream, _)) => {
                        let sight = Arc::clone(&sight);
                        tokio::spawn(async move {
                            connection(stream, sight).await;
                            drop(place);
                        });
                    }
                    Err(error) => {
                        tracing::warn!(%error, "a connection for metrics cannot be accepted");
                        sleep(PAUSE).await;
                    }
                }
            }
        };
        tokio::select! {
            () = accepting => {}
            // An error means that the sender is gone, which is an end, too.
            _ = stopped.wait_for(|stopped| *stopped) => {}
        }
    })
}

async fn connection(stream: TcpStream, sight: Arc<Sight>) {
    let answer = service_fn(move |request| answer(request, Arc::clone(&sight)));
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADERS)
        .serve_connection(TokioIo::new(stream), answer);
    match timeout(CONNECTION, served).await {
        Ok(Ok(())) | Err(_) => {}
        Ok(Err(error)) => tracing::debug!(%error, "a connection for metrics was closed"),
    }
}

async fn answer(
    request: Request<Incoming>,
    sight: Arc<Sight>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
    Ok(match request.uri().path() {
        "/metrics" if is_read => match tokio::task::spawn_blocking(move || sight.text()).await {
            Ok(text) => {
                let mut response = Response::new(Full::from(text));
                response.headers_mut().insert(CONTENT_TYPE, TEXT_FORMAT);
                response
            }
            Err(error) => {
                tracing::error!(%error, "bug: metrics cannot be looked up");
                said(StatusCode::INTERNAL_SERVER_ERROR, "the daemon met a bug\n")
            }
        },
        "/metrics" => {
            let mut response = said(StatusCode::METHOD_NOT_ALLOWED, "metrics are only read\n");
            let allowed = HeaderValue::from_static("GET, HEAD");
            response.headers_mut().insert(ALLOW, allowed);
            response
        }
        _ => said(
            StatusCode::NOT_FOUND,
            "there is /metrics, and nothing else\n",
        ),
    })
}

fn said(status: StatusCode, words: &'static str) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::from(words));
    *response.status_mut() = status;
    response
}
