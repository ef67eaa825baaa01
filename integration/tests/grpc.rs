//! By a client that knows `jhyde.v1` and nothing else: the reference example, and a program that the daemon launches.

use std::process::Command;
use std::time::{Duration, Instant};

use jhyde_integration::{Folder, jdks};
use jhyde_proto::endpoint::{Address, connect, socket_of};
use jhyde_proto::v1::debugging_client::DebuggingClient;
use jhyde_proto::v1::history_client::HistoryClient;
use jhyde_proto::v1::launch_event::Event;
use jhyde_proto::v1::recordings_client::RecordingsClient;
use jhyde_proto::v1::{
    AnswerKind, AnswerRequest, CreateSessionRequest, GetStateRequest, LaunchRequest,
    ListCallsRequest, ListWritesRequest, Progress, value,
};
use tonic::transport::Channel;

async fn calls(history: &mut HistoryClient<Channel>) -> Vec<String> {
    let mut ids = Vec::new();
    let mut page_token = String::new();
    loop {
        let request = ListCallsRequest {
            recording: "ms".into(),
            without_boundary: true,
            page_size: 3,
            page_token,
            ..ListCallsRequest::default()
        };
        let page = history
            .list_calls(request)
            .await
            .expect("a page")
            .into_inner();
        ids.extend(page.calls.into_iter().map(|call| call.id));
        if page.next_page_token.is_empty() {
            return ids;
        }
        page_token = page.next_page_token;
    }
}

/// The numbers of the calls asked (from 1), and of the one found.
async fn search(channel: &Channel, calls: &[String], strategy: &str) -> (Vec<usize>, usize) {
    let number = |id: &str| {
        calls
            .iter()
            .position(|known| known == id)
            .map_or(0, |at| at + 1)
    };
    let mut debugging = DebuggingClient::new(channel.clone());
    let request = CreateSessionRequest {
        recording: "ms".into(),
        strategy: strategy.into(),
        ..CreateSessionRequest::default()
    };
    let mut session = debugging
        .create_session(request)
        .await
        .expect("a session")
        .into_inner();
    let mut asked = Vec::new();
    while session.progress() == Progress::Asking {
        let call = session.question.take().expect("a question").id;
        asked.push(number(&call));
        let wrong = [1, 2, 7].contains(&number(&call));
        let answer = if wrong {
            AnswerKind::Invalid
        } else {
            AnswerKind::Valid
        };
        let request = AnswerRequest {
            recording: "ms".into(),
            session: session.id,
            call,
            answer: answer.into(),
            ..AnswerRequest::default()
        };
        session = debugging
            .answer(request)
            .await
            .expect("it is taken")
            .into_inner();
    }
    assert_eq!(session.progress(), Progress::Found);
    (asked, number(&session.buggy.expect("a finding").id))
}

#[tokio::test]
async fn the_reference_example() {
    for jdk in jdks() {
        let folder = Folder::new();
        let path = jdk.classes("mergesort").display().to_string();
        let arguments = ["-cp".to_owned(), path, "MergeSort".to_owned()];
        let run = folder.launch(
            &jdk,
            "ms",
            &["--level", "full", "--include", "MergeSort"],
            &arguments,
        );
        assert!(run.status.success(), "{}", run.stderr);
        // Starts the daemon of the folder.
        folder.json(&["list"]);
        let address = Address::Unix(socket_of(&folder.data()));
        let channel = connect(&address, Duration::from_secs(10))
            .await
            .expect("the daemon listens");
        let mut history = HistoryClient::new(channel.clone());
        let calls = calls(&mut history).await;
        assert_eq!(calls.len(), 7);
        for (strategy, order) in [
            ("top-down", &[1, 2, 3, 4, 5, 6, 7][..]),
            ("divide-and-query", &[2, 3, 4, 5, 6, 7]),
            ("coverage-halving:edges", &[7]),
            ("coverage-expected:edges", &[7]),
        ] {
            assert_eq!(
                search(&channel, &calls, strategy).await,
                (order.to_vec(), 7),
                "{strategy}"
            );
        }
        // The wrong merge: lb is written by the defective line, and c below it changed.
        let request = GetStateRequest {
            recording: "ms".into(),
            call: calls[6].clone(),
            ..GetStateRequest::default()
        };
        let state = history
            .get_state(request)
            .await
            .expect("a state")
            .into_inner();
        let row = |name: &str| {
            state
                .rows
                .iter()
                .find(|row| row.name == name)
                .expect("a row")
        };
        assert!(row("lb").changed && row("c").changed_below && !row("c").changed);
        assert!(!row("ra").changed && !row("ra").changed_below);
        let Some(value::Kind::Object(array)) = row("c").end.clone().and_then(|end| end.kind) else {
            panic!("c is no array: {:?}", row("c"));
        };
        let request = ListWritesRequest {
            recording: "ms".into(),
            variable: format!("array#{}[2]", array.id),
            ..ListWritesRequest::default()
        };
        let writes = history
            .list_writes(request)
            .await
            .expect("writes")
            .into_inner()
            .writes;
        let values = writes.iter().map(|write| {
            write
                .value
                .clone()
                .map(|value| value.display)
                .unwrap_or_default()
        });
        assert_eq!(values.collect::<Vec<_>>(), ["1", "1", "7", "9"]);
    }
}

/// Writes until it is told to end, then much more than a pipe holds, and says whether all that went well.
const WRITES: &str = r#"
import java.nio.file.*;

class Writes {
    static String line(int n) { return "line " + n; }
    public static void main(String[] arguments) throws Exception {
        int n = 0;
        for (; !Files.exists(Path.of("end")); Thread.sleep(1)) System.out.println(line(n++));
        for (int last = n + 50_000; n < last; n++) {
            System.out.println("to the output " + n);
            System.err.println("to the error " + n);
        }
        Files.writeString(Path.of("told"), System.out.checkError() + " " + System.err.checkError());
        Files.move(Path.of("told"), Path.of("ended"));
    }
}
"#;

/// Its behaviour is what it is without jhyde: what it prints does not fail once there is nobody who reads it.
#[tokio::test]
async fn a_launched_program_writes_on_when_its_daemon_is_gone() {
    const PATIENCE: Duration = Duration::from_secs(60);
    let jdks = jdks();
    let jdk = jdks.last().expect("a JDK");
    for (name, signal) in [("killed", "-KILL"), ("stopped", "-TERM")] {
        let folder = Folder::new();
        let place = folder.data().join(name);
        std::fs::create_dir_all(&place).expect("a folder");
        std::fs::write(place.join("Writes.java"), WRITES).expect("a source");
        let mut compiler = Command::new(jdk.home.join("bin/javac"));
        let compiled = compiler.current_dir(&place).arg("Writes.java").status();
        assert!(compiled.is_ok_and(|status| status.success()));
        // Starts the daemon of the folder.
        folder.json(&["list"]);
        let address = Address::Unix(socket_of(&folder.data()));
        let channel = connect(&address, Duration::from_secs(10))
            .await
            .expect("the daemon listens");
        let java = jdk.java().display().to_string();
        let request = LaunchRequest {
            command: [&java, "Writes"].map(str::to_owned).to_vec(),
            name: name.to_owned(),
            directory: place.display().to_string(),
            ..LaunchRequest::default()
        };
        let mut events = RecordingsClient::new(channel)
            .launch(request)
            .await
            .expect("it runs")
            .into_inner();
        loop {
            let event = events.message().await.expect("it is told").expect("more");
            if let Some(Event::Stdout(_)) = event.event {
                break;
            }
        }
        let lock = std::fs::read_to_string(folder.data().join("lock")).expect("a lock");
        let daemon = lock.split_whitespace().next().expect("a daemon");
        let ended = Command::new("kill").args([signal, daemon]).status();
        assert!(ended.is_ok_and(|status| status.success()));
        while events.message().await.is_ok_and(|event| event.is_some()) {}
        std::fs::write(place.join("end"), "").expect("it is told to end");
        let until = Instant::now() + PATIENCE;
        while !place.join("ended").exists() {
            assert!(Instant::now() < until, "{name}: it does not end");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        let told = std::fs::read_to_string(place.join("ended")).expect("what it says");
        assert_eq!(told, "false false", "{name}: it could not write");
    }
}
