//! A call run again over its own events: which reads, results and constants went into each write, condition, argument
//! and result. The events tell the way that control went and which variables and calls the instructions were about; the
//! code tells how their values moved over the operand stack. Nothing is guessed: where the two do not fit together, all
//! that was on the stack can have gone into what follows ([`Feed::Open`]).

use jhyde_bytecode::{MethodDescriptor, StackWords, words_of};
use jhyde_store::records::OwnEvent;
use jhyde_trace::{CallId, Event, EventKind, MethodId, Outcome, Timestamp, Variable};

use super::code::SlicedCode;
use super::row::{Names, Replay, Row, RowKind};
use super::stack::{Feed, Feeds, Stack, join};

/// Runs a call again over its own events.
pub(super) struct Replayer<'a, N> {
    code: Option<&'a SlicedCode>,
    names: &'a mut N,
    call: CallId,
    stack: Stack,
    /// The instruction that runs next; `None`: not known.
    next: Option<u32>,
    /// The instruction that ran last.
    last: Option<u32>,
    /// What the exception under way came from.
    exception: Feeds,
    /// The call that the code calls now, and the words of its result if they are known.
    called: Option<(CallId, Option<u8>)>,
    rows: Vec<Row>,
}

/// So far back the beginning of a call inside is looked for when it ends: only what was found lies in between.
const NEAR: usize = 64;

impl<'a, N: Names> Replayer<'a, N> {
    pub(super) fn new(
        code: Option<&'a SlicedCode>,
        names: &'a mut N,
        call: CallId,
        from_the_start: bool,
    ) -> Self {
        Self {
            code,
            names,
            call,
            stack: match from_the_start && code.is_some() {
                true => Stack::default(),
                false => Stack::unknown(),
            },
            next: from_the_start.then_some(0),
            last: None,
            exception: vec![Feed::Open],
            called: None,
            rows: Vec::new(),
        }
    }

    pub(super) fn finish(self) -> Replay {
        Replay { rows: self.rows }
    }

    /// A part of the recording cannot be read here.
    pub(super) fn lost(&mut self, at: Timestamp) {
        self.stack.blur(&[Feed::Open]);
        self.next = None;
        self.rows.push(row(at, Event::NO_INDEX, RowKind::Lost));
    }

    /// The next of the call's own events.
    pub(super) fn event(&mut self, own: &OwnEvent) {
        let index = own.event.index;
        let mut row = row(own.timestamp, index, RowKind::Other);
        let number = u32::try_from(self.rows.len()).unwrap_or(u32::MAX);
        match &own.event.kind {
            EventKind::Enter {
                method, call_site, ..
            } if own.event.call != self.call => {
                row.kind = RowKind::Enter(own.event.call);
                row.index = *call_site;
                self.enter(&mut row, own.event.call, *method, *call_site);
            }
            EventKind::Exit { outcome } if own.event.call != self.call => {
                row.kind = RowKind::Exit(own.event.call, *outcome);
                self.exit(&mut row, number, own.event.call, *outcome);
            }
            EventKind::Exit { outcome } => {
                row.kind = RowKind::End;
                self.end(&mut row, *outcome);
            }
            EventKind::Use { variable } => {
                row.kind = RowKind::Use(*variable);
                self.used(&mut row, number, *variable);
            }
            EventKind::Write { variable, .. } => {
                row.kind = RowKind::Write;
                self.written(&mut row, number, *variable);
            }
            EventKind::Edge { to, .. } => {
                row.kind = RowKind::Edge;
                self.reach(index);
                row.value = self.take_fixed(index);
                (self.next, self.last) = (Some(*to), Some(index));
            }
            EventKind::New { object, .. } => {
                row.kind = RowKind::New(*object);
                if self.reach(index) {
                    row.value = self.take_fixed(index);
                    self.stack.push(1, &[Feed::Row(number)]);
                    self.done(index);
                }
            }
            EventKind::Thrown { .. } => {
                row.kind = RowKind::Thrown;
                self.thrown(&mut row, number, index);
            }
            EventKind::Caught { .. } => {
                row.kind = RowKind::Caught;
                row.value = std::mem::replace(&mut self.exception, vec![Feed::Open]);
                self.stack.clear();
                self.stack.push(1, &[Feed::Row(number)]);
                (self.next, self.last) = (Some(index), None);
            }
            EventKind::Gap { .. } => row.kind = RowKind::Gap,
            _ => {}
        }
        self.rows.push(row);
    }

    /// A call inside begins: its arguments are taken.
    fn enter(&mut self, row: &mut Row, child: CallId, method: MethodId, site: u32) {
        let Some(StackWords::Calls { receiver }) = self.words(site) else {
            // A static initialiser runs before the instruction that needs its class; without code, nothing is known.
            if self.code.is_none() {
                row.arguments = vec![vec![Feed::Open]];
            }
            return;
        };
        let named = self.names.method(method);
        if named.as_ref().is_some_and(|(_, initialises)| *initialises) {
            return;
        }
        if !self.reach(site) {
            // Two calls at one place, and only one of them is what the code calls.
            row.arguments = vec![vec![Feed::Open]];
            self.called = Some((child, None));
            return;
        }
        let words = named.and_then(|(descriptor, _)| MethodDescriptor::words(&descriptor));
        match &words {
            Some((parameters, _)) => {
                for words in parameters.iter().rev() {
                    row.arguments.push(self.stack.pop(*words));
                }
                if receiver {
                    row.arguments.push(self.stack.pop(1));
                }
                row.arguments.reverse();
            }
            None => {
                row.arguments = vec![self.stack.all()];
                self.stack.blur(&[Feed::Open]);
            }
        }
        self.called = Some((child, words.map(|(_, result)| result)));
        self.done(site);
    }

    /// A call inside ends: its result is put.
    fn exit(&mut self, row: &mut Row, number: u32, child: CallId, outcome: Outcome) {
        if let Some(entered) = self
            .rows
            .iter()
            .rev()
            .take(NEAR)
            .find(|row| row.kind == RowKind::Enter(child))
        {
            row.index = entered.index;
        }
        if matches!(outcome, Outcome::Threw(_)) {
            self.exception = vec![Feed::Row(number)];
            return;
        }
        match self.called.take_if(|(called, _)| *called == child) {
            Some((_, Some(words))) => self.stack.push(words, &[Feed::Row(number)]),
            Some((_, None)) => self.stack.blur(&[Feed::Row(number), Feed::Open]),
            // An initialiser's, or it began before the rows do.
            None => {}
        }
    }

    fn end(&mut self, row: &mut Row, outcome: Outcome) {
        row.value = match outcome {
            Outcome::Threw(_) => std::mem::take(&mut self.exception),
            Outcome::Returned(Some(_)) => match self.reach(row.index) {
                true => self.take_fixed(row.index),
                false => vec![Feed::Open],
            },
            Outcome::Returned(None) => Feeds::new(),
            Outcome::Unknown => vec![Feed::Open],
        };
    }

    fn used(&mut self, row: &mut Row, number: u32, variable: Variable) {
        let index = row.index;
        let Some(words) = self.words(index).filter(|_| self.reach(index)) else {
            return;
        };
        let feed = [Feed::Row(number)];
        match words {
            StackWords::Reads { takes } => {
                row.place = self.stack.pop(takes);
                match self.field_words(variable) {
                    Some(words) => self.stack.push(words, &feed),
                    None => self.stack.blur(&feed),
                }
                self.done(index);
            }
            StackWords::Fixed { takes, puts } if puts > 0 => {
                row.place = self.stack.pop(takes);
                self.stack.push(puts, &feed);
                self.done(index);
            }
            // `iinc` reads what it writes next.
            _ => {}
        }
    }

    fn written(&mut self, row: &mut Row, number: u32, variable: Variable) {
        let index = row.index;
        let before = [Feed::Row(number.saturating_sub(1))];
        let Some(words) = self.words(index).filter(|_| self.reach(index)) else {
            // One instruction did more than one thing: an array of arrays is made and filled.
            row.value = match self.rows.is_empty() || self.words(index).is_none() {
                true => vec![Feed::Open],
                false => before.to_vec(),
            };
            return;
        };
        match words {
            StackWords::Writes { below } => match self.field_words(variable) {
                Some(words) => {
                    row.value = self.stack.pop(words);
                    row.place = self.stack.pop(below);
                }
                None => {
                    row.value = self.stack.all();
                    self.stack.blur(&[]);
                }
            },
            StackWords::Fixed { takes: 0, .. } => row.value = before.to_vec(),
            StackWords::Fixed { takes, .. } => {
                let is_element = matches!(variable, Variable::Element { .. });
                let under = if is_element { 2 } else { 0 };
                row.value = self.stack.pop(takes.saturating_sub(under));
                row.place = self.stack.pop(under);
            }
            _ => {
                row.value = self.stack.all();
                self.stack.blur(&[Feed::Open]);
            }
        }
        self.done(index);
    }

    fn thrown(&mut self, row: &mut Row, number: u32, index: u32) {
        if matches!(self.exception.as_slice(), [Feed::Row(_)]) {
            // It came out of a call.
            row.value = self.exception.clone();
        } else if self.reach(index) {
            row.value = match self.words(index) {
                Some(StackWords::Fixed { takes, .. } | StackWords::Reads { takes }) => {
                    self.stack.pop(takes)
                }
                _ => self.stack.all(),
            };
        } else {
            row.value = self.stack.all();
        }
        self.exception = vec![Feed::Row(number)];
        self.next = None;
    }

    fn field_words(&mut self, variable: Variable) -> Option<u8> {
        let (Variable::Field { field, .. } | Variable::Static { field }) = variable else {
            return None;
        };
        self.names.field(field).map(|field| words_of(&field))
    }

    fn words(&self, index: u32) -> Option<StackWords> {
        Some(self.code?.at(index)?.stack_words())
    }

    /// Takes what an instruction takes of which the opcode says it.
    fn take_fixed(&mut self, index: u32) -> Feeds {
        match self.words(index) {
            Some(StackWords::Fixed { takes, .. }) => self.stack.pop(takes),
            _ => self.stack.all(),
        }
    }

    /// The instruction ran.
    fn done(&mut self, index: u32) {
        self.last = Some(index);
        self.next = self
            .code
            .and_then(|code| code.at(index))
            .map(|instruction| instruction.next());
    }

    /// Runs what lies before an instruction and leaves no events. False if the instruction itself has run: it is told
    /// of more than once.
    fn reach(&mut self, index: u32) -> bool {
        if self.next != Some(index) && self.last == Some(index) {
            return false;
        }
        let mut left = self.code.map_or(0, SlicedCode::len);
        while self.next != Some(index) && left > 0 && self.silent() {
            left -= 1;
        }
        if self.next != Some(index) {
            self.stack.blur(&[Feed::Open]);
            self.next = Some(index);
        }
        true
    }

    /// Runs one instruction of which no event tells. False if there is none, or it should have had one.
    fn silent(&mut self) -> bool {
        let (Some(code), Some(at)) = (self.code, self.next) else {
            return false;
        };
        let Some(instruction) = code.at(at) else {
            return false;
        };
        match instruction.stack_words() {
            StackWords::Fixed { takes, puts } => {
                let leaves = instruction.transfers_control() && !instruction.opcode.is_goto();
                if leaves || instruction.local_load().is_some() {
                    return false;
                }
                let mut feeds = self.stack.pop(takes);
                if instruction.pushes_constant() {
                    let after = u32::try_from(self.rows.len()).unwrap_or(u32::MAX);
                    let after = after.saturating_sub(1);
                    join(&mut feeds, &[Feed::Constant { after, at }]);
                }
                self.stack.push(puts, &feeds);
            }
            words @ (StackWords::Copies { .. } | StackWords::Swap) => self.stack.shuffle(words),
            // A field out of the scope, whose type nobody tells.
            StackWords::Reads { .. } | StackWords::Writes { .. } => self.stack.blur(&[]),
            StackWords::Calls { .. } => return false,
        }
        self.last = Some(at);
        self.next = match instruction.opcode.is_goto() {
            true => instruction.targets().first().copied(),
            false => Some(instruction.next()),
        };
        true
    }
}

fn row(at: Timestamp, index: u32, kind: RowKind) -> Row {
    Row {
        at,
        index,
        kind,
        value: Feeds::new(),
        place: Feeds::new(),
        arguments: Vec::new(),
    }
}
