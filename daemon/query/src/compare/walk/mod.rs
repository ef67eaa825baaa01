//! The walk through both histories, side by side.

mod alone;
mod ends;
mod found;
mod judge;
mod pass;
mod plan;
mod tell;

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use jhyde_history::History;
use jhyde_store::Error as StoreError;
use jhyde_store::records::TimedEvent;
use jhyde_trace::{CallId, EventKind, MethodId, Outcome, Timestamp};
use rustc_hash::FxHashMap;

use super::code::CodeMap;
use super::keys::{Deed, Names};
use super::rules::{Rule, Rules};
use super::side::{Place, Side};
use super::values::Values;
use super::{Learnt, Pair, Reading, Sink, Summary, Which, threads};
use crate::error::{Error, Result};
use found::Gathered;
use plan::Planned;

/// So many differences of one call are told; of the others how many there are.
const MOST_TOLD: u64 = 8;
/// So many reasons why something is unknown are told.
const MOST_REASONS: usize = 8;
/// So many pairs of threads are told whether or not something of them is; of the others those alone of which something is.
const MOST_PAIRS: u64 = 1000;
/// No more rules are learnt.
const MOST_LEARNT: usize = 10_000;

/// Two calls that are each other's.
struct Frame {
    calls: [CallId; 2],
    entered: [Timestamp; 2],
    methods: [Option<MethodId>; 2],
    map: Option<Arc<CodeMap>>,
    /// How its next events are aligned; empty while they run alike.
    script: VecDeque<Planned>,
    /// Behind these nothing of the other side was found, however far it was looked for.
    barren: [Timestamp; 2],
    /// It has a row.
    told: bool,
    /// What of them was not recorded, once that was looked for.
    holes: Option<Arc<[Hole]>>,
    differences: u64,
    /// Calls in it that were equal, behind its last row.
    equal: u64,
    /// Calls in it of which that is not known, likewise.
    unknown: u64,
    /// Something in it could not be compared, was ignored, or has no recorded end.
    unsure: bool,
}

/// Something of a call was not recorded.
struct Hole {
    side: usize,
    /// Where that was noticed.
    at: Timestamp,
    /// What was told before may be false.
    back: bool,
    why: String,
}

/// What is known of two methods.
type Maps = FxHashMap<[MethodId; 2], Option<Arc<CodeMap>>>;

/// See the module.
pub(super) struct Walk {
    sides: [Side; 2],
    names: Names,
    values: Values,
    maps: Maps,
    /// Sites of passages: is the left one the right one?
    sites: FxHashMap<(u32, u32), bool>,
    /// Passages that are equal are not read.
    passes: bool,
    /// They are made for it.
    makes: bool,
    frames: Vec<Frame>,
    /// The threads that are compared, as long as they are not told.
    pair: Option<Pair>,
    /// Pairs of threads that were told, and that were not.
    pairs: [u64; 2],
    first: [bool; 2],
    rows: u64,
    most_rows: u64,
    summary: Summary,
    learnt: Option<BTreeSet<Rule>>,
    /// Is anything of a recording missing or doubtful?
    doubtful: [bool; 2],
    /// Was its level lowered, or is some of it in doubt?
    lowered: [bool; 2],
    /// Contents that were found since the last events that are each other's, left and right.
    contents: [Gathered; 2],
    /// Nothing is told or counted: what was made is looked for.
    silent: bool,
}

/// What goes on after a step.
enum Next {
    On,
    /// Nothing of these threads is left, or can be compared.
    Done,
}

impl Walk {
    pub(super) fn new(
        histories: [History; 2],
        rules: Rules,
        most_rows: u64,
        learnt: Option<BTreeSet<Rule>>,
        reading: Reading,
    ) -> Self {
        let mut number = 0;
        let sides = histories.map(|history| {
            number += 1;
            Side::new(number - 1, history)
        });
        let lowered = [&sides[0], &sides[1]].map(|side| {
            let levels = side.recording.levels_or_lowest();
            levels.lowered().next().is_some()
        });
        let doubtful =
            [0, 1].map(|side| lowered[side] || !sides[side].recording.gap_counts().is_empty());
        Self {
            sides,
            names: Names::default(),
            values: Values::default(),
            maps: Maps::default(),
            sites: FxHashMap::default(),
            // In a passage nobody says what was in doubt.
            passes: reading != Reading::Events && lowered == [false; 2],
            makes: reading == Reading::Made,
            frames: Vec::new(),
            pair: None,
            pairs: [0; 2],
            first: [false; 2],
            rows: 0,
            most_rows,
            summary: Summary {
                rules,
                ..Summary::default()
            },
            learnt,
            doubtful,
            lowered,
            contents: Default::default(),
            silent: false,
        }
    }

    /// The rules that were learnt, and what learning them could not tell.
    pub(super) fn learnt(mut self) -> Learnt {
        let rules = self.learnt.unwrap_or_default();
        if rules.len() >= MOST_LEARNT {
            self.summary
                .notes
                .push(format!("more than {MOST_LEARNT} rules are not learnt"));
        }
        Learnt {
            rules,
            notes: self.summary.notes,
        }
    }

    pub(super) fn all(&mut self, sink: &mut Sink<'_>) -> Result<Summary> {
        let (pairs, alone) = threads::pairs([&self.sides[0].recording, &self.sides[1].recording])?;
        self.summary.unpaired = alone;
        for side in &mut self.sides {
            // Else all of it would be read for each of several pairs, and once more.
            let makes = self.makes || pairs.len() > 1 && !side.recording.has_passages();
            if makes && self.passes {
                side.make_passages()?;
            }
        }
        if pairs.len() > 1 {
            // What one thread made others may meet, whose turn comes earlier.
            self.silent = true;
            self.each(&pairs, &mut |_| Ok(()))?;
            self.silent = false;
            for side in &mut self.sides {
                (side.read, side.passed) = (0, 0);
            }
        }
        self.each(&pairs, sink)?;
        for side in &self.sides {
            let levels = side.recording.levels_or_lowest();
            let rest = levels.lowered().count().saturating_sub(MOST_REASONS);
            let rest =
                (rest > 0).then(|| format!("{rest} more stretches were recorded at a lower level"));
            let lowered = levels
                .lowered()
                .take(MOST_REASONS)
                .map(|of| side.history.in_words(of))
                .chain(rest);
            let name = &side.name;
            let begin = (!side.recording.meta().is_launched()).then(|| {
                "the JVM was not started by jhyde: what it did before the recording began is not compared".to_owned()
            });
            let told = begin
                .into_iter()
                .chain(lowered)
                .chain(side.history.end_note())
                .map(|note| format!("{name}: {note}"));
            self.summary.notes.extend(told);
        }
        if self.pairs[1] > 0 {
            let note = format!(
                "{} more pairs of threads were compared, of which nothing is told",
                self.pairs[1]
            );
            self.summary.notes.push(note);
        }
        self.summary.events = [0, 1].map(|side| self.sides[side].read);
        self.summary.passed = [0, 1].map(|side| self.sides[side].passed);
        Ok(self.summary.clone())
    }

    fn each(&mut self, pairs: &[Pair], sink: &mut Sink<'_>) -> Result<()> {
        for pair in pairs {
            match self.threads(pair, sink) {
                Err(Error::History(jhyde_history::Error::Store(StoreError::Damaged {
                    from,
                    to,
                    recording,
                    cut_off,
                    ..
                }))) => {
                    let missing = if cut_off {
                        "were cut off"
                    } else {
                        "are damaged"
                    };
                    self.unknown(|_| {
                        format!(
                            "the events {from} to {to} of {recording} {missing}: thread {} is not compared from there on",
                            pair.name
                        )
                    });
                    self.close(sink)?;
                }
                compared => compared?,
            }
            self.pairs[1] += u64::from(self.pair.take().is_some());
        }
        Ok(())
    }

    fn threads(&mut self, pair: &Pair, sink: &mut Sink<'_>) -> Result<()> {
        (self.first, self.rows) = ([false; 2], 0);
        self.frames.clear();
        self.contents = Default::default();
        self.values.begin_threads();
        self.frames.push(Frame::new(
            pair.threads.map(CallId::root),
            [Timestamp(0); 2],
            [None; 2],
            None,
        ));
        self.pair = Some(pair.clone()).filter(|_| !self.silent);
        if self.pairs[0] < MOST_PAIRS {
            self.tell_threads(sink)?;
        }
        for (side, thread) in self.sides.iter_mut().zip(pair.threads) {
            side.begin(thread)?;
        }
        (0..2).for_each(|side| self.heard(side));
        while let Next::On = self.step(sink)? {
            if self.rows > self.most_rows && self.first == [true; 2] {
                self.summary.more = true;
                break;
            }
        }
        self.close(sink)
    }

    /// Ends all calls that have not ended.
    fn close(&mut self, sink: &mut Sink<'_>) -> Result<()> {
        while self.frames.len() > 1 {
            if let Some(frame) = self.frames.last_mut() {
                frame.unsure = true;
            }
            self.pop(sink)?;
        }
        if self.frames.first().is_some_and(|root| root.told) {
            self.equal_row(sink)?;
        }
        self.frames.clear();
        Ok(())
    }

    /// Compares the next events of the innermost calls.
    fn step(&mut self, sink: &mut Sink<'_>) -> Result<Next> {
        let next = [self.sides[0].next().cloned(), self.sides[1].next().cloned()];
        let Some(frame) = self.frames.last() else {
            return Ok(Next::Done);
        };
        let [left, right] = match next {
            [Some(left), Some(right)] => [left, right],
            [None, None] => {
                self.found(sink)?;
                return Ok(Next::Done);
            }
            [left, right] => return self.one_ended([left, right], sink),
        };
        for (side, event) in [&left, &right].into_iter().enumerate() {
            // A gap took the end of a call, or its beginning.
            let call = frame.calls[side];
            if event.event.call != call && !matches!(event.event.kind, EventKind::Enter { .. }) {
                self.unknown(|walk| {
                    format!(
                        "{}: event {} belongs to call {}, while call {call} ran: what lies around it is not recorded, and the thread is \
                         not compared from there on",
                        walk.sides[side].name, event.timestamp, event.event.call
                    )
                });
                return Ok(Next::Done);
            }
        }
        let mut keys = [None; 2];
        for (side, event) in [&left, &right].into_iter().enumerate() {
            let place = Place {
                method: frame.methods[side],
                map: frame.map.as_deref(),
            };
            keys[side] = self.sides[side].key(&event.event, &place, &mut self.names)?;
        }
        let [Some(of_left), Some(of_right)] = keys else {
            return Ok(Next::Done);
        };
        let found = [of_left, of_right].map(|key| key.deed == Deed::Content);
        if found != [false; 2] {
            let contents = [(found[0], left), (found[1], right)];
            self.find(contents, sink)?;
            return Ok(Next::On);
        }
        self.found(sink)?;
        if self.pass([left.timestamp, right.timestamp], sink)? {
            return Ok(Next::On);
        }
        let ends = [of_left, of_right].map(|key| key.deed == Deed::Exit);
        let planned = self
            .frames
            .last_mut()
            .and_then(|frame| frame.script.pop_front());
        match (ends, planned) {
            // It did not end there: nobody saw what it did then.
            ([true, false], _) if is_unseen(&left) => return self.pass_rest(1, &right),
            ([false, true], _) if is_unseen(&right) => return self.pass_rest(0, &left),
            // What is left of the other call has no counterpart, whatever was planned.
            ([true, false], _) => {
                return self.only(Which::Right, [&left, &right], [of_left, of_right], sink);
            }
            ([false, true], _) => {
                return self.only(Which::Left, [&left, &right], [of_left, of_right], sink);
            }
            (_, Some(planned)) if planned.is_of(0, left.timestamp) => {
                self.keep(planned, left.timestamp);
                return self.only(Which::Left, [&left, &right], [of_left, of_right], sink);
            }
            (_, Some(planned)) if planned.is_of(1, right.timestamp) => {
                self.keep(planned, right.timestamp);
                return self.only(Which::Right, [&left, &right], [of_left, of_right], sink);
            }
            _ if of_left == of_right => {
                self.matched([&left, &right], sink)?;
                self.go_on([0, 1])?;
            }
            _ => {
                self.realign()?;
                let times = [left.timestamp, right.timestamp];
                if !self.is_planned(times) {
                    self.unknown(|_| {
                        format!(
                            "calls {} and {} have no order in which they can be aligned: the thread is not compared from there on",
                            left.event.call, right.event.call
                        )
                    });
                    return Ok(Next::Done);
                }
            }
        }
        Ok(Next::On)
    }

    /// Goes behind the next events of these sides. What was passed and is not recorded makes the call that runs then unknown.
    fn go_on(&mut self, sides: impl IntoIterator<Item = usize>) -> Result<()> {
        for side in sides {
            self.sides[side].step()?;
            self.heard(side);
        }
        Ok(())
    }

    /// Tells what a side said to be not recorded, and keeps in mind what it changed alone.
    fn heard(&mut self, side: usize) {
        let alone = self.sides[side].changed_alone();
        for (object, times) in alone.objects {
            self.values.marks.alone(side, object, times);
        }
        if let Some(from) = alone.unread {
            self.values.marks.unread(side, from);
        }
        for why in self.sides[side].missing() {
            self.unknown(|walk| format!("{}: {why}", walk.sides[side].name));
        }
    }
}

/// Is it the end of a call of which nobody saw how it ended: by the end of the JVM, say?
fn is_unseen(event: &TimedEvent) -> bool {
    matches!(
        event.event.kind,
        EventKind::Exit {
            outcome: Outcome::Unknown
        }
    )
}

impl Frame {
    fn new(
        calls: [CallId; 2],
        entered: [Timestamp; 2],
        methods: [Option<MethodId>; 2],
        map: Option<Arc<CodeMap>>,
    ) -> Self {
        Self {
            calls,
            entered,
            methods,
            map,
            script: VecDeque::new(),
            barren: [Timestamp(0); 2],
            told: false,
            holes: None,
            differences: 0,
            equal: 0,
            unknown: 0,
            unsure: false,
        }
    }
}
