//! The service `Daemon`, and the end that it asks for.

use crate::served::{Bearing, PATIENCE, Served, reason};
use jhyde_proto::v1::daemon_client::DaemonClient;
use jhyde_proto::v1::recordings_client::RecordingsClient;
use jhyde_proto::v1::{GetRecordingRequest, GetStatusRequest, ListenRequest, StopDaemonRequest};
use tokio::time::timeout;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;

#[tokio::test]
async fn who_may_manage_all_recordings_ends_the_daemon_and_everybody_is_told() {
    let served = Served::start(&["--listen", "127.0.0.1:0"]);
    let rights = ["create", "ops", "--rights", "manage"];
    let ops = served.token(&rights);
    let some = served.token(&[
        "create",
        "some",
        "--rights",
        "manage",
        "--recordings",
        "shop-*",
    ]);
    let channel = served.over_tcp().await;
    let mut client = DaemonClient::with_interceptor(channel.clone(), Bearing::of(&some));
    let refused = client.stop(StopDaemonRequest {}).await.unwrap_err();
    assert_eq!(reason(&refused), "OTHER_RECORDING");

    let mut owner = RecordingsClient::new(served.at_socket().await);
    let waiting = ListenRequest {
        name: "shop-1".to_owned(),
        ..ListenRequest::default()
    };
    owner.listen(waiting).await.unwrap();
    let watched = GetRecordingRequest {
        recording: "shop-1".to_owned(),
    };
    let mut watch = owner.watch(watched).await.unwrap().into_inner();
    watch.message().await.unwrap().unwrap();
    let mut health = HealthClient::new(served.at_socket().await);
    let mut healths = Vec::new();
    for service in ["", "jhyde.v1.Recordings", "jhyde.v1.Daemon"] {
        let request = HealthCheckRequest {
            service: service.to_owned(),
        };
        let mut stream = health.watch(request).await.unwrap().into_inner();
        let first = stream.message().await.unwrap().unwrap();
        assert_eq!(first.status(), ServingStatus::Serving);
        healths.push(stream);
    }

    let mut client = DaemonClient::with_interceptor(channel, Bearing::of(&ops));
    let status = client.get_status(GetStatusRequest {}).await.unwrap();
    let status = status.into_inner();
    assert_eq!(status.recordings, ["shop-1"]);
    assert_eq!((status.sessions, status.stopping), (0, false));
    assert!(status.sockets.iter().any(|socket| socket == served.tcp()));
    let stopped = client
        .stop(StopDaemonRequest {})
        .await
        .unwrap()
        .into_inner();
    assert_eq!(
        (stopped.recordings, stopped.not_closed),
        (status.recordings, 0)
    );
    for mut stream in healths {
        let last = timeout(PATIENCE, stream.message()).await.unwrap();
        assert_eq!(last.unwrap().unwrap().status(), ServingStatus::NotServing);
    }
    // It tells of its recording to the end.
    while let Some(told) = timeout(PATIENCE, watch.message()).await.unwrap().unwrap() {
        assert_eq!(told.name, "shop-1");
    }
    served.logged("a client asked for it").await;
    // Nobody is there any more.
    let refused = client.get_status(GetStatusRequest {}).await;
    refused.unwrap_err();
}
