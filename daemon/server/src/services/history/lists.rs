//! Lists that need no more than to be put into messages: statics, lines, methods.

use jhyde_history::History;
use jhyde_history::find::FoundMethod;
use jhyde_history::statics::StaticList;
use jhyde_proto::v1;
use jhyde_trace::Timestamp;
use tonic::Status;

use super::{resolve_call, status, wanted};
use crate::services::to_proto;

pub(super) fn statics(
    history: &History,
    request: &v1::ListStaticsRequest,
) -> Result<v1::ListStaticsResponse, Status> {
    let list = StaticList {
        call: resolve_call(history, "call", &request.call)?,
        from: request.from.map(Timestamp),
        to: request.to.map(Timestamp),
        budget: request.budget,
        changed: request.changed,
        text: request.text.clone(),
    };
    let wanted = wanted(history, &request.page_token, request.start.as_ref())?;
    let page = history
        .statics(&list, request.page_size, wanted)
        .map_err(status)?;
    Ok(v1::ListStaticsResponse {
        rows: page.rows.iter().map(to_proto::state_row).collect(),
        next_page_token: page.next.unwrap_or_default(),
        notes: page.notes,
        previous_page_token: page.previous.unwrap_or_default(),
        statics: page.statics,
        index: page.index,
    })
}

pub(super) fn lines(history: &History, call: &str) -> Result<v1::ListLinesResponse, Status> {
    let call = resolve_call(history, "call", call)?;
    let found = history.lines(call).map_err(status)?;
    let lines = found.lines.iter().map(|run| v1::LineRun {
        line: run.line,
        count: run.count,
        first: run.when.map(|(first, _)| first.0),
        last: run.when.map(|(_, last)| last.0),
    });
    Ok(v1::ListLinesResponse {
        class: found.class,
        source_file: found.source_file,
        lines: lines.collect(),
        counted_to: found.counted_to.map(|at| at.0),
        notes: found.notes,
    })
}

pub(super) fn methods(
    history: &History,
    request: &v1::FindMethodsRequest,
) -> Result<v1::FindMethodsResponse, Status> {
    let found = history
        .find_methods(
            &request.text,
            request.all,
            request.page_size,
            &request.page_token,
        )
        .map_err(status)?;
    let method = |found: FoundMethod| v1::FoundMethod {
        method: Some(to_proto::method(&found.method)),
        class: found.class,
        source_file: found.source_file,
        in_scope: found.in_scope,
    };
    Ok(v1::FindMethodsResponse {
        methods: found.page.rows.into_iter().map(method).collect(),
        next_page_token: found.page.next.unwrap_or_default(),
        notes: found.notes,
        found: found.found,
    })
}
