//! What every engine records with: the JVM that it asks, what it knows of the debuggee, and where it tells it. How it
//! comes to know what the debuggee's threads did is the engine's own matter; nothing here knows of threads.
//!
//! - `known`: classes, objects, what they hold; `names`: what they are called.
//! - `outlet`: what is told, in its order.
//! - `objects`: what is asked of an object that an event shows for the first time; `observe`: the same, with all that can
//!   be seen through it, while its thread stands still; `fixed`: what can never change of it; `memory`: what it holds now.
//! - `contents`: reads and tells what objects of the JDK hold; `follow`: what calls do to that.
//! - `constants`: what the names of a constant pool stand for; `callees`: which methods they are; `intrinsics`: those that
//!   nobody has to stop for; `shown`: what a call out of the scope was shown.
//! - `kinds`, `around`: what a snapshot can look at in an object, and who may change it meanwhile.

mod around;
mod callees;
mod constants;
mod contents;
mod fixed;
mod follow;
mod intrinsics;
mod kinds;
mod known;
mod memory;
mod names;
mod objects;
mod observe;
mod outlet;
mod shown;

use jhyde_trace::{RecordingOptions, Sink, Timestamp};
use rustc_hash::FxHashMap;

use crate::arrivals::Ticket;
use crate::error::CaptureError;
use crate::jvm::{Connection, Jvm};
use crate::objects::ObjectQuestion;
use crate::scope::Scope;

pub(crate) use around::Role;
pub(crate) use constants::{class_constant, element_name, is_replaced};
pub(crate) use contents::{CONTRADICTED, Runs};
pub(crate) use intrinsics::{
    IntrinsicClasses, always_follows, intrinsic, known_result, makes_text, never_throws,
    returns_itself,
};
pub(crate) use kinds::{Kind, Made};
pub(crate) use known::Known;
pub(crate) use names::holder;
pub(crate) use outlet::{At, Outlet, gap};
pub(crate) use shown::{Shown, distinct, parameters};

/// A question whose answer belongs to an arrival.
pub(crate) enum Question {
    /// About an object that an event showed.
    Object(ObjectQuestion),
    /// Fields of an object or class that was there before: values for a snapshot.
    Snapshot(Vec<jhyde_trace::Variable>),
}

/// See the module.
pub(crate) struct Recorder<S> {
    pub(crate) jvm: Jvm,
    pub(crate) known: Known,
    pub(crate) outlet: Outlet<S>,
    /// Asked, and not answered yet.
    pub(crate) questions: FxHashMap<u32, (Ticket, Question)>,
}

impl<S: Sink> Recorder<S> {
    pub(crate) fn new(
        connection: Connection,
        scope: Scope,
        options: RecordingOptions,
        sink: S,
    ) -> Self {
        Self {
            jvm: Jvm::new(connection),
            known: Known::new(scope, &options),
            outlet: Outlet::new(options, sink),
            questions: FxHashMap::default(),
        }
    }

    /// Hands on what is complete: classes first, because events refer to them.
    pub(crate) fn hand_on(&mut self) -> Result<(), CaptureError> {
        self.hand_on_classes()?;
        self.outlet.leave()?;
        let told = Timestamp(self.outlet.arrivals.told());
        self.known.heap.told(told);
        self.known.contents.told(told);
        Ok(())
    }

    /// Hands on everything as it is: the answers will not come any more.
    pub(crate) fn hand_on_all(&mut self) -> Result<(), CaptureError> {
        self.hand_on_classes()?;
        Ok(self.outlet.leave_all()?)
    }

    fn hand_on_classes(&mut self) -> Result<(), CaptureError> {
        Ok(self.outlet.classes(self.known.program.take_fresh())?)
    }

    /// The sink, and what a reader of the recording should know.
    pub(crate) fn finish(mut self) -> (S, Vec<String>) {
        self.jvm.dismiss_guard();
        let program = &self.known.program;
        let options = &self.outlet.options;
        let uncovered = (program.covered == 0).then(|| match options.include.is_empty() {
            true => "no class of an application's loader was met".to_owned(),
            false => format!(
                "no class matched --include {}: check the pattern against the program's packages",
                options.include.join(", ")
            ),
        });
        let bare = &program.without_lines;
        let without_lines = (!bare.is_empty()).then(|| {
            let some: Vec<&str> = bare.iter().take(5).map(String::as_str).collect();
            format!(
                "{} classes have no line tables (compiled with -g:none?): their calls have no lines{}: {}{}",
                bare.len(),
                if self.outlet.records_state() {
                    ", and their locals are named by slot"
                } else {
                    ""
                },
                some.join(", "),
                if bare.len() > 5 { ", …" } else { "" },
            )
        });
        for note in uncovered.into_iter().chain(without_lines) {
            self.outlet.note(note);
        }
        self.outlet.finish()
    }
}
