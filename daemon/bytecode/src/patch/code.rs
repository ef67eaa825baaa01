//! The new code: where each instruction comes to stand, and the instructions with their jumps.
//!
//! In front of each instruction, and behind the last one, is a [`Gap`]: what is put there stands in it in the order
//! that the [module above](super) tells.

use std::collections::HashMap;

use crate::attributes::ExceptionHandler;
use crate::decode::{Code, MAX_CODE_LENGTH};
use crate::instruction::{Instruction, Operands};
use crate::opcode::Opcode;
use crate::patch::Fault;
use crate::patch::map::CodeMap;

/// What is put between two instructions.
#[derive(Clone, Debug, Default)]
pub(super) struct Gap<'a> {
    /// Run by going on from the instruction in front (at the first one: by starting the method).
    pub(super) after: Vec<&'a [u8]>,
    /// Run by every arrival at the instruction behind.
    pub(super) before: Vec<&'a [u8]>,
}

/// `goto_w` with its offset.
const GOTO_W_LENGTH: u32 = 5;

/// Whether control may go on behind an instruction. It does behind a subroutine call, when that returns.
pub(super) const fn goes_on(opcode: Opcode) -> bool {
    opcode.is_subroutine_call() || !opcode.ends_straight_line()
}

/// A `goto_w` that conditional jumps go by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Island {
    /// The gap in which it stands, by the ordinal of the instruction behind.
    gap: usize,
    /// The ordinal of the instruction that it leads to.
    target: usize,
}

/// Where everything stands.
pub(super) struct Layout<'a> {
    code: &'a Code,
    gaps: &'a [Gap<'a>],
    /// Of each instruction and of the end: where the gap in front starts, where jumps arrive, where it stands itself.
    falls: Vec<u32>,
    arrives: Vec<u32>,
    stands: Vec<u32>,
    /// Of each instruction: a `goto` or `jsr` that takes its wide form.
    widened: Vec<bool>,
    /// By gap, and in one gap in the order in which they stand there.
    islands: Vec<Island>,
    /// Which island a conditional jump goes by.
    by_island: HashMap<usize, Island>,
}

impl<'a> Layout<'a> {
    /// Finds a place for everything; `gaps` has one more than the code has instructions.
    pub(super) fn new(
        code: &'a Code,
        gaps: &'a [Gap<'a>],
        handlers: &[ExceptionHandler],
    ) -> Result<Self, Fault> {
        let count = code.instructions().len();
        let mut layout = Self {
            code,
            gaps,
            falls: vec![0; count + 1],
            arrives: vec![0; count + 1],
            stands: vec![0; count + 1],
            widened: vec![false; count],
            islands: Vec::new(),
            by_island: HashMap::new(),
        };
        // Each round but the last widens a jump or makes it go by an island; neither is undone.
        loop {
            layout.place()?;
            if !layout.lengthen_far_jumps(handlers)? {
                return Ok(layout);
            }
        }
    }

    fn place(&mut self) -> Result<(), Fault> {
        let length = |parts: &[&[u8]]| parts.iter().map(|part| part.len() as u64).sum::<u64>();
        // 64 bits: what is asked for may be any amount.
        let mut position = 0_u64;
        let mut islands = self.islands.iter().peekable();
        let mut instructions = self.code.instructions().iter();
        for (ordinal, gap) in self.gaps.iter().enumerate() {
            self.falls[ordinal] = position as u32;
            while islands.next_if(|island| island.gap == ordinal).is_some() {
                position += u64::from(GOTO_W_LENGTH);
            }
            position += length(&gap.after);
            self.arrives[ordinal] = position as u32;
            position += length(&gap.before);
            self.stands[ordinal] = position as u32;
            if let Some(instruction) = instructions.next() {
                let widened = self.widened[ordinal];
                position += u64::from(new_length(instruction, position, widened));
            }
        }
        if position > MAX_CODE_LENGTH as u64 {
            return Err(Fault::CodeTooLong { length: position });
        }
        Ok(())
    }

    /// Gives a longer form to jumps that do not reach; `false` if there are none.
    fn lengthen_far_jumps(&mut self, handlers: &[ExceptionHandler]) -> Result<bool, Fault> {
        let mut changed = false;
        let mut island_gaps = None;
        for (ordinal, instruction) in self.code.instructions().iter().enumerate() {
            let Operands::Jump(target) = instruction.operands else {
                continue;
            };
            let is_wide = matches!(instruction.opcode, Opcode::GotoW | Opcode::JsrW);
            if is_wide || self.widened[ordinal] {
                continue;
            }
            let by_island = self.by_island.get(&ordinal).copied();
            let target = self.ordinal(target)?;
            let to = match by_island {
                Some(island) => self.island_at(island),
                None => self.arrives[target],
            };
            if reaches(self.stands[ordinal], to) {
                continue;
            }
            changed = true;
            if !instruction.opcode.is_conditional_jump() {
                self.widened[ordinal] = true;
                continue;
            }
            let too_far = Fault::JumpTooFar {
                index: instruction.index,
            };
            if by_island.is_some() {
                return Err(too_far);
            }
            let gaps = island_gaps.get_or_insert_with(|| self.gaps_for_islands(handlers));
            let gap = self.nearest(gaps, ordinal).ok_or(too_far)?;
            let island = Island { gap, target };
            self.by_island.insert(ordinal, island);
            let behind = self.islands.partition_point(|other| other.gap <= gap);
            if !self.islands.contains(&island) {
                self.islands.insert(behind, island);
            }
        }
        Ok(changed)
    }

    /// The gaps that control does not go on into and that no handler guards from end to end, ascending.
    fn gaps_for_islands(&self, handlers: &[ExceptionHandler]) -> Vec<usize> {
        let instructions = self.code.instructions();
        let mut guards: Vec<(u32, u32)> = handlers.iter().map(|h| (h.start, h.end)).collect();
        guards.sort_unstable();
        let (mut guards, mut guarded_to) = (guards.into_iter().peekable(), 0);
        let mut gaps = Vec::new();
        for (in_front, instruction) in instructions.iter().enumerate() {
            let index = instruction.next();
            while let Some((_, end)) = guards.next_if(|guard| guard.0 < index) {
                guarded_to = guarded_to.max(end);
            }
            if !goes_on(instruction.opcode) && guarded_to <= index {
                gaps.push(in_front + 1);
            }
        }
        gaps
    }

    /// That of these gaps which is nearest to a jump, if it reaches so far.
    fn nearest(&self, gaps: &[usize], jump: usize) -> Option<usize> {
        let from = self.stands[jump];
        let behind = gaps.partition_point(|gap| self.falls[*gap] <= from);
        let around = [behind.checked_sub(1), Some(behind)];
        let gaps = around.into_iter().flatten().filter_map(|at| gaps.get(at));
        let nearest = gaps.min_by_key(|gap| self.falls[**gap].abs_diff(from))?;
        reaches(from, self.falls[*nearest]).then_some(*nearest)
    }

    fn island_at(&self, island: Island) -> u32 {
        let mut in_gap = self.islands.iter().filter(|other| other.gap == island.gap);
        let before = in_gap.position(|other| *other == island).unwrap_or(0) as u32;
        self.falls[island.gap] + before * GOTO_W_LENGTH
    }

    /// Bytes of the new code.
    pub(super) fn length(&self) -> u32 {
        self.stands.last().copied().unwrap_or_default()
    }

    /// The new code.
    pub(super) fn write(&self, old: &[u8]) -> Result<Vec<u8>, Fault> {
        let mut new = Vec::with_capacity(self.length() as usize);
        let mut islands = self.islands.iter().peekable();
        let mut instructions = self.code.instructions().iter();
        for (ordinal, gap) in self.gaps.iter().enumerate() {
            while let Some(island) = islands.next_if(|island| island.gap == ordinal) {
                let offset = i64::from(self.arrives[island.target]) - new.len() as i64;
                new.push(Opcode::GotoW as u8);
                new.extend((offset as i32).to_be_bytes());
            }
            for part in gap.after.iter().chain(&gap.before) {
                new.extend_from_slice(part);
            }
            if let Some(instruction) = instructions.next() {
                self.write_instruction(ordinal, instruction, old, &mut new)?;
            }
        }
        Ok(new)
    }

    fn write_instruction(
        &self,
        ordinal: usize,
        instruction: &Instruction,
        old: &[u8],
        new: &mut Vec<u8>,
    ) -> Result<(), Fault> {
        let from = i64::from(self.stands[ordinal]);
        // Positions are less than 65,536, so differences fit 32 bits.
        let offset = |to: u32| (i64::from(to) - from) as i32;
        let offset_to =
            |index: u32| Ok::<_, Fault>(offset(self.arrives[self.ordinal(index)?]).to_be_bytes());
        match &instruction.operands {
            Operands::Jump(target) => {
                let to = match self.by_island.get(&ordinal) {
                    Some(island) => self.island_at(*island),
                    None => self.arrives[self.ordinal(*target)?],
                };
                let opcode = match instruction.opcode {
                    Opcode::Goto if self.widened[ordinal] => Opcode::GotoW,
                    Opcode::Jsr if self.widened[ordinal] => Opcode::JsrW,
                    other => other,
                };
                new.push(opcode as u8);
                match opcode {
                    Opcode::GotoW | Opcode::JsrW => new.extend(offset(to).to_be_bytes()),
                    _ => new.extend((offset(to) as i16).to_be_bytes()),
                }
            }
            Operands::TableSwitch(table) => {
                start_switch(instruction, new);
                new.extend(offset_to(table.default)?);
                let high = table.low.wrapping_add(table.targets.len() as i32 - 1);
                new.extend(table.low.to_be_bytes());
                new.extend(high.to_be_bytes());
                for target in &table.targets {
                    new.extend(offset_to(*target)?);
                }
            }
            Operands::LookupSwitch(table) => {
                start_switch(instruction, new);
                new.extend(offset_to(table.default)?);
                new.extend((table.pairs.len() as u32).to_be_bytes());
                for (value, target) in &table.pairs {
                    new.extend(value.to_be_bytes());
                    new.extend(offset_to(*target)?);
                }
            }
            _ => {
                let range = instruction.index as usize..instruction.next() as usize;
                new.extend_from_slice(old.get(range).unwrap_or_default());
            }
        }
        Ok(())
    }

    fn ordinal(&self, index: u32) -> Result<usize, Fault> {
        let found = self.code.ordinal(index);
        found.ok_or(Fault::NoInstruction { index })
    }

    /// Where jumps to the instruction at this (old) index arrive.
    pub(super) fn arrival(&self, index: u32) -> Result<u32, Fault> {
        Ok(self.arrives[self.ordinal(index)?])
    }

    /// Where the instruction at this (old) index stands.
    pub(super) fn standing(&self, index: u32) -> Result<u32, Fault> {
        Ok(self.stands[self.ordinal(index)?])
    }

    /// Where the gap before this (old) index starts: as if what is inserted there all stood behind the index. An index
    /// inside an instruction counts as the next one's, since only starts of instructions are places.
    pub(super) fn gap_start(&self, index: u32) -> u32 {
        self.falls[self.boundary(index)]
    }

    /// As [`gap_start`](Self::gap_start), but behind what going on to the index runs.
    pub(super) fn gap_arrival(&self, index: u32) -> u32 {
        self.arrives[self.boundary(index)]
    }

    /// Where what is guarded from this (old) index on starts.
    pub(super) fn guard_start(&self, index: u32) -> u32 {
        let at = self.boundary(index);
        let in_front = at
            .checked_sub(1)
            .and_then(|p| self.code.instructions().get(p));
        if in_front.is_some_and(|i| i.opcode == Opcode::MonitorEnter) {
            self.falls[at]
        } else {
            self.arrives[at]
        }
    }

    fn boundary(&self, index: u32) -> usize {
        let instructions = self.code.instructions();
        instructions.partition_point(|i| i.index < index)
    }

    /// Islands: where each stands, and the (old) index that it leads to; ascending.
    pub(super) fn islands(&self) -> Vec<(u32, u32)> {
        let instructions = self.code.instructions();
        let places = self.islands.iter().filter_map(|island| {
            let target = instructions.get(island.target)?.index;
            Some((self.island_at(*island), target))
        });
        places.collect()
    }

    /// What the caller gets of it.
    pub(super) fn map(&self) -> CodeMap {
        let places = self
            .code
            .instructions()
            .iter()
            .zip(&self.falls)
            .zip(&self.stands);
        let places = places.map(|((i, falls), stands)| (i.index, *falls, *stands));
        CodeMap::new(places.collect(), self.islands(), self.length())
    }
}

fn reaches(from: u32, to: u32) -> bool {
    i16::try_from(i64::from(to) - i64::from(from)).is_ok()
}

/// Operands of switches start at a multiple of four.
fn start_switch(instruction: &Instruction, new: &mut Vec<u8>) {
    new.push(instruction.opcode as u8);
    new.resize(new.len().next_multiple_of(4), 0);
}

fn new_length(instruction: &Instruction, at: u64, widened: bool) -> u32 {
    let padding = ((at + 1).next_multiple_of(4) - (at + 1)) as u32;
    match &instruction.operands {
        Operands::TableSwitch(table) => 1 + padding + 12 + 4 * table.targets.len() as u32,
        Operands::LookupSwitch(table) => 1 + padding + 8 + 8 * table.pairs.len() as u32,
        _ if widened => GOTO_W_LENGTH,
        _ => instruction.length,
    }
}
