//! Where the service is served, and to whom: the unix socket, TCP, health and reflection, and what is told of what a client sent.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use crate::common::{TestDaemon, access, defaults, reason};
use jhyde_proto::endpoint::{Address, connect, socket_of};
use jhyde_proto::v1::debugging_client::DebuggingClient;
use jhyde_proto::v1::history_client::HistoryClient;
use jhyde_proto::v1::recordings_client::RecordingsClient;
use jhyde_proto::v1::{
    AttachRequest, CreateSessionRequest, GetCallRequest, KeepRequest, LaunchRequest,
    ListEventsRequest, ListRecordingsRequest, ListWritesRequest, ListenRequest, RecordingOptions,
};
use jhyde_server::config::settings::Listen;
use jhyde_server::serve::{ServeError, bind, serve};
use jhyde_server::services;
use tonic::Code;
use tonic::transport::Channel;

use super::{list, named};

#[tokio::test]
async fn the_socket_is_the_owners_alone_and_goes_with_the_daemon() {
    let daemon = TestDaemon::start().await;
    let socket = socket_of(daemon.folder.path());
    assert_eq!(
        fs::metadata(&socket).unwrap().permissions().mode() & 0o777,
        0o600
    );
    let mut client = daemon.recordings();
    client.listen(ListenRequest::default()).await.unwrap();
    let mut watch = client.watch(named("port")).await;
    if let Ok(watch) = &mut watch {
        assert!(watch.get_mut().message().await.unwrap().is_some());
    }
    assert_eq!(daemon.daemon.stop(Duration::from_secs(5)).await, 0);
    let status = client.listen(ListenRequest::default()).await.unwrap_err();
    assert_eq!(
        (status.code(), reason(&status).as_str()),
        (Code::Unavailable, "DAEMON_STOPPING")
    );
    drop((client, daemon.channel));
    assert!(daemon.serving.finish(Duration::from_secs(5)).await);
    assert!(!socket.exists());
}

#[tokio::test]
async fn a_socket_left_by_a_dead_daemon_is_taken_over_and_other_files_are_not() {
    let folder = tempfile::tempdir().unwrap();
    let listen = Listen {
        unix: true,
        tcp: Vec::new(),
        ..defaults().listen
    };
    let first = bind(&listen, folder.path()).await.unwrap();
    drop(first);
    assert!(socket_of(folder.path()).exists());
    drop(bind(&listen, folder.path()).await.unwrap());
    fs::remove_file(socket_of(folder.path())).unwrap();
    fs::write(socket_of(folder.path()), "precious").unwrap();
    let error = bind(&listen, folder.path()).await.unwrap_err();
    assert!(matches!(error, ServeError::Bind { .. }), "{error}");
    assert_eq!(
        fs::read_to_string(socket_of(folder.path())).unwrap(),
        "precious"
    );
}

#[tokio::test]
async fn only_loopback_is_served_in_plain_text() {
    let folder = tempfile::tempdir().unwrap();
    let of = |address: &str| Listen {
        unix: false,
        tcp: vec![address.to_owned()],
        ..defaults().listen
    };
    for address in ["0.0.0.0:0", "[::]:0", "192.0.2.1:7707"] {
        let error = bind(&of(address), folder.path()).await.unwrap_err();
        assert!(
            matches!(error, ServeError::NeedsTls { .. }),
            "{address}: {error}"
        );
        let told = error.to_string();
        for line in ["[listen]", "tls.certificate = ", "tls.key = ", "loopback"] {
            assert!(told.contains(line), "{told}");
        }
    }
    for address in ["localhost", "nowhere.invalid:1", "127.0.0.1:x"] {
        let error = bind(&of(address), folder.path()).await.unwrap_err();
        assert!(
            matches!(error, ServeError::Address { .. }),
            "{address}: {error}"
        );
    }
    let nothing = Listen {
        unix: false,
        tcp: Vec::new(),
        ..defaults().listen
    };
    assert!(matches!(
        bind(&nothing, folder.path()).await,
        Err(ServeError::Nothing)
    ));
    let bound = bind(&of("127.0.0.1:0"), folder.path()).await.unwrap();
    assert!(
        !bound.addresses()[0].ends_with(":0"),
        "{:?}",
        bound.addresses()
    );
}

#[tokio::test]
async fn health_and_reflection_answer() {
    use tonic_health::pb::HealthCheckRequest;
    use tonic_health::pb::health_check_response::ServingStatus;
    use tonic_health::pb::health_client::HealthClient;
    let daemon = TestDaemon::start().await;
    let mut health = HealthClient::new(daemon.channel.clone());
    for service in ["", "jhyde.v1.Recordings"] {
        let request = HealthCheckRequest {
            service: service.to_owned(),
        };
        let answer = health.check(request).await.unwrap().into_inner();
        assert_eq!(answer.status(), ServingStatus::Serving, "{service}");
    }
    for names in [
        services_by_v1(&daemon).await,
        services_by_v1alpha(&daemon).await,
    ] {
        for service in [
            "jhyde.v1.Recordings",
            "jhyde.v1.History",
            "jhyde.v1.Debugging",
            "jhyde.v1.Queries",
            "jhyde.v1.Daemon",
        ] {
            assert!(names.iter().any(|name| name == service), "{names:?}");
        }
    }
}

/// The two versions of reflection have the same messages, as types of their own: a client of one, and the names of all
/// services as it gets them.
macro_rules! services_by {
    ($name:ident, $version:ident) => {
        async fn $name(daemon: &TestDaemon) -> Vec<String> {
            use tonic_reflection::pb::$version::ServerReflectionRequest;
            use tonic_reflection::pb::$version::server_reflection_client::ServerReflectionClient;
            use tonic_reflection::pb::$version::server_reflection_request::MessageRequest;
            use tonic_reflection::pb::$version::server_reflection_response::MessageResponse;

            let mut reflection = ServerReflectionClient::new(daemon.channel.clone());
            let request = ServerReflectionRequest {
                host: String::new(),
                message_request: Some(MessageRequest::ListServices(String::new())),
            };
            let answers = reflection
                .server_reflection_info(tokio_stream::once(request))
                .await;
            let mut answers = answers.unwrap().into_inner();
            let answer = answers.message().await.unwrap().unwrap();
            let Some(MessageResponse::ListServicesResponse(services)) = answer.message_response
            else {
                panic!("{answer:?}")
            };
            let names = services.service.into_iter().map(|service| service.name);
            names.collect()
        }
    };
}

services_by!(services_by_v1, v1);
services_by!(services_by_v1alpha, v1alpha);

/// A daemon at a port of loopback, where whoever comes has these rights.
async fn over_tcp(rights: &str) -> (TestDaemon, Channel) {
    let daemon = TestDaemon::start().await;
    let listen = Listen {
        unix: false,
        tcp: vec!["127.0.0.1:0".to_owned()],
        insecure_loopback: rights.parse().unwrap(),
        ..defaults().listen
    };
    let bound = bind(&listen, daemon.folder.path()).await.unwrap();
    let address = Address::Tcp(bound.addresses()[0].clone());
    let routes = services::over(&daemon.daemon).await.unwrap();
    // Serves until the test's runtime ends.
    std::mem::forget(serve(bound, &routes, access(&daemon.daemon, &listen)));
    let channel = connect(&address, Duration::from_secs(5)).await.unwrap();
    (daemon, channel)
}

#[tokio::test]
async fn nobody_records_over_tcp_unless_the_configuration_says_so() {
    let launch = LaunchRequest {
        command: vec!["/bin/sh".to_owned()],
        ..LaunchRequest::default()
    };
    let attach = AttachRequest {
        address: "127.0.0.1:1".to_owned(),
        ..AttachRequest::default()
    };
    for (rights, code, word) in [
        ("", Code::Unauthenticated, "NO_TOKEN"),
        ("read,debug", Code::PermissionDenied, "RIGHT_MISSING"),
    ] {
        let (daemon, channel) = over_tcp(rights).await;
        let mut client = RecordingsClient::new(channel);
        for status in [
            client.launch(launch.clone()).await.unwrap_err(),
            client.attach(attach.clone()).await.unwrap_err(),
            client.listen(ListenRequest::default()).await.unwrap_err(),
        ] {
            assert_eq!(status.code(), code, "{status}");
            assert_eq!(reason(&status), word);
        }
        assert!(list(&daemon).await.is_empty());
        // To ask is allowed where it is.
        let asked = client.list(ListRecordingsRequest::default()).await;
        assert_eq!(asked.is_ok(), !rights.is_empty());
    }

    let (_daemon, channel) = over_tcp("record").await;
    let mut client = RecordingsClient::new(channel);
    // Files of the daemon's user are no business of who comes over TCP.
    let with_source = AttachRequest {
        options: Some(RecordingOptions {
            source: vec!["/etc".to_owned()],
            ..RecordingOptions::default()
        }),
        ..attach.clone()
    };
    let status = client.attach(with_source).await.unwrap_err();
    assert_eq!(reason(&status), "SOURCE_OVER_TCP", "{status}");
    let status = client.attach(attach).await.unwrap_err();
    assert_eq!(reason(&status), "JVM_UNREACHABLE", "{status}");
    client.listen(ListenRequest::default()).await.unwrap();
}

#[tokio::test]
async fn what_a_client_sends_is_not_sent_back_at_length() {
    let daemon = TestDaemon::start().await;
    let known = daemon
        .daemon
        .listen(Default::default())
        .unwrap()
        .name
        .clone();
    let mut client = daemon.recordings();
    let mut history = HistoryClient::new(daemon.channel.clone());
    let mut debugging = DebuggingClient::new(daemon.channel.clone());
    let long = "x".repeat(5000);
    let options = |level: &str, engine: &str, include: &str| {
        Some(RecordingOptions {
            level: level.to_owned(),
            engine: engine.to_owned(),
            include: vec![include.to_owned()],
            ..RecordingOptions::default()
        })
    };
    let attach = |address: &str, options| AttachRequest {
        address: address.to_owned(),
        name: String::new(),
        options,
    };
    let listen = |name: &str, options| ListenRequest {
        name: name.to_owned(),
        options,
        ..ListenRequest::default()
    };
    let launch = |command: &str, directory: &str| LaunchRequest {
        command: vec![command.to_owned()],
        directory: directory.to_owned(),
        ..LaunchRequest::default()
    };
    let tokens = ListRecordingsRequest {
        page_token: long.clone(),
        ..ListRecordingsRequest::default()
    };
    let call = |recording: &str, call: &str| GetCallRequest {
        recording: recording.to_owned(),
        call: call.to_owned(),
        ..GetCallRequest::default()
    };
    let method = format!("{long}#0");
    let events = |inside: &str, mark: &str, page_token: &str| ListEventsRequest {
        recording: known.clone(),
        call: "1.1".to_owned(),
        inside: inside.to_owned(),
        mark: mark.to_owned(),
        page_token: page_token.to_owned(),
        ..ListEventsRequest::default()
    };
    let writes = |variable: &str| ListWritesRequest {
        recording: known.clone(),
        variable: variable.to_owned(),
        ..ListWritesRequest::default()
    };
    let session = |strategy: &str, restrict_to: &str| CreateSessionRequest {
        recording: known.clone(),
        strategy: strategy.to_owned(),
        restrict_to: restrict_to.to_owned(),
        ..CreateSessionRequest::default()
    };
    let keep = KeepRequest {
        limits: vec![long.clone()],
        dry_run: true,
    };
    let some = "127.0.0.1:1";
    let refused = [
        client.get(named(&long)).await.unwrap_err(),
        client.delete(named(&long)).await.unwrap_err(),
        client.watch(named(&long)).await.unwrap_err(),
        client.attach(attach(&long, None)).await.unwrap_err(),
        client
            .attach(attach(&format!("{long}:1"), None))
            .await
            .unwrap_err(),
        client
            .attach(attach(some, options(&long, "", "a")))
            .await
            .unwrap_err(),
        client
            .attach(attach(some, options("", &long, "a")))
            .await
            .unwrap_err(),
        client
            .attach(attach(some, options("", "", &format!("{long}.."))))
            .await
            .unwrap_err(),
        client
            .listen(listen(&format!("/{long}"), None))
            .await
            .unwrap_err(),
        client.launch(launch(&long, "")).await.unwrap_err(),
        client
            .launch(launch(&format!("/{long}/java"), ""))
            .await
            .unwrap_err(),
        client
            .launch(launch("/none/java", &format!("/{long}")))
            .await
            .unwrap_err(),
        client.list(tokens).await.unwrap_err(),
        client.keep(keep).await.unwrap_err(),
        history.get_call(call(&long, "1.1")).await.unwrap_err(),
        history.get_call(call(&known, &long)).await.unwrap_err(),
        history.get_call(call(&known, &method)).await.unwrap_err(),
        history
            .list_events(events(&long, "", ""))
            .await
            .unwrap_err(),
        history
            .list_events(events("", &long, ""))
            .await
            .unwrap_err(),
        history
            .list_events(events("", "", &long))
            .await
            .unwrap_err(),
        history.list_writes(writes(&long)).await.unwrap_err(),
        history
            .list_writes(writes(&format!("{long}.f")))
            .await
            .unwrap_err(),
        history
            .list_writes(writes(&format!("1.1:{long}")))
            .await
            .unwrap_err(),
        debugging
            .create_session(session(&long, ""))
            .await
            .unwrap_err(),
        debugging
            .create_session(session("", &long))
            .await
            .unwrap_err(),
    ];
    for status in refused {
        let told = format!("{status:?}");
        assert!(!told.contains(&"x".repeat(201)), "{}", status.message());
        assert!(status.message().len() < 2000, "{}", status.message());
    }
}
