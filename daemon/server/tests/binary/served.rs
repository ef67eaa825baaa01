//! The binary `jhyded` that serves a folder of its own.

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use jhyde_proto::endpoint::{Address, ConnectError, connect, connect_trusting, socket_of};
use jhyde_proto::trust::Trust;
use jhyde_proto::v1::debugging_client::DebuggingClient;
use jhyde_proto::v1::recordings_client::RecordingsClient;
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::service::Interceptor;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::Channel;
use tonic::{Request, Status};
use tonic_types::StatusExt as _;

/// Longest time that anything here may take.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

pub(crate) fn jhyded(data: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_jhyded"));
    command
        .env_clear()
        .env("JHYDED_DATA", data)
        .env("JHYDED_RECORD_ENGINE", "events")
        .env("XDG_CONFIG_HOME", data.join("none"));
    command.env("PATH", "/usr/bin:/bin").stdin(Stdio::null());
    command
}

pub(crate) fn run(data: &Path, arguments: &[&str]) -> Output {
    jhyded(data).args(arguments).output().unwrap()
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The stable word of an error.
pub(crate) fn reason(status: &Status) -> String {
    let details = status.get_error_details();
    let info = details.error_info();
    info.map(|info| info.reason.clone()).unwrap_or_default()
}

/// Says who it is.
#[derive(Clone)]
pub(crate) struct Bearing(MetadataValue<Ascii>);

impl Bearing {
    pub(crate) fn of(token: &str) -> Self {
        Self(format!("Bearer {token}").parse().unwrap())
    }
}

impl Interceptor for Bearing {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        request
            .metadata_mut()
            .insert("authorization", self.0.clone());
        Ok(request)
    }
}

/// A daemon that serves; ended with the test.
pub(crate) struct Served {
    child: Child,
    data: TempDir,
    log: Arc<Mutex<Vec<String>>>,
    tokens: Mutex<HashMap<String, String>>,
    tcp: Option<String>,
    /// How often it has said that it read the tokens.
    reads: Arc<AtomicUsize>,
}

impl Served {
    pub(crate) fn start(arguments: &[&str]) -> Self {
        Self::begin(tempfile::tempdir().unwrap(), arguments, &[])
    }

    /// With settings in the environment.
    pub(crate) fn start_with(environment: &[(&str, &str)]) -> Self {
        Self::begin(tempfile::tempdir().unwrap(), &[], environment)
    }

    /// Over a folder that is there.
    pub(crate) fn begin(data: TempDir, arguments: &[&str], environment: &[(&str, &str)]) -> Self {
        let mut command = jhyded(data.path());
        command
            .args(["serve", "--log", "info"])
            .args(arguments)
            .envs(environment.iter().copied())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let mut before = Vec::new();
        let serving = loop {
            let Some(line) = lines.next() else {
                panic!("it ended before it served: {before:?}")
            };
            let line = line.unwrap();
            if line.contains("serving") {
                break line;
            }
            before.push(line);
        };
        // addresses=["127.0.0.1:40923", "unix:…"]
        let tcp = serving.split('"').find(|part| {
            let port = part.rsplit_once(':').map(|(_, port)| port.parse::<u16>());
            matches!(port, Some(Ok(_)))
        });
        let tcp = tcp.map(str::to_owned);
        let log = Arc::new(Mutex::new(before));
        let written = Arc::clone(&log);
        let reads = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&reads);
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                counted.fetch_add(line.contains("tokens read anew").into(), Ordering::SeqCst);
                written.lock().unwrap().push(line);
            }
        });
        Self {
            child,
            data,
            log,
            tokens: Mutex::default(),
            tcp,
            reads,
        }
    }

    pub(crate) fn data(&self) -> &Path {
        self.data.path()
    }

    pub(crate) fn signal(&self, signal: Signal) {
        let pid = Pid::from_raw(i32::try_from(self.child.id()).unwrap()).unwrap();
        kill_process(pid, signal).unwrap();
    }

    /// Waits for a line of the log with these words, and says it.
    pub(crate) async fn logged(&self, words: &str) -> String {
        let until = std::time::Instant::now() + PATIENCE;
        loop {
            let found = {
                let mut log = self.log.lock().unwrap();
                let place = log.iter().position(|line| line.contains(words));
                place.map(|place| log.drain(..=place).next_back().unwrap())
            };
            if let Some(line) = found {
                return line;
            }
            assert!(
                std::time::Instant::now() < until,
                "'{words}' was never logged"
            );
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Is there a line with these words that nobody has waited for?
    pub(crate) fn has_logged(&self, words: &str) -> bool {
        let log = self.log.lock().unwrap();
        log.iter().any(|line| line.contains(words))
    }

    /// `jhyded token …`; what it prints. A token that was made holds once the daemon has seen it.
    pub(crate) fn token(&self, arguments: &[&str]) -> String {
        let all = [&["token"], arguments].concat();
        let before = self.reads.load(Ordering::SeqCst);
        let output = run(self.data(), &all);
        assert!(output.status.success(), "{all:?}: {}", text(&output.stderr));
        let printed = text(&output.stdout).trim().to_owned();
        if let ["create", name, ..] = arguments {
            self.tokens
                .lock()
                .unwrap()
                .insert((*name).to_owned(), printed.clone());
            let until = std::time::Instant::now() + PATIENCE;
            // Without TCP nobody needs one.
            while self.tcp.is_some() && self.reads.load(Ordering::SeqCst) == before {
                assert!(std::time::Instant::now() < until, "the token is never read");
                std::thread::sleep(Duration::from_millis(10));
            }
        }
        printed
    }

    /// One that was made before.
    pub(crate) fn known(&self, name: &str) -> String {
        self.tokens.lock().unwrap()[name].clone()
    }

    pub(crate) fn tcp(&self) -> &str {
        self.tcp.as_deref().expect("it serves TCP")
    }

    pub(crate) async fn at_socket(&self) -> Channel {
        let address = Address::Unix(socket_of(self.data()));
        connect(&address, PATIENCE).await.unwrap()
    }

    pub(crate) async fn over_tcp(&self) -> Channel {
        let address: Address = self.tcp().parse().unwrap();
        connect(&address, PATIENCE).await.unwrap()
    }

    /// Over TLS, if it can be.
    pub(crate) async fn over_tls(&self, trust: &Trust) -> Result<Channel, ConnectError> {
        let address: Address = self.tcp().parse().unwrap();
        assert!(matches!(address, Address::Tls(_)), "{address}");
        connect_trusting(&address, trust, PATIENCE).await
    }

    pub(crate) async fn bearing(
        &self,
        token: &str,
    ) -> RecordingsClient<InterceptedService<Channel, Bearing>> {
        let bearing = Bearing::of(token);
        RecordingsClient::with_interceptor(self.over_tcp().await, bearing)
    }

    pub(crate) async fn debugging(
        &self,
        token: &str,
    ) -> DebuggingClient<InterceptedService<Channel, Bearing>> {
        let bearing = Bearing::of(token);
        DebuggingClient::with_interceptor(self.over_tcp().await, bearing)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.try_wait().map(|ended| {
            if ended.is_none() {
                self.signal(Signal::TERM);
            }
        });
        let until = std::time::Instant::now() + PATIENCE;
        while matches!(self.child.try_wait(), Ok(None)) && std::time::Instant::now() < until {
            std::thread::sleep(Duration::from_millis(10));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
