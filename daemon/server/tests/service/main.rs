//! The service `Recordings` over a real channel on a unix socket, as far as it needs no JVM.

#[path = "../common/mod.rs"]
mod common;
mod sockets;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::time::{Duration, Instant};

use common::{TIMEOUT, TestDaemon, field, reason};
use jhyde_proto::v1::{
    AttachRequest, GetRecordingRequest, LaunchRequest, ListRecordingsRequest, ListenRequest,
    Recording, RecordingOptions, RecordingState, ReportExitRequest,
};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpListener;
use tonic::{Code, Status};
use tonic_types::StatusExt as _;

fn named(recording: &str) -> GetRecordingRequest {
    GetRecordingRequest {
        recording: recording.to_owned(),
    }
}

async fn list(daemon: &TestDaemon) -> Vec<Recording> {
    let list = daemon
        .recordings()
        .list(ListRecordingsRequest::default())
        .await
        .unwrap();
    list.into_inner().recordings
}

async fn attach(daemon: &TestDaemon, address: &str, level: &str) -> Status {
    let request = AttachRequest {
        address: address.to_owned(),
        name: "x".to_owned(),
        options: Some(RecordingOptions {
            level: level.to_owned(),
            ..RecordingOptions::default()
        }),
    };
    let began = Instant::now();
    let status = daemon.recordings().attach(request).await.unwrap_err();
    assert!(
        began.elapsed() < TIMEOUT + Duration::from_secs(3),
        "{status}: took too long"
    );
    assert!(list(daemon).await.is_empty(), "{status}: something is left");
    status
}

#[tokio::test]
async fn what_is_not_there_is_not_found() {
    let daemon = TestDaemon::start().await;
    let mut client = daemon.recordings();
    let report = ReportExitRequest {
        recording: "nobody".to_owned(),
        exit_code: 1,
    };
    for status in [
        client.get(named("nobody")).await.unwrap_err(),
        client.stop(named("nobody")).await.unwrap_err(),
        client.detach(named("nobody")).await.unwrap_err(),
        client.delete(named("nobody")).await.unwrap_err(),
        client.watch(named("nobody")).await.unwrap_err(),
        client.report_exit(report).await.unwrap_err(),
    ] {
        assert_eq!(status.code(), Code::NotFound, "{status}");
        assert_eq!(reason(&status), "NO_RECORDING");
        assert!(status.message().contains("nobody"), "{status}");
    }
    let status = client.get(named("")).await.unwrap_err();
    assert_eq!(
        (status.code(), field(&status).as_str()),
        (Code::InvalidArgument, "recording")
    );
}

#[tokio::test]
async fn attach_refuses_what_makes_no_sense() {
    let daemon = TestDaemon::start().await;
    for address in ["", "localhost", "localhost:0", "localhost:99999", ":5005"] {
        let status = attach(&daemon, address, "").await;
        assert_eq!(status.code(), Code::InvalidArgument, "{address}: {status}");
        assert_eq!(field(&status), "address");
    }
    let status = attach(&daemon, "192.0.2.1:5005", "").await;
    assert_eq!(status.code(), Code::PermissionDenied, "{status}");
    assert!(status.message().contains("attach.hosts"), "{status}");
    let status = attach(&daemon, "localhost:5005", "most").await;
    assert_eq!(
        (status.code(), field(&status).as_str()),
        (Code::InvalidArgument, "options.level")
    );
    assert!(status.message().contains("calls"), "{status}");
}

#[tokio::test]
async fn bad_patterns_and_limits_are_refused() {
    let daemon = TestDaemon::start().await;
    let attach = |options| AttachRequest {
        address: "localhost:5005".to_owned(),
        name: String::new(),
        options: Some(options),
    };
    let options = RecordingOptions {
        include: vec!["a b".to_owned()],
        ..Default::default()
    };
    let status = daemon
        .recordings()
        .attach(attach(options))
        .await
        .unwrap_err();
    assert_eq!(
        (status.code(), reason(&status).as_str()),
        (Code::InvalidArgument, "INVALID_PATTERN")
    );
    let options = RecordingOptions {
        string_limit: u32::MAX,
        ..Default::default()
    };
    let status = daemon
        .recordings()
        .attach(attach(options))
        .await
        .unwrap_err();
    assert_eq!(field(&status), "options.string_limit");
}

#[tokio::test]
async fn attach_tells_what_is_at_the_port() {
    let daemon = TestDaemon::start().await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let free = listener.local_addr().unwrap().to_string();
    drop(listener);
    let status = attach(&daemon, &free, "").await;
    assert_eq!(
        (status.code(), reason(&status).as_str()),
        (Code::Unavailable, "JVM_UNREACHABLE")
    );
    assert!(status.get_error_details().retry_info().is_some());

    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let says = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        stream
            .write_all(b"SSH-2.0-OpenSSH_9.2p1 Debian\r\n")
            .await
            .unwrap();
        stream
    });
    let status = attach(&daemon, &address, "").await;
    assert_eq!(
        (status.code(), reason(&status).as_str()),
        (Code::FailedPrecondition, "NOT_JDWP")
    );
    drop(says.await.unwrap());

    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let silent = tokio::spawn(async move { listener.accept().await.unwrap() });
    let status = attach(&daemon, &address, "").await;
    assert_eq!(
        (status.code(), reason(&status).as_str()),
        (Code::DeadlineExceeded, "JVM_TIMEOUT")
    );
    drop(silent.await.unwrap());
}

#[tokio::test]
async fn a_waiting_recording_is_seen_and_ended_without_a_trace() {
    let daemon = TestDaemon::start().await;
    let mut client = daemon.recordings();
    let request = ListenRequest {
        name: "w".to_owned(),
        options: Some(RecordingOptions {
            engine: "auto".to_owned(),
            ..RecordingOptions::default()
        }),
        ..ListenRequest::default()
    };
    let waiting = client.listen(request.clone()).await.unwrap().into_inner();
    assert_eq!(waiting.state(), RecordingState::Waiting);
    assert_ne!(waiting.listen_port, 0);
    // The JVM that comes decides.
    assert_eq!(waiting.options.as_ref().unwrap().engine, "auto");

    let status = client.listen(request).await.unwrap_err();
    assert_eq!(
        (status.code(), reason(&status).as_str()),
        (Code::AlreadyExists, "NAME_TAKEN")
    );
    let status = client.delete(named("w")).await.unwrap_err();
    assert_eq!(
        (status.code(), reason(&status).as_str()),
        (Code::FailedPrecondition, "RECORDING_LIVE")
    );
    let port = ListenRequest {
        port: waiting.listen_port,
        ..ListenRequest::default()
    };
    let status = client.listen(port).await.unwrap_err();
    assert_eq!(
        (status.code(), reason(&status).as_str()),
        (Code::FailedPrecondition, "PORT_UNUSABLE")
    );
    assert_eq!(list(&daemon).await.len(), 1);

    let mut watch = client.watch(named("w")).await.unwrap().into_inner();
    assert_eq!(
        watch.message().await.unwrap().unwrap().state(),
        RecordingState::Waiting
    );
    let gone = client.stop(named(&waiting.id)).await.unwrap().into_inner();
    assert_eq!(gone.state(), RecordingState::Failed);
    let mut last = None;
    while let Some(message) = watch.message().await.unwrap() {
        last = Some(message);
    }
    assert_eq!(last.unwrap().state(), RecordingState::Failed);
    assert!(list(&daemon).await.is_empty());
}

#[tokio::test]
async fn a_wait_ends_when_nobody_comes() {
    let daemon = TestDaemon::start().await;
    let request = ListenRequest {
        timeout_ms: 600,
        ..ListenRequest::default()
    };
    let waiting = daemon
        .recordings()
        .listen(request)
        .await
        .unwrap()
        .into_inner();
    assert!(waiting.name.starts_with("port-"), "{}", waiting.name);
    let watch = daemon.recordings().watch(named(&waiting.id)).await;
    let mut watch = watch.unwrap().into_inner();
    let mut last = None;
    while let Some(message) = watch.message().await.unwrap() {
        last = Some(message);
    }
    let last = last.unwrap();
    assert_eq!(last.state(), RecordingState::Failed);
    assert!(
        last.state_reason.contains("no JVM connected"),
        "{}",
        last.state_reason
    );
    assert!(list(&daemon).await.is_empty());
}

/// Whoever watches is told how it ended, however near the end it is when they begin.
#[tokio::test]
async fn a_watch_tells_the_end_of_a_wait_that_is_just_over() {
    let daemon = TestDaemon::start().await;
    let mut told = 0;
    for timeout_ms in (1..=60).map(|turn| 92 + turn % 12) {
        let request = ListenRequest {
            timeout_ms,
            ..ListenRequest::default()
        };
        let waiting = daemon.recordings().listen(request).await;
        let waiting = waiting.unwrap().into_inner();
        let mut watch = match daemon.recordings().watch(named(&waiting.id)).await {
            Ok(watch) => watch.into_inner(),
            Err(status) => {
                assert_eq!(status.code(), Code::NotFound, "{status}");
                continue;
            }
        };
        let mut last = None;
        while let Some(message) = watch.message().await.unwrap() {
            last = Some(message);
        }
        assert_eq!(last.unwrap().state(), RecordingState::Failed);
        told += 1;
    }
    assert!(told > 0, "every wait was over before it was watched");
}

#[tokio::test]
async fn lists_page_without_gaps() {
    let daemon = TestDaemon::start().await;
    let mut client = daemon.recordings();
    for _ in 0..5 {
        let command = vec!["java".to_owned(), "shop.Main".to_owned()];
        client
            .listen(ListenRequest {
                command,
                ..ListenRequest::default()
            })
            .await
            .unwrap();
    }
    let mut names = Vec::new();
    let mut request = ListRecordingsRequest {
        page_size: 2,
        page_token: String::new(),
    };
    loop {
        let page = client.list(request.clone()).await.unwrap().into_inner();
        assert!(page.recordings.len() <= 2);
        names.extend(page.recordings.into_iter().map(|recording| recording.name));
        request.page_token = page.next_page_token;
        if request.page_token.is_empty() {
            break;
        }
    }
    names.sort();
    assert_eq!(names, ["Main", "Main-2", "Main-3", "Main-4", "Main-5"]);
    for (page_size, token, wrong) in [
        (1001, "", "page_size"),
        (0, "of another list", "page_token"),
    ] {
        let request = ListRecordingsRequest {
            page_size,
            page_token: token.to_owned(),
        };
        let status = client.list(request).await.unwrap_err();
        assert_eq!(
            (status.code(), field(&status).as_str()),
            (Code::InvalidArgument, wrong)
        );
    }
    let status = client
        .listen(ListenRequest {
            port: 70_000,
            ..Default::default()
        })
        .await
        .unwrap_err();
    assert_eq!(
        (status.code(), field(&status).as_str()),
        (Code::InvalidArgument, "port")
    );
}

#[tokio::test]
async fn a_program_that_does_not_start_leaves_nothing() {
    let daemon = TestDaemon::start().await;
    // Called java, as far as anybody can tell from outside; it dies before any JVM connects.
    let dying = daemon.folder.path().join("java");
    fs::write(
        &dying,
        "#!/bin/sh\necho 'Unrecognized option' >&2\nexit 3\n",
    )
    .unwrap();
    fs::set_permissions(&dying, fs::Permissions::from_mode(0o755)).unwrap();
    let locked = daemon.folder.path().join("locked");
    fs::create_dir(&locked).unwrap();
    fs::write(locked.join("java"), "not executable").unwrap();
    let path = |path: std::path::PathBuf| path.to_string_lossy().into_owned();
    for (command, code, word) in [
        (vec![], Code::InvalidArgument, "NO_PROGRAM"),
        (vec!["gradle".to_owned()], Code::InvalidArgument, "NOT_JAVA"),
        (
            vec!["java".to_owned(), "-agentlib:jdwp=x".to_owned()],
            Code::InvalidArgument,
            "HAS_AGENT",
        ),
        (
            vec!["/none/java".to_owned()],
            Code::InvalidArgument,
            "PROGRAM_NOT_FOUND",
        ),
        (
            vec![path(locked.join("java"))],
            Code::FailedPrecondition,
            "PROGRAM_CANNOT_RUN",
        ),
        (
            vec![path(dying)],
            Code::FailedPrecondition,
            "PROGRAM_ENDED_EARLY",
        ),
    ] {
        let request = LaunchRequest {
            command: command.clone(),
            ..LaunchRequest::default()
        };
        let status = daemon.recordings().launch(request).await.unwrap_err();
        assert_eq!(
            (status.code(), reason(&status).as_str()),
            (code, word),
            "{command:?}: {status}"
        );
        if word == "PROGRAM_ENDED_EARLY" {
            assert!(status.message().contains("exit code 3"), "{status}");
            assert!(status.message().contains("Unrecognized option"), "{status}");
        }
        assert!(list(&daemon).await.is_empty(), "{command:?}");
    }
}
