//! A search with an oracle that answers from the truth.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use jhyde_debugging::session::Progress;
use jhyde_debugging::{
    Answer, Asked, AskedValue, Evidence, Given, Knowing, Sessions, Strategy, Verdict, View,
    pointing,
};
use jhyde_history::History;
use jhyde_trace::{CallId, Outcome, Timestamp, Variable};

use crate::corpus::Case;
use crate::oracle;

/// What the oracle says, and is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Setting {
    /// Whether calls did right, and nothing else.
    Calls,
    /// Of wrong calls also one value that they left wrong, the first that the judge names.
    Pointing,
    /// As before, and it is asked about single values.
    Values,
    /// The search begins with an outermost call that is known to be wrong, as from a failure: that is answered first.
    FromFailure,
    /// The same, with the value that is wrong.
    FromFailurePointing,
    /// As before, and it is asked about single values.
    FromFailureValues,
}

impl Setting {
    pub(crate) const ALL: [Self; 6] = [
        Self::Calls,
        Self::Pointing,
        Self::Values,
        Self::FromFailure,
        Self::FromFailurePointing,
        Self::FromFailureValues,
    ];

    /// Does the oracle say what is wrong?
    fn points(self) -> bool {
        !matches!(self, Self::Calls | Self::FromFailure)
    }

    fn asks_values(self) -> bool {
        matches!(self, Self::Values | Self::FromFailureValues)
    }

    fn begins_with_failure(self) -> bool {
        matches!(
            self,
            Self::FromFailure | Self::FromFailurePointing | Self::FromFailureValues
        )
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Calls => "calls only",
            Self::Pointing => "with pointing",
            Self::Values => "with value questions",
            Self::FromFailure => "from the failure, calls only",
            Self::FromFailurePointing => "from the failure, with pointing",
            Self::FromFailureValues => "from the failure, with value questions",
        }
    }
}

/// How a search went.
#[derive(Clone, Debug, Default)]
pub(crate) struct Played {
    pub(crate) questions: usize,
    /// Of those, so many were about one value.
    pub(crate) about_values: usize,
    /// Values that had to be looked at: of all calls that were asked about, arguments, result, and what they changed; of
    /// a value that was, the arguments and that.
    pub(crate) values: usize,
    /// Was it a wrong call of the defective method, all of whose children were right?
    pub(crate) right: bool,
    /// What was expected at each question, and how many came.
    pub(crate) expected: Vec<(f64, usize)>,
}

/// Plays one case with one strategy, through sessions as the daemon keeps them.
pub(crate) fn play(
    sessions: &Sessions,
    case: &Case,
    strategy: Strategy,
    setting: Setting,
    values: &mut HashMap<CallId, (usize, usize)>,
) -> Played {
    let recording = &case.recording;
    let history = History::new(Arc::clone(recording));
    let never = AtomicBool::new(false);
    let asked = match setting.asks_values() {
        true => Asked::new(recording, &never).following(&history),
        false => Asked::new(recording, &never),
    };
    let mut view = sessions
        .begin(
            asked,
            strategy,
            None,
            Knowing::default(),
            setting.asks_values(),
            Evidence::default(),
        )
        .expect("a session");
    let id = view.kept.id.clone();
    let mut played = Played::default();
    let mut told = Vec::new();
    if setting.begins_with_failure()
        && let Some(failure) = oracle::failure(&history, case)
    {
        let (given, left) = *values
            .entry(failure)
            .or_insert_with(|| looked_at(case, failure));
        played.questions += 1;
        played.values += given + left;
        told.push(None);
        view = answer(
            sessions,
            asked,
            &history,
            case,
            &id,
            failure,
            setting.points(),
        );
    }
    loop {
        match view.progress {
            Progress::Asking(call) => {
                told.push(view.choice.map(|choice| choice.expected));
                played.questions += 1;
                let (given, left) = *values.entry(call).or_insert_with(|| looked_at(case, call));
                played.values += given;
                view = match view.value.clone() {
                    Some(value) => {
                        played.about_values += 1;
                        played.values += 1;
                        judge(sessions, asked, &history, case, &id, &value)
                    }
                    None => {
                        played.values += left;
                        answer(sessions, asked, &history, case, &id, call, setting.points())
                    }
                };
            }
            Progress::Found(call) => {
                played.right = case.wrong[&call] && case.defective.contains(&call);
                break;
            }
            ref other => panic!("{} {strategy}: the search ended with {other:?}", case.name),
        }
    }
    sessions.delete(recording, &id).expect("can be deleted");
    let left = (1..=played.questions).rev();
    played.expected = told
        .into_iter()
        .zip(left)
        .filter_map(|(expected, left)| Some((expected?, left)))
        .collect();
    played
}

fn answer(
    sessions: &Sessions,
    asked: Asked<'_>,
    history: &History,
    case: &Case,
    id: &str,
    call: CallId,
    points: bool,
) -> View {
    if !case.wrong[&call] {
        let view = sessions.answer(asked, id, call, Answer::Valid);
        return view.expect("is taken");
    }
    let answer = Answer::Invalid;
    let first = oracle::wrong_of(history, case, call).into_iter().next();
    let view = match first.filter(|_| points) {
        Some(wrong) => {
            let pointed = pointing::wrong(history, call, &[wrong]).expect("can be followed");
            sessions.point(asked, id, Given { call, answer }, pointed)
        }
        None => sessions.answer(asked, id, call, answer),
    };
    view.expect("is taken")
}

fn judge(
    sessions: &Sessions,
    asked: Asked<'_>,
    history: &History,
    case: &Case,
    id: &str,
    value: &AskedValue,
) -> View {
    let verdict = match oracle::is_wrong(history, case, value.call, value.variable) {
        true => Verdict::Wrong,
        false => Verdict::Right,
    };
    let of = (value.call, value.form.as_str());
    let view = sessions.judge(asked, id, of, verdict, String::new());
    view.expect("is taken")
}

/// Arguments and receiver; result, and the fields, statics and elements that were written while the call ran.
fn looked_at(case: &Case, call: CallId) -> (usize, usize) {
    let recording = &case.recording;
    let record = recording.call(call).expect("a call");
    let given = recording.arguments(&record).expect("can be read");
    let outcome = recording.outcome(&record).expect("can be read");
    let yields = usize::from(!matches!(outcome, None | Some(Outcome::Returned(None))));
    let end = Timestamp(record.exit.expect("has ended").0 + 1);
    let mut written: HashSet<Variable> = HashSet::new();
    for block in recording.blocks(record.enter..end) {
        let block = block.expect("can be read");
        let first = record.enter.0.saturating_sub(block.first().0) as usize;
        for at in first..block.len() {
            if block.timestamp(at) >= end {
                break;
            }
            if let Some(write) = block.write(at)
                && !matches!(write.variable, Variable::Local { .. })
            {
                written.insert(write.variable);
            }
        }
    }
    let receiver = usize::from(given.receiver.is_some());
    (given.arguments.len() + receiver, yields + written.len())
}
