//! `jhyde tree`: the calls of a recording or of one call.

use std::collections::HashMap;

use jhyde_proto::v1::list_start::At;
use jhyde_proto::v1::{Call, ListCallsRequest, ListStart, ListThreadsRequest, Thread};
use tokio_stream::StreamExt as _;

use super::{Context, Notes, Paging, call_argument, end_note, recordings};
use crate::args::TreeArgs;
use crate::error::Error;
use crate::json::CallJson;
use crate::output::{Look, Paint};
use crate::progress;
use crate::text::{Detail, TreeDrawing, clean, plural};

/// Shows the tree.
///
/// # Errors
/// When the daemon refuses, or the output cannot be written.
pub async fn tree(context: &mut Context, args: &TreeArgs) -> Result<(), Error> {
    let paging = Paging::new(&args.page, context.out.json);
    let request = ListCallsRequest {
        recording: args.recording.clone(),
        call: args.call.as_deref().map(call_argument).unwrap_or_default(),
        max_depth: args.depth.unwrap_or(0),
        page_size: paging.size(),
        page_token: String::new(),
        without_values: args.no_values,
        without_boundary: args.no_boundary,
        method: args.method.clone().unwrap_or_default(),
        start: args.from.as_deref().map(|call| ListStart {
            at: Some(At::Call(call_argument(call))),
            backward: false,
        }),
        ..ListCallsRequest::default()
    };
    if context.out.json && paging.is_all() && request.start.is_none() {
        return stream(context, request).await;
    }
    pages(context, request, paging, args.unfold).await
}

/// One call per line, as fast as they come.
async fn stream(context: &mut Context, request: ListCallsRequest) -> Result<(), Error> {
    let whole = request.call.is_empty() && request.max_depth == 0 && request.method.is_empty();
    let recording = request.recording.clone();
    // A thread's root has no end; nor has a call that is incomplete.
    let mut until_the_end = request.call.is_empty() || request.call.ends_with(".0");
    let request = ListCallsRequest {
        page_size: 0,
        ..request
    };
    let mut calls = context
        .client
        .history
        .stream_calls(request)
        .await?
        .into_inner();
    // How many there will be is known only for the whole recording.
    // It is only for the bar: where it cannot be had, there is none.
    let answer = if whole {
        let named = recordings::named(&recording);
        context.client.recordings.get(named).await.ok()
    } else {
        None
    };
    let total = answer.map_or(0, |recording| recording.into_inner().calls);
    let bar = if total > 0 {
        progress::rows(total, "calls")
    } else {
        progress::reading("reading calls")
    };
    let mut seen = 0_u64;
    let mut failed = None;
    while let Some(call) = calls.next().await {
        let call = match call {
            Ok(call) => call,
            Err(status) => {
                failed = Some(status);
                break;
            }
        };
        until_the_end |= seen == 0 && call.incomplete;
        context.out.object(&CallJson(&call))?;
        seen += 1;
        // Telling the bar is cheap, but not for nothing.
        if seen.is_multiple_of(256) {
            bar.set_position(seen);
        }
    }
    bar.finish_and_clear();
    let mut notes = Notes::default();
    if until_the_end {
        notes.add([end_note(&context.client, &recording).await]);
    }
    notes.tell(&mut context.out)?;
    failed.map_or(Ok(()), |status| Err(status.into()))
}

async fn pages(
    context: &mut Context,
    request: ListCallsRequest,
    mut paging: Paging,
    unfold: bool,
) -> Result<(), Error> {
    let paint = context.out.paint;
    let detail = Detail::list(context.out.width);
    let heads = if context.out.json {
        HashMap::new()
    } else {
        threads(context, &request.recording).await?
    };
    // Under a call the daemon counts levels from the call, else from the thread's root above the first.
    let shift = u32::from(!request.call.is_empty());
    let max_depth = (request.max_depth > 0).then(|| request.max_depth.saturating_add(shift));
    let mut drawing = TreeDrawing::new(paint, max_depth, !request.method.is_empty());
    if unfold {
        drawing = drawing.unfolded();
    }
    let several = heads.len() > 1 && request.call.is_empty();
    let (mut shown, mut lines) = (0_u64, 0_u64);
    let mut notes = Notes::default();
    loop {
        let request = ListCallsRequest {
            page_token: paging.token.clone(),
            ..request.clone()
        };
        let page = context
            .client
            .history
            .list_calls(request)
            .await?
            .into_inner();
        shown += page.calls.len() as u64;
        if context.out.json {
            for call in &page.calls {
                context.out.object(&CallJson(call))?;
            }
        } else {
            let mut head = |call: &Call| several.then(|| thread_head(call, &heads, paint));
            for line in drawing.page(page.calls, detail, &mut head) {
                lines += 1;
                context.out.line(line)?;
            }
        }
        notes.add(page.notes);
        let more = paging.next(page.next_page_token);
        if !more && !paging.fills_up(lines, context.out.json) {
            break;
        }
    }
    if let Some(line) = drawing.end(detail) {
        context.out.line(line)?;
    }
    if drawing.has_folded() {
        let hint = format!(
            "… jhyde tree {} CALL shows what is below a call, --unfold every level",
            request.recording
        );
        let hint = paint.text(Look::Hint, hint);
        context.out.line(hint)?;
    }
    notes.tell(&mut context.out)?;
    if notes.is_empty() && shown == 0 && !context.out.json {
        let nothing = match request.method.as_str() {
            "" => "no calls were recorded (does --include match the program's classes? jhyde show tells)".into(),
            method => format!("no call of '{method}' was recorded"),
        };
        let nothing = paint.text(Look::Faint, nothing);
        return context.out.line(nothing);
    }
    paging.tell(&plural(shown, "call"), &mut context.out)
}

async fn threads(context: &mut Context, recording: &str) -> Result<HashMap<String, Thread>, Error> {
    let request = ListThreadsRequest {
        recording: recording.to_owned(),
    };
    let threads = context
        .client
        .history
        .list_threads(request)
        .await?
        .into_inner()
        .threads;
    let with_calls = threads.into_iter().filter(|thread| thread.calls > 0);
    Ok(with_calls
        .map(|thread| (thread.id.to_string(), thread))
        .collect())
}

fn thread_head(call: &Call, threads: &HashMap<String, Thread>, paint: Paint) -> String {
    let id = call.id.split('.').next().unwrap_or_default();
    let thread = threads.get(id);
    let name = thread.map_or(call.thread_name.as_str(), |thread| thread.name.as_str());
    let calls = thread
        .map(|thread| format!(" · {}", plural(thread.calls, "call")))
        .unwrap_or_default();
    let end = match thread {
        Some(thread) if thread.recording_ended => " · not ended when the recording ended",
        Some(thread) if thread.end.is_none() => " · still running or not seen to end",
        _ => "",
    };
    let name = paint.text(Look::Strong, format!("thread {id} \"{}\"", clean(name)));
    format!("{name}{}", paint.text(Look::Faint, format!("{calls}{end}")))
}
