//! The service `Debugging`: sessions that find the buggy call, and what calls covered.

mod against;
mod changed;
mod contents;
mod covered;
mod evidence;
mod jar;
mod knowledge;
mod known;
mod passing;
mod pointing;
mod property;
mod told;
mod valued;

use std::sync::Arc;

use jhyde_debugging::sessions::Error;
use jhyde_debugging::{
    Answer, AnswerError, Asked, CoverageError, Evidence, Given, Known, SessionError, Sessions,
    Source, Strategy, View,
};
use jhyde_history::History;
use jhyde_history::java::Written;
use jhyde_proto::v1;
use jhyde_trace::CallId;
use tonic::{Request, Response, Status};

pub(super) use against::{no_fit, unfit};
use contents::Contents;
use knowledge::Knower;
use told::message;

use super::history::{
    CancelOnDrop, blocking, in_field, open, resolve_call, status as history_status,
};
use crate::daemon::Daemon;
use crate::error::{Kind, store_kind, store_reason};
use crate::services::status::{invalid, with_details};

/// See the module.
#[derive(Debug)]
pub struct DebuggingService {
    daemon: Arc<Daemon>,
    sessions: Arc<Sessions>,
    contents: Arc<Contents>,
}

type Reply<T> = Result<Response<T>, Status>;

impl DebuggingService {
    /// The service over this daemon, with the sessions of its recordings.
    pub fn new(daemon: Arc<Daemon>, sessions: Arc<Sessions>) -> Self {
        Self {
            daemon,
            sessions,
            contents: Arc::default(),
        }
    }

    async fn with<T: Send + 'static>(
        &self,
        recording: String,
        work: impl FnOnce(&Sessions, &Knower<'_>) -> Result<T, Status> + Send + 'static,
    ) -> Reply<T> {
        let (daemon, sessions) = (Arc::clone(&self.daemon), Arc::clone(&self.sessions));
        let contents = Arc::clone(&self.contents);
        let cancelled = CancelOnDrop::default();
        let flag = Arc::clone(&cancelled.0);
        let work = move || {
            let history = open(&daemon, &recording)?;
            let attended = daemon.attend(history.recording());
            let history = history.cancelled_by(flag);
            work(
                &sessions,
                &Knower::new(&daemon, &contents, history, attended),
            )
        };
        blocking(work).await.map(Response::new)
    }

    /// Does something with one session, and answers with how it stands then.
    async fn change(
        &self,
        recording: String,
        session: String,
        work: impl FnOnce(&Sessions, &Knower<'_>, &str) -> Result<View, Failure> + Send + 'static,
    ) -> Reply<v1::Session> {
        self.with(recording, move |sessions, history| {
            if session.is_empty() {
                return Err(invalid("session", "name a session by its id"));
            }
            match work(sessions, history, &session) {
                Ok(view) => message(history, view),
                Err(Failure::Status(status)) => Err(*status),
                Err(Failure::Session(error)) => Err(status(*error)),
            }
        })
        .await
    }
}

/// The question as the sessions are asked it.
fn asked<'a>(knower: &'a Knower<'_>) -> Asked<'a> {
    let asked = Asked::new(knower.attended(), knower.cancelled());
    asked.knowing(knower).following(knower)
}

/// A failure of either side.
enum Failure {
    Status(Box<Status>),
    Session(Box<Error>),
}

impl From<Status> for Failure {
    fn from(status: Status) -> Self {
        Self::Status(Box::new(status))
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Session(Box::new(error))
    }
}

fn strategy(name: &str) -> Result<Strategy, Status> {
    if name.is_empty() {
        return Ok(Strategy::default());
    }
    name.parse()
        .map_err(|error: jhyde_debugging::strategy::UnknownStrategy| {
            invalid("strategy", error.to_string())
        })
}

fn restriction(history: &History, field: &str, call: &str) -> Result<Option<CallId>, Status> {
    match call {
        "" => Ok(None),
        call => resolve_call(history, field, call).map(Some),
    }
}

/// The status of an error of sessions.
pub(crate) fn status(error: Error) -> Status {
    let (kind, reason, field) = match &error {
        Error::NoSuchSession { .. } => (Kind::NotFound, "NO_SESSION", "session"),
        Error::TooLarge { .. } => (Kind::FailedPrecondition, "TOO_LARGE", "recording"),
        Error::Cancelled => return Status::cancelled(error.to_string()),
        Error::Compared(_) => (Kind::Internal, "NOT_COMPARED", "recording"),
        Error::Store(store) => (store_kind(store), store_reason(store), "recording"),
        Error::Kept(SessionError::Version { .. }) => {
            (Kind::FailedPrecondition, "UNKNOWN_VERSION", "session")
        }
        Error::Kept(SessionError::Damaged { .. }) => (Kind::DataLoss, "DAMAGED", "session"),
        Error::Refused(refused) => match refused {
            AnswerError::NoSuchCall(_) => (Kind::NotFound, "NO_CALL", "call"),
            AnswerError::Boundary(_) => (Kind::FailedPrecondition, "BOUNDARY_CALL", "call"),
            AnswerError::Incomplete(_) => (Kind::FailedPrecondition, "INCOMPLETE_CALL", "call"),
            AnswerError::Restricted { .. } => {
                (Kind::FailedPrecondition, "OUTSIDE_RESTRICTION", "call")
            }
            AnswerError::NotAsked(_) => (Kind::FailedPrecondition, "NOT_ASKED", "value"),
            AnswerError::NotKnown(_) => (Kind::FailedPrecondition, "NOT_KNOWN", "call"),
            AnswerError::NothingToUndo => (Kind::FailedPrecondition, "NOTHING_TO_UNDO", "session"),
            AnswerError::NothingToRedo => (Kind::FailedPrecondition, "NOTHING_TO_REDO", "session"),
            AnswerError::NeedsCoverage(_) => {
                (Kind::FailedPrecondition, "NEEDS_COVERAGE", "strategy")
            }
        },
        Error::Coverage(unknown) => match unknown {
            CoverageError::Level { .. } => {
                (Kind::FailedPrecondition, "NEEDS_COVERAGE", "recording")
            }
            CoverageError::NoSuchCall(_) => (Kind::NotFound, "NO_CALL", "call"),
            CoverageError::Boundary(_) => (Kind::FailedPrecondition, "BOUNDARY_CALL", "call"),
            CoverageError::Incomplete(_) => (Kind::FailedPrecondition, "INCOMPLETE_CALL", "call"),
            CoverageError::Lowered { .. } => (Kind::FailedPrecondition, "NEEDS_COVERAGE", "call"),
            CoverageError::Damaged(_) => (Kind::DataLoss, "DAMAGED", "call"),
        },
    };
    with_details(kind, reason, Some(field), error.to_string())
}

#[tonic::async_trait]
impl v1::debugging_server::Debugging for DebuggingService {
    async fn create_session(
        &self,
        request: Request<v1::CreateSessionRequest>,
    ) -> Reply<v1::Session> {
        jar::may_be_named(&request, request.get_ref().evidence.as_ref())?;
        let request = request.into_inner();
        self.with(request.recording.clone(), move |sessions, history| {
            let strategy = strategy(&request.strategy)?;
            let restriction = restriction(history, "restrict_to", &request.restrict_to)?;
            let knowing = known::knowing(history, &request, strategy)?;
            let values = request.values;
            let evidence = evidence::understood(history, request.evidence, &Evidence::default())?;
            let created = sessions.begin(
                asked(history),
                strategy,
                restriction,
                knowing,
                values,
                evidence,
            );
            message(history, created.map_err(status)?)
        })
        .await
    }

    async fn get_session(&self, request: Request<v1::SessionRequest>) -> Reply<v1::Session> {
        let request = request.into_inner();
        self.change(
            request.recording,
            request.session,
            |sessions, history, id| Ok(sessions.view(asked(history), id)?),
        )
        .await
    }

    async fn get_revision(
        &self,
        request: Request<v1::SessionRequest>,
    ) -> Reply<v1::SessionRevision> {
        let v1::SessionRequest { recording, session } = request.into_inner();
        let (daemon, sessions) = (Arc::clone(&self.daemon), Arc::clone(&self.sessions));
        blocking(move || {
            let history = open(&daemon, &recording)?;
            let revision = sessions.revision(history.recording(), &session);
            let revision = revision.map_err(status)?;
            Ok(v1::SessionRevision { revision })
        })
        .await
        .map(Response::new)
    }

    async fn list_sessions(
        &self,
        request: Request<v1::ListSessionsRequest>,
    ) -> Reply<v1::ListSessionsResponse> {
        self.with(request.into_inner().recording, |sessions, history| {
            let recording = history.recording();
            let ids = sessions.ids(recording).map_err(status)?;
            let (mut listed, mut notes) = (Vec::new(), Vec::new());
            for id in ids {
                match sessions.view(asked(history), &id) {
                    Ok(view) => listed.push(message(history, view)?),
                    // One that cannot be read does not hide the others; asked for by its id it says what is wrong.
                    Err(
                        error @ (Error::Kept(_)
                        | Error::Store(jhyde_store::Error::DamagedSession { .. })),
                    ) => notes.push(error.to_string()),
                    Err(error) => return Err(status(error)),
                }
            }
            listed.sort_by_key(|session| session.created_ms);
            Ok(v1::ListSessionsResponse {
                sessions: listed,
                notes,
            })
        })
        .await
    }

    async fn delete_session(
        &self,
        request: Request<v1::SessionRequest>,
    ) -> Reply<v1::DeleteSessionResponse> {
        let v1::SessionRequest { recording, session } = request.into_inner();
        self.with(recording, move |sessions, history| {
            let recording = history.recording();
            sessions.delete(recording, &session).map_err(status)?;
            Ok(v1::DeleteSessionResponse {})
        })
        .await
    }

    async fn answer(&self, request: Request<v1::AnswerRequest>) -> Reply<v1::Session> {
        let request = request.into_inner();
        if !request.value.is_empty() {
            let verdict = valued::verdict(request.answer())?;
            return self
                .change(
                    request.recording,
                    request.session,
                    move |sessions, history, id| {
                        let call = resolve_call(history, "call", &request.call)?;
                        let of = (call, request.value.as_str());
                        let remembered = request.remembered;
                        Ok(sessions.judge(asked(history), id, of, verdict, remembered)?)
                    },
                )
                .await;
        }
        let answer = match request.answer() {
            v1::AnswerKind::Right | v1::AnswerKind::Wrong => {
                return Err(invalid(
                    "answer",
                    "right and wrong are said of the one value that is asked about: name it (value)",
                ));
            }
            v1::AnswerKind::Valid => Answer::Valid,
            v1::AnswerKind::Invalid => Answer::Invalid,
            v1::AnswerKind::Trusted => Answer::Trusted,
            v1::AnswerKind::Unknown => Answer::Unknown,
            v1::AnswerKind::Inadmissible => Answer::Inadmissible,
            v1::AnswerKind::Unspecified => {
                return Err(invalid(
                    "answer",
                    "answer valid, invalid, trusted, unknown or inadmissible",
                ));
            }
        };
        if !request.wrong.is_empty() && answer != Answer::Invalid {
            return Err(invalid(
                "wrong",
                "what is wrong belongs to the answer invalid",
            ));
        }
        self.change(
            request.recording,
            request.session,
            move |sessions, history, id| {
                let call = resolve_call(history, "call", &request.call)?;
                let given = Given { call, answer };
                if !request.remembered.is_empty() {
                    known::can_be_remembered(answer)?;
                    let source = Source::Memory {
                        told: request.remembered,
                    };
                    let known = Known {
                        call,
                        answer,
                        source,
                    };
                    return Ok(sessions.learn(asked(history), id, known)?);
                }
                if !request.by.is_empty() {
                    known::can_be_remembered(answer)?;
                    let source = Source::Program { by: request.by };
                    let known = Known {
                        call,
                        answer,
                        source,
                    };
                    return Ok(sessions.learn(asked(history), id, known)?);
                }
                match pointing::pointed(history, given, &request.wrong)? {
                    Some(pointed) => Ok(sessions.point(asked(history), id, given, pointed)?),
                    None => Ok(sessions.answer(asked(history), id, call, answer)?),
                }
            },
        )
        .await
    }

    async fn doubt(&self, request: Request<v1::DoubtRequest>) -> Reply<v1::Session> {
        let request = request.into_inner();
        self.change(
            request.recording,
            request.session,
            move |sessions, history, id| {
                let call = resolve_call(history, "call", &request.call)?;
                Ok(sessions.doubt(asked(history), id, call)?)
            },
        )
        .await
    }

    async fn set_knowing(&self, request: Request<v1::SetKnowingRequest>) -> Reply<v1::Session> {
        let request = request.into_inner();
        let on = match request.knowing() {
            v1::Knowing::On => true,
            v1::Knowing::Off => false,
            v1::Knowing::Unspecified => {
                return Err(invalid("knowing", "choose KNOWING_ON or KNOWING_OFF"));
            }
        };
        self.change(
            request.recording,
            request.session,
            move |sessions, history, id| Ok(sessions.know(asked(history), id, on)?),
        )
        .await
    }

    async fn set_evidence(&self, request: Request<v1::SetEvidenceRequest>) -> Reply<v1::Session> {
        jar::may_be_named(&request, request.get_ref().evidence.as_ref())?;
        let request = request.into_inner();
        self.change(
            request.recording,
            request.session,
            move |sessions, history, id| {
                let before = sessions.view(asked(history), id)?.kept.answers;
                let evidence = evidence::understood(history, request.evidence, before.evidence())?;
                Ok(sessions.set_evidence(asked(history), id, evidence)?)
            },
        )
        .await
    }

    async fn undo(&self, request: Request<v1::SessionRequest>) -> Reply<v1::Session> {
        let request = request.into_inner();
        self.change(
            request.recording,
            request.session,
            |sessions, history, id| Ok(sessions.undo(asked(history), id)?),
        )
        .await
    }

    async fn redo(&self, request: Request<v1::SessionRequest>) -> Reply<v1::Session> {
        let request = request.into_inner();
        self.change(
            request.recording,
            request.session,
            |sessions, history, id| Ok(sessions.redo(asked(history), id)?),
        )
        .await
    }

    async fn set_strategy(&self, request: Request<v1::SetStrategyRequest>) -> Reply<v1::Session> {
        let request = request.into_inner();
        self.change(
            request.recording,
            request.session,
            move |sessions, history, id| {
                let strategy = strategy(&request.strategy)?;
                Ok(sessions.set_strategy(asked(history), id, strategy)?)
            },
        )
        .await
    }

    async fn restrict(&self, request: Request<v1::RestrictRequest>) -> Reply<v1::Session> {
        let request = request.into_inner();
        self.change(
            request.recording,
            request.session,
            move |sessions, history, id| {
                let call = restriction(history, "call", &request.call)?;
                Ok(sessions.restrict(asked(history), id, call)?)
            },
        )
        .await
    }

    async fn get_statistics(
        &self,
        request: Request<v1::SessionRequest>,
    ) -> Reply<v1::SessionStatistics> {
        let v1::SessionRequest { recording, session } = request.into_inner();
        self.with(recording, move |sessions, history| {
            let recording = history.recording();
            let counted = sessions.statistics(recording, &session);
            let counted = counted.map_err(status)?;
            let mut classes = Vec::new();
            for (class, counts) in counted.classes {
                let class = match class {
                    Some(class) => recording
                        .class(class)
                        .map_err(|error| history_status(error.into()))?,
                    None => None,
                };
                classes.push(v1::ClassStatistics {
                    class: class.map(|class| class.name.clone()).unwrap_or_default(),
                    calls: counts.calls,
                    suspicious: counts.suspicious,
                    valid: counts.valid,
                    invalid: counts.invalid,
                    trusted: counts.trusted,
                    unknown: counts.unknown,
                });
            }
            Ok(v1::SessionStatistics {
                classes,
                answered: counted.answered,
                suspicious: counted.suspicious,
                calls: counted.calls,
            })
        })
        .await
    }

    async fn get_coverage(
        &self,
        request: Request<v1::GetCoverageRequest>,
    ) -> Reply<v1::CallCoverage> {
        let v1::GetCoverageRequest { recording, call } = request.into_inner();
        self.with(recording, move |sessions, history| {
            let call = resolve_call(history, "call", &call)?;
            let coverage = sessions.coverage(asked(history), call).map_err(|error| {
                let incomplete = matches!(error, Error::Coverage(CoverageError::Incomplete(_)));
                match history.unended(call).filter(|_| incomplete) {
                    // It is no use to ask again.
                    Some(unended) => in_field("call", unended),
                    None => status(error),
                }
            })?;
            covered::message(history, call, &coverage).map_err(history_status)
        })
        .await
    }

    async fn get_test(&self, request: Request<v1::GetTestRequest>) -> Reply<v1::CallTest> {
        let v1::GetTestRequest { recording, call } = request.into_inner();
        self.with(recording, move |_, history| {
            let call = resolve_call(history, "call", &call)?;
            Ok(match history.test_of(call).map_err(history_status)? {
                Written::Not(cannot) => v1::CallTest {
                    cannot,
                    ..v1::CallTest::default()
                },
                Written::Test(test) => v1::CallTest {
                    cannot: String::new(),
                    package: test.package,
                    body: test.body,
                    content: Some(known::in_words(&test.content)),
                },
            })
        })
        .await
    }
}
