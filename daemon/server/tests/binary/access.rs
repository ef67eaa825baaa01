//! Who may do what, asked of the binary `jhyded` from outside: tokens, rights, patterns of recordings, the unix socket.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::time::{Duration, Instant};

use crate::served::{PATIENCE, Served, reason, run, text};
use jhyde_proto::endpoint::socket_of;
use jhyde_proto::v1::recordings_client::RecordingsClient;
use jhyde_proto::v1::{
    AttachRequest, CreateSessionRequest, GetRecordingRequest, KeepRequest, ListRecordingsRequest,
    ListenRequest, Recording,
};
use jhyde_server::access::table::{METHODS, Needs};
use tonic::codec::CompressionEncoding;
use tonic::metadata::MetadataValue;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::Channel;
use tonic::{Code, Request, Status};
use tonic_prost::ProstCodec;

type Bearing = RecordingsClient<InterceptedService<Channel, crate::served::Bearing>>;

fn named(recording: &str) -> GetRecordingRequest {
    GetRecordingRequest {
        recording: recording.to_owned(),
    }
}

/// A recording that waits for its JVM.
fn waiting(name: &str) -> ListenRequest {
    ListenRequest {
        name: name.to_owned(),
        ..ListenRequest::default()
    }
}

/// A daemon at a port of loopback that has two recordings, `shop-1` and `bank-1`.
async fn shops() -> (Served, Recording, Recording) {
    let served = Served::start(&["--listen", "127.0.0.1:0"]);
    let mut owner = RecordingsClient::new(served.at_socket().await);
    let shop = owner.listen(waiting("shop-1")).await.unwrap().into_inner();
    let bank = owner.listen(waiting("bank-1")).await.unwrap().into_inner();
    (served, shop, bank)
}

fn refused<T: std::fmt::Debug>(answer: Result<T, Status>, code: Code, word: &str) {
    let status = answer.unwrap_err();
    assert_eq!(
        (status.code(), reason(&status).as_str()),
        (code, word),
        "{status}"
    );
    assert!(!status.message().is_empty());
}

/// Calls a method with an empty request, and says how that ended.
pub(crate) async fn call(channel: &Channel, path: &'static str, token: Option<&str>) -> Status {
    let mut client = tonic::client::Grpc::new(channel.clone());
    client.ready().await.unwrap();
    let mut request = Request::new(());
    if let Some(token) = token {
        let bearer = format!("Bearer {token}").parse().unwrap();
        request.metadata_mut().insert("authorization", bearer);
    }
    let path = http::uri::PathAndQuery::from_static(path);
    let codec = ProstCodec::<(), ()>::default();
    match client.unary(request, path, codec).await {
        Ok(_) => Status::ok(""),
        Err(status) => status,
    }
}

#[tokio::test]
async fn no_method_answers_without_a_token_but_health() {
    let served = Served::start(&["--listen", "127.0.0.1:0"]);
    let channel = served.over_tcp().await;
    let forged = format!("jhyde_{}", "0".repeat(64));
    for method in METHODS {
        let is_open = method.needs == Needs::Nothing;
        for (token, word) in [(None, "NO_TOKEN"), (Some(forged.as_str()), "TOKEN_UNKNOWN")] {
            if is_open && method.path.ends_with("Watch") {
                continue;
            }
            let status = call(&channel, method.path, token).await;
            let met = (status.code(), reason(&status));
            match is_open {
                true => assert_ne!(met.0, Code::Unauthenticated, "{}", method.path),
                false => assert_eq!(
                    met,
                    (Code::Unauthenticated, word.to_owned()),
                    "{}",
                    method.path
                ),
            }
        }
    }
    let unknown = call(&channel, "/jhyde.v1.Recordings/Nothing", None).await;
    assert_eq!(unknown.code(), Code::Unauthenticated);
}

#[tokio::test]
async fn a_token_has_its_rights_and_no_other() {
    let (served, ..) = shops().await;
    let rights = ["read", "debug", "record", "launch", "manage"];
    for right in rights {
        served.token(&["create", right, "--rights", right]);
    }
    let all = served.token(&["create", "all", "--rights", &rights.join(",")]);
    let channel = served.over_tcp().await;
    for method in METHODS {
        if matches!(method.needs, Needs::Nothing) || method.path.contains("Reflection") {
            continue;
        }
        for right in rights {
            // Who may end the daemon does: `stopping`.
            let ends = method.path == "/jhyde.v1.Daemon/Stop";
            if ends && right == "manage" {
                continue;
            }
            let token = served.known(right);
            let status = call(&channel, method.path, Some(&token)).await;
            let denied = (status.code(), reason(&status).as_str())
                == (Code::PermissionDenied, "RIGHT_MISSING");
            match method.needs {
                Needs::The(needed) => {
                    assert_eq!(
                        denied,
                        needed.word() != right,
                        "{} {right}: {status}",
                        method.path
                    );
                }
                _ => assert_eq!(reason(&status), "OVER_TCP", "{}", method.path),
            }
        }
        if method.path == "/jhyde.v1.Daemon/Stop" {
            continue;
        }
        let status = call(&channel, method.path, Some(&all)).await;
        assert_ne!(reason(&status), "RIGHT_MISSING", "{}", method.path);
    }
    let unknown = call(&channel, "/jhyde.v1.Recordings/Nothing", Some(&all)).await;
    assert_eq!(unknown.code(), Code::Unimplemented);
}

#[tokio::test]
async fn a_token_is_for_some_recordings() {
    let (served, shop, bank) = shops().await;
    let token = served.token(&[
        "create",
        "shops",
        "--rights",
        "read,debug,record,manage",
        "--recordings",
        "shop-*",
    ]);
    let mut client: Bearing = served.bearing(&token).await;
    let denied = (Code::PermissionDenied, "OTHER_RECORDING");
    for mine in ["shop-1", shop.id.as_str()] {
        let got = client.get(named(mine)).await.unwrap().into_inner();
        assert_eq!(got.id, shop.id);
    }
    for other in ["bank-1", bank.id.as_str(), "none", ""] {
        refused(client.get(named(other)).await, denied.0, denied.1);
    }
    refused(client.delete(named("bank-1")).await, denied.0, denied.1);
    refused(client.stop(named("bank-1")).await, denied.0, denied.1);
    refused(client.watch(named("bank-1")).await, denied.0, denied.1);
    refused(client.export(named("bank-1")).await, denied.0, denied.1);
    refused(
        client.keep(KeepRequest::default()).await,
        denied.0,
        denied.1,
    );
    // There is none, which it may know.
    let none = client.get(named("shop-9")).await.unwrap_err();
    assert_eq!(none.code(), Code::NotFound, "{none}");
    let listed = client.list(ListRecordingsRequest::default()).await.unwrap();
    let names: Vec<_> = listed
        .into_inner()
        .recordings
        .into_iter()
        .map(|it| it.name)
        .collect();
    assert_eq!(names, ["shop-1"]);

    // What it makes must be its own.
    for name in ["", "bank-2"] {
        refused(client.listen(waiting(name)).await, denied.0, denied.1);
    }
    let attach = AttachRequest {
        address: "127.0.0.1:1".to_owned(),
        name: "bank-2".to_owned(),
        options: None,
    };
    refused(client.attach(attach).await, denied.0, denied.1);
    client.listen(waiting("shop-2")).await.unwrap();

    // Nor does it get at others by the side door.
    let mut debugging = served.debugging(&token).await;
    let session = |recording: &str, against: &str, passing: &[&str]| CreateSessionRequest {
        recording: recording.to_owned(),
        against: against.to_owned(),
        evidence: Some(jhyde_proto::v1::Evidence {
            passing: passing.iter().map(|name| (*name).to_owned()).collect(),
            ..Default::default()
        }),
        ..CreateSessionRequest::default()
    };
    for other in [
        session("bank-1", "", &[]),
        session("shop-1", "bank-1", &[]),
        session("shop-1", "", &["shop-2", "bank-1"]),
    ] {
        refused(debugging.create_session(other).await, denied.0, denied.1);
    }
    let mine = debugging
        .create_session(session("shop-1", "", &["shop-2"]))
        .await;
    assert_ne!(
        mine.map_err(|it| reason(&it)).err().as_deref(),
        Some("OTHER_RECORDING")
    );
    // What cannot be looked into is not handed on.
    let mut client = client.send_compressed(CompressionEncoding::Gzip);
    let status = client.get(named("bank-1")).await.unwrap_err();
    assert!(
        matches!(status.code(), Code::InvalidArgument | Code::Unimplemented),
        "{status}"
    );
}

#[tokio::test]
async fn what_a_revoked_or_expired_token_has_under_way_ends_within_a_second() {
    let (served, shop, _) = shops().await;
    let gone = served.token(&["create", "gone", "--rights", "read"]);
    let brief = served.token(&["create", "brief", "--rights", "read", "--expires", "10s"]);
    let mut streams = Vec::new();
    for token in [&gone, &brief] {
        let mut client = served.bearing(token).await;
        let mut stream = client.watch(named(&shop.id)).await.unwrap().into_inner();
        stream.message().await.unwrap().unwrap();
        streams.push((client, stream));
    }
    let (mut brief_client, mut brief_stream) = streams.pop().unwrap();
    let (mut client, mut stream) = streams.pop().unwrap();
    served.token(&["revoke", "gone"]);
    let revoked = Instant::now();
    let status = loop {
        match stream.message().await {
            Ok(Some(_)) => {}
            Ok(None) => panic!("it ended well"),
            Err(status) => break status,
        }
    };
    let took = revoked.elapsed();
    assert_eq!(
        (status.code(), reason(&status).as_str()),
        (Code::Unauthenticated, "TOKEN_REVOKED")
    );
    assert!(took < Duration::from_secs(1), "{took:?}");
    refused(
        client.get(named(&shop.id)).await,
        Code::Unauthenticated,
        "TOKEN_REVOKED",
    );

    let began = Instant::now();
    let status = loop {
        match brief_stream.message().await {
            Ok(Some(_)) => assert!(began.elapsed() < PATIENCE),
            Ok(None) => panic!("it ended well"),
            Err(status) => break status,
        }
    };
    assert_eq!(reason(&status), "TOKEN_EXPIRED", "{status}");
    refused(
        brief_client.get(named(&shop.id)).await,
        Code::Unauthenticated,
        "TOKEN_EXPIRED",
    );
    // The others go on.
    let listed = text(&run(served.data(), &["token", "list"]).stdout);
    assert!(
        listed.contains("revoked") && listed.contains("expired"),
        "{listed}"
    );
}

#[tokio::test]
async fn any_user_of_the_machine_comes_in_where_that_is_said() {
    let served = Served::start(&["--listen", "127.0.0.1:0", "--insecure-loopback"]);
    let mut client = RecordingsClient::new(served.over_tcp().await);
    client.list(ListRecordingsRequest::default()).await.unwrap();
    let refusal = client.listen(waiting("x")).await;
    refused(refusal, Code::PermissionDenied, "RIGHT_MISSING");
    let wrong = MetadataValue::from_static("Bearer jhyde_0");
    let mut request = Request::new(ListRecordingsRequest::default());
    request.metadata_mut().insert("authorization", wrong);
    refused(
        client.list(request).await,
        Code::Unauthenticated,
        "TOKEN_UNKNOWN",
    );

    let served = Served::start(&["--listen", "127.0.0.1:0", "--insecure-loopback=read,record"]);
    let mut client = RecordingsClient::new(served.over_tcp().await);
    client.listen(waiting("x")).await.unwrap();
}

#[tokio::test]
async fn the_unix_socket_is_its_owners_and_a_groups() {
    let served = Served::start(&[]);
    let socket = socket_of(served.data());
    assert_eq!(
        fs::metadata(&socket).unwrap().permissions().mode() & 0o777,
        0o600
    );
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("in.sock");
    // One that every user may give files to: its own.
    let group = rustix::process::getgid().as_raw().to_string();
    let served = Served::start_with(&[
        ("JHYDED_LISTEN_UNIX_PATH", path.to_str().unwrap()),
        ("JHYDED_LISTEN_UNIX_GROUP", &group),
    ]);
    let found = fs::metadata(&path).unwrap();
    assert_eq!(found.permissions().mode() & 0o777, 0o660);
    assert_eq!(found.gid().to_string(), group);
    assert!(!socket_of(served.data()).exists());
    drop(served);
    assert!(!path.exists());
}

#[test]
fn tokens_that_others_can_read_are_refused_and_the_daemon_does_not_start() {
    let data = tempfile::tempdir().unwrap();
    let made = run(data.path(), &["token", "create", "a", "--rights", "read"]);
    assert_eq!(made.status.code(), Some(0), "{}", text(&made.stderr));
    let token = text(&made.stdout);
    assert_eq!(token.trim().len(), "jhyde_".len() + 64, "{token}");
    assert!(!text(&made.stderr).contains(token.trim()));
    let listed = text(&run(data.path(), &["token", "list", "--json"]).stdout);
    assert!(
        listed.contains(r#""rights":["read"]"#) && !listed.contains(token.trim()),
        "{listed}"
    );
    for (arguments, code, words) in [
        (
            &["token", "create", "a", "--rights", "read"][..],
            2,
            "revoke",
        ),
        (
            &["token", "create", "b", "--rights", "write"],
            2,
            "no right",
        ),
        (
            &["token", "create", "b", "--rights", ""],
            2,
            "--rights read",
        ),
        (&["token", "create", "b"], 2, "--rights"),
        (
            &[
                "token",
                "create",
                "b",
                "--rights",
                "read",
                "--recordings",
                "***",
            ],
            2,
            "shop-*",
        ),
        (
            &[
                "token",
                "create",
                "b",
                "--rights",
                "read",
                "--expires",
                "0s",
            ],
            2,
            "90d",
        ),
        (&["token", "revoke", "b"], 2, "token list"),
    ] {
        let output = run(data.path(), arguments);
        let stderr = text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {stderr}");
        assert!(
            stderr.contains(words) && output.stdout.is_empty(),
            "{arguments:?}: {stderr}"
        );
    }
    let file = data.path().join("tokens.json");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    for arguments in [
        &["token", "list"][..],
        &["serve", "--listen", "127.0.0.1:0"],
    ] {
        let output = run(data.path(), arguments);
        let stderr = text(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{arguments:?}: {stderr}");
        assert!(stderr.contains("chmod 600"), "{stderr}");
    }
}
