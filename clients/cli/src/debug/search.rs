//! One session at the daemon: every request about it answers with the whole session.

use jhyde_proto::v1::{
    AnswerKind, AnswerRequest, CreateSessionRequest, ListSessionsRequest, RestrictRequest, Session,
    SessionRequest, SessionStatistics, SetStrategyRequest,
};

use crate::client::Client;
use crate::commands::{Notes, end_note};
use crate::error::Error;

/// A session, as the daemon described it last.
#[derive(Debug)]
pub(super) struct Search {
    pub(super) client: Client,
    pub(super) recording: String,
    /// Its notes say, too, that the recording ended before the run did.
    pub(super) session: Session,
    /// May answers point at what is wrong?
    pub(super) pointing: bool,
}

impl Search {
    pub(super) async fn begin(
        client: &Client,
        recording: &str,
        strategy: &str,
        restrict_to: String,
    ) -> Result<Self, Error> {
        let mut client = client.clone();
        let request = CreateSessionRequest {
            recording: recording.to_owned(),
            strategy: strategy.to_owned(),
            restrict_to,
        };
        let session = client.debugging.create_session(request).await?.into_inner();
        Self::of(client, recording.to_owned(), session).await
    }

    /// An older session, by its id or as `last`.
    pub(super) async fn resume(
        client: &Client,
        recording: &str,
        session: &str,
    ) -> Result<Self, Error> {
        let mut client = client.clone();
        let recording = recording.to_owned();
        if session == "last" {
            let request = ListSessionsRequest {
                recording: recording.clone(),
            };
            let sessions = client
                .debugging
                .list_sessions(request)
                .await?
                .into_inner()
                .sessions;
            let newest = sessions
                .into_iter()
                .max_by_key(|session| session.created_ms);
            let session = newest.ok_or_else(|| {
                Error::Usage(format!(
                    "{recording} has no session yet; leave --session out"
                ))
            })?;
            return Self::of(client, recording, session).await;
        }
        let request = SessionRequest {
            recording: recording.clone(),
            session: session.to_owned(),
        };
        let session = client.debugging.get_session(request).await?.into_inner();
        Self::of(client, recording, session).await
    }

    async fn of(client: Client, recording: String, session: Session) -> Result<Self, Error> {
        let mut search = Self {
            client,
            recording,
            session: Session::default(),
            pointing: true,
        };
        search.now(session).await;
        Ok(search)
    }

    /// The session as it is now.
    async fn now(&mut self, session: Session) {
        let mut notes = Notes::default();
        notes.add(session.notes);
        notes.add([end_note(&self.client, &self.recording).await]);
        self.session = Session {
            notes: notes.into(),
            ..session
        };
    }

    fn request(&self) -> SessionRequest {
        SessionRequest {
            recording: self.recording.clone(),
            session: self.session.id.clone(),
        }
    }

    /// A program that still runs goes on meanwhile.
    pub(super) async fn refresh(&mut self) -> Result<(), Error> {
        let session = self
            .client
            .debugging
            .get_session(self.request())
            .await?
            .into_inner();
        self.now(session).await;
        Ok(())
    }

    pub(super) async fn answer(
        &mut self,
        call: String,
        answer: AnswerKind,
        wrong: Vec<String>,
    ) -> Result<(), Error> {
        if !self.pointing && (!wrong.is_empty() || answer == AnswerKind::Inadmissible) {
            return Err(Error::Usage(
                "with --no-pointing answers are valid, invalid, trusted or unknown".to_owned(),
            ));
        }
        let SessionRequest { recording, session } = self.request();
        let request = AnswerRequest {
            recording,
            session,
            call,
            answer: answer.into(),
            wrong,
        };
        let session = self.client.debugging.answer(request).await?.into_inner();
        self.now(session).await;
        Ok(())
    }

    pub(super) async fn undo(&mut self) -> Result<(), Error> {
        let session = self
            .client
            .debugging
            .undo(self.request())
            .await?
            .into_inner();
        self.now(session).await;
        Ok(())
    }

    pub(super) async fn redo(&mut self) -> Result<(), Error> {
        let session = self
            .client
            .debugging
            .redo(self.request())
            .await?
            .into_inner();
        self.now(session).await;
        Ok(())
    }

    pub(super) async fn set_strategy(&mut self, strategy: &str) -> Result<(), Error> {
        let SessionRequest { recording, session } = self.request();
        let request = SetStrategyRequest {
            recording,
            session,
            strategy: strategy.to_owned(),
        };
        let session = self
            .client
            .debugging
            .set_strategy(request)
            .await?
            .into_inner();
        self.now(session).await;
        Ok(())
    }

    /// Searches only below this call; empty: everywhere.
    pub(super) async fn restrict(&mut self, call: String) -> Result<(), Error> {
        let SessionRequest { recording, session } = self.request();
        let request = RestrictRequest {
            recording,
            session,
            call,
        };
        let session = self.client.debugging.restrict(request).await?.into_inner();
        self.now(session).await;
        Ok(())
    }

    pub(super) async fn statistics(&mut self) -> Result<SessionStatistics, Error> {
        Ok(self
            .client
            .debugging
            .get_statistics(self.request())
            .await?
            .into_inner())
    }
}

/// Did the daemon refuse what was asked, so that something else may be tried? Everything else ends the
/// conversation.
pub(super) fn is_refusal(error: &Error) -> bool {
    use tonic::Code;
    match error {
        Error::Usage(_) => true,
        Error::Daemon(status) => matches!(
            status.code(),
            Code::InvalidArgument
                | Code::NotFound
                | Code::AlreadyExists
                | Code::FailedPrecondition
                | Code::OutOfRange
                | Code::Unimplemented
                | Code::DataLoss
        ),
        _ => false,
    }
}
