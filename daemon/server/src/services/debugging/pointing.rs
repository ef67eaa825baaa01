//! Pointing: what was wrong of a call's result, and which calls can be to blame for it.

use jhyde_debugging::{Answer, Given, Pointed, pointing};
use jhyde_history::History;
use jhyde_history::input_output::Side;
use jhyde_history::view::ValueView;
use jhyde_trace::{CallId, ContentKey, Level, ObjectId, Outcome, Variable};
use tonic::Status;

use crate::error::Kind;
use crate::services::history::{in_field, status};
use crate::services::status::{invalid, with_details};

/// How the result of a call is called when something of it is wrong.
const RESULT: &str = "result";

/// Does the recording tell what values came from?
pub(super) fn is_possible(history: &History) -> bool {
    history.recording().meta().options.level == Level::Full
}

/// What an answer says about which calls can be to blame; `None` if it says nothing.
pub(super) fn pointed(
    history: &History,
    given: Given,
    wrong: &[String],
) -> Result<Option<Pointed>, Status> {
    let level = history.recording().meta().options.level;
    let record = history
        .recording()
        .call(given.call)
        .map_err(|error| status(error.into()))?;
    // Those cannot be answered for anyway, and the session says why.
    if record.boundary || record.exit.is_none() {
        return Ok(None);
    }
    match given.answer {
        Answer::Inadmissible if level == Level::Full => {
            let pointed = pointing::inadmissible(history, given.call).map_err(status)?;
            Ok(Some(pointed))
        }
        Answer::Invalid if !wrong.is_empty() => {
            if level != Level::Full {
                return Err(with_details(
                    Kind::FailedPrecondition,
                    "LEVEL",
                    Some("wrong"),
                    format!(
                        "what is wrong can be pointed at in recordings at level full, and this is one at level \
                         {level}: answer without it"
                    ),
                ));
            }
            let variables = variables(history, given.call, wrong)?;
            let pointed = pointing::wrong(history, given.call, &variables).map_err(status)?;
            Ok(Some(pointed))
        }
        _ => Ok(None),
    }
}

/// The variables of a call's result that are written so.
fn variables(history: &History, call: CallId, wrong: &[String]) -> Result<Vec<Variable>, Status> {
    let side = history.result(call).map_err(status)?;
    // What the call left as it was is not among what it changed.
    let given = history.input(call).map_err(status)?;
    wrong
        .iter()
        .map(|text| {
            let variable = match what_argument_holds(&side, text) {
                Some(held) => held,
                None => variable(history, call, text)?,
            };
            match belongs(&side, call, variable) || reaches(&given, variable) {
                true => Ok(variable),
                false => Err(invalid(
                    "wrong",
                    format!(
                        "'{text}' is not a part of what call {call} yielded: its result, a static field that it \
                         changed, or something that its arguments or its result reach"
                    ),
                )),
            }
        })
        .collect()
}

/// The content of a collection (a text, an atomic number, …) that the call was given, by the name of its parameter: questions show it so.
fn what_argument_holds(side: &Side, text: &str) -> Option<Variable> {
    let values = side.call.values.as_ref()?;
    let mut arguments = values.arguments.iter();
    let given = arguments.find(|argument| argument.name == text.trim())?;
    match &given.value {
        ValueView::Object(view) if view.held.is_some() => Some(Variable::Content {
            object: view.id,
            key: ContentKey::All,
        }),
        _ => None,
    }
}

fn variable(history: &History, call: CallId, text: &str) -> Result<Variable, Status> {
    let text = text.trim();
    let outcome = || {
        let record = history.recording().call(call)?;
        history.recording().outcome(&record)
    };
    let own = match text.strip_prefix(RESULT) {
        Some("") => {
            let outcome = outcome().map_err(|error| status(error.into()))?;
            return Ok(match outcome {
                Some(Outcome::Threw(_)) => Variable::Exception { call },
                Some(Outcome::Returned(None)) => {
                    return Err(invalid(
                        "wrong",
                        format!(
                            "call {call} returned nothing: name what it left wrong, such as this.size or a[2]"
                        ),
                    ));
                }
                _ => Variable::Return { call },
            });
        }
        Some(rest) if rest.starts_with(['.', '[']) => format!("{call}:return{rest}"),
        _ => format!("{call}:{text}"),
    };
    // Whole written forms name a call, an object or a class; ways begin in the call.
    let whole = text.contains([':', '#']);
    let found = match whole {
        true => history.resolve_variable(text),
        false => history
            .resolve_variable(&own)
            .or_else(|error| history.resolve_variable(text).map_err(|_| error)),
    };
    found.map_err(|error| in_field("wrong", error))
}

fn belongs(side: &Side, call: CallId, variable: Variable) -> bool {
    let object = match variable {
        Variable::Return { call: of } | Variable::Exception { call: of } => return of == call,
        Variable::Static { .. } => return true,
        Variable::Local { .. } => return false,
        Variable::Field { object, .. }
        | Variable::Element { array: object, .. }
        | Variable::Content { object, .. } => object,
    };
    let is = |value: &ValueView| matches!(value, ValueView::Object(view) if view.id == object);
    let listed = side.objects.iter().any(|reached| is(&reached.object));
    let rows = side.rows.iter().filter_map(|row| row.end.as_ref());
    listed || rows.into_iter().any(is) || given(side, object)
}

/// Does it lie in something that the call was given?
fn reaches(given: &Side, variable: Variable) -> bool {
    let (Variable::Field { object, .. }
    | Variable::Element { array: object, .. }
    | Variable::Content { object, .. }) = variable
    else {
        return false;
    };
    let is = |value: &ValueView| matches!(value, ValueView::Object(view) if view.id == object);
    given.objects.iter().any(|reached| is(&reached.object))
}

fn given(side: &Side, object: ObjectId) -> bool {
    let is = |value: &ValueView| matches!(value, ValueView::Object(view) if view.id == object);
    side.call.values.as_ref().is_some_and(|values| {
        values.receiver.as_ref().is_some_and(is)
            || values.arguments.iter().any(|argument| is(&argument.value))
    })
}
