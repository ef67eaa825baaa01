//! How many values the instructions `pop2`, `dup_x2`, `dup2`, `dup2_x1` and `dup2_x2` move (JVMS 6.5). They are defined in
//! words, of which a `long` or `double` has two (JVMS 2.6.2), so what they do to a stack of values depends on the types
//! that lie there. The types follow from the code alone: the verifier demands that whoever comes to an instruction finds
//! the same (JVMS 4.10.2.2). Whoever follows values need not know one of them to know how wide it is.

use crate::constant_pool::ConstantPool;
use crate::decode::Code;
use crate::descriptor::MethodDescriptor;
use crate::instruction::Instruction;
use crate::opcode::Opcode;
use crate::stack_words::{StackWords, words_of};

/// What one of `pop`, `pop2`, `dup` … `dup2_x2`, `swap` does to a stack that has one entry for each value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StackMove {
    /// Takes so many values.
    Drops(u8),
    /// Puts a copy of the upper `count` values `below` values under them.
    Copies {
        /// Values copied.
        count: u8,
        /// Values that they are put under.
        below: u8,
    },
    /// The two upper values change places.
    Swaps,
}

/// Words of the values on a stack, the top last: 1 or 2 each.
type Stack = Vec<u8>;

impl Code {
    /// What each such instruction does, with its ordinal. `None` where that cannot be told: the code would not pass the
    /// verifier, or the pool does not have what it names.
    ///
    /// What no instruction leads to is the beginning of a handler, where an exception lies on the stack (JVMS 2.10): the
    /// exception table is not needed, which JDWP does not tell.
    pub fn stack_moves(
        &self,
        pool: Option<&ConstantPool>,
    ) -> impl Iterator<Item = (usize, Option<StackMove>)> {
        let moves = || {
            let all = self.instructions().iter().enumerate();
            all.filter(|(_, instruction)| matches!(instruction.opcode as u8, 0x57..=0x5f))
        };
        let depends = moves().any(|(_, instruction)| always(instruction.opcode).is_none());
        let stacks = depends.then(|| Follow::all(self, pool)).flatten();
        moves().map(move |(at, instruction)| {
            let told = always(instruction.opcode).or_else(|| {
                let stack = stacks.as_ref()?.get(at)?.as_ref()?;
                on(instruction, stack)
            });
            (at, told)
        })
    }
}

/// Those that move values of one word only, by definition.
fn always(opcode: Opcode) -> Option<StackMove> {
    let copies = |below| StackMove::Copies { count: 1, below };
    match opcode {
        Opcode::Pop => Some(StackMove::Drops(1)),
        Opcode::Dup => Some(copies(0)),
        Opcode::DupX1 => Some(copies(1)),
        Opcode::Swap => Some(StackMove::Swaps),
        _ => None,
    }
}

/// What the others do where this lies on the stack.
fn on(instruction: &Instruction, stack: &Stack) -> Option<StackMove> {
    match instruction.stack_words() {
        StackWords::Copies { count, below } => {
            let (count, rest) = upper(stack, count)?;
            let (below, _) = upper(rest, below)?;
            Some(StackMove::Copies { count, below })
        }
        StackWords::Fixed { takes, .. } => {
            let (count, _) = upper(stack, takes)?;
            Some(StackMove::Drops(count))
        }
        _ => None,
    }
}

/// How many values so many words are, and what lies under them. `None` if they cut a value in two.
fn upper(stack: &[u8], words: u8) -> Option<(u8, &[u8])> {
    let (mut left, mut count, mut rest) = (words, 0, stack);
    while left > 0 {
        let (&top, under) = rest.split_last()?;
        left = left.checked_sub(top)?;
        (count, rest) = (count + 1, under);
    }
    Some((count, rest))
}

/// The stacks before each instruction, as far as they were found.
struct Follow<'a> {
    code: &'a Code,
    pool: Option<&'a ConstantPool>,
    before: Vec<Option<Stack>>,
    open: Vec<usize>,
}

impl<'a> Follow<'a> {
    /// `None` where two ways to one instruction disagree: then a beginning was guessed wrongly, or the code is invalid.
    fn all(code: &'a Code, pool: Option<&'a ConstantPool>) -> Option<Vec<Option<Stack>>> {
        let mut follow = Self {
            code,
            pool,
            before: vec![None; code.instructions().len()],
            open: Vec::new(),
        };
        follow.meet(0, &Vec::new())?;
        for at in 0..follow.before.len() {
            if follow.before[at].is_none() {
                follow.meet(at, &vec![1])?;
            }
            while let Some(at) = follow.open.pop() {
                follow.run(at)?;
            }
        }
        Some(follow.before)
    }

    fn meet(&mut self, at: usize, stack: &Stack) -> Option<()> {
        match self.before.get_mut(at) {
            Some(Some(known)) => (known == stack).then_some(()),
            Some(unknown) => {
                *unknown = Some(stack.clone());
                self.open.push(at);
                Some(())
            }
            // Behind the end, where valid code does not go.
            None => Some(()),
        }
    }

    fn run(&mut self, at: usize) -> Option<()> {
        let instruction = self.code.instructions().get(at)?;
        let before = self.before.get(at)?.clone()?;
        // A subroutine finds its way back on the stack, and takes it (JVMS 6.5.jsr); whoever called it does not.
        let after = self.after(instruction, before.clone())?;
        for target in instruction.targets() {
            let target = self.code.ordinal(target)?;
            self.meet(target, &after)?;
        }
        let opcode = instruction.opcode;
        match opcode.is_subroutine_call() {
            true => self.meet(at + 1, &before),
            false if opcode.ends_straight_line() => Some(()),
            false => self.meet(at + 1, &after),
        }
    }

    fn after(&self, instruction: &Instruction, mut stack: Stack) -> Option<Stack> {
        let constant = instruction.constant().unwrap_or(0);
        let field = || Some(words_of(self.pool?.field(constant).ok()?.descriptor));
        let mut take = |words| {
            let (_, rest) = upper(&stack, words)?;
            stack.truncate(rest.len());
            Some(())
        };
        let puts = match instruction.stack_words() {
            StackWords::Fixed { takes, puts } => {
                take(takes)?;
                puts
            }
            StackWords::Copies { count, below } => {
                let (_, rest) = upper(&stack, count)?;
                let copied = stack[rest.len()..].to_vec();
                let (_, under) = upper(rest, below)?;
                let to = under.len();
                stack.splice(to..to, copied);
                return Some(stack);
            }
            StackWords::Swap => {
                upper(&stack, 2)?;
                return Some(stack);
            }
            StackWords::Reads { takes } => {
                take(takes)?;
                field()?
            }
            StackWords::Writes { below } => {
                take(field()?)?;
                take(below)?;
                0
            }
            StackWords::Calls { receiver } => {
                let (parameters, result) = MethodDescriptor::words(self.callee(instruction)?)?;
                for words in parameters.into_iter().rev() {
                    take(words)?;
                }
                take(u8::from(receiver))?;
                result
            }
        };
        if puts > 0 {
            stack.push(puts);
        }
        Some(stack)
    }

    /// The descriptor of what is called.
    fn callee(&self, instruction: &Instruction) -> Option<&'a str> {
        let (pool, constant) = (self.pool?, instruction.constant()?);
        match instruction.opcode {
            Opcode::InvokeDynamic => pool.call_site(constant).ok().map(|(_, _, named)| named),
            _ => pool.method(constant).ok().map(|named| named.descriptor),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moves(code: &[u8]) -> Vec<Option<StackMove>> {
        let code = Code::decode(code).expect("code");
        code.stack_moves(None).map(|(_, told)| told).collect()
    }

    const fn copies(count: u8, below: u8) -> Option<StackMove> {
        Some(StackMove::Copies { count, below })
    }

    #[test]
    fn values_are_as_wide_as_who_put_them_says() {
        // A double of a local, whatever its value: dload_0, dup2, dconst_1, dsub, dstore_0, pop2, return.
        let lowered = [0x26, 0x5c, 0x0f, 0x67, 0x47, 0x58, 0xb1];
        assert_eq!(moves(&lowered), [copies(1, 0), Some(StackMove::Drops(1))]);
        // iload_0, iload_1, dup2, pop2, pop2, return
        let two = [0x1a, 0x1b, 0x5c, 0x58, 0x58, 0xb1];
        let drops = Some(StackMove::Drops(2));
        assert_eq!(moves(&two), [copies(2, 0), drops, drops]);
        // aload_0, iload_1, dup2, daload, dup2_x2: an element of an array that stays on the stack.
        let element = [0x2a, 0x1b, 0x5c, 0x31, 0x5e, 0xb1];
        assert_eq!(moves(&element), [copies(2, 0), copies(1, 2)]);
        // lload_0, iload_2, dup_x2
        assert_eq!(moves(&[0x1e, 0x1c, 0x5b, 0xb1]), [copies(1, 1)]);
        // aload_0, iload_1, iload_2, dup_x2
        assert_eq!(moves(&[0x2a, 0x1b, 0x1c, 0x5b, 0xb1]), [copies(1, 2)]);
        // iload_0, lload_1, dup2_x1
        assert_eq!(moves(&[0x1a, 0x1f, 0x5d, 0xb1]), [copies(1, 1)]);
    }

    #[test]
    fn ways_that_meet_agree_and_handlers_begin_with_an_exception() {
        // 0 iload_0, 1 ifeq 8, 4 lconst_0, 5 goto 9, 8 lconst_1, 9 dup2, 10 pop2, 11 pop2, 12 return,
        // 13 lload_2 above the exception, 14 dup2_x1, 15 return
        let code = [
            0x1a, 0x99, 0, 7, 0x09, 0xa7, 0, 4, 0x0a, 0x5c, 0x58, 0x58, 0xb1, 0x20, 0x5d, 0xb1,
        ];
        let one = Some(StackMove::Drops(1));
        assert_eq!(moves(&code), [copies(1, 0), one, one, copies(1, 1)]);
        // The same with an int on one of the ways.
        let mut differ = code;
        differ[4] = 0x03;
        assert_eq!(moves(&differ), [None; 4]);
    }

    #[test]
    fn what_cannot_be_told_is_not() {
        // A field without a pool; half of a double; nothing there.
        assert_eq!(moves(&[0xb2, 0, 1, 0x5c, 0xb1]), [None]);
        assert_eq!(moves(&[0x0e, 0x04, 0x5c, 0xb1]), [None]);
        assert_eq!(moves(&[0x58, 0xb1]), [None]);
        // `dup` needs to know nothing.
        assert_eq!(moves(&[0xb2, 0, 1, 0x59, 0xb1]), [copies(1, 0)]);
    }
}
