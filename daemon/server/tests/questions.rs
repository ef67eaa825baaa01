//! The services `History` and `Debugging` over a real channel, on a recording of the reference example.

#[allow(dead_code, reason = "other tests use the rest of it")]
mod common;
#[path = "../../history/tests/common/mod.rs"]
mod recordings;

use common::{TestDaemon, field, reason};
use jhyde_proto::v1::debugging_client::DebuggingClient;
use jhyde_proto::v1::history_client::HistoryClient;
use jhyde_proto::v1::{
    AnswerKind, AnswerRequest, Call, Classification, CreateSessionRequest, ExpandObjectRequest,
    GetCallRequest, GetRecordingRequest, GetSideRequest, GetStateRequest, KeepRequest,
    ListCallsRequest, ListClassesRequest, ListEventsRequest, ListRecordingsRequest,
    ListSessionsRequest, ListThreadsRequest, ListWritesRequest, Mark, NavigateRequest, Progress,
    RecordingState, RestrictRequest, Session, SessionRequest, SetStrategyRequest, Step,
    StreamEventsRequest, check_event, event, value,
};
use jhyde_trace::Level;
use recordings::MergeSort;
use tokio_stream::StreamExt as _;
use tonic::transport::Channel;
use tonic::{Code, Status};

const NAME: &str = "test";

async fn daemon(level: Level) -> TestDaemon {
    let folder = MergeSort::recorded(level, true)
        .builder
        .finish()
        .into_folder();
    TestDaemon::start_in(folder).await
}

fn history(daemon: &TestDaemon) -> HistoryClient<Channel> {
    HistoryClient::new(daemon.channel.clone())
}

fn debugging(daemon: &TestDaemon) -> DebuggingClient<Channel> {
    DebuggingClient::new(daemon.channel.clone())
}

fn get(call: &str) -> GetCallRequest {
    GetCallRequest {
        recording: NAME.to_owned(),
        call: call.to_owned(),
        ..GetCallRequest::default()
    }
}

fn side(call: &str) -> GetSideRequest {
    GetSideRequest {
        recording: NAME.to_owned(),
        call: call.to_owned(),
        ..GetSideRequest::default()
    }
}

async fn begin(daemon: &TestDaemon, strategy: &str) -> Result<Session, Status> {
    let request = CreateSessionRequest {
        recording: NAME.to_owned(),
        strategy: strategy.to_owned(),
        restrict_to: String::new(),
        ..CreateSessionRequest::default()
    };
    Ok(debugging(daemon)
        .create_session(request)
        .await?
        .into_inner())
}

async fn answer(
    daemon: &TestDaemon,
    session: &str,
    call: &str,
    kind: AnswerKind,
) -> Result<Session, Status> {
    let request = AnswerRequest {
        recording: NAME.to_owned(),
        session: session.to_owned(),
        call: call.to_owned(),
        answer: kind.into(),
        ..AnswerRequest::default()
    };
    Ok(debugging(daemon).answer(request).await?.into_inner())
}

fn asked(session: &Session) -> &Call {
    session.question.as_ref().expect("a question")
}

#[tokio::test]
async fn the_buggy_call_is_found_in_the_order_of_the_design() {
    let daemon = daemon(Level::State).await;
    for (strategy, order) in [
        ("top-down", &[1_u32, 2, 3, 4, 5, 6, 7][..]),
        ("divide-and-query", &[2, 3, 4, 5, 6, 7]),
        // Without coverage it goes by methods: merge ran three times, distribute twice.
        ("adaptive", &[2, 4, 3, 5, 6, 7]),
        ("", &[2, 4, 3, 5, 6, 7]),
    ] {
        let mut session = begin(&daemon, strategy).await.unwrap();
        let mut seen = Vec::new();
        while session.progress() == Progress::Asking {
            let id = asked(&session).id.clone();
            let number: u32 = id.strip_prefix("1.").unwrap().parse().unwrap();
            seen.push(number);
            let tells = session.strategy == "adaptive";
            assert_eq!(
                session.why.contains("likely to be wrong"),
                tells,
                "{}",
                session.why
            );
            assert_eq!(session.expected.is_some_and(|n| n >= 1.0), tells);
            let kind = match number {
                1 | 2 | 7 => AnswerKind::Invalid,
                _ => AnswerKind::Valid,
            };
            session = answer(&daemon, &session.id, &id, kind).await.unwrap();
        }
        assert_eq!(seen, order, "{strategy}");
        assert_eq!(session.progress(), Progress::Found);
        let buggy = session.buggy.as_ref().unwrap();
        assert_eq!((buggy.method.as_str(), buggy.invocation), ("merge", 2));
        assert_eq!(buggy.classification(), Classification::Buggy);
        assert_eq!(session.suspicious, 1);
        let undone = debugging(&daemon)
            .undo(SessionRequest {
                recording: NAME.into(),
                session: session.id.clone(),
            })
            .await
            .unwrap()
            .into_inner();
        assert_eq!(asked(&undone).id, "1.7");
        assert!(undone.can_redo);
    }
    let all = ListSessionsRequest {
        recording: NAME.into(),
    };
    assert_eq!(
        debugging(&daemon)
            .list_sessions(all)
            .await
            .unwrap()
            .into_inner()
            .sessions
            .len(),
        4
    );
}

#[tokio::test]
async fn sessions_refuse_what_makes_no_sense() {
    let daemon = daemon(Level::State).await;
    let mut client = debugging(&daemon);
    let session = begin(&daemon, "top-down").await.unwrap().id;
    let request = || SessionRequest {
        recording: NAME.into(),
        session: session.clone(),
    };

    let status = begin(&daemon, "guess").await.unwrap_err();
    assert_eq!(
        (status.code(), field(&status).as_str()),
        (Code::InvalidArgument, "strategy")
    );
    let status = begin(&daemon, "coverage-halving:edges").await.unwrap_err();
    assert_eq!(
        (status.code(), reason(&status).as_str()),
        (Code::FailedPrecondition, "NEEDS_COVERAGE")
    );
    let status = answer(&daemon, &session, "1.7", AnswerKind::Unspecified)
        .await
        .unwrap_err();
    assert_eq!(
        (status.code(), field(&status).as_str()),
        (Code::InvalidArgument, "answer")
    );
    let status = answer(&daemon, &session, "1.70", AnswerKind::Valid)
        .await
        .unwrap_err();
    assert_eq!(
        (status.code(), reason(&status).as_str()),
        (Code::NotFound, "NO_CALL")
    );
    let status = answer(&daemon, "nobody", "1.7", AnswerKind::Valid)
        .await
        .unwrap_err();
    assert_eq!(
        (status.code(), reason(&status).as_str()),
        (Code::NotFound, "NO_SESSION")
    );
    let status = client.undo(request()).await.unwrap_err();
    assert_eq!(
        (status.code(), reason(&status).as_str()),
        (Code::FailedPrecondition, "NOTHING_TO_UNDO")
    );
    let restrict = RestrictRequest {
        recording: NAME.into(),
        session: session.clone(),
        call: "sort#0".into(),
    };
    let restricted = client.restrict(restrict).await.unwrap().into_inner();
    assert_eq!(
        (restricted.restricted_to.as_str(), restricted.suspicious),
        ("1.2", 6)
    );
    let status = answer(&daemon, &session, "1.1", AnswerKind::Valid)
        .await
        .unwrap_err();
    assert_eq!(
        (status.code(), reason(&status).as_str()),
        (Code::FailedPrecondition, "OUTSIDE_RESTRICTION")
    );
    let other = SetStrategyRequest {
        recording: NAME.into(),
        session: session.clone(),
        strategy: "divide-and-query".into(),
    };
    assert_eq!(
        asked(&client.set_strategy(other).await.unwrap().into_inner()).id,
        "1.3"
    );
    let counted = client.get_statistics(request()).await.unwrap().into_inner();
    assert_eq!(
        (
            counted.calls,
            counted.suspicious,
            counted.classes[0].class.as_str()
        ),
        (7, 6, "demo.MergeSort")
    );
    client.delete_session(request()).await.unwrap();
    assert_eq!(
        client.get_session(request()).await.unwrap_err().code(),
        Code::NotFound
    );
}

#[tokio::test]
async fn every_question_is_answered() {
    let daemon = daemon(Level::Full).await;
    let mut client = history(&daemon);
    let threads = client
        .list_threads(ListThreadsRequest {
            recording: NAME.into(),
        })
        .await
        .unwrap()
        .into_inner()
        .threads;
    assert_eq!(
        (
            threads[0].name.as_str(),
            threads[0].calls,
            threads[0].end.is_some()
        ),
        ("main", 7, true)
    );

    let merge = client.get_call(get("merge#2")).await.unwrap().into_inner();
    assert_eq!(
        (merge.id.as_str(), merge.depth, merge.parent.as_str()),
        ("1.7", 2, "1.2")
    );
    assert_eq!(
        merge.arguments[0].value.as_ref().unwrap().display,
        "int[4] array#3"
    );
    assert!(matches!(
        merge.result.as_ref().unwrap().kind,
        Some(value::Kind::Void(true))
    ));
    let path = client
        .get_path(get("1.7"))
        .await
        .unwrap()
        .into_inner()
        .calls;
    assert_eq!(
        path.iter()
            .map(|call| call.method.as_str())
            .collect::<Vec<_>>(),
        ["main", "sort", "merge"]
    );

    let list = ListCallsRequest {
        recording: NAME.into(),
        page_size: 3,
        ..ListCallsRequest::default()
    };
    let page = client.list_calls(list.clone()).await.unwrap().into_inner();
    assert_eq!(page.calls.len(), 3);
    let next = ListCallsRequest {
        page_token: page.next_page_token.clone(),
        ..list.clone()
    };
    assert_eq!(
        client.list_calls(next).await.unwrap().into_inner().calls[0].id,
        "1.4"
    );
    let streamed: Vec<_> = client
        .stream_calls(list)
        .await
        .unwrap()
        .into_inner()
        .map(|c| c.unwrap().id)
        .collect()
        .await;
    assert_eq!(streamed, ["1.1", "1.2", "1.3", "1.4", "1.5", "1.6", "1.7"]);

    let state = GetStateRequest {
        recording: NAME.into(),
        call: "sort#0".into(),
        ..GetStateRequest::default()
    };
    let state = client.get_state(state).await.unwrap().into_inner();
    let a = state.rows.iter().find(|row| row.name == "a").unwrap();
    assert_eq!(
        (a.changed, a.changed_below, a.variable.as_str()),
        (false, true, "1.2:a")
    );
    let expand = ExpandObjectRequest {
        recording: NAME.into(),
        object: 2,
        from: state.from,
        to: state.to,
        ..ExpandObjectRequest::default()
    };
    let rows = client
        .expand_object(expand)
        .await
        .unwrap()
        .into_inner()
        .rows;
    assert_eq!(
        rows[2].end.as_ref().unwrap().kind,
        Some(value::Kind::Int(9))
    );
    let input = client.get_input(side("1.7")).await.unwrap().into_inner();
    assert_eq!(
        input
            .objects
            .iter()
            .map(|o| o.path.as_str())
            .collect::<Vec<_>>(),
        ["a", "b", "c"]
    );
    let result = client.get_result(side("1.7")).await.unwrap().into_inner();
    assert_eq!(
        (result.objects.len(), result.objects[0].path.as_str()),
        (1, "c")
    );

    let events = ListEventsRequest {
        recording: NAME.into(),
        call: "1.2".into(),
        mark: "array#2[2]".into(),
        ..ListEventsRequest::default()
    };
    let rows = client.list_events(events).await.unwrap().into_inner().rows;
    let inside: Vec<_> = rows
        .iter()
        .filter(|row| row.mark() == Mark::Inside)
        .map(|row| &row.event.as_ref().unwrap().kind)
        .collect();
    assert!(matches!(
        inside[..],
        [Some(event::Kind::Enter(_)), Some(event::Kind::Enter(_))]
    ));
    let writes = ListWritesRequest {
        recording: NAME.into(),
        variable: "array#2[2]".into(),
        ..ListWritesRequest::default()
    };
    let writes = client.list_writes(writes).await.unwrap().into_inner();
    let values: Vec<_> = writes
        .writes
        .iter()
        .map(|write| write.value.as_ref().unwrap().display.as_str())
        .collect();
    assert_eq!(values, ["1", "1", "7", "9"]);
    let step = NavigateRequest {
        recording: NAME.into(),
        from: state.from,
        step: Step::NextWrite.into(),
        variable: "array#2[2]".into(),
        ..NavigateRequest::default()
    };
    assert_eq!(
        client.navigate(step).await.unwrap().into_inner().call,
        "1.5"
    );
    let follow = StreamEventsRequest {
        recording: NAME.into(),
        follow: true,
        thread: 1,
        ..StreamEventsRequest::default()
    };
    let timestamps: Vec<_> = client
        .stream_events(follow)
        .await
        .unwrap()
        .into_inner()
        .map(|e| e.unwrap().timestamp)
        .collect()
        .await;
    assert!(
        timestamps.windows(2).all(|pair| pair[0] < pair[1]) && timestamps.len() > 40,
        "to its end, in order"
    );
    let classes = client
        .list_classes(ListClassesRequest {
            recording: NAME.into(),
            all: false,
        })
        .await
        .unwrap()
        .into_inner()
        .classes;
    assert_eq!(
        classes[0]
            .methods
            .iter()
            .map(|method| method.calls)
            .collect::<Vec<_>>(),
        [1, 1, 2, 3]
    );
    let uncaught = client
        .list_uncaught(ListThreadsRequest {
            recording: NAME.into(),
        })
        .await
        .unwrap();
    assert!(uncaught.into_inner().exceptions.is_empty());
}

#[tokio::test]
async fn questions_that_make_no_sense_say_which_field_is_wrong() {
    let daemon = daemon(Level::Full).await;
    let mut client = history(&daemon);
    let none = GetCallRequest {
        recording: "nobody".into(),
        call: "1.1".into(),
        ..GetCallRequest::default()
    };
    assert_eq!(
        client.get_call(none).await.unwrap_err().code(),
        Code::NotFound
    );
    for (call, code) in [
        ("", Code::InvalidArgument),
        ("x", Code::InvalidArgument),
        ("1.70", Code::NotFound),
        ("merge#9", Code::NotFound),
        ("1.0", Code::NotFound),
    ] {
        let status = client.get_call(get(call)).await.unwrap_err();
        assert_eq!(status.code(), code, "'{call}': {status}");
        if code == Code::InvalidArgument {
            assert_eq!(field(&status), "call");
        }
    }
    let list = |page_size, page_token: &str| ListCallsRequest {
        recording: NAME.into(),
        page_size,
        page_token: page_token.into(),
        ..ListCallsRequest::default()
    };
    for (request, wrong) in [
        (list(10_001, ""), "page_size"),
        (list(0, "zz"), "page_token"),
    ] {
        let status = client.list_calls(request).await.unwrap_err();
        assert_eq!(
            (status.code(), field(&status).as_str()),
            (Code::InvalidArgument, wrong)
        );
    }
    let state = GetStateRequest {
        recording: NAME.into(),
        call: "1.2".into(),
        from: Some(9),
        to: Some(3),
        budget: 0,
        ..GetStateRequest::default()
    };
    assert_eq!(
        client.get_state(state).await.unwrap_err().code(),
        Code::InvalidArgument
    );
    let writes = ListWritesRequest {
        recording: NAME.into(),
        variable: "1.7:zz".into(),
        ..ListWritesRequest::default()
    };
    let status = client.list_writes(writes).await.unwrap_err();
    assert_eq!(
        (status.code(), reason(&status).as_str()),
        (Code::NotFound, "NO_VARIABLE")
    );
    let step = NavigateRequest {
        recording: NAME.into(),
        from: 1,
        ..NavigateRequest::default()
    };
    let status = client.navigate(step).await.unwrap_err();
    assert_eq!(
        (status.code(), field(&status).as_str()),
        (Code::InvalidArgument, "step")
    );
    let thread = StreamEventsRequest {
        recording: NAME.into(),
        thread: 9,
        ..StreamEventsRequest::default()
    };
    assert_eq!(
        client.stream_events(thread).await.unwrap_err().code(),
        Code::NotFound
    );
}

/// Between two questions nothing has the recording open, and still somebody is at it.
#[tokio::test]
async fn a_recording_in_a_session_is_spared_and_goes_when_it_is_named() {
    let daemon = daemon(Level::Full).await;
    let mut recordings = daemon.recordings();
    let everything = || KeepRequest {
        limits: vec!["1B".to_owned()],
        dry_run: true,
    };
    let plan = recordings.keep(everything()).await.unwrap().into_inner();
    assert_eq!((plan.deleted.len(), plan.spared.len()), (1, 0));
    let session = begin(&daemon, "top-down").await.unwrap();
    let request = KeepRequest {
        dry_run: false,
        ..everything()
    };
    let kept = recordings.keep(request).await.unwrap().into_inner();
    assert_eq!((kept.deleted.len(), kept.spared.len()), (0, 1));
    let call = asked(&session).id.clone();
    answer(&daemon, &session.id, &call, AnswerKind::Invalid)
        .await
        .unwrap();
    let named = GetRecordingRequest {
        recording: NAME.to_owned(),
    };
    recordings.delete(named).await.unwrap();
    let gone = begin(&daemon, "top-down").await.unwrap_err();
    assert_eq!(gone.code(), Code::NotFound);
}

/// What cannot be used is listed with its reason, is no reason to fail, and can be deleted.
#[tokio::test]
async fn recordings_that_cannot_be_used_are_listed_and_can_be_deleted() {
    let folder = MergeSort::recorded(Level::Full, true)
        .builder
        .finish()
        .into_folder();
    let recordings = folder.path().join("recordings");
    let good = std::fs::read_dir(&recordings).unwrap().next().unwrap();
    let good = good.unwrap().path();
    let id = good.file_name().unwrap().to_str().unwrap().to_owned();
    let copy = |to: &str| {
        let to = recordings.join(to);
        let mut copy = std::process::Command::new("cp");
        let status = copy.arg("-R").args([&good, &to]).status();
        assert!(status.unwrap().success());
        to
    };
    let description = copy("bad-description").join("recording.json");
    std::fs::write(&description, "{}").unwrap();
    let text = std::fs::read_to_string(good.join("recording.json")).unwrap();
    let older = text.replace("\"jhyde_recording\": 2", "\"jhyde_recording\": 1");
    assert_ne!(older, text);
    std::fs::write(copy("older").join("recording.json"), older).unwrap();
    std::fs::remove_dir_all(copy("without-database").join("db")).unwrap();

    let daemon = TestDaemon::start_in(folder).await;
    let mut client = daemon.recordings();
    let list = |page_size, page_token: String| ListRecordingsRequest {
        page_size,
        page_token,
    };
    let all = client.list(list(0, String::new())).await.unwrap();
    let all = all.into_inner().recordings;
    let told: Vec<_> = all
        .iter()
        .map(|one| (one.id.as_str(), one.state()))
        .collect();
    let unreadable = RecordingState::Unreadable;
    assert_eq!(told.len(), 4, "{told:?}");
    assert_eq!(
        all.iter().filter(|one| one.state() == unreadable).count(),
        3
    );
    let why = |id: &str| {
        let one = all.iter().find(|one| one.id == id);
        let one = one.unwrap_or_else(|| panic!("{id} is not listed: {told:?}"));
        (one.state() == unreadable).then(|| one.state_reason.clone())
    };
    assert_eq!(why(&id), None);
    assert!(why("bad-description").unwrap().contains("recording.json"));
    let older = why("older").unwrap();
    assert!(
        older.contains("version 1") && older.contains("an older jhyde"),
        "{older}"
    );
    assert!(!why("without-database").unwrap().is_empty());

    // Page by page they are the same.
    let (mut paged, mut token) = (Vec::new(), String::new());
    loop {
        let page = client.list(list(1, token)).await.unwrap().into_inner();
        paged.extend(page.recordings);
        token = page.next_page_token;
        if token.is_empty() {
            break;
        }
    }
    assert_eq!(paged, all);

    for id in ["bad-description", "older", "without-database"] {
        let named = GetRecordingRequest {
            recording: id.to_owned(),
        };
        client
            .delete(named)
            .await
            .unwrap_or_else(|status| panic!("{id}: {status}"));
        assert!(!daemon.folder.path().join("recordings").join(id).exists());
    }
    let rest = client
        .list(list(0, String::new()))
        .await
        .unwrap()
        .into_inner();
    assert_eq!(rest.recordings.len(), 1);
}

/// A session's file is damaged: the others are listed, `check` says it, and it can be deleted.
#[tokio::test]
async fn a_damaged_session_hides_no_other() {
    let first = daemon(Level::Full).await;
    let good = begin(&first, "top-down").await.unwrap();
    let bad = begin(&first, "top-down").await.unwrap();
    // Another daemon, which has nothing of it in memory.
    let folder = tempfile::tempdir().unwrap();
    let mut copy = std::process::Command::new("cp");
    copy.arg("-R").arg(first.folder.path().join("recordings"));
    assert!(copy.arg(folder.path()).status().unwrap().success());
    let recordings = folder.path().join("recordings");
    let recording = std::fs::read_dir(&recordings).unwrap().next().unwrap();
    let file = recording.unwrap().path().join("sessions").join(&bad.id);
    let mut bytes = std::fs::read(&file).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    std::fs::write(&file, bytes).unwrap();
    let daemon = TestDaemon::start_in(folder).await;

    let request = ListSessionsRequest {
        recording: NAME.to_owned(),
    };
    let listed = debugging(&daemon).list_sessions(request).await.unwrap();
    let listed = listed.into_inner();
    let ids: Vec<_> = listed.sessions.iter().map(|session| &session.id).collect();
    assert_eq!(ids, [&good.id]);
    let said = |text: &str| text.contains(&bad.id) && text.contains("is not touched");
    assert!(
        matches!(&listed.notes[..], [note] if said(note)),
        "{:?}",
        listed.notes
    );
    let named = GetRecordingRequest {
        recording: NAME.to_owned(),
    };
    let events = daemon.recordings().check(named).await.unwrap().into_inner();
    let events: Vec<_> = events.map(|event| event.unwrap().event).collect().await;
    let report = events.into_iter().rev().find_map(|event| match event {
        Some(check_event::Event::Report(report)) => Some(report),
        _ => None,
    });
    let damage = report.expect("a report").damage;
    assert!(
        matches!(&damage[..], [one] if said(&one.message) && one.from.is_none()),
        "{damage:?}"
    );
    let request = SessionRequest {
        recording: NAME.to_owned(),
        session: bad.id,
    };
    debugging(&daemon).delete_session(request).await.unwrap();
    assert!(!file.exists());
}
