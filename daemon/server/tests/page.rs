//! What a page asks beside what the terminal does: lines, places, statics and methods by pages, calls as a session has them,
//! source that a client sends. On the reference example as `javac` compiles it, run by the small machine of the history's
//! tests.

#[allow(dead_code, reason = "other tests use the rest of it")]
mod common;
#[path = "../../history/tests/common/machine.rs"]
mod machine;

use common::{TestDaemon, reason};
use jhyde_proto::v1;
use jhyde_proto::v1::debugging_client::DebuggingClient;
use jhyde_proto::v1::history_client::HistoryClient;
use jhyde_store::{Catalogue, StoreOptions};
use jhyde_trace::{Level, RecordingOptions, State};
use machine::{Machine, compile};
use tonic::Code;
use tonic::transport::Channel;

const NAME: &str = "sorted";
// The machine says of every class that its source is Test.java.
const SOURCE: &str = include_str!("../../../integration/java/fixtures/mergesort/MergeSort.java");

async fn daemon(source: &str, file: &str) -> TestDaemon {
    let folder = tempfile::tempdir().unwrap();
    let catalogue = Catalogue::open(folder.path(), StoreOptions::default()).unwrap();
    let options = RecordingOptions {
        level: Level::Full,
        ..RecordingOptions::default()
    };
    let (recording, mut writer) = catalogue.create(Some(NAME), options).unwrap();
    Machine::new(&mut writer, compile(file, source, &["-g"])).call("main", &[0]);
    writer
        .finish(State::Complete { exit_code: Some(0) })
        .unwrap();
    drop((recording, catalogue));
    TestDaemon::start_in(folder).await
}

async fn merge_sort() -> (TestDaemon, HistoryClient<Channel>) {
    let daemon = daemon(SOURCE, "MergeSort.java").await;
    let history = HistoryClient::new(daemon.channel.clone());
    (daemon, history)
}

fn named() -> String {
    NAME.to_owned()
}

/// The line of the source that has this text.
fn line(text: &str) -> u32 {
    let at = SOURCE.lines().position(|line| line.contains(text));
    u32::try_from(at.expect("a line")).unwrap() + 1
}

#[tokio::test]
async fn the_lines_of_the_wrong_merge_are_counted() {
    let (_daemon, mut history) = merge_sort().await;
    let request = v1::ListLinesRequest {
        recording: named(),
        call: "merge#2".to_owned(),
    };
    let lines = history.list_lines(request).await.unwrap().into_inner();
    assert_eq!(
        (lines.class.as_str(), lines.source_file.as_str()),
        ("MergeSort", "Test.java")
    );
    assert_eq!(lines.counted_to, None);
    assert_eq!(lines.notes, Vec::<String>::new());
    let of = |number| lines.lines.iter().find(|run| run.line == number).unwrap();
    // One of the left half is left over, and stored in the wrong place.
    let wrong = of(line("c[lb++] = a[la++]"));
    assert_eq!(wrong.count, 1);
    assert!(
        lines
            .lines
            .iter()
            .any(|run| run.count == 0 && run.first.is_none()),
        "{lines:?}"
    );
    // From one time to the next it is a step.
    for run in lines.lines.iter().filter(|run| run.count > 0) {
        let exit = lines.lines.iter().filter_map(|run| run.last).max().unwrap();
        let (mut at, mut seen) = (run.first.unwrap(), 1);
        while at < exit {
            let step = v1::NavigateRequest {
                recording: named(),
                from: at,
                step: v1::Step::NextAtLine.into(),
                class: "MergeSort".to_owned(),
                line: run.line,
                ..v1::NavigateRequest::default()
            };
            match history.navigate(step).await {
                Ok(event) if event.get_ref().timestamp <= exit => at = event.into_inner().timestamp,
                _ => break,
            }
            seen += 1;
        }
        assert_eq!(
            (seen, at),
            (run.count, run.last.unwrap()),
            "line {}",
            run.line
        );
    }
}

#[tokio::test]
async fn a_timestamp_is_found_down_to_the_iteration() {
    let (_daemon, mut history) = merge_sort().await;
    let writes = v1::ListWritesRequest {
        recording: named(),
        variable: "array#1[2]".to_owned(),
        newest_first: true,
        ..v1::ListWritesRequest::default()
    };
    let writes = history.list_writes(writes).await.unwrap().into_inner();
    let last = &writes.writes[0];
    assert_eq!(
        (writes.last, writes.first),
        (
            Some(last.timestamp),
            writes.writes.last().map(|w| w.timestamp)
        )
    );
    let locate = |call: &str| v1::LocateRequest {
        recording: named(),
        timestamp: last.timestamp,
        call: call.to_owned(),
        ..v1::LocateRequest::default()
    };
    let found = history.locate(locate("")).await.unwrap().into_inner();
    let methods: Vec<_> = found.path.iter().map(|call| call.method.as_str()).collect();
    assert_eq!(methods, ["main", "sort", "merge"]);
    assert_eq!(found.call.as_ref(), found.path.last());
    assert_eq!(
        found.event.unwrap().place.unwrap().line,
        Some(line("c[lb++] = a[la++]"))
    );
    assert_eq!(found.rows.len(), 2, "{:?}", found.rows);
    let (rest, round) = (
        found.rows[0].r#loop.as_ref().unwrap(),
        found.rows[1].iteration.as_ref().unwrap(),
    );
    assert_eq!((rest.iterations, round.number), (1, 1));
    // In the list of the sort it is in the second round of the outer loop, and the last of the merges.
    let above = history.locate(locate("sort#0")).await.unwrap().into_inner();
    let rounds: Vec<_> = above
        .rows
        .iter()
        .filter_map(|row| Some(row.iteration.as_ref()?.number))
        .collect();
    assert_eq!(rounds, [2, 1]);
    let not_there = history.locate(locate("distribute#0")).await.unwrap_err();
    assert_eq!(
        (not_there.code(), reason(&not_there).as_str()),
        (Code::InvalidArgument, "START")
    );
    let beyond = v1::LocateRequest {
        recording: named(),
        timestamp: 1 << 40,
        ..v1::LocateRequest::default()
    };
    assert_eq!(
        history.locate(beyond).await.unwrap_err().code(),
        Code::NotFound
    );
}

#[tokio::test]
async fn calls_say_how_they_stand_in_a_session() {
    let (daemon, mut history) = merge_sort().await;
    let mut debugging = DebuggingClient::new(daemon.channel.clone());
    let of = |session: &v1::Session| v1::SessionRequest {
        recording: named(),
        session: session.id.clone(),
    };
    for (strategy, own) in [
        ("top-down", None),
        (
            "divide-and-query",
            Some([7.0, 6.0, 1.0, 1.0, 1.0, 1.0, 1.0]),
        ),
        // Own weights 1 5 7 8 8 7 9, the subtrees' sums.
        (
            "coverage-halving:edges",
            Some([45.0, 44.0, 7.0, 8.0, 8.0, 7.0, 9.0]),
        ),
    ] {
        let create = v1::CreateSessionRequest {
            recording: named(),
            strategy: strategy.to_owned(),
            ..v1::CreateSessionRequest::default()
        };
        let session = debugging.create_session(create).await.unwrap().into_inner();
        let list = v1::ListCallsRequest {
            recording: named(),
            session: session.id.clone(),
            without_boundary: true,
            ..v1::ListCallsRequest::default()
        };
        let page = history.list_calls(list.clone()).await.unwrap().into_inner();
        let weights: Option<Vec<f64>> = page.calls.iter().map(|call| call.weight).collect();
        assert_eq!(weights, own.map(Vec::from), "{strategy}");
        assert_eq!(page.weight, own.map(|own| own[0]), "{strategy}");
        assert!(page.calls.iter().all(|call| call.suspicious == Some(true)));
        // Without a session nothing of it is said.
        let plain = v1::ListCallsRequest {
            session: String::new(),
            ..list.clone()
        };
        let plain = history.list_calls(plain).await.unwrap().into_inner();
        assert!(
            plain
                .calls
                .iter()
                .all(|call| call.suspicious.is_none() && call.weight.is_none())
        );
        // Nobody answered, nothing changed.
        let looking_on = debugging.clone();
        let revision = |request| {
            let mut debugging = looking_on.clone();
            async move {
                debugging
                    .get_revision(request)
                    .await
                    .unwrap()
                    .into_inner()
                    .revision
            }
        };
        assert_eq!(revision(of(&session)).await, session.revision);
        let answer = v1::AnswerRequest {
            recording: named(),
            session: session.id.clone(),
            call: "distribute#0".to_owned(),
            answer: v1::AnswerKind::Valid.into(),
            ..v1::AnswerRequest::default()
        };
        let answered = debugging.answer(answer).await.unwrap().into_inner();
        assert_ne!(answered.revision, session.revision);
        assert_eq!(revision(of(&session)).await, answered.revision);
        let path = v1::GetCallRequest {
            recording: named(),
            call: "distribute#0".to_owned(),
            session: session.id.clone(),
        };
        let path = history.get_path(path).await.unwrap().into_inner().calls;
        let stands: Vec<_> = path
            .iter()
            .map(|call| (call.classification(), call.suspicious))
            .collect();
        let nothing = v1::Classification::Unspecified;
        assert_eq!(
            stands,
            [
                (nothing, Some(true)),
                (nothing, Some(true)),
                (v1::Classification::Valid, Some(false))
            ]
        );
        let undone = debugging.undo(of(&session)).await.unwrap().into_inner();
        assert_eq!(revision(of(&session)).await, undone.revision);
        debugging.delete_session(of(&session)).await.unwrap();
        let gone = debugging.get_revision(of(&session)).await.unwrap_err();
        assert_eq!(gone.code(), Code::NotFound);
        let gone = history.list_calls(list).await.unwrap_err();
        assert_eq!(
            (gone.code(), reason(&gone).as_str()),
            (Code::NotFound, "NO_SESSION")
        );
    }
}

#[tokio::test]
async fn children_begin_anywhere() {
    let (_daemon, mut history) = merge_sort().await;
    let list = |at, backward, size| v1::ListCallsRequest {
        recording: named(),
        call: "sort#0".to_owned(),
        max_depth: 1,
        without_root: true,
        page_size: size,
        start: Some(v1::ListStart {
            at: Some(at),
            backward,
        }),
        ..v1::ListCallsRequest::default()
    };
    use v1::list_start::At;
    let of = |page: &v1::ListCallsResponse| -> Vec<String> {
        page.calls
            .iter()
            .map(|call| format!("{}#{}", call.method, call.invocation))
            .collect()
    };
    let merge = history
        .get_call(v1::GetCallRequest {
            recording: named(),
            call: "merge#1".to_owned(),
            ..v1::GetCallRequest::default()
        })
        .await
        .unwrap()
        .into_inner();
    for at in [
        At::Call("merge#1".to_owned()),
        At::Timestamp(merge.enter + 3),
        At::Index(2),
    ] {
        let on = history
            .list_calls(list(at.clone(), false, 2))
            .await
            .unwrap()
            .into_inner();
        assert_eq!(of(&on), ["merge#1", "distribute#1"], "{at:?}");
        assert_eq!((on.place, on.places), (2, 5));
        let back = history
            .list_calls(list(at, true, 2))
            .await
            .unwrap()
            .into_inner();
        assert_eq!(of(&back), ["distribute#0", "merge#0"]);
        assert!(back.previous_page_token.is_empty() && !back.next_page_token.is_empty());
    }
    let no_place = history.list_calls(v1::ListCallsRequest {
        start: Some(v1::ListStart::default()),
        ..list(At::Index(0), false, 0)
    });
    assert_eq!(no_place.await.unwrap_err().code(), Code::InvalidArgument);
}

#[tokio::test]
async fn methods_are_found_by_parts_of_names_and_by_places() {
    let (_daemon, mut history) = merge_sort().await;
    let mut find = async |text: &str, size: u32, token: &str| {
        let request = v1::FindMethodsRequest {
            recording: named(),
            text: text.to_owned(),
            page_size: size,
            page_token: token.to_owned(),
            ..v1::FindMethodsRequest::default()
        };
        history.find_methods(request).await.unwrap().into_inner()
    };
    let names = |found: &v1::FindMethodsResponse| -> Vec<String> {
        let methods = found.methods.iter();
        methods
            .map(|found| found.method.as_ref().unwrap().name.clone())
            .collect()
    };
    let merge = find("MERGE", 0, "").await;
    assert_eq!(names(&merge)[0], "merge");
    assert_eq!(merge.methods[0].method.as_ref().unwrap().calls, 3);
    assert!(merge.found > 1, "the class's name has it, too: {merge:?}");
    let first = find("sort.", 1, "").await;
    let second = find("sort.", 1, &first.next_page_token).await;
    assert_ne!(names(&first), names(&second));
    let place = format!("Test.java:{}", line("c[lb++] = a[la++]"));
    assert_eq!(names(&find(&place, 0, "").await), ["merge"]);
    assert!(find("nothing of the kind", 0, "").await.methods.is_empty());
}

#[tokio::test]
async fn many_statics_come_by_pages_and_the_changed_ones_by_themselves() {
    const FIELDS: usize = 9000;
    let mut source = "class Many {\n".to_owned();
    for field in 0..FIELDS {
        source.push_str(&format!("static int f{field};\n"));
    }
    source.push_str("static int main(int n) { touch(); return n; }\nstatic void touch() { f8765 = 1; f17 = 2; }\n}\n");
    let daemon = daemon(&source, "Many.java").await;
    let mut history = HistoryClient::new(daemon.channel.clone());
    let state = |without_statics| v1::GetStateRequest {
        recording: named(),
        call: "touch#0".to_owned(),
        without_statics,
        ..v1::GetStateRequest::default()
    };
    let statics = |rows: &[v1::StateRow]| {
        rows.iter()
            .filter(|row| row.kind() == v1::RowKind::Static)
            .count()
    };
    let with = history.get_state(state(false)).await.unwrap().into_inner();
    let without = history.get_state(state(true)).await.unwrap().into_inner();
    assert_eq!((with.statics, statics(&with.rows)), (FIELDS as u64, FIELDS));
    assert_eq!(
        (without.statics, statics(&without.rows)),
        (FIELDS as u64, 0)
    );
    let list = v1::ListStaticsRequest {
        recording: named(),
        call: "touch#0".to_owned(),
        page_size: 10,
        ..v1::ListStaticsRequest::default()
    };
    let at = |index, backward| v1::ListStaticsRequest {
        start: Some(v1::ListStart {
            at: Some(v1::list_start::At::Index(index)),
            backward,
        }),
        ..list.clone()
    };
    let all: Vec<_> = with
        .rows
        .iter()
        .filter(|row| row.kind() == v1::RowKind::Static)
        .collect();
    for (request, from, to) in [
        (list.clone(), 0, 10),
        (at(8995, false), 8995, 9000),
        (at(4000, true), 3990, 4000),
        (at(5, true), 0, 5),
        (at(9000, true), 8990, 9000),
    ] {
        let page = history.list_statics(request).await.unwrap().into_inner();
        let rows: Vec<_> = page.rows.iter().collect();
        assert_eq!(rows, all[from..to], "{from} to {to}");
        assert_eq!((page.index, page.statics), (from as u64, FIELDS as u64));
        assert_eq!(page.next_page_token.is_empty(), to == FIELDS);
        assert_eq!(page.previous_page_token.is_empty(), from == 0);
    }
    let (mut changed, mut token, mut pages) = (Vec::new(), String::new(), 0);
    loop {
        let request = v1::ListStaticsRequest {
            changed: true,
            page_token: token,
            ..list.clone()
        };
        let page = history.list_statics(request).await.unwrap().into_inner();
        changed.extend(page.rows.into_iter().map(|row| row.name));
        pages += 1;
        token = page.next_page_token;
        if token.is_empty() {
            break;
        }
    }
    assert_eq!(changed, ["Many.f17", "Many.f8765"]);
    assert!(
        pages > 1,
        "a page ends after some fields, whether it has rows or not"
    );
    let named_so = v1::ListStaticsRequest {
        text: "MANY.F876".to_owned(),
        page_size: 100,
        ..list.clone()
    };
    let (mut found, mut token) = (0, String::new());
    loop {
        let page = v1::ListStaticsRequest {
            page_token: token,
            ..named_so.clone()
        };
        let page = history.list_statics(page).await.unwrap().into_inner();
        found += page.rows.len();
        token = page.next_page_token;
        if token.is_empty() {
            break;
        }
    }
    assert_eq!(found, 11, "f876, f8760 to f8769");
    // What a call was given, by pages and within a budget.
    let side = |budget, page_size, page_token: &str| v1::GetSideRequest {
        recording: named(),
        call: "touch#0".to_owned(),
        budget,
        page_size,
        page_token: page_token.to_owned(),
    };
    let whole = history
        .get_input(side(0, 0, ""))
        .await
        .unwrap()
        .into_inner();
    assert_eq!(
        (whole.rows.len(), whole.next_page_token.as_str()),
        (FIELDS, "")
    );
    let first = history
        .get_input(side(0, 4000, ""))
        .await
        .unwrap()
        .into_inner();
    let second = history
        .get_input(side(0, 4000, &first.next_page_token))
        .await
        .unwrap()
        .into_inner();
    let third = history
        .get_input(side(0, 4000, &second.next_page_token))
        .await
        .unwrap()
        .into_inner();
    let together: Vec<_> = [first.rows, second.rows, third.rows].concat();
    assert_eq!((together, third.next_page_token.as_str()), (whole.rows, ""));
    let within = history
        .get_input(side(100, 0, ""))
        .await
        .unwrap()
        .into_inner();
    assert_eq!(within.rows.len(), 100);
    assert!(
        within.notes.iter().any(|note| note.contains("budget")),
        "{:?}",
        within.notes
    );
    let result = history
        .get_result(side(0, 1, ""))
        .await
        .unwrap()
        .into_inner();
    assert_eq!(result.rows.len(), 1);
    assert!(
        !result.next_page_token.is_empty(),
        "the changed fields are on the next one"
    );
    let refused = history.get_input(side(2_000_000, 0, "")).await.unwrap_err();
    assert_eq!(
        (refused.code(), reason(&refused).as_str()),
        (Code::InvalidArgument, "BUDGET")
    );
}

#[tokio::test]
async fn source_that_a_client_sends_is_kept() {
    let (daemon, mut history) = merge_sort().await;
    let source = v1::GetSourceRequest {
        recording: named(),
        class: "MergeSort".to_owned(),
        ..v1::GetSourceRequest::default()
    };
    let none = history.get_source(source.clone()).await.unwrap_err();
    assert_eq!(reason(&none), "NO_SOURCE");
    let file = |path: &str, text: &str| v1::AddSourceRequest {
        recording: named(),
        path: path.to_owned(),
        text: text.as_bytes().to_vec(),
        modified_ms: Some(1),
    };
    let mut recordings = daemon.recordings();
    for bad in [
        "",
        "/Test.java",
        "../Test.java",
        "a/../Test.java",
        "a//Test.java",
        "a\\Test.java",
    ] {
        let refused = recordings
            .add_source(tokio_stream::iter([file(bad, SOURCE)]))
            .await
            .unwrap_err();
        assert_eq!(refused.code(), Code::InvalidArgument, "{bad}");
    }
    let long = "x".repeat((2 << 20) + 1);
    let refused = recordings
        .add_source(tokio_stream::iter([file("Test.java", &long)]))
        .await
        .unwrap_err();
    assert_eq!(refused.code(), Code::InvalidArgument);
    assert_eq!(
        reason(&history.get_source(source.clone()).await.unwrap_err()),
        "NO_SOURCE"
    );
    // Another version of it first, then the one that ran; and files that are no class's.
    let files = [
        file("old/Test.java", "class MergeSort {}\n"),
        file("src/main/java/Test.java", SOURCE),
        file("src/main/java/Other.java", "class Other {}\n"),
        file("src/test/MyTest.java", SOURCE),
    ];
    let added = recordings
        .add_source(tokio_stream::iter(files))
        .await
        .unwrap()
        .into_inner();
    assert_eq!(added.unused, 3);
    assert_eq!(added.added.len(), 1);
    assert_eq!(
        (added.added[0].class.as_str(), added.added[0].file.as_str()),
        ("MergeSort", "Test.java")
    );
    assert!(added.added[0].notes.is_empty(), "{added:?}");
    let shown = history
        .get_source(source.clone())
        .await
        .unwrap()
        .into_inner();
    assert!(
        shown.kept && shown.origin.contains("src/main/java/Test.java"),
        "{shown:?}"
    );
    assert_eq!(shown.lines.len(), SOURCE.lines().count());
    // What does not fit is shown with the reason why it does not, and what is sent later counts.
    let wrong = recordings.add_source(tokio_stream::iter([file(
        "Test.java",
        "class MergeSort {}\n",
    )]));
    let wrong = wrong.await.unwrap().into_inner();
    assert!(
        wrong.added[0].notes[0].contains("not the one that ran"),
        "{wrong:?}"
    );
    let shown = history.get_source(source).await.unwrap().into_inner();
    assert!(
        shown
            .notes
            .iter()
            .any(|note| note.contains("not the one that ran")),
        "{shown:?}"
    );
}
