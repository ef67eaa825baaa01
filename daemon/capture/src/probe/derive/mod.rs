//! Derives what threads did from what their logs say came in from outside: instruction by instruction, as the JVM ran
//! them, with the interpreter and the heap of [`crate::mirror`].
//!
//! What a log says must fit what was derived: each record names the place that wrote it, results that follow are compared,
//! and a checksum of all that was read from the heap is. Where something does not fit, what was derived is wrong
//! somewhere, and the thread is [`Lost`]: from there on nothing is told of it but that.
//!
//! `thread` is one thread, `run` drives its innermost frame, `world` is what instructions do, `calls` how calls begin and
//! end, `throw` how exceptions go, `values` what references mean, `identity` which object it is.

mod calls;
mod identity;
mod outlet;
mod routine;
mod run;
mod thread;
mod throw;
mod values;
mod world;

use std::rc::Rc;

use jdwp::ReferenceTypeId;
use jhyde_trace::{ClassId, MethodId, Sink, SinkError, ThreadId, ThreadInfo};
use rustc_hash::{FxHashMap, FxHashSet};

use self::identity::Identities;
use self::outlet::Outlet;
use self::thread::Thread;
use super::log::Nonsense;
use super::plan::{MethodPlan, Numbers};
use crate::jvm::Link;
use crate::mirror::Heap;
use crate::program::{Loader, Method, Program};

pub(crate) use self::routine::Routine;

/// Why nothing more can be derived of a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Lost(pub(crate) String);

impl From<Nonsense> for Lost {
    fn from(nonsense: Nonsense) -> Self {
        Self(format!(
            "its log has a word that nobody writes: {:#x}",
            nonsense.word
        ))
    }
}

/// Checksums do not agree.
const UNSEEN: &str =
    "the checksum of what it read is another: code out of the scope wrote what nobody saw";

/// What became of an attempt to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Went {
    /// Something was done.
    On,
    /// What comes next is not in the log yet.
    Nowhere,
}

/// See the module.
pub(crate) struct Deriver {
    heap: Heap,
    identities: Identities,
    routines: FxHashMap<MethodId, Rc<Routine>>,
    pub(crate) numbers: Numbers,
    /// Classes of the scope that are initialised, or being so.
    initialised: FxHashSet<ReferenceTypeId>,
    /// Static initialisers that threw an exception.
    failed: FxHashSet<MethodId>,
    outlet: Outlet,
    /// Is a class a subtype of what code of a loader means by a name?
    casts: FxHashMap<(ClassId, Loader, String), bool>,
    /// By the number of their log.
    threads: FxHashMap<u32, Thread>,
    next_thread: u32,
    /// Longest text kept, in UTF-16 units.
    limit: u32,
    /// Reads and edges are told, too.
    full: bool,
    /// Why no thread can be derived any more, whether its log has come or not.
    given_up: Option<Lost>,
    /// What a reader of the recording should know.
    pub(crate) notes: Vec<String>,
}

impl Deriver {
    pub(crate) fn new(limit: u32, full: bool) -> Self {
        let mut heap = Heap::new();
        heap.trust_names();
        Self {
            heap,
            identities: Identities::default(),
            routines: FxHashMap::default(),
            numbers: Numbers::default(),
            initialised: FxHashSet::default(),
            failed: FxHashSet::default(),
            outlet: Outlet::default(),
            casts: FxHashMap::default(),
            threads: FxHashMap::default(),
            next_thread: 1,
            limit,
            full,
            given_up: None,
            notes: Vec::new(),
        }
    }

    /// The code of a method that was instrumented, and what it tells.
    pub(crate) fn instrumented(
        &mut self,
        class: ReferenceTypeId,
        method: &Rc<Method>,
        plan: MethodPlan,
    ) {
        let routine = Rc::new(Routine::new(class, method, plan));
        self.routines.insert(method.id, routine);
    }

    /// From now on neither reads nor edges are told. False if they were not.
    pub(crate) fn tells_less(&mut self) -> bool {
        std::mem::take(&mut self.full)
    }

    /// Has nothing come of this log yet?
    pub(crate) fn is_new(&self, log: u32) -> bool {
        !self.threads.contains_key(&log)
    }

    /// Whose log it is.
    pub(crate) fn begin(
        &mut self,
        log: u32,
        info: impl FnOnce(ThreadId) -> ThreadInfo,
        sink: &mut impl Sink,
    ) -> Result<(), SinkError> {
        let id = ThreadId(self.next_thread);
        self.next_thread += 1;
        sink.thread(info(id))?;
        let mut thread = Thread::new(id);
        thread.begins(&mut self.outlet);
        if let Some(lost) = &self.given_up {
            self.notes.push(thread.lose(lost, &mut self.outlet));
        }
        self.threads.insert(log, thread);
        Ok(())
    }

    /// Words that a thread has written.
    pub(crate) fn extend(&mut self, log: u32, words: impl IntoIterator<Item = u64>) {
        if let Some(thread) = self.threads.get_mut(&log) {
            thread.log.extend(words);
        }
    }

    /// Nothing more can be derived of any thread, nor of those whose logs have not come yet.
    pub(crate) fn give_up(&mut self, reason: &str) {
        let lost = self
            .given_up
            .get_or_insert_with(|| Lost(reason.to_owned()))
            .clone();
        let mut all: Vec<_> = self.threads.iter_mut().collect();
        all.sort_unstable_by_key(|(log, _)| **log);
        for (_, thread) in all {
            if !thread.is_lost() {
                self.notes.push(thread.lose(&lost, &mut self.outlet));
            }
        }
    }

    /// The checksum of all that a thread has read: it must agree, if the thread has come to the end of its log.
    pub(crate) fn check(&mut self, log: u32, sum: u64) {
        if let Some(thread) = self
            .threads
            .get_mut(&log)
            .filter(|thread| !thread.agrees(sum))
        {
            let lost = Lost(UNSEEN.to_owned());
            self.notes.push(thread.lose(&lost, &mut self.outlet));
        }
    }

    /// Derives as far as the log goes.
    pub(crate) fn derive(
        &mut self,
        log: u32,
        program: &mut Program,
        link: &mut Link,
        sink: &mut impl Sink,
    ) -> Result<(), crate::error::CaptureError> {
        let Some(mut thread) = self.threads.remove(&log) else {
            return Ok(());
        };
        while !thread.is_lost() {
            let begun = self.outlet.now();
            let went = self.go_on(&mut thread, program, link);
            thread.confirm(begun);
            match went {
                Ok(Went::On) => {}
                Ok(Went::Nowhere) => break,
                Err(run::Stopped::Lost(lost)) => {
                    self.notes.push(thread.lose(&lost, &mut self.outlet));
                }
                Err(run::Stopped::Capture(error)) => {
                    self.threads.insert(log, thread);
                    return Err(error);
                }
            }
            if self.outlet.is_full() {
                self.tell(program, sink)?;
            }
        }
        self.threads.insert(log, thread);
        self.tell(program, sink)?;
        Ok(())
    }

    /// Gives all that is told to the sink.
    pub(crate) fn tell(
        &mut self,
        program: &mut Program,
        sink: &mut impl Sink,
    ) -> Result<(), SinkError> {
        for class in program.take_fresh() {
            sink.class(class)?;
        }
        self.outlet.drain(sink)
    }

    /// The JVM has ended: so have all threads, with what ran in them.
    pub(crate) fn end(&mut self) {
        let mut all: Vec<_> = self.threads.drain().collect();
        all.sort_unstable_by_key(|(log, _)| *log);
        for (_, mut thread) in all {
            thread.end(&mut self.outlet);
        }
    }
}
