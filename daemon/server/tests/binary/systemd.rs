//! What a service manager gives and hears: sockets that were open before, and a socket that is told how far the daemon is.

use std::net::TcpListener;
use std::os::fd::OwnedFd;
use std::os::unix::net::{UnixDatagram, UnixListener};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::served::{Bearing, PATIENCE, Served, jhyded, text};
use jhyde_proto::endpoint::{Address, connect, socket_of};
use jhyde_proto::v1::recordings_client::RecordingsClient;
use jhyde_proto::v1::{ListRecordingsRequest, ListenRequest};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;
use tokio::time::timeout;
use tonic::transport::Channel;

/// A manager's socket.
struct Heard(UnixDatagram, TempDir);

impl Heard {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let socket = UnixDatagram::bind(folder.path().join("notify")).unwrap();
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        Self(socket, folder)
    }

    fn path(&self) -> String {
        self.1.path().join("notify").display().to_string()
    }

    /// The next datagram.
    fn next(&self) -> String {
        let mut bytes = [0; 1000];
        let length = self.0.recv(&mut bytes).expect("something is told");
        text(&bytes[..length])
    }

    /// The next one with this in it. None that is in `not` comes before.
    fn until(&self, words: &str, not: &str) -> String {
        let until = Instant::now() + PATIENCE;
        loop {
            let told = self.next();
            if told.contains(words) {
                return told;
            }
            assert!(!told.contains(not), "{told} before {words}");
            assert!(Instant::now() < until, "{words} is never told");
        }
    }
}

/// A daemon with sockets that this process has opened, as a manager starts it; killed with the test.
struct Activated(Child);

impl Activated {
    /// Its files 3 and 4, where both are given.
    fn start(data: &Path, unix: &UnixListener, tcp: Option<&TcpListener>) -> Self {
        let mut command = Command::new("sh");
        let (count, more) = match tcp {
            Some(_) => (2, "4<&1"),
            None => (1, ""),
        };
        // Rust gives a child no other files than these three: the shell moves them.
        let script = format!(
            "exec 3<&0 {more} 0</dev/null 1>/dev/null; LISTEN_FDS={count} LISTEN_PID=$$ exec \"$0\" serve"
        );
        let program = jhyded(data);
        command.args(["-c", &script]).arg(program.get_program());
        command.env_clear();
        command.envs(
            program
                .get_envs()
                .filter_map(|(key, value)| Some((key, value?))),
        );
        command.stdin(OwnedFd::from(unix.try_clone().unwrap()));
        if let Some(tcp) = tcp {
            command.stdout(OwnedFd::from(tcp.try_clone().unwrap()));
        }
        Self(command.stderr(Stdio::null()).spawn().unwrap())
    }

    fn signal(&self, signal: Signal) {
        let pid = Pid::from_raw(i32::try_from(self.0.id()).unwrap()).unwrap();
        kill_process(pid, signal).unwrap();
    }
}

impl Drop for Activated {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

async fn list(channel: Channel) {
    let mut client = RecordingsClient::new(channel);
    let listed = client.list(ListRecordingsRequest::default());
    timeout(PATIENCE, listed).await.unwrap().unwrap();
}

#[tokio::test]
async fn the_manager_hears_when_it_serves_what_it_does_and_that_it_ends() {
    let heard = Heard::new();
    let pid = std::process::id().to_string();
    let served = Served::begin(
        tempfile::tempdir().unwrap(),
        &["--listen", "127.0.0.1:0"],
        &[
            ("NOTIFY_SOCKET", &heard.path()),
            ("WATCHDOG_USEC", "400000"),
        ],
    );
    heard.until("STATUS=opening", "READY");
    let ready = heard.until("READY=1", "WATCHDOG");
    assert!(
        ready.contains("STATUS=serving at 2 sockets, 0 recordings"),
        "{ready}"
    );
    // Each socket answers by then, and pings come.
    list(served.at_socket().await).await;
    served.over_tcp().await;
    heard.until("WATCHDOG=1", "STOPPING");
    heard.until("WATCHDOG=1", "STOPPING");
    let mut owner = RecordingsClient::new(served.at_socket().await);
    let named = ListenRequest {
        name: "secret".to_owned(),
        ..ListenRequest::default()
    };
    owner.listen(named).await.unwrap();
    let told = heard.until("STATUS=", "STOPPING");
    assert!(
        told.contains("1 recordings") && !told.contains("secret"),
        "{told}"
    );

    // One that stands still does not ping; it goes on as if nothing had been.
    served.signal(Signal::STOP);
    let drained = |socket: &UnixDatagram| {
        socket.set_nonblocking(true).unwrap();
        let mut bytes = [0; 1000];
        while socket.recv(&mut bytes).is_ok() {}
        socket.set_nonblocking(false).unwrap();
    };
    std::thread::sleep(Duration::from_millis(100));
    drained(&heard.0);
    heard
        .0
        .set_read_timeout(Some(Duration::from_millis(800)))
        .unwrap();
    heard.0.recv(&mut [0; 10]).unwrap_err();
    heard.0.set_read_timeout(Some(PATIENCE)).unwrap();
    served.signal(Signal::CONT);
    heard.until("WATCHDOG=1", "STOPPING");

    served.signal(Signal::TERM);
    let stopping = heard.until("STOPPING=1", "READY");
    assert!(stopping.contains("STATUS=ending"), "{stopping}");
    drop(served);

    // Meant for another process: it pings nobody.
    let others = Heard::new();
    let served = Served::start_with(&[
        ("NOTIFY_SOCKET", &others.path()),
        ("WATCHDOG_USEC", "40000"),
        ("WATCHDOG_PID", &pid),
    ]);
    others.until("READY=1", "WATCHDOG");
    std::thread::sleep(Duration::from_millis(200));
    served.signal(Signal::TERM);
    others.until("STOPPING=1", "WATCHDOG");
}

#[tokio::test]
async fn a_manager_that_is_not_there_is_told_of_in_the_log_once() {
    let served = Served::start_with(&[
        ("NOTIFY_SOCKET", "/none/notify"),
        ("WATCHDOG_USEC", "100000"),
    ]);
    served.logged("/none/notify").await;
    list(served.at_socket().await).await;
    std::thread::sleep(Duration::from_millis(300));
    assert!(!served.has_logged("/none/notify"));
}

#[tokio::test]
async fn sockets_that_were_open_before_are_served_across_a_restart() {
    let data = tempfile::tempdir().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("jhyded.sock");
    let unix = UnixListener::bind(&path).unwrap();
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = tcp.local_addr().unwrap();
    let token = jhyded(data.path())
        .args(["token", "create", "ci", "--rights", "read"])
        .output()
        .unwrap();
    let token = text(&token.stdout).trim().to_owned();

    // Who connects before there is a daemon is answered by it.
    let at_unix = Address::Unix(path.clone());
    let early = connect(&at_unix, PATIENCE).await.unwrap();
    let early = tokio::spawn(list(early));
    let first = Activated::start(data.path(), &unix, Some(&tcp));
    timeout(PATIENCE, early).await.unwrap().unwrap();
    // It has no other unix socket, and asks who comes by TCP as ever.
    assert!(!socket_of(data.path()).exists());
    let over_tcp: Address = port.to_string().parse().unwrap();
    let channel = connect(&over_tcp, PATIENCE).await.unwrap();
    let mut client = RecordingsClient::with_interceptor(channel.clone(), Bearing::of(&token));
    client.list(ListRecordingsRequest::default()).await.unwrap();
    let mut nobody = RecordingsClient::new(channel);
    let refused = nobody.list(ListRecordingsRequest::default());
    let refused = timeout(PATIENCE, refused).await.unwrap().unwrap_err();
    assert_eq!(crate::served::reason(&refused), "NO_TOKEN");

    // The socket is not the daemon's to remove, and whoever comes meanwhile waits for the next one.
    first.signal(Signal::TERM);
    let mut first = first;
    let ended = tokio::task::spawn_blocking(move || first.0.wait().unwrap());
    assert!(timeout(PATIENCE, ended).await.unwrap().unwrap().success());
    assert!(path.exists());
    let meanwhile = connect(&at_unix, PATIENCE).await.unwrap();
    let meanwhile = tokio::spawn(list(meanwhile));
    let second = Activated::start(data.path(), &unix, None);
    timeout(PATIENCE, meanwhile).await.unwrap().unwrap();
    drop(second);
}

#[test]
fn what_is_given_and_is_no_socket_is_refused() {
    let data = tempfile::tempdir().unwrap();
    let program = jhyded(data.path());
    let mut command = Command::new("sh");
    let script = "exec 3</dev/null; LISTEN_FDS=1 LISTEN_PID=$$ exec \"$0\" serve";
    command.args(["-c", script]).arg(program.get_program());
    command.env("JHYDED_DATA", data.path());
    let output = command.output().unwrap();
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(4), "{said}");
    assert!(
        said.contains("file 3") && said.contains("LISTEN_FDS"),
        "{said}"
    );
}
