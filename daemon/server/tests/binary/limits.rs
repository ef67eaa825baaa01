//! How much a client may have of the daemon, asked of the binary from outside.

use std::time::Duration;

use crate::authority::{Authority, written};
use crate::served::{PATIENCE, Served, reason};
use jhyde_proto::v1::recordings_client::RecordingsClient;
use jhyde_proto::v1::{GetRecordingRequest, ListRecordingsRequest, ListenRequest};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};
use tonic::{Code, Status};
use tonic_types::StatusExt as _;

const TCP: [&str; 2] = ["--listen", "127.0.0.1:0"];

fn limited(limits: &[(&str, &str)]) -> Served {
    Served::begin(tempfile::tempdir().unwrap(), &TCP, limits)
}

fn too_much(status: &Status, word: &str, setting: &str) {
    assert_eq!(
        (status.code(), reason(status).as_str()),
        (Code::ResourceExhausted, word),
        "{status}"
    );
    assert!(status.message().contains(setting), "{status}");
    let details = status.get_error_details();
    assert!(
        details
            .retry_info()
            .is_some_and(|info| info.retry_delay.is_some())
    );
}

fn list() -> ListRecordingsRequest {
    ListRecordingsRequest::default()
}

#[tokio::test]
async fn a_client_has_so_many_calls_at_once_and_the_others_theirs() {
    let served = limited(&[
        ("JHYDED_LIMITS_CLIENT_CALLS", "2"),
        ("JHYDED_LIMITS_CALLS", "4"),
    ]);
    let mut owner = RecordingsClient::new(served.at_socket().await);
    let waiting = ListenRequest {
        name: "r".to_owned(),
        ..ListenRequest::default()
    };
    owner.listen(waiting).await.unwrap();
    let watch = || GetRecordingRequest {
        recording: "r".to_owned(),
    };
    let tokens = ["ci", "ops"].map(|name| served.token(&["create", name, "--rights", "read"]));
    let mut ci = served.bearing(&tokens[0]).await;
    let mut ops = served.bearing(&tokens[1]).await;
    // Each goes on for as long as the recording does.
    let first = ci.watch(watch()).await.unwrap();
    let second = ci.watch(watch()).await.unwrap();
    let refused = ci.list(list()).await.unwrap_err();
    too_much(&refused, "TOO_MANY_CALLS", "limits.client_calls");
    ops.list(list()).await.unwrap();
    // Its own user has as many as all together may have.
    let third = owner.watch(watch()).await.unwrap();
    let fourth = owner.watch(watch()).await.unwrap();
    let refused = owner.list(list()).await.unwrap_err();
    too_much(&refused, "TOO_MANY_CALLS", "limits.calls");
    drop((first, second, third, fourth));
    let until = Instant::now() + PATIENCE;
    while let Err(status) = ci.list(list()).await {
        assert_eq!(status.code(), Code::ResourceExhausted, "{status}");
        assert!(Instant::now() < until, "{status}");
        sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn a_client_that_calls_too_fast_is_told_to_wait_and_then_served() {
    let served = limited(&[("JHYDED_LIMITS_CLIENT_RATE", "10")]);
    let token = served.token(&["create", "ci", "--rights", "read"]);
    let mut client = served.bearing(&token).await;
    let until = Instant::now() + PATIENCE;
    let refused = loop {
        let mut calls = JoinSet::new();
        for _ in 0..50 {
            let mut client = client.clone();
            calls.spawn(async move { client.list(list()).await.err() });
        }
        if let Some(status) = calls.join_all().await.into_iter().flatten().next() {
            break status;
        }
        assert!(Instant::now() < until, "it is never too fast");
    };
    too_much(&refused, "CALLS_TOO_FAST", "limits.client_rate");
    // The owner is not that client.
    let mut owner = RecordingsClient::new(served.at_socket().await);
    for _ in 0..30 {
        owner.list(list()).await.unwrap();
    }
    sleep(Duration::from_secs(1)).await;
    client.list(list()).await.unwrap();
}

/// Does somebody close this connection, to which nothing is said? One that is served says something (HTTP/2) first, or waits.
async fn is_closed(stream: &mut TcpStream) -> bool {
    let mut bytes = [0; 100];
    match timeout(Duration::from_secs(1), stream.read(&mut bytes)).await {
        Ok(Ok(0) | Err(_)) => true,
        Ok(Ok(_)) | Err(_) => false,
    }
}

#[tokio::test]
async fn a_connection_too_many_is_closed_and_its_place_is_given_again() {
    let files = tempfile::tempdir().unwrap();
    let signed = Authority::new("ours").sign("server", false);
    let write = |name: &str, text: &str| written(files.path(), name, text).display().to_string();
    let certificate = write("server.crt", &signed.certificate);
    let key = write("server.key", &signed.key);
    let limit = ("JHYDED_LIMITS_CLIENT_CONNECTIONS", "2");
    let over_tls = [
        limit,
        ("JHYDED_LISTEN_TLS_CERTIFICATE", certificate.as_str()),
        ("JHYDED_LISTEN_TLS_KEY", key.as_str()),
    ];
    for settings in [&[limit][..], &over_tls] {
        let served = limited(settings);
        let address = served.tcp().trim_start_matches("https://");
        let mut places = Vec::new();
        for _ in 0..2 {
            let mut stream = TcpStream::connect(address).await.unwrap();
            assert!(!is_closed(&mut stream).await);
            places.push(stream);
        }
        let mut third = TcpStream::connect(address).await.unwrap();
        assert!(is_closed(&mut third).await);
        served.logged("limits.client_connections").await;
        // The owner has a socket of its own.
        let mut owner = RecordingsClient::new(served.at_socket().await);
        owner.list(list()).await.unwrap();
        drop(places);
        let until = Instant::now() + PATIENCE;
        loop {
            let mut stream = TcpStream::connect(address).await.unwrap();
            if !is_closed(&mut stream).await {
                break;
            }
            assert!(Instant::now() < until, "no place gets free");
        }
    }
}

#[tokio::test]
async fn headers_that_never_end_are_waited_for_ten_seconds_and_those_who_have_asked_stay() {
    let served = limited(&[]);
    let mut owner = RecordingsClient::new(served.at_socket().await);
    let waiting = ListenRequest {
        name: "r".to_owned(),
        ..ListenRequest::default()
    };
    owner.listen(waiting).await.unwrap();
    let watch = GetRecordingRequest {
        recording: "r".to_owned(),
    };
    let token = served.token(&["create", "ci", "--rights", "read"]);
    let mut ci = served.bearing(&token).await;
    let mut watched = ci.watch(watch.clone()).await.unwrap().into_inner();
    watched.message().await.unwrap().unwrap();

    let began = Instant::now();
    let mut never = TcpStream::connect(served.tcp()).await.unwrap();
    // RFC 9113: the preface, empty SETTINGS, and HEADERS of stream 1 without END_HEADERS.
    never
        .write_all(
            b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0\0\0\x01\x01\0\0\0\0\x01\x82",
        )
        .await
        .unwrap();
    let mut silent = TcpStream::connect(served.tcp()).await.unwrap();
    for stream in [&mut never, &mut silent] {
        let mut all = Vec::new();
        // Closed one way or the other.
        let _ = timeout(PATIENCE, stream.read_to_end(&mut all))
            .await
            .unwrap();
        assert!(
            began.elapsed() > Duration::from_secs(9),
            "{:?}",
            began.elapsed()
        );
    }
    // The same connection still tells of its recording.
    owner.stop(watch).await.unwrap();
    let mut last = None;
    while let Some(told) = timeout(PATIENCE, watched.message()).await.unwrap().unwrap() {
        last = Some(told);
    }
    assert!(last.is_some_and(|told| told.ended_ms.is_some()));
}

#[test]
fn nothing_at_all_is_no_limit() {
    let data = tempfile::tempdir().unwrap();
    let output = crate::served::jhyded(data.path())
        .env("JHYDED_LIMITS_CALLS", "0")
        .arg("serve")
        .output()
        .unwrap();
    let said = crate::served::text(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("limits.calls"), "{said}");
}
