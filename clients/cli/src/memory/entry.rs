//! One remembered answer, and the line that it is in a file.

use jhyde_proto::v1::{AnswerKind, Call, CallContent};
use serde::{Deserialize, Serialize};

use crate::text::call_name;

/// The newest version of the lines that this program writes: those about one value of a call.
pub const VERSION: u32 = 2;
/// The version of those about a call, which older programs read.
const OF_CALL: u32 = 1;

/// What was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The call did what it should.
    Valid,
    /// It did not.
    Invalid,
    /// One value that it left was right.
    Right,
    /// It was wrong.
    Wrong,
}

impl Verdict {
    /// Of an answer that can be remembered; `None` of the others, which are not about one call for good.
    pub fn of(answer: AnswerKind) -> Option<Self> {
        match answer {
            AnswerKind::Valid => Some(Self::Valid),
            AnswerKind::Invalid => Some(Self::Invalid),
            AnswerKind::Right => Some(Self::Right),
            AnswerKind::Wrong => Some(Self::Wrong),
            _ => None,
        }
    }

    /// In words.
    pub fn word(self) -> &'static str {
        match self {
            Self::Valid => "valid",
            Self::Invalid => "invalid",
            Self::Right => "right",
            Self::Wrong => "wrong",
        }
    }
}

impl From<Verdict> for AnswerKind {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Valid => Self::Valid,
            Verdict::Invalid => Self::Invalid,
            Verdict::Right => Self::Right,
            Verdict::Wrong => Self::Wrong,
        }
    }
}

/// Which calls an answer is about: those of this method with this code that are given this and yield this.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Key {
    /// Dotted binary name.
    pub class: String,
    /// Simple name.
    pub method: String,
    /// JVMS 4.3.3.
    pub descriptor: String,
    /// Digest of the method's bytecode: a changed method is asked again.
    pub code: String,
    /// Digest of receiver, arguments and statics with all that they reach, when the call began.
    pub input: String,
    /// Digest of what it yielded, and of the same when it ended.
    pub outcome: String,
    /// The way to the value that the answer is about; `None` where it is about the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
}

impl From<&CallContent> for Key {
    fn from(content: &CallContent) -> Self {
        Self {
            class: content.class.clone(),
            method: content.method.clone(),
            descriptor: content.descriptor.clone(),
            code: content.code.clone(),
            input: content.input.clone(),
            outcome: content.outcome.clone(),
            value: None,
        }
    }
}

/// One answer with what people read of it: one line of a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Entry {
    /// [`VERSION`], or an older one.
    pub version: u32,
    /// Which calls.
    #[serde(flatten)]
    pub key: Key,
    /// What was answered.
    pub answer: Verdict,
    /// The call that was judged, for people: `MergeSort.merge #2`.
    pub call: String,
    /// Its recording's name, for people.
    pub recording: String,
    /// That call's id in that recording.
    pub id: String,
}

impl Entry {
    /// An answer about a call with this content.
    pub fn new(content: &CallContent, answer: Verdict, call: &Call, recording: &str) -> Self {
        Self {
            version: OF_CALL,
            key: content.into(),
            answer,
            call: call_name(call),
            recording: recording.to_owned(),
            id: call.id.clone(),
        }
    }

    /// The same about one value that the call left.
    #[must_use]
    pub fn of_value(mut self, way: String) -> Self {
        self.version = VERSION;
        self.key.value = Some(way);
        self
    }

    /// A short name for it: the beginnings of both digests.
    pub fn name(&self) -> String {
        let begin = |digest: &str| digest.chars().take(6).collect::<String>();
        format!("{}-{}", begin(&self.key.input), begin(&self.key.outcome))
    }

    /// Which session said so.
    pub fn told(&self) -> String {
        let value = self.key.value.as_ref();
        let value = value.map_or_else(String::new, |way| format!("{way} of "));
        format!(
            "answered for {value}{} [{}] of {}",
            self.call, self.id, self.recording
        )
    }
}
