//! The gRPC services. Generated types stop here: nothing below knows them.
//!
//! To add a service: a module here, one line in [`routes`].

pub mod debugging;
pub mod history;
pub mod recordings;
pub mod status;
pub mod to_proto;

use std::sync::Arc;

use jhyde_proto::v1::debugging_server::DebuggingServer;
use jhyde_proto::v1::history_server::HistoryServer;
use jhyde_proto::v1::recordings_server::RecordingsServer;
use tonic::service::Routes;

use crate::daemon::Daemon;

/// All services over this daemon, with reflection (v1, and v1alpha for clients that know no other) and health.
///
/// # Errors
/// The descriptor set cannot be read: a bug of the build.
pub async fn routes(daemon: &Arc<Daemon>) -> Result<Routes, tonic_reflection::server::Error> {
    let described = || {
        tonic_reflection::server::Builder::configure()
            .register_encoded_file_descriptor_set(jhyde_proto::DESCRIPTORS)
            .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
    };
    let (reporter, health) = tonic_health::server::health_reporter();
    let recordings = recordings::RecordingsService::new(Arc::clone(daemon));
    reporter
        .set_serving::<RecordingsServer<recordings::RecordingsService>>()
        .await;
    let history = history::HistoryService::new(Arc::clone(daemon));
    reporter
        .set_serving::<HistoryServer<history::HistoryService>>()
        .await;
    let debugging = debugging::DebuggingService::new(Arc::clone(daemon));
    reporter
        .set_serving::<DebuggingServer<debugging::DebuggingService>>()
        .await;
    Ok(Routes::new(described().build_v1()?)
        .add_service(described().build_v1alpha()?)
        .add_service(health)
        .add_service(RecordingsServer::new(recordings))
        .add_service(HistoryServer::new(history))
        .add_service(DebuggingServer::new(debugging)))
}
