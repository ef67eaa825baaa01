//! Sessions in a store: kept over a restart, on a recording that still runs, and told what is wrong.

use std::sync::Arc;

use jhyde_debugging::session::Progress;
use jhyde_debugging::sessions::Error;
use jhyde_debugging::{Answer, AnswerError, Classification, Sessions, Strategy};
use jhyde_store::{Catalogue, Recording, StoreOptions, Writer};
use jhyde_trace::{
    CallId, ClassId, ClassInfo, Event, EventKind, MethodId, MethodInfo, Outcome, RecordingOptions,
    State, ThreadId, ThreadInfo,
};
use tempfile::TempDir;

const THREAD: ThreadId = ThreadId(1);

fn call(number: u64) -> CallId {
    CallId::new(THREAD, number)
}

fn append(writer: &mut Writer, call: CallId, kind: EventKind) {
    writer
        .append(Event {
            call,
            index: 0,
            kind,
        })
        .expect("an event that fits");
}

fn enter(writer: &mut Writer, number: u64, method: u32) {
    append(
        writer,
        call(number),
        EventKind::Enter {
            method: MethodId(method),
            receiver: None,
            arguments: Vec::new(),
            call_site: 0,
            boundary: false,
            already_running: false,
        },
    );
}

fn exit(writer: &mut Writer, number: u64) {
    append(
        writer,
        call(number),
        EventKind::Exit {
            outcome: Outcome::Returned(None),
        },
    );
}

fn open(folder: &TempDir) -> Catalogue {
    Catalogue::open(folder.path(), StoreOptions::default()).expect("the data folder")
}

/// The merge sort's calls up to the end of the second merge; `main` and `sort` still run.
fn half_recorded(catalogue: &Catalogue) -> (Arc<Recording>, Writer) {
    let (recording, mut writer) = catalogue
        .create(Some("sort"), RecordingOptions::default())
        .expect("a new recording");
    writer
        .set_meta(|meta| meta.state = State::Running)
        .expect("meta can be set");
    let method = |(id, name): (u32, &str)| MethodInfo {
        id: MethodId(id),
        name: name.to_owned(),
        descriptor: "()V".to_owned(),
        modifiers: 8,
        lines: Vec::new(),
        variables: Vec::new(),
        code: Vec::new(),
    };
    let methods = [(0, "main"), (1, "sort"), (2, "distribute"), (3, "merge")]
        .map(method)
        .to_vec();
    writer
        .class(ClassInfo {
            id: ClassId(0),
            name: "MergeSort".to_owned(),
            source_file: None,
            modifiers: 1,
            super_name: None,
            interfaces: Vec::new(),
            in_scope: true,
            fields: Vec::new(),
            methods,
        })
        .expect("a class");
    writer
        .thread(ThreadInfo {
            id: THREAD,
            name: "main".to_owned(),
            group: None,
        })
        .expect("a thread");
    enter(&mut writer, 1, 0);
    enter(&mut writer, 2, 1);
    for (number, method) in [(3, 2), (4, 3), (5, 3)] {
        enter(&mut writer, number, method);
        exit(&mut writer, number);
    }
    (recording, writer)
}

fn rest(mut writer: Writer) {
    for (number, method) in [(6, 2), (7, 3)] {
        enter(&mut writer, number, method);
        exit(&mut writer, number);
    }
    exit(&mut writer, 2);
    exit(&mut writer, 1);
    writer
        .finish(State::Complete { exit_code: Some(0) })
        .expect("can be closed");
}

#[test]
fn a_session_begun_while_the_program_runs_ends_after_a_restart() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let catalogue = open(&folder);
    let (recording, writer) = half_recorded(&catalogue);
    let sessions = Sessions::default();
    let view = sessions
        .create(&recording, Strategy::TopDown, None)
        .expect("a session");
    let id = view.kept.id;
    // main and sort run: nobody can say yet whether they are right.
    assert_eq!(view.progress, Progress::Asking(call(3)));
    let answer = |number, answer| sessions.answer(&recording, &id, call(number), answer);
    assert!(matches!(
        answer(2, Answer::Valid),
        Err(Error::Refused(AnswerError::Incomplete(incomplete))) if incomplete == call(2)
    ));
    for number in [3, 4] {
        answer(number, Answer::Valid).expect("can be answered");
    }
    assert_eq!(
        answer(5, Answer::Valid).expect("can be answered").progress,
        Progress::Waiting
    );
    rest(writer);
    let view = sessions.view(&recording, &id).expect("the session");
    assert_eq!(view.progress, Progress::Asking(call(1)));
    answer(1, Answer::Invalid).expect("can be answered");
    answer(2, Answer::Unknown).expect("can be answered");
    let name = recording.id().to_owned();
    drop(recording);
    drop(catalogue);

    let catalogue = open(&folder);
    let recording = catalogue.open_recording(&name).expect("is there");
    let sessions = Sessions::default();
    assert_eq!(
        sessions.ids(&recording).expect("its sessions"),
        std::slice::from_ref(&id)
    );
    let view = sessions.view(&recording, &id).expect("the session");
    assert_eq!(view.progress, Progress::Asking(call(6)));
    assert_eq!(view.kept.answers.given().len(), 5);
    let answer = |number, answer| {
        sessions
            .answer(&recording, &id, call(number), answer)
            .expect("can be answered")
    };
    answer(6, Answer::Valid);
    let view = answer(7, Answer::Valid);
    assert_eq!(view.progress, Progress::Undecided);
    assert_eq!(
        view.candidates,
        [
            (call(1), Classification::Invalid),
            (call(2), Classification::Unknown)
        ]
    );
    sessions.undo(&recording, &id).expect("an answer is there");
    assert_eq!(
        answer(7, Answer::Invalid).progress,
        Progress::Found(call(7))
    );
    assert!(matches!(
        sessions.redo(&recording, &id),
        Err(Error::Refused(AnswerError::NothingToRedo))
    ));
    let statistics = sessions.statistics(&recording, &id).expect("its numbers");
    assert_eq!(
        (statistics.calls, statistics.suspicious, statistics.answered),
        (7, 1, 7)
    );

    sessions.delete(&recording, &id).expect("is there");
    assert!(matches!(
        sessions.view(&recording, &id),
        Err(Error::NoSuchSession { .. })
    ));
    assert!(matches!(
        sessions.delete(&recording, &id),
        Err(Error::NoSuchSession { .. })
    ));
}

#[test]
fn what_cannot_be_is_refused_and_changes_nothing() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let catalogue = open(&folder);
    let (recording, writer) = half_recorded(&catalogue);
    rest(writer);
    let sessions = Sessions::default();
    let coverage: Strategy = "coverage-halving:edges".parse().expect("a strategy");
    let needs = sessions
        .create(&recording, coverage, None)
        .expect_err("no coverage is recorded");
    assert!(needs.to_string().contains("level full"), "{needs}");
    let absent = sessions.create(&recording, Strategy::TopDown, Some(call(70)));
    assert!(matches!(
        absent,
        Err(Error::Refused(AnswerError::NoSuchCall(_)))
    ));
    assert!(
        sessions.ids(&recording).expect("its sessions").is_empty(),
        "nothing was kept"
    );

    let view = sessions
        .create(&recording, Strategy::DivideAndQuery, Some(call(2)))
        .expect("a session");
    let id = view.kept.id.as_str();
    assert_eq!(
        (view.suspicious, view.progress),
        (6, Progress::Asking(call(3)))
    );
    assert!(sessions.set_strategy(&recording, id, coverage).is_err());
    assert!(matches!(
        sessions.answer(&recording, id, call(1), Answer::Valid),
        Err(Error::Refused(AnswerError::Restricted { .. }))
    ));
    assert_eq!(
        sessions
            .view(&recording, id)
            .expect("the session")
            .suspicious,
        6
    );
    assert_eq!(
        sessions
            .restrict(&recording, id, None)
            .expect("lifted")
            .suspicious,
        7
    );

    recording
        .put_session("bad", &[1, 2, 3])
        .expect("can be written");
    assert!(matches!(
        sessions.view(&recording, "bad"),
        Err(Error::Kept(_))
    ));
    recording
        .put_session("new", &[200])
        .expect("can be written");
    let newer = sessions
        .view(&recording, "new")
        .expect_err("an unknown version");
    assert!(newer.to_string().contains("200"), "{newer}");
}

/// Where nothing can be written there are sessions all the same, as long as the daemon runs.
#[test]
fn a_folder_that_is_only_read_is_debugged_in_memory() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let catalogue = open(&folder);
    let (recording, writer) = half_recorded(&catalogue);
    rest(writer);
    let name = recording.id().to_owned();
    let written = Sessions::default()
        .create(&recording, Strategy::TopDown, None)
        .expect("a session");
    assert!(!written.unwritten);
    let written = written.kept.id;
    drop((recording, catalogue));

    let options = StoreOptions {
        read_only: true,
        ..StoreOptions::default()
    };
    let catalogue = Catalogue::open(folder.path(), options).expect("the data folder");
    let recording = catalogue.open_recording(&name).expect("is there");
    let sessions = Sessions::default();
    // One that was written goes on; what is new of it is not kept.
    let view = sessions.view(&recording, &written).expect("the session");
    assert!(!view.unwritten);
    let view = sessions
        .answer(&recording, &written, call(1), Answer::Invalid)
        .expect("can be answered");
    assert!(view.unwritten);
    let new = sessions
        .create(&recording, Strategy::TopDown, None)
        .expect("a session");
    assert!(new.unwritten);
    let new = new.kept.id;
    assert_ne!(new, written);
    let mut both = [written.clone(), new.clone()];
    both.sort();
    assert_eq!(sessions.ids(&recording).expect("its sessions"), both);
    sessions
        .answer(&recording, &new, call(1), Answer::Valid)
        .expect("can be answered");
    let view = sessions.undo(&recording, &new).expect("an answer is there");
    assert!(view.kept.answers.can_redo());
    sessions.delete(&recording, &new).expect("it is in memory");
    assert!(matches!(
        sessions.delete(&recording, &written),
        Err(Error::Store(jhyde_store::Error::ReadOnly(_)))
    ));

    let sessions = Sessions::default();
    let ids = sessions.ids(&recording).expect("its sessions");
    assert_eq!(ids, std::slice::from_ref(&written));
    let view = sessions.view(&recording, &written).expect("the session");
    assert!(view.kept.answers.given().is_empty());
}
