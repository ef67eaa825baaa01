//! Derives what threads did from what their logs say came in from outside: instruction by instruction, as the JVM ran
//! them, with the interpreter and the heap of [`crate::mirror`].
//!
//! What a log says must fit what was derived: each record names the place that wrote it, results that follow are compared,
//! and a checksum of all that was read from the heap is. Where something does not fit, what was derived is wrong
//! somewhere, and the thread is [`Lost`]: from there on nothing is told of it but that.
//!
//! `thread` is one thread, `run` drives its innermost frame, `world` is what instructions do, `calls` what they call,
//! `begins` and `outside` how that goes within the scope and out of it, `initialise` when classes are initialised, `throw` how exceptions go, `casts` what is a subtype of what, `told` values that instructions tell, `foreign` fields that the scope does not declare, `constants` fields that no instruction writes, `reads` what is told of objects that are made and of reads where code out of the scope may use reflection, `contents` what objects of the JDK hold, `copies` what `clone` makes, `doubts` what may have been written unseen, `written` which calls write that, `given` what code beside the scope and the JDK has, `late` calls that ran before, `fixed` what never changes of an object, `values` what references mean, `identity` which object it is.

mod above;
mod absent;
mod begins;
mod births;
mod calls;
mod casts;
pub(super) mod computed;
pub(crate) mod constants;
mod contents;
mod copies;
mod doubts;
mod fixed;
mod foreign;
mod given;
mod hierarchy;
mod identity;
mod initialise;
mod late;
mod namesakes;
mod outlet;
mod outside;
mod reads;
mod routine;
mod run;
mod running;
mod select;
mod thread;
mod throw;
mod told;
mod values;
mod world;
mod writes;
mod written;

use std::rc::Rc;
use std::time::Instant;

use jdwp::ReferenceTypeId;
use jhyde_trace::{
    ClassId, Level, MethodId, ObjectId, Sink, SinkError, ThreadId, ThreadInfo, Timestamp, Value,
    Variable,
};
use rustc_hash::{FxHashMap, FxHashSet};

use self::constants::Constants;
use self::contents::Holdings;
use self::doubts::Doubts;
use self::identity::Identities;
use self::late::Late;
use self::outlet::Outlet;
use self::thread::Thread;
use super::log::Nonsense;
use super::names::Names;
use super::plan::{Also, MethodPlan, Numbers};
use crate::error::CaptureError;
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

/// So many rounds are gone on with between two looks at the clock.
const ROUNDS: u32 = 64;

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
    /// What class files say: for code that is instrumented, and of classes that the JVM does not show.
    pub(crate) names: Names,
    /// Classes of the scope that are initialised, or being so.
    initialised: FxHashSet<ReferenceTypeId>,
    /// The program ran before it was recorded.
    running: bool,
    /// Calls that ran then.
    late: Late,
    /// Static initialisers that threw an exception.
    failed: FxHashSet<MethodId>,
    /// Fields of classes out of the scope, as they were last seen.
    foreign: FxHashMap<Variable, Value>,
    /// Static fields that class files give their values, as far as they were not told.
    constants: Constants,
    /// Constants that methods have computed, by the numbers of their places.
    computed: FxHashMap<u32, Value>,
    /// Names that several classes have, whose objects were told.
    namesakes: FxHashSet<String>,
    /// Class objects, with what tells them apart: [`values::content_of_class`].
    class_objects: FxHashMap<ObjectId, u64>,
    /// What objects of the JDK hold.
    holdings: Holdings,
    /// What may have been written unseen.
    doubts: Doubts,
    /// Objects of which it was told what never changes.
    fixed: FxHashSet<ObjectId>,
    /// Objects that were met while constructors out of the scope made them: what never changes of them is not there yet.
    unfinished: FxHashSet<ObjectId>,
    outlet: Outlet,
    /// What is told besides, by now.
    also: Also,
    /// Is a class a subtype of what code of a loader means by a name?
    casts: FxHashMap<(ClassId, Loader, Rc<str>), bool>,
    /// Can arrays of a class hold objects of a class?
    stores: FxHashMap<(ClassId, ClassId), bool>,
    /// Classes whose initialisation no instruction makes run any more: it has, and has not thrown.
    ready: FxHashSet<ClassId>,
    targets: calls::Targets,
    hierarchy: Option<hierarchy::Hierarchy>,
    asked: above::Asked,
    /// Classes out of the scope that the JVM has initialised, as far as that was asked.
    initialised_outside: FxHashSet<String>,
    /// By the number of their log.
    threads: FxHashMap<u32, Thread>,
    next_thread: u32,
    /// How often the turn has gone to another thread, and the log of the one that has it; 0: nobody.
    turns: u64,
    holder: u32,
    /// Something has come that was not looked at.
    behind: bool,
    /// Nothing more comes.
    complete: bool,
    /// Longest text kept, in UTF-16 units.
    limit: u32,
    /// Since when what was told may be false, and why, if the sink does not know it yet.
    doubted: Option<(Timestamp, String)>,
    /// Why no thread can be derived any more, whether its log has come or not.
    given_up: Option<Lost>,
    /// What a reader of the recording should know.
    pub(crate) notes: Vec<String>,
}

impl Deriver {
    /// `names`: where class files are. `limit`: the longest text that is kept, in UTF-16 units. `level`: how much is told. `also`: what instrumented code tells
    /// besides, from its start on. `version`: that of Java in the JVM.
    pub(crate) fn new(
        mut names: Names,
        limit: u32,
        level: Level,
        also: Also,
        version: i32,
    ) -> Self {
        let mut heap = Heap::new();
        heap.trust_names();
        let doubts = Doubts::new(names.written_by_others());
        Self {
            heap,
            identities: Identities::default(),
            routines: FxHashMap::default(),
            numbers: Numbers::default(),
            names,
            initialised: FxHashSet::default(),
            running: false,
            late: Late::default(),
            failed: FxHashSet::default(),
            foreign: FxHashMap::default(),
            constants: Constants::default(),
            computed: FxHashMap::default(),
            namesakes: FxHashSet::default(),
            class_objects: FxHashMap::default(),
            outlet: Outlet::new(level),
            holdings: Holdings::new(also.contents, version),
            doubts,
            fixed: FxHashSet::default(),
            unfinished: FxHashSet::default(),
            also,
            casts: FxHashMap::default(),
            stores: FxHashMap::default(),
            ready: FxHashSet::default(),
            targets: calls::Targets::default(),
            hierarchy: None,
            asked: above::Asked::default(),
            initialised_outside: FxHashSet::default(),
            threads: FxHashMap::default(),
            next_thread: 1,
            turns: 0,
            holder: 0,
            behind: false,
            complete: false,
            limit,
            doubted: None,
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
        self.ready.clear();
        self.targets.clear();
    }

    /// Objects are told when they are made, from the beginning.
    pub(crate) fn expects_births(&mut self) {
        self.also.births = true;
    }

    /// A class was initialised before anything of it was told.
    pub(crate) fn was_initialised(&mut self, class: ReferenceTypeId) {
        self.initialised.insert(class);
    }

    /// From now on the next lower level is told; `None`: there is none.
    pub(crate) fn tells_less(&mut self) -> Option<Level> {
        let level = match self.outlet.level() {
            Level::Full => Level::State,
            Level::State => Level::Calls,
            Level::Calls => return None,
        };
        self.outlet.lower(level);
        Some(level)
    }

    /// Has nothing come of this log yet?
    pub(crate) fn is_new(&self, log: u32) -> bool {
        !self.threads.contains_key(&log)
    }

    /// Whose log it is.
    pub(crate) fn begin(
        &mut self,
        (log, of): (u32, jdwp::ThreadId),
        info: impl FnOnce(ThreadId) -> ThreadInfo,
        sink: &mut impl Sink,
    ) -> Result<(), SinkError> {
        let id = ThreadId(self.next_thread);
        self.next_thread += 1;
        sink.thread(info(id))?;
        let mut thread = Thread::new(id);
        if let Some(lost) = &self.given_up {
            thread.lose(lost, &mut self.outlet);
        }
        self.threads.insert(log, thread);
        self.log_is_of(log, of);
        Ok(())
    }

    /// A part of a log has come: see [`Thread::extend`].
    pub(crate) fn extend(
        &mut self,
        log: u32,
        from: u64,
        words: &[u64],
        points: u32,
        sum: Option<u64>,
    ) {
        let thread = self.threads.get_mut(&log);
        let Some(thread) = thread.filter(|thread| !thread.is_lost()) else {
            return;
        };
        self.behind = true;
        match thread.extend(from, words, points) {
            Ok(()) => thread.expects(sum),
            Err(lost) => self.lose(log, &lost),
        }
    }

    /// Nothing more comes, neither of logs nor of classes.
    pub(crate) fn completes(&mut self) {
        self.complete = true;
    }

    /// Is there something in the logs that was not derived yet?
    pub(crate) fn is_behind(&self) -> bool {
        self.behind
    }

    /// Words that are to be derived.
    pub(crate) fn waiting(&self) -> usize {
        self.threads
            .values()
            .filter(|thread| !thread.is_lost())
            .map(|thread| thread.log.waiting())
            .sum()
    }

    /// Nothing more can be derived of a thread, nor of others, which may read what it has written.
    fn lose(&mut self, log: u32, lost: &Lost) {
        let Some(thread) = self.threads.get_mut(&log) else {
            return;
        };
        let id = thread.id.0;
        let (from, to) = (thread.unconfirmed, self.outlet.now());
        thread.lose(lost, &mut self.outlet);
        self.doubts(
            from,
            to,
            format!("thread {id}: {}", lost.0),
            "what was told of it",
        );
        self.give_up(&format!(
            "thread {id} is lost, and what it writes others may read"
        ));
    }

    /// Nothing more can be derived of any thread, nor of those whose logs have not come yet.
    pub(crate) fn give_up(&mut self, reason: &str) {
        let lost = Lost(reason.to_owned());
        let mut all: Vec<_> = self.threads.iter_mut().collect();
        all.retain(|(_, thread)| !thread.is_lost());
        all.sort_unstable_by_key(|(log, _)| **log);
        let first = all.iter().map(|(_, thread)| thread.unconfirmed).min();
        let to = self.outlet.now();
        let count = all.len();
        for (_, thread) in all {
            thread.lose(&lost, &mut self.outlet);
        }
        if let Some(from) = first {
            let reason = format!("{reason}: {count} threads are told no further");
            self.doubts(from, to, reason, "what was told");
        }
        self.given_up.get_or_insert(lost);
    }

    /// What was told between two events may be false: of the calls that have ended by now nothing else says so.
    fn doubts(&mut self, from: u64, to: u64, reason: String, what: &str) {
        let (from, to) = (Timestamp(from), Timestamp(to));
        self.notes.push(format!(
            "{reason}; {what} from @{from} to @{to} may be false"
        ));
        match &mut self.doubted {
            Some((since, _)) if *since <= from => {}
            doubted => *doubted = Some((from, reason)),
        }
    }

    /// Derives as far as the logs go, or until then.
    pub(crate) fn derive(
        &mut self,
        until: Option<Instant>,
        program: &mut Program,
        link: &mut Link,
        sink: &mut impl Sink,
    ) -> Result<(), CaptureError> {
        loop {
            if !self.run(self.holder, until, program, link, sink)? {
                return Ok(());
            }
            if !self.next_turn() {
                break;
            }
        }
        self.behind = false;
        self.tell(program, sink)?;
        Ok(())
    }

    /// Derives what one thread did while it had the turn. False if the time was over before it had come as far as its log
    /// goes.
    fn run(
        &mut self,
        log: u32,
        until: Option<Instant>,
        program: &mut Program,
        link: &mut Link,
        sink: &mut impl Sink,
    ) -> Result<bool, CaptureError> {
        let Some(mut thread) = self.threads.remove(&log) else {
            return Ok(true);
        };
        self.is_derived(log);
        let mut done = Ok(true);
        let mut lost = None;
        let mut rounds = 0_u32;
        while !thread.is_lost() {
            let begun = self.outlet.now();
            let went = self.go_on(&mut thread, program, link);
            thread.confirm(begun);
            match went {
                Ok(Went::On) => self.leaves_to_late(&thread, program),
                Ok(Went::Nowhere) => break,
                Err(run::Stopped::Lost(why)) => {
                    lost = Some(why);
                    break;
                }
                Err(run::Stopped::Capture(error)) => {
                    done = Err(error);
                    break;
                }
            }
            if self.outlet.has_enough() {
                self.tell(program, sink)?;
            }
            rounds += 1;
            // Most rounds are short: a look at the clock takes as long.
            let looks = rounds.is_multiple_of(ROUNDS);
            if looks && until.is_some_and(|until| Instant::now() >= until) {
                done = Ok(false);
                break;
            }
        }
        if lost.is_none() && !thread.is_lost() {
            lost = thread.agrees().err();
        }
        self.threads.insert(log, thread);
        if let Some(lost) = lost {
            self.lose(log, &lost);
        }
        done
    }

    /// The turn goes to another thread, if its log says so and the one that had it has got as far as that says.
    fn next_turn(&mut self) -> bool {
        if self.given_up.is_some() {
            return false;
        }
        let mut taken = None;
        for (&log, thread) in &mut self.threads {
            if thread.is_disordered() {
                self.give_up("threads waited for each other in a way that the engine probe does not see, and were let go: their order is not known");
                return false;
            }
            match thread.turn() {
                Ok(Some(turn)) if turn.number == self.turns + 1 => taken = Some((log, turn)),
                Ok(_) => {}
                // It shows when the thread is to go on.
                Err(_) => {}
            }
        }
        let Some((log, turn)) = taken else {
            return false;
        };
        let (before, passed) = turn.before;
        let (points, come, behind) = match self.threads.get_mut(&before) {
            Some(thread) => {
                let is_it = before == self.holder && !thread.is_lost();
                let behind = is_it.then(|| thread.catches_up());
                (thread.points, thread.log.length(), behind)
            }
            None => (0, 0, None),
        };
        match behind {
            Some(Ok(true)) => return true,
            Some(Err(lost)) => {
                self.lose(before, &lost);
                return false;
            }
            Some(Ok(false)) | None => {}
        }
        let taker = self.threads.get_mut(&log);
        let fits = before == self.holder
            && taker
                .as_ref()
                .is_some_and(|taker| taker.points == turn.points)
            && points.wrapping_sub(passed) as i32 <= 0;
        match (fits, taker) {
            (true, Some(taker)) if points == passed && come >= turn.words => {
                let sum = taker.log.take().and_then(|(_, sum)| sum);
                let compared = sum.map_or(Ok(()), |sum| taker.compare(sum));
                (self.turns, self.holder) = (turn.number, log);
                if let Err(lost) = compared {
                    self.lose(log, &lost);
                }
                true
            }
            // Words of the one that had the turn are still to come.
            (true, _) => false,
            (false, _) => {
                self.lose(
                    log,
                    &Lost("the order in which threads ran does not fit what they did".to_owned()),
                );
                false
            }
        }
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
        self.outlet.drain(sink)?;
        if let Some((since, reason)) = self.doubted.take() {
            sink.doubt(since, reason)?;
        }
        Ok(())
    }

    /// The recording ends. `is_over`: so has the JVM, and with it all threads and what ran in them.
    pub(crate) fn end(&mut self, is_over: bool) {
        let known = self.threads.iter().filter(|(_, thread)| !thread.is_lost());
        let mut wrong: Vec<(u32, Lost)> = known
            .filter_map(|(&log, thread)| {
                let agrees = thread.agrees().and_then(|()| thread.came_as_far());
                Some((log, agrees.err()?))
            })
            .collect();
        wrong.sort_unstable_by_key(|(log, _)| *log);
        for (log, lost) in wrong {
            self.lose(log, &lost);
        }
        // Nothing more comes: what still waits for another thread waits in vain. What a thread was about to tell as it stood is not told.
        let waits = |thread: &mut Thread| {
            !thread.is_lost() && !thread.log.is_cut() && thread.log.waiting() > 0
        };
        let mut open: Vec<u32> = self
            .threads
            .iter_mut()
            .filter_map(|(&log, thread)| waits(thread).then_some(log))
            .collect();
        open.sort_unstable();
        for log in open {
            let why = "what it told waits for what another thread did, which has not come";
            self.lose(log, &Lost(why.to_owned()));
        }
        let mut all: Vec<_> = self.threads.drain().collect();
        all.sort_unstable_by_key(|(log, _)| *log);
        for (_, mut thread) in all {
            thread.end(is_over, &mut self.outlet);
        }
    }
}
