//! A session as it is told: its calls, the answers in force, and what whoever searches has to know besides.

use jhyde_debugging::session::Progress;
use jhyde_debugging::{Answer, Classification, View};
use jhyde_history::History;
use jhyde_proto::v1;
use jhyde_trace::CallId;
use tonic::Status;

use super::knowledge::Knower;
use super::{evidence, known, pointing, valued};
use crate::services::history::status as history_status;
use crate::services::to_proto;

/// So many threads are named in a note.
const MOST_THREADS: usize = 5;

/// A session as it stands, with its calls.
pub(super) fn message(history: &Knower<'_>, view: View) -> Result<v1::Session, Status> {
    let call = |id: CallId, how: Classification| {
        let record = history
            .recording()
            .call(id)
            .map_err(|error| history_status(error.into()))?;
        let mut call = to_proto::call(&history.call(record, true).map_err(history_status)?);
        call.set_classification(to_proto::classification(how));
        Ok::<_, Status>(call)
    };
    let (question, buggy) = match view.progress {
        Progress::Asking(id) => (Some(call(id, Classification::Unclassified)?), None),
        Progress::Found(id) => (None, Some(call(id, Classification::Buggy)?)),
        Progress::Undecided | Progress::None | Progress::Waiting => (None, None),
    };
    let mut notes = notes(&view);
    if let Progress::Found(found) = view.progress {
        notes.extend(begun_beside(history, found)?);
    }
    notes.extend(evidence::notes(&view));
    notes.extend(known::unconfirmed(&view));
    notes.extend(known::contradiction(history, &view)?);
    let candidates = view.candidates.iter().map(|(id, how)| call(*id, *how));
    let answers = &view.kept.answers;
    Ok(v1::Session {
        recording: history.recording().id().to_owned(),
        strategy: view.kept.strategy.to_string(),
        progress: to_proto::progress(&view.progress).into(),
        question,
        buggy,
        candidates: candidates.collect::<Result<_, _>>()?,
        suspicious: view.suspicious,
        answers: given(&view),
        can_undo: answers.can_undo(),
        can_redo: answers.can_redo(),
        restricted_to: view
            .kept
            .restriction
            .map(|call| call.to_string())
            .unwrap_or_default(),
        created_ms: view.kept.created_ms,
        notes,
        why: known::why(&view),
        expected: view.choice.map(|choice| choice.expected),
        knowing: answers.knowing().on,
        against: answers
            .knowing()
            .against
            .as_ref()
            .map(|against| against.name.clone())
            .unwrap_or_default(),
        known: answers
            .known()
            .map(known::message)
            .chain(evidence::known(&view))
            .collect(),
        content: known::content(history, &view)?,
        pointing: pointing::is_possible(history),
        value: view
            .value
            .as_ref()
            .map(|asked| valued::message(history, asked))
            .transpose()?,
        evidence: evidence::message(answers.evidence()),
        revision: view.revision,
        id: view.kept.id,
    })
}

/// The answers in force.
fn given(view: &View) -> Vec<v1::GivenAnswer> {
    let answers = &view.kept.answers;
    let all = answers.pointed().enumerate();
    all.map(|(at, (given, pointed))| {
        let value = answers.value(at).cloned().unwrap_or_default();
        v1::GivenAnswer {
            call: given.call.to_string(),
            answer: to_proto::answer(given.answer).into(),
            wrong: pointed.map(|p| p.wrong.clone()).unwrap_or_default(),
            cut: cut_by(view, at).unwrap_or(0),
            uncut: pointed.and_then(|p| p.uncut.clone()).unwrap_or_default(),
            value: value.variable,
            remembered: value.remembered,
        }
    })
    .collect()
}

/// Calls of threads that began while a call ran are not inside it, and nobody was asked about them.
fn begun_beside(history: &History, found: CallId) -> Result<Option<String>, Status> {
    let record = history
        .recording()
        .call(found)
        .map_err(|error| history_status(error.into()))?;
    let threads = history.threads().map_err(history_status)?.threads;
    let begun = threads.iter().filter(|thread| {
        let inside = |start| record.enter <= start && record.exit.is_none_or(|exit| start <= exit);
        thread.id != found.thread && thread.calls > 0 && thread.start.is_some_and(inside)
    });
    let mut names: Vec<&str> = begun.map(|thread| thread.name.as_str()).collect();
    let more = names.len().saturating_sub(MOST_THREADS);
    names.truncate(MOST_THREADS);
    let others = match more {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Ok((!names.is_empty()).then(|| {
        format!(
            "while it ran, other threads began ({}{others}): their calls are not inside it and were not asked about, and if one of them was wrong the mistake may be there",
            names.join(", ")
        )
    }))
}

/// How many calls the answer at a position has cut away, if it was about values.
fn cut_by(view: &View, at: usize) -> Option<u64> {
    let found = view.cut.iter().find(|(by, _)| *by == at);
    found.map(|(_, cut)| *cut)
}

fn calls_are(count: u64) -> String {
    match count {
        1 => "1 call is".to_owned(),
        count => format!("{count} calls are"),
    }
}

/// What the last answer did, if it was about values.
fn last_pointed(view: &View) -> Option<String> {
    let answers = &view.kept.answers;
    let (at, (given, pointed)) = answers.pointed().enumerate().last()?;
    if let (Answer::RightValue, Some(value)) = (given.answer, answers.value(at)) {
        return Some(match cut_by(view, at).unwrap_or(0) {
            0 => format!(
                "no call is cut away: none reached what is wrong through {} alone",
                value.variable
            ),
            cut => format!(
                "{} cut away, having reached what is wrong through {} alone, which was right (undo brings back what is cut away)",
                calls_are(cut),
                value.variable
            ),
        });
    }
    let pointed = pointed?;
    let what = match pointed.wrong.as_slice() {
        [] => format!("what call {} was called with", given.call),
        wrong => wrong.join(", "),
    };
    Some(match (&pointed.uncut, cut_by(view, at)) {
        (Some(why), _) => format!("no call is cut away by what is wrong ({what}): {why}"),
        (None, Some(0)) => format!(
            "no call is cut away: {what} came from all that are left, or they could have changed what it came from (jhyde why shows that)"
        ),
        (None, Some(cut)) => format!(
            "{} cut away: {what} did not come from there, and could not have been changed there in what it came from \
             (jhyde why shows that; undo brings back what is cut away)",
            calls_are(cut)
        ),
        (None, None) => return None,
    })
}

/// What whoever searches has to know: what damage of the recording means for it, and that it is not kept.
fn notes(view: &View) -> Vec<String> {
    let View {
        lost, unweighed, ..
    } = *view;
    let lowered = view.lowered.as_ref().map(|(calls, why)| {
        format!(
            "what {calls} calls covered is not known, and does not count when calls are weighed, because they were not \
             recorded at level full throughout: {why}"
        )
    });
    let lost = (lost > 0).then(|| {
        format!(
            "{lost} calls cannot be read, because a part of the recording is damaged or was cut off, and are not asked about: if \
             the call that is found has some of them below it, one of those may be the buggy one"
        )
    });
    let unweighed = (unweighed > 0).then(|| {
        format!(
            "{unweighed} events cannot be read, because a part of the recording is damaged or was cut off: what they covered does \
             not count when calls are weighed"
        )
    });
    let asking = matches!(view.progress, Progress::Asking(_));
    let reading = view.reading.filter(|_| asking).map(|reading| {
        format!(
            "this question goes by methods alone, because what calls ran had not been read when it was chosen ({} % of {} events have \
             by now): questions behind that ask less",
            reading.read * 100 / reading.all.max(1),
            reading.all
        )
    });
    let unwritten = view.unwritten.then(|| {
        "the data folder is open for reading only, so that this session is not kept: it ends with the daemon".to_owned()
    });
    let cut: u64 = view.cut.iter().map(|(_, cut)| cut).sum();
    let pointed = last_pointed(view);
    let ended = matches!(view.progress, Progress::Found(_) | Progress::None);
    let cut = (cut > 0 && ended).then(|| {
        format!(
            "{cut} calls were not asked about, because what was pointed at did not come from them: if all that is left \
             is right, take an answer back (undo)"
        )
    });
    let known = known::note(view, ended);
    [
        pointed, lost, unweighed, lowered, reading, cut, known, unwritten,
    ]
    .into_iter()
    .flatten()
    .collect()
}
