//! Search against a model of plain sets, answer by answer as the design's section 5 says it.

mod common;

use std::collections::{BTreeMap, BTreeSet};

use common::{Covered, Step, Tree};
use jhyde_debugging::coverage::{Rule, base};
use jhyde_debugging::session::Progress;
use jhyde_debugging::{
    Answer, Classification, Coverage, Entities, Forest, Given, Kept, Session, Strategy,
};
use jhyde_trace::{CallId, MethodId};
use proptest::prelude::*;
use proptest::strategy::Strategy as _;

/// A program of up to three threads; about as many exits as enters.
fn steps() -> impl proptest::strategy::Strategy<Value = Vec<Step>> {
    let step = (0_usize..3, 0_u32..6, 0_u8..20).prop_map(|(thread, method, kind)| match kind {
        0..=1 => Step::Enter(thread, method + 100, true),
        2..=10 => Step::Enter(thread, method, false),
        _ => Step::Exit(thread),
    });
    prop::collection::vec(step, 0..120)
}

fn answers() -> impl proptest::strategy::Strategy<Value = Vec<(prop::sample::Index, Answer)>> {
    let answer = prop_oneof![
        3 => Just(Answer::Valid),
        2 => Just(Answer::Invalid),
        1 => Just(Answer::Trusted),
        1 => Just(Answer::Unknown),
        1 => Just(Answer::Inadmissible),
    ];
    prop::collection::vec((any::<prop::sample::Index>(), answer), 0..10)
}

fn coverage() -> impl proptest::strategy::Strategy<Value = Covered> {
    let sets = prop::collection::vec(prop::collection::btree_set(0_u32..25, 0..12), 1..6);
    let calls = prop::collection::vec(prop::collection::vec(0_usize..7, 130), 3);
    (sets, calls).prop_map(|(sets, calls)| {
        let sets: Vec<Vec<u32>> = sets
            .into_iter()
            .map(|set| set.into_iter().collect())
            .collect();
        let known = |set: usize| (set < sets.len()).then_some(set);
        let calls = calls
            .into_iter()
            .map(|calls| calls.into_iter().map(known).collect())
            .collect();
        Covered {
            sets,
            calls,
            entities: 25,
        }
    })
}

fn forest(tree: &Tree) -> Forest {
    Forest::read(tree).unwrap_or_else(|never| match never {})
}

/// The model: S as a set, changed answer by answer.
struct Model<'a> {
    tree: &'a Tree,
    suspicious: BTreeSet<CallId>,
    answers: BTreeMap<CallId, Answer>,
    methods: BTreeMap<CallId, MethodId>,
    enter: BTreeMap<CallId, u64>,
}

impl<'a> Model<'a> {
    fn new(tree: &'a Tree) -> Self {
        let all = tree.all();
        Self {
            tree,
            suspicious: all
                .iter()
                .filter(|(_, f)| f.complete && !f.boundary)
                .map(|(c, _)| *c)
                .collect(),
            answers: BTreeMap::new(),
            methods: all
                .iter()
                .map(|(call, facts)| (*call, facts.method))
                .collect(),
            enter: all
                .iter()
                .map(|(call, facts)| (*call, facts.enter.0))
                .collect(),
        }
    }

    fn answer(&mut self, call: CallId, answer: Answer) {
        let tree = self.tree;
        let inside = |inner: &CallId| inner.thread == call.thread && tree.is_within(*inner, call);
        match answer {
            Answer::Valid | Answer::Inadmissible => self.suspicious.retain(|c| !inside(c)),
            Answer::Invalid => self.suspicious.retain(inside),
            Answer::Trusted => self
                .suspicious
                .retain(|c| self.methods[c] != self.methods[&call]),
            Answer::Unknown | Answer::RightValue | Answer::OpenValue => {}
        }
        self.answers.insert(call, answer);
    }

    fn weight(&self, call: CallId, of: impl Fn(CallId) -> f64) -> f64 {
        let inside = self
            .suspicious
            .iter()
            .filter(|c| c.thread == call.thread && self.tree.is_within(**c, call));
        inside.map(|c| of(*c)).sum()
    }

    fn own(&self, covered: &Covered, call: CallId, rule: Rule, entities: Entities) -> f64 {
        let set = |call| {
            covered
                .covered(entities, call)
                .map_or(&[][..], |set| &covered.sets[set])
        };
        let valid = |entity: u32| {
            let valid = self
                .answers
                .iter()
                .filter(|(c, a)| **a == Answer::Valid && set(**c).contains(&entity));
            valid.count() as i32
        };
        set(call)
            .iter()
            .map(|entity| base(rule, entities).powi(valid(*entity)))
            .sum()
    }

    /// Score of every call that can be asked: least is best, then earliest.
    fn choose(&self, strategy: Strategy, covered: &Covered) -> Option<CallId> {
        let total = self.suspicious.len() as f64;
        let score = |call: CallId| match strategy {
            // It has no rule that is told here: any call that can be asked will do.
            Strategy::Adaptive | Strategy::TopDown => 0.0,
            Strategy::DivideAndQuery => (self.weight(call, |_| 1.0) - total / 2.0).abs(),
            Strategy::Coverage(rule, entities) => {
                let own = |c| self.own(covered, c, rule, entities);
                let all: f64 = self.suspicious.iter().map(|c| own(*c)).sum();
                let cw = self.weight(call, own);
                let w = self.weight(call, |_| 1.0);
                match rule {
                    Rule::Halving => (cw - all / 2.0).abs(),
                    Rule::Expected => {
                        let p = if all > 0.0 { cw / all } else { w / total };
                        w * p + (total - w) * (1.0 - p)
                    }
                }
            }
        };
        let open: Vec<_> = self
            .suspicious
            .iter()
            .filter(|c| !self.answers.contains_key(c))
            .collect();
        let scored: Vec<_> = open
            .iter()
            .map(|c| (score(**c), self.enter[c], **c))
            .collect();
        let least = scored
            .iter()
            .map(|(score, ..)| *score)
            .fold(f64::INFINITY, f64::min);
        let best = scored
            .into_iter()
            .filter(|(score, ..)| *score <= least + 1e-7);
        best.min_by_key(|(_, enter, _)| *enter)
            .map(|(_, _, call)| call)
    }
}

/// Gives the answers to distinct calls that can be asked; returns what was given.
fn give(
    session: &mut Session,
    forest: &Forest,
    tree: &Tree,
    answers: &[(prop::sample::Index, Answer)],
) -> Vec<Given> {
    let mut open: Vec<_> = tree
        .all()
        .into_iter()
        .filter(|(_, f)| f.complete && !f.boundary)
        .collect();
    let mut given = Vec::new();
    for (index, answer) in answers {
        if open.is_empty() {
            break;
        }
        let (call, _) = open.swap_remove(index.index(open.len()));
        session
            .answer(forest, call, *answer)
            .expect("complete and in scope");
        given.push(Given {
            call,
            answer: *answer,
        });
    }
    given
}

proptest! {
    #[test]
    fn sessions_follow_the_definitions(
        steps in steps(),
        answers in answers(),
        covered in coverage(),
        strategy in 0..Strategy::ALL.len(),
    ) {
        let tree = Tree::run(&steps, false);
        let forest = forest(&tree);
        let strategy = Strategy::ALL[strategy];
        let mut session = Session::new(Kept::new("s".into(), 0, strategy), &forest);
        let given = give(&mut session, &forest, &tree, &answers);
        let mut model = Model::new(&tree);
        given.iter().for_each(|given| model.answer(given.call, given.answer));

        let mut expected: Vec<_> = model.suspicious.iter().copied().collect();
        expected.sort_by_key(|call| model.enter[call]);
        prop_assert_eq!(session.suspicious().first(&forest, usize::MAX), expected.clone());
        let progress = session.progress(&forest, Some(&covered)).expect("coverage is there");
        match model.choose(strategy, &covered) {
            Some(_) if strategy == Strategy::Adaptive => {
                let (again, choice) = session.next(&forest, Some(&covered)).expect("as before");
                prop_assert_eq!(&again, &progress);
                let choice = choice.expect("it says why");
                prop_assert_eq!(progress, Progress::Asking(choice.call));
                prop_assert!(model.suspicious.contains(&choice.call));
                prop_assert!(!model.answers.contains_key(&choice.call));
                prop_assert_eq!(choice.inside + choice.outside, model.suspicious.len() as u64);
                prop_assert_eq!(choice.inside as f64, model.weight(choice.call, |_| 1.0));
                prop_assert!((0.0..=1.0).contains(&choice.likely) && choice.expected >= 1.0);
            }
            Some(call) => prop_assert_eq!(progress, Progress::Asking(call)),
            None => {
                let unknown = expected.iter().any(|c| model.answers[c] == Answer::Unknown);
                let right = match expected.as_slice() {
                    [] => Progress::None,
                    _ if unknown => Progress::Undecided,
                    [call] => Progress::Found(*call),
                    more => return Err(TestCaseError::fail(format!("several invalid calls left: {more:?}"))),
                };
                prop_assert_eq!(progress, right);
            }
        }

        // Undone all the way and redone, it is what it was.
        let before = session.clone();
        while session.undo(&forest).is_ok() {}
        prop_assert_eq!(session.suspicious().count() as usize, Model::new(&tree).suspicious.len());
        while session.redo(&forest).is_ok() {}
        prop_assert_eq!(session.kept(), before.kept());
        prop_assert_eq!(session.suspicious().first(&forest, usize::MAX), expected);
    }

    #[test]
    fn a_growing_tree_is_the_tree_that_it_has_become(
        steps in steps(),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 1..5),
        answers in answers(),
        index in any::<prop::sample::Index>(),
    ) {
        let mut cuts: Vec<_> = cuts.iter().map(|cut| cut.index(steps.len() + 1)).collect();
        cuts.sort_unstable();
        let mut tree = Tree::run(&[], true);
        let mut growing = forest(&tree);
        let mut session = Session::new(Kept::new("s".into(), 0, Strategy::DivideAndQuery), &growing);
        let mut done = 0;
        let mut answers = answers.as_slice();
        for cut in cuts.into_iter().chain([steps.len()]) {
            steps[done..cut].iter().for_each(|step| tree.step(*step));
            done = cut;
            growing.refresh(&tree).unwrap_or_else(|never| match never {});
            session.refresh(&growing);
            let now = forest(&tree);
            let fresh = Session::new(session.kept().clone(), &now);
            prop_assert_eq!(session.progress(&growing, None), fresh.progress(&now, None));
            prop_assert_eq!(session.statistics(&growing), fresh.statistics(&now));
            if let Ok(Progress::Asking(call)) = session.progress(&growing, None)
                && let Some(((_, answer), rest)) = answers.split_first()
            {
                answers = rest;
                session.answer(&growing, call, *answer).expect("it was proposed");
            }
            let complete: Vec<_> = tree.all().into_iter().filter(|(_, f)| f.complete).collect();
            if !complete.is_empty() {
                let (call, facts) = complete[index.index(complete.len())];
                prop_assert_eq!(growing.facts(call), Some(facts));
            }
        }
        // While it is live and nothing is invalid, the search never ends for good.
        let invalid = session.kept().answers.given().iter().any(|g| g.answer == Answer::Invalid);
        let progress = session.progress(&growing, None).expect("needs no coverage");
        if !invalid {
            prop_assert!(matches!(progress, Progress::Asking(_) | Progress::Waiting), "{:?}", progress);
        }
        tree.live = false;
        growing.refresh(&tree).unwrap_or_else(|never| match never {});
        session.refresh(&growing);
        prop_assert_ne!(session.progress(&growing, None), Ok(Progress::Waiting));
    }

    #[test]
    fn statistics_and_classifications_agree(steps in steps(), answers in answers()) {
        let tree = Tree::run(&steps, false);
        let forest = forest(&tree);
        let mut session = Session::new(Kept::new("s".into(), 0, Strategy::TopDown), &forest);
        give(&mut session, &forest, &tree, &answers);
        let statistics = session.statistics(&forest);
        let sum = |of: fn(&jhyde_debugging::ClassCounts) -> u64| {
            statistics.classes.iter().map(|(_, counts)| of(counts)).sum::<u64>()
        };
        prop_assert_eq!(sum(|c| c.calls) as usize, tree.all().len());
        prop_assert_eq!(sum(|c| c.suspicious), session.suspicious().count());
        let classified = |what: Classification| {
            tree.all().iter().filter(|(call, _)| session.classify(&forest, *call) == what).count() as u64
        };
        prop_assert_eq!(sum(|c| c.unknown), classified(Classification::Unknown));
        let buggy = classified(Classification::Buggy);
        prop_assert_eq!(sum(|c| c.invalid), classified(Classification::Invalid) + buggy);
        prop_assert!(buggy <= 1);
    }
}
