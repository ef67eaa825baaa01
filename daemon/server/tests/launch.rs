//! `Launch` and the waits of `Recordings` with a real JVM: input, output, exit codes, Stop, a client that goes
//! away and a daemon that stops.

#[allow(dead_code, reason = "other tests use the rest of it")]
mod common;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use std::{env, fs};

use common::{TestDaemon, reason};
use jhyde_proto::v1::launch_event::Event;
use jhyde_proto::v1::{
    GetRecordingRequest, LaunchEnded, LaunchEvent, LaunchRequest, Recording, RecordingState,
};
use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use tonic::{Code, Streaming};

/// Longest time that one program here may take.
const PATIENCE: Duration = Duration::from_secs(60);

const PROGRAM: &str = r#"
public class Program {
    static int twice(int n) { return 2 * n; }
    public static void main(String[] arguments) throws Exception {
        byte[] input = System.in.readAllBytes();
        System.out.println("in: " + new String(input) + " " + twice(21) + " " + System.getenv("GREETING"));
        System.err.println("to the error");
        if (arguments[0].equals("wait")) {
            System.out.println("pid " + ProcessHandle.current().pid());
            Thread.sleep(600_000);
        }
        System.exit(Integer.parseInt(arguments[0]));
    }
}
"#;

/// Any JDK: JAVA_HOME, JHYDE_JDKS (separated by colons), or what stands in /usr/lib/jvm.
fn jdk() -> PathBuf {
    let named = ["JAVA_HOME", "JHYDE_JDKS"]
        .into_iter()
        .filter_map(env::var_os);
    let named = named.flat_map(|value| env::split_paths(&value).collect::<Vec<PathBuf>>());
    let installed = fs::read_dir("/usr/lib/jvm").into_iter().flatten().flatten();
    named
        .chain(installed.map(|entry| entry.path()))
        .find(|home| home.join("bin/javac").is_file())
        .expect("these tests need a JDK: set JAVA_HOME or JHYDE_JDKS, or install one")
}

fn request(folder: &Path, argument: &str) -> LaunchRequest {
    let source = folder.join("Program.java");
    fs::write(&source, PROGRAM).unwrap();
    let jdk = jdk();
    let mut compiler = Command::new(jdk.join("bin/javac"));
    let compiled = compiler
        .args(["-g", "-d"])
        .arg(folder)
        .arg(&source)
        .status();
    assert!(compiled.unwrap().success());
    let java = jdk.join("bin/java").to_string_lossy().into_owned();
    LaunchRequest {
        command: [java.as_str(), "-cp", ".", "Program", argument]
            .map(str::to_owned)
            .to_vec(),
        name: "p".to_owned(),
        directory: folder.to_string_lossy().into_owned(),
        input: b"hello".to_vec(),
        environment: [("GREETING".to_owned(), "good day".to_owned())].into(),
        ..LaunchRequest::default()
    }
}

/// Everything that a launch says.
struct Heard {
    started: Option<Recording>,
    stdout: String,
    stderr: String,
    ended: LaunchEnded,
}

async fn hear(mut events: Streaming<LaunchEvent>) -> Heard {
    let (mut started, mut stdout, mut stderr, mut ended) = (None, vec![], vec![], None);
    while let Some(message) = events.message().await.unwrap() {
        assert!(ended.is_none(), "something comes after the end");
        match message.event.unwrap() {
            Event::Started(recording) => started = Some(recording),
            Event::Stdout(bytes) => stdout.extend(bytes),
            Event::Stderr(bytes) => stderr.extend(bytes),
            Event::Ended(end) => ended = Some(end),
        }
    }
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Heard {
        started,
        stdout: text(stdout),
        stderr: text(stderr),
        ended: ended.unwrap(),
    }
}

async fn in_time<T>(work: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, work)
        .await
        .expect("it takes too long")
}

#[tokio::test]
async fn a_program_runs_is_recorded_and_its_code_is_told() {
    let daemon = TestDaemon::start().await;
    let request = request(daemon.folder.path(), "7");
    let events = in_time(daemon.recordings().launch(request))
        .await
        .unwrap()
        .into_inner();
    let heard = in_time(hear(events)).await;
    assert_eq!(heard.stdout, "in: hello 42 good day\n");
    assert_eq!(heard.stderr, "to the error\n");
    assert_eq!(heard.ended.exit_code, 7);
    let started = heard.started.unwrap();
    assert_eq!(started.name, "p");
    assert_eq!(started.jvm.unwrap().command[4], "7");
    let recording = heard.ended.recording.unwrap();
    assert_eq!(recording.state(), RecordingState::Complete);
    assert_eq!(recording.exit_code, Some(7));
    assert!(
        recording.calls > 0 && recording.events > recording.calls,
        "{recording:?}"
    );

    let named = || GetRecordingRequest {
        recording: "p".to_owned(),
    };
    let later = daemon.recordings().get(named()).await.unwrap().into_inner();
    assert_eq!(later, recording);
    let status = daemon.recordings().stop(named()).await.unwrap_err();
    assert_eq!(
        (status.code(), reason(&status).as_str()),
        (Code::FailedPrecondition, "RECORDING_ENDED")
    );
    let mut watch = daemon
        .recordings()
        .watch(named())
        .await
        .unwrap()
        .into_inner();
    assert_eq!(watch.message().await.unwrap(), Some(recording));
    assert_eq!(watch.message().await.unwrap(), None);
    let deleted = daemon
        .recordings()
        .delete(named())
        .await
        .unwrap()
        .into_inner();
    assert!(deleted.bytes > 0);
    let status = daemon.recordings().get(named()).await.unwrap_err();
    assert_eq!(status.code(), Code::NotFound);
}

#[tokio::test]
async fn stop_ends_a_program_that_the_daemon_launched() {
    let daemon = TestDaemon::start().await;
    let request = request(daemon.folder.path(), "wait");
    let events = in_time(daemon.recordings().launch(request))
        .await
        .unwrap()
        .into_inner();
    let named = GetRecordingRequest {
        recording: "p".to_owned(),
    };
    let stopped = in_time(daemon.recordings().stop(named))
        .await
        .unwrap()
        .into_inner();
    assert_eq!(stopped.state(), RecordingState::Stopped);
    let heard = in_time(hear(events)).await;
    assert_eq!(heard.ended.exit_code, 128 + 15);
    assert_eq!(
        heard.ended.recording.unwrap().state(),
        RecordingState::Stopped
    );
}

#[tokio::test]
async fn a_client_that_goes_away_does_not_end_the_program() {
    let daemon = TestDaemon::start().await;
    let request = request(daemon.folder.path(), "5");
    let events = in_time(daemon.recordings().launch(request)).await.unwrap();
    drop(events);
    let named = GetRecordingRequest {
        recording: "p".to_owned(),
    };
    let mut watch = daemon.recordings().watch(named).await.unwrap().into_inner();
    let mut last = None;
    while let Some(recording) = in_time(watch.message()).await.unwrap() {
        last = Some(recording);
    }
    assert_eq!(last.unwrap().state(), RecordingState::Complete);
}

#[tokio::test]
async fn a_daemon_that_stops_leaves_the_program_running() {
    let daemon = TestDaemon::start().await;
    let request = request(daemon.folder.path(), "wait");
    let mut events = in_time(daemon.recordings().launch(request))
        .await
        .unwrap()
        .into_inner();
    let mut stdout = String::new();
    let pid = loop {
        if let Some(Event::Stdout(bytes)) = in_time(events.message()).await.unwrap().unwrap().event
        {
            stdout.push_str(std::str::from_utf8(&bytes).unwrap());
        }
        let line = stdout
            .split_inclusive('\n')
            .find_map(|line| line.strip_prefix("pid "));
        if let Some(number) = line.and_then(|line| line.strip_suffix('\n')) {
            break Pid::from_raw(number.parse().unwrap()).unwrap();
        }
    };
    assert_eq!(daemon.daemon.stop(PATIENCE).await, 0);
    let left = daemon.daemon.describe("p").unwrap();
    assert_eq!(left.meta.state, jhyde_trace::State::Detached);
    test_kill_process(pid).expect("the program has ended, too");
    kill_process(pid, Signal::KILL).unwrap();
    let heard = in_time(hear(events)).await;
    assert_eq!(heard.ended.exit_code, 128 + 9);
}
