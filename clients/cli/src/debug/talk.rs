//! The conversation with a person: shows calls, takes answers, looks around.

use std::collections::HashSet;
use std::time::Duration;

use jhyde_proto::v1::{AnswerKind, Call, GetCallRequest, GetStateRequest, Progress};
use tokio::time::sleep;

use super::entry::{Entry, parse};
use super::input::{Input, Line};
use super::search::{Search, is_refusal};
use super::{STRATEGIES, known, screen, variable};
use crate::args::SourceArgs;
use crate::commands::call::input_and_outcome;
use crate::commands::numbered::Numbered;
use crate::commands::{Context, notes};
use crate::error::Error;
use crate::output::Look;
use crate::run;
use crate::source::Sources;
use crate::text::call_name;

/// How often a session of a running program is looked at while there is nothing to ask.
const LOOK_AGAIN: Duration = Duration::from_millis(250);

/// Whether the conversation goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    /// Wait for the next line.
    Stay,
    /// The session changed: show where it stands.
    Show,
    /// Leave.
    Leave,
}

struct Talk<'a> {
    context: &'a mut Context,
    search: &'a mut Search,
    /// The call that is looked at, and that an answer without a name is about.
    focus: Option<Call>,
    /// What the recording does not tell is said once.
    told: HashSet<String>,
    /// The values shown last that an answer can point at.
    numbered: Numbered,
    sources: Sources,
}

/// Talks until the buggy call is found, there is none, or the person leaves.
pub(super) async fn run(
    context: &mut Context,
    search: &mut Search,
    resumed: bool,
) -> Result<(), Error> {
    let mut input = Input::choose()?;
    let terminal = input.is_terminal();
    screen::opening(&search.session, resumed, &mut context.out)?;
    let sources = context.sources(&search.recording, &SourceArgs::default());
    let search_notes = search.session.notes.iter().cloned().collect();
    let mut talk = Talk {
        sources,
        context,
        search,
        focus: None,
        // The first lines have them.
        told: search_notes,
        numbered: Numbered::default(),
    };
    // Who comes back to a session that has ended wants to look around or undo.
    let mut ended = talk.show().await? && !resumed;
    let mut interrupted = false;
    while !ended {
        if !terminal && talk.search.session.progress() == Progress::Waiting {
            talk.wait().await?;
            ended = talk.show().await?;
            continue;
        }
        let prompt = screen::prompt(talk.focus.as_ref());
        let line = match input.line(&prompt, &mut talk.context.out).await? {
            Line::Text(line) => line,
            Line::Interrupted if !interrupted => {
                interrupted = true;
                talk.context
                    .out
                    .line("(Ctrl-C again, Ctrl-D or quit leaves; the session is kept)")?;
                continue;
            }
            Line::Interrupted | Line::End => break,
        };
        interrupted = false;
        let next = match parse(&line) {
            Ok(entry) => talk.obey(entry).await,
            Err(complaint) => Err(Error::Usage(complaint)),
        };
        match next {
            Ok(Next::Stay) => {}
            Ok(Next::Show) => ended = talk.show().await?,
            Ok(Next::Leave) => break,
            Err(error) if is_refusal(&error) => {
                let text = talk.context.out.paint.text(Look::Bad, error.to_string());
                talk.context.out.line(text)?;
            }
            Err(error) => return Err(error),
        }
    }
    if ended {
        return Ok(());
    }
    screen::left_behind(
        &talk.search.session,
        &talk.search.recording,
        &mut talk.context.out,
    )
}

impl Talk<'_> {
    /// Shows where the session stands. True when the search has come to its end.
    async fn show(&mut self) -> Result<bool, Error> {
        let session = self.search.session.clone();
        let recording = self.search.recording.clone();
        match session.progress() {
            Progress::Asking => {
                // Such as that what an answer pointed at cuts nothing away, and why.
                let new = session.notes.into_iter();
                let new: Vec<_> = new.filter(|note| self.told.insert(note.clone())).collect();
                notes(&new, &mut self.context.out)?;
                self.focus = session.question;
                self.show_focus().await?;
                Ok(false)
            }
            Progress::Found => {
                self.focus.clone_from(&session.buggy);
                let Some(call) = &session.buggy else {
                    return Ok(true);
                };
                let suspects = self.suspects(call).await.unwrap_or_default();
                screen::found(call, &suspects, &session, &recording, &mut self.context.out)?;
                notes(&session.notes, &mut self.context.out)?;
                Ok(true)
            }
            Progress::None => {
                self.focus = None;
                screen::none(&session, &recording, &mut self.context.out)?;
                Ok(true)
            }
            Progress::Undecided => {
                self.focus = None;
                screen::undecided(&session, &mut self.context.out)?;
                Ok(false)
            }
            Progress::Waiting | Progress::Unspecified => {
                self.focus = None;
                screen::waiting(&mut self.context.out)?;
                Ok(false)
            }
        }
    }

    /// Variables whose history is worth a look. They only help: without them the verdict stands.
    async fn suspects(&self, call: &Call) -> Result<Vec<String>, Error> {
        let (client, recording) = (&self.search.client, &self.search.recording);
        let (_, outcome) = input_and_outcome(client, recording, &call.id).await?;
        let request = GetStateRequest {
            recording: recording.clone(),
            call: call.id.clone(),
            ..GetStateRequest::default()
        };
        let state = client
            .history
            .clone()
            .get_state(request)
            .await?
            .into_inner();
        Ok(screen::suspects(&outcome, Some(&state)))
    }

    /// Waits until a running program has something to ask about.
    async fn wait(&mut self) -> Result<(), Error> {
        while self.search.session.progress() == Progress::Waiting {
            sleep(LOOK_AGAIN).await;
            self.search.refresh().await?;
        }
        Ok(())
    }

    async fn show_focus(&mut self) -> Result<(), Error> {
        let Some(call) = &self.focus else {
            return Err(Error::Usage(
                "no call is looked at; go to one: at merge#3, or at 1.7".to_owned(),
            ));
        };
        let details =
            input_and_outcome(&self.search.client, &self.search.recording, &call.id).await?;
        let source = self.sources.of_call(call).await;
        let session = &self.search.session;
        self.numbered = Numbered::of(&details.1);
        let can_point = session.pointing && self.search.pointing && call.exit.is_some();
        let numbered = can_point.then_some(&mut self.numbered);
        screen::question(
            call,
            &details,
            (source.as_ref(), &self.sources.notes()),
            session,
            (&mut self.told, numbered),
            &mut self.context.out,
        )
    }

    async fn obey(&mut self, entry: Entry) -> Result<Next, Error> {
        match entry {
            // Of what is asked about: the one value, if it is that.
            Entry::Answer {
                answer: AnswerKind::Unknown,
                call: None,
            } if self.asks_value() => self.judge(AnswerKind::Unknown).await,
            Entry::Value(answer) => self.judge(answer).await,
            Entry::Answer { answer, call } => self.answer(answer, call, Vec::new()).await,
            Entry::Wrong(wrong) => match self.numbered.variables(&wrong) {
                Ok(wrong) => self.answer(AnswerKind::Invalid, None, wrong).await,
                Err(complaint) => {
                    let complaint = self.context.out.paint.text(Look::Bad, complaint);
                    self.context.out.line(complaint)?;
                    self.show_focus().await.map(|()| Next::Stay)
                }
            },
            Entry::Undo => {
                self.search.undo().await?;
                self.changed("the last answer is taken back")
            }
            Entry::Redo => {
                self.search.redo().await?;
                self.changed("the answer is given again")
            }
            Entry::Known => {
                known::all(&self.search.session, &mut self.context.out)?;
                Ok(Next::Stay)
            }
            Entry::Doubt(call) => {
                self.search.doubt(call).await?;
                self.changed("what was known of it is taken back")
            }
            Entry::Say(said) => {
                self.search.say(said).await?;
                self.changed("noted")
            }
            Entry::Strategy(None) => {
                for strategy in STRATEGIES {
                    let now = if strategy == self.search.session.strategy {
                        "*"
                    } else {
                        " "
                    };
                    self.context.out.line(format!("  {now} {strategy}"))?;
                }
                Ok(Next::Stay)
            }
            Entry::Strategy(Some(name)) => {
                self.search.set_strategy(&name).await?;
                self.changed(&format!("asking by {name}"))
            }
            Entry::At(call) => {
                self.focus = Some(self.call(call).await?);
                self.show_focus().await.map(|()| Next::Stay)
            }
            Entry::Up => {
                let parent = self
                    .focus
                    .as_ref()
                    .filter(|call| call.depth > 0)
                    .map(|call| call.parent.clone());
                let parent = parent.ok_or_else(|| {
                    Error::Usage("no call called the one that is looked at".into())
                })?;
                self.focus = Some(self.call(parent).await?);
                self.show_focus().await.map(|()| Next::Stay)
            }
            Entry::Question | Entry::Nothing => {
                self.search.refresh().await?;
                Ok(Next::Show)
            }
            Entry::Restrict(call) => {
                let call = call.or_else(|| self.focus.as_ref().map(|call| call.id.clone()));
                let call =
                    call.ok_or_else(|| Error::Usage("restrict to which call?".to_owned()))?;
                self.search.restrict(call).await?;
                self.changed("searching below that call only")
            }
            Entry::Everywhere => {
                self.search.restrict(String::new()).await?;
                self.changed("searching everywhere")
            }
            Entry::Look(words) => self.look(words).await.map(|()| Next::Stay),
            Entry::Statistics => {
                let statistics = self.search.statistics().await?;
                screen::statistics(&statistics, &mut self.context.out)?;
                Ok(Next::Stay)
            }
            Entry::Answers => {
                screen::answers(&self.search.session, &mut self.context.out)?;
                Ok(Next::Stay)
            }
            Entry::Help => self.context.out.line(screen::HELP).map(|()| Next::Stay),
            Entry::Quit => Ok(Next::Leave),
        }
    }

    fn changed(&mut self, what: &str) -> Result<Next, Error> {
        let text = format!("{what}; {}", screen::left(&self.search.session));
        self.context.out.line(text)?;
        Ok(Next::Show)
    }

    /// Is one value of the call that is looked at asked about?
    fn asks_value(&self) -> bool {
        let session = &self.search.session;
        let proposed = session.question.as_ref().map(|call| &call.id);
        session.value.is_some() && proposed == self.focus.as_ref().map(|call| &call.id)
    }

    async fn judge(&mut self, answer: AnswerKind) -> Result<Next, Error> {
        let value = self.search.session.value.clone().unwrap_or_default();
        let before = self.search.session.known.len();
        self.search.judge(answer).await?;
        screen::answered(
            &screen::value_name(&value),
            answer,
            &self.search.session,
            &mut self.context.out,
        )?;
        known::newly(&self.search.session, before, &mut self.context.out)?;
        Ok(Next::Show)
    }

    async fn answer(
        &mut self,
        answer: AnswerKind,
        call: Option<String>,
        wrong: Vec<String>,
    ) -> Result<Next, Error> {
        let before = self.search.session.known.len();
        let call = match call {
            Some(call) => self.call(call).await?,
            None => self.focus.clone().ok_or_else(|| {
                Error::Usage("there is no question now; name the call: merge#3 invalid".to_owned())
            })?,
        };
        self.search.answer(call.id.clone(), answer, wrong).await?;
        screen::answered(
            &call_name(&call),
            answer,
            &self.search.session,
            &mut self.context.out,
        )?;
        known::newly(&self.search.session, before, &mut self.context.out)?;
        Ok(Next::Show)
    }

    async fn call(&mut self, call: String) -> Result<Call, Error> {
        let request = GetCallRequest {
            recording: self.search.recording.clone(),
            call,
            ..GetCallRequest::default()
        };
        Ok(self
            .search
            .client
            .history
            .get_call(request)
            .await?
            .into_inner())
    }

    /// `tree`, `state`, `events`, …: as in the shell, with the recording and the call filled in.
    async fn look(&mut self, mut words: Vec<String>) -> Result<(), Error> {
        let command = words.first().cloned().unwrap_or_default();
        words.insert(1.min(words.len()), self.search.recording.clone());
        let named = words.get(2).is_some_and(|word| !word.starts_with('-'));
        match command.as_str() {
            "tree" if words.get(2).is_some_and(|word| word == "all") => {
                words.remove(2);
            }
            "tree" | "call" | "state" | "events" | "coverage" if !named => {
                let focus = self.focus.as_ref().map(|call| call.id.clone());
                let focus = focus
                    .ok_or_else(|| Error::Usage(format!("of which call? {command} merge#3")))?;
                words.insert(2, focus);
            }
            "history" | "why" if named => {
                if let (Some(call), Some(text)) = (self.focus.clone(), words.get_mut(2)) {
                    *text = variable::full(self.search, &call, text).await?;
                }
            }
            _ => {}
        }
        let inside = run::parse_inside(&words).map_err(Error::Usage)?;
        // A command may take many steps of its own; its future is kept out of ours.
        Box::pin(run::run_inside(self.context, &inside)).await
    }
}
