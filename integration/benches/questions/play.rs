//! A search with an oracle that answers from the truth.

use std::collections::{HashMap, HashSet};

use jhyde_debugging::session::Progress;
use jhyde_debugging::{Answer, Sessions, Strategy};
use jhyde_trace::{CallId, Outcome, Timestamp, Variable};

use crate::corpus::Case;

/// How a search went.
#[derive(Clone, Debug, Default)]
pub(crate) struct Played {
    pub(crate) questions: usize,
    /// Values that had to be looked at: of all calls that were asked about, arguments, result, and what they changed.
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
    values: &mut HashMap<CallId, usize>,
) -> Played {
    let recording = &case.recording;
    let mut view = sessions
        .create(recording, strategy, None)
        .expect("a session");
    let id = view.kept.id.clone();
    let mut played = Played::default();
    let mut told = Vec::new();
    loop {
        match view.progress {
            Progress::Asking(call) => {
                told.push(view.choice.map(|choice| choice.expected));
                played.questions += 1;
                played.values += *values.entry(call).or_insert_with(|| looked_at(case, call));
                let wrong = case.wrong[&call];
                let answer = if wrong {
                    Answer::Invalid
                } else {
                    Answer::Valid
                };
                view = sessions
                    .answer(recording, &id, call, answer)
                    .expect("is taken");
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

/// Arguments and receiver, result, and the fields, statics and elements that were written while the call ran.
fn looked_at(case: &Case, call: CallId) -> usize {
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
    given.arguments.len() + usize::from(given.receiver.is_some()) + yields + written.len()
}
