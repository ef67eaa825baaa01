//! What a call was given and what it yielded, by pages.

use jhyde_history::History;
use jhyde_history::input_output::SideAsked;
use jhyde_proto::v1;
use tonic::Status;

use super::{resolve_call, status};
use crate::services::to_proto;

fn asked(request: &v1::GetSideRequest) -> SideAsked<'_> {
    SideAsked {
        budget: request.budget,
        page_size: request.page_size,
        page_token: &request.page_token,
    }
}

pub(super) fn input(
    history: &History,
    request: &v1::GetSideRequest,
) -> Result<v1::CallInput, Status> {
    let call = resolve_call(history, "call", &request.call)?;
    let (side, next) = history.input_page(call, asked(request)).map_err(status)?;
    Ok(v1::CallInput {
        call: Some(to_proto::call(&side.call)),
        rows: side.rows.iter().map(to_proto::state_row).collect(),
        objects: side.objects.iter().map(to_proto::reachable).collect(),
        notes: side.notes,
        next_page_token: next.unwrap_or_default(),
    })
}

pub(super) fn result(
    history: &History,
    request: &v1::GetSideRequest,
) -> Result<v1::CallResult, Status> {
    let call = resolve_call(history, "call", &request.call)?;
    let (side, next) = history.result_page(call, asked(request)).map_err(status)?;
    Ok(v1::CallResult {
        call: Some(to_proto::call(&side.call)),
        rows: side.rows.iter().map(to_proto::state_row).collect(),
        objects: side.objects.iter().map(to_proto::reachable).collect(),
        notes: side.notes,
        next_page_token: next.unwrap_or_default(),
    })
}
