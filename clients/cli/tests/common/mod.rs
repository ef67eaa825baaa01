//! A daemon that knows one small recording by heart, for tests of what `jhyde` writes and understands.
//!
//! It is not used for anything that the real daemon is to prove: that is in `integration/`.

use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Mutex;

use jhyde_proto::v1::debugging_server::{Debugging, DebuggingServer};
use jhyde_proto::v1::history_server::{History, HistoryServer};
use jhyde_proto::v1::value::Kind;
use jhyde_proto::v1::*;
use tokio_stream::wrappers::TcpListenerStream;
use tokio_stream::{Stream, iter};
use tonic::{Request, Response, Status};

type Answer<T> = Result<Response<T>, Status>;
type Streamed<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

/// `main` calls `sort`, which calls `merge` twice.
pub(crate) fn calls() -> Vec<Call> {
    let call = |number: u64, method: &str, invocation, depth, parent: &str, descendants| Call {
        id: format!("1.{number}"),
        class: "demo.MergeSort".into(),
        method: method.into(),
        descriptor: "()V".into(),
        invocation,
        enter: number * 10,
        exit: Some(100 - number),
        parent: parent.into(),
        depth,
        descendants,
        result: Some(Value {
            kind: Some(Kind::Void(true)),
            ..Value::default()
        }),
        line: Some(u32::try_from(number).unwrap() * 11),
        source_file: "MergeSort.java".into(),
        thread_name: "main".into(),
        ..Call::default()
    };
    vec![
        call(1, "main", 0, 0, "1.0", 3),
        call(2, "sort", 0, 1, "1.1", 2),
        call(3, "merge", 0, 2, "1.2", 0),
        call(4, "merge", 1, 2, "1.2", 0),
    ]
}

fn named(call: &str) -> Result<Call, Status> {
    let matches =
        |known: &Call| known.id == call || format!("{}#{}", known.method, known.invocation) == call;
    calls()
        .into_iter()
        .find(matches)
        .ok_or_else(|| Status::not_found(format!("there is no call '{call}'")))
}

fn array(before: [i32; 2], after: [i32; 2]) -> (Value, Vec<StateRow>) {
    let int = |n| {
        Some(Value {
            kind: Some(Kind::Int(n)),
            ..Value::default()
        })
    };
    let rows = before
        .into_iter()
        .zip(after)
        .enumerate()
        .map(|(index, (before, after))| StateRow {
            kind: RowKind::Element.into(),
            name: index.to_string(),
            variable: format!("array#3[{index}]"),
            r#type: "int".into(),
            start: int(before),
            end: int(after),
            changed: before != after,
            ..StateRow::default()
        });
    let object = Object {
        id: 3,
        class: "int[]".into(),
        length: Some(2),
        ..Object::default()
    };
    (
        Value {
            kind: Some(Kind::Object(Box::new(object))),
            ..Value::default()
        },
        rows.collect(),
    )
}

#[derive(Default)]
pub(crate) struct Fake {
    given: Mutex<Vec<GivenAnswer>>,
}

/// Serves on a free port of loopback; the address is what `--daemon` takes.
pub(crate) async fn serve() -> SocketAddr {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let server = tonic::transport::Server::builder()
        .add_service(HistoryServer::new(Fake::default()))
        .add_service(DebuggingServer::new(Fake::default()));
    tokio::spawn(server.serve_with_incoming(TcpListenerStream::new(listener)));
    address
}

impl Fake {
    /// Top-down over the four calls, answered by the rules of design, section 5.
    fn session(&self) -> Session {
        let given = self.given.lock().unwrap().clone();
        let subtree = |root: u64, n: u64| n >= root && n <= root + [3, 2, 0, 0][root as usize - 1];
        let number = |id: &str| id.rsplit('.').next().unwrap().parse::<u64>().unwrap();
        let mut suspicious: Vec<u64> = (1..=4).collect();
        for answer in &given {
            let root = number(&answer.call);
            match answer.answer() {
                AnswerKind::Valid => suspicious.retain(|n| !subtree(root, *n)),
                AnswerKind::Invalid => suspicious.retain(|n| subtree(root, *n)),
                _ => {}
            }
        }
        let open = suspicious
            .iter()
            .find(|n| given.iter().all(|g| number(&g.call) != **n));
        let call = |n: &u64| calls().into_iter().nth(*n as usize - 1);
        let is = |n: &u64, kind| {
            given
                .iter()
                .any(|g| number(&g.call) == *n && g.answer() == kind)
        };
        let mut session = Session {
            id: "s1".into(),
            recording: "demo".into(),
            strategy: "top-down".into(),
            suspicious: suspicious.len() as u64,
            question: open.and_then(call),
            can_undo: !given.is_empty(),
            answers: given.clone(),
            ..Session::default()
        };
        let buggy = suspicious
            .iter()
            .rev()
            .find(|n| is(n, AnswerKind::Invalid))
            .and_then(call);
        let unknown = suspicious.iter().any(|n| is(n, AnswerKind::Unknown));
        session.set_progress(match (open, &buggy) {
            (Some(_), _) => Progress::Asking,
            (None, _) if unknown => Progress::Undecided,
            (None, Some(_)) => Progress::Found,
            (None, None) => Progress::None,
        });
        session.candidates = suspicious.iter().filter_map(call).collect();
        session.buggy = buggy;
        session
    }

    fn now(&self) -> Answer<Session> {
        Ok(Response::new(self.session()))
    }
}

fn not_here<T>() -> Answer<T> {
    Err(Status::unimplemented("not in this test's daemon"))
}

#[tonic::async_trait]
impl Debugging for Fake {
    async fn get_revision(&self, _: Request<SessionRequest>) -> Answer<SessionRevision> {
        not_here()
    }
    async fn create_session(&self, _: Request<CreateSessionRequest>) -> Answer<Session> {
        self.given.lock().unwrap().clear();
        self.now()
    }
    async fn get_session(&self, _: Request<SessionRequest>) -> Answer<Session> {
        self.now()
    }
    async fn list_sessions(&self, _: Request<ListSessionsRequest>) -> Answer<ListSessionsResponse> {
        Ok(Response::new(ListSessionsResponse {
            sessions: vec![self.session()],
            notes: vec!["session b is damaged".to_owned()],
        }))
    }
    async fn delete_session(&self, _: Request<SessionRequest>) -> Answer<DeleteSessionResponse> {
        not_here()
    }
    async fn answer(&self, request: Request<AnswerRequest>) -> Answer<Session> {
        let request = request.into_inner();
        let answer = GivenAnswer {
            call: named(&request.call)?.id,
            answer: request.answer,
            ..GivenAnswer::default()
        };
        self.given.lock().unwrap().push(answer);
        self.now()
    }
    async fn undo(&self, _: Request<SessionRequest>) -> Answer<Session> {
        if self.given.lock().unwrap().pop().is_none() {
            return Err(Status::failed_precondition("there is no answer to undo"));
        }
        self.now()
    }
    async fn redo(&self, _: Request<SessionRequest>) -> Answer<Session> {
        Err(Status::failed_precondition("there is no answer to redo"))
    }
    async fn doubt(&self, _: Request<DoubtRequest>) -> Answer<Session> {
        not_here()
    }
    async fn set_knowing(&self, _: Request<SetKnowingRequest>) -> Answer<Session> {
        not_here()
    }
    async fn set_evidence(&self, _: Request<SetEvidenceRequest>) -> Answer<Session> {
        not_here()
    }
    async fn set_strategy(&self, _: Request<SetStrategyRequest>) -> Answer<Session> {
        not_here()
    }
    async fn restrict(&self, _: Request<RestrictRequest>) -> Answer<Session> {
        not_here()
    }
    async fn get_test(&self, _: Request<GetTestRequest>) -> Answer<CallTest> {
        not_here()
    }
    async fn get_statistics(&self, _: Request<SessionRequest>) -> Answer<SessionStatistics> {
        not_here()
    }
    async fn get_coverage(&self, request: Request<GetCoverageRequest>) -> Answer<CallCoverage> {
        let place = |method: &str, line, index| {
            Some(Place {
                class: "demo.MergeSort".into(),
                method: method.into(),
                index,
                line: Some(line),
                source_file: "MergeSort.java".into(),
                ..Place::default()
            })
        };
        let edge = |from, to, line, calls| CoveredEdge {
            from: Option::and_then(from, |from| place("merge", 33, Some(from))),
            to: place("merge", line, Some(to)),
            calls,
        };
        let chain = |declaration: Declaration, name: &str, defined, used, calls| CoveredChain {
            declaration: declaration.into(),
            name: name.into(),
            by_entry: Option::is_none(&defined),
            defined: place("merge", 33, defined),
            used: place("merge", 35, Some(used)),
            calls,
        };
        let element = |name, used, calls| CoveredChain {
            defined: place("sort", 22, Some(3)),
            by_entry: false,
            ..chain(Declaration::Element, name, None, used, calls)
        };
        Ok(Response::new(CallCoverage {
            call: Some(named(&request.into_inner().call)?),
            edges: vec![
                edge(None, 0, 33, 1200),
                edge(Some(4), 7, 35, 1),
                edge(Some(4), 20, 40, 2),
            ],
            chains: vec![
                chain(Declaration::Local, "la", None, 8, 2),
                chain(Declaration::Local, "i", Some(3), 9, 1),
                element("a[]", 12, 1),
                chain(Declaration::Local, "i", Some(3), 14, 1),
                element("[]", 15, 2),
            ],
            notes: Vec::new(),
        }))
    }
}

#[tonic::async_trait]
impl History for Fake {
    async fn list_threads(&self, _: Request<ListThreadsRequest>) -> Answer<ListThreadsResponse> {
        let thread = Thread {
            id: 1,
            name: "main".into(),
            calls: 4,
            ..Thread::default()
        };
        Ok(Response::new(ListThreadsResponse {
            threads: vec![thread],
            ..ListThreadsResponse::default()
        }))
    }
    async fn get_call(&self, request: Request<GetCallRequest>) -> Answer<Call> {
        named(&request.into_inner().call).map(Response::new)
    }
    async fn get_path(&self, request: Request<GetCallRequest>) -> Answer<Calls> {
        let call = named(&request.into_inner().call)?;
        let calls = calls()
            .into_iter()
            .filter(|above| above.depth < call.depth && above.enter < call.enter);
        Ok(Response::new(Calls {
            calls: calls.chain([call.clone()]).collect(),
        }))
    }
    async fn list_calls(&self, request: Request<ListCallsRequest>) -> Answer<ListCallsResponse> {
        let request = request.into_inner();
        let start = request.page_token.parse().unwrap_or(0);
        let deepest = if request.max_depth == 0 {
            u32::MAX
        } else {
            request.max_depth
        };
        let mut calls = calls();
        calls.retain(|call| call.depth < deepest);
        let end = (start + request.page_size as usize).min(calls.len());
        let next_page_token = if end < calls.len() {
            end.to_string()
        } else {
            String::new()
        };
        Ok(Response::new(ListCallsResponse {
            calls: calls[start..end].to_vec(),
            next_page_token,
            ..ListCallsResponse::default()
        }))
    }
    type StreamCallsStream = Streamed<Call>;
    async fn stream_calls(&self, request: Request<ListCallsRequest>) -> Answer<Streamed<Call>> {
        // `method` asks for more lines than a pipe holds.
        let times = if request.into_inner().method == "many" {
            20_000
        } else {
            1
        };
        let calls = std::iter::repeat_with(calls).take(times).flatten().map(Ok);
        Ok(Response::new(Box::pin(iter(calls))))
    }
    async fn get_state(&self, request: Request<GetStateRequest>) -> Answer<NodeState> {
        let call = named(&request.into_inner().call)?;
        let (value, _) = array([9, 7], [7, 9]);
        let row = StateRow {
            kind: RowKind::Local.into(),
            name: "c".into(),
            variable: format!("{}:c", call.id),
            r#type: "int[]".into(),
            start: Some(value.clone()),
            end: Some(value),
            changed_below: true,
            ..StateRow::default()
        };
        let state = NodeState {
            from: call.enter,
            to: 99,
            call: Some(call),
            rows: vec![row],
            notes: Vec::new(),
            ..NodeState::default()
        };
        Ok(Response::new(state))
    }
    async fn expand_object(&self, _: Request<ExpandObjectRequest>) -> Answer<ExpandObjectResponse> {
        let (_, rows) = array([9, 7], [7, 9]);
        Ok(Response::new(ExpandObjectResponse {
            rows,
            ..ExpandObjectResponse::default()
        }))
    }
    async fn get_input(&self, request: Request<GetSideRequest>) -> Answer<CallInput> {
        let call = named(&request.into_inner().call)?;
        let (object, rows) = array([9, 7], [9, 7]);
        let argument = StateRow {
            kind: RowKind::Local.into(),
            name: "c".into(),
            start: Some(object.clone()),
            end: Some(object.clone()),
            ..StateRow::default()
        };
        let objects = vec![ReachableObject {
            object: Some(object),
            path: "c".into(),
            rows,
            ..ReachableObject::default()
        }];
        let input = CallInput {
            call: Some(call),
            rows: vec![argument],
            objects,
            notes: Vec::new(),
            ..CallInput::default()
        };
        Ok(Response::new(input))
    }
    async fn get_result(&self, request: Request<GetSideRequest>) -> Answer<CallResult> {
        let call = named(&request.into_inner().call)?;
        let (object, rows) = array([9, 7], [7, 9]);
        let result = StateRow {
            kind: RowKind::Return.into(),
            end: call.result.clone(),
            ..StateRow::default()
        };
        let objects = vec![ReachableObject {
            object: Some(object),
            path: "c".into(),
            rows,
            ..ReachableObject::default()
        }];
        let result = CallResult {
            call: Some(call),
            rows: vec![result],
            objects,
            notes: Vec::new(),
            ..CallResult::default()
        };
        Ok(Response::new(result))
    }
    async fn list_events(&self, _: Request<ListEventsRequest>) -> Answer<ListEventsResponse> {
        not_here()
    }
    type WhyStream = Streamed<SliceStep>;
    async fn why(&self, _: Request<WhyRequest>) -> Answer<Self::WhyStream> {
        not_here()
    }
    type StreamEventsStream = Streamed<Event>;
    async fn stream_events(&self, _: Request<StreamEventsRequest>) -> Answer<Streamed<Event>> {
        not_here()
    }
    async fn get_source(&self, _: Request<GetSourceRequest>) -> Answer<Source> {
        not_here()
    }
    async fn list_writes(&self, request: Request<ListWritesRequest>) -> Answer<ListWritesResponse> {
        // What was asked for is what is to be seen. Three pages of one write each; of the second on, a block is damaged.
        let request = request.into_inner();
        let page: u64 = request.page_token.parse().unwrap_or(0);
        let damaged = "a block is damaged".to_owned();
        Ok(Response::new(ListWritesResponse {
            variable: request.variable,
            writes: vec![VariableWrite {
                timestamp: page,
                ..VariableWrite::default()
            }],
            next_page_token: match page {
                0 | 1 => (page + 1).to_string(),
                _ => String::new(),
            },
            notes: Vec::from_iter((page > 0).then_some(damaged)),
            ..ListWritesResponse::default()
        }))
    }
    async fn navigate(&self, _: Request<NavigateRequest>) -> Answer<Event> {
        not_here()
    }
    async fn list_uncaught(&self, _: Request<ListThreadsRequest>) -> Answer<ListUncaughtResponse> {
        Ok(Response::new(ListUncaughtResponse::default()))
    }
    async fn list_classes(&self, _: Request<ListClassesRequest>) -> Answer<ListClassesResponse> {
        not_here()
    }
    async fn list_statics(&self, _: Request<ListStaticsRequest>) -> Answer<ListStaticsResponse> {
        not_here()
    }
    async fn locate(&self, _: Request<LocateRequest>) -> Answer<Location> {
        not_here()
    }
    async fn list_lines(&self, _: Request<ListLinesRequest>) -> Answer<ListLinesResponse> {
        not_here()
    }
    async fn find_methods(&self, _: Request<FindMethodsRequest>) -> Answer<FindMethodsResponse> {
        not_here()
    }
    async fn list_gaps(&self, _: Request<ListGapsRequest>) -> Answer<ListGapsResponse> {
        not_here()
    }
}
