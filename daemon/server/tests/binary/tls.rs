//! TLS, asked of the binary `jhyded` from outside.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use crate::authority::{Authority, Signed, written};
use crate::served::{Bearing, PATIENCE, Served, reason, run, text};
use jhyde_proto::trust::Trust;
use jhyde_proto::v1::recordings_client::RecordingsClient;
use jhyde_proto::v1::{GetRecordingRequest, ListRecordingsRequest, ListenRequest};
use rustix::process::Signal;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tonic::Code;

/// Certificates in files, for a daemon and its clients.
struct Files {
    folder: TempDir,
    ca: Authority,
}

impl Files {
    fn new() -> Self {
        let files = Self {
            folder: tempfile::tempdir().unwrap(),
            ca: Authority::new("the right authority"),
        };
        files.serve_by(&files.ca.sign("server", false));
        files
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        written(self.folder.path(), name, text)
    }

    fn serve_by(&self, signed: &Signed) {
        self.write("server.crt", &signed.certificate);
        self.write("server.key", &signed.key);
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    /// The flags that serve with them.
    fn flags(&self, address: &str) -> Vec<String> {
        let (certificate, key) = (self.path("server.crt"), self.path("server.key"));
        let flags = [
            "--listen",
            address,
            "--tls-certificate",
            &certificate,
            "--tls-key",
            &key,
        ];
        flags.map(str::to_owned).to_vec()
    }

    fn served(&self, more: &[&str]) -> Served {
        let flags = self.flags("127.0.0.1:0");
        let mut flags: Vec<_> = flags.iter().map(String::as_str).collect();
        flags.extend(more);
        Served::start(&flags)
    }

    fn trusting(&self, ca: &str) -> Trust {
        Trust::of_files(Some(&self.write("ca.crt", ca)), None).unwrap()
    }

    fn showing(&self, signed: &Signed) -> Trust {
        let both = format!("{}{}", signed.certificate, signed.key);
        let ca = self.write("ca.crt", self.ca.pem());
        Trust::of_files(Some(&ca), Some(&self.write("client.pem", &both))).unwrap()
    }
}

/// Why a client came to nothing, with all that the transport says.
fn told(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        text.push_str(&format!(": {error}"));
        source = error.source();
    }
    text
}

fn list() -> ListRecordingsRequest {
    ListRecordingsRequest::default()
}

#[tokio::test]
async fn a_client_comes_in_by_the_right_authority_and_a_token() {
    let files = Files::new();
    let served = files.served(&[]);
    let trust = files.trusting(files.ca.pem());
    let channel = served.over_tls(&trust).await.unwrap();
    let refused = RecordingsClient::new(channel.clone()).list(list()).await;
    let refused = refused.unwrap_err();
    assert_eq!(
        (refused.code(), reason(&refused).as_str()),
        (Code::Unauthenticated, "NO_TOKEN")
    );
    let token = served.token(&["create", "ci", "--rights", "read"]);
    let mut client = RecordingsClient::with_interceptor(channel, Bearing::of(&token));
    client.list(list()).await.unwrap();
    let refused = client.listen(ListenRequest::default()).await.unwrap_err();
    assert_eq!(reason(&refused), "RIGHT_MISSING");

    let stranger = Authority::new("a stranger");
    let error = served.over_tls(&files.trusting(stranger.pem())).await;
    let error = told(&error.unwrap_err());
    assert!(error.contains("UnknownIssuer"), "{error}");
}

#[tokio::test]
async fn a_certificate_that_has_expired_is_refused_by_clients_and_told_in_the_log() {
    let files = Files::new();
    files.serve_by(&files.ca.sign("server", true));
    let served = files.served(&[]);
    served.logged("is not valid now").await;
    let error = served.over_tls(&files.trusting(files.ca.pem())).await;
    let error = told(&error.unwrap_err());
    assert!(error.contains("expired"), "{error}");
    // Its owner has the unix socket.
    let mut owner = RecordingsClient::new(served.at_socket().await);
    owner.list(list()).await.unwrap();
}

#[tokio::test]
async fn files_that_cannot_be_used_are_refused_at_the_start_and_when_checked() {
    let files = Files::new();
    let data = tempfile::tempdir().unwrap();
    let good = files.ca.sign("server", false);
    let other = files.ca.sign("other", false);
    let half = &good.certificate[..good.certificate.len() / 2];
    let file = |certificate: &str, key: &str| Signed {
        certificate: certificate.to_owned(),
        key: key.to_owned(),
    };
    let check = |words: &str| {
        let flags = files.flags("127.0.0.1:0");
        let serve = [&["serve".to_owned()], &flags[..]].concat();
        let serve: Vec<_> = serve.iter().map(String::as_str).collect();
        let config = format!(
            "[listen.tls]\ncertificate = {:?}\nkey = {:?}\n",
            files.path("server.crt"),
            files.path("server.key")
        );
        let config = files.write("jhyded.toml", &config).display().to_string();
        for words_of in [&serve[..], &["config", "check", &config]] {
            let output = run(data.path(), words_of);
            let errors = text(&output.stderr);
            assert_eq!(output.status.code(), Some(3), "{words_of:?}: {errors}");
            assert!(errors.contains(words), "{words_of:?}: {errors}");
            assert!(!errors.contains("PRIVATE KEY-----\nM"), "{errors}");
        }
    };
    for (signed, words) in [
        (file(&good.certificate, &other.key), "does not fit"),
        (file(half, &good.key), "is the file whole"),
        (file("hello", &good.key), "no certificate in PEM"),
        (file(&good.certificate, "hello"), "no whole private key"),
        (file(&good.certificate, ""), "no whole private key"),
    ] {
        files.serve_by(&signed);
        check(words);
    }
    files.serve_by(&good);
    let open = fs::Permissions::from_mode(0o640);
    fs::set_permissions(files.folder.path().join("server.key"), open).unwrap();
    check("chmod 600");
    fs::remove_file(files.folder.path().join("server.key")).unwrap();
    check("cannot read");

    let alone = files.path("server.crt");
    let serve = [
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--tls-certificate",
        &alone,
    ];
    let output = run(data.path(), &serve);
    let errors = text(&output.stderr);
    assert!(errors.contains("listen.tls.key is not"), "{errors}");
}

#[tokio::test]
async fn who_speaks_no_tls_is_closed_and_who_says_nothing_holds_nobody_up() {
    let files = Files::new();
    let served = files.served(&[]);
    let token = served.token(&["create", "ci", "--rights", "read"]);
    let trust = files.trusting(files.ca.pem());
    let address = served.tcp().trim_start_matches("https://").to_owned();

    let mut silent = Vec::new();
    for _ in 0..100 {
        silent.push(TcpStream::connect(&address).await.unwrap());
    }
    let began = Instant::now();
    for _ in 0..10 {
        let channel = served.over_tls(&trust).await.unwrap();
        let mut client = RecordingsClient::with_interceptor(channel, Bearing::of(&token));
        client.list(list()).await.unwrap();
    }
    let took = began.elapsed();
    assert!(took < Duration::from_secs(5), "{took:?}");

    for plain in ["PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "GET / HTTP/1.1\r\n\r\n"] {
        let mut stream = TcpStream::connect(&address).await.unwrap();
        stream.write_all(plain.as_bytes()).await.unwrap();
        let mut rest = Vec::new();
        // Whatever it ends with, it ends.
        let _ = timeout(Duration::from_secs(5), stream.read_to_end(&mut rest))
            .await
            .unwrap();
        served.logged("does not speak TLS").await;
    }
    for mut stream in silent {
        let mut rest = Vec::new();
        let ended = timeout(PATIENCE, stream.read_to_end(&mut rest)).await;
        ended.unwrap().unwrap();
    }
    let took = began.elapsed();
    let limit = Duration::from_secs(8)..Duration::from_secs(15);
    assert!(limit.contains(&took), "{took:?}");
}

#[tokio::test]
async fn certificates_change_under_load_without_a_failed_call() {
    let files = Files::new();
    let served = Arc::new(files.served(&[]));
    let token = served.token(&["create", "ci", "--rights", "read"]);
    let second = Authority::new("the next authority");
    let (old, new) = (files.trusting(files.ca.pem()), files.trusting(second.pem()));
    let both = files.trusting(&format!("{}{}", files.ca.pem(), second.pem()));
    let mut owner = RecordingsClient::new(served.at_socket().await);
    let waiting = owner.listen(ListenRequest::default()).await.unwrap();
    let waiting = waiting.into_inner();

    // One that came before, and stays.
    let channel = served.over_tls(&old).await.unwrap();
    let mut before = RecordingsClient::with_interceptor(channel, Bearing::of(&token));
    let watched = GetRecordingRequest {
        recording: waiting.id,
    };
    let mut stream = before.watch(watched).await.unwrap().into_inner();
    stream.message().await.unwrap().unwrap();

    let (ends, calls) = (
        Arc::new(AtomicBool::new(false)),
        Arc::new(AtomicU32::new(0)),
    );
    let mut load = tokio::task::JoinSet::new();
    for _ in 0..4 {
        let (served, both, token) = (Arc::clone(&served), both.clone(), token.clone());
        let (ends, calls) = (Arc::clone(&ends), Arc::clone(&calls));
        load.spawn(async move {
            while !ends.load(Ordering::Relaxed) {
                let channel = served.over_tls(&both).await.unwrap();
                let mut client = RecordingsClient::with_interceptor(channel, Bearing::of(&token));
                client.list(list()).await.unwrap();
                calls.fetch_add(1, Ordering::Relaxed);
            }
        });
    }
    for round in 0..100 {
        let (authority, good, bad) = match round % 2 {
            0 => (&second, &new, &old),
            _ => (&files.ca, &old, &new),
        };
        let signed = authority.sign("server", false);
        // One file is there before the other, and is read before it is whole.
        files.write(
            "server.crt",
            &signed.certificate[..signed.certificate.len() / 3],
        );
        served.signal(Signal::HUP);
        let refused = served.logged("the configuration is as it was").await;
        assert!(refused.contains("is the file whole"), "{refused}");
        files.write("server.crt", &signed.certificate);
        served.signal(Signal::HUP);
        let refused = served.logged("the configuration is as it was").await;
        assert!(refused.contains("does not fit"), "{refused}");
        served.over_tls(bad).await.unwrap();
        files.write("server.key", &signed.key);
        served.signal(Signal::HUP);
        served.logged("was read anew").await;
        served.over_tls(good).await.unwrap();
        served.over_tls(bad).await.unwrap_err();
    }
    ends.store(true, Ordering::Relaxed);
    while let Some(ended) = load.join_next().await {
        ended.unwrap();
    }
    assert!(calls.load(Ordering::Relaxed) >= 200, "{calls:?}");
    before.list(list()).await.unwrap();
}

#[tokio::test]
async fn a_client_certificate_stands_for_a_token() {
    let files = Files::new();
    let clients = Authority::new("the clients' authority");
    let ca = files.write("clients.crt", clients.pem());
    let config =
        format!("[listen.tls]\nclient_ca = {ca:?}\nclient_rights = [\"read\", \"debug\"]\n");
    let config = files.write("jhyded.toml", &config).display().to_string();
    let served = files.served(&["--config", &config]);

    let trust = files.showing(&clients.sign("build-7", false));
    let mut client = RecordingsClient::new(served.over_tls(&trust).await.unwrap());
    client.list(list()).await.unwrap();
    let refused = client.listen(ListenRequest::default()).await.unwrap_err();
    assert_eq!(reason(&refused), "RIGHT_MISSING");
    assert!(refused.message().contains("build-7"), "{refused}");

    // Who shows none needs a token; a token counts for more than a certificate.
    let bare = files.trusting(files.ca.pem());
    let channel = served.over_tls(&bare).await.unwrap();
    let refused = RecordingsClient::new(channel.clone()).list(list()).await;
    assert_eq!(reason(&refused.unwrap_err()), "NO_TOKEN");
    let token = served.token(&["create", "ci", "--rights", "record"]);
    for channel in [channel, served.over_tls(&trust).await.unwrap()] {
        let mut client = RecordingsClient::with_interceptor(channel, Bearing::of(&token));
        client.listen(ListenRequest::default()).await.unwrap();
        let refused = client.list(list()).await.unwrap_err();
        assert_eq!(reason(&refused), "RIGHT_MISSING");
    }

    // A stranger's and an old one do not shake hands; the client learns it at the first call or before.
    let stranger = Authority::new("a stranger");
    for (signed, words) in [
        (stranger.sign("build-7", false), "UnknownIssuer"),
        (clients.sign("build-7", true), "expired"),
    ] {
        let trust = files.showing(&signed);
        if let Ok(channel) = served.over_tls(&trust).await {
            let refused = RecordingsClient::new(channel).list(list()).await;
            assert_eq!(reason(&refused.unwrap_err()), "");
        }
        // Once or more: the transport tries again.
        let logged = served.logged(words).await;
        assert!(logged.contains("no TLS with it"), "{logged}");
    }

    // Their rights are taken back at a reload.
    fs::write(&config, "").unwrap();
    served.signal(Signal::HUP);
    served.logged("was read anew").await;
    let refused = client.list(list()).await.unwrap_err();
    assert_eq!(reason(&refused), "NO_TOKEN");
}

#[test]
fn other_addresses_are_not_served_without_tls() {
    let data = tempfile::tempdir().unwrap();
    let output = run(data.path(), &["serve", "--listen", "0.0.0.0:0"]);
    let errors = text(&output.stderr);
    assert!(!output.status.success(), "{errors}");
    for line in [
        "[listen]\n",
        "tcp = [\"0.0.0.0:0\"]\n",
        "tls.certificate = ",
        "tls.key = ",
    ] {
        assert!(errors.contains(line), "{errors}");
    }
}

#[tokio::test]
async fn tls_is_turned_on_by_a_restart() {
    let files = Files::new();
    let config = files.write("jhyded.toml", "").display().to_string();
    let served = Served::start(&["--listen", "127.0.0.1:0", "--config", &config]);
    let both = format!(
        "[listen.tls]\ncertificate = {:?}\nkey = {:?}\n",
        Path::new("server.crt"),
        Path::new("server.key")
    );
    // Relative to the file that names them.
    fs::write(&config, both).unwrap();
    served.signal(Signal::HUP);
    let warned = served.logged("need a restart").await;
    assert!(
        warned.contains("listen.tls.certificate") && warned.contains("listen.tls.key"),
        "{warned}"
    );
    let refused = RecordingsClient::new(served.over_tcp().await)
        .list(list())
        .await;
    assert_eq!(reason(&refused.unwrap_err()), "NO_TOKEN");
}
