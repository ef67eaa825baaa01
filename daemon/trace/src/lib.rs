//! The event model of a recording: what an event, a value, a variable and a call are.
//!
//! Everything above this floor speaks these types: `capture` produces them, `store` keeps them,
//! `history` and `debugging` answer questions about them. There is no I/O here, and nothing that
//! knows of JDWP, RocksDB or gRPC. The words are those of the design, section 2.
//!
//! Start reading at [`event::Event`].

#![forbid(unsafe_code)]

pub mod block;
pub mod columns;
pub mod content;
pub mod echo;
pub mod event;
pub mod fuzzing;
pub mod ids;
pub mod level;
pub mod meta;
pub mod pattern;
pub mod sink;
pub mod structure;
pub mod text;
pub mod value;
pub mod variable;

pub use block::{Block, BlockBuilder};
pub use content::{Change, Given, Held, Items, Looked, Part};
pub use event::{Event, EventKind, MonitorAction, Outcome};
pub use ids::{CallId, ClassId, FieldId, MethodId, ObjectId, ThreadId, Timestamp};
pub use level::{InForce, LevelFact, Levels, Stretch, Subject};
pub use meta::{
    AtLimit, CostLimits, EngineKind, JvmIdentity, Level, ProbeLog, RecordingMeta, RecordingOptions,
    SnapshotLimits, State,
};
pub use sink::{Sink, SinkError};
pub use structure::{ClassInfo, FieldInfo, LineEntry, LocalVariable, MethodInfo, ThreadInfo};
pub use text::{Text, Units};
pub use value::{Content, Missing, ObjectInfo, Throwable, Value};
pub use variable::{ContentKey, Local, Variable};
