//! Debugging sessions, and the messages of `jhyde debug --json`.

use jhyde_proto::v1::{
    AnswerKind, Call, CallInput, CallResult, KnownAnswer, KnownFrom, Progress, Session,
    ValueQuestion,
};
use serde::Serialize;
use serde::ser::{SerializeMap as _, Serializer};

use super::{CallJson, InputJson, OutcomeJson, SourceJson, ValueJson};
use crate::text::Listing;

/// What `--details` tells of a call besides.
#[derive(Debug)]
pub struct Details {
    /// What it was given.
    pub input: CallInput,
    /// What it yielded.
    pub outcome: CallResult,
    /// Its lines.
    pub source: Option<Listing>,
}

/// What the daemon's side of the conversation says, one line each.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Message<'a> {
    /// Did this call do what it should?
    Question {
        /// The proposed call.
        call: CallJson<'a>,
        /// The one value of it that may be judged instead.
        #[serde(skip_serializing_if = "Option::is_none")]
        value: Option<AskedValueJson<'a>>,
        /// How many calls are suspicious.
        suspicious: u64,
        /// The session, to come back to.
        session: &'a str,
        /// Its strategy.
        strategy: &'a str,
        /// Why it is asked, if the strategy tells.
        #[serde(skip_serializing_if = "str::is_empty")]
        why: &'a str,
        /// How many questions are to be expected, this one counted, if the strategy tells.
        #[serde(skip_serializing_if = "Option::is_none")]
        expected: Option<f64>,
        /// What was answered without asking.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        known: Vec<KnownJson<'a>>,
        /// What people must know of the search.
        #[serde(skip_serializing_if = "<[String]>::is_empty")]
        notes: &'a [String],
        /// What the call was given, with `--details`.
        #[serde(skip_serializing_if = "Option::is_none")]
        input: Option<InputJson<'a>>,
        /// What it yielded, with `--details`.
        #[serde(skip_serializing_if = "Option::is_none")]
        outcome: Option<OutcomeJson<'a>>,
        /// Its lines, with `--details`, if there is source.
        #[serde(skip_serializing_if = "Option::is_none")]
        source: Option<SourceJson<'a>>,
    },
    /// This is the buggy call.
    Found {
        /// The call.
        call: CallJson<'a>,
        /// What was answered without asking.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        known: Vec<KnownJson<'a>>,
        /// What people must know of the search.
        #[serde(skip_serializing_if = "<[String]>::is_empty")]
        notes: &'a [String],
    },
    /// No buggy call.
    None {
        /// What was answered without asking.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        known: Vec<KnownJson<'a>>,
        /// What people must know of the search.
        #[serde(skip_serializing_if = "<[String]>::is_empty")]
        notes: &'a [String],
    },
    /// Some answers were unknown: it is one of these.
    Undecided {
        /// At most 1000.
        calls: Vec<CallJson<'a>>,
        /// What people must know of the search.
        #[serde(skip_serializing_if = "<[String]>::is_empty")]
        notes: &'a [String],
        /// The session, to come back to.
        session: &'a str,
    },
    /// The program still runs, and there is nothing to ask now; a question may follow.
    Waiting {
        /// The session, to come back to.
        session: &'a str,
    },
    /// What came in makes no sense; the question follows again.
    Error {
        /// Why.
        message: &'a str,
    },
    /// The input ended before the search did; the session is kept.
    Left {
        /// The session, to come back to.
        session: &'a str,
    },
}

impl<'a> Message<'a> {
    /// What a session has to say now. Also whether the search has ended.
    pub fn of(session: &'a Session, details: Option<&'a Details>) -> (Self, bool) {
        let id = session.id.as_str();
        let call = |call: &'a Option<Call>| call.as_ref().map(CallJson);
        match (
            session.progress(),
            call(&session.question),
            call(&session.buggy),
        ) {
            (Progress::Asking, Some(call), _) => {
                let question = Self::Question {
                    call,
                    value: session.value.as_ref().map(AskedValueJson::from),
                    suspicious: session.suspicious,
                    session: id,
                    strategy: &session.strategy,
                    why: &session.why,
                    expected: session.expected.map(tenths),
                    known: known(session),
                    notes: &session.notes,
                    input: details.map(|details| InputJson(&details.input)),
                    outcome: details.map(|details| OutcomeJson(&details.outcome)),
                    source: details.and_then(|details| Some(details.source.as_ref()?.into())),
                };
                (question, false)
            }
            (Progress::Found, _, Some(call)) => {
                let notes = &session.notes;
                let known = known(session);
                (Self::Found { call, known, notes }, true)
            }
            (Progress::Undecided, ..) => {
                let calls = session.candidates.iter().map(CallJson).collect();
                let undecided = Self::Undecided {
                    calls,
                    notes: &session.notes,
                    session: id,
                };
                (undecided, true)
            }
            (Progress::None, ..) => {
                let notes = &session.notes;
                let known = known(session);
                (Self::None { known, notes }, true)
            }
            (Progress::Waiting, ..) => (Self::Waiting { session: id }, false),
            _ => (
                Self::Error {
                    message: "the daemon's answer has no question and no end",
                },
                true,
            ),
        }
    }
}

/// The one value that is asked about.
#[derive(Debug, Serialize)]
pub struct AskedValueJson<'a> {
    /// Its written form.
    variable: &'a str,
    /// The way to it from the call.
    #[serde(skip_serializing_if = "str::is_empty")]
    way: &'a str,
    /// What it was when the call ended.
    value: Option<ValueJson<'a>>,
    /// So many values would be looked at instead.
    instead: u64,
}

impl<'a> From<&'a ValueQuestion> for AskedValueJson<'a> {
    fn from(asked: &'a ValueQuestion) -> Self {
        Self {
            variable: &asked.variable,
            way: &asked.way,
            value: asked.value.as_ref().map(ValueJson),
            instead: asked.instead,
        }
    }
}

/// An answer that nobody was asked for.
#[derive(Debug, Serialize)]
pub struct KnownJson<'a> {
    /// The call.
    call: &'a str,
    /// `valid` or `invalid`.
    answer: &'static str,
    /// `equal`, `recording`, `memory`, `property` or `program`.
    from: &'static str,
    /// The equal call, here or in the other recording.
    #[serde(skip_serializing_if = "str::is_empty")]
    equal_to: &'a str,
    /// The other recording.
    #[serde(skip_serializing_if = "str::is_empty")]
    recording: &'a str,
    /// Which earlier session said so, or the property that the call does not have.
    #[serde(skip_serializing_if = "str::is_empty")]
    told: &'a str,
}

impl<'a> From<&'a KnownAnswer> for KnownJson<'a> {
    fn from(known: &'a KnownAnswer) -> Self {
        Self {
            call: &known.call,
            answer: answer_word(known.answer()),
            from: match known.from() {
                KnownFrom::EqualCall => "equal",
                KnownFrom::Recording => "recording",
                KnownFrom::Memory => "memory",
                KnownFrom::Property => "property",
                KnownFrom::Program => "program",
                KnownFrom::Unspecified => "unknown",
            },
            equal_to: &known.equal_to,
            recording: &known.recording,
            told: &known.told,
        }
    }
}

fn known(session: &Session) -> Vec<KnownJson<'_>> {
    session.known.iter().map(KnownJson::from).collect()
}

/// More digits would say more than is known.
fn tenths(number: f64) -> f64 {
    (number * 10.0).round() / 10.0
}

/// A session in a list.
#[derive(Debug)]
pub struct SessionJson<'a>(pub &'a Session);

impl Serialize for SessionJson<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Given<'a> {
            call: &'a str,
            answer: &'static str,
            #[serde(skip_serializing_if = "<[String]>::is_empty")]
            wrong: &'a [String],
            #[serde(skip_serializing_if = "Option::is_none")]
            cut: Option<u64>,
            #[serde(skip_serializing_if = "str::is_empty")]
            uncut: &'a str,
            #[serde(skip_serializing_if = "str::is_empty")]
            value: &'a str,
            #[serde(skip_serializing_if = "str::is_empty")]
            remembered: &'a str,
        }
        let session = self.0;
        let mut map = s.serialize_map(None)?;
        map.serialize_entry("id", &session.id)?;
        map.serialize_entry("recording", &session.recording)?;
        map.serialize_entry("strategy", &session.strategy)?;
        map.serialize_entry("progress", progress_word(session.progress()))?;
        map.serialize_entry("suspicious", &session.suspicious)?;
        let given = |a: &jhyde_proto::v1::GivenAnswer| answer_word(a.answer());
        let points = |a: &jhyde_proto::v1::GivenAnswer| {
            !a.wrong.is_empty()
                || matches!(a.answer(), AnswerKind::Inadmissible | AnswerKind::Right)
        };
        let answers = session
            .answers
            .iter()
            .map(|a| Given {
                call: &a.call,
                answer: given(a),
                wrong: &a.wrong,
                cut: points(a).then_some(a.cut),
                uncut: &a.uncut,
                value: &a.value,
                remembered: &a.remembered,
            })
            .collect::<Vec<_>>();
        map.serialize_entry("answers", &answers)?;
        map.serialize_entry("knowing", &session.knowing)?;
        let against = (!session.against.is_empty()).then_some(&session.against);
        map.serialize_entry("against", &against)?;
        map.serialize_entry("known", &known(session))?;
        let said = session.evidence.as_ref();
        map.serialize_entry("trusted", said.map_or(&[][..], |said| &said.trusted))?;
        map.serialize_entry("properties", said.map_or(&[][..], |said| &said.properties))?;
        let changed = said.and_then(|said| said.changed.as_ref());
        let changed =
            changed.map(|changed| serde_json::json!({"from": changed.from, "only": changed.only}));
        map.serialize_entry("changed", &changed)?;
        map.serialize_entry("passing", said.map_or(&[][..], |said| &said.passing))?;
        let trust = said.is_some_and(|said| said.trust_passing);
        map.serialize_entry("trust_passing", &trust)?;
        map.serialize_entry("can_undo", &session.can_undo)?;
        map.serialize_entry("can_redo", &session.can_redo)?;
        let restricted = (!session.restricted_to.is_empty()).then_some(&session.restricted_to);
        map.serialize_entry("restricted_to", &restricted)?;
        map.serialize_entry("created_ms", &session.created_ms)?;
        map.serialize_entry("question", &session.question.as_ref().map(CallJson))?;
        map.serialize_entry("buggy", &session.buggy.as_ref().map(CallJson))?;
        map.end()
    }
}

/// `asking`, `found`, …
pub fn progress_word(progress: Progress) -> &'static str {
    match progress {
        Progress::Unspecified => "unknown",
        Progress::Asking => "asking",
        Progress::Found => "found",
        Progress::Undecided => "undecided",
        Progress::None => "none",
        Progress::Waiting => "waiting",
    }
}

/// `valid`, `invalid`, …
pub fn answer_word(answer: AnswerKind) -> &'static str {
    match answer {
        AnswerKind::Unspecified => "?",
        AnswerKind::Valid => "valid",
        AnswerKind::Invalid => "invalid",
        AnswerKind::Trusted => "trusted",
        AnswerKind::Unknown => "unknown",
        AnswerKind::Inadmissible => "inadmissible",
        AnswerKind::Right => "right",
        AnswerKind::Wrong => "wrong",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn said(session: &Session) -> (Value, bool) {
        let (message, ended) = Message::of(session, None);
        (serde_json::to_value(message).unwrap(), ended)
    }

    #[test]
    fn the_words_of_the_contract() {
        let call = Some(Call {
            id: "1.7".into(),
            ..Call::default()
        });
        let mut session = Session {
            id: "s1".into(),
            strategy: "top-down".into(),
            suspicious: 7,
            question: call.clone(),
            ..Session::default()
        };
        session.set_progress(Progress::Asking);
        let (message, ended) = said(&session);
        assert!(!ended);
        assert_eq!(
            (&message["type"], &message["suspicious"]),
            (&json!("question"), &json!(7))
        );
        assert_eq!(message["call"]["id"], "1.7");

        session.set_progress(Progress::Found);
        session.buggy = call.clone();
        let (message, ended) = said(&session);
        assert!(ended);
        assert_eq!(
            (&message["type"], &message["call"]["id"]),
            (&json!("found"), &json!("1.7"))
        );

        session.set_progress(Progress::None);
        assert_eq!(said(&session), (json!({"type": "none"}), true));

        session.set_progress(Progress::Undecided);
        session.candidates = call.into_iter().collect();
        let (message, ended) = said(&session);
        assert!(ended);
        assert_eq!(
            (&message["type"], &message["calls"][0]["id"]),
            (&json!("undecided"), &json!("1.7"))
        );

        session.set_progress(Progress::Waiting);
        assert_eq!(
            said(&session),
            (json!({"type": "waiting", "session": "s1"}), false)
        );
    }

    #[test]
    fn an_answer_without_a_question_ends_with_an_error() {
        let mut session = Session::default();
        session.set_progress(Progress::Asking);
        let (message, ended) = said(&session);
        assert!(ended);
        assert_eq!(message["type"], "error");
    }
}
