//! The audit: who did what, as the file says it.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::Instant;

use crate::served::{PATIENCE, Served};
use jhyde_proto::v1::queries_client::QueriesClient;
use jhyde_proto::v1::recordings_client::RecordingsClient;
use jhyde_proto::v1::{
    GetRecordingRequest, ListRecordingsRequest, ListenRequest, Recording, SqlRequest,
};
use rustix::process::Signal;
use serde_json::{Value, json};

/// Waits until the file has so many lines, and reads them: who, method, recordings, outcome and reason.
async fn lines(path: &Path, count: usize) -> Vec<Value> {
    let until = Instant::now() + PATIENCE;
    loop {
        let text = fs::read_to_string(path).unwrap_or_default();
        if text.lines().count() >= count && text.ends_with('\n') {
            let read = text.lines().map(|line| serde_json::from_str(line).unwrap());
            let read: Vec<Value> = read.collect();
            assert_eq!(read.len(), count, "{text}");
            return read;
        }
        assert!(Instant::now() < until, "{count} lines: {text}");
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
}

/// A line without its time.
fn told(line: &Value) -> Value {
    let mut line = line.clone();
    let time = line.as_object_mut().unwrap().remove("time").unwrap();
    let time = time.as_str().unwrap();
    assert!(time.starts_with("20") && time.ends_with('Z'), "{time}");
    line
}

fn named(recording: &str) -> GetRecordingRequest {
    GetRecordingRequest {
        recording: recording.to_owned(),
    }
}

#[tokio::test]
async fn each_call_that_changes_or_reads_has_a_line_with_who_and_how_it_ended() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    let served = Served::begin(
        tempfile::tempdir().unwrap(),
        &["--listen", "127.0.0.1:0"],
        &[("JHYDED_AUDIT_FILE", path.to_str().unwrap())],
    );
    let uid = rustix::process::getuid().as_raw();
    let mut owner = RecordingsClient::new(served.at_socket().await);
    let listen = |name: &str| ListenRequest {
        name: name.to_owned(),
        ..ListenRequest::default()
    };
    let made: Recording = owner.listen(listen("shop-1")).await.unwrap().into_inner();
    owner.list(ListRecordingsRequest::default()).await.unwrap();
    let shops = served.token(&[
        "create",
        "shops",
        "--rights",
        "read,record",
        "--recordings",
        "shop-*",
    ]);
    let mut bearer = served.bearing(&shops).await;
    bearer.listen(listen("bank-1")).await.unwrap_err();
    bearer.delete(named(&made.id)).await.unwrap_err();
    // Whom nobody knows has done nothing.
    let mut nobody = RecordingsClient::new(served.over_tcp().await);
    nobody.delete(named("shop-1")).await.unwrap_err();
    let mut queries = QueriesClient::new(served.at_socket().await);
    let sql = SqlRequest {
        recording: made.id.clone(),
        statement: "select 1".to_owned(),
        ..SqlRequest::default()
    };
    let mut rows = queries.sql(sql).await.unwrap().into_inner();
    while rows.message().await.unwrap().is_some() {}

    let all = lines(&path, 5).await;
    let recordings = "jhyde.v1.Recordings";
    let expected = [
        json!({"who": {"uid": uid}, "method": format!("{recordings}/Listen"), "recordings": ["shop-1"], "outcome": "OK"}),
        json!({"who": {"token": "shops"}, "method": format!("{recordings}/Listen"), "recordings": ["bank-1"],
               "outcome": "PERMISSION_DENIED", "reason": "OTHER_RECORDING"}),
        json!({"who": {"token": "shops"}, "method": format!("{recordings}/Delete"),
               "outcome": "PERMISSION_DENIED", "reason": "RIGHT_MISSING"}),
        json!({"who": {"uid": uid}, "method": "jhyde.v1.Queries/Sql", "recordings": ["shop-1"], "outcome": "BEGUN"}),
        json!({"who": {"uid": uid}, "method": "jhyde.v1.Queries/Sql", "recordings": ["shop-1"], "outcome": "OK"}),
    ];
    let all: Vec<_> = all.iter().map(told).collect();
    assert_eq!(all, expected);
    let mode = fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);

    // Moved away, as logrotate does.
    let moved = folder.path().join("audit.jsonl.1");
    fs::rename(&path, &moved).unwrap();
    served.signal(Signal::HUP);
    served.logged("was read anew").await;
    owner.stop(named("shop-1")).await.unwrap();
    let line = told(&lines(&path, 1).await[0]);
    assert_eq!(line["method"], format!("{recordings}/Stop"));
    assert_eq!(lines(&moved, 5).await.len(), 5);
}

#[tokio::test]
async fn a_file_that_cannot_be_written_is_complained_of_once_and_stops_nothing() {
    for nowhere in ["/dev/full", "/none/audit.jsonl"] {
        let served = Served::start_with(&[("JHYDED_AUDIT_FILE", nowhere)]);
        let mut owner = RecordingsClient::new(served.at_socket().await);
        let mut made = Vec::new();
        for name in ["a", "b", "c"] {
            let listen = ListenRequest {
                name: name.to_owned(),
                ..ListenRequest::default()
            };
            made.push(owner.listen(listen).await.unwrap());
        }
        served.logged("the audit cannot be written").await;
        owner.stop(named("a")).await.unwrap();
        served.signal(Signal::TERM);
        served.logged("stopping").await;
        assert!(
            !served.has_logged("the audit cannot be written"),
            "{nowhere}"
        );
    }
}
