//! The gRPC services. Generated types stop here: nothing below knows them.
//!
//! To add a service: a module here, one line in [`over`], and its methods in `access::table`.

mod bursts;
mod compare;
pub mod daemon;
pub mod debugging;
pub mod history;
mod judged;
mod parts;
pub mod queries;
pub mod recordings;
mod sql;
pub mod status;
pub mod to_proto;
pub mod web;

use std::sync::Arc;

use jhyde_debugging::Sessions;
use jhyde_proto::v1::daemon_server::DaemonServer;
use jhyde_proto::v1::debugging_server::DebuggingServer;
use jhyde_proto::v1::history_server::HistoryServer;
use jhyde_proto::v1::queries_server::QueriesServer;
use jhyde_proto::v1::recordings_server::RecordingsServer;
use jhyde_proto::v1::web_server::WebServer;
use tonic::server::NamedService;
use tonic::service::Routes;
use tonic_health::ServingStatus;
use tonic_health::server::HealthReporter;

use crate::daemon::Daemon;
use crate::web::Door;

/// The services of a daemon, for those who reach them one way or the other.
#[derive(Debug)]
pub struct Services {
    /// All of them, with reflection (v1, and v1alpha for clients that know no other) and health.
    pub routes: Routes,
    /// Those for browsers. What these may not call of them is refused before.
    pub web: Routes,
    /// Where browsers come in.
    pub door: Arc<Door>,
    health: HealthReporter,
}

/// The services whose health is told, and the server's as a whole.
const HEALTHY: [&str; 7] = [
    "",
    <RecordingsServer<recordings::RecordingsService> as NamedService>::NAME,
    <HistoryServer<history::HistoryService> as NamedService>::NAME,
    <DebuggingServer<debugging::DebuggingService> as NamedService>::NAME,
    <QueriesServer<queries::QueriesService> as NamedService>::NAME,
    <WebServer<web::WebService> as NamedService>::NAME,
    <DaemonServer<daemon::DaemonService> as NamedService>::NAME,
];

impl Services {
    /// Says that the daemon is about to end, to whoever asks or watches its health.
    pub async fn not_serving(&self) {
        for service in HEALTHY {
            let status = ServingStatus::NotServing;
            self.health.set_service_status(service, status).await;
        }
    }
}

/// All services over this daemon.
///
/// # Errors
/// The descriptor set cannot be read: a bug of the build.
pub async fn over(daemon: &Arc<Daemon>) -> Result<Services, tonic_reflection::server::Error> {
    let described = || {
        tonic_reflection::server::Builder::configure()
            .register_encoded_file_descriptor_set(jhyde_proto::DESCRIPTORS)
            .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
    };
    let options = daemon.options();
    let door = Arc::new(Door::new(options.web.clone(), options.data.clone()));
    // The store divides the other half.
    let sessions = Arc::new(Sessions::within(options.memory_bytes / 2));
    let recordings = Arc::new(recordings::RecordingsService::new(Arc::clone(daemon)));
    let history = history::HistoryService::new(Arc::clone(daemon), Arc::clone(&sessions));
    let history = Arc::new(history);
    let itself = daemon::DaemonService::new(Arc::clone(daemon), Arc::clone(&sessions));
    let debugging = debugging::DebuggingService::new(Arc::clone(daemon), Arc::clone(&sessions));
    let debugging = Arc::new(debugging);
    let queries = Arc::new(queries::QueriesService::new(Arc::clone(daemon), sessions));
    let web = Arc::new(web::WebService::new(Arc::clone(&door)));

    let (reporter, health) = tonic_health::server::health_reporter();
    for service in HEALTHY {
        let status = ServingStatus::Serving;
        reporter.set_service_status(service, status).await;
    }
    let ours = |routes: Routes| {
        routes
            .add_service(RecordingsServer::from_arc(Arc::clone(&recordings)))
            .add_service(HistoryServer::from_arc(Arc::clone(&history)))
            .add_service(DebuggingServer::from_arc(Arc::clone(&debugging)))
            .add_service(QueriesServer::from_arc(Arc::clone(&queries)))
            .add_service(WebServer::from_arc(Arc::clone(&web)))
    };
    let described = Routes::new(described().build_v1()?)
        .add_service(described().build_v1alpha()?)
        .add_service(DaemonServer::new(itself))
        .add_service(health);
    Ok(Services {
        routes: ours(described),
        web: ours(Routes::default()),
        door,
        health: reporter,
    })
}
