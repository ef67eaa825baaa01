//! Which instruction of a method is which of its other version.

use jhyde_bytecode::{Code, Instruction, Operands};
use jhyde_trace::{Event, MethodInfo};

use super::align::{Sequence, Step, align};

/// Marks a place that the other version does not have: its line stands for it.
const OWN: u32 = 1 << 31;

/// Where the places of one version lie in the other.
#[derive(Debug, Default)]
pub(super) struct CodeMap {
    /// Per version, the places that the other one has, by rising index: its index, and the left version's.
    sides: [Vec<(u32, u32)>; 2],
    lines: [Vec<jhyde_trace::LineEntry>; 2],
}

/// What an instruction does, as far as another version may do the same with other constants and other targets.
fn kind(instruction: &Instruction) -> (u8, u16) {
    let local = instruction
        .local_load()
        .or_else(|| instruction.local_store());
    match local {
        // Conditions are one kind, and so are switches: which way they go is compared by itself.
        _ if instruction.opcode.is_conditional_jump() => (0, 0),
        _ if is_switch(instruction) => (0, 1),
        Some(access) => (instruction.opcode as u8, access.slot),
        None => (instruction.opcode as u8, 0),
    }
}

/// With a case more a switch may be of the other kind of the two.
fn is_switch(instruction: &Instruction) -> bool {
    let operands = &instruction.operands;
    matches!(
        operands,
        Operands::TableSwitch(_) | Operands::LookupSwitch(_)
    )
}

/// The constant in an instruction itself. Those of the constant pool have other numbers in another version.
fn constant(instruction: &Instruction) -> i32 {
    match instruction.operands {
        Operands::Immediate(value) => value,
        Operands::Increment { by, .. } => by.into(),
        _ => 0,
    }
}

/// Where what is in both stands in each.
fn in_both<T: PartialEq>(of: [&[T]; 2]) -> Vec<[usize; 2]> {
    let (mut both, mut at) = (Vec::new(), [0, 0]);
    loop {
        let [left, right] = [0, 1].map(|side| Sequence {
            of: &of[side][at[side]..],
            goes_on: false,
        });
        let steps = align(left, right);
        for step in &steps {
            if *step == Step::Both {
                both.push(at);
            }
            at[0] += usize::from(*step != Step::Right);
            at[1] += usize::from(*step != Step::Left);
        }
        if steps.is_empty() || at == of.map(<[T]>::len) {
            return both;
        }
    }
}

impl CodeMap {
    /// Of two versions of a method; `None` where both have the same code.
    pub(super) fn new(methods: [&MethodInfo; 2]) -> Option<Self> {
        if methods[0].code == methods[1].code {
            return None;
        }
        let lines = methods.map(|method| method.lines.clone());
        let mut map = Self {
            sides: [Vec::new(), Vec::new()],
            lines,
        };
        // Code that cannot be read has no places in common.
        let [Ok(left), Ok(right)] = methods.map(|method| Code::decode(&method.code)) else {
            return Some(map);
        };
        let exact = [&left, &right].map(|code| {
            let of = code.instructions().iter();
            of.map(|of| (kind(of), constant(of))).collect::<Vec<_>>()
        });
        let kinds = [&left, &right].map(|code| code.instructions().iter().map(kind).collect());
        // What is the same with its constants first, then what has other constants in between: of two calls with a constant each,
        // before which a third one was put in, neither is taken for that.
        let ends = [left.instructions().len(), right.instructions().len()];
        let mut from = [0, 0];
        let same = in_both([&exact[0], &exact[1]]);
        for to in same.into_iter().map(Some).chain([None]) {
            let kinds: &[Vec<_>; 2] = &kinds;
            let until = to.unwrap_or(ends);
            let between = [0, 1].map(|side| &kinds[side][from[side]..until[side]]);
            let between = in_both(between)
                .into_iter()
                .map(|at| [from[0] + at[0], from[1] + at[1]]);
            for at in between.chain(to) {
                let of = [&left.instructions()[at[0]], &right.instructions()[at[1]]];
                map.sides[0].push((of[0].index, of[0].index));
                map.sides[1].push((of[1].index, of[0].index));
            }
            from = until.map(|at| at + usize::from(to.is_some()));
        }
        Some(map)
    }

    /// A place of one version in numbers that both have.
    pub(super) fn place(&self, side: usize, index: u32) -> u32 {
        if index == Event::NO_INDEX {
            return index;
        }
        let known = &self.sides[side];
        match known.binary_search_by_key(&index, |(own, _)| *own) {
            Ok(at) => known[at].1,
            Err(_) => {
                let lines = &self.lines[side];
                let after = lines.partition_point(|entry| entry.start <= index);
                OWN | after.checked_sub(1).map_or(0, |at| lines[at].line)
            }
        }
    }
}

/// Which way a condition, a jump or a switch went, whatever the indexes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// To the next instruction.
    On,
    /// A condition or a jump: to its target.
    Jumped,
    /// A switch: to this case; of several that lead there, to the least.
    Case(i32),
    /// A switch: to none of its cases.
    Default,
    /// To this index: it cannot be read.
    To(u32),
}

/// Which way an instruction went.
pub(super) fn way(code: &Code, from: u32, to: u32) -> Way {
    let Some(instruction) = code.at(from) else {
        return Way::To(to);
    };
    let (default, case) = match &instruction.operands {
        Operands::TableSwitch(table) => {
            let leads_there = table.cases().filter(|case| case.1 == to);
            (table.default, leads_there.map(|case| case.0).min())
        }
        Operands::LookupSwitch(table) => {
            let leads_there = table.pairs.iter().filter(|case| case.1 == to);
            (table.default, leads_there.map(|case| case.0).min())
        }
        Operands::Jump(target) => {
            let falls_through = instruction.opcode.is_conditional_jump();
            return match to {
                to if falls_through && to == instruction.next() => Way::On,
                to if to == *target => Way::Jumped,
                _ => Way::To(to),
            };
        }
        _ => return Way::To(to),
    };
    match case {
        // Numbers between the cases of a table lead there, too.
        _ if to == default => Way::Default,
        Some(case) => Way::Case(case),
        None => Way::To(to),
    }
}

impl Way {
    /// In numbers, of different ways different ones.
    pub(super) fn numbers(self) -> (u32, u32) {
        match self {
            Self::On => (1, 0),
            Self::Jumped => (1, 1),
            Self::Case(case) => (2, case.cast_unsigned()),
            Self::Default => (3, 0),
            Self::To(index) => (0, index),
        }
    }
}
