//! Calls that run when the JVM is reached. They go on in the code that they had, which tells nothing: what they call of the scope is
//! recorded, what they do themselves nobody sees. What that may be is read off the code of their methods; and
//! whether it has begun, a step request of each thread with such calls tells: those in `accept` or `join` have done nothing
//! until they come out.
//!
//! What follows for what is known is in [`super::derive`]'s `late`.

use std::rc::Rc;

use jdwp::commands::event_request::{self, Modifier};
use jdwp::commands::{reference_type, thread_reference, virtual_machine};
use jdwp::{
    ClassStatus, ErrorCode, EventKind, ReferenceTypeId, ReplyError, RequestId, StepDepth, StepSize,
    SuspendPolicy, ThreadId,
};
use jhyde_bytecode::Opcode;
use jhyde_trace::Sink;
use rustc_hash::FxHashMap;

use super::engine::Engine;
use super::names::Names;
use super::others::Writable;
use super::specified::is_of_the_jdk;
use super::writers::writes;
use crate::contents::methods::changes_nothing;
use crate::error::CaptureError;
use crate::program::{Method, Named};

/// Once one of these is initialised there may be threads that the JVM does not list.
const UNLISTED: [&str; 2] = [
    "Ljava/lang/VirtualThread;",
    "Ljava/lang/ThreadBuilders$BoundVirtualThread;",
];

/// What a method may do that nobody sees.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Unseen {
    Nothing,
    /// It writes these fields, and may change what objects hold.
    Changes(Writable),
}

/// Whether an event request is still to come, by thread.
pub(super) type Awaited = FxHashMap<ThreadId, RequestId>;

impl<S: Sink> Engine<S> {
    /// The JVM stands still, and its code is what it was: which threads run calls that may do what nobody sees.
    pub(super) fn find_late(&mut self) -> Result<Vec<ThreadId>, CaptureError> {
        for signature in UNLISTED {
            let signature = signature.into();
            let found = self
                .link
                .request(&virtual_machine::ClassesBySignature { signature })??;
            let is_used = |class: &virtual_machine::ClassBySignature| {
                class.status.contains(ClassStatus::INITIALIZED)
            };
            if found.iter().any(is_used) {
                self.deriver.runs_hidden();
            }
        }
        let mut late = Vec::new();
        let mut of_the_jdk = FxHashMap::default();
        for thread in self.link.request(&virtual_machine::AllThreads)?? {
            let frames = thread_reference::Frames {
                thread,
                start_frame: 0,
                length: -1,
            };
            let frames = match self.link.request(&frames)? {
                Ok(frames) => frames,
                // It has ended meanwhile.
                Err(ReplyError::Jvm {
                    code: ErrorCode::INVALID_THREAD,
                    ..
                }) => continue,
                Err(_) => {
                    self.deriver.runs_hidden();
                    continue;
                }
            };
            let mut is_late = false;
            for frame in frames {
                let class = frame.location.class;
                if self.is_of_the_jdk(class, &mut of_the_jdk)? {
                    continue;
                }
                let method = self.program.methods.get(&(class, frame.location.method));
                match method.cloned() {
                    Some(method) => match unseen(&method, &mut self.deriver.names) {
                        Unseen::Nothing => {}
                        Unseen::Changes(writes) => {
                            is_late = true;
                            self.deriver.changes_late(writes);
                        }
                    },
                    None => {
                        is_late = true;
                        self.deriver.changes_late(Writable::All);
                    }
                }
            }
            if is_late {
                late.push(thread);
            }
        }
        Ok(late)
    }

    fn is_of_the_jdk(
        &mut self,
        class: ReferenceTypeId,
        known: &mut FxHashMap<ReferenceTypeId, bool>,
    ) -> Result<bool, CaptureError> {
        if let Some(known) = known.get(&class) {
            return Ok(*known);
        }
        let signature = self
            .link
            .request(&reference_type::Signature { ref_type: class })?;
        let name = signature.ok().and_then(|signature| {
            jhyde_bytecode::signature_to_name(&signature.to_string_lossy()).ok()
        });
        let found = name.is_some_and(|name| is_of_the_jdk(&name));
        known.insert(class, found);
        Ok(found)
    }

    /// The JVM is about to go on: these threads tell when they do.
    pub(super) fn await_late(&mut self, late: Vec<ThreadId>) -> Result<(), CaptureError> {
        if let Some(probe) = self.probe.filter(|_| self.deriver.has_late()) {
            probe.retell(&mut self.link)?;
        }
        for thread in late {
            let step = vec![Modifier::Step {
                thread,
                size: StepSize::MIN,
                depth: StepDepth::INTO,
            }];
            // Before it has done anything, and the others have seen that.
            let suspend = SuspendPolicy::EVENT_THREAD;
            let set = event_request::Set {
                event_kind: EventKind::SINGLE_STEP,
                suspend_policy: suspend,
                modifiers: step,
            };
            let Ok(request) = self.link.request(&set)? else {
                // It cannot tell: it may go on at any time.
                self.deriver.goes_on_late(thread);
                continue;
            };
            self.requests.push((EventKind::SINGLE_STEP, request));
            self.leave_word(&event_request::Clear {
                event_kind: EventKind::SINGLE_STEP,
                request,
            });
            self.late.insert(thread, request);
        }
        Ok(())
    }

    /// A thread with such calls goes on.
    pub(super) fn goes_on_late(&mut self, thread: ThreadId) -> Result<(), CaptureError> {
        let Some(request) = self.late.remove(&thread) else {
            return Ok(());
        };
        let event_kind = EventKind::SINGLE_STEP;
        self.requests.retain(|(_, other)| *other != request);
        // One that its thread has taken along needs no clearing.
        let _ = self.link.request(&event_request::Clear {
            event_kind,
            request,
        })?;
        self.deriver.goes_on_late(thread);
        Ok(())
    }
}

/// What a method of the scope may do that nobody sees, if its own code tells nothing.
fn unseen(method: &Rc<Method>, names: &mut Names) -> Unseen {
    let (Some(code), Some(pool)) = (&method.code, &method.pool) else {
        return Unseen::Changes(Writable::All);
    };
    let mut fields = Vec::new();
    let mut changes = false;
    for instruction in code.instructions() {
        match instruction.opcode {
            Opcode::PutField | Opcode::PutStatic => {
                let constant = instruction.constant();
                match constant.and_then(|constant| pool.field(constant).ok()) {
                    Some(field) => fields.push(field.name.to_owned()),
                    None => return Unseen::Changes(Writable::All),
                }
            }
            opcode if opcode.stores_element() => changes = true,
            _ => {}
        }
        let Some(invoke) = instruction.invoke() else {
            continue;
        };
        let Some(named) = Named::of(method, invoke.constant, invoke.kind) else {
            return Unseen::Changes(Writable::All);
        };
        if writes(&named.class, &named.name).is_some() {
            return Unseen::Changes(Writable::All);
        }
        let is_seen = is_harmless(&named)
            || names
                .method(
                    &named.class.replace('.', "/"),
                    (&named.name, &named.descriptor),
                    false,
                )
                .is_some();
        changes |= !is_seen;
    }
    match changes || !fields.is_empty() {
        true => Unseen::Changes(Writable::Named(fields.into_iter().collect())),
        false => Unseen::Nothing,
    }
}

/// Changes a method of the JDK nothing that anybody is shown? It runs methods of the scope at most.
fn is_harmless(named: &Named) -> bool {
    const CLASSES: [&str; 9] = [
        "java.lang.Thread",
        "java.lang.Runtime",
        "java.net.ServerSocket",
        "java.net.Socket",
        "java.util.Random",
        "java.util.concurrent.CountDownLatch",
        "java.util.concurrent.Semaphore",
        "java.util.concurrent.ThreadLocalRandom",
        "java.util.concurrent.TimeUnit",
    ];
    CLASSES.contains(&named.class.as_str())
        || named.class.starts_with("java.time.")
        || named.class.starts_with("java.util.concurrent.locks.")
        || changes_nothing(named)
}
