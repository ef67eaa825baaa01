//! From the errors of questions to statuses.

use jhyde_history::Error;
use jhyde_history::error::Fault;
use tonic::Status;

use crate::error::{Kind, store_kind, store_reason};
use crate::services::status::with_details;

/// The status of an error that says itself which field of the request is wrong.
pub(crate) fn status(error: Error) -> Status {
    let field = match &error {
        Error::CallForm(_)
        | Error::NoSuchMethod(_)
        | Error::NoSuchInvocation { .. }
        | Error::Root(_) => "call",
        Error::VariableForm(_) | Error::NoSuchVariable { .. } => "variable",
        Error::NoSuchObject(_) => "object",
        Error::Interval { .. } => "from",
        Error::PageSize(_) => "page_size",
        Error::PageToken => "page_token",
        Error::Start(_) => "start",
        Error::Budget(_) => "budget",
        Error::NoSuchClass(_) => "class",
        Error::NoStep { .. } => "step",
        Error::NoSuchRow(_) | Error::RowForm(_) => "inside",
        Error::Cancelled => return Status::cancelled(error.to_string()),
        _ => return in_field("recording", error),
    };
    in_field(field, error)
}

/// The status of an error about this field of the request.
pub(crate) fn in_field(field: &str, error: Error) -> Status {
    let (kind, reason) = match (error.fault(), &error) {
        (Fault::Store, Error::Store(store)) => (store_kind(store), store_reason(store)),
        (Fault::NotFound, _) => (Kind::NotFound, reason(&error)),
        (Fault::Impossible, _) => (Kind::FailedPrecondition, reason(&error)),
        _ => (Kind::InvalidArgument, reason(&error)),
    };
    with_details(kind, reason, Some(field), error.to_string())
}

/// A stable word for programs.
fn reason(error: &Error) -> &'static str {
    match error {
        Error::CallForm(_) => "CALL_FORM",
        Error::NoSuchMethod(_) | Error::NoSuchInvocation { .. } | Error::Root(_) => "NO_CALL",
        Error::Ambiguous { .. } => "AMBIGUOUS",
        Error::VariableForm(_) => "VARIABLE_FORM",
        Error::NoSuchVariable { .. } => "NO_VARIABLE",
        Error::NoSuchObject(_) => "NO_OBJECT",
        Error::Interval { .. } => "INTERVAL",
        Error::PageSize(_) => "PAGE_SIZE",
        Error::PageToken => "PAGE_TOKEN",
        Error::Start(_) => "START",
        Error::Budget(_) => "BUDGET",
        Error::NoSuchClass(_) => "NO_CLASS",
        Error::NoStep { .. } => "NO_STEP",
        Error::NoSuchRow(_) => "NO_ROW",
        Error::RowForm(_) => "ROW_FORM",
        Error::Unended { .. } => "INCOMPLETE_CALL",
        _ => "HISTORY",
    }
}
