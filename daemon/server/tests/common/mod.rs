//! A daemon in this process, served on the unix socket of a folder of its own.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use jhyde_proto::endpoint::{Address, connect, socket_of};
use jhyde_proto::v1::recordings_client::RecordingsClient;
use jhyde_server::access::gate::Access;
use jhyde_server::access::tokens::{Known, Store};
use jhyde_server::config::settings::{Attach, Listen};
use jhyde_server::config::{Settings, Sources, Span, load};
use jhyde_server::daemon::{Daemon, Options};
use jhyde_server::serve::{Serving, bind, serve};
use jhyde_server::services;
use jhyde_trace::EngineKind;
use tempfile::TempDir;
use tonic::Status;
use tonic::transport::Channel;
use tonic_types::StatusExt as _;

/// How long a JVM may take: short, because some of these tests wait for it to run out.
pub(crate) const TIMEOUT: Duration = Duration::from_millis(400);

pub(crate) struct TestDaemon {
    pub(crate) daemon: Arc<Daemon>,
    pub(crate) serving: Serving,
    pub(crate) channel: Channel,
    pub(crate) folder: TempDir,
}

impl TestDaemon {
    pub(crate) async fn start() -> Self {
        Self::start_in(tempfile::tempdir().unwrap()).await
    }

    /// Over a data folder that may hold recordings already.
    pub(crate) async fn start_in(folder: TempDir) -> Self {
        Self::start_with(folder, |_| {}).await
    }

    /// With other options than the usual ones.
    pub(crate) async fn start_with(folder: TempDir, change: impl FnOnce(&mut Options)) -> Self {
        let mut options = options(folder.path());
        change(&mut options);
        let daemon = Daemon::open(options).unwrap();
        let listen = Listen {
            unix: true,
            tcp: Vec::new(),
            ..defaults().listen
        };
        let bound = bind(&listen, folder.path()).await.unwrap();
        let services = services::over(&daemon).await.unwrap();
        let serving = serve(bound, &services, access(&daemon, &listen));
        let address = Address::Unix(socket_of(folder.path()));
        let channel = connect(&address, Duration::from_secs(5)).await.unwrap();
        Self {
            daemon,
            serving,
            channel,
            folder,
        }
    }

    pub(crate) fn recordings(&self) -> RecordingsClient<Channel> {
        RecordingsClient::new(self.channel.clone())
    }
}

/// Who may come in by these settings, and with the tokens of the data folder.
pub(crate) fn access(daemon: &Arc<Daemon>, listen: &Listen) -> Arc<Access> {
    let tokens = Known::unread(Store::of(&daemon.options().data));
    tokens.reload().unwrap();
    let access = Access::new(listen.allowed(), Arc::new(tokens), Arc::clone(daemon));
    Arc::new(access)
}

pub(crate) fn defaults() -> Settings {
    load(&Sources::default()).unwrap().settings
}

pub(crate) fn options(folder: &Path) -> Options {
    let settings = defaults();
    Options {
        data: folder.to_owned(),
        memory_bytes: 64 << 20,
        keep: settings.keep.0,
        limits: settings.record.limits(),
        level: settings.record.level,
        // What is served is tested here, not what `auto` takes.
        engine: EngineKind::Events,
        probe_log: settings.record.probe_log,
        string_limit: settings.record.string_limit,
        snapshots: settings.record.snapshots(),
        contents: settings.record.contents,
        source: settings.source,
        attach: Attach {
            timeout: Span(TIMEOUT),
            ..settings.attach
        },
        web: settings.listen.web,
        unread: None,
        answers: 100,
        guard: None,
    }
}

/// The stable word of an error.
pub(crate) fn reason(status: &Status) -> String {
    status
        .get_error_details()
        .error_info()
        .map(|info| info.reason.clone())
        .unwrap_or_default()
}

/// The field that an error names.
pub(crate) fn field(status: &Status) -> String {
    let details = status.get_error_details();
    let violation = details
        .bad_request()
        .and_then(|bad| bad.field_violations.first());
    violation
        .map(|violation| violation.field.clone())
        .unwrap_or_default()
}
