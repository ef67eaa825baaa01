//! From our errors to gRPC statuses: the code by [`Kind`], and details for programs.

use std::collections::HashMap;
use std::time::Duration;

use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt as _};

use crate::error::{Error, Kind};

/// The domain of `google.rpc.ErrorInfo`.
pub const DOMAIN: &str = "jhyde";

impl From<Kind> for Code {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::InvalidArgument => Self::InvalidArgument,
            Kind::NotFound => Self::NotFound,
            Kind::AlreadyExists => Self::AlreadyExists,
            Kind::FailedPrecondition => Self::FailedPrecondition,
            Kind::PermissionDenied => Self::PermissionDenied,
            Kind::Unauthenticated => Self::Unauthenticated,
            Kind::Unavailable => Self::Unavailable,
            Kind::DeadlineExceeded => Self::DeadlineExceeded,
            Kind::ResourceExhausted => Self::ResourceExhausted,
            Kind::Cancelled => Self::Cancelled,
            Kind::DataLoss => Self::DataLoss,
            Kind::Internal => Self::Internal,
        }
    }
}

impl From<Error> for Status {
    fn from(error: Error) -> Self {
        with_details(
            error.kind(),
            error.reason(),
            error.field(),
            error.to_string(),
        )
    }
}

/// A status of this kind with `ErrorInfo`, and `BadRequest` or `RetryInfo` where they apply.
///
/// `reason` is a stable word for programs, `field` the request's field that is wrong.
pub fn with_details(
    kind: Kind,
    reason: &str,
    field: Option<&str>,
    message: impl Into<String>,
) -> Status {
    let message = message.into();
    let mut details = ErrorDetails::new();
    details.set_error_info(reason, DOMAIN, HashMap::new());
    match (kind, field) {
        (Kind::InvalidArgument, Some(field)) => {
            details.add_bad_request_violation(field, &message);
        }
        (Kind::FailedPrecondition, _) => {
            details.add_precondition_failure_violation(reason, field.unwrap_or_default(), &message);
        }
        (Kind::Unavailable | Kind::ResourceExhausted, _) => {
            details.set_retry_info(Some(Duration::from_secs(1)));
        }
        _ => {}
    }
    Status::with_error_details(kind.into(), message, details)
}

/// A request's field makes no sense.
pub fn invalid(field: &str, message: impl Into<String>) -> Status {
    with_details(
        Kind::InvalidArgument,
        "INVALID_ARGUMENT",
        Some(field),
        message,
    )
}
