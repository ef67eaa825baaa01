//! The service `History`: questions about the past of a recording.
//!
//! Every question is answered on a blocking thread; the two streams go through a short channel, so that what
//! a client does not take is not read from the disk, and end when the client goes away.

mod errors;
mod source;
mod stream;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use jhyde_history::History;
use jhyde_history::events::{EventList, Inside, Outlines};
use jhyde_history::gap_list::GapList;
use jhyde_history::navigate::Step;
use jhyde_history::slice::SlicedValue;
use jhyde_history::tree::CallList;
use jhyde_history::writes::WriteList;
use jhyde_proto::v1;
use jhyde_store::Direction;
use jhyde_trace::{CallId, ObjectId, Timestamp, Variable};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Response, Status};

use crate::daemon::Daemon;
use crate::services::status::invalid;
use crate::services::to_proto;
pub(crate) use errors::{in_field, status};

/// See the module.
#[derive(Debug)]
pub struct HistoryService {
    daemon: Arc<Daemon>,
    outlines: Arc<Outlines>,
}

type Answer<T> = Result<Response<T>, Status>;

impl HistoryService {
    /// The service over this daemon.
    pub fn new(daemon: Arc<Daemon>) -> Self {
        Self {
            daemon,
            outlines: Arc::default(),
        }
    }

    /// Answers from a recording, on a blocking thread. When the client goes away, the question ends.
    async fn ask<T: Send + 'static>(
        &self,
        recording: String,
        question: impl FnOnce(&History) -> Result<T, Status> + Send + 'static,
    ) -> Answer<T> {
        let history = self.history(recording).await?;
        let cancelled = CancelOnDrop::default();
        let history = history.cancelled_by(Arc::clone(&cancelled.0));
        blocking(move || question(&history))
            .await
            .map(Response::new)
    }

    async fn history(&self, recording: String) -> Result<History, Status> {
        let daemon = Arc::clone(&self.daemon);
        let outlines = Arc::clone(&self.outlines);
        blocking(move || Ok(open(&daemon, &recording)?.with_outlines(outlines))).await
    }
}

/// Sets its flag when it goes: with the future that holds it, because the answer is there, or because the
/// client has gone away.
#[derive(Debug, Default)]
pub(crate) struct CancelOnDrop(pub(crate) Arc<AtomicBool>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The history of a recording of this id or name.
pub(crate) fn open(daemon: &Daemon, recording: &str) -> Result<History, Status> {
    if recording.is_empty() {
        return Err(invalid("recording", "name a recording by its id or name"));
    }
    Ok(History::new(daemon.recording(recording)?))
}

/// Does what blocks where that hinders nobody.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Status> + Send + 'static,
) -> Result<T, Status> {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(error) => match error.try_into_panic() {
            // The server's outermost layer answers panics, and logs them.
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(_) => Err(Status::unavailable(
                "the daemon is stopping; start it again and repeat",
            )),
        },
    }
}

pub(crate) fn resolve_call(history: &History, field: &str, call: &str) -> Result<CallId, Status> {
    if call.is_empty() {
        return Err(invalid(
            field,
            "name a call: THREAD.NUMBER or METHOD#INVOCATION",
        ));
    }
    history
        .resolve_call(call)
        .map_err(|error| in_field(field, error))
}

fn resolve_variable(history: &History, field: &str, variable: &str) -> Result<Variable, Status> {
    history
        .resolve_variable(variable)
        .map_err(|error| in_field(field, error))
}

fn call_list(history: &History, request: &v1::ListCallsRequest) -> Result<CallList, Status> {
    let subtree = match request.call.as_str() {
        "" => None,
        call => Some(resolve_call(history, "call", call)?),
    };
    Ok(CallList {
        subtree,
        max_depth: request.max_depth,
        without_boundary: request.without_boundary,
        method: (!request.method.is_empty()).then(|| request.method.clone()),
    })
}

fn step(history: &History, request: &v1::NavigateRequest) -> Result<Step, Status> {
    use Direction::{Backward, Forward};
    let write = |direction| {
        Ok(Step::Write(
            resolve_variable(history, "variable", &request.variable)?,
            direction,
        ))
    };
    let line = |direction| {
        if request.class.is_empty() || request.line == 0 {
            return Err(invalid("line", "name a class and a line, from 1"));
        }
        Ok(Step::Line(request.class.clone(), request.line, direction))
    };
    match request.step() {
        v1::Step::Unspecified => Err(invalid("step", "say which step")),
        v1::Step::ForwardInto => Ok(Step::Into(Forward)),
        v1::Step::ForwardOver => Ok(Step::Over(Forward)),
        v1::Step::ForwardOut => Ok(Step::Out(Forward)),
        v1::Step::BackwardInto => Ok(Step::Into(Backward)),
        v1::Step::BackwardOver => Ok(Step::Over(Backward)),
        v1::Step::BackwardOut => Ok(Step::Out(Backward)),
        v1::Step::NextWrite => write(Forward),
        v1::Step::PreviousWrite => write(Backward),
        v1::Step::NextAtLine => line(Forward),
        v1::Step::PreviousAtLine => line(Backward),
        v1::Step::ToThrow => Ok(Step::Throw),
    }
}

#[tonic::async_trait]
impl v1::history_server::History for HistoryService {
    async fn list_threads(
        &self,
        request: Request<v1::ListThreadsRequest>,
    ) -> Answer<v1::ListThreadsResponse> {
        self.ask(request.into_inner().recording, |history| {
            let threads = history.threads().map_err(status)?;
            Ok(v1::ListThreadsResponse {
                threads: threads.threads.iter().map(to_proto::thread).collect(),
                notes: threads.notes,
            })
        })
        .await
    }

    async fn get_call(&self, request: Request<v1::GetCallRequest>) -> Answer<v1::Call> {
        let v1::GetCallRequest { recording, call } = request.into_inner();
        self.ask(recording, move |history| {
            resolve_call(history, "call", &call)?;
            let call = history
                .call_named(&call, true)
                .map_err(|error| in_field("call", error))?;
            Ok(to_proto::call(&call))
        })
        .await
    }

    async fn get_path(&self, request: Request<v1::GetCallRequest>) -> Answer<v1::Calls> {
        let v1::GetCallRequest { recording, call } = request.into_inner();
        self.ask(recording, move |history| {
            let call = resolve_call(history, "call", &call)?;
            let path = history.path(call).map_err(status)?;
            Ok(v1::Calls {
                calls: path.iter().map(to_proto::call).collect(),
            })
        })
        .await
    }

    async fn list_calls(
        &self,
        request: Request<v1::ListCallsRequest>,
    ) -> Answer<v1::ListCallsResponse> {
        let request = request.into_inner();
        self.ask(request.recording.clone(), move |history| {
            let list = call_list(history, &request)?;
            let page = history
                .calls(
                    &list,
                    !request.without_values,
                    request.page_size,
                    &request.page_token,
                )
                .map_err(status)?;
            Ok(v1::ListCallsResponse {
                calls: page.rows.iter().map(to_proto::call).collect(),
                next_page_token: page.next.unwrap_or_default(),
                notes: page.notes,
            })
        })
        .await
    }

    type StreamCallsStream = ReceiverStream<Result<v1::Call, Status>>;

    async fn stream_calls(
        &self,
        request: Request<v1::ListCallsRequest>,
    ) -> Answer<Self::StreamCallsStream> {
        let request = request.into_inner();
        let history = self.history(request.recording.clone()).await?;
        let (history, list, from) = blocking(move || {
            let list = call_list(&history, &request)?;
            // Refused here rather than in the middle of the stream.
            drop(history.walk(&list, None).map_err(status)?);
            Ok((history, list, request))
        })
        .await?;
        Ok(Response::new(stream::calls(
            history,
            list,
            !from.without_values,
        )))
    }

    async fn get_state(&self, request: Request<v1::GetStateRequest>) -> Answer<v1::NodeState> {
        let request = request.into_inner();
        self.ask(request.recording.clone(), move |history| {
            let call = resolve_call(history, "call", &request.call)?;
            let (from, to) = (request.from.map(Timestamp), request.to.map(Timestamp));
            let state = history
                .state(call, from, to, request.budget)
                .map_err(status)?;
            Ok(to_proto::node_state(&state))
        })
        .await
    }

    async fn expand_object(
        &self,
        request: Request<v1::ExpandObjectRequest>,
    ) -> Answer<v1::ExpandObjectResponse> {
        let request = request.into_inner();
        self.ask(request.recording.clone(), move |history| {
            let (page, notes) = history
                .expand(
                    ObjectId(request.object),
                    Timestamp(request.from),
                    Timestamp(request.to),
                    request.budget,
                    request.page_size,
                    &request.page_token,
                )
                .map_err(status)?;
            Ok(v1::ExpandObjectResponse {
                rows: page.rows.iter().map(to_proto::state_row).collect(),
                next_page_token: page.next.unwrap_or_default(),
                notes,
            })
        })
        .await
    }

    async fn get_input(&self, request: Request<v1::GetCallRequest>) -> Answer<v1::CallInput> {
        let v1::GetCallRequest { recording, call } = request.into_inner();
        self.ask(recording, move |history| {
            let call = resolve_call(history, "call", &call)?;
            let side = history.input(call).map_err(status)?;
            Ok(v1::CallInput {
                call: Some(to_proto::call(&side.call)),
                rows: side.rows.iter().map(to_proto::state_row).collect(),
                objects: side.objects.iter().map(to_proto::reachable).collect(),
                notes: side.notes,
            })
        })
        .await
    }

    async fn get_result(&self, request: Request<v1::GetCallRequest>) -> Answer<v1::CallResult> {
        let v1::GetCallRequest { recording, call } = request.into_inner();
        self.ask(recording, move |history| {
            let call = resolve_call(history, "call", &call)?;
            let side = history.result(call).map_err(status)?;
            Ok(v1::CallResult {
                call: Some(to_proto::call(&side.call)),
                rows: side.rows.iter().map(to_proto::state_row).collect(),
                objects: side.objects.iter().map(to_proto::reachable).collect(),
                notes: side.notes,
            })
        })
        .await
    }

    async fn list_events(
        &self,
        request: Request<v1::ListEventsRequest>,
    ) -> Answer<v1::ListEventsResponse> {
        let request = request.into_inner();
        self.ask(request.recording.clone(), move |history| {
            let mark = match request.mark.as_str() {
                "" => None,
                variable => Some(resolve_variable(history, "mark", variable)?),
            };
            let inside = match request.inside.as_str() {
                "" => None,
                row => Some(row.parse::<Inside>().map_err(status)?),
            };
            let list = EventList {
                call: resolve_call(history, "call", &request.call)?,
                from: request.from.map(Timestamp),
                to: request.to.map(Timestamp),
                mark,
                inside: inside.filter(|_| !request.flat),
                unfold: request.unfold,
                flat: request.flat,
            };
            let events = history
                .events(&list, request.page_size, &request.page_token)
                .map_err(status)?;
            Ok(v1::ListEventsResponse {
                rows: events.page.rows.iter().map(to_proto::event_row).collect(),
                next_page_token: events.page.next.unwrap_or_default(),
                notes: events.notes,
            })
        })
        .await
    }

    type StreamEventsStream = ReceiverStream<Result<v1::Event, Status>>;
    type WhyStream = ReceiverStream<Result<v1::SliceStep, Status>>;

    async fn stream_events(
        &self,
        request: Request<v1::StreamEventsRequest>,
    ) -> Answer<Self::StreamEventsStream> {
        let request = request.into_inner();
        let history = self.history(request.recording.clone()).await?;
        let (history, request) = blocking(move || {
            stream::check(&history, &request)?;
            Ok((history, request))
        })
        .await?;
        Ok(Response::new(stream::events(history, &request)))
    }

    async fn why(&self, request: Request<v1::WhyRequest>) -> Answer<Self::WhyStream> {
        let request = request.into_inner();
        let history = self.history(request.recording.clone()).await?;
        let slice = blocking(move || {
            let of = SlicedValue {
                variable: resolve_variable(&history, "variable", &request.variable)?,
                at: request.at.map(Timestamp),
            };
            history.slice(of).map_err(status)
        });
        Ok(Response::new(stream::steps(slice.await?)))
    }

    async fn list_writes(
        &self,
        request: Request<v1::ListWritesRequest>,
    ) -> Answer<v1::ListWritesResponse> {
        let request = request.into_inner();
        self.ask(request.recording.clone(), move |history| {
            let list = WriteList {
                variable: resolve_variable(history, "variable", &request.variable)?,
                from: request.from.map(Timestamp),
                to: request.to.map(Timestamp),
                newest_first: request.newest_first,
            };
            let writes = history
                .writes(&list, request.page_size, &request.page_token)
                .map_err(status)?;
            Ok(v1::ListWritesResponse {
                variable: writes.variable,
                writes: writes
                    .page
                    .rows
                    .iter()
                    .map(to_proto::variable_write)
                    .collect(),
                next_page_token: writes.page.next.unwrap_or_default(),
                notes: writes.notes,
            })
        })
        .await
    }

    async fn navigate(&self, request: Request<v1::NavigateRequest>) -> Answer<v1::Event> {
        let request = request.into_inner();
        self.ask(request.recording.clone(), move |history| {
            let step = step(history, &request)?;
            let event = history
                .navigate(Timestamp(request.from), &step)
                .map_err(status)?;
            Ok(to_proto::event(&event))
        })
        .await
    }

    async fn list_uncaught(
        &self,
        request: Request<v1::ListThreadsRequest>,
    ) -> Answer<v1::ListUncaughtResponse> {
        self.ask(request.into_inner().recording, |history| {
            let uncaught = history.uncaught().map_err(status)?;
            let exits = history.exits().map_err(status)?;
            Ok(v1::ListUncaughtResponse {
                exceptions: uncaught.exceptions.iter().map(to_proto::uncaught).collect(),
                notes: uncaught.notes,
                exits: exits.iter().map(to_proto::program_exit).collect(),
            })
        })
        .await
    }

    async fn list_gaps(
        &self,
        request: Request<v1::ListGapsRequest>,
    ) -> Answer<v1::ListGapsResponse> {
        let request = request.into_inner();
        self.ask(request.recording.clone(), move |history| {
            let call = match request.call.as_str() {
                "" => None,
                call => Some(resolve_call(history, "call", call)?),
            };
            let list = GapList {
                call,
                reason: (!request.reason.is_empty()).then_some(request.reason),
            };
            let gaps = history
                .gap_list(&list, request.page_size, &request.page_token)
                .map_err(status)?;
            Ok(v1::ListGapsResponse {
                gaps: gaps.page.rows.iter().map(to_proto::gap).collect(),
                next_page_token: gaps.page.next.unwrap_or_default(),
                notes: gaps.notes,
            })
        })
        .await
    }

    async fn list_classes(
        &self,
        request: Request<v1::ListClassesRequest>,
    ) -> Answer<v1::ListClassesResponse> {
        let v1::ListClassesRequest { recording, all } = request.into_inner();
        self.ask(recording, move |history| {
            let classes = history.classes(all).map_err(status)?;
            Ok(v1::ListClassesResponse {
                classes: classes.classes.iter().map(to_proto::class).collect(),
                notes: classes.notes,
            })
        })
        .await
    }

    async fn get_source(&self, request: Request<v1::GetSourceRequest>) -> Answer<v1::Source> {
        let over_tcp = request.remote_addr().is_some();
        let request = request.into_inner();
        let daemon = Arc::clone(&self.daemon);
        blocking(move || source::get(&daemon, &request, over_tcp))
            .await
            .map(Response::new)
    }
}
