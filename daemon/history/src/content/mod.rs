//! The content of a call: which method ran which code, what it was given, and what came of it, without any number of this run,
//! so that calls can be compared, also with those of another recording.
//!
//! **Input** is the receiver, the arguments and the static fields of the scope when the call began, with all that they reach:
//! fields, elements, texts, boxes, what objects of the JDK hold; aliasing and cycles as they are. The order of hash sets and maps is left
//! out. **Outcome** is the result or the exception, and the same graph when the call ended: what a call changed counts as
//! much as what it returned, and so does what it took away.
//!
//! # What equal contents say
//!
//! Whoever judges a call sees its input and its outcome. Two calls of one method with equal inputs and equal outcomes
//! are the same to them, so one judgement is right for both. That holds only if nothing else could have made a difference. So all
//! mutable statics of the scope belong to the input, also those that the code does not look at: that it does not may be
//! the defect. And a call has no content ([`Compared::Not`]) where something else could: if it or a call in it ran code out of
//! the scope that looks at the world or changes it (`outside` lists what does not), or native code in the scope; if another
//! thread ran at the same time; if it had not ended; if a gap, damage, or a level without writes lies before its end; if a value
//! that belongs to it was not recorded, or not all of it; if it is larger than [`MOST_VARIABLES`] or [`MOST_CALLS`]. That a
//! call has no content says nothing of it, but that it is to be asked.
//!
//! What is not seen: texts and boxes that are equal are taken for the same object; static fields of classes out of the
//! scope that code in it reads by itself, without a call.
//!
//! The **code** is that of the method; the **body** that of all methods that ran in the call, and the names of those out of
//! the scope (`code` says what a digest of code cannot see). Neither is needed for what equal inputs and outcomes say.

mod code;
mod digest;
mod graph;
mod held;
mod outside;
mod ran;

use jhyde_store::records::{CallRecord, MethodRef};
use jhyde_trace::{CallId, ClassInfo, FieldInfo, Level, MethodId, Outcome, Timestamp, Value};
use rustc_hash::FxHashMap;
use std::sync::Arc;

use crate::certain::Certain;
use crate::error::{Error, Result};
use crate::history::{History, unless_lost};
use crate::objects::{DAMAGED, Held};
use crate::statics::{CONSTANT, Initialised};
pub use code::digest as code_digest;
pub use digest::Digest;
use graph::Graph;

/// A call with more variables in its input and outcome has no content: digests are to cost little. Some milliseconds.
pub const MOST_VARIABLES: usize = 20_000;
/// Nor has one with more calls inside. Some tens of milliseconds.
pub const MOST_CALLS: u64 = 50_000;

/// The content of one call. See the module.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CallContent {
    /// Dotted binary name of the declaring class.
    pub class: String,
    /// Simple name.
    pub method: String,
    /// JVMS 4.3.3.
    pub descriptor: String,
    /// The method's own code.
    pub code: Digest,
    /// The code of all methods that ran in the call.
    pub body: Digest,
    /// What it was given.
    pub input: Digest,
    /// What it yielded and changed.
    pub outcome: Digest,
}

impl CallContent {
    /// Are both calls of one method (its code may differ) that were given the same?
    pub fn is_given_the_same(&self, other: &Self) -> bool {
        (&self.class, &self.method, &self.descriptor)
            == (&other.class, &other.method, &other.descriptor)
            && self.input == other.input
    }

    /// Are both the same to whoever judges them: given the same, and nothing else came of it? Their code may differ.
    pub fn is_equal(&self, other: &Self) -> bool {
        self.is_given_the_same(other) && self.outcome == other.outcome
    }
}

/// Whether a call can be compared with others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Compared {
    /// It has this content.
    Content(CallContent),
    /// Nobody can say whether another call is equal: why, in words for people.
    Not(String),
}

/// Why a walk ended early.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The call has no content.
    Not(String),
    /// The recording cannot be read.
    Failed(Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        match error {
            Error::Store(jhyde_store::Error::Damaged { .. }) => Self::Not(DAMAGED.to_owned()),
            error => Self::Failed(error),
        }
    }
}

impl From<jhyde_store::Error> for Stop {
    fn from(error: jhyde_store::Error) -> Self {
        Error::from(error).into()
    }
}

/// A static field that belongs to the input of every call.
#[derive(Clone, Debug)]
struct Static {
    /// With its class, dotted.
    name: String,
    class: Arc<ClassInfo>,
    position: usize,
    initialised: Initialised,
}

impl Static {
    fn field(&self) -> &FieldInfo {
        &self.class.fields[self.position]
    }
}

/// Tells the contents of a recording's calls. Made for one question: of a running recording it sees what there was
/// when it was made.
#[derive(Debug)]
pub struct Comparer {
    history: History,
    /// By name.
    statics: Vec<Static>,
    /// What gaps spoil.
    certain: Certain,
    /// Why the world is in it, by method.
    world: FxHashMap<MethodId, Option<String>>,
    codes: FxHashMap<MethodId, Digest>,
}

impl Comparer {
    /// Over the recording of this history.
    ///
    /// # Errors
    /// When the recording cannot be read.
    pub fn new(history: History) -> Result<Self> {
        let mut this = Self {
            statics: Vec::new(),
            certain: Certain::of(&history)?,
            world: FxHashMap::default(),
            codes: FxHashMap::default(),
            history,
        };
        this.find_statics()?;
        Ok(this)
    }

    /// The recording's history.
    pub fn history(&self) -> &History {
        &self.history
    }

    fn find_statics(&mut self) -> Result<()> {
        /// Made by the compiler (JVMS 4.5): not in the source.
        const SYNTHETIC: u32 = 0x1000;
        let history = &self.history;
        for id in history.recording.classes() {
            let class = unless_lost(history.recording.class(id))?;
            let Some(class) = class.filter(|class| class.in_scope) else {
                continue;
            };
            let is_one = |field: &FieldInfo| field.is_static() && field.modifiers & SYNTHETIC == 0;
            let positions: Vec<usize> = (0..class.fields.len())
                .filter(|&at| is_one(&class.fields[at]))
                .collect();
            if positions.is_empty() {
                continue;
            }
            let initialised = history.initialised(&class, history.last_event())?;
            self.statics
                .extend(positions.into_iter().map(|position| Static {
                    name: format!("{}.{}", class.name, class.fields[position].name),
                    class: Arc::clone(&class),
                    position,
                    initialised,
                }));
        }
        self.statics.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(())
    }

    /// The content of a call.
    ///
    /// # Errors
    /// When there is no such call or the recording cannot be read; damage is a reason to have no content.
    pub fn content(&mut self, call: CallId) -> Result<Compared> {
        match self.compare(call) {
            Ok(content) => Ok(Compared::Content(content)),
            Err(Stop::Not(why)) => Ok(Compared::Not(why)),
            Err(Stop::Failed(error)) => Err(error),
        }
    }

    fn compare(&mut self, call: CallId) -> Result<CallContent, Stop> {
        let record = self.history.record(call)?;
        let not = |why: &str| Err(Stop::Not(why.to_owned()));
        let Some(exit) = record.exit else {
            return not("it has not ended");
        };
        if record.already_running {
            return not("it was running when the recording began");
        }
        if record.size > MOST_CALLS {
            return Err(Stop::Not(format!(
                "it has more than the {MOST_CALLS} calls inside that are looked at"
            )));
        }
        self.is_told_whole(&record, exit)?;
        let Some(method) = self.history.method(record.method)? else {
            return not("its method was not recorded");
        };
        let (code, body) = self.bodies(&record)?;
        let given = self.history.recording.arguments(&record)?;
        let info = method.method();
        if given.receiver.is_none() != info.is_static() {
            return not("its receiver was not seen");
        }
        if given.arguments.len() != crate::text::parameters(&info.descriptor).len() {
            return not("its arguments were not seen");
        }
        let named = |value| ("argument".to_owned(), Some(value));
        let roots = given.receiver.into_iter().chain(given.arguments);
        let roots: Vec<(String, Option<Value>)> = roots.map(named).collect();
        let history = self.history.clone();
        let mut graph = Graph::new(&history);
        let mut before = roots.clone();
        before.extend(self.statics_at(record.enter)?);
        let input = graph.walk(record.enter, &before)?;
        let mut after = roots;
        after.push(self.yielded(&record, &method)?);
        after.extend(self.statics_at(exit)?);
        let outcome = graph.walk(exit, &after)?;
        Ok(CallContent {
            class: method.class.name.clone(),
            method: info.name.clone(),
            descriptor: info.descriptor.clone(),
            code,
            body,
            input,
            outcome,
        })
    }

    /// Nothing before the end of a call is missing, and no other thread ran in it.
    fn is_told_whole(&self, record: &CallRecord, exit: Timestamp) -> Result<(), Stop> {
        let doubt = self.certain.doubt_of_objects(&self.history, record, exit)?;
        if let Some(doubt) = doubt {
            return Err(Stop::Not(doubt));
        }
        if self.history.has_snapshots_only() && !self.statics.is_empty() {
            return Err(Stop::Not(
                "level calls does not record static fields, which may make a difference".to_owned(),
            ));
        }
        for thread in self.history.recording.thread_ids() {
            let root = self.history.recording.root(thread)?;
            if thread == record.id.thread || root.calls == 0 {
                continue;
            }
            let meanwhile = match (root.first, root.last) {
                (Some(first), Some(last)) => first < exit && last > record.enter,
                _ => true,
            };
            if meanwhile {
                return Err(Stop::Not(
                    "another thread ran at the same time, and may make a difference".to_owned(),
                ));
            }
        }
        Ok(())
    }

    /// The result as a root.
    fn yielded(
        &self,
        record: &CallRecord,
        method: &MethodRef,
    ) -> Result<(String, Option<Value>), Stop> {
        let outcome = self.history.recording.outcome(record)?;
        let is_void = crate::text::result(&method.method().descriptor) == "V";
        Ok(match outcome {
            Some(Outcome::Returned(Some(value))) => ("result".to_owned(), Some(value)),
            Some(Outcome::Returned(None)) if is_void => ("result".to_owned(), None),
            Some(Outcome::Threw(value)) => ("exception".to_owned(), Some(value)),
            Some(Outcome::Returned(None) | Outcome::Unknown) | None => {
                return Err(Stop::Not("how it ended was not seen".to_owned()));
            }
        })
    }

    /// The static fields of the scope at a time.
    fn statics_at(&self, at: Timestamp) -> Result<Vec<(String, Option<Value>)>, Stop> {
        if self.history.asked == Level::Calls {
            return Ok(Vec::new());
        }
        let mut values = Vec::with_capacity(self.statics.len());
        for one in &self.statics {
            let held = self
                .history
                .static_value(one.field(), one.initialised, at)?;
            match held {
                Held::Value(value) => values.push((one.name.clone(), Some(value))),
                // Its class was not there yet.
                Held::Absent => {}
                // The compiler puts it into the code that uses it.
                Held::Unknown(reason) if reason == CONSTANT => {}
                Held::Unknown(reason) => {
                    return Err(Stop::Not(format!("{}: {reason}", one.name)));
                }
                Held::Damaged => return Err(Stop::Not(DAMAGED.to_owned())),
            }
        }
        Ok(values)
    }
}
