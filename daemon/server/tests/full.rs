//! What level `full` adds to the services: loops in event lists, and the strategies by coverage. On the reference
//! example as `javac` compiles it, run by the small machine of the history's tests.

#[allow(dead_code, reason = "other tests use the rest of it")]
mod common;
#[path = "../../history/tests/common/machine.rs"]
mod machine;

use common::{TestDaemon, reason};
use jhyde_proto::v1::debugging_client::DebuggingClient;
use jhyde_proto::v1::history_client::HistoryClient;
use jhyde_proto::v1::{
    AnswerKind, AnswerRequest, CreateSessionRequest, EventRow, ListEventsRequest,
    ListEventsResponse, Mark, Progress, event,
};
use jhyde_store::{Catalogue, StoreOptions};
use jhyde_trace::{Level, RecordingOptions, State};
use machine::{Machine, compile};
use tonic::{Code, Status};

const NAME: &str = "sorted";

async fn daemon(level: Level) -> TestDaemon {
    const SOURCE: &str =
        include_str!("../../../integration/java/fixtures/mergesort/MergeSort.java");
    let folder = tempfile::tempdir().unwrap();
    let catalogue = Catalogue::open(folder.path(), StoreOptions::default()).unwrap();
    let options = RecordingOptions {
        level,
        ..RecordingOptions::default()
    };
    let (recording, mut writer) = catalogue.create(Some(NAME), options).unwrap();
    Machine::new(&mut writer, compile("MergeSort.java", SOURCE, &["-g"])).call("main", &[0]);
    writer
        .finish(State::Complete { exit_code: Some(0) })
        .unwrap();
    drop((recording, catalogue));
    TestDaemon::start_in(folder).await
}

async fn list(
    daemon: &TestDaemon,
    request: ListEventsRequest,
) -> Result<ListEventsResponse, Status> {
    let mut client = HistoryClient::new(daemon.channel.clone());
    Ok(client.list_events(request).await?.into_inner())
}

fn of(call: &str) -> ListEventsRequest {
    ListEventsRequest {
        recording: NAME.to_owned(),
        call: call.to_owned(),
        ..ListEventsRequest::default()
    }
}

fn loops(rows: &[EventRow]) -> Vec<(u32, u64)> {
    let found = |row: &EventRow| Some((row.level, row.r#loop.as_ref()?.iterations));
    rows.iter().filter_map(found).collect()
}

#[tokio::test]
async fn loops_are_rows_that_open() {
    let daemon = daemon(Level::Full).await;
    let all = |call: &str| ListEventsRequest {
        unfold: u32::MAX,
        ..of(call)
    };
    let rows = list(&daemon, all("sort#0")).await.unwrap().rows;
    assert_eq!(loops(&rows), [(0, 2), (2, 2), (2, 1)]);
    let rows = list(&daemon, all("distribute#0")).await.unwrap().rows;
    assert_eq!(loops(&rows), [(0, 2), (2, 1), (2, 1), (2, 1), (2, 1)]);
    // The last merge: three elements while both have some, then the rest of the left one.
    let closed = list(&daemon, of("merge#2")).await.unwrap();
    assert_eq!(loops(&closed.rows), [(0, 3), (0, 1)]);
    assert_eq!(closed.notes, Vec::<String>::new());
    let first = closed
        .rows
        .iter()
        .find_map(|row| row.r#loop.clone())
        .unwrap();
    let inside = ListEventsRequest {
        inside: first.row.clone(),
        mark: "array#1[2]".to_owned(),
        ..of("merge#2")
    };
    let rows = list(&daemon, inside).await.unwrap().rows;
    let rounds: Vec<_> = rows
        .iter()
        .filter_map(|row| Some((row.iteration.as_ref()?.number, row.mark())))
        .collect();
    assert_eq!(
        rounds,
        [
            (1, Mark::Unspecified),
            (2, Mark::Unspecified),
            (3, Mark::Inside)
        ]
    );
    // Behind the iterations stands the test that ended the loop, and nothing else.
    assert!(rows[3..].iter().all(|row| {
        let kind = row.event.as_ref().and_then(|event| event.kind.clone());
        matches!(kind, Some(event::Kind::Use(_) | event::Kind::Edge(_)))
    }));
    let flat = ListEventsRequest {
        flat: true,
        ..of("merge#2")
    };
    let rows = list(&daemon, flat).await.unwrap().rows;
    assert!(rows.iter().all(|row| row.event.is_some() && row.level == 0));

    let refused = async |row: &str| {
        let request = ListEventsRequest {
            inside: row.to_owned(),
            ..of("merge#2")
        };
        let status = list(&daemon, request).await.unwrap_err();
        (status.code(), reason(&status))
    };
    for row in ["loop@1@7", "iteration@1@0@9"] {
        assert_eq!(refused(row).await, (Code::NotFound, "NO_ROW".to_owned()));
    }
    for row in ["loop", "loop@1@x", "iteration@1@0"] {
        let expected = (Code::InvalidArgument, "ROW_FORM".to_owned());
        assert_eq!(refused(row).await, expected);
    }
}

#[tokio::test]
async fn a_lower_level_says_that_loops_are_missing() {
    let daemon = daemon(Level::State).await;
    let events = list(&daemon, of("merge#2")).await.unwrap();
    assert!(loops(&events.rows).is_empty());
    assert!(events.notes[0].contains("loops"), "{:?}", events.notes);
}

#[tokio::test]
async fn strategies_by_coverage_ask_what_the_design_says() {
    let daemon = daemon(Level::Full).await;
    let mut client = DebuggingClient::new(daemon.channel.clone());
    for (strategy, most) in [
        ("coverage-halving:edges", 1),
        ("coverage-expected:edges", 1),
        ("coverage-halving:du-chains", 2),
        ("coverage-expected:du-chains", 2),
    ] {
        let request = CreateSessionRequest {
            recording: NAME.to_owned(),
            strategy: strategy.to_owned(),
            restrict_to: String::new(),
        };
        let mut session = client.create_session(request).await.unwrap().into_inner();
        let mut asked = Vec::new();
        while session.progress() == Progress::Asking {
            let call = session.question.clone().unwrap();
            asked.push(format!("{}#{}", call.method, call.invocation));
            let wrong = ["main#0", "sort#0", "merge#2"].contains(&asked[asked.len() - 1].as_str());
            let answer = match wrong {
                true => AnswerKind::Invalid,
                false => AnswerKind::Valid,
            };
            let request = AnswerRequest {
                recording: NAME.to_owned(),
                session: session.id.clone(),
                call: call.id,
                answer: answer.into(),
            };
            session = client.answer(request).await.unwrap().into_inner();
        }
        assert_eq!(session.progress(), Progress::Found);
        let buggy = session.buggy.unwrap();
        assert_eq!((buggy.method.as_str(), buggy.invocation), ("merge", 2));
        assert!(asked.len() <= most, "{strategy}: {asked:?}");
        assert!(most > 1 || asked == ["merge#2"], "{strategy}: {asked:?}");
    }
}
