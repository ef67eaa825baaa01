//! One thread as it is derived: its log, its calls, and what it waits for in the log.

use jdwp::ReferenceTypeId;
use jhyde_trace::{CallId, Event, EventKind, MonitorAction, Outcome, ThreadId, Value};
use rustc_hash::FxHashSet;

use super::Lost;
use super::outlet::Outlet;
use super::running::{Awaits, Frame, Running, Why};
use crate::probe::log::{Ahead, Fall, Held, Log, Nonsense, Record, Sum, Told, Turn};

/// Elements of an array that is large.
const MUCH: i64 = 1 << 22;
/// What the JVM throws where a class is not there that code names, or its initialiser fails.
const ABSENCE: [&str; 2] = [
    "java.lang.NoClassDefFoundError",
    "java.lang.ExceptionInInitializerError",
];
/// So many rounds of 4,096 instructions are run beyond the end of a log. In tests fewer, so that they come to it.
const MOST_AHEAD: u32 = if cfg!(test) { 1 << 4 } else { 1 << 12 };
/// So many rounds are run where the JVM has run on: 1,070 million instructions, a second of a loop without calls, say.
const MOST_FURTHER: u32 = 1 << 18;

/// See the module.
pub(super) struct Thread {
    pub(super) id: ThreadId,
    pub(super) log: Log,
    pub(super) stack: Vec<Running>,
    pub(super) awaits: Option<Awaits>,
    /// A checksum of all that it read from the heap.
    pub(super) sum: u64,
    /// Places of strings that its log has told.
    pub(super) literals: FxHashSet<u32>,
    /// Classes whose initialiser it runs, or will when those above them have run (JVMS 5.5, step 7).
    pub(super) initialising: FxHashSet<ReferenceTypeId>,
    /// Its checksum has agreed since somebody looked.
    agreed: bool,
    /// The first event that no checksum has confirmed.
    pub(super) unconfirmed: u64,
    next_preorder: u64,
    lost: bool,
    /// Points that it has passed, and that it is known to have passed with what of its log has come.
    pub(super) points: u32,
    /// The exception that comes next was announced.
    announced: bool,
    /// It leaves so many calls of the scope without a record.
    left: u32,
    known: u32,
    /// Rounds of instructions since something told that it has come so far.
    ahead: u32,
    /// Those of them that the JVM is known to have gone beyond.
    gone: u32,
    /// Its checksum where its log was so long.
    expected: Option<(u64, u64)>,
    /// What objects held that its log has told, and nobody has taken in.
    pub(super) held: Vec<Held>,
}

impl Thread {
    pub(super) fn new(id: ThreadId) -> Self {
        Self {
            id,
            log: Log::default(),
            stack: Vec::new(),
            awaits: None,
            sum: 0,
            literals: FxHashSet::default(),
            initialising: FxHashSet::default(),
            agreed: false,
            unconfirmed: 0,
            next_preorder: 1,
            lost: false,
            points: 0,
            known: 0,
            ahead: 0,
            gone: 0,
            announced: false,
            left: 0,
            expected: None,
            held: Vec::new(),
        }
    }

    /// A part of its log has come, which begins behind so many words; at its end the thread has passed so many points.
    pub(super) fn extend(&mut self, from: u64, words: &[u64], points: u32) -> Result<(), Lost> {
        let Some(again) = self.log.length().checked_sub(from) else {
            return Err(Lost("a part of its log is missing".to_owned()));
        };
        let again = usize::try_from(again).unwrap_or(usize::MAX);
        self.log
            .extend(words.get(again..).unwrap_or_default().iter().copied());
        // Counted modulo 2^32. What was read while it stood still may be newer than what it was just telling.
        if points.wrapping_sub(self.known) <= u32::MAX / 2 {
            self.known = points;
        }
        Ok(())
    }

    /// Another thread has had the turn: what takes it back comes next in the log.
    pub(super) fn turn(&mut self) -> Result<Option<Turn>, Nonsense> {
        Ok(match self.log.peek()? {
            Some(Record::Turn(turn)) => Some(*turn),
            _ => None,
        })
    }

    /// From here on nobody knows in which order threads ran.
    pub(super) fn is_disordered(&mut self) -> bool {
        matches!(self.log.peek(), Ok(Some(Record::Disorder)))
    }

    /// Passes the point that comes next, which has no record of its own. False where another thread may have the turn
    /// first.
    pub(super) fn passes(&mut self) -> Result<bool, Lost> {
        let ends = self.points.wrapping_sub(self.known) as i32 >= 0;
        let passes = match self.log.peek()? {
            Some(Record::Turn(turn)) if turn.is_past(self.points) => {
                return Err(strayed());
            }
            Some(Record::Turn(turn)) => turn.points != self.points,
            Some(Record::Disorder) => false,
            Some(Record::Fell { points, how, .. })
                if *points == self.points || *how == Fall::Unknown =>
            {
                return Err(fell());
            }
            // Each record stands behind all points that were passed before it.
            Some(_) if ends => return Err(strayed()),
            Some(_) => true,
            None => !ends,
        };
        if passes {
            self.point();
        }
        Ok(passes)
    }

    /// Passes the point before the next instruction, once.
    pub(super) fn passes_before(&mut self) -> Result<bool, Lost> {
        if self.frame().is_some_and(|frame| frame.passed) {
            return Ok(true);
        }
        let passes = self.passes()?;
        if let Some(frame) = self.frame() {
            frame.passed = passes;
        }
        Ok(passes)
    }

    /// Is the array large that the next instruction makes, of one dimension or of several?
    pub(super) fn makes_much(&mut self, dimensions: usize) -> bool {
        let Some(frame) = self.frame() else {
            return false;
        };
        let lengths = (0..dimensions).map(|depth| match frame.activation.peek(depth) {
            Value::Int(length) => i64::from(length),
            _ => 0,
        });
        lengths.fold(1, i64::saturating_mul) > MUCH
    }

    /// May it go on for a round of instructions? Beyond the end of its log it may be ahead of the JVM, which it must not be
    /// for ever: a loop may have no end.
    pub(super) fn may_run(&mut self) -> Result<bool, Lost> {
        let is_ahead = self.ahead >= MOST_AHEAD && self.log.is_empty();
        match is_ahead && self.further() > 0 {
            true => self.goes_beyond().map(|()| true),
            false => Ok(!is_ahead),
        }
    }

    /// It has run a round of instructions.
    pub(super) fn has_run(&mut self) {
        self.ahead += 1;
    }

    /// Another thread has had the turn since: this one has come to where it gives it up. True if it was not derived as far as that, which it
    /// may be now.
    pub(super) fn catches_up(&mut self) -> Result<bool, Lost> {
        if self.ahead < MOST_AHEAD || !self.log.is_empty() {
            return Ok(false);
        }
        self.goes_beyond().map(|()| true)
    }

    /// The JVM is known to have gone beyond what was derived: so many rounds more, but not for ever, as it may be wrong.
    fn goes_beyond(&mut self) -> Result<(), Lost> {
        self.gone += std::mem::take(&mut self.ahead);
        match self.gone < MOST_FURTHER {
            true => Ok(()),
            false => Err(Lost(
                "a loop without calls ran for longer than is derived".to_owned(),
            )),
        }
    }

    pub(super) fn point(&mut self) {
        (self.ahead, self.gone) = (0, 0);
        self.points = self.points.wrapping_add(1);
    }

    /// See [`Log::born_ahead`].
    pub(super) fn born_ahead(&mut self, constructs: impl Fn(u32) -> bool) -> Ahead {
        self.log.born_ahead(constructs)
    }

    /// The record that comes next, if it is there, and if this thread has the turn.
    pub(super) fn peek(&mut self) -> Result<Option<&Record>, Nonsense> {
        Ok(match self.log.peek()? {
            Some(Record::Turn(_) | Record::Disorder) => None,
            other => other,
        })
    }

    /// May the next instruction throw: does an exception come before any other record? `None`: the log does not say yet.
    pub(super) fn may_throw(&mut self) -> Result<Option<bool>, Nonsense> {
        let (here, further) = (self.points, self.further());
        Ok(match self.log.peek()? {
            // It may stand between the point of an exception and what it is to tell behind it.
            None => (further > 1).then_some(false),
            Some(Record::Disorder) => None,
            // What comes behind the turn comes at this point.
            Some(Record::Turn(turn)) if turn.points == here => None,
            Some(Record::Turn(_)) => Some(false),
            Some(other) => Some(other.is_thrown()),
        })
    }

    /// Is the exception that comes next what the JVM throws for a class that is not there (JVMS 5.3) or cannot be initialised (5.5)? `None`: its
    /// class is not told here.
    pub(super) fn throws_absence(&mut self) -> Result<Option<bool>, Nonsense> {
        Ok(match self.log.peek()? {
            Some(Record::Caught { exception, .. } | Record::Escaped { exception, .. }) => {
                match exception.as_ref().map(|exception| &exception.told) {
                    Some(Told::Instance(class, _)) => Some(ABSENCE.contains(&&**class)),
                    _ => None,
                }
            }
            // Such an error is none of the JVM's stack and memory, and no call out of the scope is left by it.
            _ => Some(false),
        })
    }

    /// Has its log nothing more?
    pub(super) fn is_at_end(&mut self) -> Result<bool, Nonsense> {
        Ok(self.log.peek()?.is_none())
    }

    /// Is it certain that the thread is past the next instruction, as far as that passes no point?
    pub(super) fn is_past(&mut self) -> Result<bool, Nonsense> {
        Ok(self.log.peek()?.is_some() || self.further() > 0)
    }

    /// So many points more it is known to have passed than were derived.
    fn further(&self) -> i32 {
        self.known.wrapping_sub(self.points) as i32
    }

    /// Takes the record that was peeked at: the thread has come to the place that wrote it.
    pub(super) fn take(&mut self) -> Result<Record, Lost> {
        let points = match self.log.peek()? {
            Some(Record::Enter { .. }) => true,
            Some(Record::Caught { .. } | Record::Escaped { .. }) => {
                !std::mem::take(&mut self.announced)
            }
            // Told behind the point of the exception that comes next.
            Some(Record::Fell { .. } | Record::Left { .. }) => {
                !std::mem::replace(&mut self.announced, true)
            }
            _ => false,
        };
        self.take_behind(points)
    }

    /// Takes a record; `points`: there is a point before it.
    pub(super) fn take_behind(&mut self, points: bool) -> Result<Record, Lost> {
        (self.ahead, self.gone) = (0, 0);
        self.held.append(&mut self.log.take_held());
        let Some((record, sum)) = self.log.take() else {
            return Err(Lost("its log ends in a record".to_owned()));
        };
        if points {
            self.point();
        }
        if let Some(sum) = sum {
            self.compare(sum)?;
        }
        Ok(record)
    }

    /// Did it do what was derived, as far as the checksum tells?
    pub(super) fn compare(&mut self, sum: Sum) -> Result<(), Lost> {
        if sum.points != self.points & 0xff_ffff {
            return Err(strayed());
        }
        if sum.read != self.folded() {
            return Err(Lost(super::UNSEEN.to_owned()));
        }
        self.agreed = true;
        Ok(())
    }

    /// Takes what says that the exception that comes next is an error of the JVM, which a call out of the scope was left by.
    pub(super) fn take_fall_outside(&mut self) -> Result<(), Lost> {
        let Some(Record::Fell { points, how, left }) = self.log.peek()? else {
            return Ok(());
        };
        let (points, how, left) = (*points, *how, *left);
        if points != self.points || !matches!(how, Fall::Refused | Fall::Outside) {
            return Err(fell());
        }
        self.take()?;
        self.left = left;
        Ok(())
    }

    /// The error of the JVM that befell an instruction behind the point that was passed last, if one did, and how many calls it has left
    /// without a word.
    fn fall(&mut self) -> Result<Option<(Fall, u32)>, Nonsense> {
        let here = self.points;
        Ok(match self.log.peek()? {
            Some(Record::Fell { points, how, left })
                if *points == here || *how == Fall::Unknown =>
            {
                Some((*how, *left))
            }
            _ => None,
        })
    }

    /// Did an error of the JVM befall one of the instructions behind the point that was passed last, and nobody knows which?
    pub(super) fn has_fallen(&mut self) -> Result<(), Lost> {
        // What code out of the scope has called may have returned to it by then: that tells nothing.
        let around = self.stack.len().checked_sub(2);
        let around = around.and_then(|at| self.stack.get(at));
        let returns = matches!(around, Some(Running::Outside(_)));
        match self.fall()? {
            None | Some((Fall::Calling, _)) => Ok(()),
            Some((Fall::Refused | Fall::Outside, _)) if returns => Ok(()),
            Some(_) => Err(fell()),
        }
    }

    /// The next instruction calls the scope: had that call no stack, and did not begin? `shown`: what it is given was told before, and
    /// nothing but the call comes behind that.
    pub(super) fn falls_at_call(&mut self, shown: bool) -> Result<bool, Lost> {
        let left = match self.fall()? {
            Some((Fall::Calling, left)) if !shown => left,
            Some((Fall::Refused | Fall::Outside, left)) if shown => left,
            Some((Fall::Anywhere | Fall::Unknown, _)) => return Err(fell()),
            _ => return Ok(false),
        };
        self.take()?;
        self.left = left;
        Ok(true)
    }

    /// The exception that comes next leaves a call of the scope, or is caught in it, as a record says or not. Does that fit?
    pub(super) fn arrives(&mut self, told: bool) -> Result<(), Lost> {
        match (told, self.left) {
            (true, 1..) => Err(fell()),
            (true, 0) => Ok(()),
            (false, left) => {
                self.left = left.saturating_sub(1);
                Ok(())
            }
        }
    }

    /// The checksum as logs tell it.
    fn folded(&self) -> u32 {
        (self.sum ^ self.sum >> 32) as u32
    }

    /// What its checksum was where its log ends now, if that was asked for.
    pub(super) fn expects(&mut self, sum: Option<u64>) {
        if let Some(sum) = sum {
            self.expected = Some((self.log.length(), sum));
        }
    }

    /// Where it has come to the end of its log: what its checksum was there.
    fn expected(&self) -> Option<u64> {
        let at_end = |length| self.log.is_empty() && length == self.log.length();
        self.expected
            .and_then(|(length, sum)| at_end(length).then_some(sum))
    }

    /// Does its checksum agree, if that can be said: it has come to the end of its log, and no call runs?
    pub(super) fn agrees(&self) -> Result<(), Lost> {
        let sum = self.expected().filter(|_| self.stack.is_empty());
        match sum.is_none_or(|sum| sum == self.sum) {
            true => Ok(()),
            false => Err(Lost(super::UNSEEN.to_owned())),
        }
    }

    /// Nothing more comes: has it come as far as what was derived? It may have stood between a point and what it was to tell
    /// behind it.
    pub(super) fn came_as_far(&self) -> Result<(), Lost> {
        let standing = u32::from(!self.stack.is_empty());
        let ahead = self.known.wrapping_sub(self.points);
        match self.expected().is_some() && ahead > standing {
            true => Err(strayed()),
            false => Ok(()),
        }
    }

    /// Has no call begun since this one?
    pub(super) fn is_last_call(&self, call: CallId) -> bool {
        self.next_preorder == call.preorder + 1
    }

    pub(super) fn next_call(&mut self) -> CallId {
        self.next_preorder += 1;
        CallId::new(self.id, self.next_preorder - 1)
    }

    /// The innermost call of the scope, if it is the innermost call.
    pub(super) fn frame(&mut self) -> Option<&mut Frame> {
        match self.stack.last_mut() {
            Some(Running::Scope(frame)) => Some(frame),
            _ => None,
        }
    }

    /// The innermost running call, or the root.
    pub(super) fn current(&self) -> CallId {
        match self.stack.last() {
            Some(Running::Scope(frame)) => frame.call,
            Some(Running::Outside(outside)) => outside.call,
            None => CallId::root(self.id),
        }
    }

    /// Ends the innermost call. An initialiser out of the scope is none.
    pub(super) fn end_call(&mut self, outcome: Outcome, index: u32, outlet: &mut Outlet) {
        let Some(running) = self.stack.pop() else {
            return;
        };
        let (call, monitor) = match &running {
            Running::Outside(outside) if outside.why == Why::Initialises => return,
            Running::Scope(frame) => (
                frame.call,
                frame.monitor.map(|object| (MonitorAction::Exit, object)),
            ),
            Running::Outside(outside) => (
                outside.call,
                outside
                    .waits
                    .map(|object| (MonitorAction::Notified, object)),
            ),
        };
        if let Some((action, object)) = monitor {
            outlet.event(call, index, EventKind::Monitor { action, object });
        }
        outlet.event(call, index, EventKind::Exit { outcome });
    }

    pub(super) fn is_lost(&self) -> bool {
        self.lost
    }

    /// What was told before this event is right, if its checksum has agreed since.
    pub(super) fn confirm(&mut self, event: u64) {
        if std::mem::take(&mut self.agreed) {
            self.unconfirmed = event;
        }
    }

    /// Nothing more is told of it: what runs ends nobody knows how, and what was told of it may be false.
    pub(super) fn lose(&mut self, lost: &Lost, outlet: &mut Outlet) {
        self.lost = true;
        let gap = || EventKind::Gap {
            reason: format!(
                "what this thread did could not be derived any more: {}",
                lost.0
            ),
            back: true,
        };
        outlet.event(self.current(), Event::NO_INDEX, gap());
        while !self.stack.is_empty() {
            self.end_call(Outcome::Unknown, Event::NO_INDEX, outlet);
            if !self.stack.is_empty() {
                outlet.event(self.current(), Event::NO_INDEX, gap());
            }
        }
    }

    /// The recording ends; `is_over`: with the JVM, which ends what runs. A thread in the middle of a call has not come to its end.
    pub(super) fn end(&mut self, is_over: bool, outlet: &mut Outlet) {
        outlet.begins(self.id);
        if let Some(Running::Scope(frame)) = self.stack.last() {
            let reason = "the recording ended while this ran: what is told of it last may not have happened any more";
            let kind = EventKind::Gap {
                reason: reason.to_owned(),
                back: false,
            };
            outlet.event(frame.call, Event::NO_INDEX, kind);
        }
        if !is_over {
            return;
        }
        let has_ended = self.stack.is_empty();
        while !self.stack.is_empty() {
            self.end_call(Outcome::Unknown, Event::NO_INDEX, outlet);
        }
        if has_ended {
            outlet.event(CallId::root(self.id), Event::NO_INDEX, EventKind::ThreadEnd);
        }
    }
}

fn fell() -> Lost {
    let why = "the JVM ran out of stack or memory here, and behind which instruction is not told";
    Lost(why.to_owned())
}

fn strayed() -> Lost {
    let why =
        "it passed other places than were derived: its code may be another than on the class path";
    Lost(why.to_owned())
}
