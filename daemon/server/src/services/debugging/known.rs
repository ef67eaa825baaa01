//! Known answers in the messages of a session, and how a session begins that looks calls up.

use jhyde_debugging::session::Progress;
use jhyde_debugging::{Answer, Knowing, Known, Source, Strategy, View};
use jhyde_history::content::CallContent;
use jhyde_proto::v1;
use tonic::Status;

use super::against;
use super::knowledge::Knower;
use crate::services::history::{open, status};
use crate::services::status::invalid;
use crate::services::to_proto;

/// How calls are looked up in a session that begins.
pub(super) fn knowing(
    knower: &Knower<'_>,
    request: &v1::CreateSessionRequest,
    strategy: Strategy,
) -> Result<Knowing, Status> {
    let named = !request.against.is_empty();
    let on = match request.knowing() {
        v1::Knowing::On => true,
        v1::Knowing::Off => false,
        // The order in which the other strategies ask is a definition that people and tests go by.
        v1::Knowing::Unspecified => strategy == Strategy::Adaptive || named,
    };
    match (on, named) {
        (false, true) => Err(invalid(
            "against",
            "nothing is looked up in another recording with KNOWING_OFF: leave one of the two out",
        )),
        (false, false) => Ok(Knowing::default()),
        (true, false) => Ok(Knowing::on()),
        (true, true) => {
            let other = open(knower.daemon(), &request.against)?;
            let (against, known) = against::begin(knower, other)?;
            Ok(Knowing::on().with(against, known))
        }
    }
}

/// Only what somebody judged is remembered.
pub(super) fn can_be_remembered(answer: Answer) -> Result<(), Status> {
    match answer {
        Answer::Valid | Answer::Invalid => Ok(()),
        _ => Err(invalid(
            "remembered",
            "only valid and invalid are remembered",
        )),
    }
}

pub(super) fn message(known: &Known) -> v1::KnownAnswer {
    let mut message = v1::KnownAnswer {
        call: known.call.to_string(),
        answer: to_proto::answer(known.answer).into(),
        ..v1::KnownAnswer::default()
    };
    match &known.source {
        Source::Equal { to } => {
            message.set_from(v1::KnownFrom::EqualCall);
            message.equal_to = to.to_string();
        }
        Source::Recording { recording, call } => {
            message.set_from(v1::KnownFrom::Recording);
            message.equal_to = call.to_string();
            message.recording.clone_from(recording);
        }
        Source::Memory { told } => {
            message.set_from(v1::KnownFrom::Memory);
            message.told.clone_from(told);
        }
        Source::Program { by } => {
            message.set_from(v1::KnownFrom::Program);
            message.told.clone_from(by);
        }
    }
    message
}

/// The content of the call that is asked, for those who remember.
pub(super) fn content(knower: &Knower<'_>, view: &View) -> Result<Option<v1::CallContent>, Status> {
    let knowing = view.kept.answers.knowing();
    let Progress::Asking(call) = view.progress else {
        return Ok(None);
    };
    if !knowing.on || knowing.is_doubted(call) {
        return Ok(None);
    }
    let content = match knower.content(call) {
        Err(jhyde_history::Error::Store(jhyde_store::Error::Damaged { .. })) => None,
        content => content.map_err(status)?,
    };
    Ok(content.map(|content| in_words(&content)))
}

pub(super) fn in_words(content: &CallContent) -> v1::CallContent {
    v1::CallContent {
        class: content.class.clone(),
        method: content.method.clone(),
        descriptor: content.descriptor.clone(),
        code: content.code.to_string(),
        body: content.body.to_string(),
        input: content.input.to_string(),
        outcome: content.outcome.to_string(),
    }
}

/// Why the next question is asked.
pub(super) fn why(view: &View) -> String {
    let against = view.kept.answers.knowing().against.as_ref();
    match (&view.progress, view.choice, against) {
        (_, Some(choice), _) => choice.to_string(),
        (Progress::Asking(call), None, Some(against)) if against.differ.contains(call) => format!(
            "in {} a call that was given the same yielded something else; of all such calls that are left this one ended first",
            against.name
        ),
        _ => String::new(),
    }
}

/// Equal calls that were answered in two ways, if the last answer did that: both cannot be right.
pub(super) fn contradiction(knower: &Knower<'_>, view: &View) -> Result<Option<String>, Status> {
    let answers = &view.kept.answers;
    let (Some(last), true) = (answers.given().last(), answers.knowing().on) else {
        return Ok(None);
    };
    let other = knower.contradicted(answers, *last).map_err(status)?;
    Ok(other.map(|other| {
        format!(
            "call {} was answered {}, and call {}, which is equal to it, {}: one of the two is wrong; take the last \
             answer back (undo), or answer again for the other",
            last.call,
            last.answer.name(),
            other.call,
            other.answer.name()
        )
    }))
}

/// What a program said is nobody's word.
pub(super) fn unconfirmed(view: &View) -> Option<String> {
    let mut by = Vec::new();
    for known in view.kept.answers.known() {
        if let Source::Program { by: name } = &known.source {
            by.push(name.as_str());
        }
    }
    let name = by.first()?;
    let answers = if by.len() == 1 {
        "answer is"
    } else {
        "answers are"
    };
    Some(format!(
        "{} {answers} what {name} said, and nobody confirmed: answer again for a call, or take what was said back (doubt)",
        by.len()
    ))
}

/// What is known without asking may be wrong: how it can be taken back, once the search has ended.
pub(super) fn note(view: &View, ended: bool) -> Option<String> {
    let known = view.kept.answers.known();
    let by_itself = |known: &&Known| !matches!(known.source, Source::Program { .. });
    let known = known.filter(by_itself).count();
    (known > 0 && ended).then(|| {
        let calls = if known == 1 { "call was" } else { "calls were" };
        format!(
            "{known} {calls} answered without asking, by what was known of equal calls: doubt takes such an answer back"
        )
    })
}
