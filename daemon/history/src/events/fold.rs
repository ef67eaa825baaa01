//! A page of a call's event list, folded: loops as rows that hold iterations, those opened that the
//! request opens.
//!
//! Rows come in preorder, each with its level. Where several rows begin at one event their levels rise,
//! so time and level name a row, and a page token can. A page begins at its place without reading what
//! is before: long loops before it are jumped over, and a long loop that holds it is entered at a kept
//! iteration (see [`super::outline`]).

use std::collections::VecDeque;
use std::sync::Arc;

use jhyde_bytecode::LoopId;
use jhyde_store::records::{Direction, OwnEvent};
use jhyde_store::{Error as StoreError, Rows};
use jhyde_trace::{CallId, Event, EventKind, Timestamp};

use super::code::MethodCode;
use super::outline::{LongLoop, Outline};
use super::scan::{Closed, Item, Scanner};
use super::{EventList, Inside};
use crate::error::Result;
use crate::gaps::damage_note;
use crate::history::History;

/// A row, not yet in words.
#[derive(Debug)]
pub(crate) struct Spec {
    pub(crate) level: u32,
    pub(crate) kind: SpecKind,
}

#[derive(Debug)]
pub(crate) enum SpecKind {
    Event(OwnEvent),
    Loop {
        header: u32,
        begun: Timestamp,
        how: Closed,
    },
    Iteration {
        header: u32,
        begun: Timestamp,
        number: u64,
        from: Timestamp,
        to: Timestamp,
    },
}

/// Where a page begins: nothing before this time, and at this time nothing above this level.
pub(crate) type Position = (Timestamp, u32);

/// The rows of a page, and where the next one begins. `None` when the row to be opened is not there.
pub(crate) fn page(
    history: &History,
    outline: &Outline,
    list: &EventList,
    life: (Timestamp, Timestamp),
    start: Position,
    limit: usize,
) -> Result<Option<(Vec<Spec>, Option<Position>)>> {
    let mut folding = Folding::new(outline, list, start, limit);
    let code = outline.code.clone().filter(|_| !list.flat);
    let mut source = Source::new(history, list.call, life, code.clone())?;
    let found = match (list.inside, code) {
        (None, _) => {
            if source.scanner_is_plain() {
                // Without loops a page needs nothing of what is before it.
                source.begin_at(folding.begin());
            }
            folding.body(&mut source, 0)?;
            true
        }
        (Some(inside), Some(code)) => folding.inside(&mut source, &code, inside)?,
        (Some(_), None) => false,
    };
    Ok(found.then_some((folding.rows, folding.next)))
}

/// When an iteration begins; `None` when it is not there.
pub(crate) fn iteration_begin(
    history: &History,
    outline: &Outline,
    list: &EventList,
    life: (Timestamp, Timestamp),
    (begun, header, number): (Timestamp, u32, u64),
) -> Result<Option<Timestamp>> {
    let Some(code) = outline.code.clone() else {
        return Ok(None);
    };
    let mut folding = Folding::new(outline, list, (Timestamp(0), 0), 0);
    let mut source = Source::new(history, list.call, life, Some(Arc::clone(&code)))?;
    let Some(opened) = folding.enter(&mut source, &code, begun, header)? else {
        return Ok(None);
    };
    let item = folding.go_to_iteration(&mut source, &opened, number)?;
    Ok(item.and_then(|item| match item {
        Item::Iteration { at, .. } => Some(at),
        _ => None,
    }))
}

/// The items of a call from somewhere on.
struct Source {
    history: History,
    call: CallId,
    end: Timestamp,
    running: bool,
    code: Option<Arc<MethodCode>>,
    events: Rows<OwnEvent>,
    scanner: Scanner,
    /// Items that were read ahead.
    ahead: VecDeque<Item>,
    ended: bool,
}

impl Source {
    fn new(
        history: &History,
        call: CallId,
        life: (Timestamp, Timestamp),
        code: Option<Arc<MethodCode>>,
    ) -> Result<Self> {
        let end = Timestamp(life.1.0.saturating_add(1));
        let running = !call.is_root() && history.recording.call(call)?.exit.is_none();
        Ok(Self {
            history: history.clone(),
            call,
            end,
            running,
            events: history
                .recording
                .own_events(call, life.0..end, Direction::Forward),
            scanner: Scanner::new(call, code.clone()),
            code,
            ahead: VecDeque::new(),
            ended: false,
        })
    }

    fn header(&self, id: LoopId) -> u32 {
        self.code.as_ref().map_or(0, |code| code.header_index(id))
    }

    fn scanner_is_plain(&self) -> bool {
        self.code.is_none()
    }

    fn begin_at(&mut self, from: Timestamp) {
        let from = from.min(self.end);
        self.events =
            self.history
                .recording
                .own_events(self.call, from..self.end, Direction::Forward);
    }

    fn next(&mut self) -> Result<Option<Item>> {
        loop {
            if let Some(item) = self.ahead.pop_front() {
                return Ok(Some(item));
            }
            if let Some(item) = self.scanner.pop() {
                return Ok(Some(item));
            }
            if self.ended {
                return Ok(None);
            }
            self.history.check()?;
            match self.events.next() {
                None => {
                    self.ended = true;
                    self.scanner.finish(self.running);
                }
                Some(Ok(own)) => self.scanner.push(own),
                Some(Err(error @ StoreError::Damaged { from, .. })) => {
                    self.scanner.push(damage(self.call, from, &error));
                }
                Some(Err(error)) => return Err(error.into()),
            }
        }
    }

    /// Reads the loop whose `Open` was taken to its end, and puts it back.
    fn look_to_close(&mut self) -> Result<Option<Closed>> {
        let (mut read, mut depth, mut found) = (Vec::new(), 1_u32, None);
        while let Some(item) = self.next()? {
            match &item {
                Item::Open { .. } => depth += 1,
                Item::Close(how) => {
                    depth -= 1;
                    found = (depth == 0).then_some(*how);
                }
                _ => {}
            }
            read.push(item);
            if found.is_some() {
                break;
            }
        }
        for item in read.into_iter().rev() {
            self.ahead.push_front(item);
        }
        Ok(found)
    }

    /// Goes behind the loop whose `Open` was taken.
    fn drop_to_close(&mut self) -> Result<()> {
        let mut depth = 1_u32;
        while depth > 0
            && let Some(item) = self.next()?
        {
            match item {
                Item::Open { .. } => depth += 1,
                Item::Close(_) => depth -= 1,
                _ => {}
            }
        }
        Ok(())
    }

    /// Goes behind a long loop that is open without reading the rest of it.
    fn jump_behind(&mut self, how: &Closed) -> Result<()> {
        if !self.scanner.is_in(how.id) {
            // Its end was followed already, and waits to be taken.
            return self.drop_to_close();
        }
        self.ahead.clear();
        self.scanner.skip(how);
        if how.running {
            self.events = Box::new(std::iter::empty());
            return Ok(());
        }
        self.begin_at(Timestamp(how.last.0.saturating_add(1)));
        Ok(())
    }

    fn jump_to_iteration(&mut self, id: LoopId, number: u64, at: Timestamp) {
        self.ahead.clear();
        self.scanner.jump_to_iteration(id, number);
        self.begin_at(at);
    }
}

/// A damaged block as a row.
fn damage(call: CallId, at: Timestamp, error: &StoreError) -> OwnEvent {
    let reason = match error {
        StoreError::Damaged {
            reason,
            cut_off: false,
            ..
        } => format!("{} ({reason})", damage_note(error)),
        _ => damage_note(error),
    };
    OwnEvent {
        timestamp: at,
        event: Event {
            call,
            index: Event::NO_INDEX,
            kind: EventKind::Gap {
                back: false,
                reason,
            },
        },
    }
}

struct Folding<'a> {
    outline: &'a Outline,
    from: Timestamp,
    to: Timestamp,
    start: Position,
    unfold: u32,
    limit: usize,
    rows: Vec<Spec>,
    next: Option<Position>,
    /// No more rows are taken.
    full: bool,
    /// Rows of opened iterations whose end is still to be found.
    unpatched: usize,
}

/// A loop whose `Open` was taken.
struct Opened {
    id: LoopId,
    how: Closed,
    long: Option<LongLoop>,
}

impl<'a> Folding<'a> {
    fn new(outline: &'a Outline, list: &EventList, start: Position, limit: usize) -> Self {
        Self {
            outline,
            from: list.from.unwrap_or_default(),
            to: list.to.unwrap_or(Timestamp(u64::MAX)),
            start,
            unfold: list.unfold,
            limit,
            rows: Vec::new(),
            next: None,
            full: false,
            unpatched: 0,
        }
    }

    /// Nothing before this is wanted.
    fn begin(&self) -> Timestamp {
        self.from.max(self.start.0)
    }

    fn is_done(&self) -> bool {
        self.full && self.unpatched == 0
    }

    /// Is a row to be shown that begins at `at` and ends at `end`?
    fn wants(&mut self, at: Timestamp, level: u32, end: Timestamp) -> bool {
        if self.full || (at, level) < self.start || end < self.from {
            return false;
        }
        if at >= self.to {
            self.full = true;
            return false;
        }
        if self.rows.len() == self.limit {
            self.next = Some((at, level));
            self.full = true;
            return false;
        }
        true
    }

    fn push(&mut self, level: u32, kind: SpecKind) {
        self.rows.push(Spec { level, kind });
    }

    /// Rows up to what ends the iteration or loop that they are in: that item.
    fn body(&mut self, source: &mut Source, level: u32) -> Result<Option<Item>> {
        while !self.is_done() {
            match source.next()? {
                None => return Ok(None),
                Some(Item::Event(own)) => {
                    if self.wants(own.timestamp, level, own.timestamp) {
                        self.push(level, SpecKind::Event(own));
                    }
                }
                Some(Item::Open { id, at }) => self.a_loop(source, id, at, level)?,
                Some(end) => return Ok(Some(end)),
            }
        }
        Ok(None)
    }

    fn a_loop(
        &mut self,
        source: &mut Source,
        id: LoopId,
        begun: Timestamp,
        level: u32,
    ) -> Result<()> {
        let long = self.outline.long(begun, id);
        let how = match &long {
            Some(long) => Some(long.how),
            None => source.look_to_close()?,
        };
        let Some(how) = how else { return Ok(()) };
        if self.wants(begun, level, how.last) {
            let header = source.header(id);
            self.push(level, SpecKind::Loop { header, begun, how });
        }
        if level < self.unfold && !self.full && how.last >= self.begin() {
            return self.iterations(source, begun, how, long.as_ref(), level + 1);
        }
        match long {
            Some(_) => source.jump_behind(&how)?,
            None => source.drop_to_close()?,
        }
        Ok(())
    }

    /// The iterations of the loop whose `Open` was taken, to behind its `Close`.
    fn iterations(
        &mut self,
        source: &mut Source,
        begun: Timestamp,
        how: Closed,
        long: Option<&LongLoop>,
        level: u32,
    ) -> Result<()> {
        if let Some(long) = long {
            let (number, at) = long.iteration_before(self.begin());
            if number > 1 {
                source.jump_to_iteration(how.id, number, at);
            }
        }
        let mut item = source.next()?;
        loop {
            item = match item {
                None | Some(Item::Close(_)) => return Ok(()),
                Some(Item::Iteration { number, at, .. }) => {
                    self.iteration(source, (how.id, begun), number, at, level)?
                }
                Some(Item::Event(own)) => {
                    if self.wants(own.timestamp, level, own.timestamp) {
                        self.push(level, SpecKind::Event(own));
                    }
                    source.next()?
                }
                Some(Item::Open { id, at }) => {
                    self.a_loop(source, id, at, level)?;
                    source.next()?
                }
                Some(Item::Tail { .. }) => self.body(source, level)?,
            };
            if self.is_done() {
                return Ok(());
            }
            // Only the ends of what is around are still looked for.
            if self.full && long.is_some() && !matches!(item, None | Some(Item::Close(_))) {
                return source.jump_behind(&how);
            }
        }
    }

    /// One iteration, up to what ends it: that item.
    fn iteration(
        &mut self,
        source: &mut Source,
        (id, begun): (LoopId, Timestamp),
        number: u64,
        from: Timestamp,
        level: u32,
    ) -> Result<Option<Item>> {
        let header = source.header(id);
        let row = |to| SpecKind::Iteration {
            header,
            begun,
            number,
            from,
            to,
        };
        if level >= self.unfold {
            let end = self.over_body(source)?;
            let to = ended_at(end.as_ref(), source);
            if self.wants(from, level, to) {
                self.push(level, row(to));
            }
            return Ok(end);
        }
        let position = self.rows.len();
        let shown = self.wants(from, level, Timestamp(u64::MAX));
        if shown {
            self.push(level, row(from));
            self.unpatched += 1;
        }
        let end = self.body(source, level + 1)?;
        if shown {
            self.unpatched -= 1;
            let to = ended_at(end.as_ref(), source);
            if to < self.from && self.rows.len() == position + 1 {
                self.rows.pop();
            } else if let Some(spec) = self.rows.get_mut(position) {
                spec.kind = row(to);
            }
        }
        Ok(end)
    }

    /// Goes over the rest of an iteration, to what ends it: that item.
    fn over_body(&mut self, source: &mut Source) -> Result<Option<Item>> {
        loop {
            match source.next()? {
                None => return Ok(None),
                Some(Item::Event(_)) => {}
                Some(Item::Open { id, at }) => match self.outline.long(at, id) {
                    Some(long) => source.jump_behind(&long.how)?,
                    None => source.drop_to_close()?,
                },
                Some(end) => return Ok(Some(end)),
            }
        }
    }

    /// The rows inside of a row. Whether that row is there.
    fn inside(
        &mut self,
        source: &mut Source,
        code: &Arc<MethodCode>,
        inside: Inside,
    ) -> Result<bool> {
        let (begun, header) = match inside {
            Inside::Loop { begun, header } | Inside::Iteration { begun, header, .. } => {
                (begun, header)
            }
        };
        let Some(opened) = self.enter(source, code, begun, header)? else {
            return Ok(false);
        };
        let Inside::Iteration { number, .. } = inside else {
            let Opened { how, long, .. } = opened;
            self.iterations(source, begun, how, long.as_ref(), 0)?;
            return Ok(true);
        };
        let found = self.go_to_iteration(source, &opened, number)?.is_some();
        if found {
            self.body(source, 0)?;
        }
        Ok(found)
    }

    /// Goes into a loop by where it began.
    fn enter(
        &mut self,
        source: &mut Source,
        code: &Arc<MethodCode>,
        begun: Timestamp,
        header: u32,
    ) -> Result<Option<Opened>> {
        let Some(id) = code.loop_at(header) else {
            return Ok(None);
        };
        let mut around = code.nest(id);
        around.pop();
        source.scanner = Scanner::inside(source.call, Arc::clone(code), &around);
        source.begin_at(begun);
        match source.next()? {
            Some(Item::Open { id: opened, at }) if opened == id && at == begun => {}
            _ => return Ok(None),
        }
        let long = self.outline.long(begun, id);
        let how = match &long {
            Some(long) => Some(long.how),
            None => source.look_to_close()?,
        };
        Ok(how.map(|how| Opened { id, how, long }))
    }

    /// Goes to where an iteration of the loop begins: that item, if there are so many.
    fn go_to_iteration(
        &mut self,
        source: &mut Source,
        opened: &Opened,
        number: u64,
    ) -> Result<Option<Item>> {
        if number == 0 || number > opened.how.iterations {
            return Ok(None);
        }
        if let Some(long) = &opened.long {
            let (kept, at) = long.iteration_up_to(number);
            if kept > 1 {
                source.jump_to_iteration(opened.id, kept, at);
            }
        }
        let mut item = source.next()?;
        while let Some(Item::Iteration { number: here, .. }) = item {
            if here == number {
                return Ok(item);
            }
            item = self.over_body(source)?;
        }
        Ok(None)
    }
}

/// When an iteration ended that this item ended.
fn ended_at(end: Option<&Item>, source: &Source) -> Timestamp {
    match end {
        Some(Item::Iteration { before, .. } | Item::Tail { before }) => *before,
        Some(Item::Close(how)) => how.last,
        _ => source.scanner.last(),
    }
}
