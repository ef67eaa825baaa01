//! How answers look to programs. The contract is told in `jhyde help json`; names are never changed,
//! only added to.
//!
//! Each type here wraps a message of the API and serialises it: there is no second model to keep in step.

mod call;
mod compare;
mod coverage;
mod event;
mod jvm;
mod query;
mod recording;
mod session;
mod slice;
mod source;
mod sql;
mod state;
mod value;

pub use call::CallJson;
pub(crate) use compare::origin_word as compare_origin;
pub use compare::{ComparedJson, RulesJson};
pub use coverage::CoverageJson;
pub use event::{EventJson, PlaceJson, RowJson};
pub(crate) use jvm::JvmJson;
pub use query::{
    AnswerJson, DiffJson, LostAnswerJson, LostQueryJson, QueryJson, QueryRowJson, SavedJson,
    UntilJson,
};
pub use recording::RecordingJson;
pub use session::{Details, Message, SessionJson, answer_word, progress_word};
pub use slice::StepJson;
pub use source::{SourceJson, WithCode};
pub use sql::{SqlModuleJson, SqlRowJson, SqlTableJson, SqlUntilJson};
pub use state::{InputJson, Node, Opened, OutcomeJson, StateJson, WriteJson};
pub use value::ValueJson;

use serde::Serialize;

/// Behind the last row of a page that is not the last.
#[derive(Debug, Serialize)]
pub struct NextPage<'a> {
    /// What `--page` takes.
    pub next_page: &'a str,
}
