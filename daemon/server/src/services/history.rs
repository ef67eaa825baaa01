//! The service `History`: questions about the past of a recording.
//!
//! Every question is answered on a blocking thread; streams go through a short way (`parts`), so that what a client does not
//! take is not read from the disk, and end when the client goes away or takes nothing for long.

mod errors;
mod lists;
mod side;
mod source;
mod standing;
mod stream;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use jhyde_debugging::Sessions;
use jhyde_history::Error;
use jhyde_history::History;
use jhyde_history::events::{EventList, Inside, Outlines};
use jhyde_history::gap_list::GapList;
use jhyde_history::navigate::Step;
use jhyde_history::page::{Place, Start, Wanted};
use jhyde_history::slice::SlicedValue;
use jhyde_history::tree::CallList;
use jhyde_history::writes::WriteList;
use jhyde_proto::v1;
use jhyde_store::Direction;
use jhyde_trace::{CallId, ObjectId, Timestamp, Variable};
use tonic::{Request, Response, Status};

use crate::daemon::Daemon;
use crate::services::parts::Answer as InParts;
use crate::services::status::invalid;
use crate::services::to_proto;
pub(crate) use errors::{in_field, status};

/// See the module.
#[derive(Debug)]
pub struct HistoryService {
    daemon: Arc<Daemon>,
    outlines: Arc<Outlines>,
    sessions: Arc<Sessions>,
}

type Answer<T> = Result<Response<T>, Status>;

impl HistoryService {
    /// The service over this daemon; calls say how they stand in these sessions.
    pub fn new(daemon: Arc<Daemon>, sessions: Arc<Sessions>) -> Self {
        Self {
            daemon,
            sessions,
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

/// Which page of a list is asked for.
fn wanted<'a>(
    history: &History,
    token: &'a str,
    start: Option<&v1::ListStart>,
) -> Result<Wanted<'a>, Status> {
    let start = match start.and_then(|start| Some((start, start.at.as_ref()?))) {
        None => {
            if start.is_some() {
                return Err(invalid(
                    "start",
                    "say at which call, timestamp or index the page begins",
                ));
            }
            None
        }
        Some((start, at)) => Some(Start {
            at: match at {
                v1::list_start::At::Call(call) => {
                    Place::Call(resolve_call(history, "start", call)?)
                }
                v1::list_start::At::Timestamp(time) => Place::Time(Timestamp(*time)),
                v1::list_start::At::Index(index) => Place::Index(*index),
            },
            backward: start.backward,
        }),
    };
    Ok(Wanted { token, start })
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
        without_root: request.without_root,
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
        let request = request.into_inner();
        let sessions = Arc::clone(&self.sessions);
        self.ask(request.recording, move |history| {
            let call = request.call;
            resolve_call(history, "call", &call)?;
            let call = history
                .call_named(&call, true)
                .map_err(|error| in_field("call", error))?;
            let mut calls = [to_proto::call(&call)];
            standing::tell(&sessions, history, &request.session, &mut calls)?;
            let [call] = calls;
            Ok(call)
        })
        .await
    }

    async fn get_path(&self, request: Request<v1::GetCallRequest>) -> Answer<v1::Calls> {
        let request = request.into_inner();
        let sessions = Arc::clone(&self.sessions);
        self.ask(request.recording, move |history| {
            let call = resolve_call(history, "call", &request.call)?;
            let path = history.path(call).map_err(status)?;
            let mut calls: Vec<_> = path.iter().map(to_proto::call).collect();
            standing::tell(&sessions, history, &request.session, &mut calls)?;
            Ok(v1::Calls { calls })
        })
        .await
    }

    async fn list_calls(
        &self,
        request: Request<v1::ListCallsRequest>,
    ) -> Answer<v1::ListCallsResponse> {
        let request = request.into_inner();
        let sessions = Arc::clone(&self.sessions);
        self.ask(request.recording.clone(), move |history| {
            let list = call_list(history, &request)?;
            let wanted = wanted(history, &request.page_token, request.start.as_ref())?;
            let page = history
                .calls(&list, !request.without_values, request.page_size, wanted)
                .map_err(status)?;
            let mut calls: Vec<_> = page.rows.iter().map(to_proto::call).collect();
            let weight = standing::tell(&sessions, history, &request.session, &mut calls)?;
            Ok(v1::ListCallsResponse {
                calls,
                next_page_token: page.next.unwrap_or_default(),
                notes: page.notes,
                previous_page_token: page.previous.unwrap_or_default(),
                places: page.places,
                place: page.place,
                weight,
            })
        })
        .await
    }

    type StreamCallsStream = InParts<v1::Call>;

    async fn stream_calls(
        &self,
        request: Request<v1::ListCallsRequest>,
    ) -> Answer<Self::StreamCallsStream> {
        let request = request.into_inner();
        if request.start.is_some() {
            return Err(invalid(
                "start",
                "a stream tells all calls: list them by pages to begin elsewhere",
            ));
        }
        let history = self.history(request.recording.clone()).await?;
        let (sessions, session) = (Arc::clone(&self.sessions), request.session.clone());
        let (history, list, from) = blocking(move || {
            let list = call_list(&history, &request)?;
            // Refused here rather than in the middle of the stream.
            drop(history.walk(&list, None).map_err(status)?);
            Ok((history, list, request))
        })
        .await?;
        let told = standing::Told { sessions, session };
        let with_values = !from.without_values;
        let calls = stream::calls(&self.daemon, history, list, with_values, told)?;
        Ok(Response::new(calls))
    }

    async fn get_state(&self, request: Request<v1::GetStateRequest>) -> Answer<v1::NodeState> {
        let request = request.into_inner();
        self.ask(request.recording.clone(), move |history| {
            let call = resolve_call(history, "call", &request.call)?;
            let between = (request.from.map(Timestamp), request.to.map(Timestamp));
            let state = history
                .state_with(call, between, request.budget, !request.without_statics)
                .map_err(status)?;
            Ok(to_proto::node_state(&state))
        })
        .await
    }

    async fn list_statics(
        &self,
        request: Request<v1::ListStaticsRequest>,
    ) -> Answer<v1::ListStaticsResponse> {
        let request = request.into_inner();
        self.ask(request.recording.clone(), move |history| {
            lists::statics(history, &request)
        })
        .await
    }

    async fn expand_object(
        &self,
        request: Request<v1::ExpandObjectRequest>,
    ) -> Answer<v1::ExpandObjectResponse> {
        let request = request.into_inner();
        self.ask(request.recording.clone(), move |history| {
            let wanted = wanted(history, &request.page_token, request.start.as_ref())?;
            let (page, notes) = history
                .expand(
                    ObjectId(request.object),
                    Timestamp(request.from),
                    Timestamp(request.to),
                    request.budget,
                    request.page_size,
                    wanted,
                )
                .map_err(status)?;
            Ok(v1::ExpandObjectResponse {
                rows: page.rows.iter().map(to_proto::state_row).collect(),
                next_page_token: page.next.unwrap_or_default(),
                notes,
                previous_page_token: page.previous.unwrap_or_default(),
                length: page.length,
                index: page.index,
            })
        })
        .await
    }

    async fn get_input(&self, request: Request<v1::GetSideRequest>) -> Answer<v1::CallInput> {
        let request = request.into_inner();
        self.ask(request.recording.clone(), move |history| {
            side::input(history, &request)
        })
        .await
    }

    async fn get_result(&self, request: Request<v1::GetSideRequest>) -> Answer<v1::CallResult> {
        let request = request.into_inner();
        self.ask(request.recording.clone(), move |history| {
            side::result(history, &request)
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
            let wanted = wanted(history, &request.page_token, request.start.as_ref())?;
            let events = history
                .events(&list, request.page_size, wanted)
                .map_err(status)?;
            Ok(v1::ListEventsResponse {
                rows: events.page.rows.iter().map(to_proto::event_row).collect(),
                next_page_token: events.page.next.unwrap_or_default(),
                notes: events.notes,
                previous_page_token: events.page.previous.unwrap_or_default(),
                first: events.first.0,
                last: events.last.0,
            })
        })
        .await
    }

    type StreamEventsStream = InParts<v1::Event>;
    type WhyStream = InParts<v1::SliceStep>;

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
        let events = stream::events(&self.daemon, history, &request)?;
        Ok(Response::new(events))
    }

    async fn why(&self, request: Request<v1::WhyRequest>) -> Answer<Self::WhyStream> {
        let request = request.into_inner();
        let cancelled = CancelOnDrop::default();
        let history = self.history(request.recording.clone()).await?;
        let history = history.cancelled_by(Arc::clone(&cancelled.0));
        let slice = blocking(move || {
            let of = SlicedValue {
                variable: resolve_variable(&history, "variable", &request.variable)?,
                at: request.at.map(Timestamp),
            };
            history.slice(of).map_err(status)
        });
        let steps = stream::steps(&self.daemon, cancelled, slice.await?)?;
        Ok(Response::new(steps))
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
            let wanted = wanted(history, &request.page_token, request.start.as_ref())?;
            let writes = history
                .writes(&list, request.page_size, wanted)
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
                previous_page_token: writes.page.previous.unwrap_or_default(),
                first: writes.first.map(|at| at.0),
                last: writes.last.map(|at| at.0),
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

    async fn locate(&self, request: Request<v1::LocateRequest>) -> Answer<v1::Location> {
        let request = request.into_inner();
        let sessions = Arc::clone(&self.sessions);
        self.ask(request.recording.clone(), move |history| {
            let call = match request.call.as_str() {
                "" => None,
                call => Some(resolve_call(history, "call", call)?),
            };
            let at = Timestamp(request.timestamp);
            let located = history.locate(at, call).map_err(|error| match error {
                error @ Error::Start(_) => in_field("call", error),
                error => in_field("timestamp", error),
            })?;
            let mut path: Vec<_> = located.path.iter().map(to_proto::call).collect();
            standing::tell(&sessions, history, &request.session, &mut path)?;
            Ok(v1::Location {
                event: Some(to_proto::event(&located.event)),
                call: path.last().cloned(),
                path,
                rows: located.rows.iter().map(to_proto::event_row).collect(),
                notes: located.notes,
            })
        })
        .await
    }

    async fn list_lines(
        &self,
        request: Request<v1::ListLinesRequest>,
    ) -> Answer<v1::ListLinesResponse> {
        let v1::ListLinesRequest { recording, call } = request.into_inner();
        self.ask(recording, move |history| lists::lines(history, &call))
            .await
    }

    async fn find_methods(
        &self,
        request: Request<v1::FindMethodsRequest>,
    ) -> Answer<v1::FindMethodsResponse> {
        let request = request.into_inner();
        self.ask(request.recording.clone(), move |history| {
            lists::methods(history, &request)
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
        let may_name_files = crate::access::caller(&request).may_name_files();
        let request = request.into_inner();
        let daemon = Arc::clone(&self.daemon);
        blocking(move || source::get(&daemon, &request, may_name_files))
            .await
            .map(Response::new)
    }
}
