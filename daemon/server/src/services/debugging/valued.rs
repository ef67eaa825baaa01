//! Questions about one value, in the messages of a session.

use jhyde_debugging::{AskedValue, Verdict};
use jhyde_history::History;
use jhyde_history::view::ValueView;
use jhyde_proto::v1;
use jhyde_trace::Variable;
use tonic::Status;

use crate::services::history::status;
use crate::services::status::invalid;
use crate::services::to_proto;

/// How the result of a call is called.
const RESULT: &str = "result";

/// What is asked.
pub(super) fn message(history: &History, asked: &AskedValue) -> Result<v1::ValueQuestion, Status> {
    let value = history.value_at(asked.value, asked.at).map_err(status)?;
    Ok(v1::ValueQuestion {
        variable: asked.form.clone(),
        way: way(history, asked)?.unwrap_or_default(),
        value: Some(to_proto::value(&value)),
        instead: asked.instead,
    })
}

/// The way to it from the call, which has no numbers of this run in it.
fn way(history: &History, asked: &AskedValue) -> Result<Option<String>, Status> {
    let object = match asked.variable {
        Variable::Return { .. } => return Ok(Some(RESULT.to_owned())),
        Variable::Static { .. } => return Ok(Some(asked.form.clone())),
        Variable::Field { object, .. } | Variable::Element { array: object, .. } => object,
        _ => return Ok(None),
    };
    let is = |value: &ValueView| matches!(value, ValueView::Object(view) if view.id == object);
    let result = history.result(asked.call).map_err(status)?;
    let given = history.input(asked.call).map_err(status)?;
    let mut reached = result.objects.iter().chain(&given.objects);
    let path = reached.find(|reached| is(&reached.object) && !reached.taken_away);
    // `object#12.size`, `array#3[2]`.
    let inside = asked
        .form
        .find(['.', '['])
        .and_then(|at| asked.form.get(at..));
    Ok(path
        .zip(inside)
        .map(|(reached, inside)| format!("{}{inside}", reached.path)))
}

/// What is said of the value that is asked about.
pub(super) fn verdict(answer: v1::AnswerKind) -> Result<Verdict, Status> {
    match answer {
        v1::AnswerKind::Right => Ok(Verdict::Right),
        v1::AnswerKind::Wrong => Ok(Verdict::Wrong),
        v1::AnswerKind::Unknown => Ok(Verdict::Unknown),
        _ => Err(invalid(
            "answer",
            "of a value, answer right, wrong or unknown",
        )),
    }
}
