//! Running the fixture program under the debug agent.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use super::jdks::Jdk;

/// How long anything may take that a JVM does in a moment; generous, for busy machines.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// The fixture, compiled by one JDK. Deleted with this.
pub struct Fixture {
    pub folder: tempfile::TempDir,
}

impl Fixture {
    pub fn compile(jdk: &Jdk) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/java/fixture");
        let files: Vec<PathBuf> = std::fs::read_dir(&sources)
            .expect("the fixture's sources")
            .map(|entry| entry.expect("a readable folder").path())
            .collect();
        let output = Command::new(jdk.home.join("bin/javac"))
            .args(["-g", "-encoding", "UTF-8", "-d"])
            .arg(folder.path())
            .args(&files)
            .output()
            .expect("javac runs");
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        Self { folder }
    }

    /// A class file of the fixture, by its name without package.
    pub fn class_file(&self, class: &str) -> Vec<u8> {
        let path = self
            .folder
            .path()
            .join("fixture")
            .join(format!("{class}.class"));
        std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }
}

/// A running JVM. Killed when dropped.
pub struct Jvm {
    pub child: Child,
    pub stdin: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Jvm {
    /// Starts the fixture suspended, on a free loopback port that it says first.
    pub fn start_server(jdk: &Jdk, fixture: &Fixture, arguments: &[&str]) -> (Self, SocketAddr) {
        let mut jvm = Self::start(
            jdk,
            fixture,
            "server=y,suspend=y,address=127.0.0.1:0",
            arguments,
        );
        let line = jvm.line();
        let addr = listening(&line);
        (
            jvm,
            addr.unwrap_or_else(|| panic!("the agent says its port first, not {line:?}")),
        )
    }

    /// Starts the fixture so that it connects to a listening debugger.
    pub fn start_client(jdk: &Jdk, fixture: &Fixture, debugger: SocketAddr) -> Self {
        Self::start(
            jdk,
            fixture,
            &format!("server=n,suspend=y,address={debugger}"),
            &["wait"],
        )
    }

    fn start(jdk: &Jdk, fixture: &Fixture, agent: &str, arguments: &[&str]) -> Self {
        let mut child = Command::new(jdk.home.join("bin/java"))
            .arg(format!("-agentlib:jdwp=transport=dt_socket,{agent}"))
            .args([
                "-Xshare:auto",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                ".",
            ])
            .arg("fixture.Debuggee")
            .args(arguments)
            // The class path is "." so that transcripts name no folder of this machine.
            .current_dir(fixture.folder.path())
            .env_remove("JAVA_TOOL_OPTIONS")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("java runs");
        let stdout = child.stdout.take().expect("piped");
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        let stdin = child.stdin.take();
        Self {
            child,
            stdin,
            lines,
        }
    }

    /// The next line that the program writes.
    pub fn line(&mut self) -> String {
        self.lines
            .recv_timeout(PATIENCE)
            .expect("the JVM writes a line in time")
    }

    /// Waits for the end of the JVM.
    pub fn wait(&mut self) -> ExitStatus {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().expect("a child can be waited for") {
                return status;
            }
            assert!(Instant::now() < deadline, "the JVM does not end");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// The address in the line with which the agent says where it listens.
pub fn listening(line: &str) -> Option<SocketAddr> {
    let port = line.strip_prefix("Listening for transport dt_socket at address: ")?;
    Some(SocketAddr::from(([127, 0, 0, 1], port.parse().ok()?)))
}

impl Drop for Jvm {
    fn drop(&mut self) {
        // Err: it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
