//! The page's listener by raw HTTP: who may come in, and what is refused.

#[allow(dead_code, reason = "other tests use the rest of it")]
mod common;

use std::collections::HashMap;

use jhyde_proto::v1;
use jhyde_proto::v1::web_client::WebClient;
use jhyde_server::access::Rights;
use jhyde_server::config::settings::{Listen, WebListen};
use jhyde_server::serve::{bind, serve};
use jhyde_server::services;
use prost::Message;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tonic::Code;

use common::{TestDaemon, access, defaults, reason};

/// What a browser would be told.
#[derive(Debug)]
struct Answer {
    status: u16,
    headers: HashMap<String, String>,
    body: Vec<u8>,
}

impl Answer {
    fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The gRPC status, wherever it stands, and the first message.
    fn grpc(&self) -> (tonic::Status, Vec<u8>) {
        assert_eq!(self.status, 200, "{self:?}");
        assert!(
            self.header("content-type")
                .starts_with("application/grpc-web"),
            "{self:?}"
        );
        let mut headers = http::HeaderMap::new();
        let mut message = Vec::new();
        let mut add = |name: &str, value: &str| {
            let name = http::HeaderName::try_from(name).unwrap();
            headers.insert(name, value.parse().unwrap());
        };
        for (name, value) in &self.headers {
            if name.starts_with("grpc-") {
                add(name, value);
            }
        }
        let mut rest = self.body.as_slice();
        while let [flags, a, b, c, d, behind @ ..] = rest {
            let length = u32::from_be_bytes([*a, *b, *c, *d]) as usize;
            let (frame, behind) = behind.split_at(length);
            rest = behind;
            if flags & 0x80 == 0 {
                message.extend(frame);
                continue;
            }
            for line in String::from_utf8_lossy(frame).lines() {
                if let Some((name, value)) = line.split_once(':') {
                    add(name.trim(), value.trim());
                }
            }
        }
        let status = tonic::Status::from_header_map(&headers).expect("a status");
        (status, message)
    }
}

/// Sends a request as it stands and reads one answer.
async fn raw(address: &str, request: &[u8]) -> Answer {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(request).await.unwrap();
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).await.unwrap();
    let end = bytes
        .windows(4)
        .position(|window| window == b"\r\n\r\n")
        .unwrap_or_else(|| panic!("no answer: {:?}", String::from_utf8_lossy(&bytes)));
    let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
    let mut lines = head.lines();
    let status = lines.next().unwrap().split(' ').nth(1).unwrap();
    let headers: HashMap<_, _> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
        .collect();
    let mut body = bytes[end + 4..].to_vec();
    if headers
        .get("transfer-encoding")
        .is_some_and(|e| e == "chunked")
    {
        body = unchunked(&body);
    }
    Answer {
        status: status.parse().unwrap(),
        headers,
        body,
    }
}

fn unchunked(mut bytes: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    loop {
        let end = bytes
            .windows(2)
            .position(|w| w == b"\r\n")
            .expect("a chunk");
        let size = usize::from_str_radix(std::str::from_utf8(&bytes[..end]).unwrap(), 16).unwrap();
        if size == 0 {
            return body;
        }
        body.extend(&bytes[end + 2..end + 2 + size]);
        bytes = &bytes[end + 2 + size + 2..];
    }
}

/// A daemon whose page is open.
struct Opened {
    daemon: TestDaemon,
    /// HOST:PORT.
    address: String,
    ticket: String,
}

impl Opened {
    async fn start() -> Self {
        Self::start_in(tempfile::tempdir().unwrap()).await
    }

    async fn start_in(folder: TempDir) -> Self {
        let daemon = TestDaemon::start_in(folder).await;
        let opened = open(&daemon).await;
        Self {
            address: opened.url.strip_prefix("http://").unwrap().to_owned(),
            ticket: opened.ticket,
            daemon,
        }
    }

    async fn request(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Answer {
        let mut request = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        if !headers
            .iter()
            .any(|(name, _)| name.eq_ignore_ascii_case("host"))
        {
            request.push_str(&format!("Host: {}\r\n", self.address));
        }
        for (name, value) in headers {
            request.push_str(&format!("{name}: {value}\r\n"));
        }
        request.push_str(&format!("Content-Length: {}\r\n\r\n", body.len()));
        let mut bytes = request.into_bytes();
        bytes.extend(body);
        raw(&self.address, &bytes).await
    }

    async fn get(&self, path: &str) -> Answer {
        self.request("GET", path, &[], b"").await
    }

    /// A gRPC-web call.
    async fn call(&self, method: &str, message: &impl Message, headers: &[(&str, &str)]) -> Answer {
        let message = message.encode_to_vec();
        let mut body = vec![0];
        body.extend((message.len() as u32).to_be_bytes());
        body.extend(message);
        let mut all = vec![("Content-Type", "application/grpc-web+proto")];
        all.extend(headers);
        self.request("POST", &format!("/jhyde.v1.{method}"), &all, &body)
            .await
    }

    async fn redeem(&self, ticket: &str) -> Result<String, tonic::Status> {
        let request = v1::RedeemRequest {
            ticket: ticket.to_owned(),
        };
        let (status, message) = self.call("Web/Redeem", &request, &[]).await.grpc();
        match status.code() {
            Code::Ok => Ok(v1::RedeemResponse::decode(message.as_slice()).unwrap().key),
            _ => Err(status),
        }
    }

    async fn key(&self) -> String {
        self.redeem(&self.ticket).await.unwrap()
    }

    async fn list(&self, headers: &[(&str, &str)]) -> tonic::Status {
        let request = v1::ListRecordingsRequest::default();
        self.call("Recordings/List", &request, headers)
            .await
            .grpc()
            .0
    }
}

async fn open(daemon: &TestDaemon) -> v1::OpenWebResponse {
    let mut client = WebClient::new(daemon.channel.clone());
    client
        .open(v1::OpenWebRequest {})
        .await
        .unwrap()
        .into_inner()
}

const KEY: &str = "x-jhyde-key";

#[tokio::test]
async fn the_page_is_not_there_before_somebody_asks_for_it() {
    let daemon = TestDaemon::start().await;
    let port = daemon.folder.path().join("web.port");
    assert!(!port.exists());
    let opened = open(&daemon).await;
    assert_eq!((opened.valid_ms, opened.ticket.len()), (60_000, 64));
    assert!(opened.notes.is_empty(), "{opened:?}");
    let kept = std::fs::read_to_string(&port).unwrap();
    assert_eq!(opened.url, format!("http://127.0.0.1:{}", kept.trim()));
    // Asked again, it is the same place, with another ticket.
    let again = open(&daemon).await;
    assert_eq!(again.url, opened.url);
    assert_ne!(again.ticket, opened.ticket);
}

#[tokio::test]
async fn the_page_comes_with_headers_that_keep_others_out() {
    let page = Opened::start().await;
    let answer = page.get("/").await;
    assert_eq!(answer.status, 200);
    assert!(answer.text().contains("<!doctype html>"), "{answer:?}");
    let refused = page.get("/none").await;
    assert_eq!(refused.status, 404);
    let denied = page
        .request("GET", "/", &[("Host", "evil.example")], b"")
        .await;
    let called = page
        .call(
            "Recordings/List",
            &v1::ListRecordingsRequest::default(),
            &[],
        )
        .await;
    for answer in [&answer, &refused, &denied, &called] {
        let csp = answer.header("content-security-policy");
        for part in [
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self'",
            "connect-src 'self'",
            "frame-ancestors 'none'",
            "base-uri 'none'",
            "form-action 'none'",
        ] {
            assert!(csp.contains(part), "{answer:?}");
        }
        assert!(!csp.contains("unsafe"), "{csp}");
        assert_eq!(answer.header("x-content-type-options"), "nosniff");
        assert_eq!(answer.header("referrer-policy"), "no-referrer");
        assert_eq!(answer.header("x-frame-options"), "DENY");
        assert!(
            answer
                .headers
                .keys()
                .all(|name| !name.starts_with("access-control-")),
            "{answer:?}"
        );
        assert!(answer.header("set-cookie").is_empty());
    }
    assert_eq!(called.header("cache-control"), "no-store");
    for path in [
        "/../Cargo.toml",
        "/..%2fCargo.toml",
        "/assets/../index.html",
        "//etc/passwd",
        "/index.html%00",
    ] {
        assert_eq!(page.get(path).await.status, 404, "{path}");
    }
    let head = page.request("HEAD", "/", &[], b"").await;
    assert_eq!((head.status, head.body.len()), (200, 0));
    let known = [("If-None-Match", answer.header("etag"))];
    assert_eq!(page.request("GET", "/", &known, b"").await.status, 304);
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "TRACE"] {
        let refused = page.request(method, "/", &[], b"").await;
        assert_eq!(
            (refused.status, refused.header("allow")),
            (405, "GET, HEAD"),
            "{method}"
        );
    }
}

#[tokio::test]
async fn a_ticket_lets_one_browser_in_once() {
    let page = Opened::start().await;
    let key = page.key().await;
    assert_eq!(page.list(&[(KEY, &key)]).await.code(), Code::Ok);
    let last = if key.ends_with('0') { '1' } else { '0' };
    let other = format!("{}{last}", &key[..63]);
    for (ticket, why) in [
        (page.ticket.as_str(), "TICKET_USED"),
        (other.as_str(), "TICKET_UNKNOWN"),
        ("", "TICKET_UNKNOWN"),
        (&key, "TICKET_UNKNOWN"),
    ] {
        let status = page.redeem(ticket).await.unwrap_err();
        assert_eq!(status.code(), Code::Unauthenticated, "{status}");
        assert_eq!(reason(&status), why, "{status}");
        assert!(status.message().contains("jhyde web"), "{status}");
    }
    for (headers, why) in [
        (vec![], "NO_KEY"),
        (vec![(KEY, "")], "WRONG_KEY"),
        (vec![(KEY, other.as_str())], "WRONG_KEY"),
        (vec![(KEY, page.ticket.as_str())], "WRONG_KEY"),
        (vec![("Cookie", key.as_str())], "NO_KEY"),
        (vec![("Authorization", key.as_str())], "NO_KEY"),
    ] {
        let status = page.list(&headers).await;
        assert_eq!(status.code(), Code::Unauthenticated, "{status}");
        assert_eq!(reason(&status), why, "{headers:?}");
        assert!(status.message().contains("jhyde web"), "{status}");
    }
}

#[tokio::test]
async fn who_opened_the_page_hears_when_the_ticket_was_used() {
    let page = Opened::start().await;
    let mut client = WebClient::new(page.daemon.channel.clone());
    let request = v1::AwaitRedeemedRequest {
        ticket: page.ticket.clone(),
    };
    let (waited, _) = tokio::join!(client.await_redeemed(request), page.key());
    assert!(waited.unwrap().into_inner().redeemed);
    let none = v1::AwaitRedeemedRequest::default();
    let status = client.await_redeemed(none).await.unwrap_err();
    assert_eq!(status.code(), Code::NotFound);
}

#[tokio::test]
async fn a_key_ends_with_its_daemon_and_the_port_does_not() {
    let page = Opened::start().await;
    let key = page.key().await;
    let (before, folder) = (page.address.clone(), page.daemon.folder);
    assert!(
        page.daemon
            .serving
            .finish(std::time::Duration::from_secs(5))
            .await
    );
    drop((page.daemon.daemon, page.daemon.channel));
    assert!(TcpStream::connect(&before).await.is_err());
    let again = Opened::start_in(folder).await;
    assert_eq!(again.address, before);
    let status = again.list(&[(KEY, &key)]).await;
    assert_eq!(
        (status.code(), reason(&status).as_str()),
        (Code::Unauthenticated, "WRONG_KEY")
    );
    assert!(status.message().contains("started anew"), "{status}");
}

#[tokio::test]
async fn other_sites_get_nothing() {
    let page = Opened::start().await;
    let key = page.key().await;
    let port = page.address.rsplit_once(':').unwrap().1;
    let with_key = (KEY, key.as_str());
    let list = v1::ListRecordingsRequest::default();
    // Names that somebody may have led here, with a good key, to the page and to the services.
    for host in [
        "evil.example",
        &format!("evil.example:{port}"),
        "127.0.0.1.evil.example",
        "0.0.0.0",
        "localhost.evil.example",
    ] {
        let headers = [("Host", host), with_key];
        let called = page.call("Recordings/List", &list, &headers).await;
        assert_eq!(called.status, 421, "{host}");
        let got = page.request("GET", "/", &[("Host", host)], b"").await;
        assert_eq!(got.status, 421, "{host}");
        assert!(got.text().contains("127.0.0.1"), "{got:?}");
    }
    // Names and ports of tunnels.
    for host in ["localhost:9", "[::1]:9", "127.0.0.1:9"] {
        let origin = format!("http://{host}");
        let headers = [("Host", host), ("Origin", origin.as_str()), with_key];
        assert_eq!(page.list(&headers).await.code(), Code::Ok, "{host}");
    }
    for origin in [
        "http://evil.example",
        "null",
        "http://127.0.0.1:1",
        &format!("https://{}", page.address),
        &format!("http://localhost:{port}"),
    ] {
        let called = page
            .call("Recordings/List", &list, &[("Origin", origin), with_key])
            .await;
        assert_eq!(called.status, 403, "{origin}");
        let redeemed = page
            .call(
                "Web/Redeem",
                &v1::RedeemRequest::default(),
                &[("Origin", origin)],
            )
            .await;
        assert_eq!(redeemed.status, 403, "{origin}");
        assert_eq!(
            page.request("GET", "/", &[("Origin", origin)], b"")
                .await
                .status,
            403
        );
        let asked = [
            ("Origin", origin),
            ("Access-Control-Request-Method", "POST"),
            ("Access-Control-Request-Headers", KEY),
        ];
        let preflight = page
            .request("OPTIONS", "/jhyde.v1.Recordings/List", &asked, b"")
            .await;
        assert_eq!(preflight.status, 403, "{origin}");
        assert!(
            preflight
                .headers
                .keys()
                .all(|name| !name.starts_with("access-control-"))
        );
    }
    // Several hosts, or none.
    for head in ["", "Host: localhost\r\nHost: evil.example\r\n"] {
        let request = format!("GET / HTTP/1.1\r\n{head}Connection: close\r\n\r\n");
        assert_eq!(
            raw(&page.address, request.as_bytes()).await.status,
            400,
            "{head}"
        );
    }
    // What a form of another site can send is no call.
    for content_type in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "",
    ] {
        let headers = [("Content-Type", content_type), with_key];
        let posted = page
            .request("POST", "/jhyde.v1.Recordings/List", &headers, b"\0\0\0\0\0")
            .await;
        assert_eq!(posted.status, 405, "{content_type}");
    }
}

#[tokio::test]
async fn a_page_reads_and_answers_and_no_more() {
    let page = Opened::start().await;
    let key = page.key().await;
    let with_key = [(KEY, key.as_str())];
    for method in [
        "Recordings/Launch",
        "Recordings/Attach",
        "Recordings/Listen",
        "Recordings/Import",
        "Recordings/Keep",
        "Recordings/Delete",
        "Recordings/Seal",
        "Recordings/ReportExit",
        "Recordings/AddSource",
        "Web/Open",
        "Web/AwaitRedeemed",
    ] {
        // Requests that would be refused for other reasons, if they came so far.
        let (status, _) = page
            .call(method, &v1::RedeemRequest::default(), &with_key)
            .await
            .grpc();
        assert_eq!(status.code(), Code::PermissionDenied, "{method}: {status}");
        assert_eq!(reason(&status), "NOT_IN_A_BROWSER", "{method}");
        let (status, _) = page
            .call(method, &v1::RedeemRequest::default(), &[])
            .await
            .grpc();
        assert_eq!(status.code(), Code::Unauthenticated, "{method}: {status}");
    }
    for method in [
        "Recordings/None",
        "History/None",
        "Debugging/None",
        "None/Get",
        "Web/None",
    ] {
        let (status, _) = page
            .call(method, &v1::RedeemRequest::default(), &with_key)
            .await
            .grpc();
        assert_eq!(status.code(), Code::Unimplemented, "{method}: {status}");
    }
    // What may be called answers for itself.
    let none = v1::GetRecordingRequest {
        recording: "none".to_owned(),
    };
    for method in ["Get", "Stop", "Detach", "Inspect"] {
        let (status, _) = page
            .call(&format!("Recordings/{method}"), &none, &with_key)
            .await
            .grpc();
        assert_eq!(status.code(), Code::NotFound, "{method}: {status}");
    }
    let session = v1::SessionRequest {
        recording: "none".to_owned(),
        session: "x".to_owned(),
    };
    for method in ["GetSession", "GetRevision", "Undo"] {
        let (status, _) = page
            .call(&format!("Debugging/{method}"), &session, &with_key)
            .await
            .grpc();
        assert_eq!(status.code(), Code::NotFound, "{method}: {status}");
    }
    let source = v1::GetSourceRequest {
        recording: "none".to_owned(),
        class: "A".to_owned(),
        source: vec!["/etc".to_owned()],
        ..v1::GetSourceRequest::default()
    };
    let (status, _) = page
        .call("History/GetSource", &source, &with_key)
        .await
        .grpc();
    assert_eq!(reason(&status), "SOURCE_OVER_TCP", "{status}");
    let evidence = v1::SetEvidenceRequest {
        recording: "none".to_owned(),
        session: "x".to_owned(),
        evidence: Some(v1::Evidence {
            trusted: vec!["/etc/some.jar".to_owned()],
            ..v1::Evidence::default()
        }),
    };
    let (status, _) = page
        .call("Debugging/SetEvidence", &evidence, &with_key)
        .await
        .grpc();
    assert_eq!(reason(&status), "JAR_OVER_TCP", "{status}");
}

#[tokio::test]
async fn nobody_is_let_in_over_tcp_and_other_listeners_know_no_browser() {
    let daemon = TestDaemon::start().await;
    let listen = Listen {
        unix: false,
        tcp: vec!["127.0.0.1:0".to_owned()],
        insecure_loopback: Rights::ALL,
        ..defaults().listen
    };
    let bound = bind(&listen, daemon.folder.path()).await.unwrap();
    let address = bound.addresses()[0].clone();
    let services = services::over(&daemon.daemon).await.unwrap();
    let _serving = serve(bound, &services, access(&daemon.daemon, &listen));
    let mut client = WebClient::connect(format!("http://{address}"))
        .await
        .unwrap();
    let status = client.open(v1::OpenWebRequest {}).await.unwrap_err();
    assert_eq!(
        (status.code(), reason(&status).as_str()),
        (Code::PermissionDenied, "OVER_TCP")
    );
    let mut stream = TcpStream::connect(&address).await.unwrap();
    let request = format!("GET / HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    // It may be cut off, too.
    let _ = stream.read_to_end(&mut answer).await;
    assert!(
        !answer.starts_with(b"HTTP/1"),
        "{:?}",
        String::from_utf8_lossy(&answer)
    );
}

#[tokio::test]
async fn a_page_that_is_switched_off_or_has_no_port_says_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let off = TestDaemon::start_with(folder, |options| options.web = WebListen::Off).await;
    let mut client = WebClient::new(off.channel.clone());
    let status = client.open(v1::OpenWebRequest {}).await.unwrap_err();
    assert_eq!(
        (status.code(), reason(&status).as_str()),
        (Code::FailedPrecondition, "WEB_OFF")
    );
    assert!(status.message().contains("listen.web"), "{status}");
    let taken = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let folder = tempfile::tempdir().unwrap();
    let named = WebListen::At(address.clone());
    let daemon = TestDaemon::start_with(folder, |options| options.web = named).await;
    let mut client = WebClient::new(daemon.channel.clone());
    let status = client.open(v1::OpenWebRequest {}).await.unwrap_err();
    assert_eq!(
        (status.code(), reason(&status).as_str()),
        (Code::FailedPrecondition, "PORT_TAKEN")
    );
    // It goes on by itself once it can.
    drop(taken);
    let opened = client
        .open(v1::OpenWebRequest {})
        .await
        .unwrap()
        .into_inner();
    assert_eq!(opened.url, format!("http://{address}"));
}
