//! From a call's own events in order to a bracketed sequence of loops, iterations and events.
//!
//! Control is followed by the places of the events: each event's instruction lies in a block, and a block
//! in a nest of natural loops. A round of a loop begins where its header is reached; that control came
//! back to a header is told by an edge event to it, or, where the compiler lets code fall back into
//! the header, by the place of the next event. A round becomes an *iteration* as soon as something
//! happens in it beyond the blocks that only test ([`MethodCode::is_test`]): so `while (c) b` that runs
//! its body twice is `loop (2)`, not 3, and a loop whose body never ran is no row at all. The test that
//! ends a loop stands in the loop, behind its last iteration.

use std::collections::VecDeque;
use std::sync::Arc;

use jhyde_bytecode::{BlockId, LoopId};
use jhyde_store::records::OwnEvent;
use jhyde_trace::{CallId, Event, EventKind, Timestamp};

use super::code::MethodCode;

/// What a scan yields, brackets well nested: `Open (Iteration Event*)+ (Tail Event*)? Close`.
#[derive(Debug)]
pub(crate) enum Item {
    /// A loop begins.
    Open { id: LoopId, at: Timestamp },
    /// An iteration of the innermost open loop begins; the one before it ended at `before`.
    Iteration {
        number: u64,
        at: Timestamp,
        before: Timestamp,
    },
    /// What follows is the test that ended the innermost open loop; its last iteration ended at `before`.
    Tail { before: Timestamp },
    /// The innermost open loop is over.
    Close(Closed),
    /// An event in all that is open.
    Event(OwnEvent),
}

/// How a loop ended, and all that is needed to go on behind it without having read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Closed {
    pub(crate) id: LoopId,
    pub(crate) iterations: u64,
    /// Its last event, or the end of the last call in it.
    pub(crate) last: Timestamp,
    /// The loop around it that its last event began another round of.
    pub(crate) back_to: Option<LoopId>,
    /// Where control was.
    pub(crate) place: Option<(BlockId, u32)>,
    /// Events ended with the call still in the loop.
    pub(crate) running: bool,
}

/// A loop in which control is.
#[derive(Clone, Debug)]
struct Active {
    id: LoopId,
    /// Has its `Open` been yielded?
    opened: bool,
    iterations: u64,
    /// Where the round began.
    at: Timestamp,
    /// What was last before it.
    before: Timestamp,
    /// Is the round an iteration already?
    counted: bool,
    /// The header has been reached again: the next event in the loop begins a round.
    again: bool,
}

/// Follows control through the loops of one call.
#[derive(Debug)]
pub(crate) struct Scanner {
    call: CallId,
    /// `None`: nothing is known of loops, all events are plain.
    code: Option<Arc<MethodCode>>,
    /// Outermost first. All but the last have a counted round.
    active: Vec<Active>,
    /// Events of the innermost loop's round while it is not counted.
    held: Vec<OwnEvent>,
    out: VecDeque<Item>,
    place: Option<(BlockId, u32)>,
    /// The last event seen, the ends of nested calls included.
    last: Timestamp,
}

/// Where an event stands.
enum Place {
    /// In no loop: the call's own beginning and end.
    Outside,
    /// Where control was before.
    Same,
    At(BlockId, u32),
}

impl Scanner {
    pub(crate) fn new(call: CallId, code: Option<Arc<MethodCode>>) -> Self {
        Self {
            call,
            code,
            active: Vec::new(),
            held: Vec::new(),
            out: VecDeque::new(),
            place: None,
            last: Timestamp(0),
        }
    }

    /// A scanner in the middle of loops, outermost first, all in a counted round.
    pub(crate) fn inside(call: CallId, code: Arc<MethodCode>, loops: &[LoopId]) -> Self {
        let mut scanner = Self::new(call, Some(code));
        scanner.active = loops
            .iter()
            .map(|id| Active {
                id: *id,
                opened: true,
                iterations: 0,
                at: Timestamp(0),
                before: Timestamp(0),
                counted: true,
                again: false,
            })
            .collect();
        scanner
    }

    /// From here on the events are those from the beginning of an iteration of a loop that is open.
    pub(crate) fn jump_to_iteration(&mut self, id: LoopId, number: u64) {
        self.out.clear();
        self.held.clear();
        self.place = None;
        while self.active.last().is_some_and(|top| top.id != id) {
            self.active.pop();
        }
        if let Some(top) = self.active.last_mut() {
            top.opened = true;
            top.counted = true;
            top.iterations = number.saturating_sub(1);
            top.again = true;
        }
    }

    /// Is control in the loop, as far as events were followed?
    pub(crate) fn is_in(&self, id: LoopId) -> bool {
        self.active.iter().any(|active| active.id == id)
    }

    /// Goes on behind a loop that control is in: the next event is the one behind it.
    pub(crate) fn skip(&mut self, how: &Closed) {
        self.out.clear();
        self.held.clear();
        while let Some(top) = self.active.pop() {
            if top.id == how.id {
                break;
            }
        }
        self.place = how.place;
        self.last = how.last;
        if let Some(outer) = how.back_to {
            self.arrive_again(outer);
        }
    }

    /// The next item, if enough was seen to tell.
    pub(crate) fn pop(&mut self) -> Option<Item> {
        self.out.pop_front()
    }

    /// The last event seen.
    pub(crate) fn last(&self) -> Timestamp {
        self.last
    }

    /// Follows an event.
    pub(crate) fn push(&mut self, own: OwnEvent) {
        let at = own.timestamp;
        if is_hidden(&own, self.call) {
            self.last = at;
            return;
        }
        let Some(code) = self.code.clone() else {
            self.last = at;
            self.out.push_back(Item::Event(own));
            return;
        };
        match self.place_of(&own, &code) {
            Place::Outside => {
                while !self.active.is_empty() {
                    self.close_innermost(None, false);
                }
                self.place = None;
            }
            Place::Same => {}
            Place::At(block, index) => {
                // An exception goes ways that the graph does not know.
                let thrown = matches!(own.event.kind, EventKind::Caught { .. });
                self.move_to(&code, (block, index), at, thrown);
                self.place = Some((block, index));
            }
        }
        self.last = at;
        let back_to = match own.event.kind {
            EventKind::Edge { from, to } if own.event.call == self.call => {
                self.header_reached(&code, from, to)
            }
            _ => None,
        };
        self.emit(own);
        if let Some(outer) = back_to {
            self.place = None;
            self.arrive_again(outer);
        }
    }

    /// No more events: what is still open is closed as running if the call is.
    pub(crate) fn finish(&mut self, running: bool) {
        while !self.active.is_empty() {
            self.close_innermost(None, running);
        }
    }

    fn place_of(&self, own: &OwnEvent, code: &MethodCode) -> Place {
        let index = match &own.event.kind {
            EventKind::Enter { .. } | EventKind::Exit { .. } if own.event.call == self.call => {
                return Place::Outside;
            }
            EventKind::Enter { call_site, .. } => *call_site,
            EventKind::Edge { from, .. } => *from,
            _ => own.event.index,
        };
        if index == Event::NO_INDEX {
            return Place::Same;
        }
        match code.block_at(index) {
            Some(block) => Place::At(block, index),
            None => Place::Same,
        }
    }

    /// Leaves, goes round and enters loops so that control is in a block.
    fn move_to(
        &mut self,
        code: &MethodCode,
        (block, index): (BlockId, u32),
        at: Timestamp,
        thrown: bool,
    ) {
        while let Some(top) = self.active.last()
            && !code.loops().contains(top.id, block)
        {
            self.close_innermost(None, false);
        }
        let place = self.place;
        if let Some(top) = self.active.last_mut() {
            if let Some((before, before_index)) = place
                && !top.again
                && code.loops().contains(top.id, before)
            {
                let back_in_block = before == block && index < before_index;
                let at_header = code.is_header(top.id, block) && before != block;
                let goes_back = !thrown && code.goes_back(before, block);
                top.again = back_in_block || at_header || goes_back;
            }
            if top.again {
                top.again = false;
                top.counted = false;
                top.at = at;
                top.before = self.last;
            }
        }
        let around = self.active.last().map(|top| top.id);
        let mut entered = Vec::new();
        let mut inner = code.loops().innermost(block);
        while inner != around
            && let Some(id) = inner
        {
            entered.push(id);
            inner = code.loops().get(id).and_then(|found| found.parent);
        }
        for id in entered.into_iter().rev() {
            self.count();
            self.active.push(Active {
                id,
                opened: false,
                iterations: 0,
                at,
                before: self.last,
                counted: false,
                again: false,
            });
        }
        if let Some(top) = self.active.last()
            && !top.counted
            && !code.is_test(top.id, block)
        {
            self.count();
        }
    }

    /// The loop whose header an edge of an active loop goes to.
    fn header_reached(&self, code: &MethodCode, from: u32, to: u32) -> Option<LoopId> {
        let from = code.block_at(from)?;
        let id = code.loop_at(to)?;
        let is_active = self.active.iter().any(|active| active.id == id);
        (is_active && code.loops().contains(id, from)).then_some(id)
    }

    /// Control is back at the header of an active loop: those inside it are over.
    fn arrive_again(&mut self, id: LoopId) {
        if !self.is_in(id) {
            return;
        }
        while self.active.last().is_some_and(|top| top.id != id) {
            self.close_innermost(Some(id), false);
        }
        self.count();
        if let Some(top) = self.active.last_mut() {
            top.again = true;
        }
    }

    /// The round of the innermost loop is an iteration.
    fn count(&mut self) {
        let Some(top) = self.active.last_mut() else {
            return;
        };
        if top.counted {
            return;
        }
        if !top.opened {
            top.opened = true;
            self.out.push_back(Item::Open {
                id: top.id,
                at: top.at,
            });
        }
        top.iterations += 1;
        top.counted = true;
        self.out.push_back(Item::Iteration {
            number: top.iterations,
            at: top.at,
            before: top.before,
        });
        self.out.extend(self.held.drain(..).map(Item::Event));
    }

    fn close_innermost(&mut self, back_to: Option<LoopId>, running: bool) {
        let Some(top) = self.active.pop() else {
            return;
        };
        if top.opened && !self.held.is_empty() {
            self.out.push_back(Item::Tail { before: top.before });
        }
        self.out.extend(self.held.drain(..).map(Item::Event));
        if top.opened {
            self.out.push_back(Item::Close(Closed {
                id: top.id,
                iterations: top.iterations,
                last: self.last,
                back_to,
                place: self.place,
                running,
            }));
        }
    }

    fn emit(&mut self, own: OwnEvent) {
        match self.active.last() {
            Some(top) if !top.counted => self.held.push(own),
            _ => self.out.push_back(Item::Event(own)),
        }
    }
}

/// Is it no row: a snapshot, or the end of a nested call, which its beginning tells?
fn is_hidden(own: &OwnEvent, call: CallId) -> bool {
    match own.event.kind {
        EventKind::Exit { .. } => own.event.call != call,
        ref kind => kind.is_found(),
    }
}
