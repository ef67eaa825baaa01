//! Coverage of real code: what `javac` makes of the reference example (design, section 5), run by a small
//! machine that records every instruction's effect.

#[path = "../../history/tests/common/machine.rs"]
mod machine;

use std::collections::BTreeSet;
use std::sync::Arc;

use jhyde_debugging::coverage::{Rule, ValidCalls, set_weights};
use jhyde_debugging::covered::{Covered, Declaration, Place};
use jhyde_debugging::session::Progress;
use jhyde_debugging::sessions::{Error, Reading, View};
use jhyde_debugging::{
    Answer, Asked, CallFacts, ComputationTree, Coverage, CoverageError, Entities, Forest, Kept,
    RecordedCoverage, Session, Sessions, Strategy,
};
use jhyde_store::{Catalogue, Recording, StoreOptions};
use jhyde_trace::{
    CallId, ClassId, Level, MethodId, RecordingOptions, State, Subject, ThreadId, Timestamp,
};
use machine::{Machine, compile};
use tempfile::TempDir;

const MERGE_SORT: &str =
    include_str!("../../../integration/java/fixtures/mergesort/MergeSort.java");

struct Recorded {
    _folder: TempDir,
    _catalogue: Catalogue,
    recording: Arc<Recording>,
}

fn record(file: &str, source: &str, calls: &[(&str, i32)]) -> Recorded {
    record_at(Level::Full, file, source, calls)
}

fn record_at(level: Level, file: &str, source: &str, calls: &[(&str, i32)]) -> Recorded {
    record_lowered(level, None, (file, source), calls)
}

/// Something is recorded at another level from the first event on.
fn record_lowered(
    level: Level,
    lowered: Option<(Subject, Level)>,
    (file, source): (&str, &str),
    calls: &[(&str, i32)],
) -> Recorded {
    let classes = compile(file, source, &["-g"]);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let store = StoreOptions {
        block_events: 64,
        ..StoreOptions::default()
    };
    let catalogue = Catalogue::open(folder.path(), store).expect("a new data folder");
    let options = RecordingOptions {
        level,
        ..RecordingOptions::default()
    };
    let (recording, mut writer) = catalogue
        .create(Some("test"), options)
        .expect("a new recording");
    if let Some((of, level)) = lowered {
        let reason = "it was enough".to_owned();
        writer.level(of, level, reason).expect("a level");
    }
    let mut machine = Machine::new(&mut writer, classes);
    for (method, argument) in calls {
        machine.call(method, &[*argument]);
    }
    writer
        .finish(State::Complete { exit_code: Some(0) })
        .expect("can be closed");
    Recorded {
        recording,
        _folder: folder,
        _catalogue: catalogue,
    }
}

impl Recorded {
    fn coverage(&self) -> RecordedCoverage {
        let mut coverage = RecordedCoverage::default();
        let never = std::sync::atomic::AtomicBool::new(false);
        let read = coverage.refresh(&self.recording, &never);
        assert!(read.expect("can be read").is_continue());
        coverage
    }
}

/// A recording as a tree, as the sessions see it.
struct Tree<'a>(&'a Recording);

impl ComputationTree for Tree<'_> {
    type Error = jhyde_store::Error;

    fn is_live(&self) -> Result<bool, Self::Error> {
        Ok(false)
    }

    fn threads(&self) -> Result<Vec<(ThreadId, u64)>, Self::Error> {
        let thread = ThreadId(1);
        Ok(vec![(thread, self.0.root(thread)?.calls)])
    }

    fn calls(
        &self,
        thread: ThreadId,
        preorders: std::ops::Range<u64>,
        visit: &mut dyn FnMut(CallFacts),
    ) -> Result<(), Self::Error> {
        for record in self.0.preorder(thread, preorders) {
            let record = record?;
            visit(CallFacts {
                subtree: record.size,
                enter: record.enter,
                method: record.method,
                boundary: record.boundary,
                complete: record.exit.is_some(),
                lost: false,
            });
        }
        Ok(())
    }

    fn class_of(&self, _: MethodId) -> Result<Option<ClassId>, Self::Error> {
        Ok(None)
    }
}

/// The n-th call in scope, from 1: how the design numbers them.
fn in_scope(recording: &Recording) -> Vec<CallId> {
    let all = recording.preorder(ThreadId(1), 1..u64::MAX);
    let all = all.map(|call| call.expect("a call"));
    all.filter(|call| !call.boundary)
        .map(|call| call.id)
        .collect()
}

#[test]
fn own_edge_weights_are_those_of_the_design() {
    let recorded = record("MergeSort.java", MERGE_SORT, &[("main", 0)]);
    let coverage = recorded.coverage();
    let weights = |entities| -> Vec<usize> {
        let calls = in_scope(&recorded.recording);
        let size = |call: CallId| {
            let mut members = BTreeSet::new();
            let set = coverage.covered(entities, call).expect("is known");
            coverage.visit(entities, set, &mut |member| {
                assert!((member as usize) < coverage.entities(entities));
                members.insert(member);
            });
            members.len()
        };
        calls.into_iter().map(size).collect()
    };
    assert_eq!(weights(Entities::Edges), [1, 5, 7, 8, 8, 7, 9]);
    let chains = weights(Entities::DuChains);
    // The last merge runs one loop more than the others, and the second distribute the same code.
    assert!(
        chains[6] > chains[3] && chains[3] == chains[4],
        "{chains:?}"
    );
    let forest = Forest::read(&Tree(&recorded.recording)).expect("can be read");
    let session = Session::new(Kept::new("s".into(), 0, Strategy::TopDown), &forest);
    let by_set = set_weights(
        &coverage,
        &forest,
        session.suspicious(),
        Rule::Halving,
        Entities::Edges,
        ValidCalls::default(),
    );
    let by_call: Vec<_> = in_scope(&recorded.recording)
        .into_iter()
        .filter_map(|call| by_set.get(coverage.covered(Entities::Edges, call)?))
        .collect();
    assert_eq!(by_call, [&1.0, &5.0, &7.0, &8.0, &8.0, &7.0, &9.0]);
}

#[test]
fn every_strategy_asks_what_the_design_says() {
    let recorded = record("MergeSort.java", MERGE_SORT, &[("main", 0)]);
    let calls = in_scope(&recorded.recording);
    assert_eq!(calls.len(), 7);
    let sessions = Sessions::default();
    let asked_by = |strategy: Strategy| {
        let mut asked = Vec::new();
        let mut view = sessions
            .create(&recorded.recording, strategy, None)
            .expect("a session");
        loop {
            match view.progress {
                Progress::Asking(call) => {
                    let number = calls.iter().position(|known| *known == call);
                    let number = number.expect("a call in scope") + 1;
                    asked.push(number);
                    let wrong = [1, 2, 7].contains(&number);
                    let answer = if wrong {
                        Answer::Invalid
                    } else {
                        Answer::Valid
                    };
                    view = sessions
                        .answer(&recorded.recording, &view.kept.id, call, answer)
                        .expect("a proposed call can be answered");
                }
                Progress::Found(call) => {
                    assert_eq!(call, calls[6], "the defect is in the last merge");
                    return asked;
                }
                other => panic!("{strategy} ended with {other:?}"),
            }
        }
    };
    assert_eq!(asked_by(Strategy::TopDown), [1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(asked_by(Strategy::DivideAndQuery), [2, 3, 4, 5, 6, 7]);
    for rule in [Rule::Halving, Rule::Expected] {
        assert_eq!(asked_by(Strategy::Coverage(rule, Entities::Edges)), [7]);
        let chains = asked_by(Strategy::Coverage(rule, Entities::DuChains));
        assert!(chains.len() <= 2, "{rule:?}: {chains:?}");
    }
}

#[test]
fn chains_are_those_of_the_run() {
    // The example of the dissertation (5.7): by `from` and `to` different chains are covered.
    const SUM_UP: &str = "
class Test {
    static int sumUp(int n) {
        int from = 1;
        int to = n;
        int result = 0;
        while (from <= to) {
            result = result + from;
            from = from + 1;
        }
        return result;
    }
    static int total;
    int own;
    static void heap(int n) {
        int[] a = new int[2];
        a[0] = n;
        int x = a[0];
        int y = a[1];
        Test test = new Test();
        x += test.own;
        test.own = x;
        y += test.own;
        total = y;
        read();
    }
    static int read() { return total; }
}
";
    let calls = [
        ("sumUp", 0),
        ("sumUp", 1),
        ("sumUp", 2),
        ("sumUp", 3),
        ("heap", 4),
    ];
    let recorded = record("Test.java", SUM_UP, &calls);
    let coverage = recorded.coverage();
    let chains = |call: CallId| -> BTreeSet<u32> {
        let mut members = BTreeSet::new();
        let set = coverage
            .covered(Entities::DuChains, call)
            .expect("is known");
        coverage.visit(Entities::DuChains, set, &mut |member| {
            members.insert(member);
        });
        members
    };
    let all = in_scope(&recorded.recording);
    let sums: Vec<_> = all[..4].iter().map(|call| chains(*call)).collect();
    // n (to = n), from and to in the condition, result in the return.
    assert_eq!(sums[0].len(), 4);
    // And from in two lines, result in one; back in the condition; but another result is returned.
    assert_eq!(sums[1].len(), 8);
    assert_eq!(sums[1].intersection(&sums[0]).count(), 3);
    // And what the second round reads that the first one wrote.
    assert_eq!(sums[2].len(), 11);
    assert!(sums[1].is_subset(&sums[2]));
    assert_eq!(sums[3], sums[2]);
    let sets = |at: usize| coverage.covered(Entities::DuChains, all[at]);
    assert_eq!(sets(3), sets(2), "equal sets are stored once");
    // Elements and fields: a[1] and the first test.own have their values by allocation.
    let find = |name: &str| {
        let call = all.iter().find(|call| {
            let record = recorded.recording.call(**call).expect("a call");
            let method = recorded
                .recording
                .method(record.method)
                .expect("can be read");
            method.is_some_and(|method| method.method().name == name)
        });
        *call.expect("was called")
    };
    // n, a three times, a[0] and a[1], x twice, y twice, test three times, own twice; and `total` is not read here.
    assert_eq!(chains(find("heap")).len(), 1 + 3 + 2 + 2 + 2 + 3 + 2);
    // The static's chain begins in `heap` and belongs to the call that used it.
    assert_eq!(chains(find("read")).len(), 1);
    // The constructor: `this` is nothing that the program defines.
    assert_eq!(chains(find("<init>")).len(), 0);
}

impl Recorded {
    /// The source line of an instruction; of an entry none.
    fn line(&self, place: Place) -> Option<u32> {
        let Place::At(method, index) = place else {
            return None;
        };
        let method = self.recording.method(method).expect("can be read")?;
        method.method().line_of(index)
    }

    fn name(&self, method: MethodId, declaration: Declaration) -> String {
        let method = self.recording.method(method).expect("can be read");
        let method = method.expect("is known");
        match declaration {
            Declaration::Local(jhyde_trace::Local::Named(entry)) => {
                method.method().variables[usize::from(entry)].name.clone()
            }
            Declaration::Local(jhyde_trace::Local::Slot(slot)) => format!("@{slot}"),
            Declaration::Field(field) | Declaration::Static(field) => {
                let field = self.recording.field(field).expect("can be read");
                field.expect("is known").field().name.clone()
            }
            Declaration::Element { .. } => "element".to_owned(),
        }
    }
}

#[test]
fn entities_of_a_call_have_places_and_numbers_of_calls() {
    let recorded = record("MergeSort.java", MERGE_SORT, &[("main", 0)]);
    let calls = in_scope(&recorded.recording);
    let sessions = Sessions::default();
    let of = |number: usize| {
        let covered = sessions.coverage(&recorded.recording, calls[number - 1]);
        covered.expect("is known")
    };
    let sizes: Vec<_> = (1..=7).map(|number| of(number).edges.len()).collect();
    assert_eq!(sizes, [1, 5, 7, 8, 8, 7, 9]);
    // The wrong merge, line by line: the first loop ends by its second condition, elements of both sides are
    // taken, and the rest of a is copied; the other two merges do none of that.
    let wrong = of(7);
    let mut edges: Vec<_> = wrong
        .edges
        .iter()
        .map(|Covered { entity, calls }| {
            let line = |index| recorded.line(Place::At(entity.method, index));
            (entity.from.and_then(line), line(entity.to), *calls)
        })
        .collect();
    let line = Some;
    let mut expected = vec![
        (None, line(49), 3),
        (line(49), line(49), 3),
        (line(49), line(50), 3),
        (line(49), line(52), 1),
        (line(50), line(50), 3),
        (line(50), line(50), 1),
        (line(52), line(53), 1),
        (line(52), line(55), 3),
        (line(55), line(58), 3),
    ];
    assert_eq!(edges[0], expected[0], "the entry comes first");
    edges.sort_unstable();
    expected.sort_unstable();
    assert_eq!(edges, expected);
    let chains: Vec<_> = wrong
        .chains
        .iter()
        .map(|Covered { entity, calls }| {
            let Place::At(method, _) = entity.used else {
                panic!("a use is an instruction: {entity:?}");
            };
            (
                recorded.name(method, entity.declaration),
                recorded.line(entity.defined),
                recorded.line(entity.used),
                *calls,
            )
        })
        .collect();
    let has = |name: &str, defined, used, calls| {
        chains.contains(&(name.to_owned(), defined, line(used), calls))
    };
    // What the defective line read and wrote.
    assert!(has("lb", line(50), 53, 1) && has("lb", line(53), 55, 1));
    assert!(has("element", line(35), 53, 1) && has("c", None, 53, 1));
    // What all merges did.
    assert!(has("la", None, 49, 3) && has("element", line(35), 50, 3));
    // A chain is counted once for each call, and every call has at most one set.
    assert!(chains.iter().all(|(.., calls)| (1..=3).contains(calls)));
    // The array of an element is read by the instruction that the declaration names.
    for Covered { entity, .. } in &wrong.chains {
        if let Declaration::Element { loaded_at } = entity.declaration {
            let Place::At(method, _) = entity.used else {
                panic!("a use is an instruction: {entity:?}");
            };
            let loaded = Place::At(method, loaded_at.expect("is plain"));
            let array = wrong
                .chains
                .iter()
                .find(|chain| chain.entity.used == loaded);
            let array = array.expect("is covered too").entity.declaration;
            assert!(["a", "b"].contains(&recorded.name(method, array).as_str()));
        }
    }
}

#[test]
fn calls_below_level_full_have_no_coverage_and_are_counted() {
    let whole = record("MergeSort.java", MERGE_SORT, &[("main", 0)]);
    let merge = |recording: &Recording| {
        let is_merge = |call: &CallId| {
            let record = recording.call(*call).expect("a call");
            let method = recording.method(record.method).expect("read");
            method.is_some_and(|method| method.method().name == "merge")
        };
        let (merges, others): (Vec<_>, Vec<_>) =
            in_scope(recording).into_iter().partition(is_merge);
        assert!(merges.len() == 3 && !others.is_empty());
        (merges, others)
    };
    let (merges, _) = merge(&whole.recording);
    let method = whole.recording.call(merges[0]).expect("a call").method;
    for level in [Level::State, Level::Calls] {
        let lowered = Some((Subject::Method(method), level));
        let recorded = record_lowered(
            Level::Full,
            lowered,
            ("MergeSort.java", MERGE_SORT),
            &[("main", 0)],
        );
        let recording = &recorded.recording;
        let sessions = Sessions::default();
        let (merges, others) = merge(recording);
        for call in merges {
            let since = Timestamp(0);
            match sessions.coverage(recording, call) {
                Err(Error::Coverage(why)) => {
                    assert_eq!(why, CoverageError::Lowered { call, level, since });
                }
                other => panic!("{other:?}"),
            }
        }
        for &call in &others {
            sessions.coverage(recording, call).expect("it is known");
        }
        let rule = Rule::Halving;
        let strategy = Strategy::Coverage(rule, Entities::DuChains);
        let view = sessions
            .create(recording, strategy, None)
            .expect("a session");
        let (calls, why) = view.lowered.expect("some are not weighed");
        assert_eq!(calls, 3);
        assert_eq!(
            why,
            format!("recorded at level {level} from @0 on: it was enough")
        );
        // What merges wrote is read elsewhere: with writes that nobody saw, those are no definitions.
        let chains = |recorded: &Recorded| -> usize {
            let coverage = recorded.coverage();
            let count = |call: &CallId| {
                let set = coverage
                    .covered(Entities::DuChains, *call)
                    .expect("is known");
                let mut count = 0;
                coverage.visit(Entities::DuChains, set, &mut |_| count += 1);
                count
            };
            others.iter().map(count).sum()
        };
        match level {
            Level::State => assert_eq!(chains(&recorded), chains(&whole)),
            _ => assert!(chains(&recorded) < chains(&whole)),
        }
    }
}

#[test]
fn what_cannot_be_said_of_coverage_is_refused() {
    let recorded = record("MergeSort.java", MERGE_SORT, &[("main", 0)]);
    let recording = &recorded.recording;
    let sessions = Sessions::default();
    let refused = |recorded: &Recorded, call| match sessions.coverage(&recorded.recording, call) {
        Err(Error::Coverage(why)) => why,
        other => panic!("{other:?}"),
    };
    let all = recording.preorder(ThreadId(1), 1..u64::MAX);
    let outside = all
        .map(|call| call.expect("a call"))
        .find(|call| call.boundary)
        .expect("main prints")
        .id;
    assert_eq!(
        refused(&recorded, outside),
        CoverageError::Boundary(outside)
    );
    for absent in [CallId::new(ThreadId(1), 70), CallId::root(ThreadId(1))] {
        assert_eq!(
            refused(&recorded, absent),
            CoverageError::NoSuchCall(absent)
        );
    }
    let state = record_at(Level::State, "MergeSort.java", MERGE_SORT, &[("main", 0)]);
    let why = refused(&state, in_scope(&state.recording)[0]);
    assert_eq!(
        why,
        CoverageError::Level {
            level: Level::State
        }
    );
    assert!(why.to_string().contains("record with level full"), "{why}");
    let cancelled = std::sync::atomic::AtomicBool::new(true);
    let fresh = Sessions::default();
    let asked = Asked::new(recording, &cancelled);
    let call = in_scope(recording)[0];
    assert!(matches!(fresh.coverage(asked, call), Err(Error::Cancelled)));
    // It is read as soon as somebody waits for it again.
    assert!(fresh.coverage(recording, call).is_ok());
}

/// Where reading what calls covered takes long it is done behind the questions: `adaptive` goes by methods until then, and says so.
#[test]
fn what_takes_long_to_read_is_read_behind_the_questions() {
    let recorded = record("MergeSort.java", MERGE_SORT, &[("main", 0)]);
    let recording = &recorded.recording;
    let ask = |sessions: &Sessions| {
        let view = sessions.create(recording, Strategy::Adaptive, None);
        view.expect("a session")
    };
    let question = |view: &View| match view.progress {
        Progress::Asking(call) => call,
        ref other => panic!("{other:?}"),
    };
    let by_coverage = ask(&Sessions::default());
    assert_eq!(by_coverage.reading, None);
    let behind = Sessions::default().reading_at_once(10);
    let first = ask(&behind);
    let all = recording.end().0;
    assert_eq!(first.reading, Some(Reading { read: 0, all }));
    assert_ne!(first.choice, by_coverage.choice, "it knows less");
    while behind.reading(recording).left() > 0 {
        std::thread::yield_now();
    }
    // Who has seen it sees the same question again; the next one goes by what calls covered.
    let again = behind
        .view(recording, &first.kept.id)
        .expect("it was begun");
    assert_eq!(again.choice, first.choice);
    assert_eq!(again.reading, Some(Reading { read: all, all }));
    assert_eq!(again.revision, first.revision);
    let call = question(&again);
    let answered = |sessions: &Sessions, id: &str| {
        let view = sessions.answer(recording, id, call, Answer::Valid);
        view.expect("can be answered")
    };
    let next = answered(&behind, &first.kept.id);
    let at_once = Sessions::default();
    let expected = answered(&at_once, &ask(&at_once).kept.id);
    assert_eq!(next.reading, None);
    assert_eq!(next.choice, expected.choice);
    assert_eq!(ask(&behind).choice, by_coverage.choice);
    // A strategy that cannot do without waits, and whoever asks what one call covered.
    let waiting = Sessions::default().reading_at_once(10);
    drop(ask(&waiting));
    let by_edges = "coverage-halving:edges".parse().expect("a strategy");
    let view = waiting.create(recording, by_edges, None);
    assert_eq!(view.expect("it waits").reading, None);
    let call = in_scope(recording)[0];
    let waiting = Sessions::default().reading_at_once(10);
    drop(ask(&waiting));
    assert!(waiting.coverage(recording, call).is_ok());
}

#[test]
fn a_recording_that_grows_is_gone_on_with() {
    let whole = record("MergeSort.java", MERGE_SORT, &[("main", 0)]);
    let source = &whole.recording;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let catalogue =
        Catalogue::open(folder.path(), StoreOptions::default()).expect("a new data folder");
    let (recording, mut writer) = catalogue
        .create(None, source.meta().options)
        .expect("a recording");
    for thread in source.threads().expect("threads") {
        writer.thread(thread).expect("a thread");
    }
    for class in source.classes() {
        let class = source.class(class).expect("can be read").expect("is known");
        writer.class(class.as_ref().clone()).expect("a class");
    }
    writer
        .set_meta(|meta| meta.state = State::Running)
        .expect("meta can be set");
    let mut growing = RecordedCoverage::default();
    let never = std::sync::atomic::AtomicBool::new(false);
    let everything = Timestamp(0)..source.end();
    let events = source.events(everything, None, jhyde_store::Direction::Forward);
    for (at, event) in events.enumerate() {
        writer
            .append(event.expect("an event").event)
            .expect("an event that fits");
        if at % 37 == 0 {
            let read = growing.refresh(&recording, &never).expect("can be read");
            assert!(read.is_continue());
            // A running call has not covered what it will cover.
            let main = CallId::new(ThreadId(1), 1);
            assert_eq!(growing.covered(Entities::Edges, main), None);
            if at > 0 {
                let told = Sessions::default().coverage(&recording, main);
                let running = CoverageError::Incomplete(main);
                assert!(matches!(told, Err(Error::Coverage(why)) if why == running));
            }
        }
    }
    writer
        .finish(State::Complete { exit_code: Some(0) })
        .expect("can be closed");
    let read = growing.refresh(&recording, &never).expect("can be read");
    assert!(read.is_continue());
    let at_once = whole.coverage();
    for entities in [Entities::Edges, Entities::DuChains] {
        assert_eq!(growing.sets(entities), at_once.sets(entities));
        for call in in_scope(source) {
            let members = |coverage: &RecordedCoverage| {
                let mut members = Vec::new();
                let set = coverage.covered(entities, call).expect("is known");
                coverage.visit(entities, set, &mut |member| members.push(member));
                members
            };
            assert_eq!(members(&growing), members(&at_once), "{call}");
        }
    }
}
