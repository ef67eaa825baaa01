//! What level `full` adds to the services: loops in event lists, coverage, and the strategies by it. On the reference
//! example as `javac` compiles it, run by the small machine of the history's tests.

#[allow(dead_code, reason = "other tests use the rest of it")]
mod common;
#[path = "../../history/tests/common/machine.rs"]
mod machine;

use common::{TestDaemon, reason};
use jhyde_proto::v1::debugging_client::DebuggingClient;
use jhyde_proto::v1::history_client::HistoryClient;
use jhyde_proto::v1::{
    AnswerKind, AnswerRequest, CallCoverage, CreateSessionRequest, Declaration, EventRow,
    GetCoverageRequest, ListEventsRequest, ListEventsResponse, Mark, Progress, event,
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

async fn coverage(daemon: &TestDaemon, call: &str) -> Result<CallCoverage, Status> {
    let mut client = DebuggingClient::new(daemon.channel.clone());
    let request = GetCoverageRequest {
        recording: NAME.to_owned(),
        call: call.to_owned(),
    };
    Ok(client.get_coverage(request).await?.into_inner())
}

#[tokio::test]
async fn coverage_is_told_in_the_words_of_the_source() {
    let daemon = daemon(Level::Full).await;
    let main = coverage(&daemon, "main#0").await.unwrap();
    assert_eq!(main.call.as_ref().unwrap().method, "main");
    assert_eq!(main.notes, Vec::<String>::new());
    let [entry] = &main.edges[..] else {
        panic!("{:?}", main.edges);
    };
    let to = entry.to.clone().unwrap();
    assert_eq!(
        (&entry.from, to.line, to.index, entry.calls),
        (&None, Some(12), Some(0), 1)
    );
    // The array that main makes goes to sort and to toString.
    let told = |covered: &CallCoverage| -> Vec<(String, Option<u32>, Option<u32>)> {
        let chains = covered.chains.iter();
        chains
            .map(|chain| {
                let defined = chain.defined.clone().unwrap();
                let defined = defined.line.filter(|_| !chain.by_entry);
                (
                    chain.name.clone(),
                    defined,
                    chain.used.clone().unwrap().line,
                )
            })
            .collect()
    };
    let a = |used| ("a".to_owned(), Some(12), Some(used));
    assert_eq!(told(&main), [a(13), a(14)]);
    // Elements go by the variable that held their array; they were written by another call.
    let merge = coverage(&daemon, "merge#2").await.unwrap();
    let row = |name: &str, defined, used| (name.to_owned(), defined, Some(used));
    let chains = told(&merge);
    assert!(chains.contains(&row("a[]", Some(35), 53)), "{chains:?}");
    assert!(chains.contains(&row("b[]", Some(38), 50)), "{chains:?}");
    assert!(chains.contains(&row("la", None, 49)), "{chains:?}");
    for chain in &merge.chains {
        let element = chain.declaration() == Declaration::Element;
        let defined = chain.defined.clone().unwrap();
        let method = if element { "distribute" } else { "merge" };
        assert_eq!(
            (element, &*defined.method),
            (chain.name.ends_with("[]"), method)
        );
        assert_eq!(chain.by_entry, defined.index.is_none());
    }
}

#[tokio::test]
async fn coverage_that_is_not_known_is_refused() {
    let daemon = daemon(Level::Full).await;
    let refused = async |daemon: &TestDaemon, call: &str| {
        let status = coverage(daemon, call).await.unwrap_err();
        (status.code(), reason(&status))
    };
    let expected = (Code::FailedPrecondition, "BOUNDARY_CALL".to_owned());
    assert_eq!(refused(&daemon, "toString#0").await, expected);
    assert_eq!(
        refused(&daemon, "merge#9").await,
        (Code::NotFound, "NO_CALL".to_owned())
    );
    let state = self::daemon(Level::State).await;
    let expected = (Code::FailedPrecondition, "NEEDS_COVERAGE".to_owned());
    assert_eq!(refused(&state, "main#0").await, expected);
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
            ..CreateSessionRequest::default()
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
                ..AnswerRequest::default()
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
