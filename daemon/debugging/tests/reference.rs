//! The reference example of the design, section 5, on a tree made by hand: the merge sort with its
//! seven calls in scope, and boundary calls as trusted leaves where a recording would see them.

mod common;

use common::{Covered, Step, Tree};
use jhyde_debugging::coverage::Rule;
use jhyde_debugging::session::Progress;
use jhyde_debugging::{Answer, AnswerError, Coverage, Entities, Forest, Kept, Session, Strategy};
use jhyde_trace::CallId;

const MAIN: u32 = 0;
const SORT: u32 = 1;
const DISTRIBUTE: u32 = 2;
const MERGE: u32 = 3;
const TO_STRING: u32 = 10;
const PRINTLN: u32 = 11;

/// main(sort(distribute, merge, merge, distribute, merge), [Arrays.toString, println])
fn merge_sort(boundary: bool) -> Tree {
    let mut steps = vec![Step::Enter(0, MAIN, false), Step::Enter(0, SORT, false)];
    for method in [DISTRIBUTE, MERGE, MERGE, DISTRIBUTE, MERGE] {
        steps.extend([Step::Enter(0, method, false), Step::Exit(0)]);
    }
    steps.push(Step::Exit(0));
    if boundary {
        for method in [TO_STRING, PRINTLN] {
            steps.extend([Step::Enter(0, method, true), Step::Exit(0)]);
        }
    }
    steps.push(Step::Exit(0));
    Tree::run(&steps, false)
}

/// The edges of each call, entry included, as far as their numbers matter: own weights 1 5 7 8 8 7 9.
/// The edges of the two distributes, and those of the merges, are the same ones of their method.
fn edges() -> Covered {
    let distribute = || (10..17).collect();
    // The first merges take one block each; the last one goes more often through the same places, and alone
    // takes the edges into the defective loop.
    Covered {
        sets: vec![
            vec![0],
            (1..6).collect(),
            distribute(),
            (20..28).collect(),
            (20..28).collect(),
            distribute(),
            (20..29).collect(),
        ],
        calls: vec![(0..7).map(Some).collect()],
        entities: 30,
    }
}

/// The number of the call in the design, from 1, which is its preorder number.
fn ask_until_found(strategy: Strategy, tree: &Tree, coverage: Option<&dyn Coverage>) -> Vec<u64> {
    let forest = Forest::read(tree).unwrap_or_else(|never| match never {});
    let mut session = Session::new(Kept::new("s".into(), 0, strategy), &forest);
    let mut asked = Vec::new();
    loop {
        match session
            .progress(&forest, coverage)
            .expect("coverage is there where it is needed")
        {
            Progress::Asking(call) => {
                asked.push(call.preorder);
                let wrong = [1, 2, 7].contains(&call.preorder);
                let answer = if wrong {
                    Answer::Invalid
                } else {
                    Answer::Valid
                };
                session
                    .answer(&forest, call, answer)
                    .expect("a proposed call can be answered");
            }
            Progress::Found(call) => {
                assert_eq!(call.preorder, 7, "the defect is in the last merge");
                return asked;
            }
            other => panic!("the search ended with {other:?}"),
        }
    }
}

#[test]
fn question_orders_are_those_of_the_design() {
    for boundary in [false, true] {
        let tree = merge_sort(boundary);
        assert_eq!(
            ask_until_found(Strategy::TopDown, &tree, None),
            [1, 2, 3, 4, 5, 6, 7]
        );
        assert_eq!(
            ask_until_found(Strategy::DivideAndQuery, &tree, None),
            [2, 3, 4, 5, 6, 7]
        );
    }
}

#[test]
fn coverage_over_edges_asks_only_for_the_buggy_call() {
    for boundary in [false, true] {
        let tree = merge_sort(boundary);
        for rule in [Rule::Halving, Rule::Expected] {
            let strategy = Strategy::Coverage(rule, Entities::Edges);
            assert_eq!(
                ask_until_found(strategy, &tree, Some(&edges())),
                [7],
                "{strategy}"
            );
        }
    }
}

#[test]
fn own_edge_weights_are_those_of_the_design() {
    let forest = Forest::read(&merge_sort(false)).unwrap_or_else(|never| match never {});
    let session = Session::new(Kept::new("s".into(), 0, Strategy::TopDown), &forest);
    let weights = jhyde_debugging::coverage::set_weights(
        &edges(),
        &forest,
        session.suspicious(),
        Rule::Halving,
        Entities::Edges,
        jhyde_debugging::coverage::ValidCalls::default(),
    );
    assert_eq!(weights, [1.0, 5.0, 7.0, 8.0, 8.0, 7.0, 9.0]);
}

#[test]
fn without_coverage_a_strategy_by_coverage_says_what_it_needs() {
    let forest = Forest::read(&merge_sort(false)).unwrap_or_else(|never| match never {});
    for strategy in Strategy::ALL
        .into_iter()
        .filter(|strategy| strategy.needs_coverage())
    {
        let session = Session::new(Kept::new("s".into(), 0, strategy), &forest);
        let error = session
            .progress(&forest, None)
            .expect_err("there is no coverage");
        assert!(error.to_string().contains("level full"), "{error}");
        let mut other = Session::new(Kept::new("s".into(), 0, Strategy::TopDown), &forest);
        assert!(matches!(
            other.set_strategy(strategy, false),
            Err(AnswerError::NeedsCoverage(_))
        ));
        assert_eq!(other.set_strategy(strategy, true), Ok(()));
    }
}

#[test]
fn answers_in_any_order_undo_redo_and_ends() {
    let tree = merge_sort(true);
    let forest = Forest::read(&tree).unwrap_or_else(|never| match never {});
    let call = |number| CallId {
        preorder: number,
        ..Tree::id(0, 0)
    };
    let mut session = Session::new(Kept::new("s".into(), 0, Strategy::TopDown), &forest);
    let progress = |session: &Session| session.progress(&forest, None).expect("needs no coverage");
    assert_eq!(session.suspicious().count(), 7);
    assert_eq!(session.undo(&forest), Err(AnswerError::NothingToUndo));
    assert_eq!(
        session.answer(&forest, call(8), Answer::Valid),
        Err(AnswerError::Boundary(call(8)))
    );
    assert_eq!(
        session.answer(&forest, call(80), Answer::Valid),
        Err(AnswerError::NoSuchCall(call(80)))
    );

    session
        .answer(&forest, call(7), Answer::Unknown)
        .expect("can be asked");
    session
        .answer(&forest, call(2), Answer::Invalid)
        .expect("can be asked");
    for number in [3, 4, 5, 6] {
        session
            .answer(&forest, call(number), Answer::Valid)
            .expect("can be asked");
    }
    assert_eq!(progress(&session), Progress::Undecided);
    assert_eq!(session.suspicious().first(&forest, 10), [call(2), call(7)]);
    session
        .answer(&forest, call(7), Answer::Valid)
        .expect("can be asked again");
    assert_eq!(progress(&session), Progress::Found(call(2)));
    session.undo(&forest).expect("an answer is there");
    assert_eq!(progress(&session), Progress::Undecided);
    session.redo(&forest).expect("an answer was undone");
    assert_eq!(progress(&session), Progress::Found(call(2)));

    // A trusted method leaves the set in all its calls, and its answers come back by undo.
    let mut session = Session::new(Kept::new("s".into(), 0, Strategy::TopDown), &forest);
    session
        .answer(&forest, call(4), Answer::Trusted)
        .expect("can be asked");
    assert_eq!(session.suspicious().count(), 4);
    session
        .answer(&forest, call(1), Answer::Valid)
        .expect("can be asked");
    assert_eq!(progress(&session), Progress::None);

    // Restricted to sort, main is not asked, and cannot be.
    let mut session = Session::new(Kept::new("s".into(), 0, Strategy::TopDown), &forest);
    session.restrict(&forest, Some(call(2))).expect("is there");
    assert_eq!(progress(&session), Progress::Asking(call(2)));
    assert!(matches!(
        session.answer(&forest, call(1), Answer::Valid),
        Err(AnswerError::Restricted { .. })
    ));
    assert_eq!(session.suspicious().count(), 6);
    session
        .restrict(&forest, None)
        .expect("lifting is always possible");
    assert_eq!(session.suspicious().count(), 7);
}

#[test]
fn a_kept_session_is_read_back_and_damage_is_named() {
    let forest = Forest::read(&merge_sort(false)).unwrap_or_else(|never| match never {});
    let mut session = Session::new(
        Kept::new("abc".into(), 5, Strategy::DivideAndQuery),
        &forest,
    );
    session
        .answer(&forest, Tree::id(0, 1), Answer::Invalid)
        .expect("can be asked");
    session
        .answer(&forest, Tree::id(0, 2), Answer::Valid)
        .expect("can be asked");
    session.undo(&forest).expect("an answer is there");
    let bytes = session.kept().encode().expect("can be encoded");
    let kept = Kept::decode("abc", &bytes).expect("was encoded just now");
    assert_eq!(&kept, session.kept());
    let again = Session::new(kept, &forest);
    assert_eq!(
        again.progress(&forest, None),
        session.progress(&forest, None)
    );
    assert!(again.kept().answers.can_redo());
    assert!(Kept::decode("abd", &bytes).is_err());
    for end in 0..bytes.len() {
        assert!(Kept::decode("abc", &bytes[..end]).is_err(), "cut at {end}");
    }
    assert!(
        Kept::decode("abc", &[99])
            .expect_err("unknown version")
            .to_string()
            .contains("99")
    );
}

#[test]
fn a_choice_among_a_million_calls_takes_milliseconds() {
    // 1000 calls of 1000 leaves each under one root.
    let mut steps = vec![Step::Enter(0, 0, false)];
    for _ in 0..1000 {
        steps.push(Step::Enter(0, 1, false));
        for _ in 0..1000 {
            steps.extend([Step::Enter(0, 2, false), Step::Exit(0)]);
        }
        steps.push(Step::Exit(0));
    }
    steps.push(Step::Exit(0));
    let forest = Forest::read(&Tree::run(&steps, false)).unwrap_or_else(|never| match never {});
    let session = Session::new(Kept::new("s".into(), 0, Strategy::DivideAndQuery), &forest);
    let best = (0..5)
        .map(|_| {
            let begin = std::time::Instant::now();
            let progress = session.progress(&forest, None).expect("needs no coverage");
            assert!(matches!(progress, Progress::Asking(_)));
            begin.elapsed()
        })
        .min()
        .unwrap_or_default();
    // A few milliseconds on an idle machine; the bound leaves room for a busy one, and is far below what
    // anything quadratic would take.
    assert!(best.as_millis() < 200, "one choice took {best:?}");
}
