//! `jhyde debug --json`: the conversation as JSON lines, the scripting contract (`jhyde help json`).

use std::time::Duration;

use jhyde_proto::v1::{AnswerKind, Progress};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use tokio::io::{BufReader, Lines, Stdin};
use tokio::time::sleep;

use super::entry;
use super::evidence::Said;
use super::input::piped;
use super::program::ByProgram;
use super::search::{Search, is_refusal};
use crate::args::SourceArgs;
use crate::commands::call::input_and_outcome;
use crate::commands::{Context, call_argument};
use crate::error::Error;
use crate::json::{Details, Message};
use crate::source::Sources;

/// How often a session of a running program is looked at while there is nothing to ask.
const LOOK_AGAIN: Duration = Duration::from_millis(250);

/// One line of input.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Incoming {
    answer: Option<String>,
    call: Option<String>,
    wrong: Option<Vec<String>>,
    undo: Option<bool>,
    redo: Option<bool>,
    doubt: Option<String>,
    strategy: Option<String>,
    #[serde(default, deserialize_with = "given")]
    restrict: Option<Value>,
}

/// `null` is an answer here: no restriction.
fn given<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

/// Speaks until the search or the input ends.
pub(super) async fn run(
    context: &mut Context,
    search: &mut Search,
    details: bool,
) -> Result<(), Error> {
    let mut sources = context.sources(&search.recording, &SourceArgs::default());
    let out = &mut context.out;
    out.eager = true;
    let mut input = piped();
    loop {
        let shown = details_of(search, &mut sources, details).await?;
        let (message, ended) = Message::of(&search.session, shown.as_ref());
        out.object(&message)?;
        if ended {
            return Ok(());
        }
        let Some(line) = next(search, &mut input).await? else {
            return out.object(&Message::Left {
                session: &search.session.id,
            });
        };
        let Some(line) = line else { continue };
        match obey(search, &line).await {
            Ok(()) => {}
            Err(error) if is_refusal(&error) => out.object(&Message::Error {
                message: &error.to_string(),
            })?,
            Err(error) => return Err(error),
        }
    }
}

async fn details_of(
    search: &Search,
    sources: &mut Sources,
    wanted: bool,
) -> Result<Option<Details>, Error> {
    let Some(call) = search.session.question.as_ref().filter(|_| wanted) else {
        return Ok(None);
    };
    let (input, outcome) = input_and_outcome(&search.client, &search.recording, &call.id).await?;
    Ok(Some(Details {
        input,
        outcome,
        source: sources.of_call(call).await,
    }))
}

/// The next line that says something; `Some(None)` when the session moved on by itself, `None` at the
/// input's end.
async fn next(
    search: &mut Search,
    input: &mut Lines<BufReader<Stdin>>,
) -> Result<Option<Option<String>>, Error> {
    let failed = |source| Error::Terminal {
        what: "read the input",
        source,
    };
    loop {
        let waiting = search.session.progress() == Progress::Waiting;
        tokio::select! {
            line = input.next_line() => match line.map_err(failed)? {
                None => return Ok(None),
                Some(line) if line.trim().is_empty() => {}
                Some(line) => return Ok(Some(Some(line))),
            },
            () = sleep(LOOK_AGAIN), if waiting => {
                search.refresh().await?;
                if search.session.progress() != Progress::Waiting {
                    return Ok(Some(None));
                }
            }
        }
    }
}

/// What one line asks for: exactly one thing.
#[derive(Debug, PartialEq)]
enum Request {
    Answer {
        answer: AnswerKind,
        call: Option<String>,
        wrong: Vec<String>,
    },
    /// The one value that is asked about was right or wrong.
    Value(AnswerKind),
    Undo,
    Redo,
    Doubt(String),
    Say(Said),
    By(ByProgram),
    Strategy(String),
    Restrict(String),
}

fn understand(line: &str) -> Result<Request, Error> {
    const FORM: &str = "write {\"answer\":\"valid|invalid|trusted|unknown|inadmissible\"}, optionally with \"call\", and with \"wrong\" for invalid; of a value {\"answer\":\"right|wrong|unknown\"}";
    let usage = |text: String| Error::Usage(text);
    if let Some(said) = ByProgram::from_json(line) {
        return Ok(Request::By(said));
    }
    if let Some(said) = Said::from_json(line) {
        return Ok(Request::Say(said));
    }
    let incoming = serde_json::from_str::<Incoming>(line)
        .map_err(|error| usage(format!("the line is not understood ({error}); {FORM}")))?;
    match incoming {
        Incoming {
            answer: Some(word),
            call,
            wrong,
            undo: None,
            redo: None,
            doubt: None,
            strategy: None,
            restrict: None,
        } => {
            if let (Some(answer), None, None) = (of_value(&word), &call, &wrong) {
                return Ok(Request::Value(answer));
            }
            // Only the whole words are the contract.
            let answer = entry::answer(&word).filter(|_| word.len() > 1 && word != "trust");
            let answer = answer.ok_or_else(|| usage(format!("'{word}' is no answer; {FORM}")))?;
            Ok(Request::Answer {
                answer,
                call: call.as_deref().map(call_argument),
                wrong: wrong.unwrap_or_default(),
            })
        }
        Incoming {
            answer: None,
            call: None,
            wrong: None,
            undo: Some(true),
            redo: None,
            doubt: None,
            strategy: None,
            restrict: None,
        } => Ok(Request::Undo),
        Incoming {
            answer: None,
            call: None,
            wrong: None,
            undo: None,
            redo: Some(true),
            doubt: None,
            strategy: None,
            restrict: None,
        } => Ok(Request::Redo),
        Incoming {
            answer: None,
            call: None,
            wrong: None,
            undo: None,
            redo: None,
            doubt: Some(call),
            strategy: None,
            restrict: None,
        } => Ok(Request::Doubt(call_argument(&call))),
        Incoming {
            answer: None,
            call: None,
            wrong: None,
            undo: None,
            redo: None,
            doubt: None,
            strategy: Some(name),
            restrict: None,
        } => Ok(Request::Strategy(name)),
        Incoming {
            answer: None,
            call: None,
            wrong: None,
            undo: None,
            redo: None,
            doubt: None,
            strategy: None,
            restrict: Some(call),
        } => match call {
            Value::Null => Ok(Request::Restrict(String::new())),
            Value::String(call) => Ok(Request::Restrict(call_argument(&call))),
            _ => Err(usage(
                "restrict takes a call, or null to search everywhere".to_owned(),
            )),
        },
        _ => Err(usage(format!("the line must ask for one thing; {FORM}"))),
    }
}

/// What is said of values alone.
fn of_value(word: &str) -> Option<AnswerKind> {
    match word {
        "right" => Some(AnswerKind::Right),
        "wrong" => Some(AnswerKind::Wrong),
        _ => None,
    }
}

async fn obey(search: &mut Search, line: &str) -> Result<(), Error> {
    match understand(line)? {
        Request::Value(answer) => search.judge(answer).await,
        // Of what is asked about: the one value, if it is that.
        Request::Answer {
            answer: AnswerKind::Unknown,
            call: None,
            ..
        } if search.session.value.is_some() => search.judge(AnswerKind::Unknown).await,
        Request::Answer {
            answer,
            call,
            wrong,
        } => {
            let question = search.session.question.as_ref().map(|call| call.id.clone());
            let call = call.or(question).ok_or_else(|| {
                Error::Usage(
                    "there is no question now; name the call: {\"answer\":…,\"call\":…}".to_owned(),
                )
            })?;
            search.answer(call, answer, wrong).await
        }
        Request::Undo => search.undo().await,
        Request::Redo => search.redo().await,
        Request::Doubt(call) => search.doubt(call).await,
        Request::Say(said) => search.say(said).await,
        Request::By(said) => search.said_by(said).await,
        Request::Strategy(name) => search.set_strategy(&name).await,
        Request::Restrict(call) => search.restrict(call).await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_the_contract() {
        let answer = |answer, call: Option<&str>| Request::Answer {
            answer,
            call: call.map(str::to_owned),
            wrong: Vec::new(),
        };
        let pointing = Request::Answer {
            answer: AnswerKind::Invalid,
            call: None,
            wrong: vec!["a[2]".to_owned(), "result".to_owned()],
        };
        let line = r#"{"answer":"invalid","wrong":["a[2]","result"]}"#;
        assert_eq!(understand(line).unwrap(), pointing);
        for (line, expected) in [
            (r#"{"answer":"valid"}"#, answer(AnswerKind::Valid, None)),
            (r#"{"answer":"invalid"}"#, answer(AnswerKind::Invalid, None)),
            (r#"{"answer":"trusted"}"#, answer(AnswerKind::Trusted, None)),
            (
                r#" { "answer" : "unknown" } "#,
                answer(AnswerKind::Unknown, None),
            ),
            (
                r#"{"call":"merge #3","answer":"invalid"}"#,
                answer(AnswerKind::Invalid, Some("merge#3")),
            ),
            (
                r#"{"answer":"valid","call":null}"#,
                answer(AnswerKind::Valid, None),
            ),
            (r#"{"answer":"right"}"#, Request::Value(AnswerKind::Right)),
            (r#"{"answer":"wrong"}"#, Request::Value(AnswerKind::Wrong)),
            (r#"{"undo":true}"#, Request::Undo),
            (r#"{"redo":true}"#, Request::Redo),
            (r#"{"doubt":"merge #3"}"#, Request::Doubt("merge#3".into())),
            (
                r#"{"strategy":"top-down"}"#,
                Request::Strategy("top-down".into()),
            ),
            (r#"{"restrict":"1.2"}"#, Request::Restrict("1.2".into())),
            (r#"{"restrict":null}"#, Request::Restrict(String::new())),
        ] {
            assert_eq!(understand(line).unwrap(), expected, "{line}");
        }
    }

    #[test]
    fn everything_else_is_refused_and_the_conversation_goes_on() {
        for line in [
            "valid",
            "{}",
            "[]",
            r#"{"answer":"v"}"#,
            r#"{"answer":"yes"}"#,
            r#"{"answer":"right","call":"merge#3"}"#,
            r#"{"answer":5}"#,
            r#"{"answr":"valid"}"#,
            r#"{"answer":"valid","undo":true}"#,
            r#"{"undo":false}"#,
            r#"{"restrict":7}"#,
        ] {
            let error = understand(line).unwrap_err();
            assert!(is_refusal(&error), "{line}: {error}");
        }
    }
}
