//! One session at the daemon: every request about it answers with the whole session.

use jhyde_proto::v1::{
    AnswerKind, AnswerRequest, CallContent, CreateSessionRequest, DoubtRequest, Evidence, Knowing,
    ListSessionsRequest, Progress, RestrictRequest, Session, SessionRequest, SessionStatistics,
    SetEvidenceRequest, SetKnowingRequest, SetStrategyRequest,
};

use crate::client::Client;
use crate::commands::{Notes, end_note};
use crate::error::{Error, is_transport};
use crate::memory::{Entry, Memory, Verdict};

/// How a session begins.
#[derive(Clone, Debug, Default)]
pub(super) struct Begin<'a> {
    /// Its strategy; empty: the daemon's default.
    pub(super) strategy: &'a str,
    /// Empty: everything is searched.
    pub(super) restrict_to: String,
    pub(super) knowing: Knowing,
    /// Empty: it is held against no other recording.
    pub(super) against: String,
    /// One value of a call is asked about, too.
    pub(super) values: bool,
    /// What is said of many calls at once.
    pub(super) evidence: Evidence,
}

/// A session, as the daemon described it last.
#[derive(Debug)]
pub(super) struct Search {
    pub(super) client: Client,
    pub(super) recording: String,
    /// Its notes say, too, that the recording ended before the run did.
    pub(super) session: Session,
    /// May answers point at what is wrong?
    pub(super) pointing: bool,
    /// May single values be asked about?
    values: bool,
    /// Answers of earlier sessions, and where those of this one go.
    pub(super) memory: Option<Memory>,
}

impl Search {
    pub(super) async fn begin(
        client: &Client,
        recording: &str,
        begin: Begin<'_>,
    ) -> Result<Self, Error> {
        let mut client = client.clone();
        let request = CreateSessionRequest {
            recording: recording.to_owned(),
            strategy: begin.strategy.to_owned(),
            restrict_to: begin.restrict_to,
            knowing: begin.knowing.into(),
            against: begin.against,
            values: begin.values,
            evidence: Some(begin.evidence),
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
            values: true,
            memory: None,
        };
        search.now(session).await;
        Ok(search)
    }

    /// Uses the answers of earlier sessions from now on. A call that is asked already is looked up.
    pub(super) async fn remember(&mut self, memory: Memory) -> Result<(), Error> {
        self.memory = Some(memory);
        if !self.session.knowing {
            self.know(true).await?;
        }
        self.recall().await
    }

    /// Answers what is remembered, as long as such calls are asked.
    async fn recall(&mut self) -> Result<(), Error> {
        while let Some(Remembered {
            call,
            value,
            verdict,
            told,
        }) = self.remembered()
        {
            let SessionRequest { recording, session } = self.request();
            let request = AnswerRequest {
                recording,
                session,
                call,
                answer: AnswerKind::from(verdict).into(),
                wrong: Vec::new(),
                remembered: told,
                value,
                by: String::new(),
            };
            let session = self.client.debugging.answer(request).await?.into_inner();
            self.now(session).await;
        }
        Ok(())
    }

    /// What is remembered of the call that is asked, or of its value that is.
    fn remembered(&self) -> Option<Remembered> {
        let (memory, question) = (self.memory.as_ref()?, self.session.question.as_ref()?);
        let content = self.session.content.as_ref()?;
        let value = self.session.value.as_ref();
        let of_call = memory.recall(content, None);
        let of_value = || {
            let value = value?;
            let (verdict, told) = memory.recall(content, Some(&value.way))?;
            Some((value.variable.clone(), verdict, told))
        };
        let (value, verdict, told) = match of_call {
            Some((verdict, told)) => (String::new(), verdict, told),
            None => of_value()?,
        };
        let asking = self.session.progress() == Progress::Asking;
        asking.then(|| Remembered {
            call: question.id.clone(),
            value,
            verdict,
            told,
        })
    }

    /// The content of a call as it was told while it was asked, if it is the one that is.
    fn content_of(&self, call: &str) -> Option<CallContent> {
        let asked = self.session.question.as_ref()?;
        (asked.id == call).then(|| self.session.content.clone())?
    }

    /// What memory is to keep once the answer is taken.
    fn entry(&self, call: &str, answer: AnswerKind) -> Option<Entry> {
        self.memory.as_ref()?;
        let verdict = Verdict::of(answer)?;
        let asked = self.session.question.as_ref()?;
        let content = self.content_of(call)?;
        let entry = Entry::new(&content, verdict, asked, &self.recording);
        match verdict {
            Verdict::Valid | Verdict::Invalid => Some(entry),
            Verdict::Right | Verdict::Wrong => {
                let way = self.session.value.as_ref()?.way.clone();
                (!way.is_empty()).then(|| entry.of_value(way))
            }
        }
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
        if !self.values {
            self.session.value = None;
        }
    }

    /// Asks about whole calls alone from now on.
    pub(super) fn without_values(&mut self) {
        self.values = false;
        self.session.value = None;
    }

    fn request(&self) -> SessionRequest {
        SessionRequest {
            recording: self.recording.clone(),
            session: self.session.id.clone(),
        }
    }

    /// A program that still runs goes on meanwhile.
    pub(super) async fn refresh(&mut self) -> Result<(), Error> {
        let request = self.request();
        let debugging = &mut self.client.debugging;
        let session = match debugging.get_session(request.clone()).await {
            // A daemon that recorded the program ended with it; the next one has the session, too.
            Err(status) if is_transport(&status) => debugging.get_session(request).await,
            answered => answered,
        }?;
        self.now(session.into_inner()).await;
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
            remembered: String::new(),
            value: String::new(),
            by: String::new(),
        };
        self.give(request, answer).await
    }

    /// Answers for the one value that is asked about: right, wrong or unknown.
    pub(super) async fn judge(&mut self, answer: AnswerKind) -> Result<(), Error> {
        let asked = self
            .session
            .question
            .as_ref()
            .zip(self.session.value.as_ref());
        let (call, value) = asked.ok_or_else(|| {
            Error::Usage(
                "no single value is asked about now: answer for the call (valid, invalid), or point at what is wrong"
                    .to_owned(),
            )
        })?;
        let SessionRequest { recording, session } = self.request();
        let request = AnswerRequest {
            recording,
            session,
            call: call.id.clone(),
            answer: answer.into(),
            value: value.variable.clone(),
            ..AnswerRequest::default()
        };
        self.give(request, answer).await
    }

    async fn give(&mut self, request: AnswerRequest, answer: AnswerKind) -> Result<(), Error> {
        let entry = self.entry(&request.call, answer);
        let session = self.client.debugging.answer(request).await?.into_inner();
        self.now(session).await;
        if let (Some(memory), Some(entry)) = (self.memory.as_mut(), entry) {
            memory.keep(entry)?;
        }
        self.recall().await
    }

    /// Gives an answer that memory has nothing to do with.
    pub(super) async fn pass_on(&mut self, request: AnswerRequest) -> Result<(), Error> {
        let session = self.client.debugging.answer(request).await?.into_inner();
        self.now(session).await;
        self.recall().await
    }

    /// Takes back what is known of a call.
    pub(super) async fn doubt(&mut self, call: String) -> Result<(), Error> {
        let SessionRequest { recording, session } = self.request();
        let request = DoubtRequest {
            recording,
            session,
            call,
        };
        let session = self.client.debugging.doubt(request).await?.into_inner();
        self.now(session).await;
        self.recall().await
    }

    /// Replaces what was said of many calls at once.
    pub(super) async fn set_evidence(&mut self, evidence: Evidence) -> Result<(), Error> {
        let SessionRequest { recording, session } = self.request();
        let request = SetEvidenceRequest {
            recording,
            session,
            evidence: Some(evidence),
        };
        let session = self
            .client
            .debugging
            .set_evidence(request)
            .await?
            .into_inner();
        self.now(session).await;
        self.recall().await
    }

    /// Switches on or off that calls are looked up before they are asked.
    pub(super) async fn know(&mut self, on: bool) -> Result<(), Error> {
        let SessionRequest { recording, session } = self.request();
        let knowing = if on { Knowing::On } else { Knowing::Off };
        let request = SetKnowingRequest {
            recording,
            session,
            knowing: knowing.into(),
        };
        let session = self
            .client
            .debugging
            .set_knowing(request)
            .await?
            .into_inner();
        self.now(session).await;
        Ok(())
    }

    /// Takes the last answer back; what memory keeps of it goes, too, if it was kept while this search lasted.
    pub(super) async fn undo(&mut self) -> Result<(), Error> {
        let undone = self.session.answers.last().map(|given| given.call.clone());
        let session = self
            .client
            .debugging
            .undo(self.request())
            .await?
            .into_inner();
        self.now(session).await;
        if let (Some(memory), Some(call)) = (self.memory.as_mut(), undone) {
            memory.take_back(&call)?;
        }
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

/// What an earlier session said of what is asked.
struct Remembered {
    call: String,
    /// The value that it is about; empty: the call.
    value: String,
    verdict: Verdict,
    /// Which session.
    told: String,
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
