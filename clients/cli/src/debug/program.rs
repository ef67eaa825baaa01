//! Answers of a program that may be wrong, such as a language model: `{"answer":"invalid","by":"NAME"}`.

use jhyde_proto::v1::{AnswerKind, AnswerRequest};
use serde::Deserialize;

use super::search::Search;
use crate::commands::call_argument;
use crate::error::Error;

/// One of them.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub(super) struct ByProgram {
    answer: Verdict,
    /// The program's name.
    by: String,
    call: Option<String>,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Verdict {
    Valid,
    Invalid,
}

impl ByProgram {
    /// A line of the scripting contract, if it is one of these.
    pub(super) fn from_json(line: &str) -> Option<Self> {
        let said: Self = serde_json::from_str(line).ok()?;
        (!said.by.is_empty()).then_some(said)
    }
}

impl Search {
    /// Passes on what a program says of a call; it stands until a person says something.
    pub(super) async fn said_by(&mut self, said: ByProgram) -> Result<(), Error> {
        let asked = self.session.question.as_ref().map(|call| call.id.clone());
        let call = said.call.as_deref().map(call_argument).or(asked);
        let call = call.ok_or_else(|| Error::Usage("there is no question now".to_owned()))?;
        let answer = match said.answer {
            Verdict::Valid => AnswerKind::Valid,
            Verdict::Invalid => AnswerKind::Invalid,
        };
        self.pass_on(AnswerRequest {
            recording: self.recording.clone(),
            session: self.session.id.clone(),
            call,
            answer: answer.into(),
            by: said.by,
            ..AnswerRequest::default()
        })
        .await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_verdicts_with_a_name_are_a_programs() {
        let by = |line: &str| ByProgram::from_json(line).map(|said| said.by);
        assert_eq!(by(r#"{"answer":"valid","by":"m"}"#), Some("m".to_owned()));
        for line in [
            r#"{"answer":"valid"}"#,
            r#"{"answer":"valid","by":""}"#,
            r#"{"answer":"trusted","by":"m"}"#,
            r#"{"answer":"invalid","by":"m","wrong":["a"]}"#,
        ] {
            assert_eq!(by(line), None, "{line}");
        }
    }
}
