//! Where control can have come to in the calls of a method, by its code and what is recorded of them.

use std::collections::{BTreeMap, BTreeSet};

use jhyde_bytecode::{Code, Opcode, Operands};
use jhyde_trace::{CallId, Outcome};

use super::yes_no::Found;
use crate::error::Result;
use crate::prepared::Ask;

/// Where control was, and went, in the calls of a method.
#[derive(Debug, Default)]
pub(super) struct Went {
    /// Where the span begins in each call: its first instruction, or the place where it was then.
    pub(super) begins: BTreeSet<u32>,
    /// Outcomes of conditions.
    pub(super) edges: BTreeMap<(u32, u32), Found>,
    pub(super) handlers: BTreeSet<u32>,
    /// The calls made from each place.
    pub(super) calls: BTreeMap<u32, Made>,
    /// Some call was made from a place that is not known, or before the span began.
    pub(super) calls_unseen: bool,
    /// Where a call was when the span began is not known.
    pub(super) blind: bool,
    /// Of the line that is asked about.
    pub(super) line: Found,
}

/// The calls made from one place.
#[derive(Debug, Default)]
pub(super) struct Made {
    /// The first of them.
    first: Vec<CallId>,
    /// There were more.
    more: bool,
}

impl Made {
    /// So many are looked at: where as many threw, it is the next that may have come back.
    const MOST: usize = 16;

    pub(super) fn add(&mut self, call: CallId) {
        match self.first.len() < Self::MOST {
            true => self.first.push(call),
            false => self.more = true,
        }
    }

    /// Did control go on behind it nowhere, for each threw, or runs on at the end of the span?
    fn never_returned(&self, ask: &Ask<'_>) -> Result<bool> {
        if self.more {
            return Ok(false);
        }
        let recording = ask.history.recording();
        for call in &self.first {
            let Some(record) = ask.readable(recording.call(*call))? else {
                return Ok(false);
            };
            if record.exit.is_none_or(|exit| exit >= ask.span.until) {
                continue;
            }
            let outcome = ask.readable(recording.outcome(&record))?.flatten();
            if !matches!(outcome, Some(Outcome::Threw(_))) {
                return Ok(false);
            }
        }
        Ok(!self.first.is_empty())
    }
}

/// Where control can have been.
#[derive(Debug)]
pub(super) enum Reached {
    All(BTreeSet<u32>),
    /// Code of old compilers that returns to where it was called from inside a method.
    Unknown,
}

/// Does it call a method?
fn is_call(opcode: Opcode) -> bool {
    const INVOKE_VIRTUAL: u8 = 0xb6;
    const INVOKE_DYNAMIC: u8 = 0xba;
    (INVOKE_VIRTUAL..=INVOKE_DYNAMIC).contains(&(opcode as u8))
}

/// The instructions that control can have come to. With `edges`, all that a call does is recorded: a condition goes only the ways that
/// are, and nothing comes behind a call that none returned from.
pub(super) fn reached(ask: &Ask<'_>, code: &Code, went: &Went, edges: bool) -> Result<Reached> {
    let mut reached = BTreeSet::new();
    let mut open: Vec<u32> = went.begins.union(&went.handlers).copied().collect();
    while let Some(index) = open.pop() {
        if !reached.insert(index) {
            continue;
        }
        let Some(instruction) = code.at(index) else {
            return Ok(Reached::Unknown);
        };
        if matches!(instruction.opcode, Opcode::Jsr | Opcode::JsrW | Opcode::Ret) {
            return Ok(Reached::Unknown);
        }
        // Where no call is recorded, there may be calls of which nothing is (`super()` of `Object`).
        if edges
            && !went.calls_unseen
            && is_call(instruction.opcode)
            && let Some(made) = went.calls.get(&index)
            && made.never_returned(ask)?
        {
            continue;
        }
        let is_switch = matches!(
            instruction.operands,
            Operands::TableSwitch(_) | Operands::LookupSwitch(_)
        );
        let is_condition = instruction.opcode.is_conditional_jump() || is_switch;
        if is_condition && edges {
            let from = (index, 0)..=(index, u32::MAX);
            open.extend(went.edges.range(from).map(|((_, to), _)| *to));
            continue;
        }
        open.extend(instruction.targets());
        if !instruction.opcode.ends_straight_line() {
            open.push(instruction.next());
        }
    }
    Ok(Reached::All(reached))
}
